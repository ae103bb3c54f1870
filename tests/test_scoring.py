"""What a verdict holds beside winners, points and places: what the end is worth, and totals.

Who wins, and in what places the players are, is said as text: `conformance/run/scoring.cases.yaml`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.executors import executor_of
from tests.playing import game_of

pytestmark = pytest.mark.executors

RULES = """
rulerun: 1
game: judged
players: [a, b, c, d]
state: {visible: all, "points_of[player]": 0..9, best: player}
always:
  all is read: best is c or points_of[a] == 7 or points_of[d] == 0
phases:
  play:
    do:
      - points_of[p] = 7 for p in players
      - points_of[d] = 3 + points_of[a] - points_of[b]
      - best = c
"""


def judged(scoring: str) -> Any:
    executor = executor_of(game_of(f"{RULES}{scoring}"))
    verdict = executor.verdict(executor.initial().state)
    assert verdict is not None
    return verdict


def test_who_ties_for_the_best_shares_it():
    verdict = judged("scoring:\n  points(player p): points_of[p]\n")
    assert verdict.winners == (0, 1, 2)
    assert verdict.returns == (Fraction(1, 3),) * 3 + (Fraction(-1),)
    assert verdict.totals == (7, 7, 7, 3)


def test_equal_for_nobody():
    verdict = judged("scoring:\n  points(player p): points_of[p]\n  equal: nobody\n")
    assert verdict.winners == ()
    assert verdict.returns == (0, 0, 0, 0)


def test_a_winner_by_expression_and_returns_of_ones_own():
    verdict = judged("scoring:\n  winner: best\n  returns(player p): 1 / 2 if p == winner else 0\n")
    assert verdict.winners == (2,)
    assert verdict.returns == (0, 0, Fraction(1, 2), 0)
    assert verdict.totals == (None,) * 4


def test_nobody_wins_without_scoring():
    verdict = judged("")
    assert verdict.winners == ()
    assert verdict.places == (1, 1, 1, 1)
    assert verdict.returns == (0, 0, 0, 0)

"""Luck by its ids, weights and events.

What falls and where components are afterwards is said as text: `luck` and `moves` in
`conformance/run`.
"""

from __future__ import annotations

import pytest
from tests.executors import executor_of
from tests.playing import game_of, play, texts, value, zone

from rulerun.runtime.executor import CHANCE, Chance, IllegalInput

pytestmark = pytest.mark.executors

DRAWN = """
rulerun: 1
game: drawn
players: 2
components:
  coin: {rows: {copper: {copies: 2}, gold: {copies: 1}}, start: bag}
zones:
  bag: {of: coin, order: random, visible: none}
  purse: {of: coin, visible: all}
phases:
  draw:
    do:
      - move 2 from bag to purse
"""
ROLLED = """
rulerun: 1
game: rolled
players: 2
state: {visible: all, die: 1..4}
phases:
  roll:
    do:
      - roll die by die - 1 until die != 3
"""


def test_equal_components_are_one_outcome():
    executor = executor_of(game_of(DRAWN))
    state = executor.initial().state
    assert [(one.text, one.weight) for one in executor.outcomes(state)] == [
        ("copper", 2),
        ("gold", 1),
    ]
    assert executor.waiting(state)[0].player == CHANCE
    end = play(executor, "copper", "gold")
    assert zone(executor, end, "purse") == ["copper", "gold"]
    assert play(executor, "gold") != play(executor, "copper")


def test_rolls_are_weighted_and_may_be_ruled_out():
    executor = executor_of(game_of(ROLLED))
    state = executor.initial().state
    assert [(one.id, one.text, one.weight) for one in executor.outcomes(state)] == [
        (1, "2", 1),
        (3, "4", 3),
    ]
    step = executor.apply(state, Chance(3))
    assert value(executor, step.state, "die") == 4
    assert texts(step.events) == ["die is 4", "the game is over"]
    with pytest.raises(IllegalInput):
        executor.apply(state, Chance(0))

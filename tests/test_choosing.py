"""Refusals by their code, and that asking and applying change nothing.

What can be chosen is said as text: `conformance/run/questions.cases.yaml`.
"""

from __future__ import annotations

import random

import pytest
from tests.executors import executor_of
from tests.playing import game_of, play, rats

from rulerun.runtime import actions
from rulerun.runtime.executor import Decision
from rulerun.runtime.state import State

pytestmark = pytest.mark.executors

PICKY = """
rulerun: 1
game: picky
players: [yarg, applewood]
components:
  card: {has: {rank: 1..3}, rows: {one: 1, two: 2, three: 3}, start: hand}
zones:
  hand: {of: card, visible: all}
state:
  visible: all
  chips: 0..9 = 1
  secret: {type: 0..9, start: 3, visible: none}
  left: {type: 0..9, visible: none}
phases:
  play:
    do:
      - choose:
          play(c in hand if CONDITION): left = secret
        by: yarg
        if_possible: [c.rank > 5 + chips, c.rank > chips]
        times: each once
        done: done
scoring:
  points(player p): left
"""


@pytest.mark.parametrize(
    ("condition", "given", "text", "code"),
    [
        ("c.rank > 1 or chips > 3", (), "play(one)", "condition"),
        ("c.rank < secret", (), "play(three)", "hidden"),
        ("c.rank < secret and c.rank != 2", (), "play(two)", "condition"),
        ("c.rank < secret and c.rank != 2", (), "play(three)", "hidden"),
        ("c.rank < 3", (), "play(one)", "if_possible"),
        ("c.rank < 3", ("play(two)",), "play(two)", "taken"),
    ],
)
def test_a_refusal_has_a_code(condition, given, text, code):
    executor = executor_of(game_of(PICKY.replace("CONDITION", condition)))
    state = play(executor, *given)
    action = actions.parse(executor.game, text)
    assert action is not None
    refusal = executor.refusal(state, Decision(0, action))
    assert refusal is not None
    assert refusal.code == code


SEEN = """
rulerun: 1
game: seen
players: [yarg]
components:
  coin: {copies: 3, state: {up: bool}, start: bag}
zones:
  bag: {of: coin, visible: none}
  shown: {one: coin, visible: all}
  veiled: {one: coin, visible: none}
state: {visible: all, chips: 0..9 = 1}
functions:
  is_up: ZONE.up if ZONE is not none else false
setup: [move 1 from bag to shown, move 1 from bag to veiled]
phases:
  play:
    do:
      - choose:
          take:
            when: is_up
            do: chips = 2
          leave: pass
        by: yarg
"""


@pytest.mark.parametrize(("zone", "code"), [("shown", "condition"), ("veiled", "hidden")])
def test_what_lies_in_a_zone_that_is_seen_is_no_secret(zone, code):
    """Its attributes are seen with it, though other coins lie hidden."""
    executor = executor_of(game_of(SEEN.replace("ZONE", zone)))
    action = actions.parse(executor.game, "take")
    assert action is not None
    refusal = executor.refusal(play(executor), Decision(0, action))
    assert refusal is not None and refusal.code == code


def test_asking_changes_nothing():
    executor = executor_of(rats())
    state = executor.initial().state
    before = state.to_bytes()
    for _ in range(2):
        executor.legal(state, 0)
        executor.outcomes(state)
        executor.waiting(state)
        executor.refusal(state, Decision(0, 0))
        assert executor.verdict(state) is None
    assert state.to_bytes() == before


def test_applying_leaves_the_state_as_it_was():
    executor = executor_of(rats())
    generator = random.Random(7)
    state = executor.initial().state
    while waiting := executor.waiting(state):
        before = state.to_bytes()
        asked = generator.choice(waiting)
        found = {
            executor.apply(state, Decision(asked.player, one)).state
            for one in executor.legal(state, asked.player)
        }
        again = executor_of(executor.game)
        for one in executor.legal(state, asked.player):
            assert again.apply(State.from_bytes(before), Decision(asked.player, one)).state in found
        assert state.to_bytes() == before
        state = sorted(found, key=lambda each: each.slots)[-1]

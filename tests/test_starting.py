"""Starting points for scenarios."""

from __future__ import annotations

import pytest
from tests.executors import executor_of, reference_of
from tests.playing import game_of, value, zone

from rulerun.runtime.executor import Decision, Executor
from rulerun.runtime.state import State
from rulerun.scenario.setup import enter_phase, with_value, with_zones

pytestmark = pytest.mark.executors

PHASED = """
rulerun: 1
game: phased
players: [yarg, applewood]
components:
  card: {rows: {spy: {copies: 2}, prince: {copies: 2}}, start: deck}
zones:
  visible: all
  hand[player]: {of: card}
  deck: {of: card, order: stack}
state: {visible: all, day: 0..9, done: bool}
phases:
  days:
    for: today in 1..3
    phases:
      play:
        for: p in players
        until: done
        do:
          - day = today
          - choose:
              go: pass
              stop: done = true
              take: move 1 from deck to hand[p]
            by: p
"""
"""Days in a loop, on each a phase with turns for both players."""
PLAY = 1


def where(executor: Executor, state: State) -> tuple[int, int] | None:
    waiting = executor.waiting(state)
    return (value(executor, state, "day"), waiting[0].player) if waiting else None


def test_a_phase_is_entered_at_the_values_given():
    executor = executor_of(game_of(PHASED))
    reference = reference_of(executor)
    start = executor.initial().state
    assert where(executor, start) == (1, 0)
    for given, stands in (({}, (1, 0)), ({"today": 2}, (2, 0)), ({"today": 3, "p": 1}, (3, 1))):
        assert where(executor, enter_phase(reference, start, PLAY, given).state) == stands
    state = enter_phase(reference, start, PLAY, {"today": 2, "p": 1}).state
    state = executor.apply(state, Decision(1, 0)).state
    assert where(executor, state) == (3, 0), "the phases around it go on from there"
    with pytest.raises(ValueError, match="no loop over q"):
        enter_phase(reference, start, PLAY, {"q": 1})
    with pytest.raises(ValueError, match="never 9"):
        enter_phase(reference, start, PLAY, {"today": 9})


def test_until_is_asked_first():
    executor = executor_of(game_of(PHASED))
    tables = reference_of(executor).machine.tables
    start = with_value(tables, executor.initial().state, tables.variables["done"], (), 1)
    assert where(executor, enter_phase(reference_of(executor), start, PLAY, {}).state) is None


def test_zones_hold_exactly_what_is_listed():
    executor = executor_of(game_of(PHASED))
    reference = reference_of(executor)
    families = reference.machine.tables.families
    start = executor.initial().state
    base = families["hand"].base
    state = with_zones(reference, start, {base: [(0, {}), (1, {})]})
    assert zone(executor, state, "hand") == ["spy", "prince"]
    assert len(zone(executor, state, "deck")) == 2
    again = with_zones(reference, state, {base: [(1, {}), (1, {})], base + 1: [(0, {})]})
    assert zone(executor, again, "hand") == ["prince", "prince"]
    assert zone(executor, again, "hand", 1) == ["spy"]
    assert zone(executor, again, "deck") == ["spy"]
    deck = families["deck"].base
    piled = with_zones(reference, again, {deck: [(1, {}), (0, {}), (1, {})]})
    assert zone(executor, piled, "deck") == ["prince", "spy", "prince"], "what leaves first, first"
    with pytest.raises(ValueError, match="there is no spy left"):
        with_zones(reference, start, {base: [(0, {})] * 3})


def test_values_that_do_not_fit_are_refused():
    executor = executor_of(game_of(PHASED))
    start = executor.initial().state
    tables = reference_of(executor).machine.tables
    for indexes, given in (((), 10), ((1,), 1)):
        with pytest.raises(ValueError):
            with_value(tables, start, tables.variables["day"], indexes, given)

"""Starting points for scenarios."""

from __future__ import annotations

import pytest
from tests.building import (
    Builder,
    num,
    span,
    values,
)
from tests.executors import executor_of, reference_of
from tests.playing import PLAYERS, value, zone

from rulerun.runtime.executor import Decision, Executor
from rulerun.runtime.state import State
from rulerun.scenario.setup import enter_phase, with_value, with_zones
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Bool,
    Int,
    Player,
)

pytestmark = pytest.mark.executors

# ----------------------------------------------------------------------------- starting points


def phased() -> Builder:
    """Days in a loop, on each a phase with turns for both players."""
    b = Builder()
    b.kind("card", ["spy", "prince"], zones=["hand", "deck"], copies=2, counted=True)
    b.zone("hand", "card", True)
    b.zone("deck", "card", order="stack", start=[(0, 0, 2), (0, 1, 2)])
    b.variable("day", Int(0, 9), 0)
    b.variable("done", Bool(), 0)
    go = b.action("go")
    today, p = b.local("today", Int(1, 3)), b.local("p", Player())
    days = b.loop("values", today, values(num(1), num(3), Int(1, 3)))
    both = model.Clockwise(PLAYERS, span("players"), num(0, Player()), False)
    turns = b.loop("sequence", p, both)
    b.pass_(days, "days", "over")
    b.do(model.LoopStart(span("for"), turns))
    b.label("turns")
    b.unless(model.Not(Bool(), span("until"), b.var("done")), "left")
    b.do(model.LoopNext(span("for"), turns, "days"))  # type: ignore[arg-type]
    b.store(b.var("day"), today)
    b.choose(p, b.option(go, "turns"))
    b.label("left")
    b.do(model.Clear(span("}"), (p.offset, turns.cursor, turns.second, turns.third)))
    b.jump("days")
    b.label("over")
    b.phases.append(model.Phase("play", ("play",), "turns", (days, turns), span("play")))  # type: ignore[arg-type]
    return b


def where(executor: Executor, state: State) -> tuple[int, int] | None:
    waiting = executor.waiting(state)
    return (value(executor, state, "day"), waiting[0].player) if waiting else None


def test_a_phase_is_entered_at_the_values_given():
    executor = executor_of(phased().game())
    start = executor.initial().state
    assert where(executor, start) == (1, 0)
    for given, stands in (({}, (1, 0)), ({"today": 2}, (2, 0)), ({"today": 3, "p": 1}, (3, 1))):
        assert where(executor, enter_phase(reference_of(executor), start, 0, given).state) == stands
    state = enter_phase(reference_of(executor), start, 0, {"today": 2, "p": 1}).state
    state = executor.apply(state, Decision(1, 0)).state
    assert where(executor, state) == (3, 0), "the phases around it go on from there"
    with pytest.raises(ValueError, match="no loop over q"):
        enter_phase(reference_of(executor), start, 0, {"q": 1})
    with pytest.raises(ValueError, match="never 9"):
        enter_phase(reference_of(executor), start, 0, {"today": 9})


def test_until_is_asked_first():
    executor = executor_of(phased().game())
    tables = reference_of(executor).machine.tables
    start = with_value(tables, executor.initial().state, tables.variables["done"], (), 1)
    assert where(executor, enter_phase(reference_of(executor), start, 0, {}).state) is None


def test_zones_hold_exactly_what_is_listed():
    executor = executor_of(phased().game())
    start = executor.initial().state
    base = reference_of(executor).machine.tables.families["hand"].base
    state = with_zones(reference_of(executor), start, {base: [(0, {}), (1, {})]})
    assert zone(executor, state, "hand") == ["spy", "prince"]
    assert len(zone(executor, state, "deck")) == 2
    again = with_zones(
        reference_of(executor), state, {base: [(1, {}), (1, {})], base + 1: [(0, {})]}
    )
    assert zone(executor, again, "hand") == ["prince", "prince"]
    assert zone(executor, again, "hand", 1) == ["spy"]
    assert zone(executor, again, "deck") == ["spy"]
    deck = reference_of(executor).machine.tables.families["deck"].base
    piled = with_zones(reference_of(executor), again, {deck: [(1, {}), (0, {}), (1, {})]})
    assert zone(executor, piled, "deck") == ["prince", "spy", "prince"], "what leaves first, first"
    with pytest.raises(ValueError, match="there is no spy left"):
        with_zones(reference_of(executor), start, {base: [(0, {})] * 3})


def test_values_that_do_not_fit_are_refused():
    executor = executor_of(phased().game())
    start = executor.initial().state
    tables = reference_of(executor).machine.tables
    for indexes, given in (((), 10), ((1,), 1)):
        with pytest.raises(ValueError):
            with_value(tables, start, tables.variables["day"], indexes, given)

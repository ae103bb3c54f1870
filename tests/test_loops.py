"""What a loop visits, also while it changes what it goes through."""

from __future__ import annotations

from typing import Any

import pytest
from tests.building import (
    Builder,
    add,
    cmp,
    num,
    span,
    values,
)
from tests.executors import executor_of
from tests.playing import PLAYERS, value

from rulerun.runtime.executor import RuleError
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Collection,
    Component,
    Int,
    Player,
    SetOf,
)

pytestmark = pytest.mark.executors


def note(b: Builder, what: Any) -> None:
    """Note a small number behind those noted before."""
    b.store(b.var("notes"), add(add(b.var("notes"), num(10), "*"), add(what, num(1))))


def visits(
    mode: str, source: Any, type_: Any, body: Any = None, condition: Any = None
) -> list[int]:
    """The values that a loop visits, noted one after another in a number."""
    b, source = (Builder("a", "b", "c"), source) if not callable(source) else source()
    b.variable("notes", Int(0, 10**9), 0)
    x = b.local("x", type_)
    b.pass_(b.loop(mode, x, source, condition and condition(x)), "top", "done")
    note(b, x)
    if body is not None:
        body(b, x)
    b.jump("top")
    b.label("done")
    executor = executor_of(b.game())
    end = executor.initial().state
    assert not any(end.slots[executor.game.layout.base :])
    return [int(digit) - 1 for digit in str(value(executor, end, "notes"))]


def test_a_loop_over_a_range():
    assert visits("values", values(num(2), num(5)), Int(0, 9)) == [2, 3, 4, 5]


def test_a_loop_with_a_condition():
    even = visits(
        "values",
        values(num(1), num(6)),
        Int(0, 9),
        condition=lambda x: cmp(add(x, num(2), "%"), "==", num(0)),
    )
    assert even == [2, 4, 6]


def test_the_bounds_of_a_range_are_fixed_at_entry():
    def source() -> tuple[Builder, Any]:
        b = Builder()
        b.variable("n", Int(0, 9), 3)
        return b, values(num(1), b.var("n"))

    def more(b: Builder, x: Any) -> None:
        b.store(b.var("n"), num(1), "+=")

    assert visits("values", source, Int(0, 9), more) == [1, 2, 3]


def test_clockwise_begins_where_it_did_at_entry():
    def source() -> tuple[Builder, Any]:
        b = Builder("a", "b", "c")
        b.variable("leader", Player(), 1)
        return b, model.Clockwise(PLAYERS, span("c"), b.var("leader"), False)

    def change(b: Builder, x: Any) -> None:
        b.store(b.var("leader"), num(0, Player()))

    assert visits("sequence", source, Player(), change) == [1, 2, 0]


def test_a_ring_begins_where_it_did_at_entry():
    def source() -> tuple[Builder, Any]:
        b = Builder("a", "b", "c")
        b.variable("leader", Player(), 1)
        players = values(num(0), num(2), Player())
        return b, model.BuiltinCall(PLAYERS, span("r"), "around", "", (players, b.var("leader")))

    def change(b: Builder, x: Any) -> None:
        b.store(b.var("leader"), num(0, Player()))

    assert visits("sequence", source, Player(), change) == [1, 2, 0]


def test_what_leaves_before_its_turn_is_skipped():
    def source() -> tuple[Builder, Any]:
        b = Builder()
        b.variable("some", SetOf(Int(0, 7)), 0b101110)
        return b, model.Unpacked(Collection(Int(0, 7), False), span("some"), b.var("some"))

    def leave(b: Builder, x: Any) -> None:
        b.store(b.var("some"), add(x, num(1)), "-=")
        b.store(b.var("some"), num(0), "+=")

    assert visits("values", source, Int(0, 7), leave) == [1, 3, 5]


def test_turns_go_round_until_nobody_may():
    b = Builder("a", "b", "c")
    b.variable("chips", Int(0, 9), [1, 0, 2], per_player=True)
    b.variable("notes", Int(0, 10**9), 0)
    p = b.local("p", Player())
    start = model.Clockwise(PLAYERS, span("clockwise(c)"), num(2, Player()), False)
    b.pass_(b.loop("turns", p, start, cmp(b.var("chips", p), ">", num(0))), "top", "done")
    b.label("done")
    note(b, p)
    b.store(b.var("chips", p), num(1), "-=")
    b.jump("top")
    with pytest.raises(RuleError) as caught:
        executor_of(b.game()).initial()
    assert caught.value.code == "no_turn"


def coins(mode: str, body: Any) -> list[str]:
    """The kinds that a loop over a purse visits."""
    b = Builder()
    b.kind("coin", ["copper", "gold"], 3, True, zones=["purse", "bank"])
    b.zone(
        "purse", "coin", start=[(0, 0, 2), (0, 1, 2)], order="stack" if mode == "positions" else ""
    )
    b.zone("bank", "coin", start=[(0, 0, 1), (0, 1, 1)])
    b.variable("notes", Int(0, 10**9), 0)
    c = b.local("c", Component("coin"))
    b.pass_(b.loop(mode, c, b.members("purse")), "top", "done")
    note(b, b.row(c, "coin"))
    body(b, c)
    b.jump("top")
    b.label("done")
    executor = executor_of(b.game())
    end = executor.initial().state
    return [("copper", "gold")[int(digit) - 1] for digit in str(value(executor, end, "notes"))]


@pytest.mark.parametrize("mode", ["counted", "positions"])
def test_alike_members_get_a_pass_each(mode):
    assert coins(mode, lambda b, c: None) == ["copper", "copper", "gold", "gold"]


@pytest.mark.parametrize("mode", ["counted", "positions"])
def test_the_current_one_may_be_moved_away(mode):
    away = coins(mode, lambda b, c: b.move(c, b.at("bank")))
    assert away == ["copper", "copper", "gold", "gold"]


def test_what_enters_behind_the_cursor_is_not_visited():
    def enter(b: Builder, c: Any) -> None:
        x = b.register(Component("coin"))
        coppers = cmp(b.row(x, "coin"), "==", num(0))
        b.draw(num(1), [b.at("bank")], b.at("purse"), True, register=x.index, condition=coppers)

    assert coins("counted", enter) == ["copper", "copper", "gold", "gold"]


def test_none_for_one_that_has_left():
    def leave(b: Builder, c: Any) -> None:
        x = b.register(Component("coin"))
        golden = cmp(b.row(x, "coin"), "==", num(1))
        b.draw(num(1), [b.at("purse")], b.at("bank"), True, register=x.index, condition=golden)

    assert coins("counted", leave) == ["copper", "copper"]


def test_repeat_counts_once():
    b = Builder()
    b.variable("n", Int(0, 9), 2)
    offset = b.local("times", Int(0, 9)).offset
    b.do(model.RepeatStart(span("repeat"), offset, b.var("n")))
    b.label("top")
    b.do(model.RepeatNext(span("repeat"), offset, "done"))  # type: ignore[arg-type]
    b.store(b.var("n"), num(1), "+=")
    b.jump("top")
    b.label("done")
    executor = executor_of(b.game())
    assert value(executor, executor.initial().state, "n") == 4

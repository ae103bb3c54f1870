"""Luck and moves: what may fall, and where components are afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from tests.building import (
    Builder,
    add,
    cmp,
    num,
    span,
)
from tests.executors import executor_of
from tests.playing import play, texts, value, zone

from rulerun.runtime.executor import CHANCE, Chance, IllegalInput, RuleError
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Component,
    Int,
)

pytestmark = pytest.mark.executors


def draws(
    many: int, up_to: bool = False, start: Any = ((0, 0, 2), (0, 1, 1)), **more: Any
) -> Builder:
    """A bag of coins from which some are drawn into a purse."""
    b = Builder()
    b.kind("coin", ["copper", "gold"], 3, True, zones=["bag", "purse", "used"])
    refill = model.ZoneAt("used", (), span("used"))
    b.zone("bag", "coin", order="random", visible="none", start=start, refill=refill)
    b.zone("purse", "coin", order=more.get("order", ""))
    b.zone("used", "coin", start=more.get("used", ()))
    b.draw(num(many), [b.at("bag")], b.at("purse"), up_to)
    return b


def test_equal_components_are_one_outcome():
    executor = executor_of(draws(2).game())
    state = executor.initial().state
    assert [(one.text, one.weight) for one in executor.outcomes(state)] == [
        ("copper", 2),
        ("gold", 1),
    ]
    assert executor.waiting(state)[0].player == CHANCE
    end = play(executor, "copper", "gold")
    assert zone(executor, end, "purse") == ["copper", "gold"]
    assert play(executor, "gold") != play(executor, "copper")


def test_one_outcome_is_no_input():
    """After the gold only coppers are left: the second draw happens by itself."""
    executor = executor_of(draws(2).game())
    end = play(executor, "gold")
    assert executor.waiting(end) == ()
    assert zone(executor, end, "purse") == ["copper", "gold"]


def test_what_is_taken_whole_needs_no_luck():
    executor = executor_of(draws(3).game())
    assert zone(executor, executor.initial().state, "purse") == ["copper", "copper", "gold"]


def test_the_order_of_draws_is_the_order_of_a_pile():
    executor = executor_of(draws(3, order="stack").game())
    end = play(executor, "copper", "gold")
    assert zone(executor, end, "purse") == ["copper", "gold", "copper"]


def test_drawing_from_an_empty_pile():
    with pytest.raises(RuleError) as caught:
        executor_of(draws(4, start=((0, 0, 3), (0, 1, 0))).game()).initial()
    assert caught.value.code == "empty"
    executor = executor_of(draws(4, up_to=True, start=((0, 0, 3),)).game())
    assert zone(executor, executor.initial().state, "purse") == ["copper"] * 3


def test_a_pile_is_refilled_when_one_more_is_wanted():
    b = draws(5, True, start=((0, 0, 2),), used=((0, 1, 1),))
    executor = executor_of(b.game())
    end = executor.initial().state
    assert zone(executor, end, "purse") == ["copper", "copper", "gold"]


def test_otherwise_is_decided_anew_for_each():
    b = Builder()
    b.kind("coin", ["copper", "gold"], 2, True, zones=["left", "right", "purse"])
    b.zone("left", "coin", start=[(0, 0, 2)])
    b.zone("right", "coin", start=[(0, 1, 2)])
    b.zone("purse", "coin")
    b.draw(num(3), [b.at("left"), b.at("right")], b.at("purse"))
    executor = executor_of(b.game())
    assert zone(executor, executor.initial().state, "purse") == ["copper", "copper", "gold"]


def test_members_that_are_not_alike_must_be_named():
    b = Builder()
    b.kind("coin", ["copper", "gold"], 2, True, zones=["left", "purse"])
    b.zone("left", "coin", start=[(0, 0, 2), (0, 1, 2)])
    b.zone("purse", "coin")
    b.draw(num(1), [b.at("left")], b.at("purse"))
    with pytest.raises(RuleError) as caught:
        executor_of(b.game()).initial()
    assert caught.value.code == "not_alike"


def test_rolls_are_weighted_and_may_be_ruled_out():
    b = Builder()
    b.variable("die", Int(1, 4), 1)
    x = b.register(Int(1, 4))
    weight, until = add(x, num(1), "-"), cmp(x, "!=", num(3))
    b.do(model.Roll(span("roll"), b.var("die"), x.index, weight, until))
    executor = executor_of(b.game())
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


def test_a_shuffle_is_a_chain_of_draws():
    b = Builder()
    b.kind("coin", ["copper", "gold"], 2, True, zones=["pile"])
    b.zone("pile", "coin", order="stack", start=[(0, 0, 1), (0, 1, 2)], visible="none")
    left = b.local("left", Int(0, 9)).offset
    b.do(model.ShuffleZone(span("shuffle"), b.at("pile"), left))
    executor = executor_of(b.game())
    assert zone(executor, play(executor, "copper"), "pile") == ["gold", "gold", "copper"]
    assert zone(executor, play(executor, "gold", "copper"), "pile") == ["gold", "copper", "gold"]
    assert zone(executor, play(executor, "gold", "gold"), "pile") == ["copper", "gold", "gold"]


# ---------------------------------------------------------------------------------- moving


def test_piles_leave_from_the_right_end():
    b = Builder()
    b.kind("card", ["one", "two", "three"], zones=["stack", "queue", "hand"])
    b.zone("stack", "card", order="stack", start=[(0, 0, 1), (0, 1, 1)])
    b.zone("queue", "card", order="queue", start=[(0, 2, 1)])
    b.zone("hand", "card")
    b.draw(num(2), [b.at("stack")], b.at("queue"))
    b.draw(num(2), [b.at("queue")], b.at("hand"))
    executor = executor_of(b.game())
    end = executor.initial().state
    assert zone(executor, end, "hand") == ["one", "three"]
    assert zone(executor, end, "queue") == ["two"]


def test_a_full_zone_takes_no_more():
    b = Builder()
    b.kind("card", ["one", "two"], zones=["hand", "slot"])
    b.zone("hand", "card", start=[(0, 0, 1), (0, 1, 1)])
    b.zone("slot", "card", one=True)
    register = b.register().index
    b.do(model.MoveAll(span("move all"), register, b.members("hand"), None, b.at("slot")))
    with pytest.raises(RuleError) as caught:
        executor_of(b.game()).initial()
    assert (caught.value.code, caught.value.message) == ("full", "slot is full: it holds 1")


def test_swapped_zones_keep_their_order():
    b = Builder()
    b.kind("card", ["one", "two", "three"], zones=["left", "right"])
    b.zone("left", "card", order="stack", start=[(0, 0, 1), (0, 1, 1)])
    b.zone("right", "card", order="stack", start=[(0, 2, 1)])
    b.do(model.SwapZones(span("swap"), b.at("left"), b.at("right")))
    executor = executor_of(b.game())
    end = executor.initial().state
    assert zone(executor, end, "left") == ["three"]
    assert zone(executor, end, "right") == ["one", "two"]


def test_the_name_of_a_counted_component_goes_along_with_its_move_only():
    def named(then: Any) -> Builder:
        b = Builder()
        b.kind("coin", ["copper"], 1, True, zones=["purse", "bank"])
        b.zone("purse", "coin", start=[(0, 0, 1)])
        b.zone("bank", "coin")
        b.variable("row", Int(0, 9), 5)
        c = b.local("c", Component("coin"))
        b.pass_(b.loop("counted", c, b.members("purse")), "top", "done")
        then(b, c)
        b.store(b.var("row"), b.row(c, "coin"))
        b.jump("top")
        b.label("done")
        return b

    executor = executor_of(named(lambda b, c: b.move(c, b.at("bank"))).game())
    assert value(executor, executor.initial().state, "row") == 0
    away = named(lambda b, c: b.draw(num(1), [b.at("purse")], b.at("bank")))
    with pytest.raises(RuleError) as caught:
        executor_of(away.game()).initial()
    assert caught.value.code == "moved_away"

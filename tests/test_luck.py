"""Luck by its weights and events, and the names of counted components, on models made by hand.

What falls and where components are afterwards is said as text: `luck` and `moves` in
`conformance/run`.
"""

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


def test_equal_components_are_one_outcome():
    b = Builder()
    b.kind("coin", ["copper", "gold"], 3, True, zones=["bag", "purse"])
    b.zone("bag", "coin", order="random", visible="none", start=((0, 0, 2), (0, 1, 1)))
    b.zone("purse", "coin")
    b.draw(num(2), [b.at("bag")], b.at("purse"))
    executor = executor_of(b.game())
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


# ---------------------------------------------------------------------------------- moving


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

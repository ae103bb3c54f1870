"""What a loop over the values of a type leaves behind, on a model put together by hand.

What loops visit is said as text: `conformance/run/loops.cases.yaml`.
"""

from __future__ import annotations

import pytest
from tests.building import Builder, add, num, span
from tests.executors import executor_of
from tests.playing import value

from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import Collection, Int, SetOf

pytestmark = pytest.mark.executors


def test_what_leaves_is_skipped_what_enters_behind_is_not_visited_and_all_slots_are_cleared():
    b = Builder()
    b.variable("some", SetOf(Int(0, 7)), 0b101110)
    b.variable("notes", Int(0, 10**9), 0)
    x = b.local("x", Int(0, 7))
    source = model.Unpacked(Collection(Int(0, 7), False), span("some"), b.var("some"))
    b.pass_(b.loop("values", x, source), "top", "done")
    b.store(b.var("notes"), add(add(b.var("notes"), num(10), "*"), x))
    b.store(b.var("some"), add(x, num(1)), "-=")
    b.store(b.var("some"), num(0), "+=")
    b.jump("top")
    b.label("done")
    executor = executor_of(b.game())
    end = executor.initial().state
    assert value(executor, end, "notes") == 135
    assert not any(end.slots[executor.game.layout.base :])

"""How a game that has ended is decided."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.building import (
    Builder,
    add,
    cmp,
    maybe,
    num,
    span,
)
from tests.executors import executor_of

from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Int,
    Player,
)

pytestmark = pytest.mark.executors

# -------------------------------------------------------------------------------- the verdict


def judged(points: list[int], **changes: Any) -> Any:
    b = Builder("a", "b", "c", "d")
    b.variable("points", Int(-99, 99), points, per_player=True)
    b.variable("coins", Int(0, 9), [1, 3, 2, 2], per_player=True)
    p = b.register(Player(), "p")
    line = model.ScoreLine("points", b.var("points", p))
    made = {
        "lines": (line,),
        "ties": (),
        "out": None,
        "equal": "tied",
        "best": "highest",
        "winner": None,
        "returns": None,
    }
    made.update(
        {name: change(b, p) if callable(change) else change for name, change in changes.items()}
    )
    b.scoring = model.Scoring(p.index, **made)  # type: ignore[arg-type]
    executor = executor_of(b.game())
    verdict = executor.verdict(executor.initial().state)
    assert verdict is not None
    return verdict


def test_ties_share_a_place():
    verdict = judged([7, 7, 7, 3])
    assert verdict.places == (1, 1, 1, 4)
    assert verdict.winners == (0, 1, 2)
    assert verdict.returns == (Fraction(1, 3),) * 3 + (Fraction(-1),)
    assert verdict.totals == (7, 7, 7, 3)


def test_ties_are_broken_in_order():
    verdict = judged([7, 7, 7, 3], ties=lambda b, p: (b.var("coins", p),))
    assert verdict.places == (3, 1, 2, 4)
    assert verdict.winners == (1,)


def test_lowest_wins():
    assert judged([7, 7, 2, 3], best="lowest").places == (3, 3, 1, 2)


def test_who_is_out_has_no_place():
    verdict = judged([7, 6, 5, 3], out=lambda b, p: cmp(b.var("points", p), ">", num(6)))
    assert verdict.places == (0, 1, 2, 3)
    assert verdict.winners == (1,)


def test_equal_for_nobody():
    verdict = judged([7, 7, 5, 3], equal="nobody")
    assert verdict.winners == ()
    assert verdict.returns == (0, 0, 0, 0)


def test_a_winner_by_expression_and_returns_of_ones_own():
    verdict = judged(
        [0, 0, 0, 0],
        lines=(),
        best=None,
        winner=lambda b, p: num(2, Player()),
        returns=lambda b, p: model.Conditional(
            Int(0, 9),
            span("r"),
            cmp(p, "==", model.BuiltinCall(maybe(Player()), span("winner"), "winner", "", ())),
            add(num(1), num(2), "/"),
            num(0),
        ),
    )
    assert verdict.winners == (2,)
    assert verdict.places == (2, 2, 1, 2)
    assert verdict.returns == (0, 0, Fraction(1, 2), 0)
    assert verdict.totals == (None,) * 4


def test_nobody_wins_without_scoring():
    verdict = judged([1, 2, 3, 4], lines=(), best=None)
    assert verdict.winners == ()
    assert verdict.places == (1, 1, 1, 1)

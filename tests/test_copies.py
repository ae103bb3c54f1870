"""Loops over copies as sums: each function here gives the same after the pass, for any slots.

Those that are `CHANGED` are loops that the pass makes quicker; those that are `KEPT` look like them
and must be left alone, or done so often, since later rounds do something else than the first.
"""

from __future__ import annotations

import dataclasses
from itertools import product

import pytest
from tests.rulesets import game_named

from rulerun.compiled import ir
from rulerun.compiled.ir.copies import copies
from rulerun.compiled.ir.printing import printed
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import NONE, Value
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.python.source import source

N, C, X, LAST = (ir.Var(name) for name in ("n", "c", "x", "last"))
K = ir.Slot(const(3))
"""How often the loop runs."""


def more(name: ir.Var, value: Value | int = 1) -> ir.Assign:
    return ir.Assign(name.name, plus(name, value))


def times(*body: ir.Statement, many: Value = K) -> ir.For:
    return ir.For("i", const(0), many, body)


def classes(*body: ir.Statement) -> ir.For:
    return ir.For("c", const(0), const(3), body)


def adding(*loops: ir.Statement) -> Body:
    return (ir.Assign("n", const(0)), *loops, ir.Return(N))


def with_rows(*loops: ir.Statement) -> Body:
    rows = ir.NewRows("r", 1, 9, 2), ir.NewRows("q", 1, 9)
    return (*rows, *adding(*loops)[:-1], ir.Return(binary("+", N, ir.Length("q"))))


COUNT = ir.Slot(C)
"""How many of class `c` there are."""
SAME = binary("==", ir.TableLoad("RANK", C), X)
EVEN = binary("==", ir.TableLoad("EVEN", C), X)
MARKED = ir.RowGet("r", const(1), 0)
TABLES = (("RANK", (4, 5, 6)), ("EVEN", (1, 0, 1)), ("ODD", (7, 3, 9)))

CHANGED: dict[str, Body] = {
    "counted": adding(times(more(N))),
    "counted by two": adding(times(more(N, 2))),
    "with a name": adding(times(ir.Assign("t", plus(X, 2)), more(N, ir.Var("t")))),
    "if": adding(times(ir.If(binary(">", X, 4), (more(N),), (more(N, 3),)))),
    "first": adding(times(ir.Return(X))),
    "fail": adding(times(ir.If(binary(">", X, 99), (ir.Fail(),)), more(N))),
    "runs of equals": (
        ir.Assign("last", const(-1)),
        *adding(
            times(
                ir.If(
                    binary("==", X, LAST),
                    (more(N),),
                    (ir.Assign("last", X), ir.Assign("m", N), more(N, 7)),
                )
            )
        ),
    ),
    "once": with_rows(
        times(ir.If(ir.Not(MARKED), (ir.RowSet("r", const(1), const(1)), ir.Push("q", (X,)))))
    ),
    "sum": adding(classes(more(N, COUNT))),
    "all copies": adding(classes(times(more(N), many=COUNT))),
    "some copies": adding(classes(times(ir.If(SAME, (more(N),)), many=COUNT))),
    "one member": adding(classes(ir.If(binary("==", C, X), (more(N, COUNT),)))),
    "one of a table": adding(
        classes(ir.If(binary("==", ir.TableLoad("ODD", C), 9), (more(N, COUNT),)))
    ),
    "and more": adding(classes(ir.If(ir.Both(SAME, binary(">", COUNT, 1)), (more(N),)))),
    "rows of one": with_rows(classes(times(ir.If(SAME, (ir.Push("q", (C,)),)), many=COUNT))),
    "none among them": adding(classes(ir.If(binary("==", C, NONE), (more(N),)))),
}
KEPT: dict[str, Body] = {
    "each a row": with_rows(times(ir.Push("q", (X,)))),
    "up to two": adding(times(ir.If(binary("<", N, 2), (more(N),)))),
    "doubled": adding(times(ir.Assign("n", plus(plus(N, N), 1)))),
    "a break": adding(times(more(N), ir.Break())),
    "read before": (
        ir.Assign("t", const(5)),
        *adding(times(more(N, ir.Var("t")), ir.Assign("t", X))),
    ),
    "its own number": adding(times(more(N, ir.Var("i")))),
    "alternating": (
        ir.Assign("last", const(0)),
        *adding(
            times(
                ir.If(
                    binary("==", X, LAST),
                    (more(N), ir.Assign("last", const(0))),
                    (ir.Assign("last", X),),
                )
            )
        ),
    ),
    "a mark taken away": with_rows(
        times(
            ir.If(ir.Not(MARKED), (ir.RowSet("r", const(1), const(1)), more(N))),
            ir.RowSet("r", const(1), const(0)),
        )
    ),
    "written": (
        *adding(times(ir.StoreSlot(const(0), plus(ir.Slot(const(0)), 1))))[:-1],
        ir.Return(ir.Slot(const(0))),
    ),
    "several members": adding(classes(ir.If(EVEN, (more(N, COUNT),)))),
    "what is sought moves": (
        ir.Assign("last", const(0)),
        *adding(classes(ir.If(binary("==", C, LAST), (more(N, COUNT), more(LAST))))),
    ),
    "read behind the loop": (
        *adding(classes(ir.Assign("t", C), ir.If(SAME, (more(N),))))[:-1],
        ir.Return(plus(N, ir.Var("t"))),
    ),
}


@pytest.fixture(scope="module")
def plain() -> Program:
    return lower(game_named("tic_tac_toe"))


def program_of(plain: Program, body: Body) -> Program:
    function = ir.Function("f", ("x",), body, "")
    return dataclasses.replace(plain, functions=(*plain.functions, function), tables=TABLES)


def function(program: Program) -> ir.Function:
    return next(each for each in program.functions if each.name == "f")


def results(program: Program) -> list[object]:
    """What the function gives for many slots and arguments."""

    def fail() -> None:
        raise ZeroDivisionError

    names: dict[str, object] = {"fail": fail, "find": None, "NONE": NONE}
    text = source(program)
    exec(compile(text, "f", "exec"), names)
    call = names["f"]
    assert callable(call)
    found: list[object] = []
    for slots in product((0, 1, 3), repeat=4):
        for x in (-1, 0, 1, 2, 4, 5, 6, 100):
            state = [*slots, *[0] * 20]
            try:
                found.append((call(state, x), tuple(state)))
            except ZeroDivisionError:
                found.append("failed")
    return found


@pytest.mark.parametrize("name", CHANGED)
def test_a_loop_is_made_quicker(plain: Program, name: str) -> None:
    before = program_of(plain, CHANGED[name])
    after = copies(before)
    assert printed(after) != printed(before)
    assert results(after) == results(before)


@pytest.mark.parametrize("name", KEPT)
def test_what_only_looks_like_it_stays(plain: Program, name: str) -> None:
    before = program_of(plain, KEPT[name])
    assert results(copies(before)) == results(before)
    assert function(copies(before)) == function(before)


def test_what_is_counted_is_counted_as_often(plain: Program) -> None:
    """A function that counts its calls is called in every round, as the reference calls it."""
    test = ir.Call("g", ())
    body = adding(times(ir.If(test, (more(N),))))
    for counting in (ir.Count(0), ir.Spend()):
        g = ir.Function("g", (), (counting, ir.Return(const(1))), "")
        before = program_of(plain, body)
        before = dataclasses.replace(before, functions=(*before.functions, g))
        assert function(copies(before)) == function(before)
    g = ir.Function("g", (), (ir.Return(const(1)),), "")
    before = dataclasses.replace(before, functions=(function(before), g))
    assert function(copies(before)) != function(before)

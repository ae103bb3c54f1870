"""A choice of a number: which numbers may be chosen is a set, which is counted and drawn from.

Assumes: a `Program` of `ir` that only plays whole games.
Does: where a lister goes through a few numbers, and makes one row of each that meets a condition,
the condition is asked of all of them first, and rows are made of the set of those that meet it. A
condition on a slot of a run of which masks are asked for is a bit of such a mask.
Leaves behind: a program that does the same; `sampled` finds sets where loops were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.passes import every_part, rewritten
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.sampling import goes_straight, straight_functions
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value

_MOST = 62
"""Numbers that a set of 64 bits with a sign has room for."""


def picked(program: Program) -> Program:
    """The program with sets of numbers in place of loops over them."""
    runs = {
        node.base: node.number
        for body in _bodies(program)
        for node in every_part(body)
        if isinstance(node, ir.EqualMask) and node.number <= _MOST
    }
    straight = straight_functions(program)
    known = dict(program.tables), {each.name: each.body for each in program.functions}
    listers = tuple(
        replace(
            each,
            body=tuple(one for node in each.body for one in _picked(node, runs, straight, known)),
        )
        for each in program.listers
    )
    return replace(program, listers=listers)


def _bodies(program: Program) -> list[Body]:
    found = [each.body for each in program.functions]
    found += [each.body for each in program.listers]
    return [*found, *(each.body for each in program.blocks)]


_Known = tuple[Mapping[str, tuple[int, ...]], Mapping[str, Body]]
"""Tables, and the bodies of functions."""


def _picked(
    statement: Statement, runs: Mapping[int, int], straight: frozenset[str], known: _Known
) -> Body:
    match statement:
        case ir.For(name, ir.Const(low), ir.Const(high), body) if 0 < high - low <= _MOST:
            bits = beside(name, "bits")
            place = ir.Binary("-", ir.Var(name), ir.Const(low))
            bit = ir.Binary("<<", ir.Const(1), place)
            add = ir.Assign(bits, ir.Binary("|", ir.Var(bits), bit))
            halves = _halves(body, add)
            if halves is None or not goes_straight(halves[0], straight):
                return (statement,)
            asked, row = halves
            bounds = {name: high} if low >= 0 else {}
            member = beside(name, "at")
            number = ir.Assign(name, ir.Binary("+", ir.Var(member), ir.Const(low)))
            return (
                ir.Assign(bits, ir.Const(0)),
                replace(
                    statement,
                    body=rewritten(asked, lambda node: _bit_of(node, runs, bounds, known)),
                ),
                ir.EachBit(member, ir.Var(bits), (number, *row)),
            )
        case _:
            return (statement,)


def _halves(body: Body, add: Statement) -> tuple[Body, Body] | None:
    """What asks whether there is a row, and then adds, and what makes the row."""
    if not body:
        return None
    *before, last = body
    for each in before:
        if not isinstance(each, ir.Assign) and not _only_fails(each):
            return None
    names = tuple(each for each in before if isinstance(each, ir.Assign))
    match last:
        case ir.Push("found"):
            return (*before, add), (*names, last)
        case ir.If(condition, then, ()):
            inner = _halves(then, add)
            if inner is None:
                return None
            return (*before, ir.If(condition, inner[0])), (*names, *inner[1])
        case _:
            return None


def _only_fails(statement: Statement) -> bool:
    return (
        isinstance(statement, ir.If)
        and statement.then == (ir.Fail(),)
        and (not statement.otherwise)
    )


def _bit_of(node: Any, runs: Mapping[int, int], bounds: Mapping[str, int], known: _Known) -> Any:
    """Whether a slot of a run holds a value, as a bit of its mask; none that lies behind it."""
    match node:
        case ir.Binary("==", ir.Slot(ir.Binary("+", place, ir.Const(base))), sought) if (
            base in runs and _stays(sought)
        ):
            high = _below(place, bounds, known)
            if high is None or high > runs[base]:
                return node
            mask = ir.EqualMask(base, runs[base], sought)
            return ir.Binary("&", ir.Binary(">>", mask, place), ir.Const(1))
        case _:
            return node


def _below(
    place: Value, bounds: Mapping[str, int], known: _Known, fails: bool = False
) -> int | None:
    """Below which number a place lies that is not below 0; None: nothing says so.

    `bounds`: of names. `fails`: where it is none something fails before.
    """
    tables, functions = known
    match place:
        case ir.Var(name):
            return bounds.get(name)
        case ir.Const(number):
            found = [number]
        case ir.TableLoad(table):
            found = list(tables[table])
        case ir.Checked(inner, low) if low > ir.NONE:
            return _below(inner, bounds, known, fails=True)
        case ir.Call(function) if function in functions:
            given = [
                each for each in every_part(functions[function]) if isinstance(each, ir.Return)
            ]
            highs = [_below(each.value, {}, known, fails) for each in given]
            sure = [high for high in highs if high is not None]
            return max(sure, default=None) if len(sure) == len(highs) else None
        case _:
            return None
    if fails:
        found = [each for each in found if each != ir.NONE]
    return 1 + max(found, default=-1) if all(each >= 0 for each in found) else None


def _stays(value: Value) -> bool:
    return isinstance(value, ir.Const | ir.Var | ir.Slot)

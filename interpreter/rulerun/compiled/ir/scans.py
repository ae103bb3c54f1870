"""Loops over slots as what Python's lists do by themselves.

Assumes: a `Program`; functions and listers that write no slot.
Does: a loop that looks which of some slots hold a value becomes a question to the slice (is it in
it, how often), or a loop over what holds it.
Leaves behind: a program that does the same. `masks` does so for machine code.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import (
    assigned,
    inside_out,
    run_of,
    variables,
    where_nothing_changes,
)
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value


def scans(program: Program) -> Program:
    """The program with such loops as questions to slices."""
    return where_nothing_changes(program, lambda body: inside_out(body, _scanned))


def _scanned(statement: Statement) -> Body:
    match statement:
        case ir.EachEqual(name, base, number, value, inner):
            return (_each(name, base, number, value, inner),)
        case ir.For(name, ir.Const(0), ir.Const(number)):
            return (_looking(statement, name, number),)
        case _:
            return (statement,)


def _looking(loop: ir.For, name: str, number: int) -> Statement:
    """A loop in which everything depends on what one slot holds."""
    match loop.body:
        case (ir.If(condition, then, ()),):
            pass
        case _:
            return loop
    first, rest = condition, None
    if isinstance(condition, ir.Both):
        first, rest = condition.left, condition.right
    negated = isinstance(first, ir.Not)
    test = first.operand if isinstance(first, ir.Not) else first
    match test:
        case ir.Binary("==" | "!=" as operator, ir.Slot(address), value):
            base = run_of(address, name)
        case _:
            return loop
    steady = variables(value).isdisjoint(assigned(then) | {name})
    if base is None or not steady:
        return loop
    if (operator == "==") != negated:
        return _each(name, base, number, value, then if rest is None else (ir.If(rest, then),))
    if rest is not None:
        return loop
    count = ir.CountEqual(base, number, value)
    match then:
        case (ir.Return(ir.Const()),):
            return ir.If(ir.Binary("<", count, ir.Const(number)), then)
        case (ir.Assign(total, ir.Binary("+", ir.Var(same), ir.Const(1))),) if total == same:
            others = ir.Binary("-", ir.Const(number), count)
            return ir.Assign(total, ir.Binary("+", ir.Var(total), others))
        case _:
            return loop


def _each(name: str, base: int, number: int, value: Value, inner: Body) -> Statement:
    count = ir.CountEqual(base, number, value)
    match inner:
        case (ir.Return(ir.Const()),):
            return ir.If(ir.Binary(">", count, ir.Const(0)), inner)
        case (ir.Assign(total, ir.Binary("+", ir.Var(same), ir.Const(1))),) if total == same:
            return ir.Assign(total, ir.Binary("+", ir.Var(total), count))
        case _:
            return ir.EachEqual(name, base, number, value, inner)

"""Searches of which it only matters what they reach, as sweeps.

Assumes: a `Program` of `ir`, in which a search visits all sites of one distance at once.
Does: a step that leads on from what the step before it has found, in the same round, comes further:
a chain along a row is seen in one round. What is reached at last is the same, and whether that
meets something; how far it is, and in which order it is met, is not: a search that asks for that
stays as it is.
Leaves behind: a program that does the same.
"""

from __future__ import annotations

from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part, inside_out, substituted, variables
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value


def swept(program: Program) -> Program:
    """The program with such searches as sweeps."""
    return replace(
        program,
        functions=tuple(replace(each, body=_swept(each.body)) for each in program.functions),
    )


def _swept(body: Body) -> Body:
    """The body of a function."""
    return inside_out(body, lambda statement: (_search(statement, body),))


def _search(loop: Statement, whole: Body) -> Statement:
    match loop:
        case ir.While(ir.Var(front), body):
            pass
        case _:
            return loop
    meets: list[Statement] = []
    while body and _asks(body[0], front):
        meets.append(body[0])
        body = body[1:]
    steps: list[Value] = []
    match body:
        case (ir.Assign(near, ir.Const(0)), *rest):
            pass
        case _:
            return loop
    while rest:
        match rest[0]:
            case ir.Assign(name, ir.Binary("|", ir.Var() | ir.Const(0), step)) if (
                name == near and variables(step) == {front}
            ):
                steps.append(step)
                rest = rest[1:]
            case _:
                break
    match rest:
        case (
            ir.Assign(first, ir.Binary("&", ir.Var(), sites)),
            ir.Assign(second, ir.Binary("^", ir.Var(), ir.Binary("&", ir.Var(), ir.Var(seen)))),
            ir.Assign(onward, ir.Var(new)),
            ir.Assign(gathered, ir.Binary("|", ir.Var(), ir.Var(more))),
            *last,
        ) if (
            first == second == new == near
            and onward == more == front
            and gathered == seen
            and not variables(sites) & {front, near, seen}
        ):
            pass
        case _:
            return loop
    distance = {each.name for each in last if isinstance(each, ir.Assign)}
    counts = all(
        isinstance(each, ir.Assign) and each.value == ir.Binary("+", ir.Var(each.name), ir.Const(1))
        for each in last
    )
    inner = distance | {near}
    if not counts or len(steps) < 2 or _reads(inner, whole) > _reads(inner, (loop,)):
        return loop
    if _reads(distance, (loop,)) > len(distance):
        return loop
    place = ir.Var(near)
    sweep = (
        ir.Assign(near, ir.Binary("|", place, ir.Binary("&", _from(step, front, place), sites)))
        for step in steps
    )
    return ir.While(
        loop.condition,
        (
            *meets,
            ir.Assign(near, ir.Var(seen)),
            *sweep,
            ir.Assign(front, ir.Binary("^", place, ir.Var(seen))),
            ir.Assign(seen, place),
        ),
    )


def _asks(statement: Statement, front: str) -> bool:
    """Whether a statement ends a function where what is met is among some others."""
    match statement:
        case ir.If(ir.Binary("&", one, other), (ir.Return(ir.Const()),), ()):
            return ir.Var(front) in (one, other)
        case _:
            return False


def _reads(names: set[str], body: Body) -> int:
    """How often some names are read."""
    return sum(isinstance(node, ir.Var) and node.name in names for node in every_part(body))


def _from(step: Value, front: str, place: Value) -> Value:
    """A step from what is found by now."""
    found: Value = substituted(step, {front: place})
    return found

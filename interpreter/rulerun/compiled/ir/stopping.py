"""Searches that end as soon as what is asked of them is known.

Assumes: a `Program` of `ir`, in which what is asked of a set is asked of the whole set (`masks`).
Does: where it is only asked whether one of the sites that a search reaches is in another set, as
whether a group of stones has a liberty, each step of the search asks it.
Leaves behind: a program that does the same. A set that only grows has what it had.
"""

from __future__ import annotations

from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part, reads_only, variables
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value

_PLAIN = ir.Const | ir.Var | ir.Slot | ir.Binary | ir.EqualMask | ir.TableLoad
"""What may be asked once more, and cannot go wrong."""


def stopping(program: Program) -> Program:
    """The program with searches that stop when it is known what is asked of them."""
    return replace(
        program,
        functions=tuple(
            replace(each, body=_stopping(each.body)) if reads_only(each.body) else each
            for each in program.functions
        ),
    )


def _stopping(body: Body) -> Body:
    """The body of a function: a search, and behind it what is asked of what it has seen."""
    for at, statement in enumerate(body[:-1]):
        match statement, body[at + 1]:
            case ir.While(condition, steps), ir.If(asked, (ir.Return(ir.Const()),), ()) as ends:
                if _only_grows(asked, steps):
                    loop = ir.While(condition, (ends, *steps))
                    return (*body[:at], loop, *_stopping(body[at + 1 :]))
    return body


def _only_grows(asked: Value, steps: Body) -> bool:
    """Whether what is asked stays true as a search goes on, and the search does nothing else."""
    match asked:
        case ir.Binary("&", ir.Var(seen), others) if seen not in variables(others):
            pass
        case _:
            return False
    if not all(isinstance(node, _PLAIN) for node in every_part([others])):
        return False
    if not all(isinstance(each, ir.Assign) for each in steps):
        return False
    given = [(each.name, each.value) for each in steps if isinstance(each, ir.Assign)]
    if variables(others) & {name for name, _ in given}:
        return False
    return all(
        name != seen or (isinstance(value, ir.Binary) and _joins(value, seen))
        for name, value in given
    ) and not any(isinstance(node, ir.Checked | ir.Call) for node in every_part(steps))


def _joins(value: ir.Binary, name: str) -> bool:
    """Whether a value is what a name holds and more."""
    return value.operator == "|" and ir.Var(name) in (value.left, value.right)

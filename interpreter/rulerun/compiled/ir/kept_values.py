"""Functions of nothing but what they are given, whose values are kept.

Assumes: a `Program` of `ir`, run where a value is looked up sooner than a loop is gone through.
Does: marks functions that read no slot, go through a loop whose length is only known when they are
asked, and cannot go wrong, as how to come so many steps far on a board.
Leaves behind: the same program, in which such functions are `kept`.
"""

from __future__ import annotations

from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part, never_fail, pure_functions
from rulerun.compiled.ir.program import Program

_READS = (
    ir.Slot | ir.CountEqual | ir.FindEqual | ir.SumSlots | ir.EqualMask | ir.EachEqual | ir.OnTop
    | ir.Call
)  # fmt: skip


def kept_values(program: Program) -> Program:
    """The program with such functions marked."""
    sure = never_fail(program) & pure_functions(program)
    return replace(
        program,
        functions=tuple(
            replace(each, kept=True) if each.name in sure and _loops_alone(each) else each
            for each in program.functions
        ),
    )


def _loops_alone(function: ir.Function) -> bool:
    """Whether a function goes through a loop of some length, and reads no slot."""
    parts = list(every_part(function.body))
    return (
        bool(function.parameters)
        and not any(isinstance(node, _READS) for node in parts)
        and any(isinstance(node, ir.For) and not isinstance(node.high, ir.Const) for node in parts)
    )

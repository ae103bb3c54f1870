"""Loops over numbers of which only some are wanted, as loops over those.

Assumes: a `Program` of `ir`.
Does: what a loop asks first, and what is the same in each of its rounds, is asked once, before it;
where a loop asks next whether its number lies above or below a value, as a bet between two sums, it
begins and ends there.
Leaves behind: a program that does the same. Only functions and listers that write no slot are
searched for such loops; behind a condition that may go wrong nothing is asked sooner.
"""

from __future__ import annotations

from collections import Counter

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import (
    assigned,
    conjuncts,
    every_part,
    inside_out,
    never_fail,
    pure_functions,
    reads,
    together,
    variables,
    where_nothing_changes,
)
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value

_LEAST = 9
"""Of fewer numbers it is as quick to ask each."""
_STEADY = (
    ir.Const | ir.Var | ir.Slot | ir.Binary | ir.Not | ir.Both | ir.Either | ir.Select
    | ir.TableLoad | ir.EqualMask | ir.CountEqual | ir.BitCount | ir.SumSlots
)  # fmt: skip
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def bounded(program: Program) -> Program:
    """The program with loops over the numbers that are wanted."""
    maker = _Bounds(never_fail(program) & pure_functions(program))
    return where_nothing_changes(program, maker.body)


class _Bounds:
    """Finds the bounds of loops."""

    def __init__(self, sure: set[str]) -> None:
        self.sure = sure
        self.reads: Counter[str] = Counter()
        """How often each name is read in the function that is changed."""

    def body(self, body: Body) -> Body:
        """The body of a function or lister."""
        self.reads = reads(body)
        return inside_out(body, lambda statement: (self._loop(statement),))

    def _loop(self, loop: Statement) -> Statement:
        match loop:
            case ir.For(_, ir.Const(low), ir.Const(high), (*before, ir.If(condition, then, ()))):
                pass
            case _:
                return loop
        changing, inside = assigned((loop,)), reads((loop,))
        own = {loop.name} | assigned(tuple(before))
        if any(self.reads[name] > inside[name] for name in own):
            return loop  # what it ends with is asked for behind it
        if high - low < _LEAST or not all(
            isinstance(each, ir.Assign) and self._is_steady(each.value, set()) for each in before
        ):
            return loop
        rest = list(conjuncts(condition))
        first = []
        while rest and self._is_steady(rest[0], changing):
            first.append(rest.pop(0))
        start, end = loop.low, loop.high
        while rest and (bound := self._bound(rest[0], loop.name, changing)) is not None:
            least, value = bound
            rest.pop(0)
            if least:
                start = ir.Binary("max", start, value)
            else:
                end = ir.Binary("min", end, value)
        if not first and (start, end) == (loop.low, loop.high):
            return loop
        inner: Body = (ir.If(together(rest), then),) if rest else then
        changed = ir.For(loop.name, start, end, (*before, *inner))
        return ir.If(together(first), (changed,)) if first else changed

    def _bound(self, asked: Value, name: str, changing: set[str]) -> tuple[bool, Value] | None:
        """What the number of a loop must reach at least, or stay below; None if neither is said."""
        match asked:
            case ir.Binary(word, ir.Var(one), value) if word in _TURNED and one == name:
                pass
            case ir.Binary(word, value, ir.Var(one)) if word in _TURNED and one == name:
                word = _TURNED[word]
            case _:
                return None
        if not self._is_steady(value, changing):
            return None
        further = ir.Binary("+", value, ir.Const(1))
        return word in (">", ">="), further if word in (">", "<=") else value

    def _is_steady(self, value: Value, changing: set[str]) -> bool:
        """Whether a value is the same in each round, and may be asked for at any time."""
        return not variables(value) & changing and all(
            isinstance(node, _STEADY) or (isinstance(node, ir.Call) and node.function in self.sure)
            for node in every_part([value])
        )

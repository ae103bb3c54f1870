"""The members of a loop, and sets of them as masks: a bit for each.

Assumes: nothing.
Does: says which constant is the mask of some members; joins and meets masks.
Leaves behind: values of `ir`.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen

WORD = 64
"""Of how many members tables know masks."""
WIDEST = 512
"""So many members are asked at once at most."""
NOTHING = ir.Const(0)


@frozen
class Members:
    """The members of a loop: the numbers from 0 up to, but without, `number`."""

    name: str
    number: int
    changing: frozenset[str]
    """The names that have another value for each."""
    signed: bool = True
    """Whether a mask of 64 bits has a sign, as numbers of machines have."""
    asked: bool = False
    """Whether the rules come to the question: for one of them at least it is asked. Else nothing
    in it may fail."""

    @property
    def every(self) -> ir.Const:
        """The mask of all of them."""
        return self.bits(range(self.number))

    def bits(self, places: Iterable[int]) -> ir.Const:
        """The mask of some of them: of 64 bits with a sign, or of more without one."""
        mask = sum(1 << place for place in places)
        return ir.Const(mask - (1 << WORD) if self.signed and mask >> WORD - 1 == 1 else mask)


def others(mask: Value, members: Members) -> Value:
    """What is not in a mask."""
    match mask:
        case ir.Const(value):
            return ir.Const(value ^ members.every.value)
        case ir.Binary("^", inner, every) if every == members.every:
            return inner
        case _:
            return ir.Binary("^", mask, members.every)


def meet(one: Value, other: Value) -> Value:
    """What is in both masks."""
    if isinstance(one, ir.Const) and isinstance(other, ir.Const):
        return ir.Const(one.value & other.value)
    return NOTHING if NOTHING in (one, other) else ir.Binary("&", one, other)


def join(one: Value, other: Value) -> Value:
    """What is in either mask."""
    if isinstance(one, ir.Const) and isinstance(other, ir.Const):
        return ir.Const(one.value | other.value)
    if NOTHING in (one, other):
        return other if one == NOTHING else one
    return ir.Binary("|", one, other)


def select(condition: Value, yes: Value, no: Value) -> Value:
    """One of two masks."""
    if isinstance(condition, ir.Const):
        return yes if condition.value else no
    return yes if yes == no else ir.Select(condition, yes, no)


def number_of(mask: Value) -> int | None:
    """How many bits a mask has."""
    match mask:
        case ir.EqualMask(_, number, _):
            return number
        case ir.Binary("&", left, right):
            return number_of(left) or number_of(right)
        case _:
            return None

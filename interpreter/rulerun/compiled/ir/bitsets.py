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
    if NOTHING in (one, other):
        return NOTHING
    for mask, others in ((one, other), (other, one)):
        if isinstance(others, ir.Const) and not (most(mask) & ~_plain(others.value)):
            return mask
    return ir.Binary("&", one, other)


def most(mask: Value) -> int:
    """All bits that a mask may have; -1 if that is not known."""
    match mask:
        case ir.Const(value):
            return _plain(value)
        case ir.EqualMask(_, number):
            return (1 << number) - 1
        case ir.Binary("&", left, right):
            return most(left) & most(right)
        case ir.Binary("|" | "^", left, right) | ir.Select(_, left, right):
            return most(left) | most(right)
        case ir.Binary("<<", left, ir.Const(many)):
            return most(left) << many
        case _:
            return -1


def down(mask: Value, many: int, bits: int) -> Value:
    """A mask moved to lower places; `bits`: all that it may have.

    What its sign would bring in is left out.
    """
    if isinstance(mask, ir.Const):
        return ir.Const(_plain(mask.value) >> many)
    moved = ir.Binary(">>", mask, ir.Const(many))
    if bits.bit_length() == WORD:
        return ir.Binary("&", moved, ir.Const(bits >> many))
    return moved


def _plain(value: int) -> int:
    """The bits of a constant mask, of which one of 64 may be written with a sign."""
    return value & (1 << WORD) - 1 if value < 0 else value


def join(one: Value, other: Value) -> Value:
    """What is in either mask."""
    if isinstance(one, ir.Const) and isinstance(other, ir.Const):
        return ir.Const(one.value | other.value)
    if NOTHING in (one, other):
        return other if one == NOTHING else one
    return ir.Binary("|", one, other)


def select(condition: Value, yes: Value, no: Value) -> Value:
    """One of two masks."""
    match condition:
        case ir.Const(value):
            return yes if value else no
        case ir.Both(left, ir.Const(0)) if not _may_fail(left):
            return no
        case ir.Both(left, ir.Const(1)):
            condition = left
    return yes if yes == no else ir.Select(condition, yes, no)


def _may_fail(value: object) -> bool:
    return isinstance(value, ir.Checked | ir.Call) or any(map(_may_fail, ir.inside(value)))


def number_of(mask: Value) -> int | None:
    """How many bits a mask has."""
    match mask:
        case ir.EqualMask(_, number, _):
            return number
        case ir.Binary("&", left, right):
            return number_of(left) or number_of(right)
        case _:
            return None

"""Who of some members goes which way: masks that are known when they are asked.

Assumes: nothing but values and statements of `ir`.
Does: keeps masks under names, parts them by what is asked, and puts those together again for whom a
value is the same.
Leaves behind: statements, in the order in which they are asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from rulerun.compiled import ir
from rulerun.compiled.ir.statement import Statement
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen

_MOST = 2000
"""So many names are given at most, before what is needless is left out."""
NO, YES = ir.Const(0), ir.Const(1)


@lru_cache(1 << 12)
def _places(mask: int) -> tuple[int, ...]:
    return tuple(at for at in range(mask.bit_length()) if mask >> at & 1)


class Unknown(Exception):
    """It cannot be followed for all at once."""


@frozen
class Mask:
    """Some members: a mask that is known when it is asked, and those that may be among them."""

    value: Value
    may: int

    @property
    def places(self) -> tuple[int, ...]:
        """The members that may be among them."""
        return _places(self.may)


@frozen
class Column:
    """A value that is known here, for each member; None for those who are not asked."""

    entries: tuple[int | None, ...]


@frozen
class Gone:
    """A value that nobody may ask for any more."""


Held = Column | Gone | Value
"""A value of all members: the same, or known for each."""
Ways = list[tuple[Mask, Held]]
"""Which members have which value."""


def plain(held: Held, mask: Mask) -> Held:
    """A value of some members; one number where it is the same for all of them."""
    if not isinstance(held, Column):
        return held
    first = held.entries[mask.places[0]]
    if first is None or any(held.entries[at] != first for at in mask.places):
        return held
    return ir.Const(first)


def entries_of(held: Held, mask: Mask) -> list[int]:
    """What is known of a value for each member of a mask."""
    if isinstance(held, ir.Const):
        return [held.value] * len(mask.places)
    if not isinstance(held, Column):
        raise Unknown
    found = [held.entries[at] for at in mask.places]
    if None in found:
        raise Unknown
    return found  # type: ignore[return-value]


class Parted:
    """Masks of one function that is written."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self.block: list[Statement] = []
        self.gave: dict[Value, ir.Var] = {}
        """What the function is given, under which names."""
        self.many = 0

    def given(self, value: Value) -> ir.Var:
        """A value that the function is given."""
        if value not in self.gave:
            self.gave[value] = ir.Var(f"given{len(self.gave)}")
        return self.gave[value]

    @contextmanager
    def apart(self) -> Iterator[list[Statement]]:
        """Write another block meanwhile."""
        outer, self.block = self.block, []
        try:
            yield self.block
        finally:
            self.block = outer

    def kept(self, value: Value) -> Value:
        """A mask under a name of its own."""
        name = self.fresh()
        self.emit(ir.Assign(name, value))
        return ir.Var(name)

    def fresh(self) -> str:
        """A name that nothing else in the function has."""
        self.many += 1
        return f"way{self.many}"

    def emit(self, statement: Statement) -> None:
        """Write a statement."""
        self.block.append(statement)
        if self.many > _MOST:
            raise Unknown

    def parted(self, mask: Mask, held: Value) -> Ways:
        """Who of some is held by a mask: 1 and 0."""
        yes = self.kept(ir.Binary("&", mask.value, held))
        no = self.kept(ir.Binary("^", mask.value, yes))
        return [(Mask(yes, mask.may), YES), (Mask(no, mask.may), NO)]

    def sorted_out(self, mask: Mask, known: int) -> Ways:
        """Who of some is among members that are known here: 1 and 0."""
        yes, no = mask.may & known, mask.may & ~known
        if not no:
            return [(mask, YES)]
        if not yes:
            return [(mask, NO)]
        value = self.kept(ir.Binary("&", mask.value, ir.Const(yes)))
        rest = self.kept(ir.Binary("&", mask.value, ir.Const(no)))
        return [(Mask(value, yes), YES), (Mask(rest, no), NO)]

    def joined(self, mask: Mask, ways: Ways) -> Ways:
        """Ways with those together on which the value is the same."""
        groups: dict[Held, list[Mask]] = {}
        for each, held in ways:
            groups.setdefault(held, []).append(each)
        if len(groups) == 1:
            return [(mask, next(iter(groups)))]
        if len(groups) == len(ways):
            return ways
        if set(groups) == {NO, YES}:
            yes = self._either(groups[YES])
            no = self.kept(ir.Binary("^", mask.value, yes.value))
            return [(yes, YES), (Mask(no, mask.may), NO)]
        return [(self._either(each), held) for held, each in groups.items()]

    def _either(self, masks: list[Mask]) -> Mask:
        if len(masks) == 1:
            return masks[0]
        value, may = masks[0].value, masks[0].may
        for each in masks[1:]:
            value, may = ir.Binary("|", value, each.value), may | each.may
        return Mask(self.kept(value), may)

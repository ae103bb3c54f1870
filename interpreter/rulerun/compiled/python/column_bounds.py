"""Between what the numbers of a row lie.

Assumes: a lister of `ir`.
Does: follows what it pushes to the loops that give the names their values.
Leaves behind: for each column the least and the most that may stand in it, if that is known.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.passes import every_part, names_of
from rulerun.compiled.ir.value import Value

Bounds = tuple[int, int]


def column_bounds(lister: ir.Lister) -> list[Bounds | None]:
    """The bounds of each column of the rows that a lister makes."""
    given = _Given(every_part(lister.body))
    rows = [each for each in given.pushed if each.rows == FOUND]
    return [
        _both(map(given.of, column))
        for column in zip(*(each.numbers for each in rows), strict=True)
    ]


def _both(bounds: Iterable[Bounds | None]) -> Bounds | None:
    found = list(bounds)
    known = [each for each in found if each is not None]
    if not found or len(known) < len(found):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


class _Given:
    """What gives the names of a lister their values."""

    def __init__(self, parts: Iterable[object]) -> None:
        self.pushed: list[ir.Push] = []
        self._sources: dict[str, list[object]] = {}
        for node in parts:
            if isinstance(node, ir.Push):
                self.pushed.append(node)
            for name in names_of(node):
                self._sources.setdefault(name, []).append(node)

    def of(self, value: Value) -> Bounds | None:
        """The bounds of a value."""
        match value:
            case ir.Const(number):
                return number, number
            case ir.Var(name):
                # What depends on itself is not known.
                sources = self._sources.pop(name, [])
                found = _both(map(self._source, sources))
                self._sources[name] = sources
                return found
            case _:
                return None

    def _source(self, node: object) -> Bounds | None:
        match node:
            case ir.Assign(_, value):
                return self.of(value)
            case ir.For(_, low, high):
                first, last = self.of(low), self.of(high)
                return None if first is None or last is None else (first[0], last[1] - 1)
            case ir.EachEqual(_, _, number):
                return 0, number - 1
            case ir.EachBit(_, mask):
                most = self._mask(mask)
                return None if most is None else (0, most.bit_length() - 1)
            case _:
                return None

    def _mask(self, value: Value) -> int | None:
        """All bits that a mask may have."""
        match value:
            case ir.Const(number) if number >= 0:
                return number
            case ir.EqualMask(_, number):
                return (1 << number) - 1
            case ir.Binary("&", left, right):
                one, other = self._mask(left), self._mask(right)
                return other if one is None else one if other is None else one & other
            case ir.Binary("|" | "^", left, right):
                one, other = self._mask(left), self._mask(right)
                return None if one is None or other is None else one | other
            case ir.Binary(">>", left, ir.Const(many)):
                one = self._mask(left)
                return None if one is None else one >> many
            case ir.Select(_, yes, no):
                one, other = self._mask(yes), self._mask(no)
                return None if one is None or other is None else one | other
            case ir.Var(name):
                sources = self._sources.pop(name, [])
                masks = [
                    self._mask(each.value) if isinstance(each, ir.Assign) else None
                    for each in sources
                ]
                self._sources[name] = sources
                found = 0
                for each in masks:
                    if each is None:
                        return None
                    found |= each
                return found if masks else None
            case _:
                return None

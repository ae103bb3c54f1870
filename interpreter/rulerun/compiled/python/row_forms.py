"""What may be chosen where a play rests, or what may fall.

Assumes: the rows of a question (`ir`): ascending by their first number, which is what is chosen.
Does: gives the ids, the row of one of them, and the row at a place.
Leaves behind: values that never change, so that plays share them. `Listed` has rows; of `Known` it
is noted for what they stand, since they come again; those of masks make none until one is taken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Row = tuple[int, ...]

_BITS = 11
"""So many bits of a mask are looked up at once."""
_LOW = (1 << _BITS) - 1
_MOST_KNOWN = 1 << 12
"""So many answers of one question are remembered."""


class Listed:
    """Choices with a row for each."""

    __slots__ = ("many", "rows")

    def __init__(self, rows: list[Row]) -> None:
        """Take the rows."""
        self.rows = rows
        self.many = len(rows)

    @property
    def ids(self) -> tuple[int, ...]:
        """What may be chosen, ascending."""
        return tuple([row[0] for row in self.rows])

    @property
    def weights(self) -> tuple[int, ...]:
        """For luck: how heavy each is."""
        return tuple([row[1] for row in self.rows])

    def row(self, choice: int) -> Row | None:
        """The row of a choice; None if it is none."""
        at = bisect_left(self.rows, (choice,))
        if at < self.many and self.rows[at][0] == choice:
            return self.rows[at]
        return None

    def nth(self, place: int) -> Row:
        """The row at a place."""
        return self.rows[place]


class Known:
    """Choices that are asked for again and again."""

    __slots__ = ("ids", "many", "nth", "row", "rows", "weights")

    def __init__(self, rows: list[Row]) -> None:
        """Take the rows, and note what is asked of them."""
        self.rows = rows
        self.many = len(rows)
        self.ids: tuple[int, ...] = tuple([row[0] for row in rows])
        self.weights: tuple[int, ...] = tuple([row[1] for row in rows])
        self.row: Callable[[int], Row | None] = dict(zip(self.ids, rows, strict=True)).get
        self.nth: Callable[[int], Row] = rows.__getitem__


class Masked:
    """Choices that are the bits of a mask; all rows have the same second number."""

    __slots__ = ("ids", "many", "mask", "second")

    def __init__(self, mask: int, second: int) -> None:
        """Take the mask. Whoever chooses looks at what there is, so that it is listed at once."""
        self.mask = mask
        self.second = second
        self.ids: tuple[int, ...] = bits_again(mask)
        self.many = len(self.ids)

    @property
    def rows(self) -> list[Row]:
        """A row for each."""
        second = self.second
        return [(each, second, each) for each in self.ids]

    @property
    def weights(self) -> tuple[int, ...]:
        """For luck: how heavy each is."""
        return (self.second,) * self.many

    def row(self, choice: int) -> Row | None:
        """The row of a choice; None if it is none."""
        if choice < 0 or not self.mask >> choice & 1:
            return None
        return choice, self.second, choice

    def nth(self, place: int) -> Row:
        """The row at a place."""
        choice = self.ids[place]
        return choice, self.second, choice


class Mixed:
    """Choices of which the first are the bits of a mask; then come others, with a row for each."""

    __slots__ = ("many", "mask", "others", "second")

    def __init__(self, mask: int, second: int, others: list[Row]) -> None:
        """Take both."""
        self.mask = mask
        self.second = second
        self.others = others
        self.many = mask.bit_count() + len(others)

    @property
    def rows(self) -> list[Row]:
        """A row for each."""
        second = self.second
        return [*((each, second, each) for each in bits(self.mask)), *self.others]

    @property
    def ids(self) -> tuple[int, ...]:
        """What may be chosen, ascending."""
        return (*bits(self.mask), *[row[0] for row in self.others])

    @property
    def weights(self) -> tuple[int, ...]:
        """For luck: how heavy each is."""
        return tuple([row[1] for row in self.rows])

    def row(self, choice: int) -> Row | None:
        """The row of a choice; None if it is none."""
        if choice >= 0 and self.mask >> choice & 1:
            return choice, self.second, choice
        for row in self.others:
            if row[0] == choice:
                return row
        return None

    def nth(self, place: int) -> Row:
        """The row at a place."""
        first = bits(self.mask)
        if place >= len(first):
            return self.others[place - len(first)]
        return first[place], self.second, first[place]


class Placed:
    """Choices that are the bits of a mask, each under the number that a table has for it."""

    __slots__ = ("many", "mask", "second", "table")

    def __init__(self, mask: int, second: int, table: tuple[int, ...]) -> None:
        """Take the mask, and a table that ascends along its bits."""
        self.mask = mask
        self.second = second
        self.table = table
        self.many = mask.bit_count()

    @property
    def rows(self) -> list[Row]:
        """A row for each."""
        second, table = self.second, self.table
        return [(table[each], second, each) for each in bits(self.mask)]

    @property
    def ids(self) -> tuple[int, ...]:
        """What may be chosen, ascending."""
        table = self.table
        return tuple([table[each] for each in bits(self.mask)])

    @property
    def weights(self) -> tuple[int, ...]:
        """For luck: how heavy each is."""
        return (self.second,) * self.many

    def row(self, choice: int) -> Row | None:
        """The row of a choice; None if it is none."""
        for each in bits(self.mask):
            if self.table[each] == choice:
                return choice, self.second, each
        return None

    def nth(self, place: int) -> Row:
        """The row at a place."""
        each = bits(self.mask)[place]
        return self.table[each], self.second, each


class Paired:
    """Choices that are pairs of a bit and a way: `bit * factor + way`, by a mask for each way."""

    __slots__ = ("factor", "ids", "many", "second", "ways")

    def __init__(self, ways: dict[int, int], factor: int, second: int) -> None:
        """Take the masks that are not empty."""
        self.ways = ways
        self.factor = factor
        self.second = second
        found: list[int] = []
        for way, mask in ways.items():
            if mask:
                found += bits(mask, _numbers(factor, way))
        found.sort()
        self.ids: tuple[int, ...] = tuple(found)
        self.many = len(found)

    @property
    def rows(self) -> list[Row]:
        """A row for each."""
        return [self._row(each) for each in self.ids]

    @property
    def weights(self) -> tuple[int, ...]:
        """For luck: how heavy each is."""
        return (self.second,) * self.many

    def row(self, choice: int) -> Row | None:
        """The row of a choice; None if it is none."""
        bit, way = divmod(choice, self.factor)
        if bit < 0 or not self.ways.get(way, 0) >> bit & 1:
            return None
        return choice, self.second, bit, way

    def nth(self, place: int) -> Row:
        """The row at a place."""
        return self._row(self.ids[place])

    def _row(self, choice: int) -> Row:
        bit, way = divmod(choice, self.factor)
        return choice, self.second, bit, way


Choices = Listed | Known | Masked | Mixed | Placed | Paired

NOTHING = Listed([])


def noted(memo: dict[Any, Any], key: Any, value: Any) -> Any:
    """A value that is remembered by what it depends on."""
    if len(memo) == _MOST_KNOWN:
        memo.clear()
    memo[key] = value
    return value


def known(memo: dict[Any, Known], key: Any, rows: list[Row]) -> Known:
    """Choices that are remembered by what they depend on, if there are any."""
    found = Known(rows)
    if rows:
        noted(memo, key, found)
    return found


class _Some(dict[int, tuple[int, ...]]):
    """By some bits of a mask, from one on: the numbers of those that are set."""

    def __init__(self, first: int, factor: int, more: int) -> None:
        self.first, self.factor, self.more = first, factor, more

    def __missing__(self, mask: int) -> tuple[int, ...]:
        places = [self.first + at for at in range(mask.bit_length()) if mask >> at & 1]
        found = self[mask] = tuple([place * self.factor + self.more for place in places])
        return found


class _Numbers(dict[int, _Some]):
    """What is looked up for the first bits of a mask, for the next ones, and so on.

    The number of a bit is its place times `factor`, and `more`.
    """

    def __init__(self, factor: int = 1, more: int = 0) -> None:
        self.factor, self.more = factor, more

    def __missing__(self, at: int) -> _Some:
        found = self[at] = _Some(at * _BITS, self.factor, self.more)
        return found


_PLACES = _Numbers()
_numbers = lru_cache(maxsize=1 << 10)(_Numbers)


def bits(mask: int, numbers: _Numbers = _PLACES) -> tuple[int, ...]:
    """The places of the bits of a mask, ascending; or what else is their number."""
    found = numbers[0][mask & _LOW]
    at = 1
    while mask := mask >> _BITS:
        found += numbers[at][mask & _LOW]
        at += 1
    return found


_again: tuple[int, tuple[int, ...]] = (0, ())
"""The mask that was asked about last, and its bits."""


def bits_again(mask: int) -> tuple[int, ...]:
    """The places of the bits of a mask, where one with a bit more may have been asked about last.

    So it is where each choice takes its bit away, as a site of a large board.
    """
    global _again
    if mask <= _LOW:
        return _PLACES[0][mask]
    before, found = _again
    changed = before ^ mask
    if changed & changed - 1 or not changed & before:
        if changed:
            found = bits(mask)
    else:
        at = bisect_left(found, changed.bit_length() - 1)
        found = found[:at] + found[at + 1 :]
    _again = mask, found
    return found

"""Families of slots of which it is kept up to date which hold what: a mask for each value.

Assumes: a checked `Game`, and its program after `masks`.
Does: says of which families masks are worth keeping, and where they stand behind the slots; makes
the masks of slots that come from elsewhere; writes the functions that put a value into a slot.
Leaves behind: regions for the module that is written. A family that is never asked which of its
slots hold a value, or that may hold very many values, has no masks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FRAME
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value
from rulerun.runtime.index import GameIndex
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

_LEAST = 3
"""Of fewer slots it is quicker to look at each."""
_MOST = 512
_VALUES = 72


@frozen
class Region:
    """Slots side by side, and where the masks of their values stand."""

    base: int
    number: int
    low: int
    values: int
    """So many from `low` up, none among them."""
    at: int = 0
    """Where the mask of the lowest value stands."""

    @property
    def end(self) -> int:
        """The first slot behind it."""
        return self.base + self.number

    def mask(self, value: int) -> int | None:
        """Where the mask of a value stands; None if no slot of it may hold the value."""
        return self.at + value - self.low if 0 <= value - self.low < self.values else None


def families(game: Game) -> Iterator[Region]:
    """What masks may be kept of: variables with an index, and where components lie."""
    tables = GameIndex(game)
    for table in tables.variables.values():
        many = len(list(table.instances()))
        low, high = tables.bounds(table.variable.type)
        if table.width == 1 and _LEAST <= many <= _MOST and high - low < _VALUES:
            yield Region(table.base, many, low, high - low + 1)
    for kind in tables.kinds.values():
        total = kind.kind.total
        if not kind.kind.counted and _LEAST <= total <= _MOST and len(tables.instances) < _VALUES:
            yield Region(kind.base, total, -1, len(tables.instances) + 1)


def kept(program: Program, families: Iterable[Region], first: int) -> tuple[Region, ...]:
    """The families that are asked, with places for their masks from `first` on."""
    asked = {
        (node.base, node.number)
        for node in every_part(_bodies(program))
        if isinstance(node, ir.EqualMask)
    }
    found: list[Region] = []
    for each in families:
        if (each.base, each.number) in asked:
            found.append(Region(each.base, each.number, each.low, each.values, first))
            first += each.values
    return tuple(found)


def _bodies(program: Program) -> Iterator[object]:
    for body in (
        *(each.body for each in program.functions),
        *(each.body for each in program.listers),
        *(each.body for each in program.blocks),
    ):
        yield from body
    for question in program.questions:
        yield from question.settle


def masks_of(slots: Sequence[int], regions: Iterable[Region]) -> list[int]:
    """The masks of slots as they are. Raises `ValueError` where a slot holds what none may."""
    found: list[int] = []
    for region in regions:
        masks = [0] * region.values
        bit = 1
        for held in slots[region.base : region.end]:
            value = held - region.low
            if not 0 <= value < region.values:
                raise ValueError(f"a slot from {region.base} on holds {held}")
            masks[value] |= bit
            bit <<= 1
        found += masks
    return found


def touched(
    regions: Iterable[Region], address: Value, number: int, counted: Collection[str]
) -> list[Region]:
    """The regions in which slots from an address on may lie; `counted`: see `counting`."""
    match address:
        case ir.Const(first):
            return [each for each in regions if first < each.end and each.base < first + number]
        case ir.Binary("+", index, ir.Const(first)) if _counts(index, counted):
            return [each for each in regions if first < each.end]
        case _:
            return [] if _starts_with(address, FRAME) else list(regions)


def counting(body: Body) -> set[str]:
    """The names of a block that hold numbers from 0 up in any case."""
    given: dict[str, list[Value | None]] = {}
    for node in every_part(body):
        match node:
            case ir.Assign(name, value) | ir.For(name, value):
                given.setdefault(name, []).append(value)
            case ir.EachBit(name) | ir.EachEqual(name):
                given.setdefault(name, [])
            case ir.Each(name) | ir.Checked(name=name) | ir.Decoded(name=name):
                given.setdefault(name, []).append(None)
            case ir.Maybe(name=name) | ir.OrElse(name=name):
                given.setdefault(name, []).append(None)
            case ir.EachRow(names):
                for name in names:
                    given.setdefault(name, []).append(None)
    found = set(given)
    while less := {
        name
        for name in found
        if not all(each is not None and _counts(each, found) for each in given[name])
    }:
        found -= less
    return found


def _counts(value: Value, counted: Collection[str]) -> bool:
    """Whether a value is a number from 0 up in any case."""
    match value:
        case ir.Const(number):
            return number >= 0
        case ir.Var(name):
            return name in counted
        case ir.Binary("+" | "*", left, right):
            return _counts(left, counted) and _counts(right, counted)
        case ir.LowestBit() | ir.NthBit() | ir.BitCount() | ir.CountEqual():
            return True
        case _:
            return False


def _starts_with(address: Value, frame: str) -> bool:
    """Whether an address is reckoned from the start of a frame, so in no region."""
    match address:
        case ir.Var(name):
            return name == frame
        case ir.Binary("+", left, right):
            return _starts_with(left, frame) or _starts_with(right, frame)
        case _:
            return False


def put_name(address: Value, regions: Sequence[Region]) -> str:
    """The function that puts a value where it may lie in a region."""
    for region in regions:
        match address:
            case ir.Const():
                return f"put__{region.base}"
            case ir.Binary("+", _, ir.Const(base)) if base == region.base:
                return f"put__{region.base}"
    return "put"


def put_lines(regions: Sequence[Region], base: int) -> Iterator[str]:
    """The functions that put a value into a slot, and keep the masks.

    They write no control stack, of which the first begins at `base`.
    """
    for region in regions:
        start = region.at - region.low
        yield from (
            "",
            "",
            f"def put__{region.base}(s, at, value):",
            f"    if not {region.base} <= at < {region.end}:",
            "        put(s, at, value)",
            f"    elif {region.low} <= value < {region.low + region.values}:",
            f"        bit = 1 << at - {region.base}",
            f"        s[s[at] + {start}] ^= bit",
            "        s[at] = value",
            f"        s[value + {start}] ^= bit",
            "    else:",
            "        fail()",
        )
    if regions:
        yield from ("", "", "def put(s, at, value):")
        for region in regions:
            yield f"    if {region.base} <= at < {region.end}:"
            yield f"        return put__{region.base}(s, at, value)"
        yield f"    if not 0 <= at < {base}: fail()"
        yield "    s[at] = value"

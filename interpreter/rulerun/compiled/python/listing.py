"""What is answered from memory, and which choices are a mask.

Assumes: a `Program` of `ir`.
Does: finds what a function or a lister reads. If that is little, the same is asked again and again,
and the answer is kept by it. A lister that makes a row for each bit of a mask needs to make none.
Leaves behind: a `Keyed`, a `Bits`, a `Pairs`, or None, for `source`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND, FRAME
from rulerun.compiled.ir.passes import every_part, run_of, variables
from rulerun.compiled.ir.site_ways import ways_of
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen

_LEAST_WORK = 16
"""To work out so many values takes longer than to look one up."""
_MOST_PARTS = 6
"""A key has at most so many parts."""
_MOST_BITS = 16
"""Masks in a key have so many bits together: of more, equal ones do not come again."""
_MOST_SLOTS = 6
"""So many slots side by side are one part of a key."""
_UNKNOWN = (
    ir.StoreSlot | ir.Add | ir.Fill | ir.Copy | ir.Eval | ir.CallLister | ir.Suppose | ir.Count
    | ir.Spend | ir.OnTop
)  # fmt: skip


@frozen
class Keyed:
    """An answer that depends on these values alone."""

    values: tuple[Value | range, ...]
    """A range is the slots from an address up to another."""


@frozen
class Bits:
    """A row `(bit, second, bit)` for each bit of a mask, or the entry of a table of that bit first.

    Behind it stand those that are pushed `after` that.
    """

    before: Body
    name: str
    mask: Value
    second: int
    table: str | None
    after: Body


@frozen
class Pairs:
    """A row `(bit * factor + way, second, bit, way)` for each bit of a mask for each way."""

    before: Body
    ways: tuple[tuple[int, Value], ...]
    factor: int
    second: int


Manner = Keyed | Bits | Pairs


def manner(lister: ir.Lister, functions: Mapping[str, ir.Function]) -> Manner | None:
    """How the choices of a lister are made; None for row by row."""
    return keyed(lister.body, functions) or _bits(lister) or _pairs(lister)


def _pairs(lister: ir.Lister) -> Pairs | None:
    """What a lister is that makes a row for each pair of a bit and a way."""
    *before, last = lister.body
    ways = ways_of(last) if isinstance(last, ir.EachBit) else None
    used = (getattr(node, "rows", None) for node in every_part(before))
    if not isinstance(last, ir.EachBit) or ways is None or FOUND in used:
        return None
    bit, found = ir.Var(last.name), []
    shapes: set[tuple[int, int]] = set()
    for mask, row in ways:
        match row:
            case (
                ir.Push(
                    "found",
                    (
                        ir.Binary("+", ir.Binary("*", one, ir.Const(factor)), ir.Const(same)),
                        ir.Const(second),
                        other,
                        ir.Const(way),
                    ),
                ),
            ) if one == other == bit and same == way < factor:
                shapes.add((factor, second))
                found.append((way, mask))
            case _:
                return None
    if len(shapes) != 1:
        return None
    return Pairs(tuple(before), tuple(found), *shapes.pop())


def keyed(body: Body, functions: Mapping[str, ir.Function]) -> Keyed | None:
    """What an answer depends on, if that is little."""
    reads = _Reads(functions)
    if not reads.of(body, {}) or reads.bits > _MOST_BITS:
        return None
    parts = tuple(_without_covered(reads.found))
    return Keyed(parts) if len(parts) <= _MOST_PARTS else None


def _without_covered(found: Iterable[Value | range]) -> Iterator[Value | range]:
    """What is read, without what runs of slots that are read say already; as few runs as can be."""
    slots = {
        each.address.value
        for each in found
        if isinstance(each, ir.Slot) and isinstance(each.address, ir.Const)
    }
    slots |= {at for each in found if isinstance(each, range) for at in each}
    start = None
    for at in sorted(slots):
        start = at if start is None else start
        if at + 1 not in slots:
            yield ir.Slot(ir.Const(at)) if at == start else range(start, at + 1)
            start = None
    for each in found:
        match each:
            case range() | ir.Slot(ir.Const()):
                pass
            case (
                ir.EqualMask(base, number, value)
                | ir.CountEqual(base, number, value)
                | (ir.FindEqual(base, number, value))
            ) if isinstance(value, ir.Const) and slots.issuperset(range(base, base + number)):
                pass
            case ir.SumSlots(ir.Const(base), number) if slots.issuperset(
                range(base, base + number)
            ):
                pass
            case _:
                yield each


def remembered(function: ir.Function, functions: Mapping[str, ir.Function]) -> Keyed | None:
    """What a function depends on, if it is quicker to look its value up."""
    if function.parameters or function.remembered:
        return None
    found = keyed(function.body, functions)
    if found is None or _work(function.body, functions) < _LEAST_WORK + len(found.values):
        return None
    return found


def _work(nodes: Iterable[object], functions: Mapping[str, ir.Function], deep: int = 3) -> int:
    """About how many values are worked out."""
    work = 0
    for node in nodes:
        inner = _work(ir.inside(node), functions, deep)
        match node:
            case ir.For(_, ir.Const(low), ir.Const(high), _):
                work += inner * max(1, high - low)
            case ir.Call(name) if deep and name in functions:
                work += inner + _work(functions[name].body, functions, deep - 1)
            case ir.SumSlots() | ir.CountEqual() | ir.FindEqual() | ir.EachEqual() | ir.EachBit():
                work += inner + 4
            case _:
                work += inner + (not isinstance(node, ir.Const))
    return work


def _bits(lister: ir.Lister) -> Bits | None:
    """What a lister is that makes a row for each bit, and then perhaps others."""
    at = next((at for at, each in enumerate(lister.body) if isinstance(each, ir.EachBit)), None)
    if at is None:
        return None
    before, loop, after = lister.body[:at], lister.body[at], lister.body[at + 1 :]
    used = [node for node in every_part((*before, *after)) if FOUND in _rows(node)]
    if any(node in every_part(before) or not isinstance(node, ir.Push) for node in used):
        return None
    assert isinstance(loop, ir.EachBit)
    row = _row(loop)
    if row is None or (after and row[1] is not None):
        return None
    return Bits(before, loop.name, loop.value, *row, after)


def _rows(node: object) -> set[object]:
    """The rows that a statement or a value is about."""
    return {getattr(node, word, None) for word in ("rows", "source", "to")}


def _row(loop: ir.EachBit) -> tuple[int, str | None] | None:
    """The second number of the row that a loop makes of each bit, and the table of the first."""
    match loop.body:
        case (*copied, ir.Push("found", (first, ir.Const(second), last))):
            same: set[Value] = {ir.Var(loop.name)}
        case _:
            return None
    places: dict[Value, str] = {}
    for each in copied:
        match each:
            case ir.Assign(copy, value) if value in same:
                same.add(ir.Var(copy))
            case ir.Assign(place, ir.TableLoad(table, index)) if index in same:
                places[ir.Var(place)] = table
            case _:
                return None
    if last not in same:
        return None
    return (second, None) if first in same else (second, places[first]) if first in places else None


class _Reads:
    """What statements read."""

    def __init__(self, functions: Mapping[str, ir.Function]) -> None:
        self.functions = functions
        self.found: list[Value | range] = []
        self.bits = 0
        """So many bits have the masks among that."""
        self.called: set[str] = set()

    def of(self, nodes: Iterable[object], loops: Mapping[str, range]) -> bool:
        """Note what some nodes read; whether that is known. `loops`: what their names go along."""
        return all(self._one(node, loops) for node in nodes)

    def _one(self, node: object, loops: Mapping[str, range]) -> bool:
        match node:
            case ir.For(name, ir.Const(low), ir.Const(high), body):
                return self.of(body, {**loops, name: range(low, high)})
            case ir.EachEqual(_, base, number, value, body):
                run = range(base, base + number)
                return self._run(run) and self.of((value, *body), loops)
            case ir.Slot(address):
                return self._slot(node, address, loops)
            case (
                ir.EqualMask(base, number, value)
                | ir.CountEqual(base, number, value)
                | (ir.FindEqual(base, number, value))
            ):
                bits = number if isinstance(node, ir.EqualMask) else 1
                return self._value(node, bits) or (
                    self._run(range(base, base + number)) and self._one(value, loops)
                )
            case ir.SumSlots():
                return self._value(node, 1)
            case ir.Call(name, arguments):
                return self._called(name) and self.of(arguments, loops)
            case _ if isinstance(node, _UNKNOWN):
                return False
            case _:
                return self.of(ir.inside(node), loops)

    def _slot(self, slot: ir.Slot, address: Value, loops: Mapping[str, range]) -> bool:
        for name in variables(address) & loops.keys():
            start, along = run_of(address, name), loops[name]
            return start is not None and self._run(range(start + along.start, start + along.stop))
        match address:
            case ir.Const() | ir.Binary("+", ir.Var(), ir.Const()):
                return self._value(slot, 0)
            case ir.Binary(
                "+", ir.Slot(ir.Const() | ir.Binary("+", ir.Var(), ir.Const())), ir.Const()
            ):
                # Where to look is said by a slot, and is in or beside its family.
                return self._value(slot, 0)
            case _:
                return False

    def _run(self, slots: range) -> bool:
        """Note some slots side by side, if they are few."""
        self._note(slots)
        return len(slots) <= _MOST_SLOTS

    def _value(self, value: Value, bits: int) -> bool:
        if not variables(value) <= {FRAME}:
            return False
        if self._note(value):
            self.bits += bits if bits > 1 else 0
        return True

    def _note(self, value: Value | range) -> bool:
        if value in self.found:
            return False
        self.found.append(value)
        return True

    def _called(self, name: str) -> bool:
        """Note what a function reads: nothing of its own parameters is known."""
        if name in self.called:
            return True
        self.called.add(name)
        function = self.functions.get(name)
        if function is None or function.remembered:
            return False
        return self.of(function.body, {})

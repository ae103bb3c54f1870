"""Statements that write slots, as Python.

Assumes: values are written by `ValueText`; what is known of the names of the function.
Does: writes each as a line. Where it may write into a region, the masks are kept.
Leaves behind: lines for `source`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value
from rulerun.compiled.python.behind import Behind
from rulerun.compiled.python.regions import Region, counting, put_name, touched
from rulerun.compiled.python.value_text import ValueText


class Storing:
    """Writes what writes slots."""

    def __init__(self, values: ValueText, regions: tuple[Region, ...], behind: Behind) -> None:
        """Know of no names yet."""
        self.values = values
        self.regions = regions
        self.behind = behind
        self.counted: set[str] = set()
        """The names, where something is written, that are never below 0."""
        self._named = 0

    def know(self, body: Body) -> None:
        """Learn the names of a block; only where masks are kept it matters which they are."""
        if self.regions:
            self.counted |= counting(body)

    def lines(self, statement: Statement) -> Iterator[str]:
        """A statement that writes slots."""
        value = self.values.text
        match statement:
            case ir.StoreSlot(address, given) if (
                self.values.held.on and (region := self._surely_in(address)) is not None
            ):
                yield from self._put(region, address, given)
            case ir.StoreSlot(address, given) | ir.Add(address, given) if near := touched(
                self.regions, address, 1, self.counted
            ):
                number = self.values.number(given)
                if isinstance(statement, ir.Add):
                    number = value(ir.Binary("+", ir.Slot(address), given))
                yield f"{put_name(address, near)}(s, {value(address)}, {number})"
            case ir.StoreSlot(address, given):
                yield f"s[{value(address)}] = {self.values.number(given)}"
            case ir.Add(address, ir.Const(number)) if number < 0:
                yield f"s[{value(address)}] -= {-number}"
            case ir.Add(address, given):
                yield f"s[{value(address)}] += {value(given)}"
            case ir.Fill(address, number, given):
                yield f"s[{self.values.slice(address, number)}] = [{given}] * {number}"
                yield from self._rebuilt(address, number)
            case ir.Copy(to, origin, number):
                where = self.values.slice(to, number)
                yield f"s[{where}] = s[{self.values.slice(origin, number)}]"
                yield from self._rebuilt(to, number)
            case _:
                raise AssertionError(f"{type(statement).__name__} writes nothing")

    def _surely_in(self, address: Value) -> Region | None:
        """The region in which an address is known to lie, or must."""
        for region in self.regions:
            last = region.end - 1
            match address:
                case ir.Const(at) if region.base <= at <= last:
                    return region
                case ir.Binary("+", index, ir.Const(more)) if self.values.within(
                    index, region.base - more, last - more
                ):
                    return region
                case ir.Binary("+", ir.Checked(), ir.Const(region.base)):
                    return region
        return None

    def _put(self, region: Region, address: Value, given: Value) -> Iterator[str]:
        """A value is put where it lies in a region for sure."""
        low, high, start = region.low, region.low + region.values - 1, region.at - region.low
        match address:
            case ir.Binary("+", ir.Checked(index), base):
                index = yield from self._bound(index, 0, region.number - 1)
                address = ir.Binary("+", index, base)
        given = yield from self._bound(given, low, high)
        text = self.values.number(given)
        where = self.values.text(address)
        match address:
            case ir.Binary("+", index, ir.Const(region.base)):
                place = f"1 << {self.values.text(index, 9)}"
            case _:
                place = f"1 << {where} - {region.base}"
        yield f"bit = {place}"
        yield f"s[s[{where}] + {start}] ^= bit"
        yield f"s[{where}] = {text}"
        yield f"{self.values.slot_of_mask(region, given)} ^= bit"

    def _bound(self, given: Value, low: int, high: int) -> Generator[str, None, Value]:
        """A value that lies between two numbers, or gives the run up: a name or a number."""
        given = self.values.held.same(given)
        text = self.values.number(given)
        if self.values.within(given, low, high):
            return given
        if not isinstance(given, ir.Var) or text != given.name:
            self._named += 1
            name = beside("now", str(self._named))
            yield f"{name} = {text}"
            self.values.held.know(given, ir.Var(name))
            given, text = ir.Var(name), name
            self.values.bounds[name] = low, high
        yield f"if not {low} <= {text} <= {high}: fail()"
        return given

    def brought_back(self, supposed: ir.Suppose, program: ir.Program) -> str:
        """What holds again what it held before something was supposed."""
        rest, size = program.rest, program.size
        runs = [(0, rest)] if supposed.runs is None else list(supposed.runs)
        slots = (f"s[{base}:{base + number}]" for base, number in (*runs, (rest, size - rest)))
        kept = f"{', '.join(slots)}, s[{self.behind.found}]"
        if self.regions:
            kept += f", s[{self.behind.masks}:]"
        if supposed.counters:
            kept += f", s[{self.behind.counters}][:{supposed.counters}]"
        return kept

    def _rebuilt(self, address: Value, number: int) -> Iterator[str]:
        """After many slots were written: the masks anew."""
        if touched(self.regions, address, number, self.counted):
            yield f"s[{self.behind.masks}:] = masks(s)"

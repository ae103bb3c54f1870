"""Statements that write slots, as Python.

Assumes: values are written by `ValueText`; what is known of the names of the function.
Does: writes each as a line. Where it may write into a region, the masks are kept.
Leaves behind: lines for `source`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun.compiled import ir
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

    def know(self, body: Body) -> None:
        """Learn the names of a block; only where masks are kept it matters which they are."""
        if self.regions:
            self.counted |= counting(body)

    def lines(self, statement: Statement) -> Iterator[str]:
        """A statement that writes slots."""
        value = self.values.text
        match statement:
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

    def _rebuilt(self, address: Value, number: int) -> Iterator[str]:
        """After many slots were written: the masks anew."""
        if touched(self.regions, address, number, self.counted):
            yield f"s[{self.behind.masks}:] = masks(s)"

"""Values of a program as Python.

Assumes: values of `ir`.
Does: writes each as an expression over the list of slots `s`, with no more brackets than it needs.
Leaves behind: text for `source`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import RUN, beside
from rulerun.compiled.ir.value import Value
from rulerun.compiled.python.forwarding import Held
from rulerun.compiled.python.queries import STRENGTH, is_number, is_truth
from rulerun.compiled.python.regions import Region

_ATOM = 20
"""Binds more strongly than any operator, and has methods."""
_DIGITS = 19
"""A number written out: a method needs brackets around it."""
_FEW = 8
"""Among so few slots it is as quick to look at each."""


class ValueText:
    """Writes the values of one program."""

    def __init__(self, arguments: str, held: Held, regions: Sequence[Region] = ()) -> None:
        """`arguments` is what every function of the program is given."""
        self.arguments = arguments
        self.held = held
        self.keys: dict[str, Value] = {}
        """By function whose values are kept by one value: that value."""
        self.bounds: dict[str, tuple[int, int]] = {}
        """Names, in the function that is being written, of which it is known between what."""
        self.regions = {(each.base, each.number): each for each in regions}
        self.choices: set[str] = set()
        """Names of what may be chosen, which is no list."""
        self.widths: dict[str, int] = {}
        """Columns of each list of rows."""
        self.loose: set[str] = set()
        """Names, in the function that is being written, that may hold a truth."""

    def number(self, value: Value) -> str:
        """A value that is stored: true is 1."""
        if is_number(value, self.loose):
            return self.text(value)
        if is_truth(value):
            return f"1 if {self.text(value)} else 0"
        return f"+{self.text(value, 11)}"

    def slice(self, address: Value, number: int) -> str:
        """Several slots from an address on, as what stands in `s[…]`."""
        if isinstance(address, ir.Const):
            return f"{address.value}:{address.value + number}"
        text = self.text(address, 9)
        return f"{text}:{text} + {number}"

    def text(self, value: Value, strength: int = 0) -> str:
        """A value as Python; in brackets where it binds less than `strength`."""
        text, own = self._plain(value)
        return f"({text})" if own < strength else text

    def _plain(self, value: Value) -> tuple[str, int]:
        value = self.held.same(value)
        match value:
            case ir.Const(number):
                if number == ir.NONE:
                    return "NONE", _ATOM
                return str(number), _DIGITS if number >= 0 else 11
            case ir.Var(name):
                return name, _ATOM
            case ir.Slot(address):
                return f"s[{self.text(address)}]", _ATOM
            case ir.Binary():
                return self._binary(value)
            case ir.Not(operand):
                return f"not {self.text(operand, 3)}", 3
            case ir.Both(left, right):
                return f"{self.text(left, 2)} and {self.text(right, 2)}", 2
            case ir.Either(left, right):
                return f"{self.text(left, 1)} or {self.text(right, 1)}", 1
            case ir.Select(condition, yes, no):
                return (
                    f"{self.text(yes, 1)} if {self.text(condition, 1)} else {self.text(no)}",
                    0,
                )
            case ir.TableLoad(table, index):
                return f"{table}[{self.text(index)}]", _ATOM
            case ir.Call(function, (at,)) if function == RUN:
                # A signal is one already.
                first = self.text(at)
                return f"{first} if {first} < 0 else {RUN}({self.arguments}, {first})", 0
            case ir.Call(function, ()) if function in self.keys:
                kept = beside(function, "known")
                known = f"known := {kept}.get({self.text(self.keys[function])})"
                return f"(known if ({known}) is not None else {function}({self.arguments}))", _ATOM
            case ir.Call(function, arguments):
                given = ", ".join((self.arguments, *map(self.text, arguments)))
                return f"{function}({given})", _ATOM
            case ir.Checked() | ir.Decoded() | ir.Maybe() | ir.OrElse():
                return self._named(value), _ATOM
            case ir.EqualMask(base, number, sought):
                return self._mask(self.regions[base, number], sought)
            case ir.CountEqual(base, number, sought) if (base, number) in self.regions:
                mask, strength = self._mask(self.regions[base, number], sought)
                return f"{mask if strength == _ATOM else f'({mask})'}.bit_count()", _ATOM
            case ir.CountEqual(base, number, sought):
                return f"s[{base}:{base + number}].count({self.text(sought)})", _ATOM
            case ir.FindEqual(base, number, sought) if (
                number > _FEW and (base, number) in self.regions
            ):
                return f"lowest({self._mask(self.regions[base, number], sought)[0]})", _ATOM
            case ir.FindEqual(base, number, sought):
                return f"find(s, {base}, {base + number}, {self.text(sought)})", _ATOM
            case ir.SumSlots(address, 1):
                return f"s[{self.text(address)}]", _ATOM
            case ir.SumSlots(address, number):
                return f"sum(s[{self.slice(address, number)}])", _ATOM
            case ir.OnTop(base, positions, number, zone, stack):
                word = "top" if stack else "front"
                where = f"{base}, {base + number}, {positions - base}"
                return f"{word}(s, {where}, {self.text(zone)})", _ATOM
            case ir.HighestBit(operand):
                return f"{self.text(operand, _ATOM)}.bit_length() - 1", 9
            case ir.LowestBit(operand):
                text = self.text(operand, _ATOM)
                return f"({text} & -{text}).bit_length() - 1", 9
            case ir.BitCount(operand):
                return f"{self.text(operand, _ATOM)}.bit_count()", _ATOM
            case ir.Length(rows) if rows in self.choices:
                return f"{rows}.many", _ATOM
            case ir.Length(rows):
                return f"len({rows})", _ATOM
            case ir.RowGet(rows, index, column) if rows in self.choices:
                return f"{rows}.nth({self.text(index)})[{column}]", _ATOM
            case ir.RowGet(rows, index, column):
                whole = f"{rows}[{self.text(index)}]"
                return (whole if self.widths.get(rows) == 1 else f"{whole}[{column}]"), _ATOM
            case _:
                raise AssertionError(f"no Python for {type(value).__name__}")

    def _mask(self, region: Region, value: Value) -> tuple[str, int]:
        """The mask of a region that is kept of a value."""
        value = self.held.same(value)
        if isinstance(value, ir.Const):
            at = region.mask(value.value)
            return ("0", _DIGITS) if at is None else (f"s[{at}]", _ATOM)
        text, start = self.text(value), region.at - region.low
        last = region.low + region.values - 1
        index = self.slot_of_mask(region, value)
        if self.within(value, region.low, last):
            return index, _ATOM
        if isinstance(value, ir.Var) or (self.held.on and isinstance(value, ir.Slot)):
            return f"{index} if {region.low} <= {text} <= {last} else 0", 0
        return f"mask(s, {text}, {region.low}, {last}, {start})", _ATOM

    def slot_of_mask(self, region: Region, value: Value) -> str:
        """Where the mask of a region stands that is kept of a value, which some slot may hold."""
        if isinstance(value, ir.Const):
            return f"s[{region.mask(value.value)}]"
        return f"s[{self.text(value, 9)} + {region.at - region.low}]"

    def _named(self, value: Value) -> str:
        match value:
            case ir.Checked(ir.Var(name), low, high, _):
                return f"({name} if {low} <= {name} <= {high} else fail())"
            case ir.Checked(given, low, high, name):
                inner = self.text(given)
                return f"({name} if {low} <= ({name} := {inner}) <= {high} else fail())"
            case ir.Decoded(given, code, name):
                return f"(NONE if ({name} := {self.text(given)}) == {code} else {name})"
            case ir.Maybe(given, within, name):
                inner = self.text(within, 1)
                return f"(NONE if ({name} := {self.text(given)}) == NONE else {inner})"
            case ir.OrElse(given, other, name):
                inner = self.text(other, 1)
                return f"({inner} if ({name} := {self.text(given)}) == NONE else {name})"
            case _:
                raise AssertionError(f"no Python for {type(value).__name__}")

    def _binary(self, value: ir.Binary) -> tuple[str, int]:
        operator, left, right = value.operator, value.left, value.right
        if operator in ("min", "max"):
            return f"{operator}({self.text(left)}, {self.text(right)})", _ATOM
        if (
            isinstance(left, ir.CountEqual)
            and (left.base, left.number) not in self.regions
            and right == ir.Const(0)
            and operator in (">", "==")
        ):
            # Whether any is there is quicker to ask than how many.
            word = "in" if operator == ">" else "not in"
            where = f"s[{left.base}:{left.base + left.number}]"
            return f"{self.text(left.value, 5)} {word} {where}", 4
        strength = STRENGTH[operator]
        tight = strength + 1 if strength != 4 else 5
        text = f"{self.text(left, strength if strength != 4 else 5)} {operator} "
        return text + self.text(right, tight), strength

    def within(self, value: Value, low: int, high: int) -> bool:
        """Whether a value is known to lie between two numbers."""
        match self.held.same(value):
            case ir.Const(number):
                return low <= number <= high
            case ir.Var(name) if name in self.bounds:
                least, most = self.bounds[name]
                return low <= least and most <= high
            case _:
                return False

    def row(self, numbers: tuple[Value, ...]) -> str:
        """A row of several columns is a tuple, and of one its number."""
        texts = [self.number(each) for each in numbers]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

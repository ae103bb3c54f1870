"""Values, as LLVM IR.

Assumes: an `Emitter`; sets that are wider than 64 bits (`llvm_sets`).
Does: writes one value after another, each check where it stands; what need not be evaluated is
branched around, unless it is cheaper to evaluate it.
Leaves behind: names of LLVM values.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.native.emit import ROW, SLOT, WORD, apart
from rulerun.compiled.native.llvm_sets import LISTED, Sets
from rulerun.compiled.native.memory import FEW_VALUES, Region, fits, is_constant, is_simple, quoted
from rulerun.compiled.native.plan import FAILED

_COMPARE = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_PLAIN = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl",
          ">>": "ashr"}  # fmt: skip

_FEW = 4
"""Fewer slots than this are added up one by one."""


def places_in(mask: Value) -> int:
    """Of how many places at most a mask is: 64, if that is not plain to see."""
    match mask:
        case ir.EqualMask(_, number):
            return min(number, 64)
        case ir.Const(number) if number >= 0:
            return number.bit_length()
        case ir.Binary("&", left, right):
            return min(places_in(left), places_in(right))
        case _:
            return 64


class Values(Sets):
    """The values of one function."""

    def condition(self, value: Value) -> str:
        """Whether a value holds, as a bit."""
        match value:
            case ir.Const(number):
                return "true" if number else "false"
            case ir.Binary(operator, left, right) if operator in _COMPARE:
                if bits := max(self.bits_of(left), self.bits_of(right)):
                    return self.compares(operator, left, right, bits)
                one, other = self.value(left), self.value(right)
                return self.value_of(f"icmp {_COMPARE[operator]} i64 {one}, {other}")
            case ir.Not(operand):
                return self.value_of(f"xor i1 {self.condition(operand)}, true")
            case ir.Both(left, right) | ir.Either(left, right):
                return self._shortened(value, left, right)
            case _:
                if bits := self.bits_of(value):
                    return self.is_any(value, bits)
                return self.value_of(f"icmp ne i64 {self.value(value)}, 0")

    def _shortened(self, value: Value, left: Value, right: Value) -> str:
        both = isinstance(value, ir.Both)
        first = self.condition(left)
        if is_simple(right):
            word = "and" if both else "or"
            return self.value_of(f"{word} i1 {first}, {self.condition(right)}")
        result = self.alloca("i1")
        self.line(f"store i1 {first}, ptr {result}")
        more, done = self.label(), self.label()
        self.branch(first, *((more, done) if both else (done, more)))
        self.at(more)
        self.line(f"store i1 {self.condition(right)}, ptr {result}")
        self.at(done)
        return self.value_of(f"load i1, ptr {result}")

    def value(self, value: Value) -> str:
        """A value, of 64 bits."""
        if self.bits_of(value):
            raise Unsupported(LISTED)
        match value:
            case ir.Binary("&" | ">>", left, ir.Const()) if bits := self.bits_of(left):
                return self.number(value, bits)
            case ir.Const(number):
                return str(number)
            case ir.Var("b") if "b" not in self.names:
                return "%b"
            case ir.Var(name):
                if name not in self.names:
                    self.set(name, "0")
                return self.load(self.names[name])
            case ir.Slot(address):
                return self.read(*self.slot(address))
            case ir.Binary():
                return self._binary(value)
            case ir.Not() | ir.Both() | ir.Either():
                return self.value_of(f"zext i1 {self.condition(value)} to i64")
            case ir.Select(condition, yes, no):
                return self._select(condition, yes, no)
            case ir.TableLoad(table, index):
                found = self.value(index)
                self.inside(found, len(self.target.tables[table]))
                pointer = self.value_of(f"getelementptr i64, ptr @{table}, i64 {found}")
                return self.load(pointer)
            case ir.Call():
                return self.called(value)
            case ir.Checked(inner, low, high, _):
                found = self.value(inner)
                if low > high:
                    self.check("false")
                    return found
                over = self.value_of(f"sub i64 {found}, {low}")
                self.check(self.value_of(f"icmp ule i64 {over}, {high - low}"))
                return found
            case ir.Decoded(inner, code, _):
                found = self.value(inner)
                none = self.value_of(f"icmp eq i64 {found}, {code}")
                return self.value_of(f"select i1 {none}, i64 {ir.NONE}, i64 {found}")
            case ir.Maybe(inner, within, name):
                return self._maybe(inner, within, name)
            case ir.OrElse(inner, other, name):
                self.set(name, self.value(inner))
                missing = ir.Binary("==", ir.Var(name), ir.Const(ir.NONE))
                return self._select(missing, other, ir.Var(name))
            case _:
                return self._looked_up(value)

    def _looked_up(self, value: Value) -> str:
        match value:
            case ir.CountEqual(base, number, sought):
                return self._scan(base, number, sought, find=False)
            case ir.FindEqual(base, number, sought):
                return self._scan(base, number, sought, find=True)
            case ir.SumSlots(address, number):
                return self._sum(address, number)
            case ir.EqualMask(base, number, sought):
                return self.mask(base, number, self.value(sought))
            case ir.OnTop(base, positions, number, zone, stack):
                return self._on_top(base, positions, number, self.value(zone), stack)
            case ir.NthBit(inner, below) if bits := self.bits_of(inner):
                return self.nth_bit(inner, below, bits)
            case ir.HighestBit(inner) if bits := self.bits_of(inner):
                return self.highest_bit(inner, bits)
            case ir.LowestBit(inner) if bits := self.bits_of(inner):
                return self.lowest_bit(self.wide(inner, bits), bits)
            case ir.BitCount(inner) if bits := self.bits_of(inner):
                return self.bit_count(inner, bits)
            case ir.NthBit(inner, below):
                given = f"i64 {self.value(inner)}, i64 {self.value(below)}"
                return self.value_of(f"call i64 @nth({given})")
            case ir.HighestBit(inner):
                zeros = self.value_of(f"call i64 @llvm.ctlz.i64(i64 {self.value(inner)}, i1 true)")
                return self.value_of(f"sub i64 63, {zeros}")
            case ir.LowestBit(inner):
                return self._first_of(self.value(inner), places_in(inner))
            case ir.BitCount(inner):
                return self.value_of(f"call i64 @llvm.ctpop.i64(i64 {self.value(inner)})")
            case ir.Length(rows):
                return self.load(self.rows[rows].count)
            case ir.RowGet(rows, index, column):
                return self.load(self.item(rows, self.value(index), column))
            case _:
                raise AssertionError(f"no LLVM for {type(value).__name__}")

    def item(self, rows: str, index: str, column: int) -> str:
        """A pointer to a number of a row."""
        held = self.rows[rows]
        if self.target.guards:
            self.check(self.value_of(f"icmp ult i64 {index}, {self.load(held.count)}"))
        start = self.value_of(f"mul i64 {index}, {held.width}")
        place = self.value_of(f"add i64 {start}, {column}") if column else start
        return self.pointer(f"getelementptr i64, ptr {held.data}, i64 {place}", ROW)

    def _binary(self, value: ir.Binary) -> str:
        operator = value.operator
        if operator in _COMPARE:
            return self.value_of(f"zext i1 {self.condition(value)} to i64")
        one, other = self.value(value.left), self.value(value.right)
        if operator in _PLAIN:
            return self.value_of(f"{_PLAIN[operator]} i64 {one}, {other}")
        if operator in ("min", "max"):
            return self.value_of(f"call i64 @llvm.s{operator}.i64(i64 {one}, i64 {other})")
        # Division rounds down.
        rest = self.value_of(f"srem i64 {one}, {other}")
        signs = self.value_of(f"xor i64 {rest}, {other}")
        odd = self.value_of(f"icmp slt i64 {signs}, 0")
        some = self.value_of(f"icmp ne i64 {rest}, 0")
        below = self.value_of(f"and i1 {odd}, {some}")
        if operator == "%":
            up = self.value_of(f"add i64 {rest}, {other}")
            return self.value_of(f"select i1 {below}, i64 {up}, i64 {rest}")
        quotient = self.value_of(f"sdiv i64 {one}, {other}")
        less = self.value_of(f"sext i1 {below} to i64")
        return self.value_of(f"add i64 {quotient}, {less}")

    def _select(self, condition: Value, yes: Value, no: Value) -> str:
        held = self.condition(condition)
        if is_simple(yes) and is_simple(no):
            return self.value_of(f"select i1 {held}, i64 {self.value(yes)}, i64 {self.value(no)}")
        result = self.alloca("i64")
        one, other, done = self.label(), self.label(), self.label()
        self.branch(held, one, other)
        self.at(one)
        self.line(f"store i64 {self.value(yes)}, ptr {result}")
        self.go(done)
        self.at(other)
        self.line(f"store i64 {self.value(no)}, ptr {result}")
        self.at(done)
        return self.load(result)

    def _maybe(self, inner: Value, within: Value, name: str) -> str:
        self.set(name, self.value(inner))
        missing = ir.Binary("==", ir.Var(name), ir.Const(ir.NONE))
        return self._select(missing, ir.Const(ir.NONE), within)

    def called(self, call: ir.Call) -> str:
        """What a function gives, as wide as it is."""
        function = call.function
        wide = self.target.widths.parameters.get(function, (0,) * len(call.arguments))
        given = ["ptr %s", *(["i64 " + self.frame_start()] if self.target.framed else [])]
        for each, bits in zip(call.arguments, wide, strict=True):
            given.append(f"i{bits} {self.wide(each, bits)}" if bits else f"i64 {self.value(each)}")
        many = self.target.widths.results.get(function, 0)
        type_ = f"{{ i{many}, i1 }}" if many else "i64"
        found = self.value_of(f"call {type_} @{quoted(function)}({', '.join(given)})")
        if many:
            failed = self.value_of(f"extractvalue {type_} {found}, 1")
            self.check(self.value_of(f"xor i1 {failed}, true"))
            return self.value_of(f"extractvalue {type_} {found}, 0")
        if function in self.target.fallible:
            self.check(self.value_of(f"icmp ne i64 {found}, {FAILED}"))
        return found

    def frame_start(self) -> str:
        """Where the running frame begins."""
        return self.load(self.names["b"]) if "b" in self.names else "%b"

    def _scan(self, base: int, number: int, sought: Value, find: bool) -> str:
        wanted = self.value(sought)
        if not find:
            total = "0"
            for start in range(0, number, 64):
                mask = self.mask(base + start, min(64, number - start), wanted)
                bits = self.value_of(f"call i64 @llvm.ctpop.i64(i64 {mask})")
                total = self.value_of(f"add i64 {total}, {bits}")
            return total
        found = str(ir.NONE)
        for start in reversed(range(0, number, 64)):
            mask = self.mask(base + start, min(64, number - start), wanted)
            place = self.value_of(f"call i64 @llvm.cttz.i64(i64 {mask}, i1 false)")
            here = self.value_of(f"add i64 {place}, {start}")
            some = self.value_of(f"icmp ne i64 {mask}, 0")
            found = self.value_of(f"select i1 {some}, i64 {here}, i64 {found}")
        return found

    def _on_top(self, base: int, positions: int, number: int, zone: str, stack: bool) -> str:
        found = str(ir.NONE)
        masks = [
            (start, self.mask(base + start, min(64, number - start), zone))
            for start in range(0, number, 64)
        ]
        position = "0"
        if stack:
            position = "-1"
            for _, mask in masks:
                bits = self.value_of(f"call i64 @llvm.ctpop.i64(i64 {mask})")
                position = self.value_of(f"add i64 {position}, {bits}")
        for start, mask in reversed(masks):
            many = min(64, number - start)
            there = self.mask(positions + start, many, position)
            both = self.value_of(f"and i64 {mask}, {there}")
            place = self._first_of(both, many)
            here = self.value_of(f"add i64 {place}, {start}")
            some = self.value_of(f"icmp ne i64 {both}, 0")
            found = self.value_of(f"select i1 {some}, i64 {here}, i64 {found}")
        return found

    def _first_of(self, mask: str, many: int) -> str:
        """The lowest bit of a mask of so many places that is not 0.

        LLVM is told where it lies: what is looked up there needs no check.
        """
        inside = f", !range !{{i64 0, i64 {many}}}"
        return self.value_of(f"call i64 @llvm.cttz.i64(i64 {mask}, i1 true){inside}")

    def mask(self, base: int, number: int, wanted: str) -> str:
        """Which of some slots hold a number."""
        for region in self.target.regions:
            if (region.base, region.number) == (base, number):
                return self._kept(region, wanted)
        return self.compared(base, number, wanted)

    def _kept(self, region: Region, wanted: str) -> str:
        if is_constant(wanted):
            value = int(wanted) - region.low
            return self.load(self.word(region.word + value)) if 0 <= value < region.many else "0"
        index = self.value_of(f"sub i64 {wanted}, {region.low}")
        if region.many <= FEW_VALUES:
            found = "0"
            for value in range(region.many):
                here = self.value_of(f"icmp eq i64 {index}, {value}")
                mask = self.load(self.word(region.word + value))
                found = self.value_of(f"select i1 {here}, i64 {mask}, i64 {found}")
            return found
        known = self.value_of(f"icmp ult i64 {index}, {region.many}")
        safe = self.value_of(f"select i1 {known}, i64 {index}, i64 0")
        start = self.word(region.word)
        mask = self.load(self.pointer(f"getelementptr i64, ptr {start}, i64 {safe}", WORD))
        return self.value_of(f"select i1 {known}, i64 {mask}, i64 0")

    def compared(self, base: int, number: int, wanted: str) -> str:
        """Which of some slots hold a number: all compared at once."""
        cell, bits = self.target.cell, self.target.bits
        wide = max(8, 1 << (number - 1).bit_length())
        if is_constant(wanted):
            if not fits(int(wanted), bits):
                return "0"
            short, whole = wanted, "true"
        else:
            short, whole = self.narrowed(wanted, check=False)
        pointer = self.value_of(f"getelementptr i8, ptr %s, i64 {base * bits // 8}")
        held = self.value_of(
            f"load <{wide} x {cell}>, ptr {pointer}, align {bits // 8}{apart(SLOT)}"
        )
        first = self.value_of(f"insertelement <{wide} x {cell}> poison, {cell} {short}, i64 0")
        sought = self.value_of(
            f"shufflevector <{wide} x {cell}> {first}, <{wide} x {cell}> poison, "
            f"<{wide} x i32> zeroinitializer"
        )
        same = self.value_of(f"icmp eq <{wide} x {cell}> {held}, {sought}")
        mask = self.value_of(f"bitcast <{wide} x i1> {same} to i{wide}")
        if wide < 64:
            mask = self.value_of(f"zext i{wide} {mask} to i64")
        if number < wide:
            mask = self.value_of(f"and i64 {mask}, {(1 << number) - 1}")
        if whole != "true":
            mask = self.value_of(f"select i1 {whole}, i64 {mask}, i64 0")
        return mask

    def _sum(self, address: Value, number: int) -> str:
        start, cell = self.slot(address, number)
        total = "0"
        for first in range(0, number, 64):
            many = min(64, number - first)
            pointer = self.value_of(f"getelementptr {cell}, ptr {start}, i64 {first}")
            one = self._few(pointer, many) if many < _FEW else self._many(pointer, many)
            total = one if total == "0" else self.value_of(f"add i64 {total}, {one}")
        return total

    def _few(self, start: str, number: int) -> str:
        """The sum of slots, added up one by one."""
        cell, total = self.target.cell, "0"
        for place in range(number):
            pointer = self.pointer(f"getelementptr {cell}, ptr {start}, i64 {place}", SLOT)
            total = self.value_of(f"add i64 {total}, {self.read(pointer, cell)}")
        return total

    def _many(self, start: str, number: int) -> str:
        """The sum of slots, added up at once: as many as a power of two, those too many as 0."""
        cell, bits = self.target.cell, self.target.bits
        wide = 1 << (number - 1).bit_length()
        held = self.value_of(f"load <{wide} x {cell}>, ptr {start}, align {bits // 8}{apart(SLOT)}")
        if number < wide:
            flags = ", ".join(f"i1 {int(at < number)}" for at in range(wide))
            held = self.value_of(
                f"select <{wide} x i1> <{flags}>, <{wide} x {cell}> {held}, "
                f"<{wide} x {cell}> zeroinitializer"
            )
        more = "i32" if bits == 16 else "i64"
        if more != cell:
            held = self.value_of(f"sext <{wide} x {cell}> {held} to <{wide} x {more}>")
        name = f"llvm.vector.reduce.add.v{wide}{more}"
        found = self.value_of(f"call {more} @{name}(<{wide} x {more}> {held})")
        return found if more == "i64" else self.value_of(f"sext {more} {found} to i64")

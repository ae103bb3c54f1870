"""A program as LLVM IR.

Assumes: a `Program` of `ir` whose sets fit 62 bits.
Does: writes one module. The slots are 64 bit numbers in memory; behind them stand how many rows
there are and the rows where a play rests, and the counters of coverage. All blocks together are one
function, `run`, that jumps from one to the next.
Leaves behind: text for `native`, which says what may be called.

Every address, index and row is checked against its bounds unless it is constant; what is out of
bounds, like everything that the rules forbid, gives the run up: the function returns `FAILED`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rulerun.compiled import ir
from rulerun.compiled.ir import WORDS, Body, Program, Statement, Value
from rulerun.compiled.lowering import plus
from rulerun.compiled.python import OPEN, OVER, PART_DONE, REST

FAILED = -(1 << 41)
"""What a function gives that gave the run up."""
_SIGNALS = {"over": OVER, "part_done": PART_DONE, "open": OPEN}
_COMPARE = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_PLAIN = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl",
          ">>": "ashr"}  # fmt: skip


_BITS = (16, 32, 64)


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands behind the slots: numbers of 64 bits, counted from `WORDS`."""

    count: int
    """How many rows there are; behind it stands which one is asked for, then the masks."""
    rows: int
    counters: int
    size: int
    """All together."""


def frame_of(program: Program, masks: int) -> Frame:
    """Where things stand behind the slots of a program."""
    most = max((lister.width * lister.most for lister in program.listers), default=1)
    rows = 2 + masks
    return Frame(0, rows, rows + most, rows + most + program.counters)


@dataclass(frozen=True, slots=True)
class Region:
    """Slots of which it is kept up to date which hold what: a mask of bits for each value.

    So that asking for one is reading one number, which was written as one.
    """

    base: int
    number: int
    low: int
    many: int
    """Values, from `low` up."""
    word: int = 0
    """Where its masks begin behind the slots."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows while a function is written: where they are, how many, how wide."""

    data: str
    count: str
    width: int
    most: int


class Writer:
    """Writes the functions of one program."""

    def __init__(
        self,
        program: Program,
        guards: bool = True,
        bits: int = 64,
        pure: bool = True,
        regions: Sequence[Region] = (),
    ) -> None:
        """How it is written.

        `guards`: check addresses, as must be done unless one measures what it costs. `bits`: how
        wide a slot is; a number that does not fit gives the run up. `pure`: tell LLVM which
        functions only read. `regions`: slots of which masks are kept, if they are asked for.
        """
        self.program = program
        self.guards = guards
        self.bits = bits
        self.cell = f"i{bits}"
        # Masks are read a few slots too far: there is room behind the slots.
        self.offset = (program.size * bits // 8 + 64 * bits // 8 + 63) // 64 * 64
        """Where the numbers behind the slots begin, in bytes."""
        self.pure = _pure(program) if pure else set()
        asked = _asked_for(program)
        self.regions: list[Region] = []
        word = 2
        for region in regions:
            if (region.base, region.number) in asked:
                self.regions.append(replace(region, word=word))
                word += region.many
        self.frame = frame_of(program, word - 2)
        self.framed = program.frames > 1
        self.tables = dict(program.tables)
        self.lists = dict(program.lists)
        self.listers = {lister.name: lister for lister in program.listers}
        self.fallible = _fallible(program)
        self.out: list[str] = []
        self.sorts: set[int] = set()

    def globals(self) -> list[str]:
        """The constant tables."""
        found = []
        for name, values in self.program.tables:
            found.append(_array(name, values))
        for name, lists in self.program.lists:
            starts = [0]
            for each in lists:
                starts.append(starts[-1] + len(each))
            found.append(_array(f"{name}.starts", starts))
            found.append(_array(name, [one for each in lists for one in each] or [0]))
        found.append(_array("BEGIN", self.program.begin, self.cell))
        return found

    def function(self, function: ir.Function) -> str:
        """A function of the program."""
        code = Code(self, function.name, function.parameters)
        code.body(function.body)
        return code.finished()

    def rebuild(self) -> str:
        """The function that makes all masks anew."""
        code = Code(self, "rebuild", ())
        for region in self.regions:
            for value in range(region.many):
                mask = code.compared(region.base, region.number, str(region.low + value))
                code.line(f"store i64 {mask}, ptr {code.word(region.word + value)}")
        code.body((ir.Return(ir.Const(0)),))
        return code.finished()

    def lister(self, lister: ir.Lister) -> str:
        """A lister: rows into a place that is given; how many."""
        code = Code(self, lister.name, (), ("ptr %out",))
        count = code.alloca("i64")
        code.line(f"store i64 0, ptr {count}")
        code.rows["found"] = Rows("%out", count, lister.width, lister.most)
        code.found = True
        code.body(lister.body)
        if code.open:
            found = code.rows["found"]
            code.line(f"ret i64 {code.load(found.count)}")
            code.open = False
        return code.finished()


class Code:
    """One function while it is written."""

    def __init__(
        self, writer: Writer, name: str, parameters: Sequence[str], more: Sequence[str] = ()
    ) -> None:
        """`more`: parameters that are no numbers, as text."""
        self.writer = writer
        self.name = name
        self.allocas: list[str] = []
        self.lines: list[str] = []
        self.names: dict[str, str] = {}
        self.rows: dict[str, Rows] = {}
        self.loops: list[tuple[str, str]] = []
        self.count = 0
        self.open = True
        self.found = False
        self.run: int | None = None
        """The instruction whose block is written, in `run`."""
        self.fail_label: str | None = None
        given = ["ptr noalias %s"]
        if writer.framed:
            given.append("i64 %b")
        given += [f"i64 %p.{each}" for each in parameters]
        given += more
        only = "nounwind willreturn memory(read) " if name in writer.pure else ""
        self.header = f"define internal i64 @{_quoted(name)}({', '.join(given)}) {only}{{"
        for each in parameters:
            self.set(each, f"%p.{each}")

    def finished(self) -> str:
        """The text of the function."""
        if self.open:
            self.line("ret i64 0")
        lines = [self.header, "entry:", *self.allocas, "  br label %start", "start:", *self.lines]
        if self.fail_label is not None:
            lines += [f"{self.fail_label}:", f"  ret i64 {FAILED}"]
        return "\n".join([*lines, "}"])

    # --------------------------------------------------------------------------- small parts

    def fresh(self) -> str:
        """A new name of a value."""
        self.count += 1
        return f"%v{self.count}"

    def label(self) -> str:
        """A new label."""
        self.count += 1
        return f"l{self.count}"

    def line(self, text: str) -> None:
        """One line."""
        if self.open:
            self.lines.append(f"  {text}")

    def value_of(self, text: str) -> str:
        """One line that makes a value."""
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def at(self, label: str) -> None:
        """Begin a block."""
        if self.open:
            self.lines.append(f"  br label %{label}")
        self.lines.append(f"{label}:")
        self.open = True

    def go(self, label: str) -> None:
        """Go to a block."""
        self.line(f"br label %{label}")
        self.open = False

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Go to one of two blocks."""
        self.line(f"br i1 {condition}, label %{yes}, label %{no}")
        self.open = False

    def alloca(self, type_: str) -> str:
        """Memory of the function."""
        name = self.fresh()
        self.allocas.append(f"  {name} = alloca {type_}")
        return name

    def load(self, pointer: str) -> str:
        """What stands there."""
        return self.value_of(f"load i64, ptr {pointer}")

    def fail(self) -> str:
        """The label at which the run is given up."""
        if self.fail_label is None:
            self.fail_label = "failed"
        return self.fail_label

    def check(self, condition: str) -> None:
        """Go on if it holds, else give the run up."""
        on = self.label()
        self.branch(condition, on, self.fail())
        self.at(on)

    def set(self, name: str, value: str) -> None:
        """A local number gets a value."""
        if name not in self.names:
            self.names[name] = self.alloca("i64")
        self.line(f"store i64 {value}, ptr {self.names[name]}")

    def inside(self, index: str, many: int) -> None:
        """An index must lie from 0 up to, but without, a number."""
        if self.writer.guards:
            self.check(self.value_of(f"icmp ult i64 {index}, {many}"))

    def slot(self, address: Value, number: int = 1) -> tuple[str, str]:
        """A pointer to the slot at an address, and the type of what stands there."""
        cell = self.writer.cell
        if isinstance(address, ir.Const):
            if address.value >= WORDS:
                return self.word(address.value - WORDS), "i64"
            place = address.value * self.writer.bits // 8
            return self.value_of(f"getelementptr i8, ptr %s, i64 {place}"), cell
        index = self.value(address)
        self.inside(index, self.writer.program.size - number + 1)
        return self.value_of(f"getelementptr {cell}, ptr %s, i64 {index}"), cell

    def word(self, place: int) -> str:
        """A pointer to a number behind the slots."""
        return self.value_of(f"getelementptr i8, ptr %s, i64 {self.writer.offset + 8 * place}")

    def read(self, pointer: str, cell: str) -> str:
        """What stands in a slot."""
        if cell == "i64":
            return self.load(pointer)
        return self.value_of(f"sext {cell} {self.value_of(f'load {cell}, ptr {pointer}')} to i64")

    def store(self, address: Value, number: str) -> None:
        """A number goes into the slot at an address; masks of it are kept."""
        pointer, cell = self.slot(address)
        if cell == self.writer.cell:
            for region in self.writer.regions:
                self._keep(region, address, pointer, number)
        self.write(pointer, cell, number)

    def _keep(self, region: Region, address: Value, pointer: str, number: str) -> None:
        """The masks of a region, before a number goes into a slot."""
        if isinstance(address, ir.Const):
            place = address.value - region.base
            if 0 <= place < region.number:
                self._swap_bit(
                    region, str(1 << place if place < 63 else -(1 << 63)), pointer, number
                )
            return
        if not _may_lie_in(address, region):
            return
        index = self.value_of(f"ptrtoint ptr {pointer} to i64")
        start = self.value_of("ptrtoint ptr %s to i64")
        bytes_ = self.value_of(f"sub i64 {index}, {start}")
        at = self.value_of(f"sdiv exact i64 {bytes_}, {self.writer.bits // 8}")
        place = self.value_of(f"sub i64 {at}, {region.base}")
        inside, on = self.label(), self.label()
        self.branch(self.value_of(f"icmp ult i64 {place}, {region.number}"), inside, on)
        self.at(inside)
        bit = self.value_of(f"shl i64 1, {place}")
        self._swap_bit(region, bit, pointer, number)
        self.at(on)

    def _swap_bit(self, region: Region, bit: str, pointer: str, number: str) -> None:
        for value, operation in ((self.read(pointer, self.writer.cell), "out"), (number, "in")):
            index = self.value_of(f"sub i64 {value}, {region.low}")
            self.check(self.value_of(f"icmp ult i64 {index}, {region.many}"))
            held = self.value_of(f"getelementptr i64, ptr {self.word(region.word)}, i64 {index}")
            if operation == "out":
                others = self.value_of(f"xor i64 {bit}, -1")
                mask = self.value_of(f"and i64 {self.load(held)}, {others}")
            else:
                mask = self.value_of(f"or i64 {self.load(held)}, {bit}")
            self.line(f"store i64 {mask}, ptr {held}")

    def write(self, pointer: str, cell: str, number: str) -> None:
        """A number goes into a slot; one that does not fit gives the run up."""
        if cell == "i64":
            self.line(f"store i64 {number}, ptr {pointer}")
            return
        short = number
        if not _constant(number):
            short, _ = self._narrow(number, check=True)
        elif not _fits(int(number), self.writer.bits):
            self.check("false")
        self.line(f"store {cell} {short}, ptr {pointer}")

    def _narrow(self, number: str, check: bool) -> tuple[str, str]:
        """A number as a slot writes it, and whether it fits."""
        cell = self.writer.cell
        if cell == "i64":
            return number, "true"
        short = self.value_of(f"trunc i64 {number} to {cell}")
        fits = self.value_of(
            f"icmp eq i64 {self.value_of(f'sext {cell} {short} to i64')}, {number}"
        )
        if check:
            self.check(fits)
        return short, fits

    # -------------------------------------------------------------------------------- values

    def condition(self, value: Value) -> str:
        """Whether a value holds, as a bit."""
        match value:
            case ir.Const(number):
                return "true" if number else "false"
            case ir.Binary(operator, left, right) if operator in _COMPARE:
                one, other = self.value(left), self.value(right)
                return self.value_of(f"icmp {_COMPARE[operator]} i64 {one}, {other}")
            case ir.Not(operand):
                return self.value_of(f"xor i1 {self.condition(operand)}, true")
            case ir.Both(left, right) | ir.Either(left, right):
                return self._shortened(value, left, right)
            case _:
                return self.value_of(f"icmp ne i64 {self.value(value)}, 0")

    def _shortened(self, value: Value, left: Value, right: Value) -> str:
        both = isinstance(value, ir.Both)
        first = self.condition(left)
        if _simple(right):
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
        """A value."""
        match value:
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
            case ir.Entry(table, index):
                found = self.value(index)
                self.inside(found, len(self.writer.tables[table]))
                pointer = self.value_of(f"getelementptr i64, ptr @{table}, i64 {found}")
                return self.load(pointer)
            case ir.Call(function, arguments):
                return self._call(function, [self.value(each) for each in arguments])
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
                return self._mask(base, number, self.value(sought))
            case ir.OnTop(base, positions, number, zone, stack):
                return self._on_top(base, positions, number, self.value(zone), stack)
            case ir.NthBit(inner, below):
                given = f"i64 {self.value(inner)}, i64 {self.value(below)}"
                return self.value_of(f"call i64 @nth({given})")
            case ir.HighestBit(inner):
                zeros = self.value_of(
                    f"call i64 @llvm.ctlz.i64(i64 {self.value(inner)}, i1 true)"
                )
                return self.value_of(f"sub i64 63, {zeros}")
            case ir.LowestBit(inner):
                return self.value_of(f"call i64 @llvm.cttz.i64(i64 {self.value(inner)}, i1 true)")
            case ir.BitCount(inner):
                return self.value_of(f"call i64 @llvm.ctpop.i64(i64 {self.value(inner)})")
            case ir.Length(rows):
                return self.load(self.rows[rows].count)
            case ir.Item(rows, index, column):
                return self.load(self._item(rows, self.value(index), column))
            case _:
                raise AssertionError(f"no LLVM for {type(value).__name__}")

    def _item(self, rows: str, index: str, column: int) -> str:
        held = self.rows[rows]
        if self.writer.guards:
            self.check(self.value_of(f"icmp ult i64 {index}, {self.load(held.count)}"))
        start = self.value_of(f"mul i64 {index}, {held.width}")
        place = self.value_of(f"add i64 {start}, {column}") if column else start
        return self.value_of(f"getelementptr i64, ptr {held.data}, i64 {place}")

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
        if _simple(yes) and _simple(no):
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

    def _call(self, function: str, arguments: list[str]) -> str:
        given = ["ptr %s", *(["i64 " + self._b()] if self.writer.framed else [])]
        given += [f"i64 {each}" for each in arguments]
        found = self.value_of(f"call i64 @{_quoted(function)}({', '.join(given)})")
        if function in self.writer.fallible:
            self.check(self.value_of(f"icmp ne i64 {found}, {FAILED}"))
        return found

    def _b(self) -> str:
        return self.load(self.names["b"]) if "b" in self.names else "%b"

    def _scan(self, base: int, number: int, sought: Value, find: bool) -> str:
        wanted = self.value(sought)
        if not find:
            total = "0"
            for start in range(0, number, 64):
                mask = self._mask(base + start, min(64, number - start), wanted)
                bits = self.value_of(f"call i64 @llvm.ctpop.i64(i64 {mask})")
                total = self.value_of(f"add i64 {total}, {bits}")
            return total
        found = str(ir.NONE)
        for start in reversed(range(0, number, 64)):
            mask = self._mask(base + start, min(64, number - start), wanted)
            place = self.value_of(f"call i64 @llvm.cttz.i64(i64 {mask}, i1 false)")
            here = self.value_of(f"add i64 {place}, {start}")
            some = self.value_of(f"icmp ne i64 {mask}, 0")
            found = self.value_of(f"select i1 {some}, i64 {here}, i64 {found}")
        return found

    def _on_top(self, base: int, positions: int, number: int, zone: str, stack: bool) -> str:
        found = str(ir.NONE)
        masks = [
            (start, self._mask(base + start, min(64, number - start), zone))
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
            there = self._mask(positions + start, many, position)
            both = self.value_of(f"and i64 {mask}, {there}")
            place = self.value_of(f"call i64 @llvm.cttz.i64(i64 {both}, i1 false)")
            here = self.value_of(f"add i64 {place}, {start}")
            some = self.value_of(f"icmp ne i64 {both}, 0")
            found = self.value_of(f"select i1 {some}, i64 {here}, i64 {found}")
        return found

    def _mask(self, base: int, number: int, wanted: str) -> str:
        """Which of some slots hold a number."""
        for region in self.writer.regions:
            if (region.base, region.number) == (base, number):
                return self._kept(region, wanted)
        return self.compared(base, number, wanted)

    def _kept(self, region: Region, wanted: str) -> str:
        if _constant(wanted):
            value = int(wanted) - region.low
            return self.load(self.word(region.word + value)) if 0 <= value < region.many else "0"
        index = self.value_of(f"sub i64 {wanted}, {region.low}")
        known = self.value_of(f"icmp ult i64 {index}, {region.many}")
        safe = self.value_of(f"select i1 {known}, i64 {index}, i64 0")
        start = self.word(region.word)
        mask = self.load(self.value_of(f"getelementptr i64, ptr {start}, i64 {safe}"))
        return self.value_of(f"select i1 {known}, i64 {mask}, i64 0")

    def compared(self, base: int, number: int, wanted: str) -> str:
        """Which of some slots hold a number: all compared at once."""
        cell, bits = self.writer.cell, self.writer.bits
        wide = max(8, 1 << (number - 1).bit_length())
        if _constant(wanted):
            if not _fits(int(wanted), bits):
                return "0"
            short, fits = wanted, "true"
        else:
            short, fits = self._narrow(wanted, check=False)
        pointer = self.value_of(f"getelementptr i8, ptr %s, i64 {base * bits // 8}")
        held = self.value_of(f"load <{wide} x {cell}>, ptr {pointer}, align {bits // 8}")
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
        if fits != "true":
            mask = self.value_of(f"select i1 {fits}, i64 {mask}, i64 0")
        return mask

    def _sum(self, address: Value, number: int) -> str:
        start, cell = self.slot(address, number)
        if number <= 8:
            total = "0"
            for at in range(number):
                pointer = self.value_of(f"getelementptr {cell}, ptr {start}, i64 {at}")
                total = self.value_of(f"add i64 {total}, {self.read(pointer, cell)}")
            return total
        result, place = self.alloca("i64"), self.alloca("i64")
        self.line(f"store i64 0, ptr {result}")
        self.line(f"store i64 0, ptr {place}")
        test, body, done = self.label(), self.label(), self.label()
        self.at(test)
        at = self.load(place)
        self.branch(self.value_of(f"icmp slt i64 {at}, {number}"), body, done)
        self.at(body)
        held = self.read(self.value_of(f"getelementptr {cell}, ptr {start}, i64 {at}"), cell)
        total = self.value_of(f"add i64 {self.load(result)}, {held}")
        self.line(f"store i64 {total}, ptr {result}")
        self.line(f"store i64 {self.value_of(f'add i64 {at}, 1')}, ptr {place}")
        self.go(test)
        self.at(done)
        return self.load(result)

    # ---------------------------------------------------------------------------- statements

    def body(self, body: Body) -> None:
        """Statements, one after another."""
        for statement in body:
            if not self.open:
                return
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        """One statement."""
        match statement:
            case ir.Set(name, given):
                self.set(name, self.value(given))
            case ir.Write(address, given):
                self.store(address, self.value(given))
            case ir.Add(address, given):
                number = self.value(given)
                pointer, cell = self.slot(address)
                more = self.value_of(f"add i64 {self.read(pointer, cell)}, {number}")
                self.store(address, more)
            case ir.Fill(address, number, given):
                self._fill(address, number, given)
            case ir.Copy(to, source, number) if number:
                target, cell = self.slot(to, number)
                origin, _ = self.slot(source, number)
                size = int(cell[1:]) // 8 * number
                self.line(f"call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {origin}, "
                          f"i64 {size}, i1 false)")  # fmt: skip
            case ir.Copy():
                pass
            case ir.If(condition, then, otherwise):
                self._if(condition, then, otherwise)
            case ir.Return(given):
                self.line(f"ret i64 {self.value(given)}")
                self.open = False
            case ir.Fail():
                self.go(self.fail())
            case ir.Do(given):
                self.value(given)
            case ir.Break():
                self.go(self.loops[-1][1])
            case ir.Continue():
                self.go(self.loops[-1][0])
            case ir.Count(counter):
                pointer = self.word(self.writer.frame.counters + counter)
                more = self.value_of(f"add i64 {self.load(pointer)}, 1")
                self.line(f"store i64 {more}, ptr {pointer}")
            case ir.NewRows() | ir.Push() | ir.Put() | ir.SortRows() | ir.Swap() | ir.Listed():
                self._rows(statement)
            case ir.Go() | ir.Rest() | ir.Signal():
                self._leave(statement)
            case _:
                self._loop(statement)

    def _fill(self, address: Value, number: int, given: int) -> None:
        if not number:
            return
        if any(_touches(address, number, region) for region in self.writer.regions):
            for at in range(number):
                self.store(plus(address, at), str(given))
            return
        start, cell = self.slot(address, number)
        if given == 0:
            size = int(cell[1:]) // 8 * number
            self.line(f"call void @llvm.memset.p0.i64(ptr {start}, i8 0, i64 {size}, i1 false)")
            return
        for at in range(number):
            pointer = self.value_of(f"getelementptr {cell}, ptr {start}, i64 {at}")
            self.write(pointer, cell, str(given))

    def _if(self, condition: Value, then: Body, otherwise: Body) -> None:
        yes, done = self.label(), self.label()
        no = self.label() if otherwise else done
        self.branch(self.condition(condition), yes, no)
        self.at(yes)
        self.body(then)
        ends = [self.open]
        if self.open:
            self.go(done)
        if otherwise:
            self.at(no)
            self.body(otherwise)
            ends.append(self.open)
            if self.open:
                self.go(done)
        else:
            ends.append(True)
        if any(ends):
            self.open = False
            self.at(done)
        else:
            self.open = False

    def _loop(self, statement: Statement) -> None:
        match statement:
            case ir.While(condition, body):
                test, inner, done = self.label(), self.label(), self.label()
                self.at(test)
                self.branch(self.condition(condition), inner, done)
                self.at(inner)
                self._inside(body, test, done)
                self.at(done)
            case ir.For(name, low, high, body):
                start, end = self.value(low), self.value(high)
                self._counted(start, end, lambda at: self.set(name, at), body)
            case ir.Each(name, table, index, body):
                lists = self.writer.lists[table]
                which = self.value(index)
                self.inside(which, len(lists))
                first = self.value_of(f"getelementptr i64, ptr @{table}.starts, i64 {which}")
                start = self.load(first)
                end = self.load(self.value_of(f"getelementptr i64, ptr {first}, i64 1"))

                def member(at: str) -> None:
                    pointer = self.value_of(f"getelementptr i64, ptr @{table}, i64 {at}")
                    self.set(name, self.load(pointer))

                self._counted(start, end, member, body)
            case ir.EachEqual(name, base, number, sought, body):
                wanted = self.value(sought)
                self._counted(
                    "0",
                    str(number),
                    lambda at: self.set(name, at),
                    body,
                    lambda at: self._holds(base, at, wanted),
                )
            case ir.EachBit(name, given, body):
                self._bits(name, given, body)
            case ir.EachRow(names, rows, body):
                held = self.rows[rows]

                def numbers(at: str) -> None:
                    start = self.value_of(f"mul i64 {at}, {held.width}")
                    row = self.value_of(f"getelementptr i64, ptr {held.data}, i64 {start}")
                    for column, each in enumerate(names):
                        pointer = self.value_of(f"getelementptr i64, ptr {row}, i64 {column}")
                        self.set(each, self.load(pointer))

                self._counted("0", self.load(held.count), numbers, body)
            case _:
                raise AssertionError(f"no LLVM for {type(statement).__name__}")

    def _holds(self, base: int, at: str, wanted: str) -> str:
        cell = self.writer.cell
        address = self.value_of(f"add i64 {at}, {base}")
        held = self.read(self.value_of(f"getelementptr {cell}, ptr %s, i64 {address}"), cell)
        return self.value_of(f"icmp eq i64 {held}, {wanted}")

    def _inside(self, body: Body, again: str, done: str) -> None:
        self.loops.append((again, done))
        self.body(body)
        self.loops.pop()
        if self.open:
            self.go(again)

    def _counted(self, start, end, member, body, only=None) -> None:  # type: ignore[no-untyped-def]
        """A loop over the numbers from `start` up to, but without, `end`."""
        place = self.alloca("i64")
        self.line(f"store i64 {start}, ptr {place}")
        test, inner, on, done = (self.label() for _ in range(4))
        self.at(test)
        at = self.load(place)
        self.branch(self.value_of(f"icmp slt i64 {at}, {end}"), inner, done)
        self.at(inner)
        if only is not None:
            met = self.label()
            self.branch(only(at), met, on)
            self.at(met)
        member(at)
        self._inside(body, on, done)
        self.open = False
        self.at(on)
        self.line(f"store i64 {self.value_of(f'add i64 {at}, 1')}, ptr {place}")
        self.go(test)
        self.at(done)

    def _bits(self, name: str, given: Value, body: Body) -> None:
        left = self.alloca("i64")
        self.line(f"store i64 {self.value(given)}, ptr {left}")
        test, inner, done = self.label(), self.label(), self.label()
        self.at(test)
        bits = self.load(left)
        self.branch(self.value_of(f"icmp ne i64 {bits}, 0"), inner, done)
        self.at(inner)
        self.set(name, self.value_of(f"call i64 @llvm.cttz.i64(i64 {bits}, i1 true)"))
        less = self.value_of(f"sub i64 {bits}, 1")
        self.line(f"store i64 {self.value_of(f'and i64 {bits}, {less}')}, ptr {left}")
        self._inside(body, test, done)
        self.at(done)

    # ---------------------------------------------------------------------------------- rows

    def _rows(self, statement: Statement) -> None:
        match statement:
            case ir.NewRows(name, width, most, filled):
                self._new_rows(name, width, most, filled)
            case ir.Push(rows, numbers):
                self._push(self.rows[rows], [self.value(each) for each in numbers])
            case ir.Put(rows, index, given):
                number = self.value(given)
                pointer = self._item(rows, self.value(index), 0)
                self.line(f"store i64 {number}, ptr {pointer}")
            case ir.SortRows(rows):
                held = self.rows[rows]
                self.writer.sorts.add(held.width)
                many = self.load(held.count)
                self.line(f"call void @sort.{held.width}(ptr {held.data}, i64 {many})")
            case ir.Swap(to, source):
                # What is listed must stand where the caller wants it.
                target, origin = self.rows[to], self.rows[source]
                many = self.load(origin.count)
                self.line(f"store i64 {many}, ptr {target.count}")
                whole = self.value_of(f"mul i64 {many}, {8 * origin.width}")
                self.line(f"call void @llvm.memmove.p0.p0.i64(ptr {target.data}, "
                          f"ptr {origin.data}, i64 {whole}, i1 false)")  # fmt: skip
            case ir.Listed(name, lister, width):
                frame = self.writer.frame
                data, count = self.word(frame.rows), self.word(frame.count)
                given = ["ptr %s", *(["i64 " + self._b()] if self.writer.framed else [])]
                many = self.value_of(f"call i64 @{_quoted(lister)}({', '.join(given)}, ptr {data})")
                if lister in self.writer.fallible:
                    self.check(self.value_of(f"icmp ne i64 {many}, {FAILED}"))
                self.line(f"store i64 {many}, ptr {count}")
                most = self.writer.listers[lister].most
                self.rows[name] = Rows(data, count, width, most)
            case _:
                raise AssertionError(f"no LLVM for {type(statement).__name__}")

    def _new_rows(self, name: str, width: int, most: int, filled: int) -> None:
        if most < 0:
            most = self.rows["found"].most
        if name not in self.rows:
            data = self.alloca(f"[{max(1, width * most)} x i64]")
            self.rows[name] = Rows(data, self.alloca("i64"), width, most)
        held = self.rows[name]
        self.line(f"store i64 {filled}, ptr {held.count}")
        if filled:
            self.line(f"call void @llvm.memset.p0.i64(ptr {held.data}, i8 0, "
                      f"i64 {8 * filled * width}, i1 false)")  # fmt: skip

    def _push(self, held: Rows, numbers: list[str]) -> None:
        many = self.load(held.count)
        self.check(self.value_of(f"icmp ult i64 {many}, {held.most}"))
        start = self.value_of(f"mul i64 {many}, {held.width}")
        row = self.value_of(f"getelementptr i64, ptr {held.data}, i64 {start}")
        for column, number in enumerate(numbers):
            pointer = self.value_of(f"getelementptr i64, ptr {row}, i64 {column}")
            self.line(f"store i64 {number}, ptr {pointer}")
        more = self.value_of(f"add i64 {many}, 1")
        self.line(f"store i64 {more}, ptr {held.count}")

    # ---------------------------------------------------------------------------------- leave

    def _leave(self, statement: Statement) -> None:
        program = self.writer.program
        pc: Value = ir.Var("b") if self.writer.framed else ir.Const(program.base)
        match statement:
            case ir.Go(to) if self.run is None:
                # A row is settled: `run` goes on there.
                self.line(f"ret i64 {self.value(to)}")
                self.open = False
            case ir.Go(ir.Const(to)):
                assert self.run is not None
                if to <= self.run:
                    self._count_steps()
                self.go(f"at{to}")
            case ir.Go(to):
                self.set("at", self.value(to))
                self._count_steps()
                self.go("dispatch")
            case ir.Rest(at, _):
                self.write(*self.slot(pc), str(at + 1))
                self.line(f"ret i64 {REST}")
                self.open = False
            case ir.Signal(word, at):
                if word == "open":
                    self.write(*self.slot(pc), str(at + 1))
                self.line(f"ret i64 {_SIGNALS[word]}")
                self.open = False
            case _:
                raise AssertionError(f"no LLVM for {type(statement).__name__}")

    def _count_steps(self) -> None:
        """No run without end: the number of steps is bounded, and looked at on every way back."""
        steps = self.load(self.names["steps"])
        # Counted a little too few rather than too many: the reference has the exact number.
        enough = max(0, self.writer.program.steps - 4)
        self.check(self.value_of(f"icmp ult i64 {steps}, {enough}"))


# ----------------------------------------------------------------------------------- small parts


def _array(name: str, values: Sequence[int], cell: str = "i64") -> str:
    numbers = ", ".join(f"{cell} {value}" for value in values)
    return f"@{name} = internal constant [{len(values)} x {cell}] [{numbers}]"


def _constant(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _asked_for(program: Program) -> set[tuple[int, int]]:
    """The runs of slots of which is asked which hold a value: base and number."""
    found: set[tuple[int, int]] = set()
    bodies = (
        *(each.body for each in program.functions),
        *(each.body for each in program.listers),
        *(each.body for each in program.blocks),
        *(each.settle for each in program.questions),
    )
    waiting: list[object] = [statement for body in bodies for statement in body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ir.EqualMask | ir.CountEqual | ir.FindEqual):
            found.add((node.base, node.number))
        elif isinstance(node, ir.OnTop):
            found |= {(node.base, node.number), (node.positions, node.number)}
        waiting.extend(ir.inside(node))
    return found


def _may_lie_in(address: Value, region: Region) -> bool:
    """Whether an address that is reckoned may lie in a region: not if it starts with a frame."""
    return not any(isinstance(node, ir.Var) and node.name == "b" for node in _nodes(address))


def _nodes(value: object) -> Iterable[object]:
    yield value
    for part in ir.inside(value):
        yield from _nodes(part)


def _touches(address: Value, number: int, region: Region) -> bool:
    """Whether a run of slots that is filled may lie in a region."""
    if isinstance(address, ir.Const):
        return address.value < region.base + region.number and region.base < address.value + number
    return _may_lie_in(address, region)


def _fits(value: int, bits: int) -> bool:
    return -(1 << bits - 1) <= value < 1 << bits - 1


def narrowest(program: Program, bounds: Iterable[tuple[int, int]]) -> int:
    """How wide a slot must be for what its declared types allow."""
    ends = [*program.begin, program.steps and 0, len(program.blocks) + 1]
    for low, high in bounds:
        ends += [low - 1, high]
    return next(bits for bits in _BITS if all(_fits(end, bits) for end in ends) or bits == 64)


def _pure(program: Program) -> set[str]:
    """The functions that only read."""
    calls: dict[str, set[str]] = {}
    writes: set[str] = set()
    for function in program.functions:
        calls[function.name] = set()
        waiting: list[object] = list(function.body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ir.Call):
                calls[function.name].add(node.function)
            elif isinstance(node, ir.Write | ir.Add | ir.Fill | ir.Copy | ir.Count):
                writes.add(function.name)
            waiting.extend(ir.inside(node))
    while more := {name for name in calls if calls[name] & writes} - writes:
        writes |= more
    return set(calls) - writes


def _quoted(name: str) -> str:
    return f'"f.{name}"'


def _simple(value: Value) -> bool:
    """Whether a value may as well be evaluated where it is not needed."""
    match value:
        case ir.Const() | ir.Var() | ir.Slot(ir.Const()):
            return True
        case ir.Binary(operator, left, right):
            return operator not in ("//", "%", "<<", ">>") and _simple(left) and _simple(right)
        case ir.Not(operand):
            return _simple(operand)
        case ir.Both(left, right) | ir.Either(left, right):
            return _simple(left) and _simple(right)
        case ir.Decoded(inner):
            return _simple(inner)
        case _:
            return False


def _fallible(program: Program) -> set[str]:
    """The functions and listers that may give the run up: with guards, nearly all."""
    return {each.name for each in (*program.functions, *program.listers)}


def sort_function(width: int) -> str:
    """Rows by their numbers, the first column first: insertion, for they are few."""
    lines = [
        f"define internal void @sort.{width}(ptr %data, i64 %many) {{",
        "entry:",
        *(f"  %t{column} = alloca i64" for column in range(width)),
        "  br label %outer",
        "outer:",
        "  %i = phi i64 [1, %entry], [%i2, %placed]",
        "  %more = icmp slt i64 %i, %many",
        "  br i1 %more, label %take, label %done",
        "take:",
        f"  %from = mul i64 %i, {width}",
        "  %row = getelementptr i64, ptr %data, i64 %from",
    ]
    for column in range(width):
        lines += [
            f"  %g{column} = getelementptr i64, ptr %row, i64 {column}",
            f"  %x{column} = load i64, ptr %g{column}",
        ]
    lines += [
        "  br label %inner",
        "inner:",
        "  %j = phi i64 [%i, %take], [%k, %shift]",
        "  %some = icmp sgt i64 %j, 0",
        "  br i1 %some, label %look, label %placed",
        "look:",
        "  %k = sub i64 %j, 1",
        f"  %before = mul i64 %k, {width}",
        "  %other = getelementptr i64, ptr %data, i64 %before",
    ]
    for column in range(width):
        lines += [
            f"  %h{column} = getelementptr i64, ptr %other, i64 {column}",
            f"  %y{column} = load i64, ptr %h{column}",
        ]
    greater = "false"
    for column in reversed(range(width)):
        lines += [
            f"  %gt{column} = icmp sgt i64 %y{column}, %x{column}",
            f"  %eq{column} = icmp eq i64 %y{column}, %x{column}",
            f"  %and{column} = and i1 %eq{column}, {greater}",
            f"  %or{column} = or i1 %gt{column}, %and{column}",
        ]
        greater = f"%or{column}"
    lines += [f"  br i1 {greater}, label %shift, label %placed", "shift:"]
    lines += [f"  %to = mul i64 %j, {width}", "  %up = getelementptr i64, ptr %data, i64 %to"]
    for column in range(width):
        lines += [
            f"  %u{column} = getelementptr i64, ptr %up, i64 {column}",
            f"  store i64 %y{column}, ptr %u{column}",
        ]
    lines += ["  br label %inner", "placed:"]
    lines += [f"  %end = mul i64 %j, {width}", "  %here = getelementptr i64, ptr %data, i64 %end"]
    for column in range(width):
        lines += [
            f"  %w{column} = getelementptr i64, ptr %here, i64 {column}",
            f"  store i64 %x{column}, ptr %w{column}",
        ]
    lines += ["  %i2 = add i64 %i, 1", "  br label %outer", "done:", "  ret void", "}"]
    return "\n".join(lines)


_DEPOSITED = """
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)
define internal i64 @nth(i64 %bits, i64 %below) nounwind willreturn memory(none) {
entry:
  %one = shl i64 1, %below
  %bit = call i64 @llvm.x86.bmi.pdep.64(i64 %one, i64 %bits)
  %place = call i64 @llvm.cttz.i64(i64 %bit, i1 false)
  ret i64 %place
}"""
"""The same where the processor deposits bits by itself."""


def _nth(deposits: bool) -> str:
    """The place of the n-th set bit: halves are counted, with no branch to foresee."""
    if deposits:
        return _DEPOSITED
    lines = [
        "define internal i64 @nth(i64 %b64, i64 %n64) nounwind willreturn memory(none) {",
        "entry:",
    ]
    bits, left, place = "%b64", "%n64", "0"
    for half in (32, 16, 8, 4, 2, 1):
        lines += [
            f"  %low{half} = and i64 {bits}, {(1 << half) - 1}",
            f"  %many{half} = call i64 @llvm.ctpop.i64(i64 %low{half})",
            f"  %up{half} = icmp uge i64 {left}, %many{half}",
            f"  %shift{half} = select i1 %up{half}, i64 {half}, i64 0",
            f"  %less{half} = select i1 %up{half}, i64 %many{half}, i64 0",
            f"  %b{half} = lshr i64 {bits}, %shift{half}",
            f"  %n{half} = sub i64 {left}, %less{half}",
            f"  %p{half} = add i64 {place}, %shift{half}",
        ]
        bits, left, place = f"%b{half}", f"%n{half}", f"%p{half}"
    return "\n".join([*lines, f"  ret i64 {place}", "}"])


def declarations(deposits: bool) -> Iterable[str]:
    """The intrinsics that are used; `deposits`: the processor has `pdep`."""
    return (
        _nth(deposits),
        "declare i64 @llvm.ctpop.i64(i64)",
        "declare i64 @llvm.cttz.i64(i64, i1)",
        "declare i64 @llvm.ctlz.i64(i64, i1)",
        "declare i64 @llvm.smin.i64(i64, i64)",
        "declare i64 @llvm.smax.i64(i64, i64)",
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    )

"""A function of LLVM IR while it is written: names, labels, memory, slots, masks.

Assumes: a `Target` (`memory`): the program, and how it is written.
Does: puts lines together; reads and writes slots, narrow or not, with the checks that keep machine
code inside its memory; keeps the masks of regions up to date when a slot of theirs is written.
Leaves behind: lines, which `llvm_values` and `llvm` add to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rulerun.compiled import ir
from rulerun.compiled.ir.value import WORDS, Value
from rulerun.compiled.native.memory import (
    FEW_VALUES,
    Region,
    Rows,
    Target,
    fits,
    is_constant,
    quoted,
    starts_with_frame,
)
from rulerun.compiled.native.plan import FAILED

SLOT, WORD, ROW, STREAM = range(4)
"""What stands in the memory of a play, of which nothing is ever reached as something else: so what
was read stays known, though something else is written. See `memory_kinds`."""


def memory_kinds() -> list[str]:
    """The lines that tell LLVM so, behind all functions."""
    kinds = (SLOT, WORD, ROW, STREAM)
    return [
        '!0 = !{!"memory of a play"}',
        *(f'!{1 + kind} = !{{!"{kind}", !0, i64 0}}' for kind in kinds),
        *(f"!{1 + len(kinds) + kind} = !{{!{1 + kind}, !{1 + kind}, i64 0}}" for kind in kinds),
    ]


def apart(kind: int) -> str:
    """What is written behind an access to something of a kind."""
    return f", !tbaa !{5 + kind}"


class Emitter:
    """One function while it is written."""

    def __init__(
        self, target: Target, name: str, parameters: Sequence[str], more: Sequence[str] = ()
    ) -> None:
        """`more`: parameters that are no numbers, as text."""
        self.target = target
        self.name = name
        self.allocas: list[str] = []
        self.lines: list[str] = []
        self.names: dict[str, str] = {}
        self.kinds: dict[str, int] = {}
        """Of pointers: the kind of what stands there, if that is known."""
        self.held: dict[int, str] = {}
        """The slots that this function holds by itself, and where; some stand in memory as well."""
        self.shared: frozenset[int] = frozenset()
        self.sets: dict[str, int] = {}
        """The names of sets that are wider than a number, and how wide."""
        self.rows: dict[str, Rows] = {}
        self.loops: list[tuple[str, str]] = []
        self.count = 0
        self.open = True
        self.found = False
        self.fail_label: str | None = None
        given = ["ptr noalias %s"]
        if target.framed:
            given.append("i64 %b")
        wide = target.widths.parameters.get(name, (0,) * len(parameters))
        given += [f"i{bits or 64} %p.{each}" for each, bits in zip(parameters, wide, strict=True)]
        given += more
        only = "nounwind willreturn memory(read) " if name in target.pure else ""
        self.gives = target.widths.results.get(name, 0)
        """How wide the set is that it gives; 0: it gives a number."""
        type_ = f"{{ i{self.gives}, i1 }}" if self.gives else "i64"
        self.header = f"define internal {type_} @{quoted(name)}({', '.join(given)}) {only}{{"
        for each, bits in zip(parameters, wide, strict=True):
            if bits:
                self.sets[each] = bits
                self.names[each] = self.alloca(f"i{bits}")
                self.line(f"store i{bits} %p.{each}, ptr {self.names[each]}")
            else:
                self.set(each, f"%p.{each}")

    def finished(self) -> str:
        """The text of the function."""
        if self.open:
            self.give("0")
        lines = [self.header, "entry:", *self.allocas, "  br label %start", "start:", *self.lines]
        if self.fail_label is not None:
            failed = f"{{ i{self.gives}, i1 }} {{ i{self.gives} 0, i1 true }}"
            lines += [f"{self.fail_label}:", f"  ret {failed if self.gives else f'i64 {FAILED}'}"]
        return "\n".join([*lines, "}"])

    def give(self, text: str) -> None:
        """Leave the function with a value, as wide as it gives one."""
        if self.gives:
            type_ = f"{{ i{self.gives}, i1 }}"
            whole = f"{type_} {{ i{self.gives} poison, i1 false }}, i{self.gives} {text}, 0"
            self.line(f"ret {type_} {self.value_of(f'insertvalue {whole}')}")
        else:
            self.line(f"ret i64 {text}")
        self.open = False

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

    def switch(self, number: str, labels: Mapping[int, str]) -> None:
        """Go to the label of a number; any other gives the run up."""
        cases = " ".join(f"i64 {case}, label %{label}" for case, label in labels.items())
        self.line(f"switch i64 {number}, label %{self.fail()} [{cases}]")
        self.open = False

    def alloca(self, type_: str) -> str:
        """Memory of the function."""
        name = self.fresh()
        self.allocas.append(f"  {name} = alloca {type_}")
        return name

    def pointer(self, text: str, kind: int) -> str:
        """One line that makes a pointer to something of a kind."""
        name = self.value_of(text)
        self.kinds[name] = kind
        return name

    def load(self, pointer: str, type_: str = "i64") -> str:
        """What stands there."""
        return self.value_of(f"load {type_}, ptr {pointer}{self._apart(pointer)}")

    def put(self, number: str, pointer: str, type_: str = "i64") -> None:
        """Let a number stand there."""
        self.line(f"store {type_} {number}, ptr {pointer}{self._apart(pointer)}")

    def _apart(self, pointer: str) -> str:
        return apart(self.kinds[pointer]) if pointer in self.kinds else ""

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
        if self.target.guards:
            self.check(self.value_of(f"icmp ult i64 {index}, {many}"))

    def slot(self, address: Value, number: int = 1) -> tuple[str, str]:
        """A pointer to the slot at an address, and the type of what stands there."""
        cell = self.target.cell
        if isinstance(address, ir.Const):
            if address.value in self.held:
                return self.held[address.value], "i64"
            return self.in_memory(address.value)
        index = self.value(address)
        self.inside(index, self.target.program.size - number + 1)
        return self.pointer(f"getelementptr {cell}, ptr %s, i64 {index}", SLOT), cell

    def word(self, place: int) -> str:
        """A pointer to a number behind the slots."""
        return self.slot(ir.Const(WORDS + place))[0]

    def read(self, pointer: str, cell: str) -> str:
        """What stands in a slot."""
        if cell == "i64":
            return self.load(pointer)
        return self.value_of(f"sext {cell} {self.load(pointer, cell)} to i64")

    def store(self, address: Value, number: str) -> None:
        """A number goes into the slot at an address; masks of it are kept."""
        pointer, cell = self.slot(address)
        if cell == self.target.cell:
            for region in self.target.regions:
                self._keep(region, address, pointer, number)
        self.write(pointer, cell, number)
        if isinstance(address, ir.Const) and address.value in self.shared:
            self.write(self.cell_at(address.value), self.target.cell, number)

    def in_memory(self, place: int) -> tuple[str, str]:
        """A pointer to a slot, or a number behind the slots, in memory, and its type."""
        if place >= WORDS:
            bytes_ = self.target.offset + 8 * (place - WORDS)
            return self.pointer(f"getelementptr i8, ptr %s, i64 {bytes_}", WORD), "i64"
        bytes_ = place * self.target.cell_bytes
        return self.pointer(f"getelementptr i8, ptr %s, i64 {bytes_}", SLOT), self.target.cell

    def cell_at(self, place: int) -> str:
        """A pointer to a slot in memory."""
        return self.in_memory(place)[0]

    def hold(
        self, slots: Iterable[int], shared: frozenset[int], known: frozenset[int] = frozenset()
    ) -> None:
        """Hold slots from here on; those that are `shared` are written to memory as well.

        `known`: those of which it is said later what they hold (`known`).
        """
        for at in slots:
            number = "0" if at in known else self.read(*self.in_memory(at))
            self.held[at] = self.alloca("i64")
            self.line(f"store i64 {number}, ptr {self.held[at]}")
        self.shared = shared

    def known(self, slots: Iterable[tuple[int, int]]) -> None:
        """Say what slots hold here, of those that are held."""
        for at, value in slots:
            if at in self.held:
                self.line(f"store i64 {value}, ptr {self.held[at]}")

    def put_back(self) -> None:
        """Write what is held to memory."""
        for at in sorted(self.held.keys() - self.shared):
            self.write(*self.in_memory(at), self.load(self.held[at]))

    def _keep(self, region: Region, address: Value, pointer: str, number: str) -> None:
        """The masks of a region, before a number goes into a slot."""
        if isinstance(address, ir.Const):
            place = address.value - region.base
            if 0 <= place < region.number:
                self._swap_bit(
                    region, str(1 << place if place < 63 else -(1 << 63)), pointer, number
                )
            return
        if starts_with_frame(address):
            return
        index = self.value_of(f"ptrtoint ptr {pointer} to i64")
        start = self.value_of("ptrtoint ptr %s to i64")
        bytes_ = self.value_of(f"sub i64 {index}, {start}")
        at = self.value_of(f"sdiv exact i64 {bytes_}, {self.target.bits // 8}")
        here = self.value_of(f"sub i64 {at}, {region.base}")
        inside, on = self.label(), self.label()
        self.branch(self.value_of(f"icmp ult i64 {here}, {region.number}"), inside, on)
        self.at(inside)
        bit = self.value_of(f"shl i64 1, {here}")
        self._swap_bit(region, bit, pointer, number)
        self.at(on)

    def _swap_bit(self, region: Region, bit: str, pointer: str, number: str) -> None:
        others = self.value_of(f"xor i64 {bit}, -1")
        index = self._value_in(region, number)
        if region.many <= FEW_VALUES:
            # Each mask by itself: it can stay in a register.
            for value in range(region.many):
                word = self.word(region.word + value)
                here = self.value_of(f"icmp eq i64 {index}, {value}")
                mine = self.value_of(f"select i1 {here}, i64 {bit}, i64 0")
                kept = self.value_of(f"and i64 {self.load(word)}, {others}")
                self.put(self.value_of(f"or i64 {kept}, {mine}"), word)
            return
        before = self._mask_at(region, self._value_in(region, self.read(pointer, self.target.cell)))
        self.put(self.value_of(f"and i64 {self.load(before)}, {others}"), before)
        held = self._mask_at(region, index)
        self.put(self.value_of(f"or i64 {self.load(held)}, {bit}"), held)

    def _value_in(self, region: Region, number: str) -> str:
        """Which of the values of a region a number is; it must be one."""
        index = self.value_of(f"sub i64 {number}, {region.low}")
        self.check(self.value_of(f"icmp ult i64 {index}, {region.many}"))
        return index

    def _mask_at(self, region: Region, index: str) -> str:
        return self.pointer(f"getelementptr i64, ptr {self.word(region.word)}, i64 {index}", WORD)

    def write(self, pointer: str, cell: str, number: str) -> None:
        """A number goes into a slot; one that does not fit gives the run up."""
        if cell == "i64":
            self.put(number, pointer)
            return
        short = number
        if not is_constant(number):
            short, _ = self.narrowed(number, check=True)
        elif not fits(int(number), self.target.bits):
            self.check("false")
        self.put(short, pointer, cell)

    def narrowed(self, number: str, check: bool) -> tuple[str, str]:
        """A number as a slot writes it, and whether it fits."""
        cell = self.target.cell
        if cell == "i64":
            return number, "true"
        short = self.value_of(f"trunc i64 {number} to {cell}")
        fits = self.value_of(
            f"icmp eq i64 {self.value_of(f'sext {cell} {short} to i64')}, {number}"
        )
        if check:
            self.check(fits)
        return short, fits

    def value(self, value: Value) -> str:
        """A value: see `llvm_values`."""
        raise NotImplementedError

    def called(self, call: ir.Call) -> str:
        """What a function gives: see `llvm_values`."""
        raise NotImplementedError

    def condition(self, value: Value) -> str:
        """Whether a value holds: see `llvm_values`."""
        raise NotImplementedError

    def mask(self, base: int, number: int, wanted: str) -> str:
        """Which of 64 slots at most hold a number: see `llvm_values`."""
        raise NotImplementedError

"""Sets of more than 64 numbers, as LLVM IR: integers as wide as they must be.

Assumes: an `Emitter`; values of 64 bits, written by `llvm_values`.
Does: knows which names and values are wider; writes them as numbers of 128, 192 … bits, which LLVM
takes apart into words. They have no sign. Bits are counted and found in them.
Leaves behind: names of LLVM values.
"""

from __future__ import annotations

import re

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.native.emit import Emitter
from rulerun.compiled.native.memory import is_simple, words_of
from rulerun_dsl.model.valuetypes import WORD

_WORD = 64
LISTED = f"a set of more than {WORD} members in a list"
"""What is said where a number is asked for, and a wide value stands."""
_BITWISE = {"&": "and", "|": "or", "^": "xor"}


class Sets(Emitter):
    """The wide values of one function."""

    def bits_of(self, value: Value) -> int:
        """How wide a value is; 0: it is a number of 64 bits with a sign."""
        return self.target.widths.of(value, self.sets)

    def new_set(self, name: str, bits: int) -> None:
        """A name for wide values; nothing is in it."""
        if name not in self.sets:
            assert name not in self.names, f"{name} is a number and a set"
            self.sets[name] = bits
            self.names[name] = self.alloca(f"i{bits}")
        self.line(f"store i{bits} 0, ptr {self.names[name]}")

    def set_bits(self, name: str, value: Value, bits: int) -> None:
        """A name gets a wide value."""
        if name not in self.sets:
            self.new_set(name, bits)
        bits = self.sets[name]
        self.line(f"store i{bits} {self.wide(value, bits)}, ptr {self.names[name]}")

    def wide_name(self, name: str, value: Value) -> int:
        """How wide a name is that gets a value; 0: it is a number, and takes no more of a set."""
        if name in self.sets:
            return self.sets[name]
        return 0 if name in self.names else self.bits_of(value)

    def number(self, value: Value, bits: int) -> str:
        """What is a number, though it is made of wide values."""
        return self.resized(self.wide(value, bits), bits, _WORD)

    def resized(self, text: str, bits: int, wanted: int) -> str:
        """A wide value in another width; what does not fit is cut off."""
        if bits == wanted:
            return text
        word = "zext" if bits < wanted else "trunc"
        return self.value_of(f"{word} i{bits} {text} to i{wanted}")

    def wide(self, value: Value, bits: int) -> str:
        """A value in a width."""
        match value:
            case ir.Const(ir.NONE):
                raise Unsupported(f"what may be none, or a set of more than {WORD} members")
            case ir.Const(number):
                # A mask of 64 bits has a sign.
                return str(number if number >= 0 else number + (1 << _WORD))
            case ir.Var(name) if name in self.sets:
                own = self.sets[name]
                held = self.value_of(f"load i{own}, ptr {self.names[name]}")
                return self.resized(held, own, bits)
            case ir.Binary("&" | "|" | "^" | "+" | "-" as operator, left, right):
                word = {"+": "add", "-": "sub", **_BITWISE}[operator]
                one, other = self.wide(left, bits), self.wide(right, bits)
                return self.value_of(f"{word} i{bits} {one}, {other}")
            case ir.Binary("<<", left, by):
                far = self.wide(by, bits)
                return self.value_of(f"shl i{bits} {self.wide(left, bits)}, {far}")
            case ir.Binary(">>", left, by) if own := self.bits_of(left):
                far = self.wide(by, own)
                moved = self.value_of(f"lshr i{own} {self.wide(left, own)}, {far}")
                return self.resized(moved, own, bits)
            case ir.EqualMask(base, number, sought) if number > _WORD:
                return self._masks(base, number, self.value(sought), bits)
            case ir.Select(condition, yes, no):
                return self._either(condition, yes, no, bits)
            case ir.Call() if own := self.bits_of(value):
                return self.resized(self.called(value), own, bits)
            case _:
                return self.resized(self.value(value), _WORD, bits)

    def _masks(self, base: int, number: int, wanted: str, bits: int) -> str:
        """Which of many slots hold a number, put together of words."""
        found = ""
        for at, (start, many) in enumerate(words_of(base, number)):
            word = self.resized(self.mask(start, many, wanted), _WORD, bits)
            if not at:
                found = word
                continue
            high = self.value_of(f"shl i{bits} {word}, {at * _WORD}")
            found = self.value_of(f"or i{bits} {found}, {high}")
        return found

    def _either(self, condition: Value, yes: Value, no: Value, bits: int) -> str:
        held = self.condition(condition)
        if is_simple(yes) and is_simple(no):
            one, other = self.wide(yes, bits), self.wide(no, bits)
            return self.value_of(f"select i1 {held}, i{bits} {one}, i{bits} {other}")
        result = self.alloca(f"i{bits}")
        first, second, done = self.label(), self.label(), self.label()
        self.branch(held, first, second)
        self.at(first)
        self.line(f"store i{bits} {self.wide(yes, bits)}, ptr {result}")
        self.go(done)
        self.at(second)
        self.line(f"store i{bits} {self.wide(no, bits)}, ptr {result}")
        self.at(done)
        return self.value_of(f"load i{bits}, ptr {result}")

    # ------------------------------------------------------------------------------- asked for

    def compares(self, operator: str, left: Value, right: Value, bits: int) -> str:
        """Whether two wide values are the same, or not, or which is more, as a bit."""
        word = {"==": "eq", "!=": "ne", "<": "ult", "<=": "ule", ">": "ugt", ">=": "uge"}[operator]
        one, other = self.wide(left, bits), self.wide(right, bits)
        return self.value_of(f"icmp {word} i{bits} {one}, {other}")

    def is_any(self, value: Value, bits: int) -> str:
        """Whether something is in a set, as a bit."""
        return self.value_of(f"icmp ne i{bits} {self.wide(value, bits)}, 0")

    def bit_count(self, value: Value, bits: int) -> str:
        """How much is in a set."""
        text = self.wide(value, bits)
        found = self.value_of(f"call i{bits} @llvm.ctpop.i{bits}(i{bits} {text})")
        return self.resized(found, bits, _WORD)

    def lowest_bit(self, text: str, bits: int) -> str:
        """The lowest number in a set in which something is."""
        found = self.value_of(f"call i{bits} @llvm.cttz.i{bits}(i{bits} {text}, i1 true)")
        return self.resized(found, bits, _WORD)

    def highest_bit(self, value: Value, bits: int) -> str:
        """The highest number in a set in which something is."""
        text = self.wide(value, bits)
        zeros = self.value_of(f"call i{bits} @llvm.ctlz.i{bits}(i{bits} {text}, i1 true)")
        zeros = self.resized(zeros, bits, _WORD)
        return self.value_of(f"sub i64 {bits - 1}, {zeros}")

    def nth_bit(self, value: Value, below: Value, bits: int) -> str:
        """The number in a set below which so many are."""
        text, left = self.wide(value, bits), self.value(below)
        name = f"nth{bits}" if bits > _WORD else "nth"
        return self.value_of(f"call i64 @{name}(i{bits} {text}, i64 {left})")


def declared(text: str) -> list[str]:
    """What functions use of LLVM for wide sets, and how the n-th bit is found in them."""
    found = []
    asked = re.findall(r"@(?:nth|llvm\.(?:ctpop|cttz|ctlz)\.i)(\d+)\(", text)
    for bits in sorted({int(each) for each in asked} - {_WORD}):
        found += [
            f"declare i{bits} @llvm.ctpop.i{bits}(i{bits})",
            f"declare i{bits} @llvm.cttz.i{bits}(i{bits}, i1)",
            f"declare i{bits} @llvm.ctlz.i{bits}(i{bits}, i1)",
            _nth(bits),
        ]
    return found


def _nth(bits: int) -> str:
    """The word in which it is, and its place there."""
    lines = [
        f"define internal i64 @nth{bits}(i{bits} %bits, i64 %below) "
        "nounwind willreturn memory(none) {",
        "entry:",
        f"  %w0 = trunc i{bits} %bits to i64",
    ]
    word, left, base, under = "%w0", "%below", "0", "0"
    for at in range(1, bits // _WORD):
        lines += [
            f"  %s{at} = lshr i{bits} %bits, {at * _WORD}",
            f"  %w{at} = trunc i{bits} %s{at} to i64",
            f"  %c{at} = call i64 @llvm.ctpop.i64(i64 %w{at - 1})",
            f"  %u{at} = add i64 {under}, %c{at}",
            f"  %up{at} = icmp uge i64 %below, %u{at}",
            f"  %less{at} = sub i64 %below, %u{at}",
            f"  %word{at} = select i1 %up{at}, i64 %w{at}, i64 {word}",
            f"  %left{at} = select i1 %up{at}, i64 %less{at}, i64 {left}",
            f"  %base{at} = select i1 %up{at}, i64 {at * _WORD}, i64 {base}",
        ]
        word, left, base, under = f"%word{at}", f"%left{at}", f"%base{at}", f"%u{at}"
    lines += [
        f"  %place = call i64 @nth(i64 {word}, i64 {left})",
        f"  %found = add i64 {base}, %place",
        "  ret i64 %found",
        "}",
    ]
    return "\n".join(lines)

"""Sets of small numbers while a function runs, lowered.

Assumes: how many numbers there may be; whether a number may have as many bits as one likes.
Does: keeps a set as the bits of one number, or, if there are very many, of several in rows.
Leaves behind: values and statements.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Builder, binary, const, plus, times
from rulerun_dsl.model.valuetypes import WORD

_SHIFT = 5
_BITS = 1 << _SHIFT
"""Bits of each number where a set takes several."""


class Flags:
    """A set of the numbers from 0 up to, but without, `many`."""

    def __init__(self, builder: Builder, name: str, many: int) -> None:
        """Begin with nothing."""
        self.builder = builder
        self.name = builder.fresh(name)
        one = builder.any_size or many <= max(WORD, builder.widest)
        self.words = 1 if one else -(-many // _BITS)
        builder.emit(
            builder.no_set(self.name, many)
            if self.words == 1
            else ir.NewRows(self.name, 1, self.words, self.words)
        )

    def holds(self, at: Value) -> Value:
        """Whether a number is in it."""
        if self.words == 1:
            return binary("&", binary(">>", ir.Var(self.name), at), 1)
        word = ir.RowGet(self.name, binary(">>", at, _SHIFT), 0)
        return binary("&", binary(">>", word, binary("&", at, _BITS - 1)), 1)

    def mark(self, at: Value) -> ir.Statement:
        """Put a number in."""
        if self.words == 1:
            bit = binary("<<", const(1), at)
            return ir.Assign(self.name, binary("|", ir.Var(self.name), bit))
        place = binary(">>", at, _SHIFT)
        bit = binary("<<", const(1), binary("&", at, _BITS - 1))
        return ir.RowSet(self.name, place, binary("|", ir.RowGet(self.name, place, 0), bit))

    @property
    def whole(self) -> Value:
        """The set as one number, which it must be."""
        assert self.words == 1
        return ir.Var(self.name)

    def become(self, other: Flags | Value) -> ir.Statement:
        """What is in another is in it, and nothing else."""
        return ir.Assign(self.name, other.whole if isinstance(other, Flags) else other)

    def add(self, other: Value) -> ir.Statement:
        """Put in what is in another as well."""
        return self.become(binary("|", self.whole, other))

    def keep(self, other: Flags) -> ir.Statement:
        """Take out what is not in another."""
        return self.become(binary("&", self.whole, other.whole))

    def drop(self, other: Flags) -> ir.Statement:
        """Take out what is in another."""
        both = binary("&", self.whole, other.whole)
        return self.become(binary("^", self.whole, both))

    def moved(self, members: int, step: int) -> Value:
        """Those of some members that are in it, each more by `step`."""
        some = binary("&", self.whole, members)
        return binary("<<", some, step) if step > 0 else binary(">>", some, -step)

    def some_of(self, mask: int) -> list[int]:
        """The words in which a mask has bits."""
        return [word for word in range(self.words) if self.word_of(mask, word)]

    def word_of(self, mask: int, word: int) -> int:
        """The bits of a mask that stand in one of the words."""
        return mask if self.words == 1 else mask >> word * _BITS & (1 << _BITS) - 1

    def shifted(self, step: int, word: int) -> Value:
        """The bits of a word, were all numbers less by `step`."""
        if self.words == 1:
            return binary(">>", ir.Var(self.name), step) if step else ir.Var(self.name)
        place, bits = word + (step >> _SHIFT), step & _BITS - 1
        if place >= self.words:
            return const(0)
        low = binary(">>", ir.RowGet(self.name, const(place), 0), bits)
        if not bits or place + 1 >= self.words:
            return low
        # Bits beyond the word may stay: the mask of the firsts takes them away.
        high = binary("<<", ir.RowGet(self.name, const(place + 1), 0), _BITS - bits)
        return binary("|", low, high)

    def each(self, body: Callable[[Value], None]) -> None:
        """A loop over those in it, ascending."""
        builder = self.builder
        bit, place = builder.fresh("bit"), builder.fresh("place")
        one = self.words == 1
        with builder.block() as inner:
            body(ir.Var(bit) if one else plus(times(ir.Var(place), _BITS), ir.Var(bit)))
        word = ir.Var(self.name) if one else ir.RowGet(self.name, ir.Var(place), 0)
        loop = ir.EachBit(bit, word, tuple(inner))
        builder.emit(loop if one else ir.For(place, const(0), const(self.words), (loop,)))

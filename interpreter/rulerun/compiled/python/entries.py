"""Which blocks are functions of their own, and which are written where play goes on at them.

Assumes: a `Program` of `ir`.
Does: looks from where each block is gone on at. One that only one other goes on at is written
there; so are short ones, and those that only ask what may be chosen and wait.
Leaves behind: the entries, for `source`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Statement

_DEEP = 8
"""Blocks are not written inside one another deeper than this."""
_SHORT = 3
"""A block of so few statements is written again wherever it is gone on at."""


_MOST = 12
"""So many instructions are in one function at most, those written inside it among them."""


def blocks_of(program: Program) -> int:
    """Less than so many functions of blocks may run in one input.

    So many, and what takes a row, stay within the bound; where there are more the reference counts
    exactly.
    """
    return program.steps // _MOST


class Entries:
    """The blocks of one program that are functions."""

    def __init__(self, program: Program) -> None:
        """Look at all of them."""
        self.program = program
        self.blocks = {block.at: block for block in program.blocks}
        self.statements = {at: ir.all_statements(block.body) for at, block in self.blocks.items()}
        self.jumps = {at: _jumps(each) for at, each in self.statements.items()}
        """Where each block goes on."""
        self.met = Counter(to for jumps in self.jumps.values() for to in jumps)
        self.answers = {
            each.at: _jumps(ir.all_statements(each.settle)) for each in program.questions
        }
        """Where an answer to each question goes on."""
        for jumps in self.answers.values():
            self.met.update(jumps)
        self.backs = self._backs()
        self.all = self._entries(set())
        while deeper := self._deeper():
            self.all = self._entries(self.all | deeper)
        self.called = {at for at in self.all if not self._waits(at)}
        """Those at which play always goes on by a call."""

    def _deeper(self) -> set[int]:
        """The blocks that would be written inside themselves, or too deep inside others."""
        found: set[int] = set()
        waiting: list[tuple[list[int], tuple[int, ...]]]
        waiting = [(self.jumps[at], (at,)) for at in self.all]
        waiting += [(jumps, (at,)) for at, jumps in self.answers.items()]
        while waiting:
            jumps, inside = waiting.pop()
            for to in jumps:
                if to in self.all:
                    continue
                if to in inside or len(inside) > _DEEP:
                    found.add(to)
                else:
                    waiting.append((self.jumps[to], (*inside, to)))
        return found

    def _entries(self, apart: set[int]) -> set[int]:
        """The blocks that are functions of their own, `apart` among them."""
        program = self.program
        fixed = {program.entry, *(each.at for each in program.questions)}
        fixed |= set(program.supposed)
        for together in program.togethers:
            fixed |= {together.body, together.done, together.at}
        entries = fixed | self.backs | apart
        for at, statements in self.statements.items():
            if self.met[at] > 1 and not _is_short(statements):
                entries.add(at)
        reached = self._reached(entries)
        return {at for at in entries if at in reached or at in fixed}

    def _backs(self) -> set[int]:
        """The blocks at which a call of the code comes back: where to is stored before a jump."""
        found: set[int] = set()
        for place, statements in self.statements.items():
            for first, second in pairwise(statements):
                match first, second:
                    case ir.StoreSlot(_, ir.Const(at)), ir.Jump(ir.Const()) if (
                        at in self.blocks and place in (at - 1, at)
                    ):
                        found.add(at)
        return found

    def _reached(self, entries: set[int]) -> set[int]:
        """The blocks that play can come to; those written inside others make new entries."""
        reached: set[int] = set()
        waiting = list(entries)
        while waiting:
            at = waiting.pop()
            if at in reached or at not in self.blocks:
                continue
            reached.add(at)
            waiting += self.jumps[at]
        return reached

    def _waits(self, at: int) -> bool:
        """Whether a block does nothing but ask what may be chosen, and wait."""
        match self.blocks[at].body:
            case (ir.CallLister(), ir.If(ir.Not(ir.Length()), (ir.Fail(),), ()), ir.Rest()):
                return True
            case _:
                return False


def _jumps(statements: Iterable[Statement]) -> list[int]:
    """The blocks at which statements go on."""
    return [
        each.to.value
        for each in statements
        if isinstance(each, ir.Jump) and isinstance(each.to, ir.Const)
    ]


def _is_short(statements: list[Statement]) -> bool:
    loops = ir.For | ir.Each | ir.EachEqual | ir.EachBit | ir.EachRow | ir.While | ir.CallLister
    return len(statements) <= _SHORT and not any(isinstance(one, loops) for one in statements)

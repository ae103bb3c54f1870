"""Which slots a game that is one function holds by itself, in registers.

Assumes: a program with one control stack, whose game is one function (`threaded`); what of its
slots are no part of a family. An address that is reckoned lies in a family: so the lowering has it.
Does: finds the slots that nothing but blocks, and what settles a row, write, one by one.
Leaves behind: the slots that are held, how many rows there are among them, and those of them that
functions read, which must be written to memory as well; where what must stand in memory ends.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.sampling import ROWS_COUNT
from rulerun.compiled.ir.successors import kept_by, reached
from rulerun_dsl.source.frozen import frozen


@frozen
class Held:
    """The slots that are held."""

    slots: tuple[int, ...] = ()
    read: frozenset[int] = frozenset()
    """Those of them that are read elsewhere."""
    known: frozenset[int] = frozenset()
    """Those of which it is known at every rest what they hold (`cloning`)."""
    end: int | None = None
    """From here on a game that begins finds nothing in memory that it asks for."""


def held_by(program: Program, alone: Iterable[int]) -> Held:
    """The slots that a game holds; `alone`: those that hold a variable by themselves."""
    supposed = reached(program, program.supposed, kept_by(program))
    here: list[object] = [program.restart]
    here += (question.settle for question in program.questions)
    here += (question.player for question in program.questions)
    here += (block.body for block in program.blocks)
    elsewhere: list[object] = [program.judge.body]
    elsewhere += (function.body for function in program.functions)
    elsewhere += (lister.body for lister in program.listers)
    elsewhere += (block.body for block in program.blocks if block.at in supposed)
    mine, others = _Uses(here), _Uses(elsewhere)
    if mine.supposes:
        return Held()
    single = {*alone, *range(program.base + 1, program.size)}
    slots = single & mine.ones - mine.runs - others.written | {ROWS_COUNT.value} - others.written
    read = slots & (others.ones | others.runs)
    known = slots.intersection(*(dict(question.known) for question in program.questions))
    used = mine.ones | mine.runs | others.ones | others.runs
    asked = {at for at in used - (known - read) if at < program.size}
    end = max(asked | {program.base}) + 1
    return Held(tuple(sorted(slots)), frozenset(read), frozenset(known), end)


class _Uses:
    """What statements do with slots whose addresses are known."""

    def __init__(self, bodies: Iterable[object]) -> None:
        self.ones: set[int] = set()
        """One by one."""
        self.runs: set[int] = set()
        """With others at once."""
        self.written: set[int] = set()
        self.supposes = False
        for node in every_part(part for body in bodies for part in _parts(body)):
            self._note(node)

    def _note(self, node: object) -> None:
        match node:
            case ir.Slot(ir.Const(at)):
                self.ones.add(at)
            case ir.StoreSlot(ir.Const(at)) | ir.Add(ir.Const(at)):
                self.ones.add(at)
                self.written.add(at)
            case ir.Fill(ir.Const(at), number):
                self.ones |= set(range(at, at + number))
                self.written |= set(range(at, at + number))
            case ir.Copy(to, source, number):
                for address in (to, source):
                    if isinstance(address, ir.Const):
                        self.runs |= set(range(address.value, address.value + number))
                if isinstance(to, ir.Const):
                    self.written |= set(range(to.value, to.value + number))
            case ir.SumSlots(ir.Const(at), number):
                self.runs |= set(range(at, at + number))
            case (
                ir.CountEqual(at, number)
                | ir.FindEqual(at, number)
                | ir.EqualMask(at, number)
                | ir.EachEqual(_, at, number)
            ):
                self.runs |= set(range(at, at + number))
            case ir.OnTop(base, positions, number):
                for start in (base, positions):
                    self.runs |= set(range(start, start + number))
            case ir.Suppose():
                self.supposes = True


def _parts(body: object) -> tuple[object, ...]:
    return body if isinstance(body, tuple) else (body,)

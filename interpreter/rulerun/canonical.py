"""Equal positions are equal vectors: copies that nothing tells apart are kept sorted at rest.

Assumes: a play at rest.
Does: for each kind whose copies have identities, sorts them by where they lie and how they are,
unless a loop, a name or a variable holds a component of that kind (its number would then mean
another one).
Leaves behind: a canonical vector.

A name holds something from where it is bound to where it is cleared. Which slots that are at a
point of the code is found once, by following the code: a slot of 0 may be a component or nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rulerun.components import kind_of
from rulerun.control import onward
from rulerun.machine import Machine
from rulerun.play import TOGETHER, Play
from rulerun.tables import KindTable, VariableTable, element_of
from rulerun_dsl import model
from rulerun_dsl.model import Instruction, Local
from rulerun_dsl.valuetypes import Type

Held = frozenset[tuple[int, str]]
"""Slots of a frame that hold components, each with the kind."""


class Canonical:
    """The order of copies in one game."""

    def __init__(self, machine: Machine) -> None:
        """Find what may hold a component of a kind with copies."""
        self.machine = machine
        self.tables = machine.tables
        self.kinds = [kind for kind in self.tables.kinds.values() if kind.alike]
        self._variables = {kind.kind.name: self._holding(kind) for kind in self.kinds}
        self._held: list[Held] = self._follow() if self.kinds else []

    def sort(self, play: Play) -> None:
        """Sort the copies of every kind that nothing holds."""
        if not self.kinds:
            return
        held = set(self._held_in_frames(play.slots))
        for kind in self.kinds:
            if kind.kind.name in held or self._in_variables(play.slots, kind):
                continue
            if not play.slots[TOGETHER]:
                known = self.machine.knowledge.column(kind)
                self.machine.components.sort_copies(play.slots, kind, known)

    # ---------------------------------------------------------------------------- variables

    def _holding(self, kind: KindTable) -> list[VariableTable]:
        return [
            table
            for table in self.tables.variables.values()
            if kind_of(self.tables, element_of(table.variable.type)) is kind
        ]

    def _in_variables(self, slots: Sequence[int], kind: KindTable) -> bool:
        for table in self._variables[kind.kind.name]:
            type_ = table.variable.type
            for indexes in table.instances():
                if self.tables.decode(type_, slots[table.address(indexes)]) is not None:
                    return True
        return False

    # -------------------------------------------------------------------------------- names

    def _held_in_frames(self, slots: Sequence[int]) -> Iterator[str]:
        layout = self.machine.game.layout
        for frame in range(layout.frames):
            base = layout.base + frame * layout.frame
            if not slots[base]:
                continue
            for _, at in self.machine.control.running(slots, base, slots[base] - 1):
                for offset, kind in self._held[at]:
                    # A name that is none holds nothing: none of a component is -1.
                    if slots[base + offset] >= 0:
                        yield kind

    def _alike(self, type_: Type) -> str | None:
        kind = kind_of(self.tables, element_of(type_))
        return kind.kind.name if kind is not None and kind.alike else None

    def _follow(self) -> list[Held]:
        """By instruction: what holds a component when play comes to it."""
        code = self.machine.game.code
        held: dict[int, set[tuple[int, str]]] = defaultdict(set)
        waiting = []
        for procedure in self.machine.game.procedures:
            held[procedure.entry] |= set(self._names(procedure.parameters))
            waiting.append(procedure.entry)
        seen = set()
        while waiting:
            at = waiting.pop()
            seen.add(at)
            for after in onward(code, at):
                found = self._behind(code[at], at, after, held[at])
                if not found <= held[after] or after not in seen:
                    held[after] |= found
                    waiting.append(after)
        return [frozenset(held[at]) for at in range(len(code))]

    def _names(self, targets: Sequence[object]) -> Iterator[tuple[int, str]]:
        for target in targets:
            if isinstance(target, Local):
                kind = self._alike(target.type)
                if kind is not None:
                    yield target.offset, kind

    def _behind(
        self, node: Instruction, at: int, after: int, held: set[tuple[int, str]]
    ) -> set[tuple[int, str]]:
        """What holds a component once play goes on from an instruction to `after`."""
        found = set(held)
        match node:
            case model.Clear(offsets=offsets):
                found = {each for each in found if each[0] not in offsets}
            case model.LoopNext(loop=loop, done=done):
                bound = set(self._names([loop.variable]))
                if loop.mode == "values":
                    bound |= {(loop.cursor, kind) for _, kind in bound}
                found = found - bound if after == done else found | bound
            case model.Choose(options=options):
                for option in options:
                    if option.to == after:
                        found |= set(self._names([each.local for each in option.binders]))
            case model.TogetherStart(variable=variable):
                found |= set(self._names([variable]))
            case model.Store(target=target) | model.Roll(target=target) | model.Pick(target=target):
                found |= set(self._names([target]))
            case model.Call(result=result) | model.MoveSome(result=result):
                found |= set(self._names([result]))
            case _:
                pass
        return found

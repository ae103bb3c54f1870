"""What holds a component: names, loops and calls that wait.

Assumes: checked code, a state at rest.
Does: follows the code once, to find which slots of a frame may hold a component at each point (a
slot of 0 may be a component or nothing, so the slot alone does not tell); reads them in a state.
Leaves behind: which components a state holds outside zones. Variables are not looked at.

A name holds a component from where it is bound to where it is cleared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from rulerun.runtime.components import kind_of
from rulerun.runtime.control import Control, effects_of
from rulerun.runtime.index import GameIndex, element_of
from rulerun_dsl.model import Instruction, Local, LoopNext
from rulerun_dsl.model.effects import NEXT, Effects
from rulerun_dsl.model.valuetypes import Multiset, SetOf, bare
from rulerun_dsl.source.frozen import frozen


@frozen
class Holder:
    """A slot of a frame that holds a component of a kind, or stands at one."""

    offset: int
    kind: str
    what: str
    """`name`: the slot is the component; `loop`, `several`: it stands for one, or for some."""


class Holding:
    """What holds components of some kinds in one game."""

    def __init__(self, tables: GameIndex, control: Control, kinds: Collection[str]) -> None:
        """Follow the code."""
        self.tables = tables
        self.control = control
        self.kinds = kinds
        self.by_instruction: list[frozenset[Holder]] = self._follow() if kinds else []

    def held(self, slots: Sequence[int]) -> Iterator[tuple[Holder, int]]:
        """What holds something in a state, with the address of the slot."""
        layout = self.tables.game.layout
        for frame in range(layout.frames if self.kinds else 0):
            base = layout.base + frame * layout.frame
            if not slots[base]:
                continue
            for _, at in self.control.running(slots, base, slots[base] - 1):
                for holder in self.by_instruction[at]:
                    # A name that is none holds nothing: none of a component is -1.
                    if slots[base + holder.offset] >= 0:
                        yield holder, base + holder.offset
        for number, procedure in enumerate(self.tables.game.procedures):
            if not procedure.queued or not self.kinds:
                continue
            for entry in self.control.entries(number):
                for at, parameter in enumerate(procedure.parameters if slots[entry] else ()):
                    for holder in self._names([parameter]):
                        if slots[entry + 1 + at] >= 0:
                            yield holder, entry + 1 + at

    def _names(self, targets: Sequence[object]) -> Iterator[Holder]:
        for target in targets:
            if isinstance(target, Local):
                type_ = element_of(bare(target.type))
                kind = kind_of(self.tables, type_)
                if kind is not None and kind.kind.name in self.kinds:
                    several = isinstance(bare(target.type), SetOf | Multiset)
                    what = "several" if several else "name"
                    yield Holder(target.offset, kind.kind.name, what)

    def _follow(self) -> list[frozenset[Holder]]:
        """By instruction: what holds a component when play comes to it."""
        game = self.tables.game
        does = effects_of(game)
        held: dict[int, set[Holder]] = defaultdict(set)
        waiting = []
        for procedure in game.procedures:
            held[procedure.entry] |= set(self._names(procedure.parameters))
            waiting.append(procedure.entry)
        seen = set()
        while waiting:
            at = waiting.pop()
            seen.add(at)
            for way in does[at].ways:
                after = at + 1 if way == NEXT else way
                found = self._behind(game.code[at], does[at], way, held[at])
                if not found <= held[after] or after not in seen:
                    held[after] |= found
                    waiting.append(after)
        return [frozenset(held[at]) for at in range(len(game.code))]

    def _behind(self, node: Instruction, does: Effects, way: int, held: set[Holder]) -> set[Holder]:
        """What holds a component once play goes on from an instruction on one of its ways."""
        cleared = does.clears if way == does.ways[-1] else ()
        found = {each for each in held if each.offset not in cleared}
        found.update(self._names([each.target for each in does.writes if each.to in (None, way)]))
        if isinstance(node, LoopNext) and node.loop.mode == "values" and way == NEXT:
            names = self._names([node.loop.variable])
            found.update(Holder(node.loop.cursor, each.kind, "loop") for each in names)
        return found

"""Who may see what: a declared visibility, compiled once, for all who ask.

Assumes: a checked game.
Does: compiles each visibility once; where it reads nothing of the state, works out once for each
owner whom it lets look.
Leaves behind: masks of viewers (bit p for player p; the bit behind the last player is the
spectator), or the answer for one viewer.

Events, knowledge, refusals and views ask here. `compiled.lower.sight` lowers what depends on the
state, and the laws work it out again (`laws.declared_sight`), to hold what is told against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from rulerun.analysis.reads import reads
from rulerun.reference.evaluate import Evaluator
from rulerun.runtime.closures import Run, fresh_registers
from rulerun.runtime.index import Instance, VariableTable
from rulerun_dsl.model import OWNER, SPECTATOR, VIEWER, Expression
from rulerun_dsl.source.frozen import frozen


@frozen
class VisibleIf:
    """A condition under which something of an owner's is seen."""

    condition: Expression
    run: Run
    owner: int | None
    always: int | None
    """The viewers for whom it holds, as a mask, if nothing of the state is read for that."""


class Visibility:
    """Who may see what in the states of one game."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Nothing is compiled yet."""
        self.evaluator = evaluator
        self.game = evaluator.game
        self.players = len(self.game.players)
        self.all = (1 << self.players + 1) - 1
        self._visible: dict[tuple[int, int | None], VisibleIf] = {}
        """By the identity of the condition, which is kept alive here, and the owner."""

    def visible(self, condition: Expression, owner: int | None) -> VisibleIf:
        """A visibility that something of an owner's declares."""
        key = id(condition), owner
        found = self._visible.get(key)
        if found is None:
            run, always = self.evaluator.compile(condition), None
            if not reads(self.game, condition).state:
                always = self._mask(run, owner, (), self._registers())
            found = self._visible[key] = VisibleIf(condition, run, owner, always)
        return found

    def sees(self, viewer: int, visible: VisibleIf, slots: Sequence[int]) -> bool:
        """Whether a visibility holds for one viewer."""
        if visible.always is not None:
            return bool(visible.always >> viewer % (self.players + 1) & 1)
        registers = self._registers()
        registers[VIEWER], registers[OWNER] = viewer, visible.owner
        with self._uncounted():
            return bool(visible.run(slots, self.game.layout.base, registers))

    def of(
        self, condition: Expression, owner: int | None, slots: Sequence[int], registers: list[Any]
    ) -> int:
        """The viewers for whom a visibility holds."""
        visible = self.visible(condition, owner)
        if visible.always is not None:
            return visible.always
        return self._mask(visible.run, owner, slots, registers)

    def _mask(self, run: Run, owner: int | None, slots: Sequence[int], registers: list[Any]) -> int:
        base = self.game.layout.base
        mask = 0  # SPECTATOR is -1, and so the bit behind the last player
        kept = registers[VIEWER], registers[OWNER]
        registers[OWNER] = owner
        with self._uncounted():
            for viewer in range(SPECTATOR, self.players):
                registers[VIEWER] = viewer
                if run(slots, base, registers):
                    mask |= 1 << viewer % (self.players + 1)
        registers[VIEWER], registers[OWNER] = kept
        return mask

    def _registers(self) -> list[Any]:
        return fresh_registers(self.game)

    def _uncounted(self) -> AbstractContextManager[None]:
        """Who listens is no matter of the rules: it does not count."""
        return self.evaluator.budget.anew()

    def members(self, zone: Instance, slots: Sequence[int], registers: list[Any]) -> int:
        """Who sees what lies in a zone."""
        return self.of(zone.family.visible, zone.owner, slots, registers)

    def count(self, zone: Instance, slots: Sequence[int], registers: list[Any]) -> int:
        """Who sees how much lies in a zone."""
        counted = self.of(zone.family.count_visible, zone.owner, slots, registers)
        return counted | self.members(zone, slots, registers)

    def variable(
        self,
        table: VariableTable,
        indexes: tuple[int, ...],
        slots: Sequence[int],
        registers: list[Any],
    ) -> int:
        """Who sees a variable."""
        owner = None if table.owner is None else indexes[table.owner]
        return self.of(table.variable.visible, owner, slots, registers)

"""Who may see what, as masks of viewers.

Assumes: a checked game.
Does: asks the visibility that zones and variables declare.
Leaves behind: masks: bit p for player p; the bit behind the last player is the spectator.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from rulerun.analysis.reads import reads
from rulerun.reference.evaluate import Evaluator
from rulerun.runtime.closures import Run
from rulerun.runtime.index import Instance, VariableTable
from rulerun_dsl.model import OWNER, SPECTATOR, VIEWER, Expression


class Visibility:
    """Who may see what, as masks of viewers."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Compile every visibility of the game."""
        self.evaluator = evaluator
        self.game = evaluator.game
        self.players = len(self.game.players)
        self.all = (1 << self.players + 1) - 1
        self._compiled: dict[int, tuple[Run, bool]] = {}
        self._fixed: dict[tuple[int, int | None], int] = {}

    def of(
        self, condition: Expression, owner: int | None, slots: Sequence[int], registers: list[Any]
    ) -> int:
        """The viewers for whom a visibility holds."""
        number = id(condition)
        if number not in self._compiled:
            steady = not reads(self.game, condition).state
            self._compiled[number] = self.evaluator.compile(condition), steady
        run, steady = self._compiled[number]
        if steady and (number, owner) in self._fixed:
            return self._fixed[number, owner]
        base = self.game.layout.base
        mask = 0
        kept = registers[VIEWER], registers[OWNER]
        registers[OWNER] = owner
        # Who listens is no matter of the rules: it does not count.
        with self.evaluator.budget() if self.evaluator.effort.counted else nullcontext():
            for viewer in range(SPECTATOR, self.players):
                registers[VIEWER] = viewer
                if run(slots, base, registers):
                    mask |= 1 << (self.players if viewer == SPECTATOR else viewer)
        registers[VIEWER], registers[OWNER] = kept
        if steady:
            self._fixed[number, owner] = mask
        return mask

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

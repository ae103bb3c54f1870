"""Equal positions are equal vectors: copies that nothing tells apart are kept sorted at rest.

Assumes: a play at rest.
Does: for each kind whose copies have identities, sorts them by where they lie and how they are,
unless a loop, a name, a waiting call or a variable holds a component of that kind (its number would
then mean another one).
Leaves behind: a canonical vector.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.analysis.holding import Holding
from rulerun.reference.machine import Machine
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable, VariableTable, element_of
from rulerun.runtime.play import TOGETHER, Play


class Canonical:
    """The order of copies in one game."""

    def __init__(self, machine: Machine) -> None:
        """Find what may hold a component of a kind with copies."""
        self.machine = machine
        self.tables = machine.tables
        self.kinds = [kind for kind in self.tables.kinds.values() if kind.alike]
        self._variables = {kind.kind.name: self._holding(kind) for kind in self.kinds}
        names = {kind.kind.name for kind in self.kinds}
        self._names = Holding(self.tables, machine.control, names)

    def sort(self, play: Play) -> None:
        """Sort the copies of every kind that nothing holds."""
        if not self.kinds:
            return
        held = {holder.kind for holder, _ in self._names.held(play.slots)}
        for kind in self.kinds:
            if kind.kind.name in held or self._in_variables(play.slots, kind):
                continue
            if not play.slots[TOGETHER]:
                knowledge = self.machine.knowledge
                known = [knowledge.column(kind), knowledge.places.column(kind)]
                self.machine.components.sort_copies(
                    play.slots, kind, [each for each in known if each is not None]
                )

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

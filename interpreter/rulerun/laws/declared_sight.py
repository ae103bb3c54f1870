"""Who may see what by declaration, worked out a second time, independently of `views.observe`.

Assumes a checked game and a state at rest or in the middle of a step.
Does: asks the visibility that each zone and variable declares, and collects what one viewer may see
by it, as plain numbers. Inside a `together` what belongs to others is looked at in the shadow.
Leaves behind values that are equal for two states if and only if the declarations show them alike.

The laws compare `observe`, `events` and `knowledge` with this, so it uses none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rulerun.analysis.reads import reads
from rulerun.reference.budget import Budget
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.machine import supposing
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.components import Components
from rulerun.runtime.index import GameIndex, Instance, KindTable, VariableTable
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun_dsl.model import OWNER, SPECTATOR, VIEWER, Expression, Game
from rulerun_dsl.model.valuetypes import Component, bare

Slots = Sequence[int]


class Sight:
    """The declarations of one game."""

    def __init__(self, game: Game, budget: Budget | None = None) -> None:
        """Compile nothing yet: conditions are compiled when first asked."""
        self.game = game
        self.tables = GameIndex(game)
        self.components = Components(self.tables)
        self.evaluator = Evaluator(self.tables, self.components, budget)
        self.evaluator.suppose = supposing(self.tables.game)
        self.viewers = (*range(len(game.players)), SPECTATOR)
        self._steady: dict[tuple[int, int, int | None], bool] = {}
        """What holds whatever the state is."""
        self.variables = [
            (table, indexes, self.label(table.variable.name, table.variable.indexes, indexes))
            for table in self.tables.variables.values()
            for indexes in table.instances()
        ]
        self.zones = {
            self.label(zone.family.name, zone.family.indexes, zone.indexes): zone
            for zone in self.tables.instances
        }
        self.named = {label: (table, indexes) for table, indexes, label in self.variables}

    def label(self, name: str, types: Sequence[Any], indexes: Sequence[int]) -> str:
        """`hand[yarg]`."""
        if not indexes:
            return name
        texts = (self.tables.text(type_, at) for type_, at in zip(types, indexes, strict=True))
        return f"{name}[{', '.join(texts)}]"

    # -------------------------------------------------------------------------------- asking

    def holds(self, condition: Expression, slots: Slots, viewer: int, owner: int | None) -> bool:
        """Whether a visibility holds for a viewer."""
        key = id(condition), viewer, owner
        if key in self._steady:
            return self._steady[key]
        registers = fresh_registers(self.game)
        registers[VIEWER], registers[OWNER] = viewer, owner
        found = bool(self.evaluator.compile(condition)(slots, self.game.layout.base, registers))
        if not reads(self.game, condition).state:
            self._steady[key] = found
        return found

    def in_zone(self, zone: Instance, slots: Slots, viewer: int) -> bool:
        """Whether a viewer sees what lies in a zone."""
        return self.holds(zone.family.visible, slots, viewer, zone.owner)

    def how_many(self, zone: Instance, slots: Slots, viewer: int) -> bool:
        """Whether a viewer sees how much lies in a zone."""
        return self.in_zone(zone, slots, viewer) or self.holds(
            zone.family.count_visible, slots, viewer, zone.owner
        )

    def variable(
        self, table: VariableTable, indexes: tuple[int, ...], slots: Slots, viewer: int
    ) -> bool:
        """Whether a viewer sees a variable."""
        return self.holds(table.variable.visible, slots, viewer, owner_of(table, indexes))

    def bit(self, viewer: int) -> int:
        """The bit of a viewer in the masks of events."""
        return 1 << (len(self.game.players) if viewer == SPECTATOR else viewer)

    # ------------------------------------------------------------------------------- looking

    def looked_at(self, slots: Slots) -> Slots:
        """The vector in which everybody else's things are seen: inside a `together` the shadow."""
        if not slots[TOGETHER]:
            return slots
        start, end = self.game.layout.live
        shadow = self.game.layout.shadow
        return [*slots[:start], *slots[shadow : shadow + end - start], *slots[end:]]

    def view(self, live: Slots, viewer: int) -> tuple[object, ...]:
        """All that the declarations show a viewer of these slots."""
        others = self.looked_at(live)
        seen: list[object] = []
        for table, indexes, label in self.variables:
            slots = live if owner_of(table, indexes) == viewer != SPECTATOR else others
            if self.variable(table, indexes, slots, viewer):
                seen.append((label, self.value(table, table.address(indexes), slots, viewer)))
        for label, zone in self.zones.items():
            slots = live if zone.owner == viewer != SPECTATOR else others
            if self.in_zone(zone, slots, viewer):
                seen.append((label, *self.lying(zone, slots)))
            elif self.how_many(zone, slots, viewer):
                seen.append((label, self.components.count(slots, zone.number)))
        return tuple(seen)

    def value(self, table: VariableTable, at: int, slots: Slots, viewer: int) -> tuple[object, ...]:
        """What a variable holds; a component as far as the viewer sees it where it lies."""
        type_ = table.variable.type
        held = self.tables.decode(type_, slots[at])
        component = bare(type_)
        if held is None or not isinstance(component, Component):
            return tuple(slots[at : at + table.width])
        kind = self.tables.kinds[component.kind]
        zone = self.tables.instances[self.components.zone_of(slots, kind, held)]
        if self.in_zone(zone, slots, viewer):
            return (kind.kind.name, *self.components.key(slots, kind, held))
        return (kind.kind.name,)

    def lying(self, zone: Instance, slots: Slots) -> list[tuple[int, ...]]:
        """What lies in a zone, without identities: in its order, or sorted."""
        keys = [
            self.components.key(slots, zone.kind, each)
            for each in self.components.members(slots, zone.number)
        ]
        return keys if zone.ordered else sorted(keys)

    def shown(self, state: State, viewer: int) -> Counter[tuple[object, ...]]:
        """How many components of each class a viewer sees, wherever they lie."""
        live = state.slots
        others = self.looked_at(live)
        found: Counter[tuple[object, ...]] = Counter()
        for zone in self.tables.instances:
            slots = live if zone.owner == viewer != SPECTATOR else others
            if self.in_zone(zone, slots, viewer):
                for each in self.components.members(slots, zone.number):
                    found[zone.kind.kind.name, self.components.class_of(zone.kind, each)] += 1
        return found

    def classes(self, kind: KindTable, slots: Slots, zone: int) -> Counter[int]:
        """How many of each class lie in a zone."""
        return Counter(
            self.components.class_of(kind, each) for each in self.components.members(slots, zone)
        )


def owner_of(table: VariableTable, indexes: tuple[int, ...]) -> int | None:
    """Whose a variable is."""
    return None if table.owner is None else indexes[table.owner]

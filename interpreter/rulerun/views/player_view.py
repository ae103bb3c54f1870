"""The state as one viewer sees it: the only place where it is hidden.

Assumes a game, a state at rest, and a viewer: a player, or `SPECTATOR`.
Does: looks at the state through the visibility that each zone and variable declares.
Leaves behind plain values in canonical order, made of names from the rules: nothing in them is an
index of a component, and two states that the viewer cannot tell apart give the same bytes.

Inside a `together` everybody else's things are seen as they were when it began (the shadow), one's
own as they are. That is one vector put together of both, at which one then looks as at any other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulerun.reference.piles import Placed
from rulerun.reference.visibility import VisibleIf
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.index import Instance, KindTable, VariableTable, element_of
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun.views.observation import Json, Seen, SeenVariable, SeenZone
from rulerun.views.view_index import (
    MOST_STORED,
    VariableEntry,
    ZoneEntry,
    owner_at,
    view_index,
)
from rulerun_dsl.model import SPECTATOR, Game, TogetherStart
from rulerun_dsl.model.valuetypes import Bool, Component, Int, Order, SetOf, Type, bare


class PlayerView:
    """One state as one viewer sees it."""

    def __init__(self, game: Game, state: State, viewer: int) -> None:
        """Put the vector together that the viewer looks at."""
        self.game = game
        self.viewer = viewer
        self.state = state
        self.view_index = view_index(game)
        self.tables, self.components = self.view_index.tables, self.view_index.components
        self.together = state.slots[TOGETHER] != 0
        self.slots: Sequence[int] = self._vector() if self.together else state.slots
        self._known: dict[int, list[int]] | None = None

    def _vector(self) -> list[int]:
        """The shadow, with the viewer's own things as they are."""
        start, end = self.game.layout.live
        shadow = self.game.layout.shadow
        slots = list(self.state.slots)
        live = list(slots)
        slots[start:end] = live[shadow : shadow + end - start]
        if self.viewer == SPECTATOR:
            return slots
        for table in self.tables.variables.values():
            for indexes in table.instances():
                if owner_at(table.owner, indexes) == self.viewer:
                    at = table.address(indexes)
                    slots[at : at + table.width] = live[at : at + table.width]
        own = {each.number: each for each in self.tables.instances if each.owner == self.viewer}
        for zone in own.values():
            if zone.counts >= 0:
                end = zone.counts + zone.width
                slots[zone.counts : end] = live[zone.counts : end]
        for kind in self.tables.kinds.values():
            if kind.kind.counted:
                continue
            for component in range(kind.kind.total):
                if slots[kind.base + component] in own or live[kind.base + component] in own:
                    for base in _columns(kind):
                        slots[base + component] = live[base + component]
        self.view_index.knowledge.lay_over(slots, live, own, self.viewer)
        return slots

    def known(self) -> Mapping[int, Sequence[int]]:
        """By zone: the components that the viewer knows to lie there without seeing them."""
        if self._known is None:
            self._known = self._found_known()
        return self._known

    def _found_known(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        if self.viewer == SPECTATOR:
            return found
        for kind in self.tables.kinds.values():
            known = self.view_index.knowledge.known(self.slots, kind, self.viewer)
            # By what they are, not by where they lie (an order may be a secret still) nor by what
            # has become of them since.
            for component in sorted(
                known.elements(), key=lambda each: self.components.class_of(kind, each)
            ):
                zone = self.components.zone_of(self.slots, kind, component)
                found.setdefault(zone, []).append(component)
        return found

    def places(self, zone: int) -> list[Placed]:
        """What the viewer knows to lie at which place of an ordered zone, by whose turn it is."""
        if self.viewer == SPECTATOR:
            return []
        return self.view_index.knowledge.places.known(self.slots, zone, self.viewer)

    def sees(self, condition: VisibleIf) -> bool:
        """Whether the viewer may see what declares this condition."""
        return self.view_index.visibility.sees(self.viewer, condition, self.slots)

    def sees_zone(self, zone: Instance) -> bool:
        """Whether the viewer sees what lies in a zone."""
        return self.sees(self.view_index.zones[zone.number].visible)

    def variables(self) -> tuple[SeenVariable, ...]:
        """The variables that the viewer sees."""
        return tuple(
            self._variable(entry) for entry in self.view_index.variables if self.sees(entry.visible)
        )

    def _variable(self, entry: VariableEntry) -> SeenVariable:
        kept = self.view_index.stored
        key = entry.at, self.slots[entry.at]
        found = kept.get(key) if entry.plain else None
        if found is None:
            name = entry.table.variable.name
            found = SeenVariable(entry.label, name, entry.indexes, self._stored(entry))
            if entry.plain:
                if len(kept) >= MOST_STORED:
                    kept.clear()
                kept[key] = found
        return found

    def hidden_variables(self) -> Iterator[tuple[VariableTable, tuple[int, ...]]]:
        """The variables that the viewer does not see, with their indexes."""
        for entry in self.view_index.variables:
            if not self.sees(entry.visible):
                yield entry.table, entry.instance

    def zones(self) -> tuple[SeenZone, ...]:
        """All zones, each as far as the viewer sees it."""
        known = self.known()
        return tuple(
            self._zone(entry, known.get(entry.zone.number, ())) for entry in self.view_index.zones
        )

    def _zone(self, entry: ZoneEntry, known: Sequence[int]) -> SeenZone:
        zone, seen = entry.zone, self.sees(entry.visible)
        if known or not entry.plain:
            return self._new_zone(entry, seen, known)
        # What is seen of it follows from this alone.
        key: tuple[int | None, ...]
        if seen:
            members = self.components.members(self.slots, zone.number)
            attributes = [
                self.slots[each.base + component]
                for each in zone.kind.attributes
                for component in members
            ]
            key = (zone.number, 1, *members, *attributes)
        elif self.sees(entry.count_visible):
            key = (zone.number, 0, self.components.count(self.slots, zone.number))
        else:
            key = (zone.number, 0, None)
        kept = self.view_index.zones_seen
        found = kept.get(key)
        if found is None:
            if len(kept) >= MOST_STORED:
                kept.clear()
            found = kept[key] = self._new_zone(entry, seen, known)
        return found

    def _new_zone(self, entry: ZoneEntry, seen: bool, known: Sequence[int]) -> SeenZone:
        zone = entry.zone
        count: int | None = None
        components: tuple[Seen, ...] | None = None
        if seen:
            members = self.components.members(self.slots, zone.number)
            count = len(members)
            components = tuple(self.component(zone, component) for component in members)
        elif self.sees(entry.count_visible):
            count = self.components.count(self.slots, zone.number)
        return SeenZone(
            name=entry.label,
            family=zone.family.name,
            indexes=entry.indexes,
            kind=zone.family.kind,
            order=zone.family.order,
            count=count,
            components=components,
            known=()
            if components is not None
            else tuple(self._alike(zone, component) for component in known),
            places=()
            if components is not None or not known
            else tuple(
                (1 + each.turn, self._alike(zone, each.component))
                for each in self.places(zone.number)
            ),
        )

    def component(self, zone: Instance, component: int) -> Seen:
        """A component of a zone that the viewer sees."""
        seen = self._alike(zone, component)
        if not zone.kind.attributes:
            return seen
        attributes = tuple(
            (each.name, self.value(each.type, self.slots[each.base + component]))
            for each in zone.kind.attributes
        )
        return dataclasses.replace(seen, attributes=attributes)

    def _alike(self, zone: Instance, component: int) -> Seen:
        """A component without its attributes: all of it that is known where it is not seen."""
        kind = zone.kind
        key = zone.number, kind.number, self.components.class_of(kind, component)
        seen = self.view_index.seen.get(key)
        if seen is None:
            seen = self.view_index.seen[key] = self._without_attributes(zone, component)
        return seen

    def _without_attributes(self, zone: Instance, component: int) -> Seen:
        kind = zone.kind
        row_number, owner_number = self.tables.row_and_owner(kind, component)
        row = kind.kind.rows[row_number]
        owner = None
        text = row
        if kind.kind.owner is not None:
            owner = self.tables.text(kind.kind.owner, owner_number)
            if zone.owner != owner_number:
                text = f"{row} of {owner}"
        return Seen(text, row, owner, ())

    def _stored(self, entry: VariableEntry) -> Json:
        type_ = entry.table.variable.type
        if isinstance(bare(type_), Order):
            held = self.slots[entry.at : entry.at + entry.table.width]
            return [self.game.players[player] for player in held]
        return self.value(type_, self.slots[entry.at])

    def value(self, type_: Type, slot: int) -> Json:
        """What a slot of this type holds, as plain data."""
        return self.plain(type_, self.tables.decode(type_, slot))

    def plain(self, type_: Type, value: Any) -> Json:
        """A value of the evaluator as plain data; a component as the viewer sees it."""
        if value is None:
            return None
        if isinstance(value, list | tuple | range):
            return [self.plain(element_of(bare(type_)), each) for each in value]
        match bare(type_):
            case Bool():
                return bool(value)
            case Int():
                return int(value)
            case SetOf(element=element) as set_:
                low, high = self.tables.members(set_)
                inside = (low + bit for bit in range(high - low + 1) if value >> bit & 1)
                return [self.plain(element, each) for each in inside]
            case Component(kind=name):
                return self.named(self.tables.kinds[name], value)
            case other:
                return self.tables.text(other, value)

    def named(self, kind: KindTable, component: int) -> str:
        """A component by its row where the viewer sees it, else by its kind."""
        zone = self.tables.instances[self.components.zone_of(self.slots, kind, component)]
        return self.component(zone, component).text if self.sees_zone(zone) else kind.kind.name

    def done(self) -> bool | None:
        """Whether the viewer's part of the open `together` is done; None for who takes no part.

        Who takes part was fixed when it began: at the shadow, which nobody has written since.
        """
        if self.viewer == SPECTATOR:
            return None
        layout = self.game.layout
        if self.state.slots[layout.base + (1 + self.viewer) * layout.frame]:
            return False
        start = self.game.code[self.state.slots[TOGETHER] - 1]
        assert isinstance(start, TogetherStart)
        slots = list(self.state.slots)
        first, last = layout.live
        slots[first:last] = slots[layout.shadow : layout.shadow + last - first]
        registers = fresh_registers(self.game)
        players = self.view_index.evaluator.compile(start.players)(slots, layout.base, registers)
        return True if self.viewer in players else None


def _columns(kind: KindTable) -> list[int]:
    """The bases of all slots of a component with an identity."""
    positions = [] if kind.positions < 0 else [kind.positions]
    return [kind.base, *positions, *(attribute.base for attribute in kind.attributes)]

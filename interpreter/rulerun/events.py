"""Telling what happens: events with all their secrets, and with who may know what.

Assumes: visibilities that read only what everybody sees.
Does: words each event twice, openly and with its secret, for people and as plain data.
Leaves behind: events on the play that runs, if anybody listens. Nothing here writes the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulerun.components import Components
from rulerun.executor import Event
from rulerun.play import Play
from rulerun.privacy import Masks
from rulerun.tables import Instance, KindTable, Tables, VariableTable, bare
from rulerun_dsl.valuetypes import Component, Order, Type

Told = tuple[str, dict[str, object]]


class Herald:
    """Says what happens in one game."""

    def __init__(self, tables: Tables, components: Components, masks: Masks) -> None:
        """Know who may see what."""
        self.tables = tables
        self.game = tables.game
        self.components = components
        self.masks = masks
        self._places: dict[int, str] = {}
        self._variables: dict[int, tuple[VariableTable, tuple[int, ...]]] = {
            table.address(indexes): (table, indexes)
            for table in tables.variables.values()
            for indexes in table.instances()
        }

    def tell(
        self,
        play: Play,
        word: str,
        audience: int,
        detail: int,
        open_: Told,
        secret: Told | None = None,
        maker: int | None = None,
    ) -> None:
        """Add an event."""
        if play.events is None or not audience | detail:
            return
        told = Event(
            word=word,
            audience=audience | detail,
            detail=detail,
            open=open_,
            secret=open_ if secret is None else secret,
            block=play.block,
            maker=maker,
        )
        play.events.append(told)

    def everybody(self, play: Play, word: str, text: str, data: dict[str, object]) -> None:
        """Add an event that has no secret."""
        self.tell(play, word, self.masks.all, self.masks.all, (text, data))

    # ------------------------------------------------------------------------------- stored

    def stored(self, play: Play, at: int, before: int) -> None:
        """A variable or an attribute was written."""
        if play.slots[at] != before:
            self._wrote(play, "set", at)

    def reordered(self, play: Play, at: int) -> None:
        """An order of players was written."""
        self._wrote(play, "set", at)

    def rolled(self, play: Play, word: str, at: int) -> None:
        """Luck fell on a variable or attribute."""
        self._wrote(play, word, at)

    def _wrote(self, play: Play, word: str, at: int) -> None:
        if play.events is None:
            return
        found = self._variables.get(at)
        if found is not None:
            table, indexes = found
            name = self.label(table.variable.name, table.variable.indexes, indexes)
            type_ = table.variable.type
            mask = self.masks.variable(table, indexes, play.slots, play.registers)
            value = self._value(play.slots, type_, at, table.width)
            told: Told = (f"{words(name)} is {words(value)}", {"name": name, "value": value})
            self.tell(play, word, mask, mask, told)
        else:
            self._attribute(play, word, at)

    def _attribute(self, play: Play, word: str, at: int) -> None:
        for kind in self.tables.kinds.values():
            for attribute in kind.attributes:
                component = at - attribute.base
                if not 0 <= component < kind.kind.total:
                    continue
                zone = self.tables.instances[self.components.zone_of(play.slots, kind, component)]
                mask = self.masks.members(zone, play.slots, play.registers)
                name = self.component(kind, component)
                value = self._value(play.slots, attribute.type, at, 1)
                text = f"{words(attribute.name)} of the {words(name)} is {words(value)}"
                data: dict[str, object] = {
                    "kind": kind.kind.name,
                    "component": name,
                    "zone": self.components.label(zone.number),
                    "attribute": attribute.name,
                    "value": value,
                }
                self.tell(play, word, mask, mask, (text, data))
                return

    def _value(self, slots: Sequence[int], type_: Type, at: int, width: int) -> str:
        if isinstance(bare(type_), Order):
            return ", ".join(self.game.players[player] for player in slots[at : at + width])
        return self.tables.text(type_, self.tables.decode(type_, slots[at]))

    # -------------------------------------------------------------------------------- moved

    def sight(self, play: Play, zone: Instance) -> tuple[int, int]:
        """Who sees what lies in a zone, and who sees how much."""
        members = self.masks.members(zone, play.slots, play.registers)
        return members, members | self.masks.count(zone, play.slots, play.registers)

    def moved(
        self,
        play: Play,
        kind: KindTable,
        component: int,
        ends: tuple[Instance, Instance],
        sights: tuple[tuple[int, int], tuple[int, int]],
    ) -> None:
        """A component went from one zone to another."""
        if play.events is None:
            return
        source, target = ends
        detail = sights[0][0] | sights[1][0]
        audience = sights[0][1] | sights[1][1]
        way = f"from {self.place(source)} to {self.place(target)}"
        data: dict[str, object] = {
            "kind": kind.kind.name,
            "from": self.components.label(source.number),
            "to": self.components.label(target.number),
        }
        owner_shown = source.owner is not None or target.owner is not None
        name = self.component(kind, component, whose=not owner_shown)
        open_ = (f"a {words(kind.kind.name)} moves {way}", data)
        secret = (f"the {words(name)} moves {way}", {**data, "component": name})
        self.tell(play, "move", audience, detail, open_, secret)

    def zones(self, play: Play, word: str, verb: str, places: Sequence[Instance]) -> None:
        """Something befell whole zones (a shuffle, an exchange)."""
        if play.events is None:
            return
        audience = 0
        for zone in places:
            audience |= self.sight(play, zone)[1]
        labels = [self.components.label(zone.number) for zone in places]
        names = " and ".join(self.place(zone) for zone in places)
        self.tell(play, word, audience, audience, (f"{names} {verb}", {"zones": labels}))

    def shown(self, play: Play, kind: KindTable, members: Sequence[int], mask: int) -> None:
        """Components became known to some."""
        if play.events is None:
            return
        slots = play.slots
        seen = [self.component(kind, one, whose=True) for one in members]
        zones = sorted({self.components.zone_of(slots, kind, one) for one in members})
        audience = mask
        for number in zones:
            audience |= self.sight(play, self.tables.instances[number])[1]
        to = [name for at, name in enumerate(self.game.players) if mask >> at & 1]
        if mask == self.masks.all:
            to = ["all"]
        data: dict[str, object] = {
            "kind": kind.kind.name,
            "zones": [self.components.label(number) for number in zones],
            "count": len(members),
            "to": to,
        }
        whom = " and ".join(person(name) for name in to)
        open_ = (f"{len(members)} {words(kind.kind.name)} shown to {whom}", data)
        names = ", ".join(words(name) for name in seen)
        secret = (f"{names} shown to {whom}", {**data, "components": seen})
        detail = mask
        for number in zones:
            detail |= self.sight(play, self.tables.instances[number])[0]
        self.tell(play, "show", audience, detail, open_, secret)

    # -------------------------------------------------------------------------------- names

    def component(self, kind: KindTable, component: int, whose: bool = True) -> str:
        """A component by name: its row, and whose it is if `whose` and it can differ."""
        row, owner = self.tables.row_and_owner(kind, component)
        name = kind.kind.rows[row]
        if whose and kind.kind.owner is not None and kind.kind.owners > 1:
            return f"{name} of {self.tables.text(kind.kind.owner, owner)}"
        return name

    def label(self, name: str, types: Sequence[Type], indexes: Sequence[int]) -> str:
        """`won[yarg]`."""
        if not indexes:
            return name
        pairs = zip(types, indexes, strict=True)
        return f"{name}[{', '.join(self.tables.text(type_, at) for type_, at in pairs)}]"

    def place(self, zone: Instance) -> str:
        """A zone for people: `Yarg's hand`."""
        if zone.number not in self._places:
            self._places[zone.number] = self._place(zone)
        return self._places[zone.number]

    def _place(self, zone: Instance) -> str:
        family = zone.family
        others = [
            words(self.tables.text(type_, index))
            for type_, index in zip(family.indexes, zone.indexes, strict=True)
        ]
        name = words(family.name)
        if zone.owner is None:
            return " ".join([f"the {name}", *others])
        owner = words(self.game.players[zone.owner])
        others.remove(owner)
        return " ".join([f"{person(owner)}'s {name}", *others])

    def value(self, slots: Sequence[int], type_: Type, value: Any, mask: int) -> tuple[str, int]:
        """A value in a sentence, and which of the viewers `mask` may see it so."""
        component = bare(type_)
        if value is None or not isinstance(component, Component):
            text = self.tables.text(type_, value)
            return words(text), mask
        kind = self.tables.kinds[component.kind]
        zone = self.tables.instances[self.components.zone_of(slots, kind, value)]
        whose = zone.owner is None
        registers: list[Any] = [None] * max(self.game.registers, 2)
        return (
            words(self.component(kind, value, whose)),
            mask & self.masks.members(zone, slots, registers),
        )


def words(name: str) -> str:
    """A name of the rules for people."""
    return name.replace("_", " ")


def person(name: str) -> str:
    """A player's name for people."""
    name = words(name)
    return name[:1].upper() + name[1:]

"""What is the same in every state of what a viewer may look at: names, addresses, conditions.

Assumes a checked game.
Does: names every zone and variable, and compiles its visibility.
Leaves behind `ViewIndex`, kept for the last few games. It reads no state and hides nothing.
"""

from __future__ import annotations

from functools import cached_property

from rulerun.analysis.holding import Holding
from rulerun.analysis.reads import reads
from rulerun.reference.choices import Lister
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.machine import supposing
from rulerun.reference.visibility import Visibility, VisibleIf
from rulerun.runtime.components import Components
from rulerun.runtime.control import Control
from rulerun.runtime.index import GameIndex, Instance, VariableTable
from rulerun.runtime.recent import Recent
from rulerun.views.observation import Seen, SeenVariable, SeenZone
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.valuetypes import Component, Order, SetOf, Type, bare
from rulerun_dsl.source.frozen import frozen

MOST_STORED = 50_000
"""So many looks of variables are kept."""
Conditions = tuple[tuple[VisibleIf, ...], ...]


@frozen
class ZoneEntry:
    """A zone, with what is the same of it in every state."""

    zone: Instance
    visible: VisibleIf
    count_visible: VisibleIf
    label: str
    indexes: tuple[str, ...]
    plain: bool
    """What its components are follows from the slots of their attributes alone."""


@frozen
class VariableEntry:
    """A variable (one of its family), with what is the same of it in every state."""

    table: VariableTable
    visible: VisibleIf
    at: int
    instance: tuple[int, ...]
    label: str
    indexes: tuple[str, ...]
    plain: bool
    """What it holds follows from its slot alone: no component, no set or order."""


class ViewIndex:
    """What looking at the states of one game needs, made once."""

    def __init__(self, game: Game) -> None:
        """Compile the conditions under which things are seen."""
        self.game = game
        self.tables = GameIndex(game)
        self.components = Components(self.tables)
        self.evaluator = Evaluator(self.tables, self.components)
        self.evaluator.suppose = supposing(self.tables.game)
        self.visibility = Visibility(self.evaluator)
        self.knowledge = Knowledge(self.tables, self.components, self.visibility)
        self.seen: dict[tuple[int, int, int], Seen] = {}
        """By zone, kind and class: how a component without attributes looks there."""
        self.stored: dict[tuple[int, int], SeenVariable] = {}
        """By address and slot: how a plain variable looks; emptied once it is large."""
        self.zones_seen: dict[tuple[int | None, ...], SeenZone] = {}
        """By zone, whether it is seen, and what lies in it; emptied once it is large."""
        self.listers: dict[int, list[Lister]] = {}
        """By instruction: the lines of a question that has hints, compiled."""
        self._conditions: dict[int, Conditions | None] = {}
        """Of expressions of the game, by identity."""
        self.zones = [self._zone(zone) for zone in self.tables.instances]
        self.variables = [
            self._variable(table, indexes)
            for table in self.tables.variables.values()
            for indexes in table.instances()
        ]

    @cached_property
    def holding(self) -> Holding:
        """What holds components elsewhere than in zones."""
        return Holding(self.tables, Control(self.tables), self.tables.kinds.keys())

    def conditions(self, part: Expression) -> Conditions | None:
        """When a viewer sees everything that a part of the game may read: one of each must hold.

        None: it reads what is no part of the state.
        """
        if id(part) not in self._conditions:
            self._conditions[id(part)] = self._read_by(part)
        return self._conditions[id(part)]

    def _read_by(self, part: Expression) -> Conditions | None:
        read = reads(self.game, part)
        if read.locals or read.registers:
            return None
        found: list[tuple[VisibleIf, ...]] = []
        for entry in self.variables:
            if entry.table.variable.name in read.variables:
                found.append((entry.visible,))
        for zone in self.zones:
            if zone.zone.family.name in read.zones:
                found.append((zone.visible,))
            elif zone.zone.family.name in read.counts:
                found.append((zone.visible, zone.count_visible))
        return tuple({tuple(map(id, each)): each for each in found}.values())

    def _zone(self, zone: Instance) -> ZoneEntry:
        family = zone.family
        texts = self._texts(family.indexes, zone.indexes)
        visible = self.visibility.visible(family.visible, zone.owner)
        count_visible = self.visibility.visible(family.count_visible, zone.owner)
        plain = all(_plain(each.type) for each in zone.kind.attributes)
        label = label_of(family.name, texts)
        return ZoneEntry(zone, visible, count_visible, label, texts, plain)

    def _variable(self, table: VariableTable, indexes: tuple[int, ...]) -> VariableEntry:
        variable = table.variable
        texts = self._texts(variable.indexes, indexes)
        visible = self.visibility.visible(variable.visible, owner_at(table.owner, indexes))
        at = table.address(indexes)
        label = label_of(variable.name, texts)
        plain = _plain(variable.type)
        return VariableEntry(table, visible, at, indexes, label, texts, plain)

    def _texts(self, types: tuple[Type, ...], values: tuple[int, ...]) -> tuple[str, ...]:
        pairs = zip(types, values, strict=True)
        return tuple(self.tables.text(type_, value) for type_, value in pairs)


_INDEXES = Recent(ViewIndex, 64)


def view_index(game: Game) -> ViewIndex:
    """The index of a game; those of the last few games are kept."""
    return _INDEXES.of(game)


def _plain(type_: Type) -> bool:
    """Whether what a slot of this type shows is the same whatever else is in the state."""
    return not isinstance(bare(type_), Component | Order | SetOf)


def owner_at(place: int | None, indexes: tuple[int, ...]) -> int | None:
    """Whose the instance with these indexes is."""
    return None if place is None else indexes[place]


def label_of(name: str, texts: tuple[str, ...]) -> str:
    """A name with its indexes: `hand[yarg]`."""
    return f"{name}[{', '.join(texts)}]" if texts else name

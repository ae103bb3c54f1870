"""What is the same in every state of what a viewer may look at: names, addresses, conditions.

Assumes a checked game.
Does: compiles each visibility once; where it reads nothing of the state, works out once whom it
lets look.
Leaves behind `ViewIndex`, kept for the last few games. It reads no state and hides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rulerun.analysis.holding import Holding
from rulerun.analysis.reads import reads
from rulerun.reference.choices import Lister
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.visibility import Visibility
from rulerun.runtime.closures import Run
from rulerun.runtime.components import Components
from rulerun.runtime.control import Control
from rulerun.runtime.index import GameIndex, Instance, VariableTable
from rulerun.runtime.recent import Recent
from rulerun.views.observation import Seen
from rulerun_dsl.model import OWNER, SPECTATOR, VIEWER, Expression, Game
from rulerun_dsl.model.valuetypes import Type


@dataclass(frozen=True, slots=True)
class VisibleIf:
    """A condition under which something of an owner's is seen."""

    run: Run
    owner: int | None
    always: frozenset[int] | None
    """The viewers for whom it holds, if nothing of the state is read for that."""


@dataclass(frozen=True, slots=True)
class ZoneEntry:
    """A zone, with what is the same of it in every state."""

    zone: Instance
    visible: VisibleIf
    count_visible: VisibleIf
    label: str
    indexes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VariableEntry:
    """A variable (one of its family), with what is the same of it in every state."""

    table: VariableTable
    visible: VisibleIf
    at: int
    instance: tuple[int, ...]
    label: str
    indexes: tuple[str, ...]


class ViewIndex:
    """What looking at the states of one game needs, made once."""

    def __init__(self, game: Game) -> None:
        """Compile the conditions under which things are seen."""
        self.game = game
        self.tables = GameIndex(game)
        self.components = Components(self.tables)
        self.evaluator = Evaluator(self.tables, self.components)
        self.knowledge = Knowledge(self.tables, self.components, Visibility(self.evaluator))
        self.seen: dict[tuple[int, int, int], Seen] = {}
        """By zone, kind and class: how a component without attributes looks there."""
        self.listers: dict[int, list[Lister]] = {}
        """By instruction: the lines of a question that has hints, compiled."""
        self._compiled: dict[int, tuple[Run, bool]] = {}
        self._conditions: dict[tuple[int, int | None], VisibleIf] = {}
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

    def _zone(self, zone: Instance) -> ZoneEntry:
        family = zone.family
        texts = self._texts(family.indexes, zone.indexes)
        visible = self._visible_if(family.visible, zone.owner)
        count_visible = self._visible_if(family.count_visible, zone.owner)
        return ZoneEntry(zone, visible, count_visible, label_of(family.name, texts), texts)

    def _variable(self, table: VariableTable, indexes: tuple[int, ...]) -> VariableEntry:
        variable = table.variable
        texts = self._texts(variable.indexes, indexes)
        visible = self._visible_if(variable.visible, owner_at(table.owner, indexes))
        at = table.address(indexes)
        return VariableEntry(table, visible, at, indexes, label_of(variable.name, texts), texts)

    def _texts(self, types: tuple[Type, ...], values: tuple[int, ...]) -> tuple[str, ...]:
        pairs = zip(types, values, strict=True)
        return tuple(self.tables.text(type_, value) for type_, value in pairs)

    def _visible_if(self, condition: Expression, owner: int | None) -> VisibleIf:
        key = id(condition), owner
        if key not in self._conditions:
            if key[0] not in self._compiled:
                steady = not reads(self.game, condition).state
                self._compiled[key[0]] = self.evaluator.compile(condition), steady
            run, steady = self._compiled[key[0]]
            always = None
            if steady:
                viewers = (SPECTATOR, *range(len(self.game.players)))
                always = frozenset(one for one in viewers if self.holds(run, (), one, owner))
            self._conditions[key] = VisibleIf(run, owner, always)
        return self._conditions[key]

    def holds(self, run: Run, slots: Sequence[int], viewer: int, owner: int | None) -> bool:
        """Whether a visibility holds for a viewer."""
        registers: list[Any] = [None] * max(self.game.registers, OWNER + 1)
        registers[VIEWER] = viewer
        registers[OWNER] = owner
        with self.evaluator.budget() if self.evaluator.effort.counted else nullcontext():
            return bool(run(slots, self.game.layout.base, registers))


_INDEXES = Recent(ViewIndex, 8)


def view_index(game: Game) -> ViewIndex:
    """The index of a game; those of the last few games are kept."""
    return _INDEXES.of(game)


def owner_at(place: int | None, indexes: tuple[int, ...]) -> int | None:
    """Whose the instance with these indexes is."""
    return None if place is None else indexes[place]


def label_of(name: str, texts: tuple[str, ...]) -> str:
    """A name with its indexes: `hand[yarg]`."""
    return f"{name}[{', '.join(texts)}]" if texts else name

"""Which numbers tell what a player sees: the same columns in every state of a game.

Assumes: a checked `Game`.
Does: lays out columns for everything that may be seen; `seeing` writes their numbers.
Leaves behind: columns. A number is a whole one from 0 up to the `high` of its column; 0 is what is
not seen, or is not there.

A column is one of these:

* `viewer`, `together`, `asked PLAYER`, `question`: who looks, whether players decide in secret, who
  is asked, and which question (0: the viewer is not asked);
* `NAME[indexes]`: a variable, 1 for its lowest value (none, where it can be none). A set has a
  column that says it is seen, and one for each member; an order one for each place. What holds a
  component has 1 for none, 2 for one that is not seen, then its class;
* `ZONE count`: 1 and the number of components;
* of a kind with identities, for each component: `where` (1 and the number of the zone, if the
  viewer sees or knows it), `place` (1 for the next that leaves), and its attributes;
* of a counted kind, for each zone and class: how many are seen, how many are known; in an ordered
  zone for each place 1 and the class that is seen there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerun.runtime.index import Instance, KindTable
from rulerun.views.view_index import VariableEntry, owner_at, view_index
from rulerun_dsl.model import Choose, Game
from rulerun_dsl.model.valuetypes import ANY_INT, Component, Optional, Order, SetOf, Type, bare
from rulerun_dsl.source.frozen import frozen

Numbers = NDArray[Any]
"""Whole numbers of any width."""
Flags = NDArray[np.bool_]


def states_of(rows: Iterable[Sequence[int]]) -> Numbers:
    """(states, slots): numbers of Python where a set is larger than a number of 64 bits."""
    held = list(rows)
    try:
        return np.array(held, dtype=np.int64)
    except OverflowError:
        return np.array(held, dtype=object)


def numbers_in(states: Numbers) -> Numbers:
    """The same without the sets that are larger than a number of 64 bits."""
    if states.dtype != object:
        return states
    ends = np.iinfo(np.int64)
    held = np.where((states >= ends.min) & (states <= ends.max), states, 0)
    return held.astype(np.int64)


@frozen
class Plain:
    """Variables that are one number each, side by side, which the same players see."""

    slots: slice
    less: Numbers
    """(variables, 1): what is taken from each."""
    always: int


@frozen
class Column:
    """One number of a row."""

    name: str
    high: int
    """It is a whole number from 0 to this."""


class Encoding:
    """How the states of one game are written for its players."""

    def __init__(self, game: Game, without: Collection[str] = ()) -> None:
        """Lay the columns out. `without`: families of variables that are left out.

        Raises `ValueError` if one of them is none.
        """
        names = [each.name for each in game.variables]
        for name in [without] if isinstance(without, str) else without:
            if isinstance(without, str) or name not in names:
                raise ValueError(f"no family of variables {name!r} in a list of them: {names}")
        self.game = game
        self.players = len(game.players)
        self.index = view_index(game)
        self.tables = self.index.tables
        self.entries = [
            each
            for each in self.index.variables
            if each.table.variable.name not in without and each.table.variable.type != ANY_INT
        ]
        self._questions = {
            at: 1 + number
            for number, at in enumerate(
                at for at, node in enumerate(game.code) if isinstance(node, Choose)
            )
        }
        self.zones = self.tables.instances
        self.own = [self._owned(player) for player in range(self.players)]
        self.runs = tuple(self._runs())
        self.numbers = np.zeros(1 + len(game.code), dtype=np.int32)
        """By 1 and the instruction: the number of its question."""
        for at, number in self._questions.items():
            self.numbers[1 + at] = number

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What the numbers of a row are, in order."""
        return tuple(self._columns())

    def expanded(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """The same for a network: a column of its own for each number above 0, so 0s and 1s."""
        highs = np.array([each.high for each in self.columns])
        if rows.ndim != 2 or rows.shape[1] != len(highs) or ((rows < 0) | (rows > highs)).any():
            raise ValueError(f"these are no rows of {len(highs)} columns, each up to its `high`")
        starts = np.concatenate(([0], np.cumsum(highs)[:-1]))
        found = np.zeros((len(rows), int(highs.sum())), dtype=np.float32)
        at, column = np.nonzero(rows)
        found[at, starts[column] + rows[at, column] - 1] = 1
        return found

    # ----------------------------------------------------------------------------- columns

    def _columns(self) -> Iterator[Column]:
        yield Column("viewer", self.players - 1)
        yield Column("together", 1)
        for name in self.game.players:
            yield Column(f"asked {name}", 1)
        yield Column("question", len(self._questions))
        for entry in self.entries:
            yield from self._of_variable(entry)
        for zone, seen in zip(self.zones, self.index.zones, strict=True):
            yield Column(f"{seen.label} count", 1 + self._most(zone))
        for kind in self.tables.kinds.values():
            yield from self._of_kind(kind)

    def _of_variable(self, entry: VariableEntry) -> Iterator[Column]:
        type_, name = entry.table.variable.type, entry.label
        if isinstance(bare(type_), Order):
            for place in range(entry.table.width):
                yield Column(f"{name} {place + 1}", self.players)
            return
        yield from self._of_value(type_, name)

    def _of_value(self, type_: Type, name: str) -> Iterator[Column]:
        match bare(type_):
            case SetOf(element=Component(kind=kind)):
                yield Column(f"{name} seen", 1)
                table = self.tables.kinds[kind]
                for class_, copies in enumerate(table.kind.copies):
                    yield Column(f"{name} {self.class_name(table, class_)}", copies)
                yield Column(f"{name} others", table.kind.total)
            case SetOf(element=element) as set_:
                yield Column(f"{name} seen", 1)
                low, high = self.tables.members(set_)
                for member in range(low, high + 1):
                    yield Column(f"{name} {self.tables.text(element, member)}", 1)
            case Component(kind=kind):
                yield Column(name, 2 + self.tables.kinds[kind].kind.classes)
            case _:
                low, high = self.bounds(type_)
                yield Column(name, 1 + high - low)

    def _of_kind(self, kind: KindTable) -> Iterator[Column]:
        if kind.kind.counted:
            for number in kind.zones:
                label, zone = self.index.zones[number].label, self.zones[number]
                if zone.ordered:
                    for place in range(zone.width):
                        yield Column(f"{label} place {place + 1}", kind.kind.classes)
                    for place in range(zone.width if self.placed(zone) else 0):
                        yield Column(f"{label} known place {place + 1}", kind.kind.classes)
                else:
                    for class_, copies in enumerate(kind.kind.copies):
                        yield Column(f"{label} {self.class_name(kind, class_)}", copies)
                if self.index.knowledge.kept(kind):
                    for class_, copies in enumerate(kind.kind.copies):
                        yield Column(f"{label} known {self.class_name(kind, class_)}", copies)
            return
        for component in range(kind.kind.total):
            class_ = kind.class_of[component]
            name = f"{kind.kind.name} {self.class_name(kind, class_)}"
            if kind.kind.copies[class_] > 1:
                name += f" {component - kind.first[class_] + 1}"
            yield Column(f"{name} where", len(self.zones))
            if kind.positions >= 0:
                yield Column(f"{name} place", kind.kind.total)
            for attribute in kind.attributes:
                yield from self._of_value(attribute.type, f"{name} {attribute.name}")

    def class_name(self, kind: KindTable, class_: int) -> str:
        """A class of components: its row, and whose it is."""
        row, owner = kind.parts[class_]
        name = kind.kind.rows[row]
        if kind.kind.owner is None:
            return name
        return f"{name} of {self.tables.text(kind.kind.owner, owner)}"

    def _runs(self) -> Iterator[Plain | VariableEntry]:
        """Variables as they follow one another.

        Those that are one number, whose sight hangs on nothing, stand together.
        """
        for key, group in groupby(enumerate(self.entries), self._alike):
            entries = [each for _, each in group]
            first, always = entries[0].at, entries[0].visible.always
            if key is None or always is None:
                yield from entries
            else:
                less = [self.bounds(each.table.variable.type)[0] - 1 for each in entries]
                slots = slice(first, first + len(entries))
                yield Plain(slots, np.array(less, dtype=np.int64)[:, None], always)

    def _alike(self, numbered: tuple[int, VariableEntry]) -> tuple[int, int] | None:
        """The same for variables that may stand in one `Plain`; None for one that may not."""
        number, entry = numbered
        type_, always = entry.table.variable.type, entry.visible.always
        if always is None or isinstance(bare(type_), SetOf | Component | Order):
            return None
        return entry.at - number, always

    # ------------------------------------------------------------------------------- facts

    def bounds(self, type_: Type) -> tuple[int, int]:
        """The least and the largest slot of a type whose values are numbers."""
        low, high = self.tables.bounds(bare(type_))
        return (low - 1 if isinstance(type_, Optional) else low), high

    def placed(self, zone: Instance) -> bool:
        """Whether it may be known at which place something lies in a zone that is not seen."""
        return self.index.knowledge.places.kept(zone.number)

    def _most(self, zone: Instance) -> int:
        return zone.width if zone.kind.kind.counted and zone.ordered else zone.kind.kind.total

    def _owned(self, player: int) -> tuple[Numbers, Flags]:
        """The slots that are a player's own, and which zones are."""
        own: list[int] = []
        for entry in self.index.variables:
            if owner_at(entry.table.owner, entry.instance) == player:
                own += range(entry.at, entry.at + entry.table.width)
        for zone in self.tables.instances:
            if zone.owner == player and zone.counts >= 0:
                own += range(zone.counts, zone.counts + zone.width)
                if self.index.knowledge.kept(zone.kind):
                    first, last = self.index.knowledge.there(zone.kind, zone.number)
                    own += range(first + player, last, self.players)
        mine = np.array([zone.owner == player for zone in self.tables.instances], dtype=bool)
        return np.array(own, dtype=np.int64), mine

"""What a player sees of many plays, as numbers.

Assumes: columns (`encoding`); slots of many plays, as rows of an array.
Does: looks at each row through the declared visibilities, as `views.player_view` looks at one
state, and writes down what is seen. Copies that nothing tells apart stand in one order.
Leaves behind: a row for each play. Two states that a viewer cannot tell apart give the same row, of
two that they can tell apart the rows differ (but for what was told and is seen no more).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rulerun.reference.visibility import VisibleIf
from rulerun.runtime.index import Instance, KindTable
from rulerun.runtime.play import TOGETHER
from rulerun.vector.encoding import Encoding, Flags, Numbers, Plain
from rulerun.views.view_index import VariableEntry
from rulerun_dsl.model.valuetypes import Component, Order, SetOf, Type, bare


def rows_of(
    encoding: Encoding, slots: Numbers, viewer: int, who: NDArray[np.int64]
) -> NDArray[np.int32]:
    """What a viewer sees of plays: an array of (plays, columns).

    `slots`: (plays, slots of a state); `who`: by play, the player who is asked, or -2.
    """
    return _Sight(encoding, slots, viewer, who).rows()


class _Sight:
    """What one viewer sees of some plays."""

    def __init__(self, encoding: Encoding, slots: Numbers, viewer: int, who: Numbers) -> None:
        self.of = encoding
        self.game, self.index, self.tables = encoding.game, encoding.index, encoding.tables
        self.viewer = viewer
        self.live = slots
        self.who = who
        self.many = len(slots)
        self.every = np.arange(self.many)
        self.together = slots[:, TOGETHER] != 0
        self.slots = self._shadowed() if self.together.any() else slots
        self._conditions: dict[int, Flags] = {}
        self._all, self._none = np.ones(self.many, dtype=bool), np.zeros(self.many, dtype=bool)
        self.sees = self._seen()
        self.found = np.zeros((self.many, len(encoding.columns)), dtype=np.int32)
        self.at = 0

    def _seen(self) -> Flags:
        """(plays, zones): whether the viewer sees what lies there."""
        conditions = [each.visible for each in self.index.zones]
        if all(each.always is not None for each in conditions):
            always = [bool((each.always or 0) >> self.viewer & 1) for each in conditions]
            return np.broadcast_to(np.array(always or [False]), (self.many, max(1, len(always))))
        return np.stack([self._holds(each) for each in conditions], axis=1)

    def rows(self) -> NDArray[np.int32]:
        """Column by column."""
        self._put(np.full(self.many, self.viewer))
        self._put(self.together)
        self._asked()
        for run in self.of.runs:
            if isinstance(run, tuple):
                self._plain(run)
            else:
                self._variable(run)
        counts = self._counts()
        for number, each in enumerate(self.index.zones):
            known = self.sees[:, number] | self._holds(each.count_visible)
            self._put(np.where(known, 1 + counts[:, number], 0))
        for kind in self.tables.kinds.values():
            if kind.kind.counted:
                self._counted(kind, counts)
            else:
                self._identified(kind, counts)
        assert self.at == self.found.shape[1]
        return self.found

    def _put(self, numbers: Numbers | Flags) -> None:
        """The next columns: one, or as many as the second dimension has."""
        wide = numbers.shape[1] if numbers.ndim == 2 else 1
        self.found[:, self.at : self.at + wide] = numbers.reshape(self.many, wide)
        self.at += wide

    def _shadowed(self) -> Numbers:
        """Inside a `together` the state as it was when it began, with the viewer's own as it is."""
        start, end = self.game.layout.live
        shadow, inside = self.game.layout.shadow, self.together
        slots = self.live.copy()
        slots[inside, start:end] = self.live[inside, shadow : shadow + end - start]
        own, mine = self.of.own[self.viewer]
        rows = np.flatnonzero(inside)
        slots[np.ix_(rows, own)] = self.live[np.ix_(rows, own)]
        for kind in self.tables.kinds.values():
            if not kind.kind.counted:
                self._laid_over(slots, kind, mine)
            elif kind.kind.name in dict(self.game.layout.known):
                self._places_laid_over(slots, kind, mine)
        return slots

    def _laid_over(self, slots: Numbers, kind: KindTable, mine: Flags) -> None:
        """The components that lie, or lay, in the viewer's own zones."""
        first, total = kind.base, kind.kind.total
        where = slice(first, first + total)
        touched = mine[slots[:, where]] | mine[self.live[:, where]]
        touched &= self.together[:, None]
        bases = [first, *([kind.positions] if kind.positions >= 0 else [])]
        for base in (*bases, *(each.base for each in kind.attributes)):
            part = slice(base, base + total)
            slots[:, part] = np.where(touched, self.live[:, part], slots[:, part])
        inside = mine[slots[:, where]] & self.together[:, None]
        knowledge, bit = self.index.knowledge, 1 << self.viewer
        for column in (knowledge.column(kind), knowledge.places.column(kind)):
            if column is not None:
                part = slice(column, column + total)
                known = slots[:, part] & ~bit | self.live[:, part] & bit
                slots[:, part] = np.where(inside, known, slots[:, part])

    def _places_laid_over(self, slots: Numbers, kind: KindTable, mine: Flags) -> None:
        bit = 1 << self.viewer
        for zone in (each for each in kind.zones if mine[each]):
            for at in self.index.knowledge.places.run(zone):
                known = slots[:, at] & ~bit | self.live[:, at] & bit
                slots[:, at] = np.where(self.together, known, slots[:, at])

    def _holds(self, visible: VisibleIf) -> Flags:
        """Of each play: whether the viewer sees what declares a condition."""
        if visible.always is not None:
            return self._all if visible.always >> self.viewer & 1 else self._none
        key = id(visible)
        if key not in self._conditions:
            sees = self.index.visibility.sees
            self._conditions[key] = np.fromiter(
                (sees(self.viewer, visible, row) for row in self.slots.tolist()),
                dtype=bool,
                count=self.many,
            )
        return self._conditions[key]

    def _asked(self) -> None:
        layout, viewer = self.game.layout, self.viewer
        mine = self.who == viewer
        at = self.live[:, layout.base].copy()
        if layout.frames > 1:
            own = self.live[:, layout.base + (1 + viewer) * layout.frame]
            mine = np.where(self.together, own != 0, mine)
            at = np.where(self.together, own, at)
        for player in range(self.of.players):
            others = (self.who == player) & ~self.together
            self._put(mine if player == viewer else others)
        self._put(np.where(mine, self.of.numbers[at], 0))

    # --------------------------------------------------------------------------- variables

    def _plain(self, run: tuple[Plain, ...]) -> None:
        """Variables that are one number each."""
        seen = [at for at, each in enumerate(run) if each[2] >> self.viewer & 1]
        if seen:
            slots = [run[at][0] for at in seen]
            less = np.array([run[at][1] for at in seen], dtype=np.int32)
            # Neighbours are copied, not gathered.
            first, last = slots[0], slots[-1] + 1
            beside = slots == list(range(first, last))
            held = self.slots[:, first:last] if beside else self.slots[:, slots]
            to = [self.at + at for at in seen]
            if len(seen) == len(run):
                self.found[:, self.at : self.at + len(run)] = held - less
            else:
                self.found[:, to] = held - less
        self.at += len(run)

    def _variable(self, entry: VariableEntry) -> None:
        type_, seen = entry.table.variable.type, self._holds(entry.visible)
        if isinstance(bare(type_), Order):
            held = self.slots[:, entry.at : entry.at + entry.table.width]
            self._put(np.where(seen[:, None], 1 + held, 0))
            return
        self._value(type_, self.slots[:, entry.at], seen)

    def _value(self, type_: Type, held: Numbers, seen: Flags) -> None:
        for column in self._of_value(type_, held[:, None], seen[:, None]):
            self._put(column[:, 0])

    def _of_value(self, type_: Type, held: Numbers, seen: Flags) -> Iterator[Numbers | Flags]:
        """The columns of some values of a type, each as an array of (plays, values)."""
        match bare(type_):
            case SetOf(element=Component(kind=name)):
                kind = self.tables.kinds[name]
                bits = seen[:, :, None] & (held[:, :, None] >> np.arange(kind.kind.total) & 1 != 0)
                shown = bits & self._shown(kind, np.arange(kind.kind.total))[:, None, :]
                yield seen
                for class_ in range(kind.kind.classes):
                    copies = kind.copies_of(class_)
                    yield shown[:, :, copies.start : copies.stop].sum(axis=2)
                yield (bits & ~shown).sum(axis=2)
            case SetOf() as set_:
                yield seen
                low, high = self.tables.members(set_)
                for place in range(high - low + 1):
                    yield seen & (held >> place & 1 != 0)
            case Component(kind=name):
                kind = self.tables.kinds[name]
                there = held >= 0
                component = np.where(there, held, 0)
                if kind.kind.counted:
                    zone, class_of = np.divmod(component, kind.kind.classes)
                    shown = self.sees[self.every[:, None], zone]
                else:
                    shown = self.sees[self.every[:, None], self._where(kind, component)]
                    class_of = np.array(kind.class_of)[component]
                code = np.where(there, np.where(shown, 3 + class_of, 2), 1)
                yield np.where(seen, code, 0)
            case _:
                yield np.where(seen, 1 + held - self.of.bounds(type_)[0], 0)

    def _where(self, kind: KindTable, component: Numbers) -> Numbers:
        zones: Numbers = self.slots[self.every[:, None], kind.base + component]
        return zones

    def _shown(self, kind: KindTable, components: Numbers) -> Flags:
        """Which components lie where the viewer sees them."""
        zones = self.slots[:, kind.base + components]
        return self.sees[self.every[:, None], zones]

    # -------------------------------------------------------------------------- components

    def _counts(self) -> Numbers:
        """How many components lie in each zone."""
        found = np.zeros((self.many, max(1, len(self.of.zones))), dtype=np.int64)
        for kind in self.tables.kinds.values():
            if kind.kind.counted:
                for number in kind.zones:
                    zone = self.of.zones[number]
                    held = self.slots[:, zone.counts : zone.counts + zone.width]
                    found[:, number] = (held != 0 if zone.ordered else held).sum(axis=1)
                continue
            where = self.slots[:, kind.base : kind.base + kind.kind.total]
            flat = where + self.every[:, None] * found.shape[1]
            found += np.bincount(flat.ravel(), minlength=found.size).reshape(found.shape)
        return found

    def _counted(self, kind: KindTable, counts: Numbers) -> None:
        for number in kind.zones:
            zone, seen = self.of.zones[number], self.sees[:, number, None]
            held = self.slots[:, zone.counts : zone.counts + zone.width]
            if zone.ordered:
                turns = self._by_turn(zone, held, counts[:, number])
                self._put(np.where(seen, turns, 0))
                if self.of.placed(zone):
                    first = self.index.knowledge.places.run(number).start
                    marks = self.slots[:, first : first + zone.width] >> self.viewer & 1
                    known = self._by_turn(zone, np.where(marks != 0, held, 0), counts[:, number])
                    self._put(np.where(seen, 0, known))
            else:
                self._put(np.where(seen, held, 0))
            if self.index.knowledge.kept(kind):
                first, last = self.index.knowledge.there(kind, number)
                known = self.slots[:, first + self.viewer : last : self.of.players]
                self._put(np.where(seen, 0, known))

    def _by_turn(self, zone: Instance, held: Numbers, many: Numbers) -> Numbers:
        """What lies at the places of an ordered zone, beginning with what would leave next."""
        if zone.family.order != "stack":
            return held
        place = many[:, None] - 1 - np.arange(held.shape[1])
        turned: Numbers = np.take_along_axis(held, np.maximum(place, 0), axis=1)
        return np.where(place >= 0, turned, 0)

    def _identified(self, kind: KindTable, counts: Numbers) -> None:
        total = kind.kind.total
        where = self.slots[:, kind.base : kind.base + total]
        seen = self.sees[self.every[:, None], where]
        knowledge, known = self.index.knowledge, np.zeros_like(seen)
        placed = seen
        if (column := knowledge.column(kind)) is not None:
            known = ~seen & (self.slots[:, column : column + total] >> self.viewer & 1 != 0)
        if (column := knowledge.places.column(kind)) is not None:
            marks = self.slots[:, column : column + total] >> self.viewer & 1 != 0
            placed = seen | known & marks
        parts: list[Numbers | Flags] = [np.where(seen | known, 1 + where, 0)]
        if kind.positions >= 0:
            position = self.slots[:, kind.positions : kind.positions + total]
            last = counts[self.every[:, None], where] - 1 - position
            orders = [each.family.order for each in self.of.zones]
            stack, ordered = (np.array([each in names for each in orders])[where]
                              for names in (("stack",), ("stack", "queue")))  # fmt: skip
            parts.append(np.where(placed & ordered, 1 + np.where(stack, last, position), 0))
        for attribute in kind.attributes:
            held = self.slots[:, attribute.base : attribute.base + total]
            parts += self._of_value(attribute.type, held, seen)
        if kind.alike:
            parts = self._sorted(kind, parts)
        self._put(np.stack(parts, axis=2).reshape(self.many, total * len(parts)))

    def _sorted(self, kind: KindTable, parts: list[Numbers | Flags]) -> list[Numbers | Flags]:
        """Copies of a class in the order of what is seen of them."""
        order = np.tile(np.arange(kind.kind.total), (self.many, 1))
        for class_, copies in enumerate(kind.kind.copies):
            if copies > 1:
                first = kind.first[class_]
                keys = [each[:, first : first + copies] for each in reversed(parts)]
                order[:, first : first + copies] = first + np.lexsort(keys, axis=1)
        return [np.take_along_axis(each, order, axis=1) for each in parts]

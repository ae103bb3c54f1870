"""What a player sees of many plays, as numbers.

Assumes: columns (`encoding`); slots of many plays, those of one slot side by side.
Does: looks at each play through the declared visibilities, as `views.player_view` looks at one
state, and writes down what is seen. Copies that nothing tells apart stand in one order.
Leaves behind: a number for each column and play. Two states that a viewer cannot tell apart give
the same numbers, those of two that they can tell apart differ (but for what was told and is seen no
more).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulerun.reference.visibility import VisibleIf
from rulerun.runtime.index import Instance, KindTable
from rulerun.runtime.play import TOGETHER
from rulerun.vector.encoding import Encoding, Flags, Numbers, Plain, numbers_in
from rulerun.views.view_index import VariableEntry
from rulerun_dsl.model.valuetypes import Component, Order, SetOf, Type, bare


def rows_of(
    encoding: Encoding, slots: Numbers, viewer: int, who: NDArray[np.int64]
) -> NDArray[np.int32]:
    """What a viewer sees of plays: an array of (plays, columns).

    `slots`: (plays, slots of a state); `who`: by play, the player who is asked, or -2.
    """
    found = np.empty((len(encoding.columns), len(slots)), dtype=np.int32)
    every = np.full(len(slots), viewer)
    write_columns(encoding, np.ascontiguousarray(slots.T), every, who, found)
    return found.T


def write_columns(
    encoding: Encoding,
    slots: Numbers,
    viewers: NDArray[np.int64],
    who: NDArray[np.int64],
    found: NDArray[np.int32],
) -> None:
    """The same into (columns, plays), of slots as (slots of a state, plays); by play, who looks."""
    _Sight(encoding, slots, viewers, who, found).write()


FEW = 16
"""So many zones are compared one by one; with more, each component is looked up."""


class _Sight:
    """What is seen of some plays, of each by one player."""

    def __init__(
        self, encoding: Encoding, slots: Numbers, viewers: Numbers, who: Numbers, found: Numbers
    ) -> None:
        self.of = encoding
        self.game, self.index, self.tables = encoding.game, encoding.index, encoding.tables
        self.viewers = viewers
        self.everybody = (1 << encoding.players) - 1
        self.live = slots
        self.who = who
        self.many = slots.shape[1]
        self.together = slots[TOGETHER] != 0
        self.secret = bool(self.together.any())
        self.sets = self._shadowed() if self.secret else slots
        """What is seen from, with sets as large as they are."""
        self.live, self.slots = numbers_in(self.live), numbers_in(self.sets)
        self._conditions: dict[int, Flags] = {}
        self._masks: dict[int, Flags] = {}
        self._all, self._none = np.ones(self.many, dtype=bool), np.zeros(self.many, dtype=bool)
        self.sees = [self._holds(each.visible) for each in self.index.zones]
        """By zone, whether the viewer sees what lies there."""
        self.found = found
        self.at = 0

    @cached_property
    def every(self) -> Numbers:
        """The plays."""
        return np.arange(self.many)

    @cached_property
    def _stacked(self) -> Flags:
        return np.stack(self.sees or [self._none])

    def _sight(self, zones: Numbers) -> Flags:
        """(n, plays): whether the viewer sees what lies in zones of these numbers."""
        if len(self.sees) > FEW:
            return self._stacked[zones, self.every]
        found = np.zeros(zones.shape, dtype=bool)
        for number, sees in enumerate(self.sees):
            if sees is not self._none:
                here = zones == number
                found |= here if sees is self._all else here & sees
        return found

    def write(self) -> None:
        """One after another."""
        self._put(self.viewers)
        self._put(self.together)
        self._asked()
        for run in self.of.runs:
            if isinstance(run, Plain):
                self._plain(run)
            else:
                self._variable(run)
        counts = self._counts()
        for number, each in enumerate(self.index.zones):
            held, counted = self.sees[number], self._holds(each.count_visible)
            if held is self._all or counted is self._all:
                self._put(1 + counts[number])
            else:
                self._put(np.where(held | counted, 1 + counts[number], 0))
        for kind in self.tables.kinds.values():
            if kind.kind.counted:
                self._counted(kind, counts)
            else:
                self._identified(kind, counts)
        assert self.at == len(self.found)

    def _put(self, numbers: Numbers | Flags) -> None:
        """The next columns: one, or as many as there are."""
        many = len(numbers) if numbers.ndim == 2 else 1
        self.found[self.at : self.at + many] = numbers
        self.at += many

    def _shadowed(self) -> Numbers:
        """Inside a `together` the state as it was when it began, with the viewer's own as it is."""
        start, end = self.game.layout.live
        shadow, inside = self.game.layout.shadow, self.together
        slots = self.live.copy()
        slots[start:end, inside] = self.live[shadow : shadow + end - start, inside]
        for player, (own, _) in enumerate(self.of.own):
            these = np.ix_(own, np.flatnonzero(inside & (self.viewers == player)))
            slots[these] = self.live[these]
        for kind in self.tables.kinds.values():
            if not kind.kind.counted:
                self._laid_over(slots, kind)
            elif kind.kind.name in dict(self.game.layout.known):
                self._places_laid_over(slots, kind)
        return slots

    def _laid_over(self, slots: Numbers, kind: KindTable) -> None:
        """The components that lie, or lay, in the viewer's own zones."""
        mine = np.stack([zones for _, zones in self.of.own])
        first, total = kind.base, kind.kind.total
        where = slice(first, first + total)
        touched = mine[self.viewers, slots[where]] | mine[self.viewers, self.live[where]]
        touched &= self.together
        bases = [first, *([kind.positions] if kind.positions >= 0 else [])]
        for base in (*bases, *(each.base for each in kind.attributes)):
            part = slice(base, base + total)
            slots[part] = np.where(touched, self.live[part], slots[part])
        inside = mine[self.viewers, slots[where]] & self.together
        knowledge, bit = self.index.knowledge, 1 << self.viewers
        for column in (knowledge.column(kind), knowledge.places.column(kind)):
            if column is not None:
                part = slice(column, column + total)
                known = slots[part] & ~bit | self.live[part] & bit
                slots[part] = np.where(inside, known, slots[part])

    def _places_laid_over(self, slots: Numbers, kind: KindTable) -> None:
        bit = 1 << self.viewers
        for zone in kind.zones:
            mine = np.array([zones[zone] for _, zones in self.of.own])[self.viewers]
            for at in self.index.knowledge.places.run(zone) if mine.any() else ():
                known = slots[at] & ~bit | self.live[at] & bit
                slots[at] = np.where(mine & self.together, known, slots[at])

    def _holds(self, visible: VisibleIf) -> Flags:
        """Of each play: whether the viewer sees what declares a condition."""
        if visible.always is not None:
            return self._by_mask(visible.always)
        key = id(visible)
        if key not in self._conditions:
            self._conditions[key] = self._looked(visible)
        return self._conditions[key]

    def _looked(self, visible: VisibleIf) -> Flags:
        sees = self.index.visibility.sees
        states = zip(self.viewers.tolist(), self.sets.T.tolist(), strict=True)
        return np.fromiter(
            (sees(viewer, visible, state) for viewer, state in states), bool, self.many
        )

    def _by_mask(self, players: int) -> Flags:
        """Whether who looks is among these players."""
        inside = players & self.everybody
        if inside in (0, self.everybody):
            return self._all if inside else self._none
        if inside not in self._masks:
            one = np.zeros(self.many, dtype=bool)
            for player in range(self.of.players):
                if inside >> player & 1:
                    one |= self.viewers == player
            self._masks[inside] = one
        return self._masks[inside]

    def _asked(self) -> None:
        layout, viewers = self.game.layout, self.viewers
        mine = self.who == viewers
        at = self.live[layout.base]
        if layout.frames > 1:
            own = self.live[layout.base + (1 + viewers) * layout.frame, self.every]
            mine = np.where(self.together, own != 0, mine)
            at = np.where(self.together, own, at)
        for player in range(self.of.players):
            asked = self.who == player
            if self.secret:
                asked = np.where(viewers == player, mine, asked & ~self.together)
            self._put(asked)
        self._put(self.of.numbers[at] * mine)

    # --------------------------------------------------------------------------- variables

    def _plain(self, run: Plain) -> None:
        """Variables that are one number each."""
        sees, held = self._by_mask(run.always), self.slots[run.slots]
        columns = self.found[self.at : self.at + len(held)]
        np.subtract(held, run.less.astype(held.dtype), out=columns, casting="unsafe")
        if sees is not self._all:
            columns *= sees
        self.at += len(held)

    def _variable(self, entry: VariableEntry) -> None:
        type_, seen = entry.table.variable.type, self._holds(entry.visible)
        if isinstance(bare(type_), Order):
            held = self.slots[entry.at : entry.at + entry.table.width]
            self._put(np.where(seen, 1 + held, 0))
            return
        self._value(type_, self.sets[entry.at], seen)

    def _value(self, type_: Type, held: Numbers, seen: Flags) -> None:
        for column in self._of_value(type_, held[None], seen[None]):
            self._put(column)

    def _of_value(self, type_: Type, held: Numbers, seen: Flags) -> Iterator[Numbers | Flags]:
        """The columns of some values of a type, each as an array of (values, plays)."""
        match bare(type_):
            case SetOf(element=Component(kind=name)):
                kind = self.tables.kinds[name]
                every = np.arange(kind.kind.total)
                bits = seen & (held >> every[:, None, None] & 1 != 0)
                shown = bits & self._shown(kind, every)[:, None, :]
                yield seen
                for class_ in range(kind.kind.classes):
                    copies = kind.copies_of(class_)
                    yield shown[copies.start : copies.stop].sum(axis=0)
                yield (bits & ~shown).sum(axis=0)
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
                    shown = self._sight(zone)
                else:
                    shown = self._sight(self._where(kind, component))
                    class_of = np.array(kind.class_of)[component]
                code = np.where(there, np.where(shown, 3 + class_of, 2), 1)
                yield np.where(seen, code, 0)
            case _:
                yield np.where(seen, 1 + held - self.of.bounds(type_)[0], 0)

    def _where(self, kind: KindTable, component: Numbers) -> Numbers:
        zones: Numbers = self.slots[kind.base + component, self.every]
        return zones

    def _shown(self, kind: KindTable, components: Numbers) -> Flags:
        """Which components lie where the viewer sees them."""
        return self._sight(self.slots[kind.base + components])

    # -------------------------------------------------------------------------- components

    def _counts(self) -> Numbers:
        """(zones, plays): how many components lie there."""
        found = np.zeros((max(1, len(self.of.zones)), self.many), dtype=np.int32)
        for kind in self.tables.kinds.values():
            if kind.kind.counted:
                for number in kind.zones:
                    zone = self.of.zones[number]
                    held = self.slots[zone.counts : zone.counts + zone.width]
                    found[number] = (held != 0 if zone.ordered else held).sum(axis=0)
                continue
            where = self.slots[kind.base : kind.base + kind.kind.total]
            if len(found) <= FEW:
                narrow = np.int8 if len(where) <= np.iinfo(np.int8).max else np.int32
                for number, count in enumerate(found):
                    count += (where == number).view(np.int8).sum(axis=0, dtype=narrow)
                continue
            flat = where * self.many + self.every
            found += np.bincount(flat.ravel(), minlength=found.size).reshape(found.shape)
        return found

    def _counted(self, kind: KindTable, counts: Numbers) -> None:
        for number in kind.zones:
            zone, seen = self.of.zones[number], self.sees[number]
            held = self.slots[zone.counts : zone.counts + zone.width]
            if zone.ordered:
                turns = self._by_turn(zone, held, counts[number])
                self._put(np.where(seen, turns, 0))
                if self.of.placed(zone):
                    first = self.index.knowledge.places.run(number).start
                    marks = self.slots[first : first + zone.width] >> self.viewers & 1
                    known = self._by_turn(zone, np.where(marks != 0, held, 0), counts[number])
                    self._put(np.where(seen, 0, known))
            else:
                self._put(np.where(seen, held, 0))
            if self.index.knowledge.kept(kind):
                first, last = self.index.knowledge.there(kind, number)
                classes = np.arange(first, last, self.of.players)[:, None]
                known = self.slots[classes + self.viewers, self.every]
                self._put(np.where(seen, 0, known))

    def _by_turn(self, zone: Instance, held: Numbers, many: Numbers) -> Numbers:
        """What lies at the places of an ordered zone, beginning with what would leave next."""
        if zone.family.order != "stack":
            return held
        place = many - 1 - np.arange(len(held))[:, None]
        turned: Numbers = np.take_along_axis(held, np.maximum(place, 0), axis=0)
        return np.where(place >= 0, turned, 0)

    def _identified(self, kind: KindTable, counts: Numbers) -> None:
        total = kind.kind.total
        where = self.slots[kind.base : kind.base + total]
        knowledge, seen = self.index.knowledge, self._sight(where)
        traced, placed = seen, seen
        if (column := knowledge.column(kind)) is not None:
            traced = seen | (self.slots[column : column + total] >> self.viewers & 1 != 0)
        if (column := knowledge.places.column(kind)) is not None:
            marks = self.slots[column : column + total] >> self.viewers & 1 != 0
            placed = seen | traced & marks
        parts: list[Numbers | Flags] = [np.where(traced, 1 + where, 0)]
        if kind.positions >= 0:
            position = self.slots[kind.positions : kind.positions + total]
            last = counts[where, self.every] - 1 - position
            orders = [each.family.order for each in self.of.zones]
            stack, ordered = (np.array([each in names for each in orders])[where]
                              for names in (("stack",), ("stack", "queue")))  # fmt: skip
            parts.append(np.where(placed & ordered, 1 + np.where(stack, last, position), 0))
        for attribute in kind.attributes:
            held = self.sets[attribute.base : attribute.base + total]
            parts += self._of_value(attribute.type, held, seen)
        if kind.alike:
            parts = self._sorted(kind, parts)
        rows = self.found[self.at : self.at + total * len(parts)]
        for number, part in enumerate(parts):
            rows[number :: len(parts)] = part
        self.at += len(rows)

    def _sorted(self, kind: KindTable, parts: list[Numbers | Flags]) -> list[Numbers | Flags]:
        """Copies of a class in the order of what is seen of them."""
        order = np.tile(np.arange(kind.kind.total)[:, None], self.many)
        for class_, copies in enumerate(kind.kind.copies):
            if copies > 1:
                first = kind.first[class_]
                keys = [each[first : first + copies] for each in reversed(parts)]
                order[first : first + copies] = first + np.lexsort(keys, axis=0)
        return [np.take_along_axis(each, order, axis=0) for each in parts]

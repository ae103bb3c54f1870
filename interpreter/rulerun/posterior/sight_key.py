"""What a viewer sees of a state, as numbers that compare quickly.

Assumes: the slots of a state at rest.
Does: picks out, column by column, the slots that the viewer may look at: variables that they see,
what lies in zones that they see, how much lies in others, what they know to lie where. Where all of
that is the same in every state, one call takes it; conditions that hang on the state are asked.
Leaves behind: keys. Of two states with equal keys the viewer sees the same; what `views.observe`
makes of them is the same but for what people are told beside it (hints, a headline), which is left
to whoever compares whole information states. Of two keys that differ, which components the viewer
sees in one and not in the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from rulerun.reference.collections import bits
from rulerun.runtime.index import Instance, KindTable, element_of
from rulerun.runtime.state import State
from rulerun.views.player_view import PlayerView
from rulerun.views.view_index import VariableEntry, ZoneEntry, view_index
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import Component, SetOf, bare

Slots = Sequence[int]
Key = tuple[Any, ...]
Name = tuple[str, int]
"""A component as rules name it: its kind, and its row."""
Part = Callable[[Slots], Any]
FURTHEST = 4
"""Numbers that are so far apart are no nearer than others."""
UNSEEN = -2
"""Stands for a component that a variable names and the viewer does not see."""


class Sight:
    """What one viewer sees of the states of one game."""

    def __init__(self, game: Game, viewer: int) -> None:
        """Sort what is seen in every state from what hangs on the state."""
        self.game = game
        self.viewer = viewer
        self.index = view_index(game)
        self.tables = self.index.tables
        self._columns: list[int] = []
        self._labels: list[Name | str | None] = []
        """By column: what it counts; a kind, if it says 1 + the class that lies there."""
        self._parts: list[tuple[Part, Callable[[Any], Counter[Name]] | None]] = []
        """What is looked at besides, and the components that are seen in it."""
        for variable in self.index.variables:
            self._variable(variable)
        for entry in self.index.zones:
            if entry.zone.kind.kind.counted:
                self._counted(entry)
        for kind in self.tables.kinds.values():
            if not kind.kind.counted:
                self._identities(kind)
        self._known()
        self._taken: Callable[[Slots], Any] = (
            itemgetter(*self._columns) if self._columns else lambda slots: ()
        )

    def at(self, slots: Slots) -> Key:
        """The key of a state outside any `together`."""
        return (self._taken(slots), *[part(slots) for part, _ in self._parts])

    def inside(self, slots: Slots) -> Key:
        """The key of a state inside a `together`."""
        view = PlayerView(self.game, State(tuple(slots)), self.viewer)
        return self.at(view.slots)

    def name(self, kind: KindTable, class_: int) -> Name:
        """A class of components as rules name it."""
        return kind.kind.name, kind.parts[class_][0]

    def differences(self, found: Key, wanted: Key) -> tuple[Counter[Name], Counter[Name]]:
        """What the viewer sees too much of in a key, and too little of, beside another."""
        more: Counter[Name] = Counter()
        if len(self._columns) > 1:
            for label, one, other in zip(self._labels, found[0], wanted[0], strict=True):
                if one == other or label is None:
                    continue
                if isinstance(label, str):
                    kind = self.tables.kinds[label]
                    for value, sign in ((one, 1), (other, -1)):
                        if value > 0:
                            more[self.name(kind, value - 1)] += sign
                else:
                    more[label] += one - other
        for (_, components), one, other in zip(self._parts, found[1:], wanted[1:], strict=True):
            if components is not None and one != other:
                more.update(components(one))
                more.subtract(components(other))
        return +more, -more

    @staticmethod
    def distance(found: object, wanted: object) -> int:
        """How much two keys differ: numbers by how far they are apart, all else by 1."""
        if found == wanted:
            return 0
        if isinstance(found, tuple) and isinstance(wanted, tuple) and len(found) == len(wanted):
            return sum(map(Sight.distance, found, wanted))
        if isinstance(found, int) and isinstance(wanted, int):
            return min(abs(found - wanted), FURTHEST)
        return 1

    # ----------------------------------------------------------------------------- variables

    def _variable(self, entry: VariableEntry) -> None:
        type_ = bare(entry.table.variable.type)
        width = entry.table.width
        always = entry.visible.always
        named = isinstance(element_of(type_), Component) or isinstance(type_, Component)
        if always is not None and not named:
            if self._seen(always):
                self._column(range(entry.at, entry.at + width), None)
            return
        if always is not None and not self._seen(always):
            return
        look: Part = lambda slots: tuple(slots[entry.at : entry.at + width])  # noqa: E731
        if named:
            element = type_.element if isinstance(type_, SetOf) else type_
            kind = self.tables.kinds[bare(element).kind]  # type: ignore[union-attr]
            several = isinstance(type_, SetOf)
            look = self._naming(kind, entry.at, several)
        if always is None:
            shown = look
            look = lambda slots: shown(slots) if self._sees(entry, slots) else None  # noqa: E731
        self._parts.append((look, None))

    def _naming(self, kind: KindTable, at: int, several: bool) -> Part:
        """The components that a variable names, each as the viewer sees it."""
        components, instances = self.index.components, self.tables.instances

        def look(slots: Slots) -> object:
            value = slots[at]
            if value < 0:
                return value
            found = []
            for one in bits(value, 0) if several else (value,):
                zone = instances[components.zone_of(slots, kind, one)]
                if not self._sees_zone(zone, slots):
                    found.append((UNSEEN, False))
                    continue
                class_ = components.class_of(kind, one)
                found.append((class_, kind.parts[class_][1] == zone.owner))
            return tuple(found)

        return look

    def _sees(self, entry: VariableEntry, slots: Slots) -> bool:
        return self.index.visibility.sees(self.viewer, entry.visible, slots)

    def _sees_zone(self, zone: Instance, slots: Slots) -> bool:
        return self.index.visibility.sees(self.viewer, self.index.zones[zone.number].visible, slots)

    def _seen(self, mask: int) -> bool:
        return bool(mask >> self.viewer & 1)

    def _column(self, addresses: Sequence[int], label: Name | str | None) -> None:
        self._columns += addresses
        self._labels += [label] * len(addresses)

    # --------------------------------------------------------------------------------- zones

    def _counted(self, entry: ZoneEntry) -> None:
        zone = entry.zone
        if zone.counts < 0:
            return
        kind, start, stop = zone.kind, zone.counts, zone.counts + zone.width
        sees, counts = entry.visible.always, entry.count_visible.always
        ordered = zone.ordered

        def many(slots: Slots) -> int:
            held = slots[start:stop]
            return len(held) - held.count(0) if ordered else sum(held)

        if sees is not None and self._seen(sees):
            for class_ in range(zone.width):
                label = kind.kind.name if ordered else self.name(kind, class_)
                self._column((start + class_,), label)
            return
        if sees is not None and counts is not None:
            if self._seen(counts):
                self._parts.append((many, None))
            return

        def look(slots: Slots) -> object:
            if self._sees_zone(zone, slots):
                return tuple(slots[start:stop])
            if self.index.visibility.sees(self.viewer, entry.count_visible, slots):
                return many(slots)
            return None

        def components(part: object) -> Counter[Name]:
            found: Counter[Name] = Counter()
            if isinstance(part, tuple):
                for at, held in enumerate(part):
                    if ordered and held:
                        found[self.name(kind, held - 1)] += 1
                    elif held:
                        found[self.name(kind, at)] += held
            return found

        self._parts.append((look, components))

    def _identities(self, kind: KindTable) -> None:
        """Which components of a kind lie where the viewer sees them; elsewhere how many."""
        base, stop = kind.base, kind.base + kind.kind.total
        entries = [self.index.zones[zone] for zone in kind.zones]
        steady = all(each.visible.always is not None for each in entries)
        fixed = [-1] * (1 + len(self.tables.instances))
        for each in entries:
            if each.visible.always is not None and self._seen(each.visible.always):
                fixed[each.zone.number] = each.zone.number
        changing = [each for each in entries if each.visible.always is None]

        def shown(slots: Slots) -> list[int]:
            if steady:
                return fixed
            now = fixed[:]
            for each in changing:
                if self.index.visibility.sees(self.viewer, each.visible, slots):
                    now[each.zone.number] = each.zone.number
            return now

        def plain(slots: Slots) -> tuple[int, ...]:
            return tuple(map(shown(slots).__getitem__, slots[base:stop]))

        columns = [each.base for each in kind.attributes]
        columns += [kind.positions] if kind.positions >= 0 else []
        classes = kind.class_of

        def rows(slots: Slots) -> tuple[tuple[int, ...], ...]:
            lies = map(shown(slots).__getitem__, slots[base:stop])
            return tuple(
                sorted(
                    (zone, classes[at], *[slots[column + at] for column in columns])
                    for at, zone in enumerate(lies)
                    if zone >= 0
                )
            )

        def of_plain(part: tuple[int, ...]) -> Counter[Name]:
            return Counter(
                self.name(kind, classes[at]) for at, zone in enumerate(part) if zone >= 0
            )

        def of_rows(part: tuple[tuple[int, ...], ...]) -> Counter[Name]:
            return Counter(self.name(kind, row[1]) for row in part)

        if columns or kind.alike:
            self._parts.append((rows, of_rows))
        else:
            self._parts.append((plain, of_plain))
        hidden = [
            each
            for each in entries
            if each.visible.always is None or not self._seen(each.visible.always)
        ]
        steady = all(each.count_visible.always is not None for each in hidden)
        if steady and len(hidden) > 1:
            numbers = [
                each.zone.number for each in hidden if self._seen(each.count_visible.always or 0)
            ]

            def many(slots: Slots) -> tuple[int, ...]:
                lies = slots[base:stop]
                return tuple([lies.count(number) for number in numbers])

            self._parts.append((many, None))
            return
        for each in hidden:
            self._parts.append((self._many(kind, each), None))

    def _many(self, kind: KindTable, entry: ZoneEntry) -> Part:
        base, stop, number = kind.base, kind.base + kind.kind.total, entry.zone.number
        always = entry.count_visible.always

        def look(slots: Slots) -> int | None:
            if always is None:
                seen = self.index.visibility.sees(self.viewer, entry.count_visible, slots)
            else:
                seen = self._seen(always)
            return slots[base:stop].count(number) if seen else None

        return look

    # ----------------------------------------------------------------------------- knowledge

    def _known(self) -> None:
        """What the viewer knows to lie where they do not see it, and at which place."""
        knowledge, bit = self.index.knowledge, 1 << self.viewer
        for kind in self.tables.kinds.values():
            if not knowledge.kept(kind):
                continue
            if kind.kind.counted:
                for zone in kind.zones:
                    for class_ in range(kind.kind.classes):
                        at = knowledge.at(kind, zone, class_) + self.viewer
                        self._column((at,), self.name(kind, class_))
                    if knowledge.places.kept(zone):
                        self._parts.append((self._placed(zone), None))
                continue
            marks, places = knowledge.column(kind), knowledge.places.column(kind)
            assert marks is not None
            self._parts.append((self._marked(kind, marks, places, bit), self._names(kind)))

    def _placed(self, zone: int) -> Part:
        places, components = self.index.knowledge.places, self.index.components
        kind = self.tables.instances[zone].kind

        def look(slots: Slots) -> tuple[tuple[int, int], ...]:
            found = places.known(slots, zone, self.viewer)
            return tuple((each.turn, components.class_of(kind, each.component)) for each in found)

        run = places.run(zone)
        if not run:
            return look
        # Mostly nothing is known: that is told at a glance.
        return lambda slots: look(slots) if any(slots[run.start : run.stop]) else ()

    def _marked(self, kind: KindTable, marks: int, places: int | None, bit: int) -> Part:
        components, known = self.index.components, self.index.knowledge.places

        def look(slots: Slots) -> tuple[tuple[int, ...], ...]:
            column = slots[marks : marks + kind.kind.total]
            if not any(column):
                return ()
            found: list[tuple[int, ...]] = []
            for component, mask in enumerate(column):
                if mask & bit:
                    zone = components.zone_of(slots, kind, component)
                    found.append((zone, kind.class_of[component]))
            if places is not None:
                for zone in {row[0] for row in found}:
                    for each in known.known(slots, zone, self.viewer):
                        found.append((zone, kind.class_of[each.component], each.turn))
            return tuple(sorted(found))

        return look

    def _names(self, kind: KindTable) -> Callable[[Any], Counter[Name]]:
        return lambda part: Counter(self.name(kind, row[1]) for row in part if len(row) == 2)

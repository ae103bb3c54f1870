"""Where components are: how the slots of places are read, and written while rules run.

Assumes: slots laid out as `model.Layout` says, every component in exactly one zone.
Does: lists, counts and moves components, for the three ways in which they are stored.
Leaves behind: every component in exactly one zone, positions of an ordered zone without gaps.

In the reference nothing else writes these slots. A few others go to them by themselves: `evaluate`,
to find quickly what lies in a zone for one; `views`, the laws and the set-up of scenarios, which
put a vector together, or judge one, from outside. `compiled.lower` has the same as programs.

The three storages:

* A kind with identities: a slot for each component's zone, and one for its position where an
  ordered zone may hold it. Positions count from the bottom (of a queue: from its front), from 0.
* A counted kind in an unordered zone: a slot for each class, how many of it are there.
* A counted kind in an ordered zone: a slot for each place, 1 + class, bottom (front) first.

Members of an ordered zone are listed from where they leave: a stack from its top (the last in), a
queue from its front (the first in). All others are listed in canonical order: row, owner,
attributes, zone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulerun.runtime.executor import RuleError
from rulerun.runtime.index import GameIndex, Instance, KindTable
from rulerun_dsl.model.valuetypes import Component, bare
from rulerun_dsl.source.spans import Span

Key = tuple[int, ...]
"""What tells a component from another in one zone: its class, then its attributes."""


class Components:
    """The components of a game, in whatever vector it is given."""

    def __init__(self, tables: GameIndex) -> None:
        """Stand on the game's tables."""
        self.tables = tables
        self.instances = tables.instances
        self._labels: tuple[str, ...] = ()
        self._listing: dict[int, Callable[[Sequence[int]], list[int]]] = {}
        """By zone: what lists it, made when first asked."""
        self._counting: dict[int, Callable[[Sequence[int]], int]] = {}
        # Kinds whose components with identities are listed in the order of their numbers.
        self._by_number = {
            name: not kind.alike and not kind.attributes for name, kind in tables.kinds.items()
        }

    # ------------------------------------------------------------------------------- reading

    def count(self, slots: Sequence[int], zone: int) -> int:
        """How many components lie in a zone."""
        counting = self._counting.get(zone)
        if counting is None:
            counting = self._counting[zone] = self._counts(self.instances[zone])
        return counting(slots)

    def _counts(self, instance: Instance) -> Callable[[Sequence[int]], int]:
        """What counts the members of a zone."""
        kind, zone = instance.kind, instance.number
        if not kind.kind.counted:
            start, stop = kind.base, kind.base + kind.kind.total
            return lambda slots: slots[start:stop].count(zone)
        if instance.ordered:
            return lambda slots: len(self._sequence(slots, instance))
        start, stop = instance.counts, instance.counts + kind.kind.classes
        return lambda slots: sum(slots[start:stop])

    def members(self, slots: Sequence[int], zone: int) -> list[int]:
        """What lies in a zone, in its order."""
        listing = self._listing.get(zone)
        if listing is None:
            listing = self._listing[zone] = self._lists(self.instances[zone])
        return listing(slots)

    def _lists(self, instance: Instance) -> Callable[[Sequence[int]], list[int]]:
        """What lists the members of a zone."""
        kind, zone = instance.kind, instance.number
        if instance.ordered:
            return lambda slots: self._in_order(slots, instance)
        if not kind.kind.counted:
            start, stop = kind.base, kind.base + kind.kind.total
            by_number = self._by_number[kind.kind.name]

            def lying(slots: Sequence[int]) -> list[int]:
                places = slots[start:stop]
                if zone not in places:
                    return []
                found = [component for component, at in enumerate(places) if at == zone]
                if not by_number and len(found) > 1:
                    found.sort(key=lambda component: self.rank(slots, kind, component))
                return found

            return lying
        start, classes = instance.counts, kind.kind.classes
        stop, first = start + classes, zone * classes
        if classes == 1:
            return lambda slots: [first] * slots[start]

        def counted(slots: Sequence[int]) -> list[int]:
            held = slots[start:stop]
            if not any(held):
                return []
            return [component for component, many in enumerate(held, first) for _ in range(many)]

        return counted

    def _in_order(self, slots: Sequence[int], instance: Instance) -> list[int]:
        kind, zone = instance.kind, instance.number
        if kind.kind.counted:
            first = zone * kind.kind.classes
            found = [first + held - 1 for held in self._sequence(slots, instance)]
        else:
            found = self._lying_in(slots, kind, (zone,))
            if len(found) > 1:
                found.sort(key=lambda component: slots[kind.positions + component])
        if instance.family.order == "stack":
            found.reverse()
        return found

    def occupant(self, slots: Sequence[int], zone: int) -> int | None:
        """What lies in a zone for one."""
        kind = self.instances[zone].kind
        if kind.kind.counted:
            found = self.members(slots, zone)
            return found[0] if found else None
        try:
            return slots.index(zone, kind.base, kind.base + kind.kind.total) - kind.base
        except ValueError:
            return None

    def union(self, slots: Sequence[int], kind: KindTable, zones: Sequence[int]) -> list[int]:
        """What lies in any of the zones, in canonical order."""
        if not kind.kind.counted:
            found = self._lying_in(slots, kind, zones)
            if len(found) > 1 and not self._by_number[kind.kind.name]:
                found.sort(key=lambda component: self.rank(slots, kind, component))
            return found
        found = []
        classes = kind.kind.classes
        for zone in zones:
            found += self.members(slots, zone)
        if len(zones) > 1 or self.instances[zones[0]].ordered:
            found.sort(key=lambda component: (component % classes, component))
        return found

    def everywhere(self, slots: Sequence[int], kind: KindTable) -> list[int]:
        """All components of a kind, in canonical order."""
        return self.union(slots, kind, kind.zones)

    def zone_of(self, slots: Sequence[int], kind: KindTable, component: int) -> int:
        """The number of the zone in which a component lies."""
        if kind.kind.counted:
            return component // kind.kind.classes
        return slots[kind.base + component]

    def class_of(self, kind: KindTable, component: int) -> int:
        """The class of a component."""
        if kind.kind.counted:
            return component % kind.kind.classes
        return kind.class_of[component]

    def key(self, slots: Sequence[int], kind: KindTable, component: int) -> Key:
        """What tells the component from others in its zone."""
        if kind.kind.counted:
            return (component % kind.kind.classes,)
        states = (slots[attribute.base + component] for attribute in kind.attributes)
        return (kind.class_of[component], *states)

    def rank(self, slots: Sequence[int], kind: KindTable, component: int) -> Key:
        """Where the component stands in canonical order."""
        zone = self.zone_of(slots, kind, component)
        return (*self.key(slots, kind, component), zone, component)

    def is_there(self, slots: Sequence[int], kind: KindTable, component: int) -> bool:
        """Whether what the value names is (still) where it says: identities always are."""
        if not kind.kind.counted:
            return True
        zone, class_ = divmod(component, kind.kind.classes)
        instance = self.instances[zone]
        if instance.counts < 0:
            return False
        if instance.ordered:
            return class_ + 1 in self._sequence(slots, instance)
        return slots[instance.counts + class_] > 0

    def _lying_in(self, slots: Sequence[int], kind: KindTable, zones: Sequence[int]) -> list[int]:
        places = slots[kind.base : kind.base + kind.kind.total]
        if len(zones) == 1:
            (only,) = zones
            if only not in places:
                return []
            return [component for component, zone in enumerate(places) if zone == only]
        wanted = range(zones[0], zones[-1] + 1) if _is_run(zones) else frozenset(zones)
        return [component for component, zone in enumerate(places) if zone in wanted]

    def _sequence(self, slots: Sequence[int], instance: Instance) -> list[int]:
        """What lies in an ordered zone of a counted kind: 1 + class, bottom first."""
        held = list(slots[instance.counts : instance.counts + instance.width])
        return held[: held.index(0)] if 0 in held else held

    # ------------------------------------------------------------------------------- writing

    def move(self, slots: list[int], kind: KindTable, component: int, to: int, span: Span) -> int:
        """Move a component into a zone, on top (of a queue: behind the last). What it is now."""
        if not self.is_there(slots, kind, component):
            raise RuleError("moved_away", f"{self._name(kind, component)} has left", span, ())
        source = self.zone_of(slots, kind, component)
        target = self.instances[to]
        if source != to and self.count(slots, to) >= target.family.holds:
            label = self.label(to)
            raise RuleError("full", f"{label} is full: it holds {target.family.holds}", span, ())
        class_ = self.class_of(kind, component)
        self.lift(slots, kind, component)
        if kind.kind.counted:
            return self.add(slots, kind, class_, to)
        self.lay(slots, kind, component, to)
        return component

    def add(self, slots: list[int], kind: KindTable, class_: int, to: int) -> int:
        """Lay one more of a class of a counted kind into a zone. What it is now."""
        instance = self.instances[to]
        if instance.ordered:
            slots[instance.counts + len(self._sequence(slots, instance))] = class_ + 1
        else:
            slots[instance.counts + class_] += 1
        return to * kind.kind.classes + class_

    def lift(self, slots: list[int], kind: KindTable, component: int) -> None:
        """Lift a component out of its zone; what lay above it comes down."""
        source = self.instances[self.zone_of(slots, kind, component)]
        if kind.kind.counted:
            class_ = component % kind.kind.classes
            if not source.ordered:
                slots[source.counts + class_] -= 1
                return
            held = self._sequence(slots, source)
            at = held.index(class_ + 1)
            if source.family.order == "stack":
                at = len(held) - 1 - held[::-1].index(class_ + 1)
            del held[at]
            self._write(slots, source, held)
        elif source.ordered:
            position = slots[kind.positions + component]
            for other in self._lying_in(slots, kind, (source.number,)):
                if slots[kind.positions + other] > position:
                    slots[kind.positions + other] -= 1
            slots[kind.positions + component] = 0

    def lay(self, slots: list[int], kind: KindTable, component: int, to: int) -> None:
        """Lay a component that was lifted into a zone."""
        slots[kind.base + component] = -1
        if self.instances[to].ordered:
            slots[kind.positions + component] = self.count(slots, to)
        slots[kind.base + component] = to

    def _write(self, slots: list[int], instance: Instance, held: Sequence[int]) -> None:
        """Lay exactly these (1 + class, bottom first) in an ordered zone of a counted kind."""
        rest = instance.width - len(held)
        slots[instance.counts : instance.counts + instance.width] = [*held, *[0] * rest]

    def arrange(self, slots: list[int], zone: int, order: Sequence[int]) -> None:
        """Give an ordered zone the order `order` of its members, bottom first."""
        instance = self.instances[zone]
        kind = instance.kind
        if kind.kind.counted:
            self._write(slots, instance, [self.class_of(kind, one) + 1 for one in order])
            return
        for position, component in enumerate(order):
            slots[kind.positions + component] = position

    def upwards(self, slots: Sequence[int], zone: int) -> list[int]:
        """The members of an ordered zone, bottom (of a queue: front) first."""
        found = self.members(slots, zone)
        return found[::-1] if self.instances[zone].family.order == "stack" else found

    def swap(self, slots: list[int], left: int, right: int, span: Span) -> None:
        """Exchange what lies in two zones, each in its order."""
        if left == right:
            return
        kind = self.instances[left].kind
        lying = [(zone, self.upwards(slots, zone)) for zone in (left, right)]
        for (_, members), to in zip(lying, (right, left), strict=True):
            holds = self.instances[to].family.holds
            if len(members) > holds:
                raise RuleError("full", f"{self.label(to)} is full: it holds {holds}", span, ())
        classes = [[self.class_of(kind, one) for one in members] for _, members in lying]
        for _, members in lying:
            for component in members:
                self.lift(slots, kind, component)
                if not kind.kind.counted:
                    slots[kind.base + component] = -1
        for (_, members), held, to in zip(lying, classes, (right, left), strict=True):
            for component, class_ in zip(members, held, strict=True):
                if kind.kind.counted:
                    self.add(slots, kind, class_, to)
                else:
                    self.lay(slots, kind, component, to)

    def place_at_start(self, slots: list[int]) -> None:
        """Lay every component where its kind starts; the first of a list lies on top."""
        unused = {name: list(kind.first) for name, kind in self.tables.kinds.items()}
        for kind in self.tables.kinds.values():
            if not kind.kind.counted:
                slots[kind.base : kind.base + kind.kind.total] = [-1] * kind.kind.total
        for family in self.tables.game.zones:
            kind = self.tables.kinds[family.kind]
            listed = reversed(family.start) if family.order == "stack" else family.start
            for zone, class_, many in listed:
                for _ in range(many):
                    if kind.kind.counted:
                        self.add(slots, kind, class_, zone)
                        continue
                    component = unused[family.kind][class_]
                    unused[family.kind][class_] += 1
                    self.lay(slots, kind, component, zone)
        for kind in self.tables.kinds.values():
            starts = {info.name: info.start for info in kind.kind.attributes}
            for attribute in kind.attributes:
                for component, class_ in enumerate(kind.class_of):
                    value = starts[attribute.name][class_ // kind.kind.owners]
                    slots[attribute.base + component] = self.tables.encode(attribute.type, value)

    def start_zone(self, kind: KindTable, class_: int) -> int:
        """The zone in which components of a class start."""
        for name in kind.kind.zones:
            for zone, started, many in self.tables.families[name].start:
                if started == class_ and many:
                    return zone
        return kind.zones[0]

    def sort_copies(self, slots: list[int], kind: KindTable, known: Sequence[int]) -> None:
        """Give copies that no rule can tell apart the numbers that fit where they lie.

        Within a class: by place, position, attributes, who knows them and where they lie (`known`:
        where that begins).
        So equal positions are equal vectors.
        """
        columns = [kind.base, *([kind.positions] if kind.positions >= 0 else [])]
        columns.extend(attribute.base for attribute in kind.attributes)
        columns.extend(known)
        for first, copies in zip(kind.first, kind.kind.copies, strict=True):
            if copies < 2:
                continue
            numbers = range(first, first + copies)
            rows = [tuple(slots[column + number] for column in columns) for number in numbers]
            ordered = sorted(rows)
            if ordered != rows:
                for number, row in zip(numbers, ordered, strict=True):
                    for column, value in zip(columns, row, strict=True):
                        slots[column + number] = value

    # --------------------------------------------------------------------------------- words

    def label(self, zone: int) -> str:
        """A zone, as the rules write it: `hand[yarg]`."""
        if not self._labels:
            self._labels = tuple(map(self._label, self.instances))
        return self._labels[zone]

    def _label(self, instance: Instance) -> str:
        family = instance.family
        if not family.indexes:
            return family.name
        pairs = zip(family.indexes, instance.indexes, strict=True)
        return f"{family.name}[{', '.join(self.tables.text(type_, at) for type_, at in pairs)}]"

    def _name(self, kind: KindTable, component: int) -> str:
        return self.tables.text(Component(kind.kind.name), component)


def kind_of(tables: GameIndex, type_: object) -> KindTable | None:
    """The kind of a component type (or none), else None."""
    wanted = bare(type_)  # type: ignore[arg-type]  # anything may be asked
    return tables.kinds[wanted.kind] if isinstance(wanted, Component) else None


def _is_run(zones: Sequence[int]) -> bool:
    return zones[-1] - zones[0] + 1 == len(zones)

"""Law 1: every component is in exactly one zone, and every number is what its place allows.

Assumes the vector of a state, at rest or between two effects of one rule.
Does: counts components, looks at orders, capacities, ranges, and at what players are said to know.
Leaves behind sentences about what is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rulerun.runtime.index import GameIndex, Instance, KindTable
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import INT_MAX, Order, Type, bare

Slots = Sequence[int]


class Whole:
    """What a vector of one game must be."""

    def __init__(self, game: Game) -> None:
        """Look up addresses and ranges once."""
        self.game = game
        self.tables = GameIndex(game)
        self.kinds = list(self.tables.kinds.values())
        self.ranges = [
            (at, *self.tables.bounds(table.variable.type), table.variable.name)
            for table in self.tables.variables.values()
            if not self._order(table.variable.type)
            for at in range(table.base, table.base + _size(table.variable.sizes) * table.width)
        ]
        self.orders = [
            (table.address(indexes), table.width, table.variable.name)
            for table in self.tables.variables.values()
            if self._order(table.variable.type)
            for indexes in table.instances()
        ]
        self.knowing = dict(game.layout.known)
        self.placing = dict(game.layout.known_places)

    @staticmethod
    def _order(type_: Type) -> bool:
        return isinstance(bare(type_), Order)

    def faults(self, slots: Slots) -> Iterator[str]:
        """What is wrong, also between two effects."""
        for at, low, high, name in self.ranges:
            if not low <= slots[at] <= high and high != INT_MAX:
                yield f"{name} is {slots[at]}, outside {low}..{high}"
        for at, width, name in self.orders:
            if sorted(slots[at : at + width]) != list(range(width)):
                yield f"{name} is no order of the players: {list(slots[at : at + width])}"
        for kind in self.kinds:
            if kind.kind.counted:
                yield from self._counted(slots, kind)
            else:
                yield from self._identities(slots, kind)

    def at_rest(self, slots: Slots) -> Iterator[str]:
        """What is wrong in a state at rest."""
        yield from self.faults(slots)
        layout = self.game.layout
        if len(slots) != layout.size:
            yield f"the state has {len(slots)} numbers, not {layout.size}"
            return
        if not slots[TOGETHER] and layout.frames > 1:
            start, end = layout.live
            if any(slots[layout.shadow : layout.shadow + end - start]):
                yield "something is left in the shadow though no `together` is open"
            if any(slots[layout.base + layout.frame :]):
                yield "something is left on a player's control stack though no `together` is open"
        if bool(slots[RESULT]) == any(
            slots[layout.base + frame * layout.frame] for frame in range(layout.frames)
        ):
            yield "a game that is over rests nowhere, any other somewhere"
        for kind in self.kinds:
            yield from self._known(slots, kind)

    # ---------------------------------------------------------------------------- identities

    def _identities(self, slots: Slots, kind: KindTable) -> Iterator[str]:
        possible = set(kind.zones)
        members: dict[int, list[int]] = defaultdict(list)
        for component in range(kind.kind.total):
            zone = slots[kind.base + component]
            if zone not in possible:
                yield f"{self._name(kind, component)} lies in no zone that holds a {kind.kind.name}"
                continue
            members[zone].append(component)
            for each in kind.attributes:
                low, high = self.tables.bounds(each.type)
                value = slots[each.base + component]
                if not low <= value <= high:
                    name = self._name(kind, component)
                    yield f"{each.name} of {name} is {value}, outside {low}..{high}"
        for number, lying in members.items():
            zone_ = self.tables.instances[number]
            yield from self._capacity(zone_, len(lying))
            if kind.positions >= 0:
                places = sorted(slots[kind.positions + component] for component in lying)
                wanted = list(range(len(lying))) if zone_.ordered else [0] * len(lying)
                if places != wanted:
                    yield f"the places in {zone_.family.name} are {places}"

    # ------------------------------------------------------------------------------- counted

    def _counted(self, slots: Slots, kind: KindTable) -> Iterator[str]:
        found = [0] * kind.kind.classes
        for number in kind.zones:
            zone = self.tables.instances[number]
            held = slots[zone.counts : zone.counts + zone.width]
            if zone.ordered:
                many = len([each for each in held if each])
                if any(held[many:]) or not all(
                    0 < each <= kind.kind.classes for each in held[:many]
                ):
                    yield f"{zone.family.name} has a gap: {list(held)}"
                for each in held:
                    if 0 < each <= len(found):
                        found[each - 1] += 1
            else:
                many = sum(held)
                if min(held) < 0:
                    yield f"{zone.family.name} holds less than nothing: {list(held)}"
                found = [one + more for one, more in zip(found, held, strict=True)]
            yield from self._capacity(zone, many)
        for class_, copies in enumerate(kind.kind.copies):
            if found[class_] != copies:
                row = kind.kind.rows[class_ // kind.kind.owners]
                yield f"there are {found[class_]} of {row}, not {copies}"

    def _capacity(self, zone: Instance, many: int) -> Iterator[str]:
        if many > zone.family.holds:
            yield f"{zone.family.name} holds {many}, more than {zone.family.holds}"

    def _name(self, kind: KindTable, component: int) -> str:
        return kind.kind.rows[self.tables.row_and_owner(kind, component)[0]]

    # ----------------------------------------------------------------------------- knowledge

    def _known(self, slots: Slots, kind: KindTable) -> Iterator[str]:
        """Knowledge may be forgotten, never invented."""
        base = self.knowing.get(kind.kind.name)
        if base is None:
            return
        players = len(self.game.players)
        yield from self._placed(slots, kind)
        if not kind.kind.counted:
            for component in range(kind.kind.total):
                if not 0 <= slots[base + component] < 1 << players:
                    yield f"who knows {self._name(kind, component)} is {slots[base + component]}"
                zone = self.tables.instances[slots[kind.base + component]]
                if slots[base + component] and zone.family.order == "random":
                    yield f"somebody knows {self._name(kind, component)} in {zone.family.name}"
            return
        classes = kind.kind.classes
        for place, number in enumerate(kind.zones):
            zone = self.tables.instances[number]
            held = slots[zone.counts : zone.counts + zone.width]
            random = zone.family.order == "random"
            for class_ in range(classes):
                there = held.count(class_ + 1) if zone.ordered else held[class_]
                for player in range(players):
                    known = slots[base + (place * classes + class_) * players + player]
                    if not 0 <= known <= (0 if random else there):
                        row = kind.kind.rows[class_ // kind.kind.owners]
                        name = self.game.players[player]
                        yield f"{name} knows of {known} {row} in {zone.family.name}: {there} there"

    def _placed(self, slots: Slots, kind: KindTable) -> Iterator[str]:
        """Who knows what lies at a place knows that it lies there."""
        base, classes = self.knowing[kind.kind.name], kind.kind.classes
        players = len(self.game.players)
        if not kind.kind.counted:
            columns = [self.placing[each] for each in kind.kind.zones if each in self.placing]
            for component in range(kind.kind.total) if columns else ():
                placed = slots[columns[0] + component]
                family = self.tables.instances[slots[kind.base + component]].family
                if placed & ~slots[base + component] or (
                    placed and family.name not in self.placing
                ):
                    name = self._name(kind, component)
                    yield f"some know the place of {name} in {family.name}, not that it is there"
            return
        for place, number in enumerate(kind.zones):
            zone = self.tables.instances[number]
            if zone.family.name not in self.placing:
                continue
            first = self.placing[zone.family.name] + (number - zone.family.base) * zone.width
            known = [0] * (classes * players)
            for held, mask in zip(
                slots[zone.counts : zone.counts + zone.width],
                slots[first : first + zone.width],
                strict=True,
            ):
                if not 0 <= mask < (1 << players if held else 1):
                    yield f"who knows a place in {zone.family.name} is {mask}"
                    continue
                for player in range(players):
                    known[(held - 1) * players + player] += mask >> player & 1
            there = base + place * classes * players
            for many, at_all in zip(known, slots[there : there + len(known)], strict=True):
                if many > at_all:
                    yield (
                        f"somebody knows the places of {many} in {zone.family.name}, and of "
                        f"{at_all} that they are there"
                    )


def _size(sizes: Sequence[int]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count

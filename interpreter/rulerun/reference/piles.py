"""What players know of the places in ordered zones: what lies on top, and what third from there.

Assumes: `Layout.known_places`: slots for the zones in which that can be known; that who knows what
lies at a place is known to know that it lies there at all (`knowledge`).
Does: keeps, as things come and go, what is surely still so; tells who can say what has left.
Leaves behind: knowledge that is true. It may be forgotten, never invented.

How it is stored: a mask of players for each component with an identity (who knows exactly where it
lies), and for each slot of an ordered zone of a counted kind (who knows what lies there). Positions
count from the bottom, so nothing shifts where a stack gives; what stood behind the front of a queue
moves up.

Only those can know a place who always hear how much lies in the zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulerun.analysis.moving import Way
from rulerun.runtime.components import Components
from rulerun.runtime.index import GameIndex, KindTable
from rulerun_dsl.source.frozen import frozen


@frozen
class Placed:
    """Something that lies in a zone, and who knows its place."""

    zone: int
    turn: int
    """How many would leave its zone before it."""
    position: int
    """Counted from the bottom."""
    component: int
    knowing: int
    """A mask of players."""


class Places:
    """What is known of the places in one game."""

    def __init__(self, tables: GameIndex, components: Components) -> None:
        """Find the slots."""
        self.tables = tables
        self.components = components
        kept = {name for name, _ in tables.game.layout.known}
        self._columns: dict[str, int] = {}
        self._bases: dict[int, int] = {}
        for name, base in tables.game.layout.known_places:
            family = tables.families[name]
            if family.kind not in kept:
                continue
            for number in range(family.base, family.base + family.instances):
                instance = tables.instances[number]
                if instance.kind.kind.counted:
                    self._bases[number] = base + (number - family.base) * instance.width
                else:
                    self._columns[family.kind] = self._bases[number] = base

    def kept(self, zone: int) -> bool:
        """Whether anything can be known of the places in a zone."""
        return zone in self._bases

    def any_of(self, kind: KindTable) -> bool:
        """Whether anything can be known of places where a kind may lie."""
        return any(zone in self._bases for zone in kind.zones)

    def column(self, kind: KindTable) -> int | None:
        """Where the slots of a kind with identities begin."""
        return self._columns.get(kind.kind.name)

    def run(self, zone: int) -> range:
        """The slots of a zone of a counted kind, bottom first."""
        if zone not in self._bases or not self.tables.instances[zone].kind.kind.counted:
            return range(0)
        base = self._bases[zone]
        return range(base, base + self.tables.instances[zone].width)

    # ------------------------------------------------------------------------------- looking

    def listed(self, slots: Sequence[int], zone: int) -> list[Placed]:
        """All that lies in a zone, by whose turn it would be to leave."""
        instance = self.tables.instances[zone]
        members = self.components.members(slots, zone)
        last = len(members) - 1
        found = []
        for turn, component in enumerate(members):
            position = last - turn if instance.family.order == "stack" else turn
            knowing = 0
            if self.kept(zone):
                at = component if not instance.kind.kind.counted else position
                knowing = slots[self._bases[zone] + at]
            found.append(Placed(zone, turn, position, component, knowing))
        return found

    def known(self, slots: Sequence[int], zone: int, player: int) -> list[Placed]:
        """What the player knows to lie at which place."""
        if not self.kept(zone):
            return []
        return [each for each in self.listed(slots, zone) if each.knowing >> player & 1]

    def many(self, slots: Sequence[int], kind: KindTable, zone: int, class_: int, who: int) -> int:
        """Of how many of a class of a counted kind a player knows the place in a zone."""
        held = self.tables.instances[zone].counts
        return sum(
            slots[held + place] == class_ + 1 and slots[at] >> who & 1
            for place, at in enumerate(self.run(zone))
        )

    # -------------------------------------------------------------------------------- moving

    def leaving(self, slots: Sequence[int], kind: KindTable, component: int) -> int:
        """At which place a component of a counted kind lies that is about to leave."""
        zone = self.components.zone_of(slots, kind, component)
        if not self.kept(zone) or not kind.kind.counted:
            return 0
        lying = self.listed(slots, zone)
        return next((each.position for each in lying if each.component == component), 0)

    def left(
        self,
        slots: list[int],
        kind: KindTable,
        component: int,
        source: int,
        heard: int,
        way: Way,
        place: int,
    ) -> int:
        """A component has left a zone, from a place: who can tell which one it was by its place.

        `heard` know what it is. Who does not know where it lay knows no other place any more, save
        where it left at the end at which its zone gives.
        """
        if not kind.kind.counted:
            column = self.column(kind)
            if column is None:
                return 0
            knew, slots[column + component] = slots[column + component], 0
            keep = self._keep(kind, component, knew & heard, way)
            for other in self.components.members(slots, source):
                slots[column + other] &= keep
            return knew if way.from_end else knew & keep
        run = self.run(source)
        if not run:
            return 0
        knew = slots[run[place]]
        keep = self._keep(kind, component, knew & heard, way)
        for at in run[place:-1]:
            slots[at] = slots[at + 1]
        slots[run[-1]] = 0
        for at in run:
            slots[at] &= keep
        return knew if way.from_end else knew & keep

    def _keep(self, kind: KindTable, component: int, knew: int, way: Way) -> int:
        """Who knows as much of the other places as before: surely those that know which one left.

        Who saw the only one of its class leave knows that, if they knew where it lay.
        """
        if way.from_end:
            return (1 << len(self.tables.game.players)) - 1
        only = kind.kind.copies[self.components.class_of(kind, component)] == 1
        return knew if only else 0

    def lie(self, slots: list[int], zone: int, component: int, position: int, mask: int) -> None:
        """More players know that a component lies at a place."""
        if self.kept(zone):
            counted = self.tables.instances[zone].kind.kind.counted
            slots[self._bases[zone] + (position if counted else component)] |= mask

    def on_top(self, slots: list[int], zone: int, component: int, mask: int) -> None:
        """Some players know that a component lies where it was laid last: on top, or at the end."""
        self.lie(slots, zone, component, self.components.count(slots, zone) - 1, mask)

    def forget(self, slots: list[int], zone: int, mask: int) -> None:
        """Some players know no places in a zone any more."""
        column = self.column(self.tables.instances[zone].kind)
        addresses: Iterable[int] = self.run(zone)
        if column is not None:
            addresses = (column + one for one in self.components.members(slots, zone))
        for at in addresses:
            slots[at] &= ~mask

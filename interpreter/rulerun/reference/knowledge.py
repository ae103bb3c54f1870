"""What players know of components that they do not see.

Assumes: `Layout.known`: slots for the kinds of which something can be known.
Does: remembers what was shown, and which component a player saw go to a place hidden from them;
lets what is known of a zone go along when all that lies there goes elsewhere; forgets as soon as it
may have changed unseen. Of what a player did in a `together` the others get to know what its
difference tells them, and no more.
Leaves behind: knowledge that is true. It may be forgotten, never invented.

How it is stored, by kind:

* with identities: a mask of players for each component: who knows which one it is;
* counted: for each zone of the kind, class and player: of how many of that class in that zone the
  player knows ("at least so many are there").

Nothing is kept for who sees the zone anyway, nor in a random zone, nor for who does not always see
how much lies in the zone: things could come and go there unheard, and that they did would show in
what is forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rulerun.analysis.reads import reads
from rulerun.analysis.touching import Touched, touched
from rulerun.reference.visibility import Visibility
from rulerun.runtime.components import Components
from rulerun.runtime.index import GameIndex, Instance, KindTable
from rulerun.runtime.play import Play
from rulerun_dsl.model import TogetherStart


@dataclass(frozen=True, slots=True)
class Load:
    """All that lay in a zone, on its way to another."""

    seen: int
    """Who saw it where it lay."""
    known: dict[int, list[int]]
    """By component (counted: class) and player: of how many those know who did not see it."""


@dataclass(frozen=True, slots=True)
class Parted:
    """What some players can tell of what another did in a `together` to components of a kind."""

    kind: KindTable
    viewers: int
    """Who: a mask of players."""
    seen: tuple[int, ...]
    """The zones of the other that they always see, and in which something may have changed."""
    zones: tuple[tuple[int, bool, bool], ...]
    """All zones in which something may have changed: whether nothing can have left it unseen, and
    whether what has come from where they saw it is surely there."""


class Knowledge:
    """What is known in one game."""

    def __init__(self, tables: GameIndex, components: Components, visibility: Visibility) -> None:
        """Find the slots."""
        self.tables = tables
        self.components = components
        self.visibility = visibility
        self.players = len(tables.game.players)
        self._everyone = (1 << self.players) - 1
        self._bases = dict(tables.game.layout.known)
        self._hearing: dict[int, int] = {}
        self._parted: dict[int, list[Parted]] = {}
        self._places = {
            name: {zone: at for at, zone in enumerate(kind.zones)}
            for name, kind in tables.kinds.items()
        }

    def kept(self, kind: KindTable) -> bool:
        """Whether anything can be known of a kind."""
        return kind.kind.name in self._bases

    def column(self, kind: KindTable) -> int | None:
        """Where the slots of a kind with identities begin."""
        return None if kind.kind.counted else self._bases.get(kind.kind.name)

    def at(self, kind: KindTable, zone: int, class_: int) -> int:
        """Where the numbers of a class in a zone begin: one for each player."""
        place = self._places[kind.kind.name][zone]
        base = self._bases[kind.kind.name]
        return base + (place * kind.kind.classes + class_) * self.players

    def _there(self, kind: KindTable, zone: int) -> tuple[int, int]:
        """Where the numbers of all classes in a zone begin and end."""
        first = self.at(kind, zone, 0)
        return first, first + kind.kind.classes * self.players

    def known(self, slots: Sequence[int], kind: KindTable, player: int) -> Counter[int]:
        """Of which components (how many of each) the player knows where they lie."""
        found: Counter[int] = Counter()
        if not self.kept(kind):
            return found
        if not kind.kind.counted:
            base = self._bases[kind.kind.name]
            for component in range(kind.kind.total):
                if slots[base + component] >> player & 1:
                    found[component] = 1
            return found
        for zone in kind.zones:
            first, last = self._there(kind, zone)
            for class_, many in enumerate(slots[first + player : last : self.players]):
                if many:
                    found[zone * kind.kind.classes + class_] = many
        return found

    def hears(self, play: Play, zone: int) -> int:
        """The players who always hear of what comes into a zone and leaves it."""
        if zone not in self._hearing:
            instance = self.tables.instances[zone]
            condition = instance.family.count_visible
            steady = not reads(self.tables.game, condition).state
            mask = self.visibility.of(condition, instance.owner, play.slots, play.registers)
            self._hearing[zone] = mask & self._everyone if steady else 0
        return self._hearing[zone]

    # ---------------------------------------------------------------------------- showing

    def shown(self, play: Play, kind: KindTable, members: Iterable[int], mask: int) -> None:
        """The players of a mask are told which these are."""
        if not self.kept(kind):
            return
        slots = play.slots
        for component, many in Counter(members).items():
            zone = self.tables.instances[self.components.zone_of(slots, kind, component)]
            if zone.family.order == "random":
                continue
            told = mask & self.hears(play, zone.number)
            told &= ~self.visibility.members(zone, slots, play.registers)
            if not kind.kind.counted:
                slots[self._bases[kind.kind.name] + component] |= told
                continue
            base = self.at(kind, zone.number, component % kind.kind.classes)
            for player in range(self.players):
                if told >> player & 1:
                    slots[base + player] = max(slots[base + player], many)

    # ----------------------------------------------------------------------------- moving

    def moved(
        self, play: Play, kind: KindTable, component: int, source: int, before: int, after: int
    ) -> None:
        """A component has left `source`; `before` saw it there, `after` see it where it is.

        `component` is what it is now.
        """
        if not self.kept(kind):
            return
        slots = play.slots
        target = self.components.zone_of(slots, kind, component)
        hidden = self.tables.instances[target].family.order == "random"
        learns = 0 if hidden else before & ~after & self.hears(play, target)
        unseen = self._everyone & ~before & ~after
        if not kind.kind.counted:
            base = self._bases[kind.kind.name]
            if unseen:
                for other in self.components.members(slots, source):
                    slots[base + other] &= ~unseen
            slots[base + component] = learns
            return
        class_ = component % kind.kind.classes
        first, last = self._there(kind, source)
        if any(slots[first:last]):
            at = self.at(kind, source, class_)
            for player in range(self.players):
                if unseen >> player & 1:
                    for other in range(first + player, last, self.players):
                        self._lower(slots, other, 1)
                else:
                    self._lower(slots, at + player, 1)
        if learns:
            at = self.at(kind, target, class_)
            for player in range(self.players):
                slots[at + player] += learns >> player & 1

    @staticmethod
    def _lower(slots: list[int], at: int, many: int) -> None:
        slots[at] = max(slots[at] - many, 0)

    def forget(self, play: Play, kind: KindTable, zone: int) -> None:
        """Nobody knows any more which lies where in a zone."""
        if not self.kept(kind):
            return
        slots = play.slots
        if not kind.kind.counted:
            for component in self.components.members(slots, zone):
                slots[self._bases[kind.kind.name] + component] = 0
            return
        first, last = self._there(kind, zone)
        slots[first:last] = [0] * (last - first)

    def replaced(self, play: Play, zone: Instance, load: Load, after: int) -> None:
        """All that lies in a zone was taken from another just now; `after` see it where it is."""
        kind = zone.kind
        if not self.kept(kind):
            return
        self.forget(play, kind, zone.number)
        if zone.family.order == "random":
            return
        learns = load.seen & ~after & self.hears(play, zone.number)
        slots = play.slots
        for component, many in Counter(self.components.members(slots, zone.number)).items():
            if not kind.kind.counted:
                slots[self._bases[kind.kind.name] + component] = learns
                continue
            base = self.at(kind, zone.number, component % kind.kind.classes)
            for player in range(self.players):
                slots[base + player] = many if learns >> player & 1 else 0
        self.laid_down(play, zone, load, after)

    # -------------------------------------------------------------------- all that lies there

    def taken_up(self, play: Play, zone: Instance, seen: int) -> Load:
        """All that lies in a zone is about to go elsewhere; `seen`: who sees it where it is.

        Who sees nothing of it and hears how much it is knows of it there what they know of it here.
        """
        kind = zone.kind
        known: dict[int, list[int]] = {}
        if not self.kept(kind):
            return Load(seen, known)
        blind = self.hears(play, zone.number) & ~seen
        players = range(self.players)
        if not kind.kind.counted:
            base = self._bases[kind.kind.name]
            for component in self.components.members(play.slots, zone.number):
                mask = play.slots[base + component] & blind
                if mask:
                    known[component] = [mask >> player & 1 for player in players]
            return Load(seen, known)
        first, last = self._there(kind, zone.number)
        for class_, at in enumerate(range(first, last, self.players)):
            here = play.slots[at : at + self.players]
            if any(here):
                known[class_] = [here[player] * (blind >> player & 1) for player in players]
        return Load(seen, known)

    def laid_down(self, play: Play, zone: Instance, load: Load, after: int) -> None:
        """What was taken up lies in a zone now, with or on what was there before."""
        kind = zone.kind
        if not self.kept(kind) or zone.family.order == "random":
            return
        knowing = self.hears(play, zone.number) & ~after
        for key, known in load.known.items():
            for player, many in enumerate(known):
                if not many or not knowing >> player & 1:
                    continue
                if kind.kind.counted:
                    play.slots[self.at(kind, zone.number, key) + player] += many
                else:
                    play.slots[self._bases[kind.kind.name] + key] |= 1 << player

    # ------------------------------------------------------------------------ after a together

    def parted(self, at: int) -> list[Parted]:
        """What others can tell of the parts of the `together` at `at`.

        A zone that is not always seen is hidden. If nothing can have gone from it to another hidden
        zone of that player, what has left it is seen now.
        """
        if at not in self._parted:
            game = self.tables.game
            node = game.code[at]
            assert isinstance(node, TogetherStart)
            done = touched(game, node)
            self._parted[at] = [
                each
                for kind in self.tables.kinds.values()
                if self.kept(kind)
                for player in range(self.players)
                for each in self._parts_of(kind, player, done)
            ]
        return self._parted[at]

    def _parts_of(self, kind: KindTable, player: int, done: Touched) -> Iterator[Parted]:
        instances = (self.tables.instances[number] for number in kind.zones)
        zones = [z for z in instances if z.owner == player and z.family.name in done.families]
        always = [self.visibility.visible(z.family.visible, z.owner).always or 0 for z in zones]
        play = Play(self.tables.game, [], None)
        alike: dict[tuple[Any, ...], int] = {}
        for viewer in range(self.players):
            if viewer == player or not zones:
                continue
            sights = [mask >> viewer & 1 for mask in always]
            seen = [zone for zone, sees in zip(zones, sights, strict=True) if sees]
            hidden = [zone for zone, sees in zip(zones, sights, strict=True) if not sees]
            flags = []
            for zone in zones:
                others = {other.family.name for other in hidden if other is not zone}
                follows = (
                    zone in hidden
                    and zone.family.order != "random"
                    and bool(self.hears(play, zone.number) >> viewer & 1)
                    and not others & done.ways.get(zone.family.name, frozenset())
                )
                away = (others & done.ways.get(each.family.name, frozenset()) for each in seen)
                flags.append((zone.number, follows, follows and not any(away)))
            key = tuple(zone.number for zone in seen), tuple(flags)
            alike[key] = alike.get(key, 0) | 1 << viewer
        for (numbers, known), viewers in alike.items():
            yield Parted(kind, viewers, numbers, known)

    def decided(self, play: Play, before: Sequence[int], at: int) -> None:
        """All parts of the `together` at `at` are done; `before`: the slots when it began.

        What of a class has come to where it is seen may have left any of the hidden zones.
        """
        for part in self.parted(at):
            came: Counter[int] = Counter()
            for slots, sign in ((play.slots, 1), (before, -1)):
                for zone in part.seen:
                    for one in self.components.members(slots, zone):
                        came[self.components.class_of(part.kind, one)] += sign
            for zone, follows, learns in part.zones:
                for class_ in range(part.kind.kind.classes):
                    more = -came[class_] if learns else min(0, -came[class_])
                    for player in range(self.players):
                        if part.viewers >> player & 1:
                            known = self._known_in(before, part.kind, zone, class_, player) + more
                            known = max(0, known) if follows else 0
                            self._know(play, before, part.kind, zone, class_, player, known)

    def _known_in(
        self, slots: Sequence[int], kind: KindTable, zone: int, class_: int, player: int
    ) -> int:
        """Of how many of a class a player knows that they lie in a zone."""
        if kind.kind.counted:
            return slots[self.at(kind, zone, class_) + player]
        return sum(self._marked(slots, kind, zone, one, player) for one in kind.copies_of(class_))

    def _marked(
        self, slots: Sequence[int], kind: KindTable, zone: int, component: int, player: int
    ) -> int:
        """Whether a player knows that a component with an identity lies in a zone."""
        there = slots[kind.base + component] == zone
        return there and slots[self._bases[kind.kind.name] + component] >> player & 1

    def _know(
        self,
        play: Play,
        before: Sequence[int],
        kind: KindTable,
        zone: int,
        class_: int,
        player: int,
        known: int,
    ) -> None:
        """Let a player know of so many of a class in a zone; first of those known before."""
        slots = play.slots
        if kind.kind.counted:
            slots[self.at(kind, zone, class_) + player] = known
            return
        base, bit = self._bases[kind.kind.name], 1 << player
        there = [one for one in kind.copies_of(class_) if slots[kind.base + one] == zone]
        there.sort(key=lambda one: not self._marked(before, kind, zone, one, player))
        for place, one in enumerate(there):
            slots[base + one] = slots[base + one] & ~bit | (bit if place < known else 0)

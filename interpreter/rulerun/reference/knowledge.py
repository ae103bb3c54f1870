"""What players know of components that they do not see.

Assumes: `Layout.known`: slots for the kinds of which something can be known.
Does: remembers what was shown, and which component a player saw go to a place hidden from them;
lets what is known of a zone go along when all that lies there goes elsewhere; forgets as soon as it
may have changed unseen. At which place of an ordered zone it lies, `piles` keeps; what is known
after a `together`, `parting` works out.
Leaves behind: knowledge that is true. It may be forgotten, never invented. Copies of a class cannot
be told apart: what is known is of how many of a class, whichever copies bear the marks.

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
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from rulerun.analysis.moving import ANYHOW, Way, told_piles
from rulerun.analysis.reads import reads
from rulerun.reference.piles import Placed, Places
from rulerun.reference.visibility import Visibility
from rulerun.runtime.components import Components
from rulerun.runtime.index import GameIndex, Instance, KindTable
from rulerun.runtime.play import Play
from rulerun_dsl.source.frozen import frozen


@frozen
class Load:
    """All that lay in a zone, on its way to another."""

    seen: int
    """Who saw it where it lay."""
    known: dict[int, list[int]]
    """By component (counted: class) and player: of how many those know who did not see it."""
    placed: tuple[Placed, ...] = ()
    """What of it lay where, if its places can be known, or those where it goes."""


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
        self.places = Places(tables, components)
        self._told = told_piles(tables.game)
        self._zones = {
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
        place = self._zones[kind.kind.name][zone]
        base = self._bases[kind.kind.name]
        return base + (place * kind.kind.classes + class_) * self.players

    def there(self, kind: KindTable, zone: int) -> tuple[int, int]:
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
            first, last = self.there(kind, zone)
            for class_, many in enumerate(slots[first + player : last : self.players]):
                if many:
                    found[zone * kind.kind.classes + class_] = many
        return found

    def lay_over(
        self, slots: list[int], live: Sequence[int], own: Container[int], viewer: int
    ) -> None:
        """Lay over a vector what the viewer knows of their own zones, as it is in another."""
        bit = 1 << viewer
        for kind in self.tables.kinds.values():
            if not self.kept(kind):
                continue
            columns = [self.column(kind), self.places.column(kind)]
            if not kind.kind.counted:
                for component in range(kind.kind.total):
                    if slots[kind.base + component] in own:
                        for at in (each + component for each in columns if each is not None):
                            slots[at] = slots[at] & ~bit | live[at] & bit
                continue
            for zone in (zone for zone in kind.zones if zone in own):
                for class_ in range(kind.kind.classes):
                    at = self.at(kind, zone, class_) + viewer
                    slots[at] = live[at]
                for at in self.places.run(zone):
                    slots[at] = slots[at] & ~bit | live[at] & bit

    def hears(self, play: Play, zone: int) -> int:
        """The players who always hear of what comes into a zone and leaves it."""
        if zone not in self._hearing:
            instance = self.tables.instances[zone]
            condition = instance.family.count_visible
            steady = not reads(self.tables.game, condition).state
            mask = self.visibility.of(condition, instance.owner, play.slots, play.registers)
            self._hearing[zone] = mask & self._everyone if steady else 0
        return self._hearing[zone]

    def always(self, zone: Instance) -> int:
        """The viewers who see what lies in a zone, whatever the state is."""
        return self.visibility.visible(zone.family.visible, zone.owner).always or 0

    # ---------------------------------------------------------------------------- showing

    def shown(self, play: Play, kind: KindTable, members: Iterable[int], mask: int) -> None:
        """The players of a mask are told which these are."""
        if not self.kept(kind):
            return
        slots, places = play.slots, self.places
        told: list[tuple[int, int, int]] = []
        for component, many in Counter(members).items():
            zone = self.tables.instances[self.components.zone_of(slots, kind, component)]
            if zone.family.order == "random":
                continue
            whom = mask & self.hears(play, zone.number)
            whom &= ~self.visibility.members(zone, slots, play.registers)
            told.append((component, many, whom))
        for place in self.shown_places(slots, kind, members):
            whom = next(whom for one, _, whom in told if one == place.component)
            places.lie(slots, place.zone, place.component, place.position, whom)
        if not kind.kind.counted:
            self._shown_marks(slots, kind, [(one, whom) for one, _, whom in told])
            return
        for component, many, whom in told:
            zone_, class_ = divmod(component, kind.kind.classes)
            base = self.at(kind, zone_, class_)
            for player in range(self.players):
                if whom >> player & 1:
                    at_places = places.many(slots, kind, zone_, class_, player)
                    slots[base + player] = max(slots[base + player], many, at_places)

    def _shown_marks(
        self, slots: list[int], kind: KindTable, told: Sequence[tuple[int, int]]
    ) -> None:
        """They know of one copy more only where it cannot be one that they knew of before."""
        base = self._bases[kind.kind.name]
        new = []
        for component, whom in told:
            new.append((component, whom & ~slots[base + component]))
            slots[base + component] &= ~whom
        for component, whom in new if kind.alike else ():
            self._one_less(slots, kind, component, slots[kind.base + component], whom)
        for component, whom in told:
            slots[base + component] |= whom

    def _one_less(
        self, slots: list[int], kind: KindTable, component: int, zone: int, whom: int
    ) -> None:
        """Some know of one less that is alike in a zone, of those whose places they do not know."""
        base, column = self._bases[kind.kind.name], self.places.column(kind)
        for other in kind.copies_of(kind.class_of[component]):
            if other != component and slots[kind.base + other] == zone:
                placed = 0 if column is None else slots[column + other]
                less = slots[base + other] & ~placed & whom
                slots[base + other] &= ~less
                whom &= ~less

    def shown_places(
        self, slots: Sequence[int], kind: KindTable, members: Iterable[int]
    ) -> list[Placed]:
        """Where in their zones those lie that are shown, if that can be known.

        Of alike ones of a counted kind these are the first to leave.
        """
        left = Counter(members)
        zones = sorted({self.components.zone_of(slots, kind, one) for one in left})
        found = []
        for zone in zones:
            for each in self.places.listed(slots, zone) if self.places.kept(zone) else ():
                if left[each.component] > 0:
                    left[each.component] -= 1
                    found.append(each)
        return found

    # ----------------------------------------------------------------------------- moving

    def moved(
        self,
        play: Play,
        kind: KindTable,
        component: int,
        source: int,
        before: int,
        after: int,
        way: Way = ANYHOW,
        place: int = 0,
        sure: int = 0,
    ) -> None:
        """A component has left `source`; `before` saw it there, `after` see it where it is.

        `component` is what it is now; `place` is where it lay, as `Places.leaving` says. `sure` can
        tell how it lies among what went with it.
        """
        if not self.kept(kind):
            return
        slots = play.slots
        target = self.components.zone_of(slots, kind, component)
        hidden = self.tables.instances[target].family.order == "random"
        knew = self.places.left(slots, kind, component, source, before | after, way, place)
        learns = before | (knew if way.followed else 0)
        learns &= 0 if hidden else ~after & self.hears(play, target)
        told = before | after | knew
        unseen = self._everyone & ~told
        if not kind.kind.counted:
            self._moved_mark(slots, kind, component, source, told)
            slots[self._bases[kind.kind.name] + component] = learns
        else:
            self._moved_count(slots, kind, component % kind.kind.classes, source, unseen)
            at = self.at(kind, target, component % kind.kind.classes)
            for player in range(self.players):
                slots[at + player] += learns >> player & 1
        self.places.on_top(
            slots, target, component, learns if way.alone else learns & (knew | sure)
        )

    def _moved_mark(
        self, slots: list[int], kind: KindTable, component: int, source: int, told: int
    ) -> None:
        """A component with an identity has left a zone; `told` know what it is.

        All others keep what lies at places that they know.
        """
        base, column = self._bases[kind.kind.name], self.places.column(kind)
        unknown = self._everyone & told & ~slots[base + component]
        unseen = self._everyone & ~told
        if unseen:
            for other in self.components.members(slots, source):
                slots[base + other] &= ~unseen | (0 if column is None else slots[column + other])
        if kind.alike:
            # It may be the one of its class that they knew of.
            self._one_less(slots, kind, component, source, unknown)

    def _moved_count(
        self, slots: list[int], kind: KindTable, class_: int, source: int, unseen: int
    ) -> None:
        """One of a class of a counted kind has left a zone; who did not see it knows not which."""
        first, last = self.there(kind, source)
        if not any(slots[first:last]):
            return
        placed = self.places.kept(source)
        for player in range(self.players):
            for each in range(kind.kind.classes) if unseen >> player & 1 else (class_,):
                least = self.places.many(slots, kind, source, each, player) if placed else 0
                at = first + each * self.players + player
                slots[at] = max(slots[at] - 1, least)

    def forget(self, play: Play, kind: KindTable, zone: int) -> None:
        """Nobody knows any more which lies where in a zone."""
        if not self.kept(kind):
            return
        slots = play.slots
        self.places.forget(slots, zone, self._everyone)
        if not kind.kind.counted:
            for component in self.components.members(slots, zone):
                slots[self._bases[kind.kind.name] + component] = 0
            return
        first, last = self.there(kind, zone)
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
        for each in load.placed:
            self._lies(play, zone, replace(each, zone=zone.number), after)

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
        placed = self._placed(play, zone, blind)
        players = range(self.players)
        if not kind.kind.counted:
            base = self._bases[kind.kind.name]
            for component in self.components.members(play.slots, zone.number):
                mask = play.slots[base + component] & blind
                if mask:
                    known[component] = [mask >> player & 1 for player in players]
            return Load(seen, known, placed)
        first, last = self.there(kind, zone.number)
        for class_, at in enumerate(range(first, last, self.players)):
            here = play.slots[at : at + self.players]
            if any(here):
                known[class_] = [here[player] * (blind >> player & 1) for player in players]
        return Load(seen, known, placed)

    def _placed(self, play: Play, zone: Instance, blind: int) -> tuple[Placed, ...]:
        """What lies where in a zone, and who can tell in which order it goes elsewhere.

        Of those that see it only who always does, and only where the order is that of the rows, or
        was told as the pile grew: in which order several were laid in a pile that they see may
        never have been told to them.
        """
        if not self.places.any_of(zone.kind):
            return ()
        sure = 0
        if not zone.ordered or zone.family.name in self._told:
            sure = self.always(zone)
        return tuple(
            replace(each, knowing=each.knowing & blind | sure)
            for each in self.places.listed(play.slots, zone.number)
        )

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

    def piled(self, play: Play, zone: Instance, load: Load, below: int, after: int) -> None:
        """What was taken up lies on so many others, in the order in which it left its zone."""
        for each in load.placed:
            self._lies(play, zone, replace(each, position=below + each.turn), after)

    def _lies(self, play: Play, zone: Instance, one: Placed, after: int) -> None:
        """Who knew where something lay knows where in a zone it lies now."""
        if zone.family.order != "random" and self.places.kept(zone.number):
            knowing = one.knowing & self.hears(play, zone.number) & ~after
            self.places.lie(play.slots, zone.number, one.component, one.position, knowing)

"""What players know of another's zones after a `together`: what its difference tells them.

Assumes: `Knowledge`, and the slots as they were when the block began.
Does: works out once, for each `together`, what can have gone where unseen; when all parts are done,
recomputes of how many of a class the others know from how many they knew before, and from what has
come to where they see it. Which places they knew in zones that a part may have changed they forget.
Leaves behind: knowledge that is true, and that nothing tells of a part but its difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rulerun.analysis.touching import Touched, touched
from rulerun.reference.knowledge import Knowledge
from rulerun.runtime.index import KindTable
from rulerun.runtime.play import Play
from rulerun_dsl.model import TogetherStart
from rulerun_dsl.source.frozen import frozen


@frozen
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


class Parting:
    """What is known after the `together` blocks of one game."""

    def __init__(self, knowledge: Knowledge) -> None:
        """Nothing is worked out yet."""
        self.knowledge = knowledge
        self.tables = knowledge.tables
        self.components = knowledge.components
        self.players = knowledge.players
        self._parted: dict[int, list[Parted]] = {}

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
                if self.knowledge.kept(kind)
                for player in range(self.players)
                for each in self._parts_of(kind, player, done)
            ]
        return self._parted[at]

    def _parts_of(self, kind: KindTable, player: int, done: Touched) -> Iterator[Parted]:
        instances = (self.tables.instances[number] for number in kind.zones)
        zones = [z for z in instances if z.owner == player and z.family.name in done.families]
        always = [
            self.knowledge.visibility.visible(z.family.visible, z.owner).always or 0 for z in zones
        ]
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
                    and bool(self.knowledge.hears(play, zone.number) >> viewer & 1)
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
                self.knowledge.places.forget(play.slots, zone, part.viewers)
                more = [
                    -came[class_] if learns else min(0, -came[class_])
                    for class_ in range(part.kind.kind.classes)
                ]
                if part.kind.kind.counted:
                    self._count(play.slots, before, part, zone, more if follows else None)
                else:
                    self._mark(play.slots, before, part, zone, more if follows else None)

    def _count(
        self,
        slots: list[int],
        before: Sequence[int],
        part: Parted,
        zone: int,
        more: list[int] | None,
    ) -> None:
        """Let them know of so many more of each class in a zone than before; None: of none."""
        viewers = self._viewers(part)
        first, last = self.knowledge.there(part.kind, zone)
        for class_, at in enumerate(range(first, last, self.players)):
            for player in viewers:
                known = 0 if more is None else before[at + player] + more[class_]
                slots[at + player] = max(0, known)

    def _mark(
        self,
        slots: list[int],
        before: Sequence[int],
        part: Parted,
        zone: int,
        more: list[int] | None,
    ) -> None:
        """The same of components with identities: first of those known before."""
        kind, column = part.kind, self.knowledge.column(part.kind)
        assert column is not None
        for class_ in range(kind.kind.classes):
            copies = kind.copies_of(class_)
            there = [one for one in copies if slots[kind.base + one] == zone]
            for player in self._viewers(part):
                bit = 1 << player
                marked = {
                    one
                    for one in copies
                    if before[kind.base + one] == zone and before[column + one] & bit
                }
                known = 0 if more is None else len(marked) + more[class_]
                for place, one in enumerate(sorted(there, key=lambda one: one not in marked)):
                    slots[column + one] = slots[column + one] & ~bit | bit * (place < known)

    def _viewers(self, part: Parted) -> list[int]:
        return [player for player in range(self.players) if part.viewers >> player & 1]

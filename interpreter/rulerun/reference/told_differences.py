"""What a `together` has changed, told to the others as the difference of two sights.

Assumes: a `together` whose parts are all done, and the slots as they were when it began.
Does: for each player, and for each who did not see it happen, compares what that viewer sees of the
player's variables and zones before and after. What came and went is in neither sight, so it is not
told; nor is who was first, nor in which order one player did things.
Leaves behind events: values that are seen to have changed, by declaration, then components that are
seen to have gone, by zone and by what they are. They are events of that player's block, from which
observers pass them on in player order.

Where components went is told as far as the sights show it:

* what left one zone and came to another, both seen, is named with both ends;
* what else left a zone that is seen, or came to it, has the other end named if the player has one
  zone alone of which no more than the count is seen, or if by the counts one zone alone lost (or
  got) all of that;
* else each end is told by itself: "a card leaves the hand", "the prince comes to the table".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf

from rulerun.reference.events import EventLog, Wording
from rulerun.runtime.components import Key
from rulerun.runtime.index import Instance, KindTable
from rulerun.runtime.play import Play
from rulerun_dsl.source.frozen import frozen

Slots = Sequence[int]
Line = tuple[str, Wording]
"""An event's word, and what is told."""


class Differences:
    """What is compared in one game."""

    def __init__(self, log: EventLog) -> None:
        """Find out what is whose."""
        self.log = log
        self.tables = log.tables
        self.components = log.components
        self.visibility = log.visibility

    def tell(self, play: Play, before: Slots) -> None:
        """Tell what each player's part has changed to those who did not see it happen."""
        if play.events is None:
            return
        for player in range(len(self.tables.game.players)):
            compared = _Compared(self, play, before, player)
            alike: list[tuple[list[Line], int]] = []
            for viewer in range(self.visibility.players + 1):
                if viewer == player:
                    continue
                lines = list(compared.lines(1 << viewer))
                for at, (others, mask) in enumerate(alike):
                    if others == lines:
                        alike[at] = (others, mask | 1 << viewer)
                        break
                else:
                    alike.append((lines, 1 << viewer))
            for lines, mask in alike:
                for word, told in lines:
                    self.log.emit(play, word, mask, mask, told, block=player)


@frozen
class _Place:
    """One zone, before and after."""

    zone: Instance
    full: int
    """Who sees both times what lies there."""
    counted: int
    """Who sees both times how much."""
    gone: Counter[Key]
    come: Counter[Key]
    more: int


class _Compared:
    """One player's things, before and after."""

    def __init__(self, differences: Differences, play: Play, before: Slots, player: int) -> None:
        self.differences = differences
        self.log = differences.log
        self.play = play
        self.sights: tuple[Slots, Slots] = (before, play.slots)
        tables = differences.tables
        self.variables = [
            (table, indexes)
            for table in tables.variables.values()
            for indexes in table.instances()
            if table.owner is not None and indexes[table.owner] == player
        ]
        self.kinds = []
        for kind in tables.kinds.values():
            zones = (tables.instances[number] for number in kind.zones)
            places = [self._place(zone) for zone in zones if zone.owner == player]
            if any(each.gone or each.come for each in places):
                self.kinds.append((kind, places))

    def _place(self, zone: Instance) -> _Place:
        components, visibility = self.differences.components, self.differences.visibility
        before, after = (
            Counter(
                components.key(slots, zone.kind, each)
                for each in components.members(slots, zone.number)
            )
            for slots in self.sights
        )
        full = counted = visibility.all
        for slots in self.sights:
            full &= visibility.members(zone, slots, self.play.registers)
            counted &= visibility.count(zone, slots, self.play.registers)
        more = after.total() - before.total()
        return _Place(zone, full, counted, before - after, after - before, more)

    def lines(self, bit: int) -> Iterator[Line]:
        """What one viewer is told."""
        yield from self._values(bit)
        for kind, places in self.kinds:
            yield from self._moves(kind, places, bit)

    def _values(self, bit: int) -> Iterator[Line]:
        visibility, log = self.differences.visibility, self.log
        for table, indexes in self.variables:
            at = table.address(indexes)
            if len({tuple(slots[at : at + table.width]) for slots in self.sights}) == 1:
                continue
            seeing = visibility.all
            for slots in self.sights:
                seeing &= visibility.variable(table, indexes, slots, self.play.registers)
            old, new = (log.valued(slots, table, at) for slots in self.sights)
            if bit & seeing & new.differs(old):
                value = new.secret if new.seeing & bit else new.open
                yield "set", log.set_to(table, indexes, value)

    def _moves(self, kind: KindTable, places: Sequence[_Place], bit: int) -> Iterator[Line]:
        out: list[tuple[Instance, Key]] = []
        into: list[tuple[Instance, Key]] = []
        for place in places:
            if place.full & bit:
                out += [(place.zone, key) for key in sorted(place.gone.elements())]
                into += [(place.zone, key) for key in sorted(place.come.elements())]
        # First what has stayed where it was and is otherwise, then what went.
        found: list[tuple[Instance | None, Instance | None, Key | None]] = []
        changed: list[tuple[Instance, Key, Key]] = []
        for staying in (True, False):
            for source, key in list(out):
                for target, now in into:
                    if now[0] == key[0] and (source is target) == staying:
                        out.remove((source, key))
                        into.remove((target, now))
                        if not staying:
                            found.append((source, target, key))
                        changed.append((target, key, now))
                        break
        blind = [place for place in places if not place.full & bit]
        lost = [each.zone for each in blind if each.counted & bit for _ in range(-each.more)]
        got = [each.zone for each in blind if each.counted & bit for _ in range(each.more)]
        sure = all(place.counted & bit for place in blind)
        if sure and len(blind) == 1:
            zone = blind[0].zone
            found += [(source, zone, key) for source, key in out]
            found += [(zone, target, key) for target, key in into]
        elif sure and not out and len(set(map(_number, lost))) == 1:
            found += [(lost[0], target, key) for target, key in into]
            found += [(lost[0], target, None) for target in got]
        elif sure and not into and len(set(map(_number, got))) == 1:
            found += [(source, got[0], key) for source, key in out]
            found += [(source, got[0], None) for source in lost]
        else:
            found += [(source, None, key) for source, key in out]
            found += [(source, None, None) for source in lost]
            found += [(None, target, key) for target, key in into]
            found += [(None, target, None) for target in got]
        found.sort(key=lambda each: (_number(each[0]), _number(each[1]), each[2] or ()))
        for start, goal, what in found:
            which = None if what is None else kind.parts[what[0]]
            yield "move", self.log.went(kind, which, start, goal)
        for zone, key, now in changed:
            name = self.log.named(kind, *kind.parts[key[0]])
            for attribute, was, slot in zip(kind.attributes, key[1:], now[1:], strict=True):
                if was != slot:
                    yield "set", self.log.attribute_is(zone, name, attribute, slot)


def _number(zone: Instance | None) -> float:
    """Where a zone stands; one that is not told, behind all that are."""
    return inf if zone is None else zone.number

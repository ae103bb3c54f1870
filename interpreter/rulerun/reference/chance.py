"""Chance: rolls, picks, draws and shuffles.

Assumes: weights that are whole numbers from 0 up.
Does: lists the possible outcomes, equal components merged, and settles the one that falls. One
possible outcome is no input: it falls at once, and nothing tells it from a draw that was asked for.
Leaves behind: a counter in the slot `left` of a chain of draws, cleared when the chain ends.

The ids of outcomes: a value counts from the lowest of its type; a component is its class, then its
attributes, then (where several zones are drawn from) its zone, the first slowest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulerun.analysis.moving import take_alike, way_of
from rulerun.reference.events import EventLog
from rulerun.reference.moves import Moves
from rulerun.reference.stores import Stores
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.components import Key, kind_of
from rulerun.runtime.index import KindTable
from rulerun.runtime.play import Operation, Play
from rulerun.runtime.signals import REST
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import Optional, bare
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Possible:
    """What may fall: an outcome with what it means."""

    id: int
    weight: int
    text: str
    value: Any


Lots = Callable[[Play], list[Possible]]
"""What may fall where a play stands, by ascending id."""


def fallen(play: Play, possible: list[Possible]) -> Possible | None:
    """What has fallen: the outcome that was given, or the only one; None: wait for it."""
    if play.given is not None:
        given = play.given
        play.given = None
        return next(each for each in possible if each.id == given)
    return possible[0] if len(possible) == 1 else None


class ChanceSteps:
    """The chance instructions of one game."""

    def __init__(self, moves: Moves, stores: Stores, log: EventLog) -> None:
        """Compile the parts with the evaluator of `moves`."""
        self.moves = moves
        self.stores = stores
        self.log = log
        self.evaluator = moves.evaluator
        self.tables = moves.tables
        self.components = moves.components
        self.lots: dict[int, Lots] = {}
        """By instruction: what may fall where it rests."""

    # ----------------------------------------------------------------------- rolls and picks

    def roll(self, node: model.Roll, at: int) -> Operation:
        """Every value of the target's type, weighted."""
        type_ = bare(self.stores.tables.type_of(node.target))
        low, high = self.tables.bounds(type_)
        weight, until = self.evaluator.test(node.weight), self.evaluator.test(node.until)
        register = node.register

        def lots(play: Play) -> list[Possible]:
            here = (play.slots, play.base, play.registers)
            found = []
            for value in range(low, high + 1):
                play.registers[register] = value
                if until is not None and not until(*here):
                    continue
                heavy = self._weight(weight, here, node.span)
                if heavy:
                    text = self.tables.text(type_, value)
                    found.append(Possible(value - low, heavy, text, value))
            return found

        return self._falling(node, at, lots, "roll")

    def pick(self, node: model.Pick, at: int) -> Operation:
        """A member of a collection, weighted; alike components merged."""
        source, condition = self.evaluator.compile(node.source), self.evaluator.test(node.condition)
        weight, register = self.evaluator.test(node.weight), node.register
        type_ = self.stores.tables.type_of(node.target)
        kind = kind_of(self.tables, type_)
        lowest = self.tables.lowest(type_)

        def lots(play: Play) -> list[Possible]:
            here = (play.slots, play.base, play.registers)
            weights: Counter[int] = Counter()
            for member in source(*here):
                play.registers[register] = member
                if condition is None or condition(*here):
                    weights[member] += self._weight(weight, here, node.span)
            if kind is not None:
                return self.classes(play, kind, +weights, len(kind.zones) > 1)
            return [
                Possible(member - lowest, heavy, self.tables.text(type_, member), member)
                for member, heavy in sorted((+weights).items())
            ]

        return self._falling(node, at, lots, "pick")

    @staticmethod
    def _weight(weight: Run | None, here: Any, span: Span) -> int:
        if weight is None:
            return 1
        heavy = weight(*here)
        if heavy is None or heavy < 0:
            raise rule_error("weight", f"{span.text}: a weight is {heavy}", span)
        return int(heavy)

    def _falling(self, node: model.Roll | model.Pick, at: int, lots: Lots, word: str) -> Operation:
        self.lots[at] = lots
        addresses = self.stores.addresses(node.target)
        number = self.stores.number(node.target)
        heard = not isinstance(node.target, model.Local)

        def fall(play: Play) -> int:
            possible = lots(play)
            if not possible:
                raise rule_error("no_outcome", f"{node.span.text}: nothing can fall", node.span)
            chosen = fallen(play, possible)
            if chosen is None:
                return REST
            for address in addresses(play.slots, play.base, play.registers):
                play.slots[address] = number(chosen.value)
                if heard:
                    self.log.rolled(play, word, address)
            return at + 1

        return fall

    # --------------------------------------------------------------------------------- draws

    def classes(
        self, play: Play, kind: KindTable, members: Counter[int], several: bool
    ) -> list[Possible]:
        """Members with their weights, the alike ones merged."""
        slots = play.slots
        weights: Counter[Key] = Counter()
        first: dict[Key, int] = {}
        for member, weight in members.items():
            zone = self.components.zone_of(slots, kind, member)
            key = (*self.components.key(slots, kind, member), zone)
            weights[key] += weight
            first.setdefault(key, member)
        found: dict[int, Possible] = {}
        for key, weight in weights.items():
            id_ = key[0]
            for attribute, code in zip(kind.attributes, key[1:-1], strict=True):
                low, high = self.tables.bounds(attribute.type)
                id_ = id_ * (high - low + 1) + code - low
            if several:
                id_ = id_ * len(self.tables.instances) + key[-1]
            row = self.tables.row_and_owner(kind, first[key])[0]
            found[id_] = Possible(id_, weight, kind.kind.rows[row], first[key])
        return self._told_apart(slots, kind, [found[id_] for id_ in sorted(found)])

    def _told_apart(
        self, slots: Sequence[int], kind: KindTable, found: list[Possible]
    ) -> list[Possible]:
        """The outcomes with texts that differ: by owner, by attributes, by zone, as need be."""

        def owner(one: Possible) -> str:
            return self.log.component(kind, one.value)

        def attributes(one: Possible) -> str:
            values = (
                f"{each.name} {self.tables.text(each.type, slots[each.base + one.value])}"
                for each in kind.attributes
            )
            return " ".join((one.text, *values))

        def zone(one: Possible) -> str:
            number = self.components.zone_of(slots, kind, one.value)
            return f"{one.text} in {self.components.label(number)}"

        for more in (owner, attributes, zone):
            texts = Counter(one.text for one in found)
            if len(texts) == len(found):
                break
            found = [
                Possible(one.id, one.weight, more(one), one.value) if texts[one.text] > 1 else one
                for one in found
            ]
        return found

    def move_some(self, node: model.MoveSome, at: int) -> Operation:
        """`move N from Z to Y`: one after another, each decided when its turn comes."""
        drawing = Drawing(self, node)
        self.lots[at] = drawing.lots
        quantity, left = self.evaluator.compile(node.quantity), node.left
        way = way_of(self.tables.game, node)
        alike = self.moves.knowledge.places.any_of(drawing.kind) and take_alike(
            self.tables.game, node
        )
        result = None if node.result is None else self.stores.addresses(node.result)
        number = None if node.result is None else self.stores.number(node.result)
        # A name that may be none is none until something has moved.
        empty_result = node.result is not None and isinstance(
            self.stores.tables.type_of(node.result), Optional
        )

        def move_some(play: Play) -> int:
            slots, slot = play.slots, play.base + left
            if not slots[slot]:
                wanted = quantity(slots, play.base, play.registers)
                if wanted is None:
                    raise rule_error("none", f"{node.quantity.span.text} is none", node.span)
                slots[slot] = 1 + max(int(wanted), 0)
                if result is not None and number is not None and empty_result:
                    for address in result(slots, play.base, play.registers):
                        slots[address] = number(None)
            while slots[slot] > 1:
                component = drawing.next(play, slots[slot] - 1)
                if component is WAIT:
                    self.moves.tell(play)
                    return REST
                if component is None:
                    break
                assert isinstance(component, int)
                to = drawing.to(slots, play.base, play.registers)
                sure = self.moves.seeing_all(play, drawing.kind, [component]) if alike else 0
                moved = self.moves.move(play, drawing.kind, component, to, node.span, way, sure)
                slots[slot] -= 1
                if result is not None and number is not None:
                    for address in result(slots, play.base, play.registers):
                        slots[address] = number(moved)
            slots[slot] = 0
            self.moves.tell(play)
            return at + 1

        return move_some

    def shuffle(self, node: model.ShuffleZone, at: int) -> Operation:
        """The order of a zone, drawn from the bottom up.

        What is not yet drawn lies above what is, in canonical order.
        """
        place, left = self.moves.place(node.zone), node.left
        kind = self.moves.kind_at(node.zone)

        def open_(play: Play) -> tuple[int, list[int], list[int]]:
            """The zone, what is drawn (bottom first), and the rest."""
            zone = place(play.slots, play.base, play.registers)
            order = self.components.upwards(play.slots, zone)
            drawn = len(order) - (play.slots[play.base + left] - 1)
            return zone, order[:drawn], order[drawn:]

        def lots(play: Play) -> list[Possible]:
            return self.classes(play, kind, Counter(open_(play)[2]), False)

        self.lots[at] = lots

        def shuffle(play: Play) -> int:
            slots, slot = play.slots, play.base + left
            if not slots[slot]:
                zone = place(slots, play.base, play.registers)
                members = self.components.members(slots, zone)
                slots[slot] = 1 + len(members)
                self.moves.knowledge.forget(play, kind, zone)
                rank = self.components.rank
                members.sort(key=lambda one: rank(slots, kind, one))
                self.components.arrange(slots, zone, members)
            while slots[slot] > 1:
                possible = lots(play)
                chosen = fallen(play, possible)
                if chosen is None:
                    return REST
                zone, drawn, rest = open_(play)
                rest.remove(chosen.value)
                self.components.arrange(slots, zone, [*drawn, chosen.value, *rest])
                slots[slot] -= 1
            slots[slot] = 0
            zone = place(slots, play.base, play.registers)
            self.log.zones(play, "shuffle", "is shuffled", [self.tables.instances[zone]])
            return at + 1

        return shuffle


class _Wait:
    """The next component of a draw waits for luck."""


WAIT = _Wait()


class Drawing:
    """Which component a `MoveSome` takes next."""

    def __init__(self, chance: ChanceSteps, node: model.MoveSome) -> None:
        """Compile sources and target."""
        self.chance = chance
        self.node = node
        self.moves = chance.moves
        self.components = chance.components
        self.kind = self.moves.kind_at(node.to)
        self.to = self.moves.place(node.to)
        self.ordered_target = chance.tables.families[node.to.zone].ordered
        self.sources = [
            (chance.tables.families[source.zone], self.moves.places(source), None in source.indexes)
            for source in node.sources
        ]
        self.condition = chance.evaluator.test(node.condition)

    def _open(self, play: Play, at: int) -> tuple[Sequence[int], list[int]]:
        """The zones of a source, and what may be taken from them, in order."""
        here = (play.slots, play.base, play.registers)
        _, places, _ = self.sources[at]
        zones = places(*here)
        if len(zones) == 1:
            members = self.components.members(play.slots, zones[0])
        else:
            members = self.components.union(play.slots, self.kind, zones)
        if self.condition is not None and self.node.register is not None:
            passing = []
            for member in members:
                play.registers[self.node.register] = member
                if self.condition(*here):
                    passing.append(member)
            members = passing
        return zones, members

    def lots(self, play: Play) -> list[Possible]:
        """What may be drawn from the first source that has something."""
        for at, (_, _, several) in enumerate(self.sources):
            _, members = self._open(play, at)
            if members:
                return self._alike(play, members, several)
        return []

    def _alike(self, play: Play, members: list[int], several: bool) -> list[Possible]:
        """What may be taken, the alike ones merged."""
        return self.chance.classes(play, self.kind, Counter(members), several)

    def next(self, play: Play, wanted: int) -> int | _Wait | None:
        """The component to take, `WAIT` for luck, or None: `up to`, and nothing is there."""
        for at, (family, _, several) in enumerate(self.sources):
            zones, members = self._open(play, at)
            if not members and family.refill is not None and len(zones) == 1:
                self._refill(play, zones[0])
                zones, members = self._open(play, at)
            if not members:
                continue
            if family.order == "random":
                return self._draw(play, members, wanted, several)
            if family.ordered and len(zones) == 1:
                return members[0]
            whole = wanted >= len(members)
            if not whole and len(self._alike(play, members, several)) > 1:
                message = f"{self.node.span.text}: say which, for they are not alike"
                raise rule_error("not_alike", message, self.node.span)
            return members[0]
        if self.node.up_to:
            return None
        names = " or ".join(source.span.text for source in self.node.sources)
        raise rule_error("empty", f"{names} is empty", self.node.span)

    def _draw(self, play: Play, members: list[int], wanted: int, several: bool) -> int | _Wait:
        """A draw by chance; all of them are taken without."""
        if play.given is None and wanted >= len(members) and not self.ordered_target:
            return members[0]
        chosen = fallen(play, self._alike(play, members, several))
        return WAIT if chosen is None else int(chosen.value)

    def _refill(self, play: Play, zone: int) -> None:
        """All of the zone that refills this one comes in; that is told by itself."""
        self.moves.tell(play)
        instance = self.chance.tables.instances[zone]
        refill = instance.family.refill
        assert refill is not None
        # The model writes the zone's own indexes as the first registers.
        kept = play.registers[: len(instance.indexes)]
        play.registers[: len(kept)] = instance.indexes
        number = self.moves.place(refill)(play.slots, play.base, play.registers)
        play.registers[: len(kept)] = kept
        for member in self.components.members(play.slots, number):
            self.moves.move(play, self.kind, member, zone, self.node.span)
        self.moves.tell(play)

"""What a player sees, as one number: equal where it looks the same.

Assumes: a checked `Game`.
Does: gives every visible thing a term of a sum of 64 bits. Copies that nothing tells apart add up
in any order. Who sees what is taken as it is declared, where that hangs on the state as it is at
the start; inside a `together` things are looked at as they were when it began.
Leaves behind: terms, which machine code adds up as `of` does. It is for searches, which may take
some states for alike that are not: nothing is hidden by it, and nothing told.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.reference.executor import Reference
from rulerun.reference.visibility import Visibility
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.recent import Recent
from rulerun.runtime.rng import key_of
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

_WORD = (1 << 64) - 1


@frozen
class Number:
    """A slot, how much it counts, and the players for whom it does (bits)."""

    slot: int
    times: int
    seen: int


@frozen
class Pieces:
    """The components of a kind with identities."""

    base: int
    """Where the slots begin that say in which zone each lies."""
    classes: tuple[int, ...]
    """By component: the number of what it is, the same for copies."""
    zone: int
    """How much the number of its zone counts."""
    others: tuple[tuple[int, int], ...]
    """Where further slots begin, and how much they count: places, attributes."""
    known: int
    """Where the slots begin that say who knows it; -1 without."""


@frozen
class SightSum:
    """The terms of one game."""

    shadow: int
    """How far behind a slot stands what it was when the open `together` began."""
    numbers: tuple[Number, ...]
    pieces: tuple[Pieces, ...]
    seen: tuple[int, ...]
    """By zone: who sees what lies there."""
    counted: tuple[int, ...]
    """By zone: who sees how much lies there, and not what."""
    one: tuple[int, ...]
    """By zone: how much a component counts of which that is all that is seen."""

    def of(self, slots: Sequence[int], viewer: int) -> int:
        """The sum for a player."""
        shift = self.shadow if slots[TOGETHER] else 0
        total = 0
        for each in self.numbers:
            if each.seen >> viewer & 1:
                total += slots[each.slot + shift] * each.times
        for kind in self.pieces:
            for component, class_ in enumerate(kind.classes):
                zone = slots[kind.base + component + shift]
                if self.counted[zone] >> viewer & 1:
                    total += self.one[zone]
                if self.seen[zone] >> viewer & 1:
                    found = class_ + zone * kind.zone
                    for base, times in kind.others:
                        found += slots[base + component + shift] * times
                    total += found * found
                elif kind.known >= 0 and slots[kind.known + component + shift] >> viewer & 1:
                    found = class_ + zone * kind.zone
                    total += found * found * 3
        return total & _WORD


def _times(*what: object) -> int:
    """An odd number that stands for something."""
    word = key_of("sight " + " ".join(map(str, what))) | 1
    return word - (1 << 64) if word >> 63 else word


def _made(game: Game) -> SightSum:
    reference = Reference(game, events=False)
    evaluator = reference.machine.evaluator
    tables, slots = evaluator.tables, reference.machine.beginning()
    visibility, registers = Visibility(evaluator), fresh_registers(game)
    players = (1 << len(game.players)) - 1
    seen = [visibility.members(zone, slots, registers) & players for zone in tables.instances]
    counts = [visibility.count(zone, slots, registers) & players for zone in tables.instances]
    counted = [count & ~sees for count, sees in zip(counts, seen, strict=True)]
    one = [_times("one", zone.number) for zone in tables.instances]
    numbers: list[Number] = []
    for table in tables.variables.values():
        for indexes in table.instances():
            mask = visibility.variable(table, indexes, slots, registers) & players
            first = table.address(indexes)
            numbers += [
                Number(at, _times("slot", at), mask) for at in range(first, first + table.width)
            ]
    known = dict(game.layout.known)
    pieces: list[Pieces] = []
    for name, kind in tables.kinds.items():
        if not kind.kind.counted:
            bases = [] if kind.positions < 0 else [kind.positions]
            bases += [each.base for each in kind.attributes]
            classes = tuple(
                _times("class", name, kind.class_of[each]) for each in range(kind.kind.total)
            )
            others = tuple((base, _times("column", base)) for base in bases)
            pieces.append(
                Pieces(kind.base, classes, _times("zone", name), others, known.get(name, -1))
            )
            continue
        for zone in (tables.instances[each] for each in kind.zones):
            for at in range(zone.counts, zone.counts + zone.width):
                numbers.append(Number(at, _times("slot", at), seen[zone.number]))
                if not zone.ordered:
                    numbers.append(Number(at, one[zone.number], counted[zone.number]))
    return SightSum(
        game.layout.shadow - game.layout.live[0],
        tuple(each for each in numbers if each.seen),
        tuple(pieces),
        tuple(seen),
        tuple(counted),
        tuple(one),
    )


_SUMS = Recent(_made, 16)


def sight_sum(game: Game) -> SightSum:
    """The terms of a game."""
    return _SUMS.of(game)

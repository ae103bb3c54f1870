"""Positions of a game that hides nothing, told apart by what can still matter.

Assumes: plays of `search.plays`, whose slots come as packed bytes.
Does: takes of the slots what the rules can read. What players know of hidden components is left
out, since no rule reads that; so is the copy that a `together` keeps of the state, where it has
just begun and is the same; and of the piles of `pile_order` the order below the top.
Leaves behind a `Position`: a key of 16 bytes (a digest: two positions share one less often than a
memory chip errs), the packed slots, and the part of them that must stay as it is until the next
rest, where the order of a pile was left out. Where it does not stay, `Reordered` says that this
game has to be walked with every order kept.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from hashlib import blake2b

from rulerun.runtime.index import GameIndex, KindTable
from rulerun.runtime.state import State
from rulerun.search.utility import packed
from rulerun.solving.pile_order import forgettable
from rulerun_dsl.model import Game

KEY = 16
"""Bytes of a key."""
_MOST = 127


class Reordered(Exception):
    """Something has left a pile whose order was left out."""


@dataclass(frozen=True, slots=True, eq=False)
class _Piles:
    """The piles of one kind whose order is left out."""

    kind: KindTable
    zones: tuple[int, ...]
    whole: bool
    """Whether these are all the ordered zones that the kind may lie in."""


Watched = tuple[tuple[int, int, int, int], ...]
"""Of each kind: where its slots begin and end, which bits must stay, and what they are."""


class Positions:
    """Tells the positions of one game apart."""

    def __init__(self, game: Game, forget: bool = True) -> None:
        """Find what may be left out; `forget`: the order of piles as well."""
        self.layout = game.layout
        index = GameIndex(game)
        families = forgettable(game) if forget else frozenset()
        self._piles = tuple(
            _Piles(kind, zones, len(zones) == sum(index.instances[at].ordered for at in kind.zones))
            for kind in index.kinds.values()
            for zones in (_of_families(index, kind, families),)
            if zones
        )
        self.forgets = bool(self._piles)
        self._masks: dict[tuple[_Piles, bytes], int] = {}
        kinds = [each for each in index.kinds.values() if each.kind.total]
        self._places = [(each.base, each.base + each.kind.total) for each in kinds]
        if any(each.kind.counted for each in kinds):
            first = min((base for _, base in self.layout.places), default=self.layout.knowledge)
            self._places = [(first, self.layout.knowledge)]

    def key(self, cells: bytes) -> bytes:
        """The digest of what can still matter."""
        layout = self.layout
        width = len(cells) // layout.size
        first, last = layout.live
        shadow, end = layout.shadow * width, layout.queue * width
        copied = b"="
        if cells[first * width : last * width] != cells[shadow:end]:
            copied = self._stripped(cells, width, layout.shadow - first) if shadow != end else b""
        told = (cells[: first * width], self._stripped(cells, width, 0), copied, cells[end:])
        return blake2b(b"".join(told), digest_size=KEY).digest()

    def of_state(self, state: State) -> bytes:
        """The key of a state."""
        return self.key(packed(state.slots))

    def places(self, cells: bytes) -> bytes:
        """What lies where."""
        width = len(cells) // self.layout.size
        return b"".join([cells[low * width : high * width] for low, high in self._places])

    def watched(self, cells: bytes) -> Watched:
        """What must stay as it is until the next rest."""
        width = len(cells) // self.layout.size
        found = []
        for piles in self._piles:
            kind = piles.kind
            total = kind.kind.total
            first, last = kind.base * width, (kind.positions + total) * width
            where = cells[first : first + total * width : width]
            mask = self._masks.get((piles, where))
            if mask is None:
                mask = self._masks[piles, where] = _mask(piles, where, width)
            value = int.from_bytes(cells[first:last], "little") & mask
            found.append((first, last, mask, value))
        return tuple(found)

    def _stripped(self, cells: bytes, width: int, by: int) -> bytes:
        """What is live (or its copy, `by` slots on) without what does not matter."""
        at = (self.layout.live[0] + by) * width
        last = (self.layout.knowledge + by) * width
        if not self._piles:
            return cells[at:last]
        pieces = []
        for piles in self._piles:
            start = (piles.kind.positions + by) * width
            pieces.append(cells[at:start])
            pieces.append(_tops(cells, width, by, piles))
            at = start + piles.kind.kind.total * width
        pieces.append(cells[at:last])
        return b"".join(pieces)


def stays(watched: Watched, cells: bytes) -> bool:
    """Whether what was watched is as it was."""
    for first, last, mask, value in watched:
        if int.from_bytes(cells[first:last], "little") & mask != value:
            return False
    return True


def _mask(piles: _Piles, where: bytes, width: int) -> int:
    """The bits that say, of what lies in some piles, in which and at which place."""
    kind = piles.kind
    ones = (1 << 8 * width) - 1
    apart = 8 * width * (kind.positions - kind.base)
    mask = 0
    for at, zone in enumerate(where):
        if zone in piles.zones:
            mask |= (ones | ones << apart) << 8 * width * at
    return mask


def _of_families(index: GameIndex, kind: KindTable, families: Container[str]) -> tuple[int, ...]:
    # One byte must be enough to tell zones and places in a zone apart.
    if kind.positions < 0 or kind.kind.total > _MOST or len(index.instances) > _MOST:
        return ()
    return tuple(at for at in kind.zones if index.instances[at].family.name in families)


def _tops(cells: bytes, width: int, by: int, piles: _Piles) -> bytes:
    """What lies on top of each pile, and the order of the others as it is."""
    kind = piles.kind
    total = kind.kind.total
    base, start = (kind.base + by) * width, (kind.positions + by) * width
    where = cells[base : base + total * width : width]
    order = cells[start : start + total * width : width]
    tops = bytearray()
    for zone in piles.zones:
        many = where.count(zone)
        at = -1
        if many:
            at = order.find(many - 1)
            while where[at] != zone:
                at = order.find(many - 1, at + 1)
        tops.append(at + 1)
    if not piles.whole:
        tops += bytes(0 if where[at] in piles.zones else order[at] for at in range(total))
    return bytes(tops)

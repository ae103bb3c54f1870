"""A run of games, cut into pieces.

Assumes: how many games are wanted, and which were played already.
Does: names the places at which a run may end early (`BOUNDARIES`), by the number of games alone, so
that a run ends at the same game however it is shared out; cuts what is missing into pieces that
cross none of these places.
Leaves behind: pieces in ascending order.

Pieces are small where a run begins, since a game may take a second, and large later, since it may
take a microsecond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

STEPS = ((100, 5), (1_000, 25), (10_000, 250), (100_000, 2_500))
"""Up to so many games: a place to end after every so many more."""
STEP = 10_000
"""And then."""

COVERED = 1_000
"""Of so many games, the first of a run, it is counted which rules ran, unless asked otherwise."""


class Piece(NamedTuple):
    """The games `first` to `first + many - 1`."""

    first: int
    many: int

    @property
    def end(self) -> int:
        """The game behind the last."""
        return self.first + self.many


def step_at(game: int) -> int:
    """How far apart the places to end are at a game.

    >>> [step_at(0), step_at(999), step_at(1000), step_at(10**7)]
    [5, 25, 250, 10000]
    """
    return next((step for upto, step in STEPS if game < upto), STEP)


def may_end(game: int) -> bool:
    """Whether a run may end when so many games are played.

    >>> [game for game in range(90, 130) if may_end(game)]
    [90, 95, 100, 125]
    """
    return game > 0 and game % step_at(game - 1) == 0


def pieces(wanted: int, done: Iterable[Piece] = (), largest: int = STEP) -> Iterator[Piece]:
    """What is still to be played of the first `wanted` games, in pieces of `largest` at most.

    >>> list(pieces(12, [Piece(5, 5)]))
    [Piece(first=0, many=5), Piece(first=10, many=2)]
    """
    at = 0
    for gap in (*sorted(done), Piece(wanted, 0)):
        while at < gap.first:
            step = step_at(at)
            stop = min(gap.first, at - at % step + step, at + largest)
            yield Piece(at, stop - at)
            at = stop
        at = max(at, gap.end)

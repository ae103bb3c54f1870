"""A whole comparison: so many pairs, or until enough is known, or until somebody interrupts.

Assumes: something that has pieces played.
Does: adds up pieces in ascending order, so that the same pairs decide where to end early however
they were shared out.
Leaves behind: the sums, and why it ended: `games`, `interval` or `interrupted`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rulerun.simulation.compare.paired import Pairs
from rulerun.simulation.run.driver import FEWEST
from rulerun.simulation.run.ordered import Ordered
from rulerun.simulation.run.schedule import Piece, may_end, pieces
from rulerun.simulation.stats.intervals import mean_of

Played = Callable[[Iterable[Piece]], Iterator[tuple[Piece, Pairs]]]


def narrow(pairs: Pairs, until: float) -> bool:
    """Whether the difference of every seat's share of wins is known to within `until`."""
    if pairs.both < FEWEST:
        return False
    return all(
        mean_of(pairs.both, sums.difference, sums.squares).reach <= until
        for sums in (*pairs.wins.values(), *pairs.agents.values())
    )


def run_pairs(
    played: Played,
    wanted: int,
    until: float | None = None,
    *,
    largest: int = 10_000,
    told: Callable[[int], None] | None = None,
) -> tuple[Pairs, str]:
    """Play up to `wanted` pairs."""
    sums, ordered, done = Pairs(), Ordered[Pairs](), 0
    # A caller that stops asking stops the workers.
    arriving = played(pieces(wanted, largest=largest))
    try:
        for piece, found in arriving:
            done += piece.many
            for ready, pairs in ordered.take(piece, found):
                sums.add(pairs)
                if until is not None and may_end(ready.end) and narrow(sums, until):
                    return sums, "interval"
            if told is not None:
                told(done)
    except KeyboardInterrupt:
        for pairs in ordered.rest():
            sums.add(pairs)
        return sums, "interrupted"
    finally:
        arriving.close()  # type: ignore[attr-defined]
    return sums, "games"

"""Do two engines play the same game? Only then a ratio says anything.

Assumes: samples of random plays of both, and how many sequences of inputs each counts.
Does: compares mean lengths, mean returns and how often they are above, at and below 0, by player:
a difference of more than `BOUND` standard errors is too much. Counted sequences must be equal.
Leaves behind: a `Comparison` that says what was compared and how near it came, or what differs.

The bound is wide, since a run makes hundreds of comparisons and luck shall refuse none of them; a
rule that differs moves something by more, if the samples are large. How fine they were is told:
with `length to 2 %` a mean length that differs by 2 % or more would have been seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.workers.lines import Sample

BOUND = 4.5
FEWEST = 30
"""Plays of each sample: fewer say nothing."""
SLACK = 2
"""Plays of the smaller sample that a share may be off: what is rare is not normally distributed."""

FEW = "check for longer"
"""Said where so few plays were compared that nobody knows."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two engines play the same game."""

    same: bool
    said: str
    """In one line: what was found."""
    plays: int
    theirs: int
    """Plays in both samples."""
    worst: float
    """The greatest difference, in standard errors."""


@dataclass(frozen=True, slots=True)
class _Difference:
    what: str
    mine: float
    theirs: float
    error: float
    """The standard error of the difference."""

    @property
    def errors(self) -> float:
        """How many standard errors lie between the two."""
        gap = abs(self.mine - self.theirs)
        if self.error > 0:
            return gap / self.error
        return 0.0 if gap < 1e-9 else float("inf")


def compare(
    mine: Sample, theirs: Sample, counted: tuple[int, int | None, int | None] | None = None
) -> Comparison:
    """Compare two samples; `counted` is a depth, and the sequences that we and they count."""
    fewest = min(mine.plays, theirs.plays)
    if fewest < FEWEST:
        return _no(mine, theirs, f"only {fewest} plays to compare: {FEW}", 0.0)
    if counted and None not in counted[1:] and counted[1] != counted[2]:
        depth, here, there = counted
        return _no(mine, theirs, f"sequences of {depth}: ours {here:,}, theirs {there:,}", 0.0)
    found = [*_differences(mine, theirs)]
    worst = max(found, key=lambda each: each.errors)
    if worst.errors > BOUND:
        said = f"{worst.what}: ours {worst.mine:.4g}, theirs {worst.theirs:.4g}"
        return _no(mine, theirs, f"{said} ({worst.errors:.0f} standard errors)", worst.errors)
    length = found[0]
    # What a difference must come to before it is seen.
    fine = 100 * BOUND * length.error / max(length.mine, 1e-9)
    said = f"length to {fine:.1f} %"
    if counted and None not in counted[1:]:
        said += f", {counted[2]:,} sequences of {counted[0]}"
    return Comparison(True, said, mine.plays, theirs.plays, worst.errors)


def _no(mine: Sample, theirs: Sample, said: str, worst: float) -> Comparison:
    return Comparison(False, said, mine.plays, theirs.plays, worst)


def _differences(mine: Sample, theirs: Sample) -> Iterator[_Difference]:
    """All that is compared, the length first."""
    m, t = mine.plays, theirs.plays
    yield _Difference(
        "decisions a playout",
        mine.decisions / m,
        theirs.decisions / t,
        _error(m, mine.decisions, mine.squares, t, theirs.decisions, theirs.squares),
    )
    if len(mine.returns) != len(theirs.returns):
        yield _Difference("players", len(mine.returns), len(theirs.returns), 0.0)
        return
    for player in range(len(mine.returns)):
        yield _Difference(
            f"mean return of player {player + 1}",
            mine.returns[player] / m,
            theirs.returns[player] / t,
            _error(
                m, mine.returns[player], mine.return_squares[player],
                t, theirs.returns[player], theirs.return_squares[player],
            ),
        )  # fmt: skip
        for sign, word in enumerate(("above", "at", "below")):
            here, there = mine.signs[player][sign], theirs.signs[player][sign]
            whole = (here + there) / (m + t)
            error = (whole * (1 - whole) * (1 / m + 1 / t)) ** 0.5
            slack = (SLACK / min(m, t)) / BOUND
            share = f"share of returns of player {player + 1} {word} 0"
            yield _Difference(share, here / m, there / t, error + slack)
    for player_, mean, error in theirs.means:
        player = int(player_)
        here_mean = mine.returns[player] / m
        variance = mine.return_squares[player] / m - here_mean**2
        whole_error = (max(variance, 0.0) / m + error**2) ** 0.5
        yield _Difference(
            f"mean return of player {player + 1} inside", here_mean, mean, whole_error
        )


def _error(m: int, mine: float, my_squares: float, t: int, theirs: float, squares: float) -> float:
    """The standard error of the difference of two means, from sums."""
    here = max(my_squares / m - (mine / m) ** 2, 0.0)
    there = max(squares / t - (theirs / t) ** 2, 0.0)
    return float((here / m + there / t) ** 0.5)

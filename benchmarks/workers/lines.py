"""The two ends of a pipe agree here: a worker plays one game with one engine, when it is told to.

Assumes: a request a line on standard input, JSON: `{"do": "hello"}`,
`{"do": "play", "seconds": s}`, `{"do": "check", "seconds": s}`, `{"do": "perft", "depth": d}`; an
end of the input ends the worker.
Does: times slices by the CPU time of the process (all its threads), so that what else runs on the
machine takes nothing from the slice; adds up samples.
Leaves behind: an answer a line on standard output, JSON; `{"error": …}` if the engine failed.

It needs nothing but the standard library, since it runs in the environments of the peers.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol


@dataclass
class Counted:
    """What a number of playouts came to."""

    playouts: int = 0
    decisions: int = 0
    """Choices by players; what both do at the same time are two."""

    def add(self, other: Counted) -> None:
        """Add what was counted elsewhere."""
        self.playouts += other.playouts
        self.decisions += other.decisions


@dataclass
class Sample:
    """What is compared of the plays of two engines. All sums, so that samples add up."""

    plays: int = 0
    decisions: int = 0
    squares: int = 0
    """Of the decisions of each play."""
    returns: list[float] = field(default_factory=list)
    """By player, who is first in turn first."""
    return_squares: list[float] = field(default_factory=list)
    signs: list[list[int]] = field(default_factory=list)
    """By player: how often the return was above, at and below 0."""
    means: list[list[float]] = field(default_factory=list)
    """Rows of (player, mean return, its standard error), where an engine tells no more."""

    def saw(self, decisions: int, returns: Sequence[float]) -> None:
        """Add one play."""
        if not self.returns:
            self.returns = [0.0] * len(returns)
            self.return_squares = [0.0] * len(returns)
            self.signs = [[0, 0, 0] for _ in returns]
        self.plays += 1
        self.decisions += decisions
        self.squares += decisions * decisions
        for player, one in enumerate(returns):
            self.returns[player] += one
            self.return_squares[player] += one * one
            self.signs[player][0 if one > 0 else 1 if one == 0 else 2] += 1


def two_sided(plays: int, decisions: int, squares: int, first: int, second: int) -> Sample:
    """The sample of a game that one of two players wins, or nobody: the returns are 1, -1 and 0."""
    draws = plays - first - second
    return Sample(
        plays=plays,
        decisions=decisions,
        squares=squares,
        returns=[float(first - second), float(second - first)],
        return_squares=[float(first + second)] * 2,
        signs=[[first, draws, second], [second, draws, first]],
    )


class Player(Protocol):
    """One game in one engine."""

    versions: dict[str, str]
    notes: list[str]
    """What a reader of the figures may want to know."""
    caveat: str
    """What makes its figures better or worse than they are; "" if nothing does."""

    def many(self, count: int) -> Counted:
        """Play some `count` games to their end, at random. This is what is timed."""

    def sample(self, count: int) -> Sample:
        """Play so again, and look at each play."""

    def perft(self, depth: int) -> int | None:
        """How many sequences of `depth` inputs there are; None if the engine cannot say."""


LEAST_SHARE = 0.05
"""A call of `many` shall take at least this share of a slice: asking for the time costs time."""


FEWEST = 3
"""Samples of a check, however long they take: a spread wants some."""


class Slices:
    """Plays for a time. How many games fill a slice is found out in the first one."""

    def __init__(self, player: Player) -> None:
        """Begin with single games."""
        self.player = player
        self.chunk = 1

    def play(self, seconds: float) -> dict[str, float]:
        """Play until the process has used so much CPU time."""
        whole = Counted()
        wall, begun = time.perf_counter(), time.process_time()
        last = begun
        while True:
            whole.add(self.player.many(self.chunk))
            now = time.process_time()
            if now - begun >= seconds:
                break
            if now - last < LEAST_SHARE * seconds:
                self.chunk *= 2
            last = now
        wall = time.perf_counter() - wall
        return {**asdict(whole), "cpu": now - begun, "wall": wall}

    def check(self, seconds: float) -> dict[str, Any]:
        """Sample for some time; half the chunk, since looking takes longer."""
        samples: list[Sample] = []
        begun = time.process_time()
        while len(samples) < FEWEST or time.process_time() - begun < seconds:
            samples.append(self.player.sample(max(1, self.chunk // 2)))
        return asdict(added(samples))


def added(samples: Sequence[Sample]) -> Sample:
    """All samples as one. Of `means` the rows stay apart until here."""
    whole = Sample()
    for each in samples:
        whole.plays += each.plays
        whole.decisions += each.decisions
        whole.squares += each.squares
        whole.returns = _sum(whole.returns, each.returns)
        whole.return_squares = _sum(whole.return_squares, each.return_squares)
        whole.signs = [
            [a + b for a, b in zip(mine, more, strict=True)]
            for mine, more in zip(
                whole.signs or [[0, 0, 0] for _ in each.signs], each.signs, strict=True
            )
        ]
        whole.means += each.means
    if whole.means:
        rows = [row[1] for row in whole.means]
        mean = sum(rows) / len(rows)
        if len(rows) > 1:
            variance = sum((row - mean) ** 2 for row in rows) / (len(rows) - 1)
            whole.means = [[whole.means[0][0], mean, (variance / len(rows)) ** 0.5]]
        else:
            whole.means = []
    return whole


def _sum(mine: list[float], more: list[float]) -> list[float]:
    return [a + b for a, b in zip(mine or [0.0] * len(more), more, strict=True)]


def limit_memory(gigabytes: float) -> None:
    """Let the process fail before the machine does. Where there are no such limits: nothing."""
    try:
        import resource
    except ImportError:
        return
    limit = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def serve(make: Callable[[], Player]) -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What an engine prints goes where it harms nobody.
    os.dup2(2, 1)
    slices: Slices | None = None
    for line in sys.stdin:
        request = json.loads(line)
        begun = time.perf_counter()
        answer: dict[str, Any]
        try:
            if slices is None:
                slices = Slices(make())
            player = slices.player
            if request["do"] == "hello":
                answer = {"versions": player.versions, "notes": player.notes}
                answer["caveat"] = player.caveat
                answer["seconds"] = time.perf_counter() - begun
            elif request["do"] == "play":
                answer = dict(slices.play(request["seconds"]))
            elif request["do"] == "check":
                answer = slices.check(request["seconds"])
            elif request["do"] == "perft":
                answer = {"leaves": player.perft(request["depth"])}
            else:
                answer = dict(getattr(player, request["do"])(request))
        except Exception as error:  # whatever a peer raises is told, not fatal to the run
            answer = {"error": " ".join(f"{type(error).__name__}: {error}".split())[:300]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

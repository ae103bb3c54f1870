"""The pieces of a run, played: in this process, or in several.

Assumes: a `Task`, which can be pickled, and pieces.
Does: has each piece played once, in this process or in `jobs` others (`host.workers`).
Leaves behind: results as they come, in any order. A caller that stops asking stops the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from rulerun.host.workers import in_processes, processors
from rulerun.runtime.batch import Expected, Tally
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.schedule import Piece
from rulerun.simulation.run.seats import Seat, agents_of, batch_for, decide, largest_piece, think
from rulerun.simulation.run.task import Task
from rulerun.simulation.stats.totals import Totals
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

if TYPE_CHECKING:
    from rulerun.simulation.run.noting import Watching

Found = TypeVar("Found")


@frozen
class Simulating:
    """The task of `simulate`: games to totals."""

    game: Game
    executor: str
    seats: tuple[tuple[int, Seat], ...]
    seed: int | str
    covered: int
    """The first so many games are counted with coverage."""
    watched: tuple[int, ...] = ()
    """The seats whose choices are counted."""
    games: int = 0
    """How many games are to be played at most, as far as that is known."""
    known: str = ""
    """What names the game in the cache (`native.batch`)."""

    @property
    def thinking(self) -> bool:
        """Whether a game takes long."""
        return think(dict(self.seats))

    @property
    def stepped(self) -> bool:
        """Whether somebody decides, or what is decided is noted."""
        return bool(self.watched) or decide(dict(self.seats))

    @property
    def expected(self) -> Expected | None:
        """How many games are to be played, and counted with coverage."""
        if not self.games:
            return None
        return Expected(max(0, self.games - self.covered), min(self.games, self.covered))

    def is_ready(self) -> bool:
        """Whether machine code for all of it is in the cache."""
        from rulerun.compiled.native.batch import is_ready

        return is_ready(self.known, self.expected)

    def begin(self) -> Callable[[Piece], Totals]:
        """Compile the game."""
        game, key, covered = self.game, key_of(self.seed), self.covered
        agents = agents_of(game, dict(self.seats), self.executor)
        watching = _watching(game, self.watched)
        batch = batch_for(game, self.executor, agents, watching, self.expected, self.known)

        def play(piece: Piece) -> Totals:
            totals = Totals.of(game, coverage=piece.first < covered)
            for first, many in _slices(piece, covered):
                tally = Tally.of(game, coverage=first < covered)
                totals.count(batch.play(key, first, many, tally), tally)
            totals.choices = None if watching is None else watching.give()
            return totals

        return play


def _watching(game: Game, seats: tuple[int, ...]) -> Watching | None:
    """What notes the choices of these seats."""
    if not seats:
        return None
    from rulerun.simulation.run.noting import Watching

    return Watching(game, seats)


def _slices(piece: Piece, covered: int) -> Iterator[Piece]:
    """The games with coverage, and those without."""
    if piece.first < covered < piece.end:
        yield Piece(piece.first, covered - piece.first)
        yield Piece(covered, piece.end - covered)
    else:
        yield piece


def jobs_for(games: int, executor: str, thinking: bool = False) -> int:
    """How many processes are worth their beginning, which takes half a second each."""
    enough = 10 if thinking else {"native": 500_000, "python": 5_000}.get(executor, 100)
    return processors() if games >= enough else 1


def run_here(task: Task[Found], pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Found]]:
    """Play the pieces in this process."""
    play = None
    for piece in pieces:
        play = play or task.begin()
        yield piece, play(piece)


def runner(
    task: Task[Found], executor: str, games: int, jobs: int | None, cluster: str | None
) -> tuple[Callable[[Iterable[Piece]], Iterator[tuple[Piece, Found]]], int]:
    """Who plays the pieces, and how large one may be."""
    if task.stepped:
        # Machine code takes but single steps there, and is hardly quicker than others.
        executor = "reference"
    largest = largest_piece(executor, task.thinking)
    if cluster is not None:
        from rulerun.simulation.run.cluster import run_cluster

        # Every piece goes over the network: it is worth some seconds.
        return lambda pieces: run_cluster(task, pieces, cluster), 10 * largest
    many = jobs_for(games, executor, task.thinking) if jobs is None else jobs
    if many <= 1:
        return lambda pieces: run_here(task, pieces), largest
    return lambda pieces: in_processes(task, pieces, many), largest

"""The pieces of a run, played: in this process, or in several.

Assumes: a `Task`, which can be pickled, and pieces.
Does: has each piece played once, in this process or in `jobs` others (spawned: a fork of a process
with threads may hang). Only a few pieces more than there are workers wait at a time.
Leaves behind: results as they come, in any order. A caller that stops asking stops the workers.

Workers do not hear the interrupt of the keyboard: the process that started them does, and ends
them. If that process is killed they end by themselves.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from rulerun.runtime.batch import Tally
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.noting import Watching
from rulerun.simulation.run.schedule import Piece
from rulerun.simulation.run.seats import Seat, agents_of, batch_for, decide, largest_piece, think
from rulerun.simulation.run.task import Lost, Task
from rulerun.simulation.stats.totals import Totals
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

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

    @property
    def thinking(self) -> bool:
        """Whether a game takes long."""
        return think(dict(self.seats))

    @property
    def stepped(self) -> bool:
        """Whether somebody decides, or what is decided is noted."""
        return bool(self.watched) or decide(dict(self.seats))

    def begin(self) -> Callable[[Piece], Totals]:
        """Compile the game."""
        game, key, covered = self.game, key_of(self.seed), self.covered
        agents = agents_of(game, dict(self.seats), self.executor)
        watching = Watching(game, self.watched) if self.watched else None
        batch = batch_for(game, self.executor, agents, watching)

        def play(piece: Piece) -> Totals:
            totals = Totals.of(game, coverage=piece.first < covered)
            for first, many in _slices(piece, covered):
                tally = Tally.of(game, coverage=first < covered)
                totals.count(batch.play(key, first, many, tally), tally)
            totals.choices = None if watching is None else watching.give()
            return totals

        return play


def _slices(piece: Piece, covered: int) -> Iterator[Piece]:
    """The games with coverage, and those without."""
    if piece.first < covered < piece.end:
        yield Piece(piece.first, covered - piece.first)
        yield Piece(covered, piece.end - covered)
    else:
        yield piece


def processors() -> int:
    """How many processes can work at a time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


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


def run_processes(
    task: Task[Found], pieces: Iterable[Piece], jobs: int
) -> Iterator[tuple[Piece, Found]]:
    """Play the pieces in several processes."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin_worker, initargs=(task,))
    ended = False
    try:
        yield from _windowed(_Pool(pool), pieces, 2 * jobs + 2)
        ended = True
    except BrokenProcessPool:
        raise Lost(
            "a worker process has ended unasked (was it killed, or out of memory?); "
            "`--jobs 1` plays without workers"
        ) from None
    finally:
        if not ended:
            # A piece may take minutes, and nobody wants it any more.
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
        pool.shutdown(wait=ended, cancel_futures=True)


@frozen
class _Pool(Generic[Found]):
    """A pool of processes that have begun."""

    pool: ProcessPoolExecutor

    def submit(self, piece: Piece) -> Future[Any]:
        # A process that begins here must not hear the keyboard before it can say so itself.
        with _deaf():
            return self.pool.submit(_in_worker, piece)


@contextmanager
def _deaf() -> Iterator[None]:
    """Put off interrupts, here and in processes that begin inside, as far as the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _windowed(
    pool: _Pool[Any], pieces: Iterable[Piece], window: int
) -> Iterator[tuple[Piece, Any]]:
    waiting: dict[Future[Any], Piece] = {}
    left = iter(pieces)
    while True:
        while len(waiting) < window and (piece := next(left, None)) is not None:
            waiting[pool.submit(piece)] = piece
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield waiting.pop(future), future.result()


_PLAY: list[Callable[[Piece], Any]] = []


def _begin_worker(task: Task[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _PLAY[:] = [task.begin()]


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for its next piece for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _in_worker(piece: Piece) -> Any:
    return _PLAY[0](piece)


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
    return lambda pieces: run_processes(task, pieces, many), largest

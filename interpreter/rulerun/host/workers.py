"""Work in pieces, done in several processes.

Assumes: a task, which can be pickled, and pieces.
Does: has each piece done once, in one of `jobs` other processes. Only a few pieces more than there
are workers wait at a time. The processes are spawned, since a fork of a process with threads may
hang; a task that asks for it is begun here and the workers are forked from that, where the system
can and this process has one thread: what is made ready once is made ready for all.
Leaves behind: results as they come, in any order. A caller that stops asking stops the workers.

Workers do not hear the interrupt of the keyboard: the process that started them does, and ends
them. If that process is killed they end by themselves.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rulerun_dsl.source.frozen import frozen

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Piece = TypeVar("Piece")
Given = TypeVar("Given", contravariant=True)
Found = TypeVar("Found", covariant=True)


class Lost(Exception):
    """The workers are gone; the message says what can be done."""


class Task(Protocol[Given, Found]):
    """What is to be done with each piece. It is pickled once for each worker."""

    def begin(self) -> Callable[[Given], Found]:
        """Make ready, in the process that will do it or in one that it is forked from."""


def processors() -> int:
    """How many processes can work at a time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether a fork of this process is like it: it has one thread, of any library."""
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def in_processes(
    task: Task[Piece, Found], pieces: Iterable[Piece], jobs: int, fork: bool = False
) -> Generator[tuple[Piece, Found], None, None]:
    """Have the pieces done in several processes; forked ones if that is wanted and can be."""
    # They take their time to import, and most commands need no other process.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    before = set(multiprocessing.active_children())
    if fork and can_fork():
        made = task.begin()
        context: Any = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(jobs, context, initializer=_go_on, initargs=(made,))
    else:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(jobs, context, initializer=_begin_worker, initargs=(task,))
    ended = False
    try:
        yield from _windowed(_Pool(pool), pieces, 2 * jobs + 2)
        ended = True
    except BrokenProcessPool:
        raise Lost(
            "a worker process has ended unasked (was it killed, or out of memory?); "
            "`--jobs 1` works without workers"
        ) from None
    finally:
        if not ended:
            # A piece may take minutes, and nobody wants it any more.
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
        pool.shutdown(wait=ended, cancel_futures=True)


@frozen
class _Pool:
    """A pool of processes that have begun."""

    pool: ProcessPoolExecutor

    def submit(self, piece: object) -> Future[Any]:
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


def _windowed(pool: _Pool, pieces: Iterable[Piece], window: int) -> Iterator[tuple[Piece, Any]]:
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting: dict[Future[Any], Piece] = {}
    left = iter(pieces)
    while True:
        while len(waiting) < window and (piece := next(left, None)) is not None:
            waiting[pool.submit(piece)] = piece
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield waiting.pop(future), future.result()


_WORK: list[Callable[[Any], Any]] = []


def _begin_worker(task: Task[Any, Any]) -> None:
    live_with_parent()
    _WORK[:] = [task.begin()]


def _go_on(made: Callable[[Any], Any]) -> None:
    live_with_parent()
    _WORK[:] = [made]


def live_with_parent() -> None:
    """Leave the keyboard's interrupt to the parent of this process, and end when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for its next piece for ever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _in_worker(piece: object) -> Any:
    return _WORK[0](piece)

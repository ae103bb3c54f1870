"""One process beside this one, whose work can be stopped at any moment.

Assumes: jobs, which are functions of a module; arguments and answers that can be pickled.
Does: runs one job at a time in a process of its own (spawned), which keeps what it has read between
them. A job that takes too long, or that nobody wants any more, ends with its process; the next job
begins a new one.
Leaves behind the answer of a job, or `Lost`, whose message says why there is none. Whatever else
ends a job early ends its process with it: no answer waits for who asks next.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any

from rulerun.host.workers import live_with_parent

Tell = Callable[[object], None]
"""What a job calls with news of how far it is."""
Job = Callable[..., Any]

_PATIENCE = 5.0
"""Seconds that a process which was killed has to be gone."""


class Lost(Exception):
    """There is no answer; the message says why."""


class Aside:
    """A process, and the job that it does."""

    def __init__(self, memory: int = 0, nice: int = 0) -> None:
        """Begin none yet. `memory`: the most bytes of it, where the system knows such limits."""
        self._limits = memory, nice
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self._pipe: Connection | None = None
        self._turn = threading.Lock()
        self._stopping = threading.Lock()
        self._busy = False
        self._stopped = False
        self._closed = False

    def ask(
        self,
        job: Job,
        *arguments: object,
        seconds: float,
        told: Tell | None = None,
        wanted: Callable[[], bool] | None = None,
    ) -> Any:
        """Have a job done: `job(tell, *arguments)`. Waits for the job before it.

        `wanted`: whether it is still to be done once its turn has come.
        """
        with self._turn:
            with self._stopping:
                if self._closed:
                    raise Lost("it is closed")
                if wanted is not None and not wanted():
                    raise Lost("it was stopped")
                self._busy, self._stopped = True, False
            ended = False
            try:
                word, value = self._done(job, arguments, seconds, told)
                ended = True
            finally:
                with self._stopping:
                    self._busy = False
                if self._stopped or not ended:
                    self._gone()
        if word == "failed":
            raise Lost(str(value))
        return value

    def _done(
        self, job: Job, arguments: tuple[object, ...], seconds: float, told: Tell | None
    ) -> tuple[str, Any]:
        end = time.monotonic() + seconds
        pipe = self._begun()
        if self._stopped:
            # While it began there was nothing yet to be killed.
            raise Lost("it was stopped")
        with self._hearing():
            pipe.send((job, arguments))
        while True:
            with self._hearing():
                if not pipe.poll(max(0.0, end - time.monotonic())):
                    raise Lost(f"it took more than {seconds:g} seconds, and was stopped")
                word, value = pipe.recv()
            if word != "told":
                return word, value
            if told is not None:
                told(value)

    @contextmanager
    def _hearing(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError):
            why = "it was stopped" if self._stopped else "its process has ended (out of memory?)"
            raise Lost(why) from None

    def _begun(self) -> Connection:
        if self._pipe is not None and self._process.is_alive():
            return self._pipe
        self._gone()
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, *self._limits))
        process.start()
        theirs.close()
        self._process, self._pipe = process, ours
        return ours

    def _gone(self) -> None:
        """End the process, if there is one, and forget it."""
        if self._process is not None:
            self._process.kill()
            self._process.join(_PATIENCE)
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def stop(self) -> None:
        """End the job that is done right now, if there is one, with its process."""
        with self._stopping:
            if self._busy:
                self._kill()

    def close(self) -> None:
        """End the process; nothing is asked any more."""
        with self._stopping:
            self._closed = True
            self._kill()

    def _kill(self) -> None:
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()


# ------------------------------------------------------------------------------ in the process


def bound(memory: int) -> None:
    """Let this process, and what it begins, have so many bytes, where the system knows limits."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _serve(pipe: Connection, memory: int, nice: int) -> None:
    live_with_parent()
    bound(memory)
    with suppress(AttributeError, OSError):
        os.nice(nice)

    def tell(news: object) -> None:
        pipe.send(("told", news))

    while True:
        try:
            job, arguments = pipe.recv()
        except EOFError:
            return
        try:
            answer = pickle.dumps(("done", job(tell, *arguments)))
        except MemoryError:
            answer = pickle.dumps(("failed", "it needs more memory than it may have"))
        except Exception as failure:
            answer = pickle.dumps(("failed", f"{type(failure).__name__}: {failure}"))
        pipe.send_bytes(answer)

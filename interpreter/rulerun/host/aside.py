"""One process beside this one, whose work can be stopped at any moment.

Assumes: jobs, which are functions of a module; arguments and answers that can be pickled.
Does: runs one job at a time in a process of its own (spawned), which keeps what it has read between
them. A job that takes too long, or that nobody wants any more, ends with its process; the next job
begins a new one.
Leaves behind the answer of a job, or `Lost`, whose message says why there is none.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

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
        self._stopped = False
        self._closed = False

    def ask(self, job: Job, *arguments: object, seconds: float, told: Tell | None = None) -> Any:
        """Have a job done: `job(tell, *arguments)`. Waits for the job before it."""
        with self._turn:
            if self._closed:
                raise Lost("it is closed")
            self._stopped = False
            return self._done(job, arguments, time.monotonic() + seconds, seconds, told)

    def _done(
        self,
        job: Job,
        arguments: tuple[object, ...],
        end: float,
        seconds: float,
        told: Tell | None,
    ) -> Any:
        pipe = self._begun()
        try:
            pipe.send((job, arguments))
            while True:
                if not pipe.poll(max(0.0, end - time.monotonic())):
                    self.stop()
                    self._gone()
                    raise Lost(f"it took more than {seconds:g} seconds, and was stopped")
                word, value = pipe.recv()
                if word == "told":
                    if told is not None:
                        told(value)
                elif word == "failed":
                    raise Lost(str(value))
                else:
                    return value
        except (EOFError, OSError):
            self._gone()
            why = "it was stopped" if self._stopped else "its process has ended (out of memory?)"
            raise Lost(why) from None

    def _begun(self) -> Connection:
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            ours, theirs = self._context.Pipe()
            self._process = self._context.Process(target=_serve, args=(theirs, *self._limits))
            self._process.start()
            theirs.close()
            self._pipe = ours
        return self._pipe

    def _gone(self) -> None:
        if self._process is not None:
            self._process.join(_PATIENCE)
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def stop(self) -> None:
        """End the job that is done right now, if there is one, with its process."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process; nothing is asked any more."""
        self._closed = True
        self.stop()


# ------------------------------------------------------------------------------ in the process


def _serve(pipe: Connection, memory: int, nice: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(ImportError, OSError, ValueError):
        import resource

        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
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
            answer = "done", job(tell, *arguments)
        except MemoryError:
            answer = "failed", "it needs more memory than it may have"
        except Exception as failure:
            answer = "failed", f"{type(failure).__name__}: {failure}"
        pipe.send(answer)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

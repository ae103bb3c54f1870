"""A bar on standard error for what takes long: only on a terminal, and only after a moment.

It says how far something has come and, as soon as that can be told, how long the rest will take if
it goes as fast as it went so far.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

from rulerun.host.streams import steer
from rulerun_dsl.source.safe_text import visible

_PATIENCE = 0.4
"""Seconds before a bar appears."""
_PAUSE = 0.1
_MOMENT = 1.0
"""Seconds before it is said that something is being done."""
_WIDE = 24
_SURE = 1.0
"""Seconds after which it is told how long the rest takes."""


class Progress:
    """Says how far something has come; wipes itself out at the end."""

    def __init__(self, total: int, what: str) -> None:
        """`total` steps of `what`."""
        self.total = max(1, total)
        self.what = what
        self.done = 0
        self._shown = 0
        self._begun = time.monotonic()
        self._first = 0
        self._next = self._begun + _PATIENCE
        try:
            self._on = sys.stderr.isatty()
        except (AttributeError, ValueError):
            self._on = False

    def begin(self, done: int) -> None:
        """`done` steps were done before: of them nothing follows for the others."""
        self._begun, self._first, self.done = time.monotonic(), done, done

    def step(self, what: str = "") -> None:
        """Another step is done; `what` is next."""
        self.at(self.done + 1, self.total, what or self.what)

    def at(self, done: int, total: int, label: str) -> None:
        """`done` of `total` steps are done; `label` is what comes next."""
        if done < self.done:
            # Something else begins.
            self.begin(done)
        self.done, self.total, self.what = done, max(1, total), label
        now = time.monotonic()
        if self._on and now >= self._next:
            self._next = now + _PAUSE
            self._draw()

    def _draw(self) -> None:
        part = min(1.0, self.done / self.total)
        bar = "#" * round(part * _WIDE)
        line = f"[{bar:<{_WIDE}}] {self.done}/{self.total}{self._left()} {self.what}"
        self._write(visible(line)[:78])

    def _left(self) -> str:
        """How long the rest will take."""
        gone, done = time.monotonic() - self._begun, self.done - self._first
        if gone < _SURE or done <= 0 or self.done >= self.total:
            return ""
        return f", {lasting((self.total - self.done) * gone / done)} left:"

    @property
    def shown(self) -> bool:
        """Whether anybody would see it."""
        return self._on

    def tell(self, line: str) -> None:
        """Write a line in its place."""
        self._write(line)

    def _write(self, line: str) -> None:
        steer(sys.stderr, "\r")
        sys.stderr.write(line + " " * (self._shown - len(line)))
        sys.stderr.flush()
        self._shown = len(line)

    def __enter__(self) -> Progress:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe the bar."""
        self.wipe()

    def wipe(self) -> None:
        """Make room for something else."""
        if self._shown:
            self._write("")
            steer(sys.stderr, "\r")
            sys.stderr.flush()


class Patience:
    """Says a sentence if what happens inside takes more than a moment; wipes it out at the end."""

    def __init__(self, said: str) -> None:
        """`said`: what to read meanwhile."""
        self._bar = Progress(1, said)
        self._said = said
        self._timer = threading.Timer(_MOMENT, self._say)
        self._timer.daemon = True
        self._over = False
        self._lock = threading.Lock()

    def _say(self) -> None:
        with self._lock:
            if not self._over:
                self._bar.tell(visible(self._said))

    def __enter__(self) -> Patience:
        """Begin to wait."""
        if self._bar.shown:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe it."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            self._bar.wipe()


def lasting(seconds: float) -> str:
    """How long something takes, for people.

    >>> lasting(12.4), lasting(75), lasting(7322)
    ('12 s', '1 min 15 s', '2 h 02 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"

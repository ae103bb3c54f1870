"""A bar on standard error for what takes long: only on a terminal, and only after a moment."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rulerun.host.streams import steer
from rulerun_dsl.source.safe_text import visible

_PATIENCE = 0.4
"""Seconds before a bar appears."""
_PAUSE = 0.1
_WIDE = 24


class Progress:
    """Says how far something has come; wipes itself out at the end."""

    def __init__(self, total: int, what: str) -> None:
        """`total` steps of `what`."""
        self.total = max(1, total)
        self.what = what
        self.done = 0
        self._shown = 0
        self._next = time.monotonic() + _PATIENCE
        try:
            self._on = sys.stderr.isatty()
        except (AttributeError, ValueError):
            self._on = False

    def step(self, what: str = "") -> None:
        """Another step is done; `what` is next."""
        self.at(self.done + 1, self.total, what or self.what)

    def at(self, done: int, total: int, label: str) -> None:
        """`done` of `total` steps are done; `label` is what comes next."""
        self.done, self.total, self.what = done, max(1, total), label
        now = time.monotonic()
        if self._on and now >= self._next:
            self._next = now + _PAUSE
            self._draw()

    def _draw(self) -> None:
        part = min(1.0, self.done / self.total)
        bar = "#" * round(part * _WIDE)
        line = f"[{bar:<{_WIDE}}] {self.done}/{self.total} {self.what}"
        self._write(visible(line)[:78])

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

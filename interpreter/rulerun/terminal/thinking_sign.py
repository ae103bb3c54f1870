"""A sign of life while somebody thinks: who does, and since when.

Assumes: a stream, and a function that says what to show, or nothing.
Does: where the stream is a terminal, writes a line into its last row once a wait has become one
that people notice, and counts the seconds in it from then on.
Leaves behind nothing: the line is wiped before anything else is written, and no record, pipe or
file ever has it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rulerun.host.streams import Outlet
from rulerun.terminal.formatting import clip, width_of
from rulerun_dsl.source.safe_text import visible

PATIENCE = 0.35
"""Seconds before there is a sign."""
_EVERY = 0.5
_COUNTED = 2
"""Seconds from which on they are counted."""


@contextmanager
def sign_of_life(out: Outlet, width: int, who: Callable[[], str]) -> Iterator[None]:
    """Show what `who` says, for as long as this lasts."""
    if not out.isatty():
        yield
        return
    done = Event()
    shown = Thread(target=_show, args=(out, width, who, done), daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()


def _show(out: Outlet, width: int, who: Callable[[], str], done: Event) -> None:
    begun, before = time.monotonic(), ""
    wait = PATIENCE
    while not done.wait(wait):
        wait = _EVERY
        text = who()
        seconds = int(time.monotonic() - begun)
        if text and seconds >= _COUNTED:
            text = f"{text} {seconds} s"
        # The last column stays empty: a full row would go on in the next.
        text = clip(visible(text), width - 1)
        if text != before:
            _write(out, text, before)
            before = text
    if before:
        _write(out, "", before)


def _write(out: Outlet, text: str, before: str) -> None:
    """Write over what stood there."""
    if os.environ.get("TERM", "") in ("", "dumb"):
        wipe = " " * width_of(before) + "\r"
    else:
        # What somebody types meanwhile stands behind it, and goes with it.
        wipe = "\x1b[K"
    out.steer(f"\r{wipe}{text}")
    out.flush()

"""Garbage of Python's own kind, looked for less often.

Assumes: a stretch of work that makes many values which all stay, such as games for many settings: a
command, a worker, tests.
Does: sets what there is aside and looks for cycles rarely while inside: each look goes through
everything that stays, which takes longer than the work, and than an answer to an editor may.
Leaves behind: the collector as it was. What was made inside counts as old: it is looked through
when all is, not at once because there is so much of it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (50_000, 20, 100)
"""So many new values before the youngest are looked through, where Python takes 700, and so many
looks before older ones are."""

ONCE = 1_000_000
"""So many new values for who works on one thing and ends: most of them are needed to the end, so
that looking through them finds little. More would take much memory, where there are many things."""


@contextmanager
def seldom_collected(values: int = _SELDOM[0]) -> Iterator[None]:
    """Look for garbage rarely while inside: after so many new values."""
    before = gc.get_threshold()
    if before[0] >= values:
        yield
        return
    gc.freeze()
    gc.set_threshold(values, *_SELDOM[1:])
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*before)
        gc.unfreeze()

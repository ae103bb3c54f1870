"""Garbage of Python's own kind, looked for less often.

Assumes: a stretch of work that makes many values which all stay, such as games for many settings.
Does: sets what there is aside and looks for cycles rarely while inside: each look goes through
everything that stays, which takes longer than the work.
Leaves behind: the collector as it was.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 200_000
"""So many new values before the youngest are looked through; Python takes 700."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for garbage rarely while inside."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_YOUNG, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()

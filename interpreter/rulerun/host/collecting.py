"""Garbage of Python's own kind, looked for less often.

Assumes: a stretch of work that makes many values which all stay, such as games for many settings: a
command, a worker, tests.
Does: sets what there is aside and looks for cycles rarely while inside: each look goes through
everything that stays, which takes longer than the work, and than an answer to an editor may.
Leaves behind: the collector as it was.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (50_000, 20, 100)
"""So many new values before the youngest are looked through, where Python takes 700, and so many
looks before older ones are."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for garbage rarely while inside."""
    before = gc.get_threshold()
    if before == _SELDOM:
        yield
        return
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()

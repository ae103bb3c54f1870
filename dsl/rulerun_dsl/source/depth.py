"""How deeply rules may call one another, and room for the walks that follow them.

Assumes nothing.
Does: states the bounds, and asks Python for enough frames to walk that deep.
Leaves behind: a recursion limit that is never lowered.

A walk over an expression goes down a level for each part of it, and into the bodies of the
functions that it calls. Both are bounded, so recursion is bounded too: the checker refuses what is
deeper, where an author reads why.
"""

from __future__ import annotations

import sys

DEEPEST = 500
"""The most levels of an expression with what it names (functions, constants, …) written out."""

MOST_CASES = 200
"""The most cases of a function or statement: the last one stands inside all the others."""

_FRAMES = 15_000


def make_room() -> None:
    """Let Python walk what the checker accepts; a level takes some ten frames at most."""
    if sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)

"""What was made of things, kept for when the same objects come again.

Assumes things that never change, many of which are the very same from one look to the next.
Does: compares them by identity, which costs next to nothing; keeps them alive, so that no other
object takes their place.
Leaves behind what was made, emptied once it is much.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Kept(Generic[Made]):
    """What was made of some things, for each use by itself."""

    def __init__(self, most: int) -> None:
        """Keep at most so many."""
        self._most = most
        self._made: dict[tuple[Hashable, ...], tuple[tuple[object, ...], Made]] = {}

    def of(self, use: Hashable, things: tuple[object, ...], make: Callable[..., Made]) -> Made:
        """What was made of these things for this use, else what `make` makes of them."""
        key = (use, *map(id, things))
        found = self._made.get(key)
        if found is None:
            if len(self._made) >= self._most:
                self._made.clear()
            found = self._made[key] = things, make(*things)
        return found[1]

"""What was made of the last few games, kept for the next caller.

Assumes: games that are the same object are the same game; the results may be shared.
Does: keeps results, the most recently used first, safely for several threads: a caller gets the
result of its own game and no other.
Leaves behind: the results.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from rulerun_dsl.model import Game

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """What a function made of the last `most` games."""

    def __init__(self, make: Callable[..., Made], most: int) -> None:
        """Nothing yet."""
        self._make = make
        self._most = most
        self._kept: tuple[tuple[Game, Made], ...] = ()
        self._lock = Lock()

    def of(self, game: Game, *more: object) -> Made:
        """What is made of a game. Two threads that ask at a time may both make it.

        `more` helps to make it, and makes no difference to what is made.
        """
        kept = self._kept
        found = next((each for each in kept if each[0] is game), None)
        if found is None:
            found = game, self._make(game, *more)
        elif found is kept[0]:
            return found[1]
        with self._lock:
            others = (each for each in self._kept if each[0] is not game)
            self._kept = (found, *others)[: self._most]
        return found[1]

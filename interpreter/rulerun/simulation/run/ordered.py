"""Pieces that come in any order, handed on in ascending order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from rulerun.simulation.run.schedule import Piece

Found = TypeVar("Found")


class Ordered(Generic[Found]):
    """What pieces came to, waiting for those before them."""

    def __init__(self) -> None:
        """Wait for the piece that begins with game 0."""
        self._next = 0
        self._waiting: dict[int, tuple[Piece, Found]] = {}

    def take(self, piece: Piece, found: Found) -> Iterator[tuple[Piece, Found]]:
        """Take a piece, and yield what has no gap before it any more."""
        self._waiting[piece.first] = (piece, found)
        while self._next in self._waiting:
            ready = self._waiting.pop(self._next)
            self._next = ready[0].end
            yield ready

    def rest(self) -> Iterator[Found]:
        """Yield what is there behind a gap."""
        for _, found in self._waiting.values():
            yield found
        self._waiting.clear()

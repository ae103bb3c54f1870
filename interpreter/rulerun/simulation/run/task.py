"""What is done with the pieces of a run, wherever they are played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from rulerun.host.workers import Lost as Lost
from rulerun.simulation.run.schedule import Piece

Found = TypeVar("Found", covariant=True)


class Task(Protocol[Found]):
    """What is to be done with each piece. It is pickled once for each worker."""

    @property
    def thinking(self) -> bool:
        """Whether players think, so that a game takes long."""

    @property
    def stepped(self) -> bool:
        """Whether games are played input by input, with any executor."""

    def begin(self) -> Callable[[Piece], Found]:
        """Make ready, in the process that will do it."""

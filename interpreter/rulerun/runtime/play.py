"""A state in the middle of a step: the one thing that changes while rules run.

The reference copies a state into a `Play`, runs instructions on it until all control stacks rest,
and makes a state of it again. An instruction is a closure `(play) -> int` that gives the number of
the next one, or one of the `signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.executor import Event
from rulerun_dsl.model import Game

RESULT = 0
"""The slot that holds how the game ended."""
TOGETHER = 1
"""The slot that holds which `together` is open."""

Operation = Callable[["Play"], int]
"""An instruction as it runs: gives the number of the next one, or a signal."""

Moved = tuple[str, int, int, int]
"""Of which kind, which component (as it is now), from which zone, to which."""


class Play:
    """The vector, which control stack runs on it, and what happened so far."""

    __slots__ = (
        "base",
        "before",
        "events",
        "frame",
        "game",
        "given",
        "moves",
        "registers",
        "slots",
        "steps",
        "supposed",
    )

    def __init__(self, game: Game, slots: list[int], events: list[Event] | None) -> None:
        """Begin with these slots; `events` of None means that nobody listens."""
        self.game = game
        self.slots = slots
        self.events = events
        self.registers = fresh_registers(game)
        self.given: int | None = None
        """The chance outcome that the next instruction shall take."""
        self.moves: list[Moved] = []
        """What the statement that runs has moved, and not told yet."""
        self.before: Sequence[int] = ()
        """The slots before the first of these moves."""
        self.steps = 0
        self.supposed = False
        """Whether this is a question: what it does has not happened."""
        self.enter(0)

    def enter(self, frame: int) -> None:
        """Let a control stack run."""
        self.frame = frame
        self.base = self.game.layout.base + frame * self.game.layout.frame

    @property
    def block(self) -> int | None:
        """Whose part of a `together` runs."""
        return self.frame - 1 if self.frame else None

"""How much work play is, counted in what rules evaluate: the same on every machine.

Assumes: a checked `Game`.
Does: makes reference executors that count, each call of a function, each member that a word or a
question goes through, each instruction, and for each question of an executor what a state holds.
Whoever asks for work may say how much there may be of it.
Leaves behind: a meter, which has counted. What is beyond its bound raises `Spent`, wherever it
stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any

from rulerun.analysis.effort import effort_of
from rulerun.reference.budget import Budget
from rulerun.reference.executor import Reference
from rulerun.runtime.closures import Run
from rulerun.runtime.executor import Waiting
from rulerun.runtime.play import Play
from rulerun.runtime.state import State
from rulerun_dsl.model import Game
from rulerun_dsl.source.spans import Span

_SLOTS = 8
"""So many numbers of a state cost as much as one evaluation, whenever it is asked about."""


class Spent(Exception):
    """There may be no more work; states and executors are as good as before."""


class Meter:
    """How much work was done, and how much there may be."""

    def __init__(self) -> None:
        """Nothing is done yet, and nothing bounds it."""
        self.used = 0
        self._most: float = inf

    def count(self, many: int = 1) -> None:
        """Count some work. Raises `Spent`."""
        self.used += many
        if self.used > self._most:
            raise Spent

    @contextmanager
    def within(self, most: int) -> Iterator[None]:
        """While inside, so much work may be done at most."""
        outer, self._most = self._most, min(self._most, self.used + most)
        try:
            yield
        finally:
            self._most = outer


class Metered(Budget):
    """The budget of a game's evaluations, which counts all of them besides."""

    def __init__(self, game: Game, meter: Meter) -> None:
        """Count for a meter."""
        super().__init__(effort_of(game))
        self._meter = meter

    @property
    def silent(self) -> bool:
        """Everything is counted."""
        return False

    def call(self, body: Run, span: Span, counted: bool) -> Run:
        """The body of a function, each call of which is counted."""
        body, count = super().call(body, span, counted), self._meter.count

        def call(s: Sequence[int], b: int, r: list[Any]) -> Any:
            count()
            return body(s, b, r)

        return call

    def members(self, source: Run, span: Span, counted: bool) -> Run:
        """The members of a collection, each counted when it is come to."""
        source, count = super().members(source, span, counted), self._meter.count

        def each(s: Sequence[int], b: int, r: list[Any]) -> Iterator[Any]:
            for member in source(s, b, r):
                count()
                yield member

        return each


class Measured(Reference):
    """The reference, which counts what it does."""

    def __init__(self, game: Game, meter: Meter, events: bool = True) -> None:
        """Compile the game with counters in it."""
        super().__init__(game, events, Metered(game, meter))
        self._meter = meter
        self._size = 1 + game.layout.size // _SLOTS

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Whose input is wanted: asked before anything else is."""
        self._meter.count(self._size)
        return super().waiting(state)

    def _until_signal(self, play: Play, at: int) -> int:
        before = play.steps
        try:
            return super()._until_signal(play, at)
        finally:
            self._meter.count(play.steps - before)

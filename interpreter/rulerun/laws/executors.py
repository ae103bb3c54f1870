"""The executors of one game, and what plays it by the batch: those that law 14 compares.

Assumes: a checked `Game`, names of executors.
Does: makes each when it is first asked for, since machine code takes its time.
Leaves behind: the compiled ones that are available. Without llvmlite there is no native one, and
where a construct has no lowering there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.python.batch import PythonBatch
from rulerun.compiled.python.executor import PythonExecutor
from rulerun.laws.slots import Slots
from rulerun.reference.executor import Reference
from rulerun.reference.metering import Measured, Meter, Spent
from rulerun.runtime.batch import Batch, Played, Tally
from rulerun.runtime.rng import STREAMS
from rulerun.simulation.run.counting import Counting
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.model import Game

COMPILED = ("python", "native")
"""What is held against the reference."""

MOST_DECISIONS = 300
"""Decisions of a game of a batch; it is truncated then, as if the file declared so."""


@dataclass
class Again:
    """The batch that a compiled one hands its games to when it gives up; it counts them."""

    batch: Batch
    game: Game
    given_up: list[int] = field(default_factory=list)
    """The numbers of the games."""

    def play(
        self, key: int, first: int, count: int, tally: Tally | None = None
    ) -> Sequence[Played]:
        """Play them with the reference."""
        self.given_up += range(first, first + count)
        return self.batch.play(key, first, count, tally)


class _Stepping(Stepping):
    """The reference by the batch, measured also where it counts which rules ran."""

    def __init__(self, executor: Reference, meter: Meter) -> None:
        """Count for a meter."""
        super().__init__(executor)
        self._meter = meter

    def play(self, key: int, first: int, count: int, tally: Tally | None = None) -> list[Played]:
        """Play games. Raises `Spent`, and what was counted until then is forgotten."""
        try:
            return super().play(key, first, count, tally)
        except Spent:
            if self._counting is not None:
                self._counting.give(Tally.of(self.game, True))
            raise

    def _made(self) -> Counting:
        return Counting(self.game, lambda game: Measured(game, self._meter, events=False))


@dataclass
class Rivals:
    """What plays one game."""

    game: Game
    names: Collection[str] = COMPILED
    meter: Meter = field(default_factory=Meter)
    """What the reference counts."""

    @cached_property
    def reference(self) -> Reference:
        """What is right by definition."""
        return Measured(self.game, self.meter, events=False)

    @cached_property
    def slots(self) -> Slots:
        """What the numbers of a state are called."""
        return Slots(self.game)

    @cached_property
    def compiled(self) -> tuple[tuple[str, PythonExecutor], ...]:
        """The compiled executors that there are, by name."""
        found: list[tuple[str, PythonExecutor]] = []
        if "python" in self.names:
            with suppress(Unsupported):
                found.append(("python", PythonExecutor(self.game, events=False)))
        if "native" in self.names:
            from rulerun.compiled.native.executor import Missing, NativeExecutor

            with suppress(Unsupported, Missing):
                found.append(("native", NativeExecutor(self.game, events=False)))
        return tuple(found)

    # ----------------------------------------------------------------------------- by the batch

    @property
    def many(self) -> bool:
        """Whether there is something to compare that plays by the batch."""
        return bool(self.compiled) and len(self.game.players) < STREAMS

    @cached_property
    def bounded(self) -> Game:
        """The game, so that none takes for ever."""
        most = min(self.game.decisions or MOST_DECISIONS, MOST_DECISIONS)
        return replace(self.game, decisions=most)

    @cached_property
    def stepping(self) -> Stepping:
        """The reference, by the batch."""
        return _Stepping(Measured(self.bounded, self.meter, events=False), self.meter)

    @cached_property
    def batches(self) -> tuple[tuple[str, Batch, Again], ...]:
        """The compiled ones, by the batch, each with what plays again what it gives up."""
        found: list[tuple[str, Batch, Again]] = []
        for name, _ in self.compiled:
            again = Again(self.stepping, self.bounded)
            if name == "python":
                found.append((name, PythonBatch(self.bounded, again), again))
            else:
                from rulerun.compiled.native.batch import NativeBatch

                found.append((name, NativeBatch(self.bounded, again), again))
        return tuple(found)

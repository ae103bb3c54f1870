"""An executor that remembers what it did.

Assumes an executor.
Does: gives an input that it was given before the step that it took then. Several laws play one play
again and again, to look at what is around it: a session, its undo, its record. That a state and an
input always give the same step is another law (2), and none of theirs.
Leaves behind an executor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulerun.runtime.executor import Executor, Input, Step, Waiting
from rulerun.runtime.state import State


class Remembering:
    """An executor, and the steps that it has taken."""

    def __init__(
        self,
        executor: Executor,
        states: Sequence[State] = (),
        inputs: Sequence[Input] = (),
        steps: Sequence[Step] = (),
    ) -> None:
        """Begin with a play that it has made: its states, the inputs there, the steps after."""
        self._executor = executor
        self.game = executor.game
        known = zip(zip(states, inputs, strict=False), steps, strict=False)
        self._steps: dict[tuple[State, Input], Step] = dict(known)
        self._waiting: dict[State, tuple[Waiting, ...]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)

    def apply(self, state: State, given: Input) -> Step:
        """The next rest. Raises `IllegalInput` or `RuleError`, which are not remembered."""
        step = self._steps.get((state, given))
        if step is None:
            step = self._steps[state, given] = self._executor.apply(state, given)
        return step

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Whose input is wanted."""
        waiting = self._waiting.get(state)
        if waiting is None:
            waiting = self._waiting[state] = self._executor.waiting(state)
        return waiting

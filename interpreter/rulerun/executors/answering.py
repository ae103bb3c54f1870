"""An executor for tables: its steps are told, and what may be done is answered by compiled code.

Assumes: a checked `Game`.
Does: lets the reference take every step, since only it tells; asks compiled code what may be chosen
when a step comes to a question, when somebody looks at it, and when an action is taken.
Leaves behind: the same steps, refusals and verdicts as the reference alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from rulerun.executors.make import executor_for
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import (
    Decision,
    Executor,
    Input,
    Outcome,
    Refusal,
    Step,
    Verdict,
    Waiting,
)
from rulerun.runtime.state import State
from rulerun_dsl.model import Game

if TYPE_CHECKING:
    from rulerun.compiled.python.executor import PythonExecutor


class Answering:
    """The reference, with compiled answers."""

    def __init__(self, game: Game) -> None:
        """Compile the game for the reference alone: what a first question needs at once."""
        self.game = game
        self._told = Reference(game)

    def prepare(self) -> None:
        """Compile the answers now and as well as can be, for many plays."""
        self._quick = self._compiled(brief=False)

    @cached_property
    def _quick(self) -> Executor:
        """The compiled answers, made for one play when its first step is taken."""
        return self._compiled(brief=True)

    def _compiled(self, brief: bool) -> Executor:
        from rulerun.compiled.python.executor import PythonExecutor

        quick: Executor = executor_for(self.game, events=False, brief=brief)
        if isinstance(quick, PythonExecutor) and not quick.counts:
            self._told.machine.list_by(partial(self._listed, quick))
        return quick

    def initial(self) -> Step:
        """The state at the first rest, and what happened in set-up until then."""
        return self._told.initial()

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Whose input is wanted: nobody (over), `CHANCE` alone, or players in seat order."""
        return self._told.waiting(state)

    def legal(self, state: State, player: int) -> tuple[int, ...]:
        """The action ids that `player` may take now, ascending; () if not asked."""
        made = "_quick" in vars(self)
        return (self._quick if made else self._told).legal(state, player)

    def outcomes(self, state: State) -> tuple[Outcome, ...]:
        """The chance outcomes now possible, by ascending id; () if luck is not asked."""
        return self._told.outcomes(state)

    def apply(self, state: State, given: Input) -> Step:
        """The next rest. Raises `IllegalInput` or `RuleError`; `state` is never changed."""
        if isinstance(given, Decision) and given.action in self._quick.legal(state, given.player):
            return self._told.take(state, given)
        return self._told.apply(state, given)

    def refusal(self, state: State, given: Input) -> Refusal | None:
        """Why `given` would be refused now; None if it would not."""
        if isinstance(given, Decision) and given.action in self.legal(state, given.player):
            return None
        return self._told.refusal(state, given)

    def verdict(self, state: State) -> Verdict | None:
        """How the game ended; None while it runs."""
        return self._told.verdict(state)

    def _listed(
        self, quick: PythonExecutor, at: int, slots: Sequence[int], base: int
    ) -> list[tuple[int, int]] | None:
        """What may be chosen at a question, while a step runs."""
        from rulerun.compiled.python.executor import Bailout

        layout = self.game.layout
        try:
            frame = (base - layout.base) // layout.frame
            found = quick.listed(quick.slots_of(slots), frame, at)
            return list(zip(found.ids, found.weights, strict=True))
        except Bailout:
            return None

"""Many plays in Python, and what is asked of whatever steps many.

Assumes: a checked `Game`; numpy.
Does: holds a stepper for each play, and has them stepped one after another.
Leaves behind: arrays; `slots` are the states.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rulerun.compiled.native.plan import STAY
from rulerun.executors.stepper import TERMINAL, stepper
from rulerun.runtime.executor import CHANCE, RuleError
from rulerun.runtime.rng import Quick
from rulerun.vector.encoding import Numbers
from rulerun.vector.returns import returns_of
from rulerun_dsl.model import Game

LEGAL = -1
"""In place of a play whose action is refused."""
DRAWN = 1
"""The stream, of the first game of a seed, that actions are drawn from."""


class Stepped(Protocol):
    """What steps many plays."""

    @property
    def slots(self) -> Numbers:
        """(plays, slots of a state)."""

    returns: NDArray[np.float64]
    """(plays, players); of the games that the last step ended."""

    def restart(self, key: int) -> None:
        """Every play is over: the next step begins its first game."""

    def ended(self) -> NDArray[np.bool_]:
        """By play, whether the last step ended a game."""

    def drop(self, which: NDArray[np.bool_]) -> None:
        """Some plays are over, and worth nothing."""

    def step(self, actions: NDArray[np.int64]) -> int:
        """Take an action in each play; writes who decides, what is legal and what was returned.

        Gives the first play whose action is not legal, and then does nothing; else `LEGAL`.
        """

    def sample(self, out: NDArray[np.int64]) -> None:
        """Draw a legal action of each play, each as likely as the others; 0 where there is none."""


class PythonMany:
    """Plays in Python."""

    def __init__(
        self,
        game: Game,
        who: NDArray[np.int64],
        marks: NDArray[np.uint8],
        same_step: bool,
        executor: str,
    ) -> None:
        self.who, self.marks = who, marks
        self._again = same_step
        self.many = len(who)
        self._start = stepper(game, "reference" if executor == "reference" else "python")
        self._key = 0
        self._drawn = Quick(0, 0, DRAWN)
        self._numbers: list[int] = []
        self._luck: list[Quick] = []
        self._plays = [self._start] * self.many
        self._ended = np.zeros(self.many, dtype=bool)
        self.slots: Numbers = np.zeros((self.many, game.layout.size), dtype=np.int64)
        self.returns = np.zeros((self.many, len(game.players)))

    def restart(self, key: int) -> None:
        """Every play is over."""
        self._key = key
        self._drawn = Quick(key, 0, DRAWN)
        self.who[:] = TERMINAL
        self._numbers = list(range(self.many))
        self._luck = [Quick(key, each, 0) for each in self._numbers]

    def ended(self) -> NDArray[np.bool_]:
        """By play, whether the last step ended a game."""
        return self._ended.copy()

    def drop(self, which: NDArray[np.bool_]) -> None:
        """Some plays are over."""
        self.who[which] = TERMINAL
        self.returns[which] = 0

    def step(self, actions: NDArray[np.int64]) -> int:
        """One play after another."""
        going = (self.who != TERMINAL) & (actions != STAY)
        inside = (actions >= 0) & (actions < self.marks.shape[1])
        safe = np.where(inside, actions, 0)
        refused = going & ~(inside & (self.marks[np.arange(self.many), safe] != 0))
        if refused.any():
            return int(refused.argmax())
        self._ended[:] = False
        wrong: list[tuple[int, RuleError]] = []
        for at, action in enumerate(actions.tolist()):
            if action == STAY:
                continue
            self.returns[at] = 0
            try:
                self._take(at, action)
            except RuleError as failure:
                wrong.append((at, failure))
                self.who[at], self.marks[at] = TERMINAL, 0
                continue
            if self.who[at] == TERMINAL:
                self._ended[at] = True
                if self._again:
                    self._go_on(at)
        for at, first in wrong[:1]:
            raise RuntimeError(f"the rules go wrong in play {at}: {first}") from first
        return LEGAL

    def sample(self, out: NDArray[np.int64]) -> None:
        """One play after another."""
        for at, marks in enumerate(self.marks):
            may = np.flatnonzero(marks)
            out[at] = may[self._drawn.below(len(may))] if len(may) else 0

    def _take(self, at: int, action: int) -> None:
        if self.who[at] == TERMINAL:
            self._begin(at)
        else:
            self._plays[at].apply(action)
            self._settle(at)

    def _begin(self, at: int) -> None:
        self._plays[at] = self._start.clone()
        self._luck[at] = Quick(self._key, self._numbers[at], 0)
        self._numbers[at] += self.many
        self._settle(at)

    def _go_on(self, at: int) -> None:
        """Begin the next game; if it is over before anybody decides, the next step tells of it."""
        returns, number = self.returns[at].copy(), self._numbers[at]
        with suppress(RuleError):
            self._begin(at)
        self.returns[at] = returns
        if self.who[at] == TERMINAL:
            self._numbers[at] = number

    def _settle(self, at: int) -> None:
        play, luck = self._plays[at], self._luck[at]
        while (who := play.who()) == CHANCE:
            play.apply(play.legal()[luck.weighted(play.weights())])
        self.who[at] = who
        try:
            self.slots[at] = play.state().slots
        except OverflowError:
            self.slots = self.slots.astype(object)
            self.slots[at] = play.state().slots
        self.marks[at] = 0
        if who == TERMINAL:
            self.returns[at] = returns_of(play.verdict())
        else:
            self.marks[at, list(play.legal())] = 1

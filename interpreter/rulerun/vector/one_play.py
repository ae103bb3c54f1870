"""One play of a game, for the environments that step one at a time.

Assumes: a checked `Game`; numpy.
Does: keeps a state, lets luck fall until somebody decides, says what each player sees and may do.
Leaves behind: states that others may keep: nothing here changes one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerun.executors.make import executor_for
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor, Input, Waiting
from rulerun.runtime.luck_bound import MOST_FALLS, endless
from rulerun.runtime.rng import Quick, key_of
from rulerun.runtime.state import State
from rulerun.vector.encoding import Encoding, states_of
from rulerun.vector.seeing import rows_of
from rulerun_dsl.model import Game


class OnePlay:
    """A play, at a rest."""

    def __init__(self, game: Game, encoding: Encoding | None = None) -> None:
        """Make what runs the game; `begin` begins it."""
        self.game = game
        self.players = range(len(game.players))
        self.encoding = Encoding(game) if encoding is None else encoding
        self.executor: Executor = executor_for(game, "python", events=False)
        self._start = self.executor.initial().state
        self.state: State = self._start
        self.waiting: tuple[Waiting, ...] = ()

    def begin(self, seed: int | str) -> None:
        """Begin a game with luck of its own."""
        self._luck = Quick(key_of(seed), 0, 0)
        self.state = self._start
        self._settle()

    def act(self, player: int, action: int) -> None:
        """Take an action that is legal. Raises `IllegalInput` or `RuleError`."""
        self._apply(Decision(player, action))
        self._settle()

    @property
    def asked(self) -> tuple[int, ...]:
        """Who decides now, in seat order."""
        return tuple(each.player for each in self.waiting)

    def legal(self, player: int) -> tuple[int, ...]:
        """What a player may do now; nothing if they are not asked."""
        return self.executor.legal(self.state, player) if player in self.asked else ()

    def mask(self, player: int) -> NDArray[np.int8]:
        """(actions,): 1 for what a player may do now."""
        found = np.zeros(self.game.number_of_actions, dtype=np.int8)
        found[list(self.legal(player))] = 1
        return found

    def sees(self, viewer: int) -> NDArray[np.int32]:
        """(columns,): what a player sees."""
        slots = states_of([self.state.slots])
        who = np.array([self.asked[0] if self.asked else -2])
        found: NDArray[np.int32] = rows_of(self.encoding, slots, viewer, who)[0]
        return found

    def returns(self) -> tuple[float, ...]:
        """What a game that is over is worth; 0 for all while it runs."""
        verdict = self.executor.verdict(self.state)
        return tuple(0.0 if verdict is None else float(verdict.returns[p]) for p in self.players)

    def _apply(self, given: Input) -> None:
        self.state = self.executor.apply(self.state, given).state
        self.waiting = self.executor.waiting(self.state)

    def _settle(self) -> None:
        self.waiting, falls = self.executor.waiting(self.state), 0
        while self.waiting and self.waiting[0].player == CHANCE:
            if falls == MOST_FALLS:
                raise endless(self.game, self.state, self.waiting[0])
            falls += 1
            outcomes = self.executor.outcomes(self.state)
            fallen = self._luck.weighted([each.weight for each in outcomes])
            self._apply(Chance(outcomes[fallen].id))

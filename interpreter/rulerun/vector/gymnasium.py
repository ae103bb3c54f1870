"""A game as environments of Gymnasium: one player learns, others play at random or by a policy.

Assumes: a checked `Game`; the package gymnasium.
Does: plays on until the learner is asked or the game is over.
Leaves behind: `SeatEnv`, one game at a time, and `SeatsEnv`, many side by side. An observation is
`{"observation": (columns,), "action_mask": (actions,)}`; the reward is the return of the game, at
its end. An action that is not legal ends the game, for a reward of -1.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rulerun.compiled.native.plan import STAY
from rulerun.vector.encoding import Encoding
from rulerun.vector.vector_plays import VectorPlays, whole
from rulerun_dsl.model import Game

Policy = Callable[[VectorPlays, NDArray[np.int64]], NDArray[np.int64]]
"""What others do: the actions of some plays, given by their numbers."""
MOST_BEGUN = 1_000
"""Games that may be over before the learner is asked, one after another, at the beginning."""
PENALTY = -1.0
"""What an action is worth to a player that is not legal."""


def at_random(plays: VectorPlays, which: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whoever else is asked takes any legal action, each as likely as any other."""
    return plays.sample()[which]


def space_of(encoding: Encoding) -> spaces.Dict:
    """The space of what a player sees and may do."""
    highs = np.array([each.high for each in encoding.columns], dtype=np.int32)
    return spaces.Dict(
        {
            "observation": spaces.Box(0, highs, dtype=np.int32),
            "action_mask": spaces.Box(0, 1, (encoding.game.number_of_actions,), np.int8),
        }
    )


class SeatsEnv(VectorEnv[dict[str, Any], NDArray[np.int64], NDArray[np.int64]]):
    """Many games side by side. Where one is over, the next step begins another."""

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seat: int = 0,
        others: Policy | None = None,
        executor: str = "auto",
    ) -> None:
        """Learn at a seat. `others`: left out, they play at random. Raises `ValueError`."""
        if not 0 <= index(seat) < len(game.players):
            raise ValueError(f"no seat {seat}: they have numbers below {len(game.players)}")
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
        self.num_envs = num_envs
        self.seat = seat
        self.plays = VectorPlays(game, num_envs, 0, executor)
        self._policy = others or at_random
        self.single_observation_space = space_of(self.plays.encoding)
        self.single_action_space = spaces.Discrete(self.plays.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._lost = np.zeros(num_envs, dtype=bool)
        self._begun = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin all games anew. The same seed begins the same games; all of a list count.

        A game that is over before the learner is asked is not told of: another begins. Raises
        `ValueError` if they all end so.
        """
        if options and "reset_mask" in options:
            raise ValueError("games begin by themselves where others are over; not some by a mask")
        super().reset(seed=None if isinstance(seed, list) else seed)
        seeds = seed if isinstance(seed, list) else [seed]
        given = [each for each in seeds if each is not None]
        self.plays.reset(int(np.random.SeedSequence(given or None).generate_state(1, np.uint64)[0]))
        self._lost[:] = False
        self._begun = True
        self._go_on()
        for _ in range(MOST_BEGUN):
            over = self.plays.over
            if not over.any():
                return self._seen(), {}
            self.plays.step(np.where(over, 0, STAY))
            self._go_on()
        raise ValueError(f"seat {self.seat} was asked nothing in {MOST_BEGUN} games, one by one")

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """An action of the learner in each game, and what others do until they are asked again."""
        if not self._begun:
            raise ValueError("no game is begun: call `reset` first")
        given = whole(actions, self.num_envs)
        plays = self.plays
        begun = plays.over | self._lost
        inside = (given >= 0) & (given < plays.actions)
        given = np.where(begun | ~inside, 0, given)
        legal = plays.legal[np.arange(self.num_envs), given] & (plays.who == self.seat)
        lost = ~begun & ~(legal & inside)
        given[lost] = STAY
        if self._lost.any():
            plays.drop(self._lost)
        plays.step(given)
        self._go_on(~lost)
        # A game that has just begun may be over before the learner is asked.
        rewards = np.where(plays.over, plays.returns[:, self.seat], 0.0)
        rewards[lost] = PENALTY
        self._lost = lost
        return self._seen(), rewards, plays.over | lost, np.zeros(self.num_envs, dtype=bool), {}

    def _go_on(self, where: NDArray[np.bool_] | None = None) -> None:
        """Others decide until the learner is asked, or games are over."""
        plays = self.plays
        while True:
            waits = (plays.who != self.seat) & ~plays.over
            if where is not None:
                waits &= where
            which = np.flatnonzero(waits)
            if not len(which):
                return
            given = np.full(self.num_envs, STAY, dtype=np.int64)
            taken = whole(self._policy(plays, which), len(which))
            if (taken < 0).any():
                raise ValueError("the policy of the others takes no action where one is asked")
            given[which] = taken
            plays.step(given)

    def _seen(self) -> dict[str, Any]:
        asked = (self.plays.who == self.seat)[:, None]
        return {
            "observation": self.plays.observe(self.seat),
            "action_mask": (self.plays.legal & asked).astype(np.int8),
        }


class SeatEnv(gymnasium.Env[dict[str, Any], int]):
    """One game at a time."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self, game: Game, seat: int = 0, others: Policy | None = None, executor: str = "auto"
    ) -> None:
        """Learn at a seat. `others`: left out, they play at random."""
        self._many = SeatsEnv(game, 1, seat, others, executor)
        self.observation_space = self._many.single_observation_space
        self.action_space = self._many.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game. The same seed begins the same game; without one it is another each time."""
        super().reset(seed=seed)
        seen, info = self._many.reset(seed=int(self.np_random.integers(1 << 31)))
        return _first(seen), info

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """An action, and what others do until the learner is asked again."""
        seen, rewards, over, cut, info = self._many.step(np.array([action]))
        return _first(seen), float(rewards[0]), bool(over[0]), bool(cut[0]), info


def _first(seen: dict[str, Any]) -> dict[str, Any]:
    return {name: each[0] for name, each in seen.items()}

"""A game as environments of PettingZoo: one after another (AEC), or all at once.

Assumes: a checked `Game`; the package pettingzoo.
Does: hands each agent what its player sees, and which actions are legal; the rewards are the
returns of the game, at its end.
Leaves behind: an environment. An observation is `{"observation": (columns,), "action_mask":
(actions,)}`; an action that is not legal ends the game: who took it gets -1, all others 0.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from rulerun.vector.gymnasium import PENALTY, space_of
from rulerun.vector.one_play import OnePlay
from rulerun_dsl.model import Game


class _Table:
    """What both environments have: a play, its seats, and the spaces of each agent."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.play = OnePlay(game)
        self.names = list(game.players)
        self.seats = {name: seat for seat, name in enumerate(self.names)}
        # Each agent has spaces of its own, for they draw luck of their own.
        self.actions = {name: spaces.Discrete(game.number_of_actions) for name in self.names}
        self.sights = {name: space_of(self.play.encoding) for name in self.names}

    def sees(self, name: str) -> dict[str, Any]:
        seat = self.seats[name]
        return {"observation": self.play.sees(seat), "action_mask": self.play.mask(seat)}

    def seed(self, given: int | None) -> None:
        drawn = np.random.SeedSequence(given).generate_state(2, np.uint64)
        self.play.begin(int(drawn[0]))


class TurnEnv(AECEnv[str, dict[str, Any], int]):  # type: ignore[misc]
    """Agents act one after another; inside a `together` none sees what another has chosen."""

    metadata = {"render_modes": [], "name": "rulerun", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, game: Game) -> None:
        """An environment that waits for `reset`."""
        super().__init__()
        self._of = _Table(game)
        self.possible_agents = self._of.names[:]
        self.agents: list[str] = []
        self.render_mode = None

    def observation_space(self, agent: str) -> spaces.Dict:
        """What an agent may see: see `space_of`."""
        return self._of.sights[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The actions of the game, by their numbers."""
        return self._of.actions[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees now."""
        return self._of.sees(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. The same seed begins the same game."""
        self._of.seed(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self._end_if_over()
        self._accumulate_rewards()
        self.agent_selection = self._next()

    def step(self, action: int | None) -> None:
        """Take an action for the agent that is selected; `None` once it is done."""
        if not self.agents:
            raise ValueError("the game is over, or not begun: call `reset`")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        seat = self._of.seats[agent]
        play = self._of.play
        if action is None:
            raise ValueError(f"{agent} is to decide: None is no action")
        if (taken := index(action)) not in play.legal(seat):
            self.rewards[agent] = PENALTY
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            play.act(seat, taken)
            self._end_if_over()
        self.agent_selection = self._next()
        self._accumulate_rewards()

    def _end_if_over(self) -> None:
        """Nobody is asked any more: luck may have ended the game before anybody was."""
        play = self._of.play
        if not play.asked:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = dict(zip(self._of.names, play.returns(), strict=True))

    def _next(self) -> str:
        """Who is asked; at the end of a game the first agent that is left."""
        asked = self._of.play.asked
        return self._of.names[asked[0]] if asked else self.agents[0]


class AtOnceEnv(ParallelEnv[str, dict[str, Any], int]):  # type: ignore[misc]
    """Everybody who is asked acts at once; of others any action is taken for none."""

    metadata = {"render_modes": [], "name": "rulerun"}  # noqa: RUF012

    def __init__(self, game: Game) -> None:
        """An environment that waits for `reset`."""
        super().__init__()
        self._of = _Table(game)
        self.possible_agents = self._of.names[:]
        self.agents: list[str] = []
        self.render_mode = None

    def observation_space(self, agent: str) -> spaces.Dict:
        """What an agent may see: see `space_of`."""
        return self._of.sights[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The actions of the game, by their numbers."""
        return self._of.actions[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a game. The same seed begins the same game."""
        self._of.seed(seed)
        self.agents = self.possible_agents[:]
        return self._seen(), {name: {} for name in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """One decision of everybody who is asked; of nobody once the game is over."""
        play, agents = self._of.play, self.agents
        if not agents:
            return {}, {}, {}, {}, {}
        rewards = dict.fromkeys(agents, 0.0)
        over = False
        # All are looked at before one is taken.
        taken = {seat: index(actions[self._of.names[seat]]) for seat in play.asked}
        for seat, action in taken.items():
            if seat not in play.asked:
                break  # what another has chosen was the last of it
            if action not in play.legal(seat):
                rewards[self._of.names[seat]] = PENALTY
                over = True
                break
            play.act(seat, action)
        if not play.asked:
            over = True
            rewards = dict(zip(self._of.names, play.returns(), strict=True))
        seen = {name: self._of.sees(name) for name in agents}
        if over:
            self.agents = []
        return (
            seen,
            rewards,
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {name: {} for name in agents},
        )

    def _seen(self) -> dict[str, Any]:
        return {name: self._of.sees(name) for name in self.agents}

"""PettingZoo's classic games, stepped from Python.

Assumes: `GAME` as argument: a module of `pettingzoo.classic`, such as `tictactoe_v3`.
Does: plays at random through the environment that its module hands out, wrappers included.
Leaves behind: answers to `lines`.
"""

from __future__ import annotations

import random
import sys
import warnings
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np  # type: ignore[import-not-found,unused-ignore]

from benchmarks.workers.lines import Counted, Sample, limit_memory, serve

LUCK = ("holdem",)
"""Games whose luck is hidden in the first state."""


class Classic:
    """One environment, reset for each game."""

    def __init__(self, name: str) -> None:
        """Make the environment."""
        warnings.simplefilter("ignore")
        self.name = name
        self.env: Any = import_module(f"pettingzoo.classic.{name}").env(render_mode=None)
        self.versions = {"pettingzoo": version("pettingzoo")}
        self.notes: list[str] = []
        self.caveat = ""

    def once(self) -> tuple[int, list[float]]:
        """Play one game: its decisions, and its returns from the first player on."""
        env, draw = self.env, random.random
        env.reset()
        players = list(env.agents)
        first = players.index(env.agent_selection)
        returns = dict.fromkeys(players, 0.0)
        decisions = 0
        for player in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            returns[player] += reward
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(int(legal[int(draw() * len(legal))]))
            decisions += 1
        ordered = [float(returns[player]) for player in players]
        return decisions, ordered[first:] + ordered[:first]

    def many(self, count: int) -> Counted:
        """Play some games."""
        decisions = 0
        for _ in range(count):
            decisions += self.once()[0]
        return Counted(count, decisions)

    def sample(self, count: int) -> Sample:
        """Play some games and look at them."""
        sample = Sample()
        for _ in range(count):
            sample.saw(*self.once())
        return sample

    def perft(self, depth: int) -> int | None:
        """Count sequences, each played anew from the start: states cannot be kept."""
        if any(word in self.name for word in LUCK):
            return None
        return self._below([], depth)

    def _below(self, history: list[int], depth: int) -> int:
        env = self.env
        env.reset()
        for action in history:
            env.step(action)
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return 0
        legal = [int(action) for action in np.flatnonzero(seen["action_mask"])]
        if depth == 1:
            return len(legal)
        return sum(self._below([*history, action], depth - 1) for action in legal)


if __name__ == "__main__":
    limit_memory(6)
    serve(lambda: Classic(sys.argv[1]))

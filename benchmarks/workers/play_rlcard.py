"""RLCard: card games written in Python, stepped from Python.

Assumes: `GAME` as argument, as `rlcard.make` wants it.
Does: plays at random through the environment, as its own random agents do.
Leaves behind: answers to `lines`. Luck is hidden in there, so that nothing can be counted in depth.
"""

from __future__ import annotations

import random
import sys
from importlib.metadata import version
from typing import Any

import rlcard  # type: ignore[import-not-found,unused-ignore]

from benchmarks.workers.lines import Counted, Sample, limit_memory, serve


class Cards:
    """One environment, reset for each game."""

    def __init__(self, name: str) -> None:
        """Make the environment."""
        self.env: Any = rlcard.make(name, config={"seed": random.getrandbits(30)})
        self.versions = {"rlcard": version("rlcard")}
        self.notes: list[str] = []
        self.caveat = ""

    def once(self) -> tuple[int, list[float]]:
        """Play one game: its decisions, and its returns from the first player on."""
        env, draw = self.env, random.random
        state, first = env.reset()
        decisions = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(draw() * len(legal))])
            decisions += 1
        payoffs = [float(one) for one in env.get_payoffs()]
        return decisions, payoffs[first:] + payoffs[:first]

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

    def perft(self, depth: int) -> None:
        """It cannot say."""


if __name__ == "__main__":
    limit_memory(6)
    serve(lambda: Cards(sys.argv[1]))

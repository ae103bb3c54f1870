"""OpenSpiel: games stepped from Python, or whole rollouts inside its C++.

Assumes: `MODE GAME` as arguments: `stepped` or `inside`, and a game as `pyspiel` names it.
Does: plays at random. Inside, a bot whose search is one simulation of `n` rollouts from the root
makes C++ play `n` clones of a state to their end; nothing else that the wheel offers does so.
Leaves behind: answers to `lines`.

A search cannot begin with luck, so that rollouts begin after a deal, each call with another one:
that part is free of charge for OpenSpiel. The memory of a process is limited, since one process
for all games was seen to grow to 13 GB.
"""

from __future__ import annotations

import random
import sys
from importlib.metadata import version
from typing import Any

import pyspiel
from open_spiel.python.games import *  # noqa: F403  # to register the games written in Python

from benchmarks.workers.lines import Counted, Sample, limit_memory, serve

Game = Any
State = Any


def _chance(state: State) -> int:
    """An outcome by its chance."""
    outcomes = state.chance_outcomes()
    left = random.random()
    for outcome, chance in outcomes:
        left -= chance
        if left < 0:
            return int(outcome)
    return int(outcomes[-1][0])


class Stepped:
    """The loop is in Python: ask what is legal, choose, apply."""

    def __init__(self, name: str) -> None:
        """Load the game."""
        self.game: Game = pyspiel.load_game(name)
        self.players: int = self.game.num_players()
        self.versions = {"open_spiel": version("open_spiel")}
        self.notes: list[str] = []
        self.caveat = ""

    def once(self) -> tuple[int, list[float]]:
        """Play one game: its decisions and returns."""
        draw = random.random
        state = self.game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(_chance(state))
            elif state.is_simultaneous_node():
                joint = []
                for player in range(self.players):
                    legal = state.legal_actions(player)
                    decisions += 1 if legal else 0
                    joint.append(legal[int(draw() * len(legal))] if legal else 0)
                state.apply_actions(joint)
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(draw() * len(legal))])
                decisions += 1
        return decisions, state.returns()

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

    def perft(self, depth: int) -> int:
        """Count sequences of inputs, where who is asked at the same time is asked in turn."""
        game = self.game
        if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        return _below(game.new_initial_state(), depth)


def _below(state: State, depth: int) -> int:
    # A chance of one outcome is no input: it cannot fall otherwise.
    while state.is_chance_node() and len(state.chance_outcomes()) == 1:
        state.apply_action(state.chance_outcomes()[0][0])
    if state.is_terminal():
        return 0
    legal = state.legal_actions()
    if state.is_chance_node():
        legal = [outcome for outcome, chance in state.chance_outcomes() if chance > 0]
    if depth == 1:
        return len(legal)
    return sum(_below(state.child(action), depth - 1) for action in legal)


class Inside(Stepped):
    """The loop is in C++."""

    def __init__(self, name: str) -> None:
        """Load the game; begin with few rollouts a call."""
        super().__init__(name)
        self.inner: Game = self.game
        if self.game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            self.inner = pyspiel.convert_to_turn_based(self.game)
        self.bots: dict[int, Any] = {}
        self.mean_decisions = 0.0
        self.deals = self.inner.new_initial_state().is_chance_node()
        if self.deals:
            self.caveat = "its initial deal is not in its time"
        self.notes.append("its decisions a playout are those of the same game stepped")

    def _bot(self, rollouts: int) -> Any:
        if rollouts not in self.bots:
            evaluator = pyspiel.RandomRolloutEvaluator(rollouts, random.getrandbits(30))
            self.bots[rollouts] = pyspiel.MCTSBot(
                self.inner, evaluator, 2.0, 1, 1000, False, random.getrandbits(30), False
            )
        return self.bots[rollouts]

    def _root(self) -> State:
        state = self.inner.new_initial_state()
        while state.is_chance_node():
            state.apply_action(_chance(state))
        return state

    def many(self, count: int) -> Counted:
        """Play `count` games of one deal."""
        if not self.mean_decisions:
            self.mean_decisions = super().many(200).decisions / 200
        self._bot(count).mcts_search(self._root())
        return Counted(count, round(count * self.mean_decisions))

    def sample(self, count: int) -> Sample:
        """Sample the game stepped, and the mean return of many rollouts inside."""
        sample = super().sample(20)
        for _ in range(4):
            root = self._root()
            found = self._bot(50 if self.deals else 200).mcts_search(root)
            # The root is of whom it asks: the return is that player's.
            mean = found.total_reward / found.explore_count
            sample.means.append([float(root.current_player()), mean, 0.0])
        return sample


def main() -> None:
    """Serve one game."""
    limit_memory(6)
    mode, name = sys.argv[1:]
    serve(lambda: Inside(name) if mode == "inside" else Stepped(name))


if __name__ == "__main__":
    main()

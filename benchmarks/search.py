"""The tree search beside OpenSpiel's `MCTSBot`: iterations a second, and matches.

    python -m benchmarks.search [--games connect_four breakthrough] [--iterations 1000]
                                [--matches 100] [--rounds 5] [--slice 20000]

Assumes: an environment with rulerun, llvmlite and `open_spiel` (OpenSpiel's search is C++ and is
called in this process).
Does: lets both search the first position in turn, round by round, so that what disturbs the machine
disturbs both alike; then lets them play each other, seats in turn: with equal iterations, and with
as many more for the quicker one as it is quicker. Both play one rollout an iteration, and both take
what was tried most; OpenSpiel's `uct_c` is 2, and it does not prove positions as it goes.
Leaves behind: rates by seconds of CPU with their median ratio; shares of wins of ours, a draw as a
half, with Wilson intervals of 95 %.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from statistics import median
from typing import Any

from benchmarks.classics import game_named, open_spiel
from rulerun.executors.make import executor_for
from rulerun.runtime import actions
from rulerun.runtime.executor import Decision
from rulerun.runtime.rng import stream
from rulerun.search.plays import plays_for
from rulerun.search.thinking import TreeAgent
from rulerun.search.utility import Utility
from rulerun.session.session import Session
from rulerun.simulation.stats.intervals import wilson
from rulerun_dsl.model import Game

STEPS = {"south": (0, -1), "south_east": (1, -1), "south_west": (-1, -1),
         "north": (0, 1), "north_east": (1, 1), "north_west": (-1, 1)}  # fmt: skip


def theirs(name: str, text: str) -> str:
    """What OpenSpiel calls an action, but for who takes it and whether it captures."""
    if name == "connect_four":
        return str(int(text) - 1)
    square, way = text.split(", ")
    column, row = STEPS[way]
    return square + chr(ord(square[0]) + column) + str(int(square[1]) + row)


def bot(spiel: Any, game: Any, iterations: int, seed: int) -> Any:
    """OpenSpiel's search."""
    rollout = spiel.RandomRolloutEvaluator(1, seed)
    return spiel.MCTSBot(game, rollout, 2.0, iterations, 1000, False, seed, False)


def rates(spiel: Any, game: Game, other: Any, rounds: int, slice_: int) -> tuple[float, float]:
    """Iterations a second, ours and theirs, and the ratios' median."""
    plays = plays_for(game, "native")
    session = Session(executor_for(game, events=False), {}, 0, automatic=False)
    world = [plays.at(session.state)]
    ours, them = [], []
    for number in range(rounds):
        begun = time.process_time()
        plays.searched(world, slice_, stream(number, "rate"), Utility(game), 0)
        middle = time.process_time()
        bot(spiel, other, slice_, number).step(other.new_initial_state())
        ours.append(slice_ / (middle - begun))
        them.append(slice_ / (time.process_time() - middle))
    ratios = [one / two for one, two in zip(ours, them, strict=True)]
    print(
        f"{game.name:14} {median(ours):>9,.0f} iterations a second, theirs {median(them):>9,.0f}: "
        f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        flush=True,
    )
    return median(ours), median(them)


def match(spiel: Any, game: Game, other: Any, mine: int, other_: int, games: int) -> float:
    """Our share of wins, with so many iterations of ours and so many of theirs."""
    won = 0.0
    for number in range(games):
        seat = number % 2
        agent = TreeAgent(game, mine, "native")
        rival = bot(spiel, other, other_, number)
        session = Session(executor_for(game, events=False), {}, number, automatic=False)
        state = other.new_initial_state()
        luck = stream(number, "match")
        while not state.is_terminal():
            player = session.waiting[0].player
            named = {
                theirs(game.name, actions.text(game, each)): each
                for each in session.executor.legal(session.state, player)
            }
            if player == seat:
                action = agent.think(session.vantage(player), luck)
            else:
                said = state.action_to_string(player, rival.step(state)).rstrip("*")
                action = next(each for name, each in named.items() if said.endswith(name))
            (name,) = [each for each, id_ in named.items() if id_ == action]
            (chosen,) = [
                each
                for each in state.legal_actions()
                if state.action_to_string(player, each).rstrip("*").endswith(name)
            ]
            session.give(Decision(player, action))
            state.apply_action(chosen)
        assert session.over
        won += (state.returns()[seat] + 1) / 2
    return won


def main() -> None:
    """Print the tables."""
    parser = ArgumentParser(prog="benchmarks.search")
    parser.add_argument("--games", nargs="*", default=("connect_four", "breakthrough"))
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slice", type=int, default=20_000)
    given = parser.parse_args()
    spiel = open_spiel()
    for name in given.games:
        game = game_named(name)
        other = spiel.load_game(name)
        ours, them = rates(spiel, game, other, given.rounds, given.slice)
        quicker = round(given.iterations * ours / them)
        for word, mine in (("iterations", given.iterations), ("time", quicker)):
            won = match(spiel, game, other, mine, given.iterations, given.matches)
            low, high = wilson(round(won), given.matches)
            print(
                f"  equal {word:10} {mine:>6} against {given.iterations}: "
                f"{won / given.matches:.3f} [{low:.3f}, {high:.3f}]",
                flush=True,
            )


if __name__ == "__main__":
    main()

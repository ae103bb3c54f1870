"""How much of what a viewer may wonder can be proved: worlds of each shipped ruleset.

    python -m benchmarks.worlds [--games brave_rats …] [--positions 4] [--worlds 8]
                                [--effort 20000] [--executor python]

Assumes: rulerun.
Does: plays games at random, stops in the first rounds, a little later and half-way, and asks for
worlds of whoever decides there.
Leaves behind a table by ruleset: the share of worlds that were proved in each place, how many
replays one took, and how many milliseconds of CPU.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.strength import RULESETS
from rulerun.executors.make import executor_for
from rulerun.posterior.worlds import EFFORT, known_to, sampler_of
from rulerun.runtime.executor import CHANCE
from rulerun.runtime.rng import stream
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun.views.undo import hides
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

PLACES = (("first", 0.05), ("early", 0.15), ("half-way", 0.5))
"""How far into a game the places are: the first rounds, a little later, half-way."""
LONGEST = 400
"""Decisions after which a game is taken to be at its end."""


def played(game: Game, decisions: int, seed: int) -> Session:
    """A session behind so many decisions, where somebody decides."""
    seats = dict.fromkeys(range(len(game.players)), RandomAgent())
    quiet = executor_for(game, "python", events=False)
    session = Session(quiet, seats, f"worlds {seed}", automatic=False)
    while session.decisions < decisions or (
        session.waiting and session.waiting[0].player == CHANCE
    ):
        if not session.step():
            break
    return session


def rows(game: Game, given: Namespace) -> Iterator[dict[str, Any]]:
    """A row for each place in a game."""
    lengths = [played(game, LONGEST, seed).decisions for seed in range(4)]
    usual = sorted(lengths)[len(lengths) // 2]
    for place, share in PLACES:
        proved = many = replays = 0
        spent = 0.0
        for seed in range(given.positions):
            session = played(game, max(1, round(usual * share)), seed)
            if not session.waiting:
                continue
            viewer = session.waiting[seed % len(session.waiting)].player
            begun = time.process_time()
            sampler = sampler_of(session, viewer, stream(seed, "worlds"), given.executor)
            known = known_to(session, viewer)
            proved += len(list(sampler.proved(known, given.worlds, given.effort)))
            spent += time.process_time() - begun
            replays += sampler.replayer.runs
            many += given.worlds
        if many:
            yield {
                "game": game.name,
                "players": len(game.players),
                "place": place,
                "decisions": max(1, round(usual * share)),
                "share": proved / many,
                "replays": replays / many,
                "milliseconds": 1000 * spent / many,
            }


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(prog="benchmarks.worlds")
    parser.add_argument("--games", nargs="*")
    parser.add_argument("--positions", type=int, default=4)
    parser.add_argument("--worlds", type=int, default=8)
    parser.add_argument("--effort", type=int, default=EFFORT)
    parser.add_argument("--executor", default="python")
    given = parser.parse_args()
    paths: list[Path] = [*RULESETS.glob("*.yaml"), *RULESETS.glob("classics/*.yaml")]
    for path in sorted(each for each in paths if ".test" not in each.name):
        if given.games and path.stem not in given.games:
            continue
        loaded, found = load(path)
        assert loaded is not None, found
        game, found = loaded.game()
        assert game is not None, found
        if not hides(game):
            continue
        for row in rows(game, given):
            print(
                "{game:16} {players} players  {place:8} {decisions:4} decisions  "
                "{share:5.0%} proved  {replays:7.0f} replays {milliseconds:7.0f} ms a world".format(
                    **row
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()

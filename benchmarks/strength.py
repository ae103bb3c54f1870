"""How strong players that think are: matches, with intervals.

    python -m benchmarks.strength [--games brave_rats …] [--agents greedy mcts:400 …]
                                  [--against random] [--ladder 100 400 1600]
                                  [--matches 100] [--seconds 60] [--players 3] [--together]
                                  [--out FILE]

Assumes: rulerun; with llvmlite it is quicker, and finds the same.
Does: lets an agent play one seat against random players, or against those of `--against`, the seat
moving on from game to game; with `--ladder`, lets each number of iterations play the one before it;
with `--together`, as is right for games that are won or lost by all, lets it play all seats. A
shared win is a share of one, and a game that nobody won counts as a half. `--seconds` of CPU for a
pairing end it before its matches.
Leaves behind: a table of shares with Wilson intervals of 95 %, and of what the seat gained (its
returns, else its points) with twice the standard error; a JSON file if asked for.
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from rulerun.executors.make import executor_for
from rulerun.search.agent_names import maker, named
from rulerun.session.agents import RANDOM
from rulerun.session.session import Session
from rulerun.simulation.stats.intervals import wilson
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

RULESETS = Path(__file__).parents[1] / "rulesets"
GAMES = (
    *("classics/tic_tac_toe", "classics/connect_four", "classics/breakthrough"),
    *("classics/kuhn_poker", "classics/love_letter", "classics/hearts"),
    *("brave_rats", "chasse_en_folie"),
)
AGENTS = ("greedy", "mcts:100", "mcts:400")


def match(game: Game, agent: str, other: str, given: Namespace) -> dict[str, float]:
    """What an agent comes to against others, and milliseconds of CPU for each of its decisions."""
    won, spent, decisions, games = 0.0, 0.0, 0, 0
    gained: list[float] = []
    quiet = executor_for(game, "python", events=False)
    players = range(len(game.players))
    started = time.process_time()
    while games < given.matches and time.process_time() - started < given.seconds:
        seat = games % len(players)
        names = {each: agent if each == seat or given.together else other for each in players}
        seats = {each: maker(game, name, given.executor)() for each, name in names.items()}
        session = Session(quiet, seats, f"strength {games}", automatic=False)
        while True:
            mine = any(each.player == seat for each in session.waiting)
            begun, before = time.process_time(), len(session.history)
            if not session.step():
                break
            if mine and session.history[before].player == seat:
                spent += time.process_time() - begun
                decisions += 1
        games += 1
        verdict = session.verdict
        if verdict is None or not verdict.winners:
            won += 0.5
        elif seat in verdict.winners:
            won += 1 / len(verdict.winners)
        if verdict is not None:
            total = verdict.totals[seat]
            returned = game.scoring.returns is not None or total is None
            gained.append(float(verdict.returns[seat] if returned else total or 0))
    low, high = wilson(round(won), games)
    return {
        "games": games,
        "share": won / games,
        "low": low,
        "high": high,
        "gained": fmean(gained) if gained else 0.0,
        "give": 2 * stdev(gained) / len(gained) ** 0.5 if len(gained) > 1 else 0.0,
        "milliseconds": 1000 * spent / max(1, decisions),
    }


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(prog="benchmarks.strength")
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--agents", nargs="*", default=AGENTS)
    parser.add_argument("--against", default=RANDOM)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--ladder", nargs="*", type=int, default=())
    parser.add_argument("--players", type=int)
    parser.add_argument("--seconds", type=float, default=3_600.0)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--executor", default="native")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    steps = [f"mcts:{each}" for each in given.ladder]
    pairs = [(agent, given.against) for agent in given.agents]
    pairs += list(zip(steps[1:], steps, strict=False))
    rows = []
    for name in given.games:
        loaded, found = load(RULESETS / f"{name}.yaml")
        assert loaded is not None, found
        game, found = loaded.game(players=given.players)
        assert game is not None, found
        for agent, other in pairs:
            row: dict[str, Any] = {
                "game": game.name,
                "players": len(game.players),
                "agent": named(game, agent),
                "against": named(game, agent if given.together else other),
                **match(game, named(game, agent), named(game, other), given),
            }
            rows.append(row)
            print(
                "{game:20} {players} players  {agent:>13} against {against:13} {games:4} games  "
                "{share:.3f} [{low:.3f}, {high:.3f}]  gained {gained:.2f} ± {give:.2f}  "
                "{milliseconds:6.1f} ms a decision".format(**row),
                flush=True,
            )
    if given.out is not None:
        given.out.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

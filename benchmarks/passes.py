"""What each pass of the native executor gains: whole playouts with it and without it.

    python -m benchmarks.passes [--games brave_rats …] [--seconds 0.5] [--rounds 3] [--out FILE]

Assumes: rulerun with llvmlite.
Does: for each game, makes machine code with all passes and with one left out at a time, and runs
them in turn, so that what disturbs the machine disturbs all alike; all must play the same games.
Leaves behind: a table of ratios (all passes / all but one), and a JSON file if asked for.
"""

from __future__ import annotations

import json
import statistics
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks.machine import machine, pin
from rulerun.compiled.native.batch import NativeBatch
from rulerun.compiled.native.building import PASSES
from rulerun.reference.executor import Reference
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.load import load

RULESETS = Path(__file__).parents[1] / "rulesets"
GAMES = (
    "classics/tic_tac_toe",
    "classics/connect_four",
    "classics/breakthrough",
    "classics/hex",
    "classics/kuhn_poker",
    "classics/goofspiel",
    "classics/go_fish",
    "classics/hearts",
    "brave_rats",
    "chasse_en_folie",
)
KEY = key_of("passes")


def rate(batch: NativeBatch, seconds: float) -> float:
    """Playouts for each second of CPU time."""
    many = 64
    while True:
        begun = time.process_time()
        batch.count(KEY, 0, many)
        took = time.process_time() - begun
        if took >= seconds:
            return many / took
        many = int(many * max(2.0, min(16.0, seconds / max(took, 1e-6))))


def measured(name: str, seconds: float, rounds: int) -> dict[str, float]:
    """The median rate of a game with all passes (`""`), and with each left out."""
    loaded, _ = load(RULESETS / f"{name}.yaml")
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    again = Stepping(Reference(game, events=False))
    ways = ("", *PASSES)
    batches = {
        way: NativeBatch(game, again, without=frozenset((way,) if way else ())) for way in ways
    }
    told = {way: batch.count(KEY, 0, 2_000) for way, batch in batches.items()}
    for way, each in told.items():
        if each != told[""]:
            raise SystemExit(f"{name}: without `{way}` other games are played")
    found: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, batch in batches.items():
            found[way].append(rate(batch, seconds))
    return {way: statistics.median(rates) for way, rates in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and tell."""
    parser = ArgumentParser(description=__doc__, prog="python -m benchmarks.passes")
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    pin(None)
    results = {name: measured(name, given.seconds, given.rounds) for name in given.games}
    print(f"{'playouts/s with all / without':30}" + "".join(f"{way:>12}" for way in PASSES))
    for name, rates in results.items():
        whole = rates[""]
        print(
            f"{name.removeprefix('classics/'):16}{whole:14,.0f}"
            + "".join(f"{whole / rates[way]:11.2f}x" for way in PASSES)
        )
    if given.out is not None:
        told = {"machine": machine().data(), "playouts_per_second": results}
        given.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

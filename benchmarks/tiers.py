"""For how many games which code is worth its making.

    python -m benchmarks.tiers [--games brave_rats chasse_en_folie:3 …]

Assumes: rulerun, llvmlite. Nothing is taken from the cache or kept.
Does: makes Python, quick machine code and the best of each ruleset, and plays the same games with
each, as many as take it about as long.
Leaves behind: by ruleset CPU seconds until the code is there, games a second, and from how many
games on the next better code has paid. `compiled/native/worth.py` decides by these numbers.
"""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.machine import pin
from rulerun.compiled.native.batch import NativeBatch
from rulerun.compiled.native.building import draft
from rulerun.compiled.native.objects import Tiers, compiled, library
from rulerun.compiled.python.batch import PythonBatch
from rulerun.runtime.batch import Batch, Expected, Tally
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.seats import ByReference
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

RULESETS = Path(__file__).parents[1] / "rulesets"
GAMES = (
    "classics/tic_tac_toe",
    "classics/kuhn_poker",
    "classics/hex",
    "classics/pig",
    "classics/hearts",
    "classics/go_fish",
    "brave_rats",
    "chasse_en_folie:3",
    "antler_island",
    "ruse",
)
SECONDS = 0.5
"""So long a rate is measured, at least."""


def game_named(name: str) -> Game:
    """A ruleset, with so many players if that is said."""
    file, _, players = name.partition(":")
    loaded, _ = load(RULESETS / f"{file}.yaml")
    assert loaded is not None
    game, _ = loaded.game(int(players) if players else None)
    assert game is not None
    return game


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what came of it."""
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def rate(batch: Batch, key: int) -> tuple[float, float]:
    """Games a second, and inputs in a game."""
    many, tally = 1, Tally.of(batch.game)
    while True:
        seconds, played = timed(partial(batch.play, key, 0, many, tally))
        if seconds >= SECONDS:
            return many / seconds, sum(each.inputs for each in played[:1_000]) / min(many, 1_000)
        many = max(2 * many, int(many * SECONDS / max(seconds, 1e-3)))


def measured(name: str) -> str:
    """A line of the table."""
    game, key, llvm = game_named(name), key_of(1), library()
    again = ByReference(game)
    slow, python = timed(lambda: PythonBatch(game, again))
    quick, native = timed(lambda: NativeBatch(game, again, expected=Expected(1, 0)))
    by_python, _ = rate(python, key)
    by_quick, inputs = rate(native, key)
    text = draft(game, whole=True, counted=True).text
    best, code = timed(lambda: compiled(llvm, text, best=True))
    better = NativeBatch(game, again, expected=Expected(1, 0))
    better._machines["plain"] = type(better._machines["plain"])(
        better._machines["plain"].plan, Tiers(llvm, "", code)
    )
    by_best, _ = rate(better, key)
    machine = max(0.0, quick - slow) / (1 / by_python - 1 / by_quick)
    after = best / (1 / by_quick - 1 / by_best)
    return (
        f"{name:22}{len(game.code):6}{slow:8.2f}{by_python:10,.0f}{quick:8.2f}{by_quick:12,.0f}"
        f"{best:8.2f}{by_best:12,.0f}{machine:10,.0f}{after:12,.0f}{after * inputs / 1e6:9.2f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and tell."""
    parser = ArgumentParser(description=__doc__, prog="python -m benchmarks.tiers")
    parser.add_argument("--games", nargs="*", default=GAMES)
    given = parser.parse_args(arguments)
    pin(None)
    os.environ["RULERUN_CACHE"] = "off"
    print(
        f"{'':22}{'rules':>6}{'python':>18}{'quick':>20}{'best':>20}"
        f"{'machine':>10}{'best from':>12}{'M inputs':>9}"
    )
    for name in given.games:
        print(measured(name), flush=True)


if __name__ == "__main__":
    main()

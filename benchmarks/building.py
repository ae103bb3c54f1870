"""How long it takes to make a game ready, and how large the result is.

    python -m benchmarks.building [--games …] [--out FILE]

Assumes: rulerun; llvmlite, for the native part.
Does: loads and checks each ruleset, lowers it, writes and compiles its Python, makes its machine
code with an empty cache and then from the cache; the median of some runs of each, in CPU time.
Leaves behind: a table, and a JSON file if asked for.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.machine import machine, pin
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.native.building import draft
from rulerun.compiled.python.executor import code_of
from rulerun.compiled.python.preparing import prepared
from rulerun.compiled.python.source import source
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

Value = TypeVar("Value")
RULESETS = Path(__file__).parents[1] / "rulesets"


def games() -> list[str]:
    """Every shipped ruleset that is no module of another."""
    found = []
    for path in sorted((*RULESETS.glob("*.yaml"), *RULESETS.glob("classics/*.yaml"))):
        if path.name.endswith(".test.yaml"):
            continue
        loaded, _ = load(path)
        if loaded is not None and loaded.game()[0] is not None:
            found.append(str(path.relative_to(RULESETS)))
    return found


def timed(work: Callable[[], Value], runs: int) -> tuple[float, Value]:
    """The median of some runs, in milliseconds of CPU time, and what the last one gave."""
    times, found = [], []
    for _ in range(runs):
        begun = time.process_time()
        found.append(work())
        times.append(1000 * (time.process_time() - begun))
    return statistics.median(times), found[-1]


def _game(path: Path) -> Game:
    loaded, _ = load(path)
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    return game


def measured(name: str) -> dict[str, float]:
    """The figures of one ruleset."""
    path = RULESETS / name
    lines = len(path.read_text(encoding="utf-8").splitlines())
    checked, game = timed(lambda: _game(path), 3)
    lowered, _ = timed(lambda: lower(game), 3)
    made, _ = timed(lambda: code_of(*prepared(game)), 3)
    row = {
        "lines": lines,
        "load and check, ms": checked,
        "lower, ms": lowered,
        "python, ms": made,
        "python, characters": len(source(*prepared(game))),
    }
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RULERUN_CACHE"] = folder
        cold, code = timed(lambda: draft(game, whole=True).play(), 1)
        warm, _ = timed(lambda: draft(game, whole=True).play(), 3)
        row |= {
            "native cold, ms": cold,
            "native cached, ms": warm,
            "native, bytes": len(code.tiers.code),
        }
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and tell."""
    parser = ArgumentParser(description=__doc__, prog="python -m benchmarks.building")
    parser.add_argument("--games", nargs="*")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    pin(None)
    results = {name: measured(name) for name in given.games or games()}
    columns = list(next(iter(results.values())))
    print(f"{'':28}" + "".join(f"{column:>21}" for column in columns))
    for name, row in results.items():
        short = name.removeprefix("classics/").removesuffix(".yaml")
        print(f"{short:28}" + "".join(f"{row[column]:21,.0f}" for column in columns))
    if given.out is not None:
        told = {"machine": machine().data(), "rulesets": results}
        given.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

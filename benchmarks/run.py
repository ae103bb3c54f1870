"""One paired run: our engines and the peers, game by game, in turn.

    python -m benchmarks [--games …] [--engines …] [--rounds 5] [--slice 0.4] [--out FILE]

Assumes: peers where `peers install` put them; those that are not there are told as not measured.
Does, for each game: starts one process an engine; checks that all play the same game; then goes
round, each engine a slice, so that what disturbs the machine disturbs all alike; ends them.
Leaves behind: a table for each game on the screen, and all figures in a JSON file.

Rates are per second of CPU time, all on one core. Nothing here is a test: a figure passes or fails
nothing.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import games, ours, peers, report
from benchmarks.checks import FEWEST, Comparison, compare
from benchmarks.games import Shared
from benchmarks.machine import machine, out, pin
from benchmarks.pipes import Failed, Pipe
from benchmarks.report import Row
from benchmarks.workers.lines import Sample

PATIENCE = 120.0
"""Seconds that an answer may take beyond the time asked for: some compile first."""
FORMAT = 1
"""Of the JSON file."""


@dataclass(slots=True)
class Runner:
    """One engine in one game, and its process while there is one."""

    row: Row
    command: list[str] | str
    engine: str = ""
    """Of ours: its name."""
    pipe: Pipe | None = None
    sample: Sample = field(default_factory=Sample)
    sequences: int | None = None
    digest: str = ""

    def begin(self, settings: Namespace, game: Shared) -> None:
        """Start, warm up, and gather what the check needs."""
        if isinstance(self.command, str):
            self.row.said = self.command
            return
        try:
            self.pipe = Pipe(self.command)
            hello = self.pipe.ask({"do": "hello"}, PATIENCE)
            self.row.versions = hello["versions"]
            self.ask({"do": "play", "seconds": settings.slice})
            self.row.notes, self.row.caveat = hello["notes"], hello["caveat"]
            # Batches of ours tell no returns: who is stepped speaks for the engine.
            if self.row.side == "theirs" or self.row.loop == "stepped":
                self.sample = Sample(**self.ask({"do": "check", "seconds": settings.check}))
                self.row.sample = vars(self.sample)
            else:
                self.digest = self.ask({"do": "digest", "games": game.digest})["digest"]
            if self.row.side == "theirs" or self.row.name == "reference stepped":
                self.sequences = self.ask({"do": "perft", "depth": game.depth})["leaves"]
        except Failed as failure:
            self.fail(failure)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the process."""
        assert self.pipe is not None
        return self.pipe.ask(request, PATIENCE + 20 * float(request.get("seconds", 0)))

    def turn(self, seconds: float) -> None:
        """One slice."""
        if self.pipe is None:
            return
        try:
            self.row.rounds.append(self.ask({"do": "play", "seconds": seconds}))
        except Failed as failure:
            self.fail(failure)

    def fail(self, failure: Failed) -> None:
        """No figures of this engine."""
        self.row.said = str(failure).removeprefix("Missing: ")
        self.row.rounds.clear()
        self.end()

    def end(self) -> None:
        """End the process."""
        if self.pipe is not None:
            self.pipe.close()
            self.pipe = None


def runners(game: Shared, settings: Namespace) -> list[Runner]:
    """All engines that have this game and are wanted."""
    found = []
    for engine in ours.NAMES:
        for mode in ours.MODES:
            name = f"{engine} {mode}"
            # The reference always takes part: it says what the game is.
            if wanted(name, settings) or engine == "reference":
                row = Row(name, f"rulerun {engine}, {mode}", "ours", mode)
                command = [sys.executable, "-m", "benchmarks.ours", engine, mode, game.ours]
                found.append(Runner(row, command, engine))
    for name, theirs in game.peers.items():
        if wanted(name, settings):
            variant = peers.BY_NAME[name]
            row = Row(name, variant.title, "theirs", variant.loop)
            found.append(Runner(row, peers.command(variant, settings.peers, theirs)))
    return found


def wanted(name: str, settings: Namespace) -> bool:
    """Whether `--engines` names it, or a word it begins with."""
    return not settings.engines or any(
        name == each or name.startswith(each + " ") for each in settings.engines.split(",")
    )


def check(running: list[Runner], depth: int) -> Sample:
    """Say of each engine whether it plays our game; the sample that says what our game is.

    That is the reference's, as long as it is large enough; then the largest of those that it bears
    out. Where the reference is too slow, it is that of an engine which plays its games to the byte.
    """
    reference = {each.row.loop: each for each in running if each.engine == "reference"}
    for each in running:
        if each.engine == "reference":
            each.row.same = each.pipe is not None
        elif each.engine and each.row.loop == "whole":
            each.row.same = each.digest == reference["whole"].digest != ""
            each.row.said = each.row.said or (
                "" if each.row.same else "other games than the reference's"
            )
    equal = {each.engine for each in running if each.row.loop == "whole" and each.row.same}
    truth = reference["stepped"]
    if truth.sample.plays < FEWEST:
        proven = [each for each in running if each.engine in equal and each.row.loop == "stepped"]
        truth = max(proven, key=lambda each: each.sample.plays, default=truth)
    trusted = truth.sample
    for each in running:
        if each.pipe is None or not each.engine or each.row.loop == "whole" or each.row.same:
            continue
        settle(each.row, compare(truth.sample, each.sample))
        if each.row.same and each.sample.plays > trusted.plays:
            trusted = each.sample
    for each in running:
        if each.pipe is not None and not each.engine:
            counted = (depth, reference["stepped"].sequences, each.sequences)
            settle(each.row, compare(trusted, each.sample, counted))
    return trusted


def settle(row: Row, found: Comparison) -> None:
    """Keep what a comparison found."""
    row.same, row.said = found.same, found.said


def play(game: Shared, settings: Namespace) -> dict[str, Any]:
    """Run one game."""
    print(f"\n{game.name}", flush=True)
    running = runners(game, settings)
    try:
        for each in running:
            each.begin(settings, game)
        trusted = check(running, game.depth)
        for number in range(settings.rounds):
            # Nobody is always the one behind the heaviest.
            start = number % len(running)
            for each in running[start:] + running[:start]:
                each.turn(settings.slice)
    finally:
        for each in running:
            each.end()
    rows = [each.row for each in running]
    found = list(report.ratios(rows))
    for line in described(game, rows, trusted):
        print(line)
    print(report.table(rows))
    if found:
        print("  ours to theirs, median (min .. max) over rounds:")
        print(report.ratio_table(found), flush=True)
    return {
        "game": game.name,
        "ours": json.loads(game.ours),
        "remark": game.remark,
        "perft": {"depth": game.depth, "sequences": counted_by_reference(running)},
        "rows": [row.data() for row in rows],
        "ratios": [each.data() for each in found],
    }


def counted_by_reference(running: list[Runner]) -> int | None:
    """The sequences that our reference counts."""
    return next(each.sequences for each in running if each.row.name == "reference stepped")


def described(game: Shared, rows: list[Row], sample: Sample) -> Iterator[str]:
    """What a reader of the table must know first."""
    if sample.plays:
        length = sample.decisions / sample.plays
        yield f"  {length:.1f} decisions a playout, of {sample.plays:,} plays"
    if game.remark:
        yield f"  known: {game.remark}"
    slower = report.contended(rows)
    if slower > 1.1:
        yield f"  the machine was shared: the clock ran {slower:.1f} times as long as the processor"


def arguments(given: list[str] | None = None) -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(prog="python -m benchmarks", description="rulerun beside its peers.")
    add = parser.add_argument
    add("--games", default="", help="names with commas; left out: all")
    add("--engines", default="", help="names or their first words, with commas; left out: all")
    add("--rounds", type=int, default=5, help="how often each engine has its turn (default 5)")
    add("--slice", type=float, default=0.4, help="seconds of CPU time a turn (default 0.4)")
    add("--check", type=float, default=1.5, help="seconds of plays to compare (default 1.5)")
    add("--peers", type=Path, default=peers.default_folder(), help="where the peers are installed")
    add("--out", type=Path, default=Path("build/benchmarks.json"), help="the JSON file")
    add("--core", type=int, help="the core to run on (default: the last)")
    add("--no-pin", action="store_true", help="run on any core")
    add("--list", action="store_true", help="list games and engines")
    settings = parser.parse_args(given)
    settings.peers = settings.peers.resolve()
    return settings


def main() -> int:
    """Run what was asked for."""
    settings = arguments()
    if settings.list:
        mine = [f"{engine} {mode}" for engine in ours.NAMES for mode in ours.MODES]
        print("games:  ", ", ".join(each.name for each in games.GAMES))
        print("engines:", ", ".join([*mine, *peers.BY_NAME]))
        return 0
    chosen = games.named(settings.games)
    core = None if settings.no_pin else pin(settings.core)
    here = machine()
    print(here)
    print(
        f"{settings.rounds} rounds of {settings.slice} s of CPU time, "
        + ("any core" if core is None else f"all on core {core}")
    )
    told: dict[str, Any] = {
        "format": FORMAT,
        "machine": here.data(),
        "rounds": settings.rounds,
        "slice": settings.slice,
        "check": settings.check,
        "one_core": core is not None,
        "games": [],
    }
    for game in chosen:
        told["games"].append(play(game, settings))
        # After each game, so that a run that is broken off leaves what it found.
        out(settings.out, json.dumps(told, indent=1) + "\n")
    print("\nall ratios, ours to theirs:")
    for line in report.summary(told["games"]):
        print(line)
    print(f"\nAll figures are in {settings.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

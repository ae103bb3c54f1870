"""How cost grows: with the board, the players, the worlds that are dealt, the length of the rules.

    python -m benchmarks.growth [--engines reference,…] [--slice 0.3] [--svg FILE] [--out FILE]

Assumes: rulerun importable; rulesets with options that make them larger.
Does: plays the same rules in several sizes with each of our engines that is there, deals worlds of
one position in ever greater numbers, and loads and checks rules of several lengths: the shipped
ones, and made ones that repeat a phase.
Leaves behind: an SVG with a panel for each question, and a JSON file with all points; both are
written with each point, so that a run that is stopped has not been for nothing.

Both axes are logarithmic, so that a straight line is growth by a power; the legend names it. A
playout on a larger board is a longer one: the cost of a decision is in the JSON file.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from benchmarks import ours
from benchmarks.machine import machine, out, pin
from benchmarks.plot import Panel, Series, svg
from benchmarks.workers.lines import Slices
from benchmarks.worlds import played as position
from rulerun.posterior.worlds import worlds
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

REPEATS = 3
"""The best of so many is taken: what disturbs only adds."""
SIZES = (4, 8, 16, 32, 64, 128)
"""How often a made ruleset repeats its phase."""


@dataclass(frozen=True, slots=True)
class Point:
    """One size of one thing."""

    question: str
    """`board`, `players`, `worlds` or `length`."""
    series: str
    x: float
    milliseconds: float
    """A playout; of `worlds` and `length`: the work."""
    decisions: float = 0.0
    """A playout."""


@dataclass(frozen=True, slots=True)
class Family:
    """One ruleset in several sizes."""

    question: str
    name: str
    ruleset: str
    sizes: tuple[int, ...]
    settings: Callable[[int], tuple[int | None, dict[str, str]]]
    """By size: players and options."""
    x: Callable[[int], float] = float
    """Where that size stands on the axis."""


def made(game: Game, name: str, what: str) -> ours.Engine | None:
    """An engine for a game; None, with a word of why, if there is none."""
    try:
        return ours.engines(game)[name]()
    except Exception as error:  # an engine that cannot play one game leaves a gap, no more
        print(f"left out: {name}, {what}: {error}")
        return None


def _square(size: int) -> float:
    return float(size * size)


FAMILIES = (
    Family("board", "hex", "classics/hex", (3, 5, 7, 9, 11, 15, 19),
           lambda n: (None, {"board_size": str(n)}), _square),
    Family("board", "breakthrough", "classics/breakthrough", (4, 6, 8, 10, 12),
           lambda n: (None, {"rows": str(n), "columns": str(n)}), _square),
    Family("board", "connect four", "classics/connect_four", (4, 5, 6, 7, 8, 9),
           lambda n: (None, {"rows": str(n), "columns": str(n)}), _square),
    Family("players", "kuhn poker", "classics/kuhn_poker", (2, 3, 4, 6, 8, 10), lambda n: (n, {})),
    Family("players", "leduc poker", "classics/leduc_poker", (2, 3, 4, 6, 8, 10),
           lambda n: (n, {})),
    Family("players", "goofspiel, 8 cards", "classics/goofspiel", (2, 3, 4, 6, 8, 10),
           lambda n: (n, {"num_cards": "8"})),
)  # fmt: skip


def played(family: Family, engines: Sequence[str], seconds: float) -> Iterator[Point]:
    """All sizes of a family, with each engine that has it."""
    for size in family.sizes:
        players, options = family.settings(size)
        told = {"ruleset": family.ruleset, "players": players, "options": options}
        game = ours.load_game(json.dumps(told))
        for name in engines:
            engine = made(game, name, f"{family.name} {size}")
            if engine is None:
                continue
            slices = Slices(ours.Ours(engine, "whole", game))
            slices.play(seconds / 4)
            found = [slices.play(seconds / REPEATS) for _ in range(REPEATS)]
            best = min(found, key=lambda each: each["cpu"] / each["playouts"])
            yield Point(
                family.question,
                f"{family.name}, {name}",
                family.x(size),
                1000 * best["cpu"] / best["playouts"],
                best["decisions"] / best["playouts"],
            )


# ------------------------------------------------------------------------------------- worlds


def dealt() -> Iterator[Point]:
    """How long it takes to deal so many worlds of a position early in a game."""
    for name, decisions in (("brave_rats", 4), ("classics/hearts", 12), ("classics/go_fish", 6)):
        game = ours.load_game(json.dumps({"ruleset": name, "players": None, "options": {}}))
        session = position(game, decisions, 1)
        viewer = session.waiting[0].player
        for many in (1, 2, 4, 8, 16, 32, 64):
            work = partial(worlds, session, viewer, many)
            yield Point("worlds", game.name, many, least(work))


# ------------------------------------------------------------------------ the length of rules


PHASE = """\
  phase_{n}:
    turns: you in players
    until: all(score_{n}[p] >= 3 for p in players)
    do:
      - choose:
          advance:
            when: score_{n} < 9
            do: score_{n} += gain_{n}(you)
          raise(1..3 by):
            when: score_{n} + by <= 9
            do: score_{n} += by; pot += 1 if by == 3 and pot < 99
        ask: How far do you go in part {n}?
      - score_{n} = 3 if score_{n} < 3 and pot == 99
"""
FUNCTION = """\
  gain_{n}(player p): 2 if score_{n}[p] < 5 and pot % 2 == 0 else 1
"""


def long_ruleset(phases: int) -> str:
    """Rules of so many like phases, each with its state and a function."""
    numbers = range(phases)
    return "\n".join(
        (
            "rulerun: 1\ngame: long\nplayers: 2\nstate:\n  visible: all\n  pot: 0..99",
            *(f"  score_{n}[player]: 0..9" for n in numbers),
            "phases:",
            "".join(PHASE.format(n=n) for n in numbers) + "functions:",
            "".join(FUNCTION.format(n=n) for n in numbers),
        )
    )


def lengths(engines: Sequence[str]) -> Iterator[Point]:
    """How long it takes to get from a file to a game, and from a game to an engine."""
    folder = ours.RULESETS
    for path in sorted(folder.glob("*.yaml")) + sorted(folder.glob("classics/*.yaml")):
        if path.name.endswith(".test.yaml"):
            continue
        modules = sorted((folder / path.stem).glob("*.yaml")) if path.parent == folder else []
        lines = sum(len(each.read_text("utf-8").splitlines()) for each in (path, *modules))
        yield from timed(path, lines, "shipped rulesets", engines)
    for phases in SIZES:
        text = long_ruleset(phases)
        lines = len(text.splitlines())
        yield from timed(text.encode(), lines, "a phase, repeated", engines)


def timed(source: Path | bytes, lines: int, series: str, engines: Sequence[str]) -> Iterator[Point]:
    """The work on one file: load and check, and make each engine."""

    def game() -> Game:
        loaded, found = load(source)
        checked, more = loaded.game() if loaded is not None else (None, [])
        if checked is None:
            raise ValueError("; ".join(each.message for each in [*found, *more]))
        return checked

    yield Point("length", f"load and check: {series}", lines, least(game))
    checked = game()
    for name in engines:
        if made(checked, name, f"{checked.name}, {lines} lines") is not None:
            maker = ours.engines(checked)[name]
            yield Point("length", f"make {name}: {series}", lines, least(maker))


def least(work: Callable[[], object]) -> float:
    """The best time of some, in milliseconds of CPU time."""
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return 1000 * min(found)


# ------------------------------------------------------------------------------- what is told


PANELS = (
    ("board", "Boards", "squares", "ms of a playout"),
    ("players", "Players", "players", "ms of a playout"),
    ("worlds", "Worlds", "worlds dealt", "ms"),
    ("length", "Length of the rules", "lines", "ms"),
)


def panels(points: Sequence[Point]) -> list[Panel]:
    """A panel for each question that was asked."""
    found = []
    for question, title, across, up in PANELS:
        names = dict.fromkeys(each.series for each in points if each.question == question)
        series = [
            Series(
                name,
                tuple(
                    sorted((each.x, each.milliseconds) for each in points if each.series == name)
                ),
                joined="shipped" not in name,
            )
            for name in names
        ]
        if series:
            found.append(Panel(title, across, up, tuple(series)))
    return found


def main() -> int:
    """Read the command line, measure, draw."""
    parser = ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("--engines", default=",".join(ours.NAMES))
    parser.add_argument("--slice", type=float, default=0.6, help="seconds a point (default 0.6)")
    parser.add_argument("--svg", type=Path, default=Path("build/growth.svg"))
    parser.add_argument("--out", type=Path, default=Path("build/growth.json"))
    given = parser.parse_args()
    engines = given.engines.split(",")
    for name in engines:
        if name not in ours.NAMES:
            parser.error(f"there is no engine {name}; there are: {', '.join(ours.NAMES)}")
    pin(None)
    here = machine()
    print(here)
    caption = f"{here.processor}, {here.python}, rulerun {here.rulerun}, one thread, {here.when}"
    points: list[Point] = []
    every = chain(
        *(played(each, engines, given.slice) for each in FAMILIES), dealt(), lengths(engines)
    )
    for point in every:
        points.append(point)
        print(f"{point.question}: {point.series}, {point.x:g}: {point.milliseconds:.3g} ms")
        out(given.svg, svg(panels(points), caption))
        told = {"machine": here.data(), "points": [asdict(each) for each in points]}
        out(given.out, json.dumps(told, indent=1) + "\n")
    for panel in panels(points):
        print(f"\n{panel.title}: {panel.up} by {panel.across}")
        for series in panel.series:
            shown = ", ".join(f"{x:g}: {y:.3g}" for x, y in series.points)
            power = "" if series.power is None else f" (like x^{series.power:.2f})"
            print(f"  {series.name}{power}\n    {shown}")
    print(f"\nThe plot is {given.svg}, all points are in {given.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The tables of `docs/explanation/performance.md`, from the JSON files of runs.

    python -m benchmarks.page --run FILE [--passes FILE] [--building FILE]

Assumes: files that `benchmarks`, `benchmarks.passes` and `benchmarks.building` wrote.
Does: picks the figures that the page shows, each with what it was measured against.
Leaves behind: Markdown on standard output, to be put into the page by hand.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.checks import FEW

PEERS = (
    ("open_spiel inside", "OpenSpiel in C++"),
    ("open_spiel stepped", "OpenSpiel stepped"),
    ("rlc", "rlc"),
    ("pgx 8192", "pgx, batch 8192"),
)
OURS = (
    ("reference whole", "reference"),
    ("python whole", "python"),
    ("python stepped", "python stepped"),
    ("native whole", "native"),
    ("native stepped", "native stepped"),
)
RATIOS = (
    ("native whole", "open_spiel inside"),
    ("native whole", "rlc"),
    ("native whole", "pgx 8192"),
    ("native stepped", "open_spiel stepped"),
    ("python stepped", "open_spiel stepped"),
    ("native whole", "reference whole"),
    ("python whole", "reference whole"),
)


def shown(number: float) -> str:
    """A rate with three figures."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if number >= unit:
            value = number / unit
            return (
                f"{value:.2f}{name}"
                if value < 10
                else f"{value:.1f}{name}"
                if (value < 100)
                else f"{value:.0f}{name}"
            )
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def figure(number: float) -> str:
    """A ratio with three figures."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def rows_of(game: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of a game that were measured, by name."""
    return {row["name"]: row for row in game["rows"] if row["measured"]}


def rates(run: dict[str, Any]) -> Iterator[str]:
    """Playouts a second."""
    columns = (*PEERS, *OURS)
    yield "| game | " + " | ".join(title for _, title in columns) + " |"
    yield "|---|" + "--:|" * len(columns)
    for game in run["games"]:
        rows = rows_of(game)
        cells = []
        for name, _ in columns:
            row = rows.get(name)
            mark = "\\*" if row is not None and row["caveat"] else ""
            if row is None:
                cells.append("–")
            elif row["same_game"]:
                cells.append(shown(row["playouts_per_second"]["median"]) + mark)
            else:
                cells.append("†" if FEW in row["check"] else "another game")
        yield f"| {game['game']} | " + " | ".join(cells) + " |"


def ratios(run: dict[str, Any]) -> Iterator[str]:
    """Ours to theirs, the median of the rounds and their span."""
    yield "| game | " + " | ".join(f"{one} / {two}" for one, two in RATIOS) + " |"
    yield "|---|" + "--:|" * len(RATIOS)
    for game in run["games"]:
        rows = rows_of(game)
        cells = []
        for ours, theirs in RATIOS:
            one, two = rows.get(ours), rows.get(theirs)
            if one is None or two is None or not (one["same_game"] and two["same_game"]):
                cells.append("–")
                continue
            each = sorted(
                (a["playouts"] / a["cpu"]) / (b["playouts"] / b["cpu"])
                for a, b in zip(one["rounds"], two["rounds"], strict=False)
            )
            middle = each[len(each) // 2]
            cells.append(f"{figure(middle)} ({figure(each[0])}–{figure(each[-1])})")
        yield f"| {game['game']} | " + " | ".join(cells) + " |"


def passes(found: dict[str, Any]) -> Iterator[str]:
    """What each pass gains, game by game."""
    games = found["playouts_per_second"]
    names = [name for name in next(iter(games.values())) if name]
    yield "| without | " + " | ".join(name.removeprefix("classics/") for name in games) + " |"
    yield "|---|" + "--:|" * len(games)
    yield "| (playouts/s) | " + " | ".join(shown(rates_[""]) for rates_ in games.values()) + " |"
    for name in names:
        gains = (f"{rates_[''] / rates_[name]:.2f}" for rates_ in games.values())
        yield f"| {name} | " + " | ".join(gains) + " |"


def building(found: dict[str, Any]) -> Iterator[str]:
    """How long it takes to make a game ready."""
    columns = list(next(iter(found["rulesets"].values())))
    yield "| ruleset | " + " | ".join(columns) + " |"
    yield "|---|" + "--:|" * len(columns)
    for name, row in found["rulesets"].items():
        short = name.removeprefix("classics/").removesuffix(".yaml")
        yield f"| {short} | " + " | ".join(f"{row[column]:,.0f}" for column in columns) + " |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write what there is."""
    parser = ArgumentParser(description=__doc__, prog="python -m benchmarks.page")
    for name in ("run", "passes", "building"):
        parser.add_argument(f"--{name}", type=Path)
    given = parser.parse_args(arguments)
    for path, tables in (
        (given.run, (rates, ratios)),
        (given.passes, (passes,)),
        (given.building, (building,)),
    ):
        if path is None:
            continue
        found = json.loads(path.read_text(encoding="utf-8"))
        for table in tables:
            for line in table(found):
                print(line)
            print("")


if __name__ == "__main__":
    main()

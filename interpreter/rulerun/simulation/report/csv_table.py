"""A result as one table of comma-separated values, for spreadsheets.

Assumes: a result of `result.result`.
Does: writes each number as a row: what it is about, of whom, which number, and its interval.
Leaves behind: text with the columns `about, of, what, value, low, high`. A text that begins like a
formula (`=`, `+`, `-`, `@`) has an apostrophe before it, as spreadsheets want it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from rulerun.simulation.report.formats import cell

HEAD = ("about", "of", "what", "value", "low", "high")

Row = tuple[Any, ...]


def table(result: dict[str, Any]) -> str:
    """The whole table."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(HEAD)
    for row in _rows(result):
        cells = list(map(cell, row))
        writer.writerow([*cells, *[""] * (len(HEAD) - len(cells))])
    return written.getvalue()


def _rows(result: dict[str, Any]) -> Iterator[Row]:
    for key in ("played", "ended", "truncated", "failed"):
        yield "games", "", key, result["games"][key]
    for each in result["errors"]:
        yield "errors", each["code"], each["message"], each["count"]
    wins = result["wins"]
    yield "wins", "", "fair share", wins["fair"]
    for seat in wins["seats"]:
        yield "wins", seat["player"], "share", seat["share"], seat["low"], seat["high"]
        yield "wins", seat["player"], "count", seat["count"]
        for found in seat["places"]:
            what = f"place {found['place']}"
            yield "places", seat["player"], what, found["share"], found["low"], found["high"]
    for key in ("nobody", "shared"):
        found = wins[key]
        yield "wins", f"({key})", "share", found["share"], found["low"], found["high"]
    if result["scores"] is not None:
        for seat in result["scores"]["seats"]:
            yield from _spread("score", seat["player"], seat["total"])
            for line in seat["lines"]:
                about = f"score: {line['label']}"
                yield from _spread(about, seat["player"], line["value"])
    for key in ("decisions", "inputs"):
        yield from _spread("length", key, result["length"][key])
    yield "branching", "", "mean", result["branching"]["mean"]
    for each in result["actions"]["names"]:
        yield from _used("action", each["name"], each)
    for each in result["actions"]["values"]:
        yield from _used("value", f"{each['name']}: {each['value']}", each)
    coverage = result.get("coverage")
    if coverage is not None:
        for key, done in (("statements", "ran"), ("ways", "taken"), ("functions", "evaluated")):
            yield "coverage", key, "of", coverage[key]["of"]
            yield "coverage", key, done, coverage[key][done]
            for each in coverage[key]["never"]:
                what = each.get("way") or each.get("name") or each["source"]
                yield "coverage", f"{each['file']}:{each['line']}", f"never: {what}", 0


def _spread(about: str, of: str, found: dict[str, Any] | None) -> Iterator[Row]:
    for key, value in (found or {}).items():
        if key != "histogram":
            yield about, of, key, value


def _used(about: str, of: str, found: dict[str, Any]) -> Iterator[Row]:
    for key in ("offered", "taken", "share"):
        yield about, of, key, found[key]

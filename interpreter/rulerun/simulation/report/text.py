"""A result as text, for people at a terminal.

Assumes: a result of `result.result`.
Does: writes what one asks first (who wins, is it fair, how long) first, and long lists in part.
Leaves behind: lines of 80 columns, as far as the names in the game allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rulerun.simulation.report.formats import (
    binned,
    columns,
    count,
    games,
    interval,
    number,
    percent,
    plain,
)

MOST = 16
"""Rows of a long list that are written."""
BARS = "▁▂▃▄▅▆▇█"
LONGEST = 100
WIDE = 24
"""Columns of a small histogram."""

_STOPPED = {
    "interval": "every share of wins is known closely enough",
    "interrupted": "interrupted: this is what was played",
}


def text(result: dict[str, Any], replay: Callable[[str], str] = "rulerun replay {}".format) -> str:
    """The whole report. `replay`: the command that shows a record of that name."""
    parts = [
        _head(result),
        _errors(result, replay),
        _wins(result),
        _scores(result),
        _lengths(result),
        _actions(result),
        _coverage(result),
    ]
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part) + "\n"


def _head(result: dict[str, Any]) -> Iterator[str]:
    game, played = result["game"], result["games"]
    yield f"{plain(game['title'])}: {games(played['played'])}, seed {plain(result['seed'])}"
    rows = [
        ("seats", ", ".join(f"{plain(s['player'])} ({s['agent']})" for s in result["seats"])),
    ]
    if game["changed"]:
        options = game["options"]
        rows.insert(0, ("options", ", ".join(f"{n} {options[n]}" for n in game["changed"])))
    if played["stopped"] in _STOPPED:
        rows.append(("ended early", _STOPPED[played["stopped"]]))
    if played["truncated"]:
        many = f"{count(played['truncated'])} of {games(played['played'])} reached the limit of "
        rows.append(("truncated", f"{many}{count(game['decisions'])} decisions"))
    if played["failed"]:
        rows.append(("failed", f"{games(played['failed'])} stopped by a rule error"))
    yield from columns(rows, left=2)


def _errors(result: dict[str, Any], replay: Callable[[str], str]) -> Iterator[str]:
    for each in result["errors"]:
        yield f"{each['code']} in {games(each['count'])}: {plain(each['message'])}"
        yield f"  --> {plain(each['file'])}:{each['line']}:{each['column']}"
        yield f"  {plain(each['source'])}"
        yield f"  to see it: {plain(replay(each['record']))}"


def _wins(result: dict[str, Any]) -> Iterator[str]:
    wins = result["wins"]
    if not wins["of"]:
        yield "No game came to its end: there is nothing to say of wins, scores and lengths."
        return
    yield f"Wins, of {games(wins['of'])} that came to their end (a fair share is {_fair(wins)})"
    rows = [["", "won", "share", "95 % interval", ""]]
    for seat in wins["seats"]:
        word = ""
        if seat["differs"]:
            word = "more than fair" if seat["share"] > wins["fair"] else "less than fair"
        rows.append(
            [
                plain(seat["player"]),
                count(seat["count"]),
                percent(seat["share"]),
                interval(seat),
                word,
            ]
        )
    for name, key in (("several", "shared"), ("nobody", "nobody")):
        if wins[key]["count"]:
            found = wins[key]
            rows.append(
                [f"({name})", count(found["count"]), percent(found["share"]), interval(found), ""]
            )
    yield from columns(rows)
    if not any(seat["differs"] for seat in wins["seats"]):
        yield "  No seat differs from its fair share beyond its interval."
    places = sorted({found["place"] for seat in wins["seats"] for found in seat["places"]})
    if len(wins["seats"]) > 2 and places:
        yield ""
        yield "Places, of 100 games"
        heads = ["out" if place == 0 else str(place) for place in places]
        rows = [["", *heads]]
        for seat in wins["seats"]:
            shares = {found["place"]: found["share"] for found in seat["places"]}
            cells = [f"{100 * shares.get(place, 0.0):.1f}" for place in places]
            rows.append([plain(seat["player"]), *cells])
        yield from columns(rows)


def _fair(wins: dict[str, Any]) -> str:
    return percent(wins["fair"])


_DISTRIBUTION = ["mean", "deviation", "least", "1/4", "median", "3/4", "greatest", ""]


def _distributed(found: dict[str, Any], low: int, high: int, bars: bool = True) -> list[str]:
    return [
        number(found["mean"]),
        number(found["deviation"]),
        *(count(found[key]) for key in ("least", "quartile_1", "median", "quartile_3", "greatest")),
        small(found["histogram"], low, high) if bars else "",
    ]


def small(histogram: Sequence[Sequence[int]], low: int, high: int) -> str:
    """A histogram in one line.

    >>> small([[0, 1], [1, 8], [3, 4]], 0, 3)
    '▁█ ▄'
    """
    bins = binned(histogram, low, high, WIDE)
    most = max(many for _, _, many in bins)
    return "".join(
        BARS[max(0, -(-len(BARS) * many // most) - 1)] if many else " " for _, _, many in bins
    )


def _scores(result: dict[str, Any]) -> Iterator[str]:
    scores = result["scores"]
    if scores is None or not result["wins"]["of"]:
        return
    totals = [seat["total"] for seat in scores["seats"]]
    low = min(found["least"] for found in totals)
    high = max(found["greatest"] for found in totals)
    yield f"Scores ({count(low)} to {count(high)} from left to right)"
    rows = [["", *_DISTRIBUTION]]
    for seat in scores["seats"]:
        rows.append([plain(seat["player"]), *_distributed(seat["total"], low, high)])
    yield from columns(rows)
    if len(scores["lines"]) > 1:
        yield ""
        yield "Mean of each line of the scoring (and its deviation)"
        rows = [["", *(plain(seat["player"]) for seat in scores["seats"])]]
        for at, label in enumerate(scores["lines"]):
            cells = [seat["lines"][at]["value"] for seat in scores["seats"]]
            rows.append(
                [
                    plain(label),
                    *(f"{number(one['mean'])} ({number(one['deviation'])})" for one in cells),
                ]
            )
        yield from columns(rows)


def _lengths(result: dict[str, Any]) -> Iterator[str]:
    found = result["length"]["decisions"]
    if found is None:
        return
    yield "Length of a game, in decisions"
    rows = [["", *_DISTRIBUTION]]
    with_luck = [("with luck", "inputs")] if result["length"]["inputs"] != found else []
    for name, key in (("decisions", "decisions"), *with_luck):
        each = result["length"][key]
        rows.append([name, *_distributed(each, each["least"], each["greatest"])])
    yield from columns(rows)
    mean = result["branching"]["mean"]
    if mean is not None:
        yield f"  {number(mean)} legal actions on the average at a decision"


def _actions(result: dict[str, Any]) -> Iterator[str]:
    found = result["actions"]
    if not found["names"]:
        return
    yield "Actions: how often taken, of the times they were legal"
    rows = [["", "legal", "taken", "share"]]
    rows += [_used(plain(each["name"]), each) for each in found["names"]]
    yield from columns(rows)
    never = [each["name"] for each in found["names"] if not each["met"]]
    if never:
        yield f"  Never legal: {', '.join(map(plain, never))}"
    values = sorted(found["values"], key=lambda each: (-each["taken"], each["name"]))
    if len(values) > 1:
        yield ""
        yield "The values most often chosen"
        rows = [["", "legal", "taken", "share"]]
        rows += [_used(f"{plain(e['name'])}: {plain(e['value'])}", e) for e in values[:MOST]]
        yield from columns(rows)
        yield from _more(len(values) - MOST)


def _used(name: str, found: dict[str, Any]) -> list[str]:
    return [name, count(found["offered"]), count(found["taken"]), percent(found["share"])]


def _more(many: int) -> Iterator[str]:
    if many > 0:
        yield f"  … and {count(many)} more (all with --format json or --html)"


def _coverage(result: dict[str, Any]) -> Iterator[str]:
    found = result.get("coverage")
    if found is None:
        return
    statements, ways, functions = found["statements"], found["ways"], found["functions"]
    yield f"Rules that ran, in {games(found['games'])}"
    rows = [
        ["statements", _part(statements["ran"], statements["of"])],
        ["ways at forks", _part(ways["taken"], ways["of"])],
        ["functions", _part(functions["evaluated"], functions["of"])],
    ]
    yield from columns(rows, left=2)
    lists: tuple[tuple[str, list[dict[str, Any]], str], ...] = (
        ("Never ran", statements["never"], "source"),
        ("Never happened", ways["never"], "way"),
        ("Never evaluated", functions["never"], "name"),
    )
    idle = {each["file"]: each["of"] for each in statements["files"] if not each["ran"]}
    for title, never, key in lists:
        if never:
            yield f"  {title}:"
            if key == "source":
                for name, of in idle.items():
                    yield f"    {plain(name)}: none of its {count(of)} statements"
                never = [each for each in never if each["file"] not in idle]
            # Of several statements on one line, one is enough to find it.
            lines = [
                f"    {plain(each['file'])}:{each['line']}: {shortened(plain(each[key]))}"
                for each in never
            ]
            lines = list(dict.fromkeys(lines))
            yield from lines[:MOST]
            yield from (f"  {line}" for line in _more(len(lines) - MOST))


def shortened(line: str) -> str:
    """A line of a rules file, as much of it as fits."""
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _part(some: int, of: int) -> str:
    return f"{count(some)} of {count(of)}" + (f" ({percent(some / of)})" if of else "")

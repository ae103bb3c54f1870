"""A comparison as one page for a browser, like `page`.

Assumes: a result of `comparing.comparison`.
Does: draws the differences of shares beside nothing, sets all numbers in tables, and says in
sentences what is different and what cannot be told.
Leaves behind: HTML. Every text of the rules is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulerun.simulation.compare.text import TITLES, sentence, signed, told_actions, value
from rulerun.simulation.report.charts import Bar, intervals
from rulerun.simulation.report.formats import count, escape, games
from rulerun.simulation.report.html import facts, figure, folded, table, whole

HEADS = ["", "A", "B", "B - A", "95 % interval", ""]


def facing(result: dict[str, Any]) -> str:
    """The whole page."""
    names = [side["title"] for side in result["sides"]]
    title = names[0] if names[0] == names[1] else " and ".join(names)
    parts = (_head, _sentences, _differences, _actions)
    body = f"<h1>{escape(title)}, compared</h1>\n"
    body += "".join("".join(part(result)) for part in parts)
    return whole(f"{title}: comparison", body)


def _head(result: dict[str, Any]) -> Iterator[str]:
    pairs = result["pairs"]
    yield f'<p class="faint">{count(pairs["played"])} pairs of games with the same luck</p>\n'
    agents = ", ".join(f"{each['seat']} ({each['agent']})" for each in result["seats"])
    yield facts(
        [
            *((side["side"], side["label"]) for side in result["sides"]),
            ("seats", agents + (", changing seats" if result["swapped"] else "")),
            ("seed", f"{result['seed']} ({result['scheme']})"),
        ]
    )
    if pairs["stopped"] == "interrupted":
        yield '<p class="warn">Interrupted: this is what was played.</p>\n'
    for side in result["sides"]:
        missing = side["truncated"] + side["failed"]
        if missing:
            yield (
                f'<p class="warn">{side["side"]}: {games(missing)} did not come to the end '
                f"({count(side['failed'])} by a rule error); such pairs are not measured.</p>\n"
            )


def _sentences(result: dict[str, Any]) -> Iterator[str]:
    yield "<h2>What can be told</h2>\n<ul>\n"
    for each in result["differences"]:
        yield f"<li>{escape(sentence(each, result['pairs']['both_ended']))}</li>\n"
    if not result["differences"]:
        yield "<li>Nothing: no game came to its end on both sides.</li>\n"
    yield "</ul>\n"


def _differences(result: dict[str, Any]) -> Iterator[str]:
    found = result["differences"]
    if not found:
        return
    yield "<h2>Differences</h2>\n"
    bars = [
        Bar(
            each["of"],
            100 * each["difference"],
            100 * each["low"],
            100 * each["high"],
            signed(each, each["difference"]),
            each["told"],
        )
        for each in found
        if each["unit"] == "share" and each["low"] is not None
    ]
    if bars:
        title = "Share of wins, B less A, with 95 % intervals: "
        title += ", ".join(f"{bar.name} {bar.text}" for bar in bars)
        chart = intervals(title, bars, 0.0, "no difference", "")
        yield figure("Share of wins, B less A, in percentage points", chart)
    rows = []
    for each in found:
        title = TITLES[each["about"]]
        rows.append(_row(f"{title}: {each['of']}" if each["of"] else title, each))
    yield table("All that was measured, with 95 % intervals", HEADS, rows)


def _row(name: str, each: dict[str, Any]) -> list[str]:
    low, high = each["low"], each["high"]
    between = "-" if low is None else f"{signed(each, low)} to {signed(each, high)}"
    word = "the same in every pair" if each["same"] else ""
    if each["told"]:
        word = '<span class="marked">different</span>'
    values = [value(each, each["a"]), value(each, each["b"])]
    return [escape(name), *values, signed(each, each["difference"]), between, word]


def _actions(result: dict[str, Any]) -> Iterator[str]:
    if not result["actions"]:
        return
    told = told_actions(result)
    yield "<h2>Actions</h2>\n"
    compared = sum(not each["same"] for each in result["actions"])
    by_luck = f" By luck alone some {round(compared / 20)} would look so." if compared > 20 else ""
    yield (
        f"<p>{count(compared)} kinds of actions and of values that are chosen were compared; "
        f"{count(len(told))} are used differently.{by_luck}</p>\n"
    )
    for side, names in zip("AB", result["only"], strict=True):
        if names:
            yield f"<p>Only {side} knows: {escape(', '.join(names))}.</p>\n"
    if told:
        rows = [_row(each["of"], each) for each in told]
        yield table("Taken in a game, the surest differences first", HEADS, rows)
    rows = [_row(each["of"], each) for each in result["actions"]]
    yield folded(
        f"All that was compared ({count(len(rows))})", table("Taken in a game", HEADS, rows)
    )

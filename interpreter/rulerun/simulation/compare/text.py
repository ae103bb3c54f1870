"""A comparison as text, for people at a terminal.

Assumes: a result of `comparing.comparison`.
Does: writes the numbers side by side, then says in sentences what is different and what cannot be
told.
Leaves behind: lines of 80 columns, as far as the names in the game allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulerun.simulation.compare.differences import FEW
from rulerun.simulation.report.formats import columns, count, games, plain

MOST = 12
"""Rows of actions that are written."""

TITLES = {
    "wins": "Share of wins",
    "agent": "Share of wins by agent, wherever it sits",
    "score": "Score",
    "length": "Length, in decisions",
    "branching": "Legal actions at a decision",
    "action": "Actions taken in a game",
}


def contrast(result: dict[str, Any]) -> str:
    """The whole report."""
    parts = [_head(result), _numbers(result), _actions(result), _sentences(result)]
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part) + "\n"


def _head(result: dict[str, Any]) -> Iterator[str]:
    pairs = result["pairs"]
    yield f"A and B, {count(pairs['played'])} pairs of games, seed {plain(result['seed'])}"
    rows = [[side["side"], plain(side["label"])] for side in result["sides"]]
    agents = ", ".join(f"{plain(each['seat'])} ({each['agent']})" for each in result["seats"])
    rows.append(["seats", agents + (", changing seats" if result["swapped"] else "")])
    if pairs["stopped"] == "interrupted":
        rows.append(["ended early", "interrupted: this is what was played"])
    yield from columns(rows, left=2)
    for side in result["sides"]:
        for key, why in (
            ("truncated", "truncated"),
            ("failed", "stopped by a rule error, which `rulerun simulate` shows"),
        ):
            if side[key]:
                yield f"  {side['side']}: {games(side[key])} {why}; such pairs are not measured"


def _numbers(result: dict[str, Any]) -> Iterator[str]:
    rows = [["", "A", "B", "B - A", "95 % interval", ""]]
    last = ""
    for each in result["differences"]:
        title = TITLES[each["about"]]
        if each["of"] and title != last:
            rows.append([title, *[""] * 5])
        last = title
        rows.append(_row(f"  {plain(each['of'])}" if each["of"] else title, each))
    if len(rows) > 1:
        yield from columns(rows, indent="")


def _row(name: str, each: dict[str, Any]) -> list[str]:
    low, high = each["low"], each["high"]
    between = "-" if low is None else f"{signed(each, low)} to {signed(each, high)}"
    word = "different" if each["told"] else "the same in every pair" if each["same"] else ""
    values = [value(each, each["a"]), value(each, each["b"])]
    return [name, *values, signed(each, each["difference"]), between, word]


def value(each: dict[str, Any], number: float) -> str:
    """A number in its unit."""
    return f"{100 * number:.1f} %" if each["unit"] == "share" else f"{number:,.2f}"


def signed(each: dict[str, Any], number: float) -> str:
    """A difference in its unit."""
    return f"{100 * number:+.1f}" if each["unit"] == "share" else f"{number:+,.2f}"


def told_actions(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The actions of whose use a difference is told, the largest first."""
    told = [each for each in result["actions"] if each["told"]]

    def surely(each: dict[str, Any]) -> tuple[float, str]:
        reach = (each["high"] - each["low"]) / 2
        return -abs(each["difference"]) / (reach or 1e-9), each["of"]

    return sorted(told, key=surely)


def _actions(result: dict[str, Any]) -> Iterator[str]:
    if not result["actions"]:
        return
    told = told_actions(result)
    compared = sum(not each["same"] for each in result["actions"])
    if told:
        yield "Actions taken in a game, the surest differences first"
        rows = [["", "A", "B", "B - A", "95 % interval"]]
        rows += [_row(plain(each["of"]), each)[:-1] for each in told[:MOST]]
        yield from columns(rows)
        if len(told) > MOST:
            yield f"  … and {len(told) - MOST} more (all with --format json or --html)"
    else:
        yield f"Of {count(compared)} kinds of actions and values none is used differently."
    if compared > 20:
        yield (
            f"  Of {count(compared)} compared, some {round(compared / 20)} look different by luck "
            "alone."
        )
    for side, names in zip("AB", result["only"], strict=True):
        if names:
            yield f"  Only {side} knows: {', '.join(map(plain, names))}"


def _sentences(result: dict[str, Any]) -> Iterator[str]:
    pairs = result["pairs"]
    yield "What can be told"
    if not result["differences"]:
        yield "  Nothing: no game came to its end on both sides."
        return
    if pairs["both_ended"] < FEW:
        yield f"  With {count(pairs['both_ended'])} pairs all intervals are rough."
    for each in result["differences"]:
        yield f"  {sentence(each, pairs['both_ended'])}"


_WORDS = {
    "wins": ("{of} wins more often in B", "{of} wins less often in B", "how often {of} wins"),
    "agent": ("{of} wins more often in B", "{of} wins less often in B", "how often {of} wins"),
    "score": ("{of} scores more in B", "{of} scores less in B", "the score of {of}"),
    "length": ("Games are longer in B", "Games are shorter in B", "the length"),
    "branching": ("There is more choice in B", "There is less choice in B", "how much choice"),
}


def sentence(each: dict[str, Any], many: int) -> str:
    """What can be told of one difference."""
    more, less, what = (word.format(of=plain(each["of"])) for word in _WORDS[each["about"]])
    if each["same"]:
        return f"Of {what}: it is the same in every pair."
    if each["told"]:
        size, low, high = each["difference"], each["low"], each["high"]
        said = more if size > 0 else less
        low, high = sorted((abs(low), abs(high)))
        return (
            f"{said}, by {sized(each, abs(size))} ({plainly(each, low)} to {plainly(each, high)})."
        )
    if each["smaller"] is None:
        return f"Of {what}: nothing can be told from one pair."
    smaller = each["smaller"]
    return (
        f"Of {what}: no difference can be told with {games(many)}; {games(smaller['games'])} would "
        f"show one of {sized(each, smaller['size'])}."
    )


def plainly(each: dict[str, Any], size: float) -> str:
    """A size without its unit."""
    number = 100 * size if each["unit"] == "share" else size
    return f"{number:.2f}" if number < 1 else f"{number:,.1f}"


def sized(each: dict[str, Any], size: float) -> str:
    """A size in its unit."""
    unit = "percentage points" if each["unit"] == "share" else each["unit"]
    return f"{plainly(each, size)} {unit}"

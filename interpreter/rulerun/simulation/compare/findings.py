"""The report of a comparison, from its result.

Assumes: a result of `differences.comparison`.
Does: sets the numbers side by side, and says in sentences what is different and what cannot be
told.
Leaves behind: a `Report` for `report.text` and `report.html` to write.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulerun.simulation.compare.differences import FEW
from rulerun.simulation.report.elements import (
    PAGE,
    Bar,
    Block,
    Cell,
    Column,
    Fact,
    Intervals,
    Remarks,
    Report,
    Row,
    Section,
    Table,
)
from rulerun.simulation.report.formats import NONE, count, games
from rulerun_dsl.source.safe_text import clean

MOST = 12
"""Rows of actions that a text writes."""

TITLES = {
    "wins": "Share of wins",
    "agent": "Share of wins by agent, wherever it sits",
    "score": "Score",
    "length": "Length, in decisions",
    "branching": "Legal actions at a decision",
    "action": "Actions taken in a game",
}

_COLUMNS = (
    Column("", words=True),
    Column("A"),
    Column("B"),
    Column("B - A"),
    Column("95 % interval"),
)
_WORD = Column("", words=True)


def comparison_report(result: dict[str, Any]) -> Report:
    """The whole report."""
    names = [clean(side["title"]) for side in result["sides"]]
    name = names[0] if names[0] == names[1] else " and ".join(names)
    pairs = f"{count(result['pairs']['played'])} pairs of games"
    return Report(
        title=f"{name}: comparison",
        name=f"{name}, compared",
        heading=f"A and B, {pairs}, seed {clean(result['seed'])}",
        subtitle=f"{pairs} with the same luck",
        facts=tuple(_facts(result)),
        warnings=tuple(_warnings(result)),
        sections=(_numbers(result), _actions(result), _told(result)),
    )


def _facts(result: dict[str, Any]) -> Iterator[Fact]:
    for side in result["sides"]:
        yield Fact(side["side"], clean(side["label"]))
    agents = ", ".join(f"{clean(each['seat'])} ({each['agent']})" for each in result["seats"])
    yield Fact("seats", agents + (", changing seats" if result["swapped"] else ""))
    yield Fact("seed", clean(f"{result['seed']} ({result['scheme']})"), PAGE)
    if result["pairs"]["stopped"] == "interval":
        yield Fact("ended early", "every share of wins is known closely enough")
    if result["pairs"]["stopped"] == "interrupted":
        yield Fact("ended early", "interrupted: this is what was played", marked=True)


def _warnings(result: dict[str, Any]) -> Iterator[str]:
    for side in result["sides"]:
        for key, why in (
            ("truncated", "truncated"),
            ("failed", "stopped by a rule error, which `rulerun simulate` shows"),
        ):
            if side[key]:
                many = games(side[key])
                yield f"{side['side']}: {many} {why}; such pairs are not measured"


# ---------------------------------------------------------------------------------- side by side


def _numbers(result: dict[str, Any]) -> Section:
    differences = result["differences"]
    if not differences:
        return Section()
    bars = tuple(
        Bar(
            clean(each["of"]),
            100 * each["difference"],
            100 * each["low"],
            100 * each["high"],
            signed(each, each["difference"]),
            each["told"],
        )
        for each in differences
        if each["unit"] == "share" and each["low"] is not None
    )
    blocks: list[Block] = []
    if bars:
        told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
        title = f"Share of wins, B less A, with 95 % intervals: {told}"
        caption = "Share of wins, B less A, in percentage points"
        blocks.append(Intervals(caption, title, bars, 0.0, "no difference", ""))
    rows = []
    for each in differences:
        title = TITLES[each["about"]]
        rows.append(_row(each, each["of"], title) if each["of"] else _row(each, title))
    caption = "All that was measured, with 95 % intervals"
    blocks.append(Table(caption, (*_COLUMNS, _WORD), tuple(rows)))
    return Section("Differences", blocks=tuple(blocks))


def _row(each: dict[str, Any], name: str, group: str = "") -> Row:
    low, high = each["low"], each["high"]
    between = NONE if low is None else f"{signed(each, low)} to {signed(each, high)}"
    values = (value(each, each["a"]), value(each, each["b"]), signed(each, each["difference"]))
    word = "different" if each["told"] else "the same in every pair" if each["same"] else ""
    cells = map(Cell, (clean(name), *values, between))
    return Row((*cells, Cell(word, marked=each["told"])), group)


def value(each: dict[str, Any], number: float) -> str:
    """A number in its unit."""
    return f"{100 * number:.1f} %" if each["unit"] == "share" else f"{number:,.2f}"


def signed(each: dict[str, Any], number: float) -> str:
    """A difference in its unit."""
    return f"{100 * number:+.1f}" if each["unit"] == "share" else f"{number:+,.2f}"


def _actions(result: dict[str, Any]) -> Section:
    actions = result["actions"]
    if not actions:
        return Section()
    told = sorted((each for each in actions if each["told"]), key=_surely)
    compared = sum(not each["same"] for each in actions)
    blocks: list[Block] = []
    heading = (
        f"Of {count(compared)} kinds of actions and values none is used differently."
        if compared
        else "Every kind of action and value is used as often in both games of every pair."
    )
    if told:
        heading = "Actions taken in a game, the surest differences first"
        rows = tuple(_row(each, each["of"]) for each in told)
        blocks.append(Table("The surest differences first", _COLUMNS, rows, most=MOST))
    if compared > 20:
        by_luck = f"some {round(compared / 20)} look different by luck alone."
        blocks.append(Remarks((f"Of {count(compared)} compared, {by_luck}",)))
    for side, names in zip("AB", result["only"], strict=True):
        if names:
            blocks.append(Remarks((f"Only {side} knows: {', '.join(map(clean, names))}",)))
    rows = tuple(_row(each, each["of"]) for each in actions)
    caption = "All that was compared"
    blocks.append(Table(caption, (*_COLUMNS, _WORD), rows, folded=True, only=PAGE))
    intro = (
        f"{count(compared)} kinds of actions and of values that are chosen were compared by how "
        f"often they are taken in a game; {count(len(told))} are used differently."
    )
    return Section("Actions", heading, intro, tuple(blocks))


def _surely(each: dict[str, Any]) -> tuple[float, str]:
    reach = (each["high"] - each["low"]) / 2
    return -abs(each["difference"]) / (reach or 1e-9), each["of"]


# ----------------------------------------------------------------------------------- in sentences


def _told(result: dict[str, Any]) -> Section:
    title = "What can be told"
    both = result["pairs"]["both_ended"]
    sentences = [sentence(each, both) for each in result["differences"]]
    if not sentences:
        sentences = ["Nothing: no game came to its end on both sides."]
    elif both < FEW:
        sentences.insert(0, f"With {count(both)} pairs all intervals are rough.")
    return Section(title, title, blocks=(Remarks(tuple(sentences)),), conclusion=True)


_WORDS = {
    "wins": ("{of} wins more often in B", "{of} wins less often in B", "how often {of} wins"),
    "agent": ("{of} wins more often in B", "{of} wins less often in B", "how often {of} wins"),
    "score": ("{of} scores more in B", "{of} scores less in B", "the score of {of}"),
    "length": ("Games are longer in B", "Games are shorter in B", "the length"),
    "branching": ("There is more choice in B", "There is less choice in B", "how much choice"),
}


def sentence(each: dict[str, Any], many: int) -> str:
    """What can be told of one difference."""
    more, less, what = (word.format(of=clean(each["of"])) for word in _WORDS[each["about"]])
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
    seen = ""
    if each["needed"] is not None:
        size = sized(each, abs(each["difference"]))
        seen = f" The {size} seen here may be luck; {games(each['needed'])} would tell."
    return (
        f"Of {what}: no difference can be told with {games(many)}; {games(smaller['games'])} would "
        f"show one of {sized(each, smaller['size'])}.{seen}"
    )


def plainly(each: dict[str, Any], size: float) -> str:
    """A size without its unit."""
    number = 100 * size if each["unit"] == "share" else size
    return f"{number:.2f}" if number < 1 else f"{number:,.1f}"


def sized(each: dict[str, Any], size: float) -> str:
    """A size in its unit."""
    unit = "percentage points" if each["unit"] == "share" else each["unit"]
    return f"{plainly(each, size)} {unit}"

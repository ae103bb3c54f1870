"""What was chosen where there was a choice, and who led: two sections of the report of a run.

Assumes: the parts `choices` and `leads` of a result.
Does: the most telling choices first: those of which something is marked, then those that stand out
most against their intervals; says what is a share of what, and what it is no proof of.
Leaves behind: sections, empty where the result has no such part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulerun.simulation.report.elements import (
    Bar,
    Block,
    Cell,
    Column,
    Figure,
    Intervals,
    Remarks,
    Row,
    Section,
    Table,
)
from rulerun.simulation.report.formats import NONE, count, games, interval, number, percent
from rulerun_dsl.source.safe_text import clean

MOST = 16
"""Rows of a table that a text writes."""
DRAWN = 24
"""Choices in a chart."""

_TAKEN = (
    Column("choice", words=True),
    Column("might"),
    Column("did"),
    Column("share"),
    Column("95 % interval"),
    Column("by chance"),
    Column("", words=True),
)
_WON = (
    Column("choice", words=True),
    Column("who took it won"),
    Column("who never did"),
    Column("more"),
    Column("95 % interval"),
    Column("", words=True),
)


def choice_section(result: dict[str, Any]) -> Section:
    """How often each choice was made of the times it might have been, and what was won with it."""
    found = result.get("choices")
    if found is None:
        return Section()
    who = "everybody" if len(found["players"]) == len(result["seats"]) else _names(found)
    heading = f"Choices of {who}, where something else might have been chosen"
    intro = (
        f"Of {games(found['games'])}, the choices of {who}: each decision in which it was legal "
        "and something else was, too. By chance: as often as it would be taken, were all legal "
        "actions alike. Who took it won: the share of the win of those who took it at least once "
        "in their game, beside those who might have and never did. It went together with winning; "
        "that it is the reason is not said."
    )
    blocks = tuple(_choice_blocks(found))
    return Section("Choices", heading, intro, blocks, tuple(_figures(found)))


def _names(found: dict[str, Any]) -> str:
    return ", ".join(map(clean, found["players"]))


def _called(use: dict[str, Any]) -> str:
    name = clean(use["name"])
    return name if use["value"] is None else f"{name}: {clean(use['value'])}"


def _choice_blocks(found: dict[str, Any]) -> Iterator[Block]:
    uses = found["uses"]
    if uses:
        yield Table(
            "How often it was taken when it might have been",
            _TAKEN,
            tuple(map(_taken, sorted(uses, key=_by_taken))),
            most=MOST,
        )
    common = found["games"] / 2
    all_took = [
        _called(use) for use in uses if use["more"] is None and use["took"]["players"] >= common
    ]
    if all_took:
        least = "Taken by all who might, at least once in their game: "
        shown = ", ".join(all_took[:MOST]) + (" …" if len(all_took) > MOST else "")
        yield Remarks((f"{least}{shown}",))
    won = sorted((use for use in uses if use["more"] is not None), key=_by_won)
    if won:
        drawn = won[:DRAWN]
        bars = tuple(map(_bar, drawn))
        told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
        yield Intervals(
            "What is won with it, in percentage points more than by those who never took it",
            f"Share of the win, with 95 % intervals: {told}",
            bars,
            0.0,
            "no difference",
            "",
        )
        yield Table(
            "Share of the win of those who took it in a game, and of those who might have and "
            "never did",
            _WON,
            tuple(map(_won, won)),
            most=MOST,
        )
        yield Remarks(tuple(_cautions(won)))
    yield Remarks(tuple(_forced(found)))
    columns = ("seat", "decisions in a game", "forced", "legal actions")
    rows = [
        Row(
            tuple(
                map(
                    Cell,
                    (
                        clean(seat["player"]),
                        number(seat["decisions"]),
                        percent(seat["forced"]["share"]),
                        number(seat["options"]),
                    ),
                )
            )
        )
        for seat in found["seats"]
    ]
    heads = (Column(columns[0], words=True), *map(Column, columns[1:]))
    yield Table("Decisions by seat", heads, tuple(rows))


def _by_taken(use: dict[str, Any]) -> tuple[bool, float, int, str]:
    """What is marked first, then what its interval keeps farthest from chance."""
    marked = any("taken" in mark for mark in use["marks"])
    return not marked, -_apart(use["low"], use["high"], use["alike"]), -use["offered"], _called(use)


def _by_won(use: dict[str, Any]) -> tuple[float, int, str]:
    more = use["more"]
    known = min(use["took"]["players"], use["never"]["players"])
    return -_apart(more["low"], more["high"], 0.0), -known, _called(use)


def _apart(low: float, high: float, value: float) -> float:
    """How far an interval is from a value outside of it, by its width; 0 around it."""
    return max(low - value, value - high, 0.0) / (high - low or 1e-9)


def _taken(use: dict[str, Any]) -> Row:
    mark = next((mark for mark in use["marks"] if "taken" in mark), "")
    cells = (
        _called(use),
        count(use["offered"]),
        count(use["taken"]),
        percent(use["share"]),
        interval(use),
        percent(use["alike"]),
    )
    return Row((*map(Cell, cells), Cell(mark, marked=bool(mark))))


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _won(use: dict[str, Any]) -> Row:
    mark = next((mark for mark in use["marks"] if "wins" in mark), "")
    more = use["more"]
    cells = [
        Cell(_called(use)),
        *(
            Cell(f"{percent(side['won'])} of {count(side['players'])}", interval(side))
            for side in (use["took"], use["never"])
        ),
        Cell(_points(more["won"])),
        Cell(f"{_points(more['low'])} to {_points(more['high'])}"),
        Cell(mark, marked=bool(mark)),
    ]
    return Row(tuple(cells))


def _bar(use: dict[str, Any]) -> Bar:
    more = use["more"]
    value, low, high = (100 * more[key] for key in ("won", "low", "high"))
    told = any("wins" in mark for mark in use["marks"])
    return Bar(_called(use), value, low, high, _points(more["won"]), told)


def _cautions(won: list[dict[str, Any]]) -> Iterator[str]:
    told = sum(any("wins" in mark for mark in use["marks"]) for use in won)
    if not told:
        yield "Of none of these can it be told that one wins more with it, or less."
    if len(won) >= 20:
        yield f"Of {count(len(won))} compared, some {round(len(won) / 20)} look different by luck."


def _forced(found: dict[str, Any]) -> Iterator[str]:
    forced = found["forced"]
    if forced["share"] is None:
        return
    yield f"Forced, with one legal action: {percent(forced['share'])} of {count(forced['of'])}"
    table = found["table"]
    if table is not None:
        yield (
            f"A table waits for {number(table['waits'])} decisions: at {table['seconds']} seconds "
            f"each (an assumption) a game takes {number(table['minutes'])} minutes"
        )


def _figures(found: dict[str, Any]) -> Iterator[Figure]:
    for use in found["uses"]:
        of = _called(use) if use["parameter"] is None else f"{_called(use)} ({use['parameter']})"
        yield Figure("choice", of, "offered", use["offered"])
        yield Figure("choice", of, "taken", use["share"], use["low"], use["high"])
        yield Figure("choice", of, "alike", use["alike"])
        for key in ("took", "never"):
            side = use[key]
            yield Figure("choice", of, f"{key}: players", side["players"])
            yield Figure("choice", of, f"{key}: won", side["won"], side["low"], side["high"])
        if use["more"] is not None:
            more = use["more"]
            yield Figure("choice", of, "more", more["won"], more["low"], more["high"])
    yield Figure("choice", "", "forced", found["forced"]["share"])
    for seat in found["seats"]:
        yield Figure("choice", seat["player"], "decisions", seat["decisions"])
        yield Figure("choice", seat["player"], "forced", seat["forced"]["share"])
        yield Figure("choice", seat["player"], "options", seat["options"])


# --------------------------------------------------------------------------------------- who leads


def lead_section(result: dict[str, Any]) -> Section:
    """Whether who leads wins, how often the lead changes, and how early the winner is known."""
    found = result.get("leads")
    if found is None:
        return Section()
    rows = []
    for each in found["moments"]:
        won = each["won"]
        lost = None if won["share"] is None else 1 - won["share"]
        shown = interval(won) if each["led"] else NONE
        after = f"after {each['percent']} % of the decisions"
        cells = (after, count(each["led"]), percent(won["share"]), shown, percent(lost))
        rows.append(Row(tuple(map(Cell, cells))))
    columns = (
        Column("", words=True),
        Column("games with a leader"),
        Column("who wins"),
        Column("95 % interval"),
        Column("come-backs"),
    )
    blocks = (Table("Who leads, and wins", columns, tuple(rows)), Remarks(tuple(_known(found))))
    heading = "Who leads: who would win alone, were the game over there"
    intro = f"Of {games(found['games'])}, before each decision: who would win alone, were it over."
    return Section("Who leads", heading, intro, blocks, tuple(_lead_figures(found)))


def _known(found: dict[str, Any]) -> Iterator[str]:
    changes, known = found["changes"], found["known"]
    if changes is not None:
        mean, most = number(changes["mean"]), count(changes["most"])
        yield f"The lead changes hands {mean} times in a game, {most} times at most"
    if known is not None:
        low, middle, high = known["quartile_1"], known["median"], known["quartile_3"]
        yield (
            f"Who wins alone leads for good after {middle} % of the decisions (median; half of the "
            f"games from {low} to {high} %)"
        )


def _lead_figures(found: dict[str, Any]) -> Iterator[Figure]:
    for each in found["moments"]:
        won, of = each["won"], f"{each['percent']} %"
        yield Figure("leads", of, "games", each["led"])
        yield Figure("leads", of, "wins", won["share"], won["low"], won["high"])
    for key, part in (("changes", found["changes"]), ("known", found["known"])):
        for what, value in (part or {}).items():
            yield Figure("leads", key, what, value)

"""The report of a run, from its result.

Assumes: a result of `stats.result`.
Does: says what one asks first (who wins, is it fair, how long) first; each section reads its part
of the result, and hands over its figures, tables and charts.
Leaves behind: a `Report` for `text`, `html` and `csv_table` to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rulerun.simulation.report.choosing import choice_section, lead_section
from rulerun.simulation.report.elements import (
    PAGE,
    Block,
    Cell,
    Column,
    Fact,
    Figure,
    Listing,
    Remarks,
    Report,
    Row,
    Section,
    Table,
    Trouble,
)
from rulerun.simulation.report.formats import count, games, percent
from rulerun.simulation.report.winning import lengths_section, scores_section, wins_section
from rulerun_dsl.source.safe_text import clean

MOST = 16
"""Rows of a long list that a text writes."""

_STOPPED = {
    "interval": "every share of wins is known closely enough",
    "interrupted": "interrupted: this is what was played",
}

Again = Callable[[Mapping[str, Any]], str]


def simulation_report(
    result: dict[str, Any], replay: Again = "rulerun replay {[record]}".format
) -> Report:
    """The whole report. `replay`: the command that shows the first game that an error stopped."""
    game, played = result["game"], result["games"]
    title, many = clean(game["title"]), games(played["played"])
    return Report(
        title=f"{title}: simulation",
        name=title,
        heading=f"{title}: {many}, seed {clean(result['seed'])}",
        subtitle=f"{many}, counted by rulerun simulate",
        facts=tuple(_facts(result)),
        warnings=(),
        sections=(
            _games(result),
            _errors(result, replay),
            wins_section(result),
            scores_section(result),
            lengths_section(result),
            lead_section(result),
            choice_section(result),
            _actions(result),
            _coverage(result),
        ),
    )


def what_is_odd(result: dict[str, Any], replay: Again) -> Report:
    """Of a report, what one would want to mend: games that broke off, rules that never ran."""
    facts = tuple(_broken_off(result))
    heading = f"Of {games(result['games']['played'])}" if facts else ""
    coverage = result.get("coverage")
    never = () if coverage is None else tuple(_never(coverage))
    title = f"Rules that did not run, in {games(coverage['games'])}" if coverage and never else ""
    sections = (_errors(result, replay), Section(heading=title, blocks=never))
    return Report("", "", heading, "", facts, (), sections)


# ----------------------------------------------------------------------------------- the whole run


def _facts(result: dict[str, Any]) -> Iterator[Fact]:
    game, played = result["game"], result["games"]
    if game["changed"]:
        changed = (f"{name} {game['options'][name]}" for name in game["changed"])
        yield Fact("options", clean(", ".join(changed)))
    seats = ", ".join(f"{clean(seat['player'])} ({seat['agent']})" for seat in result["seats"])
    yield Fact("seats", seats)
    yield Fact("seed", clean(f"{result['seed']} ({result['scheme']})"), PAGE)
    if played["stopped"] in _STOPPED:
        interrupted = played["stopped"] == "interrupted"
        yield Fact("ended early", _STOPPED[played["stopped"]], marked=interrupted)
    yield from _broken_off(result)
    yield Fact("fingerprint", game["fingerprint"], PAGE)


def _broken_off(result: dict[str, Any]) -> Iterator[Fact]:
    game, played = result["game"], result["games"]
    if played["truncated"]:
        some = f"{count(played['truncated'])} of {games(played['played'])}"
        limit = f"reached the limit of {count(game['decisions'])} decisions"
        yield Fact("truncated", f"{some} {limit}", marked=True)
    if played["failed"]:
        yield Fact("failed", f"{games(played['failed'])} stopped by a rule error", marked=True)


def _games(result: dict[str, Any]) -> Section:
    keys = ("played", "ended", "truncated", "failed")
    figures = tuple(Figure("games", "", key, result["games"][key]) for key in keys)
    options = result["game"]["options"]
    if not options:
        return Section(figures=figures)
    rows = tuple(Row((Cell(clean(name)), Cell(clean(value)))) for name, value in options.items())
    columns = (Column("option", words=True), Column("value", words=True))
    return Section(
        blocks=(Table("All options", columns, rows, folded=True, only=PAGE),), figures=figures
    )


def _errors(result: dict[str, Any], replay: Again) -> Section:
    errors = result["errors"]
    return Section(
        blocks=tuple(
            Trouble(
                code=error["code"],
                games=games(error["count"]),
                message=clean(error["message"]),
                where=clean(f"{error['file']}:{error['line']}:{error['column']}"),
                source=clean(error["source"]),
                first=error["numbers"][0],
                record=clean(error["record"]),
                command=clean(replay(error)),
            )
            for error in errors
        ),
        figures=tuple(
            Figure("errors", error["code"], error["message"], error["count"]) for error in errors
        ),
    )


# ------------------------------------------------------------------------------------------ actions


_USED = (
    Column("action", words=True),
    Column("legal"),
    Column("taken"),
    Column("share"),
    Column("", only=PAGE, bar=True),
)


def _used(name: str, use: dict[str, Any]) -> Row:
    share = percent(use["share"])
    cells = (clean(name), count(use["offered"]), count(use["taken"]), share, share)
    return Row(tuple(map(Cell, cells)))


def _use_figures(about: str, of: str, use: dict[str, Any]) -> Iterator[Figure]:
    for key in ("offered", "taken", "share"):
        yield Figure(about, of, key, use[key])


def _actions(result: dict[str, Any]) -> Section:
    actions = result["actions"]
    figures: list[Figure] = []
    for each in actions["names"]:
        figures += _use_figures("action", each["name"], each)
    for each in actions["values"]:
        figures += _use_figures("value", f"{each['name']}: {each['value']}", each)
    if not actions["names"]:
        return Section(figures=tuple(figures))
    return Section(
        "Actions",
        "Actions: how often taken, of the times they were legal",
        "How often an action was taken, of the times it was legal for who was asked.",
        tuple(_action_tables(actions, result.get("choices") is not None)),
        tuple(figures),
    )


def _action_tables(actions: dict[str, Any], chosen: bool) -> Iterator[Block]:
    yield Table("By name", _USED, tuple(_used(each["name"], each) for each in actions["names"]))
    never = [clean(each["name"]) for each in actions["names"] if not each["met"]]
    if never:
        yield Remarks((f"Never legal: {', '.join(never)}",))
    values = sorted(actions["values"], key=lambda each: (-each["taken"], each["name"]))
    if len(values) > 1:
        rows = tuple(
            _used(f"{clean(each['name'])}: {clean(each['value'])}", each) for each in values
        )
        # A text tells them once: where choices were counted, above.
        only = PAGE if chosen else ""
        yield Table("The values most often chosen", _USED, rows, most=MOST, folded=True, only=only)
    single = actions["actions"]
    if len(single) > len(actions["names"]):
        rows = tuple(_used(each["action"], each) for each in single)
        yield Table("Each action by itself", _USED, rows, folded=True, only=PAGE)


# ----------------------------------------------------------------------------------------- coverage

_COVERED = (("statements", "ran"), ("ways", "taken"), ("functions", "evaluated"))


def _coverage_figures(coverage: dict[str, Any]) -> Iterator[Figure]:
    for key, done in _COVERED:
        yield Figure("coverage", key, "of", coverage[key]["of"])
        yield Figure("coverage", key, done, coverage[key][done])
        for each in coverage[key]["never"]:
            what = each.get("way") or each.get("name") or each["source"]
            yield Figure("coverage", f"{each['file']}:{each['line']}", f"never: {what}", 0)


def _coverage(result: dict[str, Any]) -> Section:
    coverage = result.get("coverage")
    if coverage is None:
        return Section()
    counted = f"in {games(coverage['games'])}"
    return Section(
        "Rules that ran",
        f"Rules that ran, {counted}",
        f"Counted {counted}.",
        tuple(_coverage_blocks(coverage)),
        tuple(_coverage_figures(coverage)),
    )


def _coverage_blocks(coverage: dict[str, Any]) -> Iterator[Block]:
    rows = []
    names = ("statements", "ways at forks", "functions")
    for name, (key, done) in zip(names, _COVERED, strict=True):
        some, of = coverage[key][done], coverage[key]["of"]
        share = f" ({percent(some / of)})" if of else ""
        bar = percent(some / of if of else None)
        rows.append(Row((Cell(name), Cell(f"{count(some)} of {count(of)}{share}"), Cell(bar))))
    columns = (
        Column("", words=True),
        Column("used", words=True),
        Column("", only=PAGE, bar=True),
    )
    yield Table("How much of the rules was used", columns, tuple(rows))
    yield from _never(coverage)


def _never(coverage: dict[str, Any]) -> Iterator[Listing]:
    """What no game came to."""
    idle = {each["file"]: each["of"] for each in coverage["statements"]["files"] if not each["ran"]}
    whole = [
        (clean(name), Cell(f"none of its {count(of)} statements")) for name, of in idle.items()
    ]
    for title, caption, key, what, first in (
        ("Never ran", "Statements that never ran", "statements", "source", whole),
        ("Never happened", "What never happened at a fork", "ways", "way", []),
        ("Never evaluated", "Functions that were never evaluated", "functions", "name", []),
    ):
        never = coverage[key]["never"]
        if never:
            # Of several statements on one line, one is enough to find it.
            lines = dict.fromkeys(
                (clean(f"{each['file']}:{each['line']}"), Cell(clean(each[what]), code=True))
                for each in never
                if not (first and each["file"] in idle)
            )
            yield Listing(title, caption, (*first, *lines), most=len(first) + MOST)

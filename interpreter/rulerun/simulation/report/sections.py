"""The report of a run, from its result.

Assumes: a result of `stats.result`.
Does: says what one asks first (who wins, is it fair, how long) first; each section reads its part
of the result, and hands over its figures, tables and charts.
Leaves behind: a `Report` for `text`, `html` and `csv_table` to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rulerun.simulation.report.choosing import choice_section, lead_section
from rulerun.simulation.report.elements import (
    PAGE,
    TEXT,
    Bar,
    Block,
    Cell,
    Column,
    Fact,
    Figure,
    Histogram,
    Histograms,
    Intervals,
    Listing,
    Remarks,
    Report,
    Row,
    Section,
    Table,
    Trouble,
)
from rulerun.simulation.report.formats import (
    count,
    described,
    games,
    interval,
    number,
    percent,
    small,
)
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
            _wins(result),
            _scores(result),
            _lengths(result),
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


# --------------------------------------------------------------------------------- wins and scores


def _share(about: str, of: str, what: str, share: Mapping[str, Any]) -> Figure:
    return Figure(about, of, what, share["share"], share["low"], share["high"])


def _win_figures(wins: dict[str, Any]) -> Iterator[Figure]:
    yield Figure("wins", "", "fair share", wins["fair"])
    for seat in wins["seats"]:
        yield _share("wins", seat["player"], "share", seat)
        yield Figure("wins", seat["player"], "count", seat["count"])
        for place in seat["places"]:
            yield _share("places", seat["player"], f"place {place['place']}", place)
    for key in ("nobody", "shared"):
        yield _share("wins", f"({key})", "share", wins[key])


_NOBODY = "If somebody is to win, the rules must say who: `scoring:`, or `end game won by …`."


def _wins(result: dict[str, Any]) -> Section:
    wins = result["wins"]
    figures = tuple(_win_figures(wins))
    if not wins["of"]:
        none = "No game came to its end: there is nothing to say of wins, scores and lengths."
        return Section("Wins", none, none, figures=figures)
    ended = f"of {games(wins['of'])} that came to their end"
    if wins["nobody"]["count"] == wins["of"]:
        # No part of no wins is fair.
        return Section(
            "Wins",
            f"Wins, {ended}: nobody won",
            f"O{ended[1:]}, nobody won.",
            (Remarks((_NOBODY,)),),
            figures,
        )
    fair = percent(wins["fair"])
    return Section(
        "Wins",
        f"Wins, {ended} (a fair share is {fair})",
        f"O{ended[1:]}. A fair share is {fair}: the same part of all wins for every seat.",
        tuple(_win_blocks(wins)),
        figures,
    )


def _win_blocks(wins: dict[str, Any]) -> Iterator[Block]:
    seats = wins["seats"]
    bars = tuple(
        Bar(
            clean(seat["player"]),
            100 * seat["share"],
            100 * seat["low"],
            100 * seat["high"],
            percent(seat["share"]),
            seat["differs"],
        )
        for seat in seats
    )
    caption = "Share of wins, with 95 % intervals"
    told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    title = f"Share of wins by seat, with 95 % intervals: {told}"
    yield Intervals(caption, title, bars, 100 * wins["fair"], "fair")

    def row(name: str, won: dict[str, Any], with_others: str, word: str) -> Row:
        share, reach = percent(won["share"]), interval(won)
        cells = (name, count(won["count"]), with_others, share, reach)
        return Row((*map(Cell, cells), Cell(word, marked=bool(word))))

    def compared(seat: dict[str, Any]) -> str:
        if not seat["differs"]:
            return ""
        return "more than fair" if seat["share"] > wins["fair"] else "less than fair"

    rows = [
        row(clean(seat["player"]), seat, count(seat["with_others"]), compared(seat))
        for seat in seats
    ]
    rows += [
        row(f"({name})", wins[key], "", "")
        for name, key in (("several", "shared"), ("nobody", "nobody"))
        if wins[key]["count"]
    ]
    columns = (
        Column("seat", words=True),
        Column("won"),
        Column("with others", only=PAGE),
        Column("share"),
        Column("95 % interval"),
        Column("compared with fair", words=True),
    )
    yield Table("Who wins how often", columns, tuple(rows))
    if not any(seat["differs"] for seat in seats):
        yield Remarks(("No seat differs from its fair share beyond its interval.",))
    places = sorted({place["place"] for seat in seats for place in seat["places"]})
    if len(seats) > 2 and places:
        yield _places(seats, places)


def _places(seats: Sequence[dict[str, Any]], places: Sequence[int]) -> Table:
    rows = []
    for seat in seats:
        by_place = {each["place"]: each for each in seat["places"]}
        cells = [
            Cell(f"{100 * by_place[place]['share']:.1f}", interval(by_place[place]))
            if place in by_place
            else Cell("0.0")
            for place in places
        ]
        rows.append(Row((Cell(clean(seat["player"])), *cells)))
    heads = ("out" if place == 0 else str(place) for place in places)
    columns = (Column("seat", words=True), *map(Column, heads))
    return Table("Places, of 100 games", columns, tuple(rows))


def _spread_figures(about: str, of: str, spread: dict[str, Any] | None) -> Iterator[Figure]:
    for key, value in (spread or {}).items():
        if key != "histogram":
            yield Figure(about, of, key, value)


_SPREAD = tuple(map(Column, ("mean", "deviation", "least", "1/4", "median", "3/4", "greatest")))
_SMALL = Column("", words=True, only=TEXT)


def _spread(spread: dict[str, Any]) -> tuple[Cell, ...]:
    """The cells of a distribution."""
    keys = ("least", "quartile_1", "median", "quartile_3", "greatest")
    moments = (number(spread["mean"]), number(spread["deviation"]))
    return tuple(map(Cell, (*moments, *(count(spread[key]) for key in keys))))


def _scores(result: dict[str, Any]) -> Section:
    scores = result["scores"]
    if scores is None:
        return Section()
    figures: list[Figure] = []
    for seat in scores["seats"]:
        figures += _spread_figures("score", seat["player"], seat["total"])
        for line in seat["lines"]:
            figures += _spread_figures(f"score: {line['label']}", seat["player"], line["value"])
    if not result["wins"]["of"]:
        return Section(figures=tuple(figures))
    totals = [seat["total"] for seat in scores["seats"]]
    low = min(total["least"] for total in totals)
    high = max(total["greatest"] for total in totals)
    return Section(
        "Scores",
        f"Scores ({count(low)} to {count(high)} from left to right)",
        "The dashed line is the mean.",
        tuple(_score_blocks(scores, low, high)),
        tuple(figures),
    )


def _score_blocks(scores: dict[str, Any], low: int, high: int) -> Iterator[Block]:
    seats = [(clean(seat["player"]), seat) for seat in scores["seats"]]
    charts = []
    rows = []
    for name, seat in seats:
        total = seat["total"]
        title = f"Scores of {name}: {described(total)}"
        charts.append(Histogram(name, title, total["histogram"], low, high, total["mean"]))
        drawn = small(total["histogram"], low, high)
        rows.append(Row((Cell(name), *_spread(total), Cell(drawn))))
    yield Histograms(tuple(charts))
    yield Table("Scores by seat", (Column("seat", words=True), *_SPREAD, _SMALL), tuple(rows))
    if len(scores["lines"]) < 2:
        return
    labels = list(enumerate(map(clean, scores["lines"])))
    means = []
    full = []
    for at, label in labels:
        values = [seat["lines"][at]["value"] for _, seat in seats]
        cells = (f"{number(each['mean'])} ({number(each['deviation'])})" for each in values)
        means.append(Row(tuple(map(Cell, (label, *cells)))))
        full += [
            Row((Cell(name), *_spread(value)), group=label)
            for (name, _), value in zip(seats, values, strict=True)
        ]
    first = Column("line of the scoring", words=True)
    columns = (first, *(Column(name) for name, _ in seats))
    yield Table("Mean of each line of the scoring (and its deviation)", columns, tuple(means))
    caption = "Each line of the scoring in full"
    yield Table(caption, (first, *_SPREAD), tuple(full), folded=True, only=PAGE)


# ------------------------------------------------------------------------------- length and actions


def _lengths(result: dict[str, Any]) -> Section:
    lengths, mean = result["length"], result["branching"]["mean"]
    figures = tuple(
        figure
        for key in ("decisions", "inputs")
        for figure in _spread_figures("length", key, lengths[key])
    )
    figures += (Figure("branching", "", "mean", mean),)
    decisions = lengths["decisions"]
    if decisions is None:
        return Section(figures=figures)
    names = {"decisions": decisions}
    if lengths["inputs"] != decisions:
        names["with luck"] = lengths["inputs"]
    rows = tuple(
        Row((Cell(name), *_spread(each), Cell(small(each["histogram"], *_reach(each)))))
        for name, each in names.items()
    )
    title = f"Decisions in a game: {described(decisions)}"
    values, (least, greatest) = decisions["histogram"], _reach(decisions)
    chart = Histogram("Decisions in a game", title, values, least, greatest, decisions["mean"], 60)
    blocks: list[Block] = [
        Histograms((chart,)),
        Table("Length of a game", (Column("", words=True), *_SPREAD, _SMALL), rows),
    ]
    if mean is not None:
        blocks.append(Remarks((f"{number(mean)} legal actions on the average at a decision",)))
    heading = "Length of a game, in decisions"
    return Section("Length and choice", heading, "", tuple(blocks), figures)


def _reach(spread: dict[str, Any]) -> tuple[int, int]:
    return spread["least"], spread["greatest"]


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

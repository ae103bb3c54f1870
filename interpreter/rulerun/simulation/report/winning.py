"""What the games of a run came to: who won, with which scores, and how long it took.

Assumes: a result of `stats.result`.
Does: sets the shares of wins beside the fair share, and each distribution into a row and a chart.
Leaves behind: three sections of a `Report`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulerun.simulation.report.elements import (
    PAGE,
    TEXT,
    Bar,
    Block,
    Cell,
    Column,
    Figure,
    Histogram,
    Histograms,
    Intervals,
    Remarks,
    Row,
    Section,
    Table,
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

# --------------------------------------------------------------------------------------------- wins


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


def wins_section(result: dict[str, Any]) -> Section:
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


# ------------------------------------------------------------------------------------------- scores


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


def scores_section(result: dict[str, Any]) -> Section:
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


# ------------------------------------------------------------------------------------------- length


def lengths_section(result: dict[str, Any]) -> Section:
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

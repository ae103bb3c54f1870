"""What a skill ladder says: shares of wins, ratings, and whether it is luck or skill.

Assumes: the standings of a ladder.
Does: computes for each pairing the share of the win that the higher rung had, with its interval
against the fair share; rates all rungs on one scale; says in a sentence or two how much thinking
is worth, by intervals only.
Leaves behind: plain data for JSON, and a `Report` of it.

At a table of more than two a share of wins is made comparable by its odds: who wins one game in two
against three others wins three in four against one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulerun.runtime.rng import QUICK_SCHEME
from rulerun.simulation.ladder.climbing import Climbing, Match, Standings, pairings_of
from rulerun.simulation.ladder.ratings import Met, ratings
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
from rulerun.simulation.report.formats import count, games, interval, percent
from rulerun.simulation.stats.choice_sums import parts_of
from rulerun.simulation.stats.clustered import Reach, share_of
from rulerun.simulation.stats.intervals import rounded
from rulerun.simulation.stats.result import SCHEMA, about
from rulerun_dsl.source.safe_text import clean

NEARLY_ALL, MOST = 0.9, 0.7
"""What the best wins against one random player, where skill decides nearly all, or most."""


def ladder(task: Climbing, standings: Standings, stopped: str) -> dict[str, Any]:
    """All that is told of a ladder."""
    game, people = task.game, task.game.people
    matches = {each: standings.matches.get(each, Match()) for each in pairings_of(task.rungs)}
    told = [_pairing(task, pair, match) for pair, match in matches.items()]
    ended = sum(match.won.a for match in matches.values())
    rated = None
    if all(match.won.a for match in matches.values()):
        unit = parts_of(len(game.players))
        met = [
            Met(high, low, (1, people - 1), match.won.a, match.won.b / unit)
            for (high, low), match in matches.items()
        ]
        rated = [
            {"rung": rung, "points": round(each.points), "reach": round(each.reach)}
            for rung, each in zip(task.rungs, ratings(len(task.rungs), met), strict=True)
        ]
    return {
        "schema_version": SCHEMA,
        "kind": "ladder",
        "game": about(game),
        "people": people,
        "rungs": list(task.rungs),
        "seed": str(task.seed),
        "scheme": QUICK_SCHEME,
        "games": {"played": standings.games, "ended": ended, "stopped": stopped},
        "fair": rounded(1 / people),
        "pairings": told,
        "ratings": rated,
        "verdict": list(_verdict(task.rungs, people, matches, told)),
    }


def _pairing(task: Climbing, pair: tuple[int, int], match: Match) -> dict[str, Any]:
    found = share_of(match.won.a, match.won, parts_of(len(task.game.players)))
    played = match.ends.total()
    one = None if found is None else _against_one(found, task.game.people)
    return {
        "rung": task.rungs[pair[0]],
        "against": task.rungs[pair[1]],
        "played": played,
        "ended": match.won.a,
        "share": None if found is None else found.value,
        "low": None if found is None else found.low,
        "high": None if found is None else found.high,
        "against_one": one,
    }


def _against_one(found: Reach, people: int) -> dict[str, float]:
    """The share at a table of two that has the same odds."""

    def alone(share: float) -> float:
        return rounded(share * (people - 1) / (share * (people - 1) + 1 - share))

    return {"share": alone(found.value), "low": alone(found.low), "high": alone(found.high)}


def _verdict(
    rungs: Sequence[str],
    people: int,
    matches: dict[tuple[int, int], Match],
    told: Sequence[dict[str, Any]],
) -> Iterator[str]:
    if any(each["share"] is None for each in told):
        yield "Nothing can be told: not every pairing has a game that came to its end."
        return
    if all(match.alike == match.won.a for match in matches.values()):
        yield "All won or lost together in every game, so shares of wins say nothing of skill here."
        return
    lowest = rungs[0]
    # Of several that win alike the highest rung.
    best = max((each for each in reversed(told) if each["against"] == lowest), key=_strongest)
    one, many = best["against_one"], games(best["ended"])
    of = " wins" if people == 2 else f", at a table of {people}, has the odds of one who wins"
    says = f"{best['rung']}{of} {percent(one['share'])} against {lowest} players"
    between = f"{100 * one['low']:.0f} to {100 * one['high']:.0f} % by {many}"
    if one["low"] <= 0.5:
        word = "Luck, as far as can be told"
    elif one["share"] >= NEARLY_ALL:
        word = "Skill"
    elif one["share"] >= MOST:
        word = "More skill than luck"
    else:
        word = "More luck than skill"
    yield f"{word}: {says} ({between})."
    # Up to where each rung wins more than the one below, beyond its interval.
    steps = told[: len(rungs) - 1]
    fair = 1 / people
    higher = [each["rung"] for each in steps if each["low"] > fair]
    lower = [each["rung"] for each in steps if each["high"] < fair]
    even = [each["rung"] for each in steps if each["rung"] not in (*higher, *lower)]
    if higher:
        yield f"Better than the rung below: {', '.join(higher)}."
    if even:
        yield f"Not told from the rung below by so many games: {', '.join(even)}."
    if lower:
        yield f"Worse than the rung below: {', '.join(lower)}."
    if len(steps) > 1:
        if steps[-1]["low"] > fair:
            yield "The top rung still wins more than the one below: there may be more to find."
        elif steps[-1]["rung"] in even:
            yield "The top rung gains nothing on the one below that so many games could show."


def _strongest(each: dict[str, Any]) -> float:
    share: float = each["share"]
    return share


# ------------------------------------------------------------------------------------- the report


def ladder_report(result: dict[str, Any]) -> Report:
    """The whole report."""
    game, played = result["game"], result["games"]
    title = clean(game["title"])
    each = count(max(pairing["played"] for pairing in result["pairings"]))
    many = f"{each} games of each pairing"
    return Report(
        title=f"{title}: skill ladder",
        name=f"{title}: skill ladder",
        heading=f"{title}: skill ladder, {many}, seed {clean(result['seed'])}",
        subtitle=f"{games(played['played'])}, counted by rulerun ladder",
        facts=tuple(_facts(result)),
        warnings=tuple(_warnings(result)),
        sections=(_pairings(result), _ratings(result), _luck_or_skill(result)),
    )


def _facts(result: dict[str, Any]) -> Iterator[Fact]:
    game = result["game"]
    if game["changed"]:
        yield Fact(
            "options", clean(", ".join(f"{o} {game['options'][o]}" for o in game["changed"]))
        )
    people = result["people"]
    others = f"{people}: one of the higher rung among {people - 1} of the lower"
    yield Fact("players", "2" if people == 2 else others)
    yield Fact("seed", clean(f"{result['seed']} ({result['scheme']})"), PAGE)
    if result["games"]["stopped"] == "interrupted":
        yield Fact("ended early", "interrupted: this is what was played", marked=True)


def _warnings(result: dict[str, Any]) -> Iterator[str]:
    lost = sum(each["played"] - each["ended"] for each in result["pairings"])
    if lost:
        yield (
            f"{games(lost)} did not come to their end, which `rulerun simulate` shows; they are "
            "not measured"
        )


def _pairings(result: dict[str, Any]) -> Section:
    fair = result["fair"]
    rows, bars = [], []
    for each in result["pairings"]:
        if each["share"] is None:
            continue
        name = f"{clean(each['rung'])} against {clean(each['against'])}"
        differs = not each["low"] <= fair <= each["high"]
        word = "" if not differs else "more than fair" if each["share"] > fair else "less than fair"
        cells = (name, count(each["ended"]), percent(each["share"]), interval(each))
        rows.append(Row((*map(Cell, cells), Cell(word, marked=differs))))
        value, low, high = (100 * each[key] for key in ("share", "low", "high"))
        bars.append(Bar(name, value, low, high, percent(each["share"]), differs))
    if not rows:
        return Section()
    columns = (
        Column("pairing", words=True),
        Column("games"),
        Column("share of wins"),
        Column("95 % interval"),
        Column("compared with fair", words=True),
    )
    told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    blocks: tuple[Block, ...] = (
        Intervals(
            "Share of wins of the higher rung, with 95 % intervals",
            f"Share of wins with 95 % intervals: {told}",
            tuple(bars),
            100 * fair,
            "fair",
        ),
        Table("Who wins how often", columns, tuple(rows)),
    )
    heading = f"Share of wins of the higher rung (a fair share is {percent(fair)})"
    return Section("Pairings", heading, f"A fair share is {percent(fair)}.", blocks)


def _ratings(result: dict[str, Any]) -> Section:
    rated = result["ratings"]
    if rated is None:
        return Section()
    rows = tuple(
        Row(
            (
                Cell(clean(each["rung"])),
                Cell(f"{each['points']:+,d}" if each["points"] else "0"),
                Cell(reach),
            )
        )
        for at, each in enumerate(rated)
        for reach in [f"{each['reach']} to each side" if at else ""]
    )
    columns = (Column("rung", words=True), Column("points"), Column("95 % interval"))
    intro = "By the model of Bradley and Terry, written as Elo: 400 points are odds of 10 to 1."
    heading = "Ratings (Bradley and Terry's model; 400 points are odds of 10 to 1)"
    return Section("Ratings", heading, intro, (Table("Ratings", columns, rows),))


def _luck_or_skill(result: dict[str, Any]) -> Section:
    title = "Luck or skill"
    sentences = tuple(map(clean, result["verdict"]))
    return Section(title, title, blocks=(Remarks(sentences),), conclusion=True)

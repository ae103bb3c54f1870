"""What is told of choices and of leads, as plain data: a part of the result of a run.

Assumes: `Choices` of a run.
Does: of each use computes how often it was taken of the times it might have been, with its
interval, and beside it how often if all legal actions were alike; what those won who took it, and
those who never did though they might have; the difference, with its interval. Of the whole: forced
decisions, decisions by player, how often the lead changed, how early the winner was known.
Leaves behind: data for JSON. A mark says only what an interval says.
"""

from __future__ import annotations

from typing import Any

from rulerun.simulation.stats.choice_sums import MILLION, MOMENTS, Choices, Use, Used, parts_of
from rulerun.simulation.stats.clustered import Reach, difference_of, share_of
from rulerun.simulation.stats.intervals import rounded, spread, wilson
from rulerun_dsl.model import Game

ALWAYS = 0.95
"""Taken always: the whole interval of its share is above."""
NEVER = 0.2
"""Never taken: the whole interval is below this part of the share that it had by chance."""
FEWEST = 10
"""Players on each side of a difference, below which an interval is not trusted."""
SECONDS = 15
"""What a decision takes at a table, on the average: an assumption, and said as one."""


def choices(game: Game, found: Choices, watched: tuple[str, ...]) -> dict[str, Any]:
    """What was chosen, by the players `watched`."""
    told = [told_use(use, found.uses[use], found.players) for use in sorted(found.uses)]
    pauses = spread(found.pauses)
    return {
        "games": found.games,
        "players": list(watched),
        "fair": rounded(1 / found.players),
        "seats": [
            _seat(name, sum(many * at for many, at in found.decisions[seat].items()), seat, found)
            for seat, name in enumerate(game.players)
            if name in watched
        ],
        "forced": _share(sum(found.forced), _decisions(found)),
        "table": None
        if pauses is None
        else {
            "waits": pauses.mean,
            "seconds": SECONDS,
            "minutes": rounded(pauses.mean * SECONDS / 60),
        },
        "uses": told,
    }


def _decisions(found: Choices) -> int:
    return sum(at * many for each in found.decisions for at, many in each.items())


def _seat(name: str, decisions: int, seat: int, found: Choices) -> dict[str, Any]:
    each = spread(found.decisions[seat])
    return {
        "player": name,
        "decisions": None if each is None else each.mean,
        "forced": _share(found.forced[seat], decisions),
        "options": rounded(found.options[seat] / decisions) if decisions else None,
    }


def _share(hits: int, of: int) -> dict[str, Any]:
    return {"count": hits, "of": of, "share": rounded(hits / of) if of else None}


def told_use(use: Use, sums: Used, players: int) -> dict[str, Any]:
    """All that is told of one use."""
    unit = parts_of(players)
    taken = share_of(sums.games, sums.offered)
    assert taken is not None
    alike = sums.alike / (MILLION * sums.offered.a)
    took = share_of(sums.took_games, sums.took, unit)
    never = share_of(sums.never_games, sums.never, unit)
    more = difference_of(
        sums.games,
        (sums.took_games, sums.took),
        (sums.never_games, sums.never),
        sums.crossed,
        unit,
    )
    return {
        "name": use.name,
        "parameter": use.parameter or None,
        "value": use.value if use.parameter else None,
        "offered": sums.offered.a,
        "taken": sums.offered.b,
        **_reach(taken, "share"),
        "alike": rounded(alike),
        "took": {"players": sums.took.a, **_reach(took, "won")},
        "never": {"players": sums.never.a, **_reach(never, "won")},
        "more": None if more is None else _reach(more, "won"),
        "marks": _marks(taken, alike, sums, more),
    }


def _reach(found: Reach | None, name: str) -> dict[str, Any]:
    if found is None:
        return {name: None, "low": None, "high": None}
    return {name: found.value, "low": found.low, "high": found.high}


def _marks(taken: Reach, alike: float, sums: Used, more: Reach | None) -> list[str]:
    marks = []
    if taken.low >= ALWAYS:
        marks.append("always taken" if sums.offered.a == sums.offered.b else "nearly always taken")
    elif taken.high <= NEVER * alike:
        marks.append("hardly ever taken" if sums.offered.b else "never taken")
    enough = min(sums.took.a, sums.never.a) >= FEWEST
    if more is not None and enough and not more.low <= 0 <= more.high:
        marks.append("wins more with it" if more.value > 0 else "wins less with it")
    return marks


def leads(found: Choices) -> dict[str, Any] | None:
    """Who led, and whether it lasted; None if nobody ever led alone before the end."""
    if not any(found.led):
        return None
    changes, known = spread(found.changes), spread(found.known)
    moments = []
    for percent, led, held in zip(MOMENTS, found.led, found.held, strict=True):
        low, high = wilson(held, led)
        won = {"count": held, "share": rounded(held / led) if led else None}
        moments.append({"percent": percent, "led": led, "won": {**won, "low": low, "high": high}})
    return {
        "games": found.games,
        "moments": moments,
        "changes": None
        if changes is None
        else {"mean": changes.mean, "median": changes.quartiles[2], "most": changes.quartiles[4]},
        "known": None
        if known is None
        else {
            "games": known.count,
            "mean": known.mean,
            "quartile_1": known.quartiles[1],
            "median": known.quartiles[2],
            "quartile_3": known.quartiles[3],
        },
    }

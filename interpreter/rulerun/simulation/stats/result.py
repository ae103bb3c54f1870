"""The result of a run, as plain data: texts, tables and pages are made of it and of nothing else.

Assumes: the totals of a run, and what was played.
Does: computes shares with their intervals against the fair share, distributions, how often each
action was taken of the times it was offered, and coverage.
Leaves behind: data for JSON, the same to the byte for the same games: neither the executor nor the
number of jobs, nor folders or times, are in it.

A seat's share of wins is the share of the games that came to their end that it won, alone or with
others; the fair share is the same part of all such wins for every seat. So where nobody wins or
several do, it is less or more than one part of all games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rulerun.runtime import actions
from rulerun.runtime.rng import QUICK_SCHEME
from rulerun.simulation.stats.action_names import names_of, word_for
from rulerun.simulation.stats.chosen import choices, leads
from rulerun.simulation.stats.coverage import coverage
from rulerun.simulation.stats.intervals import rounded, spread, wilson
from rulerun.simulation.stats.totals import Totals
from rulerun_dsl.model import Game

SCHEMA = 1


def result(
    game: Game,
    seats: Mapping[int, str],
    seed: int | str,
    totals: Totals,
    stopped: str,
    errors: Sequence[Mapping[str, Any]] = (),
    folder: str = "",
    watched: Sequence[int] = (),
) -> dict[str, Any]:
    """All that is told of a run of the rules in a folder; `watched`: whose choices were counted."""
    found: dict[str, Any] = {
        "schema_version": SCHEMA,
        "kind": "simulation",
        "game": about(game),
        "seats": [
            {"player": name, "agent": seats.get(seat, "automa")}
            for seat, name in enumerate(game.players)
        ],
        "seed": str(seed),
        "scheme": QUICK_SCHEME,
        "games": {
            "played": totals.games,
            "ended": totals.ended,
            "truncated": totals.ends["truncated"],
            "failed": totals.games - totals.ended - totals.ends["truncated"],
            "stopped": stopped,
            "truncated_numbers": totals.examples.get("truncated", []),
        },
        "errors": list(errors),
        "wins": wins(game, totals),
        "scores": scores(game, totals),
        "length": {
            "decisions": distribution(totals.decisions),
            "inputs": distribution(totals.inputs),
        },
        "branching": {
            "options": totals.options,
            "decisions": totals.asked,
            "mean": rounded(totals.options / totals.asked) if totals.asked else None,
        },
        "actions": uses(game, totals.tally.offered, totals.tally.taken),
    }
    if totals.choices is not None and totals.choices.games:
        names = tuple(game.players[seat] for seat in watched)
        found["choices"] = choices(game, totals.choices, names)
        found["leads"] = leads(totals.choices)
    if totals.covered:
        found["coverage"] = coverage(game, totals.tally, totals.covered, folder)
    return found


def about(game: Game) -> dict[str, Any]:
    """Which game it is."""
    return {
        "name": game.name,
        "title": game.title,
        "fingerprint": game.fingerprint,
        "players": len(game.players),
        "decisions": game.decisions,
        "options": {option.name: option.text for option in game.options},
        "changed": [option.name for option in game.options if option.text != option.default_text],
    }


def share(hits: int, of: int) -> dict[str, Any]:
    """A share, with its interval."""
    low, high = wilson(hits, of)
    return {"count": hits, "share": rounded(hits / of) if of else None, "low": low, "high": high}


def wins(game: Game, totals: Totals) -> dict[str, Any]:
    """Who won how often, and who came in where."""
    of = totals.ended
    won = [totals.wins(seat) for seat in range(len(game.players))]
    fair = sum(won) / (len(won) * of) if of else None
    seats = []
    for seat, name in enumerate(game.players):
        found = share(won[seat], of)
        alone = totals.winners[1 << seat]
        differs = fair is not None and not found["low"] <= fair <= found["high"]
        places = totals.places[seat]
        seats.append(
            {
                "player": name,
                **found,
                "alone": alone,
                "with_others": won[seat] - alone,
                "differs": differs,
                "places": [
                    {"place": place, **share(places[place], of)} for place in sorted(places)
                ],
            }
        )
    shared = sum(many for mask, many in totals.winners.items() if mask & (mask - 1))
    return {
        "of": of,
        "fair": None if fair is None else rounded(fair),
        "seats": seats,
        "nobody": share(totals.winners[0], of),
        "shared": share(shared, of),
        "winners": [
            {
                "winners": [name for seat, name in enumerate(game.players) if mask >> seat & 1],
                "count": totals.winners[mask],
            }
            for mask in sorted(totals.winners)
        ],
    }


def distribution(counts: Mapping[int, int]) -> dict[str, Any] | None:
    """A distribution of whole numbers; None of nothing."""
    found = spread(counts)
    if found is None:
        return None
    least, low, middle, high, most = found.quartiles
    return {
        "count": found.count,
        "mean": found.mean,
        "deviation": found.deviation,
        "least": least,
        "quartile_1": low,
        "median": middle,
        "quartile_3": high,
        "greatest": most,
        "histogram": [[value, counts[value]] for value in sorted(counts) if counts[value]],
    }


def scores(game: Game, totals: Totals) -> dict[str, Any] | None:
    """The scores by seat, and what they are made of; None without lines of scoring."""
    if not totals.lines:
        return None
    return {
        "lines": [line.label for line in game.scoring.lines],
        "seats": [
            {
                "player": name,
                "total": distribution(totals.scores[seat]),
                "lines": [
                    {"label": line.label, "value": distribution(part)}
                    for line, part in zip(game.scoring.lines, totals.parts[seat], strict=True)
                ],
            }
            for seat, name in enumerate(game.players)
        ],
    }


# ------------------------------------------------------------------------------------ how often


def use(offered: int, taken: int) -> dict[str, Any]:
    """How often something was taken of the times it was legal."""
    return {
        "offered": offered,
        "taken": taken,
        "share": rounded(taken / offered) if offered else None,
    }


def uses(game: Game, offered: Sequence[int], taken: Sequence[int]) -> dict[str, Any]:
    """How often actions were taken: by name, by each value of each parameter, and each by itself.

    `offered` counts each legal action of each decision. What is never met is listed by name only.
    """
    by_name: dict[str, list[int]] = {}
    by_value: Counter[tuple[str, int, str, str]] = Counter()
    values_offered: Counter[tuple[str, int, str, str]] = Counter()
    single = []
    for name, type_ in zip(names_of(game), game.actions, strict=True):
        sums = by_name.setdefault(name, [0, 0, 0, 0])
        sums[2] += type_.size
        for action in range(type_.base, type_.base + type_.size):
            if not offered[action]:
                continue
            sums[0] += offered[action]
            sums[1] += taken[action]
            sums[3] += 1
            single.append(
                {
                    "action": actions.text(game, action),
                    "name": name,
                    **use(offered[action], taken[action]),
                }
            )
            _, places = actions.split(game, action)
            for at, (domain, where) in enumerate(zip(type_.parameters, places, strict=True)):
                key = (name, at, word_for(domain), domain.texts[where])
                values_offered[key] += offered[action]
                by_value[key] += taken[action]
    return {
        "names": [
            {"name": name, **use(sums[0], sums[1]), "actions": sums[2], "met": sums[3]}
            for name, sums in by_name.items()
        ],
        "values": [
            {
                "name": name,
                "parameter": at + 1,
                "of": of,
                "value": value,
                **use(many, by_value[name, at, of, value]),
            }
            for (name, at, of, value), many in values_offered.items()
        ],
        "actions": single,
    }

"""What is different between two games, and what cannot be told.

Assumes: the sums of pairs (`paired`).
Does: computes each difference (B less A) with the 95 % interval of its mean over pairs. Where the
interval holds 0, it says how large a difference so many games would have shown, and how many games
would show the next smaller round one, and the one that was seen, each in four times out of five.
Leaves behind: plain data for JSON, the same to the byte for the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil, sqrt
from typing import Any

from rulerun.runtime.rng import QUICK_SCHEME
from rulerun.simulation.compare.paired import Comparing, Pairs
from rulerun.simulation.stats.intervals import Mean, mean_of, round_below, rounded
from rulerun.simulation.stats.moments import Moments
from rulerun.simulation.stats.result import SCHEMA, about
from rulerun_dsl.model import Game

FEW = 30
"""With fewer pairs an interval is rough."""


def comparison(
    task: Comparing, labels: Sequence[str], pairs: Pairs, stopped: str
) -> dict[str, Any]:
    """All that is told of two games."""
    first, second = task.games
    return {
        "schema_version": SCHEMA,
        "kind": "comparison",
        "sides": [
            {
                "side": side,
                "label": label,
                **about(game),
                "ended": ends[""],
                "truncated": ends["truncated"],
                "failed": sum(ends.values()) - ends[""] - ends["truncated"],
                "errors": {end: many for end, many in sorted(ends.items()) if _failed(end)},
            }
            for side, label, game, ends in zip("AB", labels, task.games, pairs.ends, strict=True)
        ],
        "seats": [{"seat": _seat(task.games, seat), "agent": agent} for seat, agent in task.seats],
        "swapped": task.swapped,
        "seed": str(task.seed),
        "scheme": QUICK_SCHEME,
        "pairs": {"played": pairs.games, "both_ended": pairs.both, "stopped": stopped},
        "differences": list(_differences(task, pairs)),
        "actions": list(_uses(pairs)),
        "only": [_only(first, second), _only(second, first)],
    }


def _failed(end: str) -> bool:
    return end not in ("", "truncated")


def _seat(games: tuple[Game, Game], seat: int) -> str:
    one, two = (game.players[seat] for game in games)
    return one if one == two else f"{one} / {two}"


def _only(game: Game, other: Game) -> list[str]:
    """The names of actions that the other game does not know."""
    known = {type_.name for type_ in other.actions}
    return sorted({type_.name for type_ in game.actions if type_.name} - known)


def _differences(task: Comparing, pairs: Pairs) -> Iterator[dict[str, Any]]:
    many = pairs.both
    if not many:
        return
    for seat in sorted(pairs.wins):
        yield _measured("wins", _seat(task.games, seat), "share", many, pairs.wins[seat])
    if pairs.nobody.a or pairs.nobody.b:
        yield _measured("wins", "nobody", "share", many, pairs.nobody)
    for home, agent in task.seats:
        if home in pairs.agents:
            of = f"{agent} (named for {_seat(task.games, home)})"
            yield _measured("agent", of, "share", many, pairs.agents[home])
    for seat in sorted(pairs.scores):
        yield _measured("score", _seat(task.games, seat), "points", many, pairs.scores[seat])
    yield _measured("length", "", "decisions", many, pairs.decisions)
    if pairs.decisions.a and pairs.decisions.b:
        yield _branching(pairs)


def _measured(about_: str, of: str, unit: str, many: int, sums: Moments) -> dict[str, Any]:
    mean = mean_of(many, sums.difference, sums.squares)
    return _told(about_, of, unit, sums.a / many, sums.b / many, mean, mean.needed)


def _branching(pairs: Pairs) -> dict[str, Any]:
    """Legal actions at a decision: a ratio of sums, so its spread is that of what is left over."""
    many, options, lengths = pairs.both, pairs.options, pairs.decisions
    a, b = options.a / lengths.a, options.b / lengths.b
    at_a, at_b, a_by_b, b_by_a = pairs.crossed
    long_a, long_b = lengths.a / many, lengths.b / many
    # What is left of a game's options, by side and crossed, squared and added up.
    left_a = options.aa - 2 * a * at_a + a * a * lengths.aa
    left_b = options.bb - 2 * b * at_b + b * b * lengths.bb
    crossed = options.ab - b * a_by_b - a * b_by_a + a * b * lengths.ab
    squares = left_a / long_a**2 + left_b / long_b**2 - 2 * crossed / (long_a * long_b)
    deviation = sqrt(max(0.0, squares / (many - 1))) if many > 1 else 0.0
    mean = Mean(many, b - a, deviation)
    return _told("branching", "", "actions", a, b, mean, mean.needed)


def _uses(pairs: Pairs) -> Iterator[dict[str, Any]]:
    for use in sorted(pairs.uses):
        offered_a, taken_a, offered_b, taken_b, squares, weighted = pairs.uses[use]
        many, blocks = pairs.games, pairs.blocks
        a, b = taken_a / many, taken_b / many
        more = b - a
        # The difference in a game, told from blocks: what is left of each block beyond its size.
        left = squares - 2 * more * weighted + more * more * pairs.block_squares
        deviation = 0.0
        if blocks > 1:
            deviation = sqrt(max(0.0, left * blocks / (blocks - 1) / many))
        mean = Mean(many if blocks > 1 else 1, more, deviation)
        name, value = use
        yield {
            "name": name,
            "value": value or None,
            "shares": [
                rounded(taken_a / offered_a) if offered_a else None,
                rounded(taken_b / offered_b) if offered_b else None,
            ],
            **_told("action", _used(name, value), "in a game", a, b, mean, mean.needed),
        }


def _used(name: str, value: str) -> str:
    return f"{name}: {value}" if value else name


def _told(
    about_: str,
    of: str,
    unit: str,
    a: float,
    b: float,
    mean: Mean,
    needed: Callable[[float], int],
) -> dict[str, Any]:
    """A difference, and what can be told of it."""
    same = mean.deviation == 0 and mean.mean == 0
    found: dict[str, Any] = {
        "about": about_,
        "of": of,
        "unit": unit,
        "a": rounded(a),
        "b": rounded(b),
        "difference": rounded(mean.mean),
        "low": None,
        "high": None,
        "told": mean.told,
        "same": same,
        "shown": None,
        "smaller": None,
        "needed": None,
    }
    if mean.count > 1:
        found["low"] = rounded(mean.mean - mean.reach)
        found["high"] = rounded(mean.mean + mean.reach)
        if not mean.told and not same:
            found["shown"] = rounded(mean.shown)
            size = round_below(mean.shown)
            found["smaller"] = {"size": size, "games": _round_up(needed(size))}
            if mean.mean:
                found["needed"] = _round_up(needed(abs(mean.mean)))
    return found


def _round_up(games: int) -> int:
    """A number of games with two digits that count.

    >>> [_round_up(games) for games in (7, 101, 12345)]
    [7, 110, 13000]
    """
    step = 1
    while games > 100 * step:
        step *= 10
    return ceil(games / step) * step

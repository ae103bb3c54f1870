"""One scale for players of whom not everybody has met everybody.

Assumes: matches between two kinds of players, of each how many sat at the table and how often a
player of that kind won.
Does: the model of Bradley and Terry (1952), for tables of more than two in the form of Luce: a kind
that sits with k players wins with k times its strength, by all strengths at the table. The
likelihood is made greatest by the steps of Hunter (2004). Each match gets one game more that went
as the number of seats would have it, so that who always wins is not infinitely strong.
Leaves behind: ratings as Elo writes them: 400 points are odds of ten to one. The first kind has 0;
the others' intervals come from the curvature of the likelihood. Only the four operations and the
square root are used, so that a rating is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, sqrt

from rulerun.simulation.stats.intervals import Z
from rulerun_dsl.source.frozen import frozen

STEPS = 20_000
CLOSE = 1e-12


@frozen
class Met:
    """A match: kinds `one` and `other`, of whom so many sit at a table."""

    one: int
    other: int
    seats: tuple[int, int]
    games: float
    won: float
    """Games, or parts of games, that a player of kind `one` won."""


@frozen
class Rating:
    """Points, and how far they may be off to each side (95 %)."""

    points: float
    reach: float


def natural_logarithm(value: float) -> float:
    """The natural logarithm of a positive number, by the series of atanh.

    >>> round(natural_logarithm(10.0), 12)
    2.302585092994
    """
    part, power = frexp(value)
    return _series(part) - power * _series(0.5)


def _series(value: float) -> float:
    at = (value - 1) / (value + 1)
    square, power, total = at * at, at, 0.0
    for odd in range(1, 60, 2):
        total += power / odd
        power *= square
    return 2 * total


def ratings(kinds: int, met: Sequence[Met]) -> list[Rating]:
    """The rating of each kind. Everybody must hang together with the first by matches."""
    matches = [
        Met(each.one, each.other, each.seats, each.games + 1, each.won + each.seats[0] / sum_of)
        for each in met
        for sum_of in [sum(each.seats)]
    ]
    strengths = _strengths(kinds, matches)
    scale = 400 / natural_logarithm(10.0)
    spreads = _spreads(kinds, matches, strengths)
    return [
        Rating(scale * natural_logarithm(strength), scale * Z * sqrt(spread))
        for strength, spread in zip(strengths, spreads, strict=True)
    ]


def _strengths(kinds: int, matches: Sequence[Met]) -> list[float]:
    won = [0.0] * kinds
    for each in matches:
        won[each.one] += each.won
        won[each.other] += each.games - each.won
    strengths = [1.0] * kinds
    for _ in range(STEPS):
        pull = [0.0] * kinds
        for each in matches:
            one, other = each.seats
            table = one * strengths[each.one] + other * strengths[each.other]
            pull[each.one] += each.games * one / table
            pull[each.other] += each.games * other / table
        found = [wins / force for wins, force in zip(won, pull, strict=True)]
        found = [each / found[0] for each in found]
        moved = max(abs(new / old - 1) for new, old in zip(found, strengths, strict=True))
        strengths = found
        if moved < CLOSE:
            break
    return strengths


def _spreads(kinds: int, matches: Sequence[Met], strengths: Sequence[float]) -> list[float]:
    """The variance of each logarithm of a strength, against the first."""
    size = kinds - 1
    table = [[0.0] * size + [float(row == column) for column in range(size)] for row in range(size)]
    for each in matches:
        one, other = each.seats
        high, low = one * strengths[each.one], other * strengths[each.other]
        weight = each.games * high * low / (high + low) ** 2
        at, by = each.one - 1, each.other - 1
        for row, column, sign in ((at, at, 1), (by, by, 1), (at, by, -1), (by, at, -1)):
            if row >= 0 and column >= 0:
                table[row][column] += sign * weight
    # Gauss and Jordan: what was the unit beside the information becomes its inverse.
    for pivot in range(size):
        by_what = table[pivot][pivot]
        table[pivot] = [value / by_what for value in table[pivot]]
        for row in range(size):
            if row != pivot:
                times = table[row][pivot]
                table[row] = [
                    value - times * above
                    for value, above in zip(table[row], table[pivot], strict=True)
                ]
    return [0.0, *(max(0.0, table[at][size + at]) for at in range(size))]

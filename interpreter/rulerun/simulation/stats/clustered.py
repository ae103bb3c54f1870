"""What a sample tells where measurements come in games, and those of one game hang together.

Assumes: for each game a size (how many decisions, how many players) and a part of it; sums of both
over games, of their squares and products.
Does: a share (all parts by all sizes) and the difference of two shares, with their 95 % intervals.
The spread is that of games, by linearising the ratio of sums (the delta method), so that two
players of one game, of whom one wins because the other loses, are not taken for two measurements.
For few games and shares near 0 or 1 an interval made so is too narrow. So that of a share is
Wilson's, for as many measurements as would spread alike if none hung together (Kish's effective
size); where nothing varied that is the number of games. And to each side of a difference one game
is added that was all part, and one that was none (Agresti and Caffo 2000). That makes intervals;
the shares themselves are as counted.
Leaves behind: floats that are the same on every machine, as `intervals` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from rulerun.simulation.stats.intervals import Z
from rulerun.simulation.stats.moments import Moments
from rulerun_dsl.source.frozen import frozen


@frozen
class Reach:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


def share_of(games: int, sums: Moments, unit: int = 1) -> Reach | None:
    """The share of the parts (`b`, of which `unit` are one) in the sizes (`a`); None of nothing.

    >>> share_of(10, Moments(10, 5, 10, 5, 5))
    Reach(value=0.5, low=0.202271, high=0.797729)
    """
    if not sums.a:
        return None
    value = sums.b / (unit * sums.a)
    many = float(games)
    spread = max(0.0, _left(sums, unit, value)) / sums.a**2
    if spread > 0 and 0 < value < 1 and games > 1:
        few = 1 + (Z * Z + 1) / (4 * (games - 1))
        alone = value * (1 - value) / (spread * games / (games - 1))
        many = min(float(sums.a), max(1.0, alone)) / (few * few)
    square = Z * Z / many
    middle, whole = value + square / 2, 1 + square
    reach = sqrt(square * value * (1 - value) + square * square / 4)
    low = max(0.0, (middle - reach) / whole) if value > 0 else 0.0
    high = min(1.0, (middle + reach) / whole) if value < 1 else 1.0
    return Reach(round(value, 6), round(low, 6), round(high, 6))


def difference_of(
    games: int,
    one: tuple[int, Moments],
    other: tuple[int, Moments],
    crossed: Sequence[int],
    unit: int = 1,
) -> Reach | None:
    """The first share less the second, each with in how many games it is; None if one is of none.

    `crossed`: over games the products of sizes, of the first size and the second part, of the first
    part and the second size, and of the parts.
    """
    sides = []
    for many, sums in (one, other):
        if not sums.a:
            return None
        size = sums.a / many
        whole = sums.a + 2 * size
        middle = (sums.b / unit + size) / whole
        left = _left(sums, unit, middle) + size * size * (middle**2 + (1 - middle) ** 2)
        sides.append((sums.b / (unit * sums.a), middle, left, whole))
    (value, p, left, wide), (less, q, left_2, wide_2) = sides
    sizes, size_part, part_size, parts = crossed
    both = parts / unit**2 - q * part_size / unit - p * size_part / unit + p * q * sizes
    spread = left / wide**2 + left_2 / wide_2**2 - 2 * both / (wide * wide_2)
    reach = Z * sqrt(max(0.0, spread) * _few(games + 4))
    low, high = max(-1.0, p - q - reach), min(1.0, p - q + reach)
    return Reach(round(value - less, 6), round(low, 6), round(high, 6))


def _left(sums: Moments, unit: int, share: float) -> float:
    """What is left of each part beyond the share of its size, squared and added up."""
    return sums.bb / unit**2 - 2 * share * sums.ab / unit + share * share * sums.aa


def _few(games: int) -> float:
    return games / (games - 1)

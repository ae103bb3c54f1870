"""What a sample tells, computed from whole numbers.

Assumes: counts and sums of whole numbers.
Does: Wilson intervals of a share, moments and quantiles of a distribution, the interval of a mean
of differences, how many games would show a difference of some size.
Leaves behind: floats that are the same on every machine: only the four operations and the square
root are used, which IEEE 754 fixes to the bit, always in one order.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, sqrt

from rulerun_dsl.source.frozen import frozen

Z = 1.959963984540054
"""95 of 100 lie within so many deviations."""
POWER = 0.8416212335729143
"""80 of 100 lie below so many deviations above."""
DIGITS = 6


def rounded(value: float) -> float:
    """The value with as many digits as are written."""
    return round(value, DIGITS) + 0.0


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score.

    >>> wilson(5, 10)
    (0.236593, 0.763407)
    """
    if not of:
        return 0.0, 1.0
    share, square = hits / of, Z * Z
    middle = share + square / (2 * of)
    reach = Z * sqrt(share * (1 - share) / of + square / (4 * of * of))
    whole = 1 + square / of
    low = 0.0 if not hits else max(0.0, (middle - reach) / whole)
    high = 1.0 if hits == of else min(1.0, (middle + reach) / whole)
    return rounded(low), rounded(high)


@frozen
class Spread:
    """A distribution of whole numbers."""

    count: int
    mean: float
    deviation: float
    quartiles: tuple[int, int, int, int, int]
    """The least, the quartiles, the greatest: each a value that was met."""


def spread(counts: Mapping[int, int]) -> Spread | None:
    """The distribution of counted values; None of nothing.

    >>> spread({1: 1, 2: 2, 3: 1})
    Spread(count=4, mean=2.0, deviation=0.816497, quartiles=(1, 1, 2, 2, 3))
    """
    of = sum(counts.values())
    if not of:
        return None
    values = sorted(value for value, many in counts.items() if many)
    total = sum(value * counts[value] for value in values)
    squares = sum(value * value * counts[value] for value in values)
    # Whole numbers up to here: no digit is lost where two large sums differ by little.
    variance = (of * squares - total * total) / (of * (of - 1)) if of > 1 else 0.0
    found = []
    for quarter in (1, 2, 3):
        left = -(-of * quarter // 4)
        for value in values:
            left -= counts[value]
            if left <= 0:
                found.append(value)
                break
    low, middle, high = found
    quartiles = (values[0], low, middle, high, values[-1])
    return Spread(of, rounded(total / of), rounded(sqrt(variance)), quartiles)


@frozen
class Mean:
    """The mean of something that was measured `count` times, with its 95 % interval."""

    count: int
    mean: float
    deviation: float
    """Of one measurement."""

    @property
    def reach(self) -> float:
        """How far the interval goes to each side."""
        return Z * self.deviation / sqrt(self.count) if self.count > 1 else float("inf")

    @property
    def told(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.count > 1 and abs(self.mean) > self.reach

    @property
    def shown(self) -> float:
        """The least mean that so many measurements show four times out of five."""
        return (Z + POWER) * self.deviation / sqrt(self.count) if self.count else float("inf")

    def needed(self, size: float) -> int:
        """How many measurements show a mean of this size four times out of five."""
        exact = ((Z + POWER) * self.deviation / size) ** 2
        return max(1, ceil(exact))


def mean_of(count: int, total: int, squares: int) -> Mean:
    """The mean of `count` whole numbers, by their sum and the sum of their squares."""
    if not count:
        return Mean(0, 0.0, 0.0)
    variance = (count * squares - total * total) / (count * (count - 1)) if count > 1 else 0.0
    return Mean(count, total / count, sqrt(max(0.0, variance)))


def round_below(value: float) -> float:
    """The next of …, 0.1, 0.2, 0.5, 1, 2, 5, … below a value.

    >>> [round_below(0.03), round_below(0.02), round_below(7.5)]
    [0.02, 0.01, 5.0]
    """
    if not 0 < value < float("inf"):
        return 0.0
    power = 0
    while value <= 10.0**power:
        power -= 1
    while value > 10.0 ** (power + 1):
        power += 1
    # 10**power < value <= 10**(power + 1)
    step = next(step for step in (5, 2, 1) if step * 10.0**power < value * (1 - 1e-9) or step == 1)
    return float(f"{step * 10.0**power:.12g}")

"""How numbers are written for people: the same in texts and on pages.

Assumes: numbers of a result.
Does: writes shares, intervals, means and distributions; puts histograms into a few columns.
Leaves behind: text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

NONE = "-"
LEVELS = "▁▂▃▄▅▆▇█"
WIDE = 24
"""Columns of a small histogram."""


def count(value: int | None) -> str:
    """A whole number, in groups of three digits.

    >>> count(12345)
    '12,345'
    """
    return NONE if value is None else f"{value:,}"


def percent(value: float | None) -> str:
    """A share.

    >>> percent(0.5)
    '50.0 %'
    """
    return NONE if value is None else f"{100 * value:.1f} %"


def interval(found: Mapping[str, Any]) -> str:
    """The interval of a share."""
    return f"{100 * found['low']:.1f} to {100 * found['high']:.1f} %"


def number(value: float | None) -> str:
    """A mean or a deviation."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.2f}"


def games(many: int) -> str:
    """So many games."""
    return "1 game" if many == 1 else f"{many:,} games"


def binned(
    histogram: Sequence[Sequence[int]], low: int, high: int, most: int
) -> list[tuple[int, int, int]]:
    """A histogram of `most` columns at most, all equally wide: first value, last value, count."""
    wide = -(-(high - low + 1) // most)
    many = -(-(high - low + 1) // wide)
    sums = [0] * many
    for value, times in histogram:
        sums[(value - low) // wide] += times
    return [(low + at * wide, low + at * wide + wide - 1, total) for at, total in enumerate(sums)]


def small(histogram: Sequence[Sequence[int]], low: int, high: int) -> str:
    """A histogram in one line.

    >>> small([[0, 1], [1, 8], [3, 4]], 0, 3)
    '▁█ ▄'
    """
    bins = binned(histogram, low, high, WIDE)
    most = max(many for _, _, many in bins)
    return "".join(
        LEVELS[max(0, -(-len(LEVELS) * many // most) - 1)] if many else " " for _, _, many in bins
    )


def described(found: Mapping[str, Any]) -> str:
    """A distribution in a few words."""
    return (
        f"mean {number(found['mean'])}, deviation {number(found['deviation'])}, "
        f"from {found['least']} to {found['greatest']}, "
        f"half of them from {found['quartile_1']} to {found['quartile_3']}"
    )

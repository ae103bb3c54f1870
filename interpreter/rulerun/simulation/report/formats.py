"""How numbers, names and rows are written: the same in texts and on pages.

Assumes: numbers of a result, texts of a rules file.
Does: writes shares, intervals and means for people; lays rows out in columns.
Leaves behind: text without control characters.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from rulerun_dsl.source.safe_text import visible

NONE = "-"


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


def plain(text: str) -> str:
    """A text of a rules file: nothing in it moves the cursor, nor is there what XML forbids."""
    return visible(" ".join(text.split()))


def escape(text: str) -> str:
    """The same for a page, in a text or an attribute.

    >>> escape("<b>")
    '&lt;b&gt;'
    """
    return html.escape(plain(text))


def cell(value: Any) -> Any:
    """A cell for a spreadsheet, which would reckon with a text that begins like a formula.

    >>> cell("=1+1"), cell(-1), cell(None)
    ("'=1+1", -1, '')
    """
    if not isinstance(value, str):
        return "" if value is None else value
    text = plain(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def games(many: int) -> str:
    """So many games."""
    return "1 game" if many == 1 else f"{many:,} games"


def columns(rows: Sequence[Sequence[str]], left: int = 1, indent: str = "  ") -> list[str]:
    """Rows in columns: the first `left` to the left, the others to the right.

    >>> columns([["a", "1"], ["bcd", "22"]])
    ['  a     1', '  bcd  22']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


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

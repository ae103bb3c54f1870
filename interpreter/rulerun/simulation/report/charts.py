"""Charts as SVG, drawn for a page that is read by day and by night.

Assumes: numbers of a result.
Does: draws shares with their intervals beside a fair share, differences beside nothing, and
histograms.
Leaves behind: elements without a colour of their own: the style of the page gives them by class.
Each has a title that says in words what is drawn; the numbers stand in a table beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulerun.simulation.report.formats import binned, count, escape, number

WIDE, ROW, LEFT, RIGHT = 720, 34, 150, 60
LETTER = 8.0
"""About how wide a letter is."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval."""

    name: str
    value: float
    low: float
    high: float
    text: str
    marked: bool = False


def intervals(
    title: str, bars: Sequence[Bar], line: float, line_name: str, unit: str = " %"
) -> str:
    """Values as points on their intervals, and a line at what they are compared with."""
    low = min(line, *(bar.low for bar in bars))
    high = max(line, *(bar.high for bar in bars))
    room = (high - low) * 0.08 or 1.0
    low, high = low - room, high + room
    inside = WIDE - LEFT - RIGHT
    tall = 30 + ROW * len(bars) + 24

    def x(value: float) -> float:
        return LEFT + inside * (value - low) / (high - low)

    parts = [
        f'<line class="fair" x1="{x(line):.1f}" x2="{x(line):.1f}" y1="22" y2="{tall - 22}"/>',
        f'<text class="note" x="{x(line):.1f}" y="14" text-anchor="middle">'
        f"{escape(line_name)}</text>",
    ]
    for at, bar in enumerate(bars):
        y = 30 + ROW * at + ROW / 2
        marked = " marked" if bar.marked else ""
        name = _cut(bar.name, LEFT - 14)
        parts += [
            f'<text x="{LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>',
            f'<line class="reach{marked}" x1="{x(bar.low):.1f}" x2="{x(bar.high):.1f}" '
            f'y1="{y:.1f}" y2="{y:.1f}"/>',
            f'<circle class="point{marked}" cx="{x(bar.value):.1f}" cy="{y:.1f}" r="5"/>',
            f'<text class="value" x="{WIDE - RIGHT + 6}" y="{y + 4:.1f}">{escape(bar.text)}</text>',
        ]
    for value in _ticks(low, high):
        parts.append(
            f'<text class="note" x="{x(value):.1f}" y="{tall - 6}" text-anchor="middle">'
            f"{value:g}{unit}</text>"
        )
    return _svg(WIDE, tall, title, parts)


def histogram(
    title: str,
    values: Sequence[Sequence[int]],
    low: int,
    high: int,
    most: int,
    *,
    wide: int = 340,
    tall: int = 150,
    columns: int = 40,
    mark: float | None = None,
) -> str:
    """How often each value was met; `most` is the count of the tallest column there may be."""
    bins = binned(values, low, high, columns)
    top, bottom = 10, tall - 22
    step = (wide - 12) / len(bins)
    gap = 1.0 if step > 3 else 0.0
    parts = []
    for at, (first, last, many) in enumerate(bins):
        if many:
            height = max(1.0, (bottom - top) * many / most)
            said = count(first) if first == last else f"{count(first)} to {count(last)}"
            parts.append(
                f'<rect class="bar" x="{6 + step * at + gap / 2:.1f}" y="{bottom - height:.1f}" '
                f'width="{step - gap:.1f}" height="{height:.1f}">'
                f"<title>{said}: {count(many)}</title></rect>"
            )
    parts.append(f'<line class="axis" x1="6" x2="{wide - 6}" y1="{bottom}" y2="{bottom}"/>')
    if mark is not None:
        wide_of = bins[0][1] - bins[0][0] + 1
        at_mark = 6 + step * (mark - low + 0.5) / wide_of
        parts.append(
            f'<line class="fair" x1="{at_mark:.1f}" x2="{at_mark:.1f}" y1="4" y2="{bottom}"/>'
        )
    parts += [
        f'<text class="note" x="6" y="{tall - 6}">{count(low)}</text>',
        f'<text class="note" x="{wide - 6}" y="{tall - 6}" text-anchor="end">{count(high)}</text>',
    ]
    return _svg(wide, tall, title, parts)


def tallest(values: Sequence[Sequence[int]], low: int, high: int, columns: int = 40) -> int:
    """The count of the tallest column of a histogram."""
    return max((many for _, _, many in binned(values, low, high, columns)), default=1) or 1


def _svg(wide: int, tall: float, title: str, parts: Sequence[str]) -> str:
    inside = "".join(parts)
    return (
        f'<svg viewBox="0 0 {wide} {tall:g}" width="{wide}" height="{tall:g}" role="img" '
        f'aria-label="{escape(title)}">{inside}</svg>'
    )


def _cut(text: str, room: float) -> str:
    most = int(room / LETTER)
    return text if len(text) <= most else text[: most - 1] + "…"


def _ticks(low: float, high: float) -> list[float]:
    """Round values between two others, three to eight of them."""
    step = 1e-6
    for at in range(100):
        step = (1, 2, 5)[at % 3] * 10.0 ** (at // 3 - 6)
        if (high - low) / step <= 8:
            break
    first = int(low // step) + 1
    return [round(step * at, 9) for at in range(first, int(high // step) + 1)]


def described(found: dict[str, object] | None) -> str:
    """A distribution in a few words."""
    if found is None:
        return "nothing was measured"
    mean, deviation = found["mean"], found["deviation"]
    assert isinstance(mean, float) and isinstance(deviation, float)
    return (
        f"mean {number(mean)}, deviation {number(deviation)}, from {found['least']} to "
        f"{found['greatest']}, half of them from {found['quartile_1']} to {found['quartile_3']}"
    )

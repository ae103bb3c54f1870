"""Charts as SVG, drawn for a page that is read by day and by night.

Assumes: the charts of a report.
Does: draws shares with their intervals beside a fair share, differences beside nothing, and
histograms.
Leaves behind: elements without a colour of their own: the style of the page gives them by class.
Each has a title that says in words what is drawn; the numbers stand in a table beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rulerun.simulation.report.elements import Histogram, Intervals
from rulerun.simulation.report.formats import binned, count

WIDE, HALF, TALL = 720, 340, 150
ROW, LEFT, RIGHT = 34, 150, 60
LETTER = 8.0
"""About how wide a letter is."""


def intervals(chart: Intervals) -> str:
    """Values as points on their intervals, and a line at what they are compared with."""
    bars, line = chart.bars, chart.line
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
        f"{escape(chart.line_name)}</text>",
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
            f"{value:g}{chart.unit}</text>"
        )
    return _svg(WIDE, tall, chart.title, parts)


def histograms(charts: Sequence[Histogram]) -> list[str]:
    """How often each value was met: one chart on the whole width, several beside each other."""
    binnings = [binned(each.values, each.low, each.high, each.columns) for each in charts]
    most = max((many for bins in binnings for _, _, many in bins), default=1) or 1
    wide = WIDE if len(charts) == 1 else HALF
    return [
        _histogram(chart, bins, most, wide) for chart, bins in zip(charts, binnings, strict=True)
    ]


def _histogram(chart: Histogram, bins: Sequence[tuple[int, int, int]], most: int, wide: int) -> str:
    """`most` is the count of the tallest column there may be."""
    tall = TALL
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
    wide_of = bins[0][1] - bins[0][0] + 1
    mark = 6 + step * (chart.mark - chart.low + 0.5) / wide_of
    parts += [
        f'<line class="fair" x1="{mark:.1f}" x2="{mark:.1f}" y1="4" y2="{bottom}"/>',
        f'<text class="note" x="6" y="{tall - 6}">{count(chart.low)}</text>',
        f'<text class="note" x="{wide - 6}" y="{tall - 6}" text-anchor="end">'
        f"{count(chart.high)}</text>",
    ]
    return _svg(wide, tall, chart.title, parts)


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

"""Plots as SVG, by hand: panels beside one another, lines with dots, axes that say what they are.

Assumes: series of points with positive coordinates.
Does: draws each panel on logarithmic axes, where growth by a power is a straight line.
Leaves behind: the text of one SVG file that needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 440, 360
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 44, 46
LEGEND = 16
"""Height of a line of the legend."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
"""Okabe and Ito's, which most eyes can tell apart. Once they are used up, lines are dashed."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line of points, or points alone."""

    name: str
    points: tuple[tuple[float, float], ...]
    joined: bool = True

    @property
    def power(self) -> float | None:
        """The exponent that fits best: `y` grows like `x` to that."""
        logs = [(log10(x), log10(y)) for x, y in self.points]
        if len({x for x, _ in logs}) < 3:
            return None
        middle = sum(x for x, _ in logs) / len(logs)
        level = sum(y for _, y in logs) / len(logs)
        above = sum((x - middle) * (y - level) for x, y in logs)
        return above / sum((x - middle) ** 2 for x, _ in logs)


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture."""

    title: str
    across: str
    up: str
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis from one place to another."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """1, 2 and 5 of each power of ten; over many powers 1 alone."""
        steps = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
        for power in range(floor(self.low), ceil(self.high) + 1):
            for step in steps:
                value = step * 10.0**power
                if self.low - 1e-9 <= log10(value) <= self.high + 1e-9:
                    yield value


def _axis(values: Sequence[float], start: float, end: float) -> _Axis:
    low, high = log10(min(values)), log10(max(values))
    margin = max(0.06 * (high - low), 0.08)
    return _Axis(low - margin, high + margin, start, end)


def svg(panels: Sequence[Panel], caption: str) -> str:
    """All panels in a row, with a caption below."""
    legend = LEGEND * max(len(panel.series) for panel in panels)
    width, height = WIDTH * len(panels), HEIGHT + legend + 40
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        lines.append(f'<g transform="translate({WIDTH * number} 0)">')
        lines += _panel(panel)
        lines.append("</g>")
    lines.append(_text(LEFT, height - 14, caption, "start", fill="#555555"))
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _panel(panel: Panel) -> Iterator[str]:
    points = [point for series in panel.series for point in series.points]
    across = _axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = _axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    yield _text((across.start + across.end) / 2, 24, panel.title, "middle", size=14)
    for value in across.ticks():
        x = across.at(value)
        yield _line(x, up.start, x, up.end, "#dddddd")
        yield _text(x, up.start + 16, f"{value:g}", "middle")
    for value in up.ticks():
        y = up.at(value)
        yield _line(across.start, y, across.end, y, "#dddddd")
        yield _text(across.start - 6, y + 4, f"{value:g}", "end")
    yield _line(across.start, up.start, across.end, up.start, "#333333")
    yield _line(across.start, up.start, across.start, up.end, "#333333")
    yield _text((across.start + across.end) / 2, up.start + 34, panel.across, "middle")
    middle = (up.start + up.end) / 2
    turned = f'transform="rotate(-90 16 {middle:.1f})"'
    yield _text(16, middle, panel.up, "middle", more=turned)
    for number, series in enumerate(panel.series):
        colour = COLOURS[number % len(COLOURS)]
        places = [(across.at(x), up.at(y)) for x, y in series.points]
        again = number >= len(COLOURS)
        pen = f'stroke="{colour}" stroke-width="2"'
        if series.joined:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            dashes = ' stroke-dasharray="5 4"' if again else ""
            yield f'<polyline points="{path}" fill="none" {pen}{dashes}/>'
        fill = "white" if again else colour
        for x, y in places:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}" {pen}/>'
        y = HEIGHT + 8 + LEGEND * number
        yield f'<rect x="{LEFT}" y="{y - 8}" width="10" height="10" fill="{fill}" {pen}/>'
        power = series.power
        grows = "" if power is None else f": grows like x^{power:.2f}"
        yield _text(LEFT + 16, y + 1, series.name + grows, "start")


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="1"/>'
    )


def _text(
    x: float, y: float, text: str, anchor: str, size: int = 12, fill: str = "black", more: str = ""
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{fill}" {more}>{escape(text)}</text>'
    )

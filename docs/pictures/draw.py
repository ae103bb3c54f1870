"""Draws `play.svg`, the picture of play in the README, from what the terminal really shows.

`python docs/pictures/draw.py` plays the game below with the answers below, and writes the picture
anew. A test does the same and compares, so the picture is what this version shows.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from unittest import mock

PICTURE = Path(__file__).with_name("play.svg")

COMMAND = "rulerun play brave_rats --seat Applewood=easy --seed 11"
ANSWERS = ("spy",)
"""What is typed, one question after the other; the picture ends with the question after them."""

COLUMNS = 80
_WIDE, _HIGH, _EDGE = 8.4, 18, 16
_PAPER, _INK = "#1d2129", "#d5dae3"
_COLOURS = {
    "31": "#ee7f86",
    "32": "#9fd07f",
    "33": "#edc76f",
    "34": "#74b3f2",
    "35": "#d59be6",
    "36": "#68c5d0",
}
_STYLED = re.compile(r"\x1b\[([\d;]*)m")


def screen() -> list[str]:
    """The lines of the terminal, styled as the terminal styles them."""
    from rulerun.cli import main

    typed = io.TextIOWrapper(io.BytesIO("".join(f"{each}\n" for each in ANSWERS).encode()), "utf-8")
    shown = io.StringIO()
    surroundings = {"COLUMNS": str(COLUMNS), "LINES": "60", "RULERUN_LANG": "en"}
    with (
        mock.patch.dict(os.environ, surroundings),
        mock.patch.object(sys, "stdin", typed),
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        main([*COMMAND.split()[1:], "--color", "always"])
    lines = [line.rstrip() for line in shown.getvalue().rstrip().splitlines()]
    return [f"$ {COMMAND}", *lines]


def runs(line: str) -> Iterator[tuple[int, str, str]]:
    """The pieces of a line, each in one style and without gaps: its column, the style, the text."""
    column, style, at = 0, "", 0
    for code in [*_STYLED.finditer(line), None]:
        text = line[at : code.start() if code else len(line)]
        for piece in re.finditer(r"\S+( \S+)*", text):
            yield column + piece.start(), style, piece[0]
        column += len(text)
        if code:
            style, at = code[1], code.end()


def attributes(style: str) -> str:
    """A style of the terminal as attributes of SVG."""
    codes = style.split(";")
    colour = next((_COLOURS[each] for each in codes if each in _COLOURS), "")
    found = f' fill="{colour}"' if colour else ""
    found += ' font-weight="bold"' if "1" in codes else ""
    return found + (' opacity="0.6"' if "2" in codes else "")


def picture(lines: list[str]) -> str:
    """The lines as a picture."""
    width = round(COLUMNS * _WIDE + 2 * _EDGE)
    height = len(lines) * _HIGH + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">',
        f"<title>{escape(COMMAND)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{_PAPER}"/>',
        f'<g fill="{_INK}" font-size="14" font-family="ui-monospace, '
        "SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\">",
    ]
    for number, line in enumerate(lines):
        y = _EDGE + number * _HIGH + 13
        for column, style, text in runs(line):
            # The width is written down: letters stand below each other in any font.
            place = f'x="{_EDGE + column * _WIDE:g}" y="{y}" textLength="{len(text) * _WIDE:g}"'
            parts.append(f"<text {place}{attributes(style)}>{escape(text)}</text>")
    column = len(_STYLED.sub("", lines[-1])) + 1
    top = _EDGE + (len(lines) - 1) * _HIGH + 1
    place = f'x="{_EDGE + column * _WIDE:g}" y="{top}" width="{_WIDE}" height="{_HIGH - 3}"'
    return "\n".join([*parts, f'<rect {place} fill="{_INK}"/>', "</g>", "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(screen()), encoding="utf-8")

"""Places of a text as the protocol counts them: lines, and UTF-16 units in a line.

A text is a Python string, whose offsets count code points; most letters are one unit of UTF-16 and
some, such as 🃏, are two.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from lsprotocol import types as lsp

from rulerun_dsl.source.spans import Source


class Positions:
    """The places of one text."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return Source("", self.text).line_starts

    def position(self, offset: int) -> lsp.Position:
        """Where an offset is, for the client."""
        inside = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, inside) - 1
        before = self.text[self._starts[line] : inside]
        return lsp.Position(line, _units(before))

    def range(self, start: int, end: int) -> lsp.Range:
        """A stretch, for the client."""
        return lsp.Range(self.position(start), self.position(end))

    def offset(self, position: lsp.Position) -> int:
        """The offset of a place of the client; one behind the end of a line is its end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        end = self._starts[position.line + 1] if position.line + 1 < len(self._starts) else None
        line = self.text[start:end].rstrip("\r\n")
        if line.isascii():
            return start + min(position.character, len(line))
        units = 0
        for place, letter in enumerate(line):
            if units >= position.character:
                return start + place
            units += 2 if ord(letter) > 0xFFFF else 1
        return start + len(line)


def _units(text: str) -> int:
    if text.isascii():
        return len(text)
    return len(text) + sum(ord(letter) > 0xFFFF for letter in text)

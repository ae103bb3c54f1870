"""A text and the places in it.

Assumes: a text that has been decoded, with the byte order mark gone.
Does: turns an offset into a line and a column, and names a stretch of text by two offsets.
Leaves behind: `Source` and `Span`, on which every later pass hangs what it found.

An offset is an index into the Python string, so it counts code points. Lines end at a line feed,
a carriage return or the pair of them, and at nothing else: that is what editors count, and a line
number that differs from the editor's is worse than none. Lines and columns begin at 1.

Two sources are the same only if they are one object: the same text may be read from two files, and
a place in one is no place in the other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from rulerun_dsl.source.frozen import frozen

LINE_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class Source:
    """A text with a name to show to people, usually the path it was read from."""

    name: str
    text: str = field(repr=False)

    # Not slotted, because the line starts are kept here once somebody asks for a position.
    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offset at which each line begins."""
        return (0, *(found.end() for found in LINE_BREAK.finditer(self.text)))

    @property
    def line_count(self) -> int:
        """How many lines there are; a text that ends in a line break ends in an empty line."""
        return len(self.line_starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both counted from 1."""
        inside = min(max(offset, 0), len(self.text))
        line = bisect_right(self.line_starts, inside)
        return line, inside - self.line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position, moved to the nearest one that exists."""
        row = min(max(line, 1), self.line_count)
        start = self.line_starts[row - 1]
        return min(start + max(column, 1) - 1, start + len(self.line_text(row)))

    def line_text(self, line: int) -> str:
        """Return a line without its line break."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < self.line_count else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span(self, start: int, end: int | None = None) -> Span:
        """Return the stretch from `start` to `end`, or the empty one at `start`."""
        return Span(self, start, start if end is None else end)


@frozen
class Span:
    """A stretch of a source: from `start` up to, but without, `end`."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line on which it begins."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column in which it begins."""
        return self.source.position(self.start)[1]

    @property
    def end_line(self) -> int:
        """The line on which it ends."""
        return self.source.position(self.end)[0]

    @property
    def end_column(self) -> int:
        """The column behind its last character."""
        return self.source.position(self.end)[1]

    @property
    def text(self) -> str:
        """What is written there."""
        return self.source.text[self.start : self.end]

    def covers(self, other: Span) -> bool:
        """Tell whether `other` lies in this stretch."""
        return self.source is other.source and self.start <= other.start and other.end <= self.end

    def to(self, other: Span) -> Span:
        """Return the stretch from the beginning of this one to the end of `other`."""
        return Span(self.source, self.start, max(self.end, other.end))

"""The outline of a text for people: sections with what they declare, and what can be folded.

Assumes any text, also one that is no YAML at all.
Does: goes by keys and indentation alone, so that a broken file has an outline as well.
Leaves behind: entries with their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import LINE_BREAK

_KEY = re.compile(r"""(?:- )*("[^"]*"|'[^']*'|[^\s#'"\[{][^#]*?)\s*:(?=\s|$)""")
_NESTED = re.compile(r"(?:chapter|instead for)\s")
_LEAVES = (
    "setup",
    "always",
    "constraints",
    "sources",
    "limits",
    "files",
    "scoring",
    "view",
    "words",
)


@frozen
class Line:
    """A line of a text; `indent` is -1 for one that is empty or a comment."""

    start: int
    end: int
    indent: int
    text: str


@frozen
class Entry:
    """Something that is declared, or a section."""

    name: str
    word: str
    """`section`, or the section that it stands in, such as `zones`."""
    start: int
    end: int
    key_end: int
    inside: tuple[Entry, ...]


def lines_of(text: str) -> list[Line]:
    """The lines of a text."""
    starts = [0, *(each.end() for each in LINE_BREAK.finditer(text))]
    found = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        whole = text[start:end]
        bare = whole.strip()
        indent = len(whole) - len(whole.lstrip(" "))
        found.append(Line(start, end, indent if bare and bare[0] != "#" else -1, bare))
    return found


def entries(text: str) -> tuple[Entry, ...]:
    """The sections of a file and what they declare."""
    lines = lines_of(text)
    return tuple(_entries(lines, 0, len(lines), "section", 0))


def _entries(lines: list[Line], low: int, high: int, word: str, depth: int) -> Iterator[Entry]:
    level = min((each.indent for each in lines[low:high] if each.indent >= 0), default=-1)
    opens = [
        (place, found)
        for place in range(low, high)
        if lines[place].indent == level and (found := _KEY.match(lines[place].text)) is not None
    ]
    for number, (place, found) in enumerate(opens):
        end = opens[number + 1][0] if number + 1 < len(opens) else high
        while end > place + 1 and lines[end - 1].indent < 0:
            end -= 1
        key = found[1].strip("\"'")
        start = lines[place].start + lines[place].indent
        inside: tuple[Entry, ...] = ()
        nested = _NESTED.match(key) is not None
        if (depth == 0 and key not in _LEAVES) or (depth == 1 and word == "chapter"):
            section = "chapter" if nested else key.partition(" of ")[0]
            inside = tuple(_entries(lines, place + 1, end, section, depth + 1))
        if not lines[place].text.startswith("- ") or depth:
            yield Entry(
                key,
                "section" if depth == 0 or word == "chapter" else word,
                start,
                lines[end - 1].end,
                start + len(found[0]),
                inside,
            )


def folds(text: str) -> list[tuple[int, int]]:
    """The first and last lines, from 0, of what can be folded: by indentation, and comments."""
    lines = lines_of(text)
    found: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate(lines):
        if line.indent < 0:
            continue
        while waiting and waiting[-1][0] >= line.indent:
            _, first = waiting.pop()
            if last > first:
                found.append((first, last))
        waiting.append((line.indent, number))
        last = number
    found += [(first, last) for _, first in waiting if last > first]
    begun = -1
    for number, line in enumerate([*lines, Line(0, 0, 0, "")]):
        if line.text.startswith("#"):
            begun = number if begun < 0 else begun
        elif begun >= 0:
            if number - begun > 2:
                found.append((begun, number - 1))
            begun = -1
    return sorted(found)

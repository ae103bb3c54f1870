"""What one YAML scalar means, and where each of its characters stands in the file.

Assumes: a scalar that YAML has accepted: its text, its style, and where it begins.
Does: `core_value` gives a plain text its value by the core schema of YAML 1.2, which is what
editors use; `offsets` follows each character of a text back to the file.
Leaves behind: plain values, and two lists of offsets.

YAML joins lines, drops indentation and replaces escapes, so the tenth character of a rule need not
be the tenth behind its colon. An expression is parsed from the scalar's text, and an error in it
must be shown in the file; so each style is read once more here, keeping count. The walk of a
block scalar tries the indentations that are possible and keeps the one that gives back the text
YAML read; if none does, every character is said to stand on the whole of the scalar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import Literal

from rulerun_dsl.source.spans import LINE_BREAK

Value = str | int | float | bool | None
Style = Literal["plain", "single", "double", "literal", "folded"]

# For each character of the text: where it begins in the file, and where it ends.
Offsets = tuple[list[int], list[int]]

_FIRST = frozenset("+-.0123456789ntTNfF~")
_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")

# No rule needs a longer number, and reading one takes time that grows with its square.
_LONGEST_NUMBER = 64


class NotFinite(ValueError):
    """The text is a number in YAML, but none that a game can count with."""


def core_value(text: str) -> Value:
    """Return the value of a plain scalar by the core schema of YAML 1.2.

    >>> [core_value(text) for text in ("3", "0x1F", "1e2", "true", "~", "no", "1_000")]
    [3, 31, 100.0, True, None, 'no', '1_000']
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST:
        return text
    if len(text) <= _LONGEST_NUMBER:
        if _INTEGER.match(text):
            return int(text)
        if _OCTAL_OR_HEX.match(text):
            return int(text, 0)
        if _FLOAT.match(text):
            number = float(text)
            if not isfinite(number):
                raise NotFinite(text)
            return number
    if _NOT_FINITE.match(text):
        raise NotFinite(text)
    return text


def offsets(source: str, start: int, end: int, style: Style, text: str) -> Offsets:
    """Return where each character of `text` begins and ends in `source`.

    The scalar is written from `start` to `end`, its quotes or its block sign included.
    """
    if style == "plain":
        found = _flow(source, start, end, "plain")
    elif style == "single" or style == "double":
        found = _flow(source, start + 1, end - 1, style)
    else:
        found = _block(source, start, end, style, text)
    if len(found[0]) != len(text):
        return [start] * len(text), [end] * len(text)
    return found


_FOLD = re.compile(r"[ \t]*(?:\r\n|\r|\n)[ \t\r\n]*")
_ESCAPED_BREAK = re.compile(r"\\(?:\r\n|\r|\n)[ \t\r\n]*")
_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


def _flow(source: str, start: int, end: int, style: Style) -> Offsets:
    """Walk over a scalar that YAML reads as running text."""
    starts: list[int] = []
    stops: list[int] = []
    place = start
    while place < end:
        character = source[place]
        stop = place + 1
        if character in " \t\r\n" and (fold := _FOLD.match(source, place, end)):
            # One line break is a space. Of several, the first goes and each other one stays.
            breaks = [found.span() for found in LINE_BREAK.finditer(source, place, fold.end())]
            kept = breaks[1:] or [fold.span()]
            starts.extend(first for first, _ in kept)
            stops.extend(last for _, last in kept)
            place = fold.end()
            continue
        if style == "double" and character == "\\":
            if broken := _ESCAPED_BREAK.match(source, place, end):
                # The line goes on without a space; empty lines between count.
                for found in list(LINE_BREAK.finditer(source, place, broken.end()))[1:]:
                    starts.append(found.start())
                    stops.append(found.end())
                place = broken.end()
                continue
            stop = place + _ESCAPE_LENGTH.get(source[place + 1], 2)
        elif style == "single" and character == "'":
            stop = place + 2
        starts.append(place)
        stops.append(stop)
        place = stop
    return starts, stops


def _block(source: str, start: int, end: int, style: Style, text: str) -> Offsets:
    """Walk over a block scalar, which begins at its `|` or `>`."""
    header = LINE_BREAK.search(source, start)
    if header is None or not text:
        return [], []
    lines = list(_lines(source, header.end(), end))
    # YAML takes the indentation from the first line with words, or from a digit and the parent's,
    # which is not known here. Ever fewer spaces are tried; the text that YAML read decides.
    widest = max(
        (_spaces(source, first, last) for first, last, _ in lines if first < last), default=0
    )
    first_word = next(
        (_spaces(source, first, last) for first, last, _ in lines if source[first:last].strip(" ")),
        widest,
    )
    for indentation in dict.fromkeys((first_word, *range(widest, -1, -1))):
        found = _unfold(source, lines, indentation, style, text)
        if found is not None:
            return found
    return [], []


def _lines(source: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield where the lines up to `end`, and blank ones behind it, begin, end and are followed."""
    while start < len(source):
        found = LINE_BREAK.search(source, start)
        last, following = found.span() if found else (len(source), len(source))
        if start >= end and source[start:last].strip(" "):
            return
        yield start, last, following
        start = following


def _spaces(source: str, first: int, last: int) -> int:
    line = source[first:last]
    return len(line) - len(line.lstrip(" "))


def _unfold(
    source: str, lines: list[tuple[int, int, int]], indentation: int, style: Style, text: str
) -> Offsets | None:
    """Follow `text` through the lines, or return nothing if it does not fit."""
    starts: list[int] = []
    stops: list[int] = []
    done = 0
    waiting: list[tuple[int, int]] = []  # line breaks seen since the last words
    loose = False  # the last line with words began with a blank: its break is never folded
    begun = False
    for first, last, following in lines:
        begin = first + indentation
        if last <= begin:
            # Nothing but indentation, unless words stand where they would end the scalar.
            if source[first:last].strip(" "):
                break
            waiting.append((last, following))
            continue
        if source[first:begin].strip(" "):
            break
        blank = source[begin] in " \t"
        if begun and style == "folded" and not loose and not blank:
            # One break is a space; of several, the first goes.
            kept = waiting[1:] or waiting[:1]
            written = "\n" * (len(waiting) - 1) or " "
        else:
            kept = waiting
            written = "\n" * len(waiting)
        words = written + source[begin:last]
        if not text.startswith(words, done):
            break
        starts.extend(place for place, _ in kept)
        stops.extend(place for _, place in kept)
        starts.extend(range(begin, last))
        stops.extend(range(begin + 1, last + 1))
        done += len(words)
        waiting = [(last, following)]
        loose = blank
        begun = True
    rest = text[done:]
    if rest.strip("\n") or len(rest) > len(waiting):
        return None
    starts.extend(place for place, _ in waiting[: len(rest)])
    stops.extend(place for _, place in waiting[: len(rest)])
    return starts, stops

"""What would mend a finding, as changes of the text that it is about.

Assumes: a finding whose finder knows what to write.
Does: nothing to any file: an `Edit` is a value, and `edit.applying` makes a new text of several.
Leaves behind: `Fix`, which a `Diagnostic` carries.

A fix is safe if what the author meant can be nothing else, and the file has fewer findings with it.
A guess among several names, and whatever takes something out, is not: somebody has to look at it.
"""

from __future__ import annotations

import re
from typing import TypedDict

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Edit:
    """A stretch of a text, and what stands there instead."""

    span: Span
    text: str


@frozen
class Fix:
    """Changes that belong together; `title` says what they do, as in `write `score``."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool


class Hint(TypedDict):
    """What to write instead, for people and for programs: `problem(…, **hint)`."""

    help: str | None
    fixes: tuple[Fix, ...]


def rewrite(span: Span, text: str, *, safe: bool, title: str | None = None) -> tuple[Fix, ...]:
    """The one fix that writes something else at one place."""
    return (Fix(title or f"write `{text}`", (Edit(span, text),), safe),)


def insert(span: Span, text: str, *, safe: bool, title: str) -> tuple[Fix, ...]:
    """The one fix that puts something in behind a stretch of text."""
    return (Fix(title, (Edit(span.source.span(span.end), text),), safe),)


def in_quotes(text: str) -> str:
    """A text of one line as YAML writes it in quotes, with as few escapes as can be."""
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quote(span: Span, *, safe: bool = True) -> tuple[Fix, ...]:
    """The one fix that puts quotes around a stretch of a line."""
    return rewrite(span, in_quotes(span.text), safe=safe, title="put it in quotes")


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def take_out_lines(span: Span, what: str) -> tuple[Fix, ...]:
    """The fix that deletes a key that begins a line, with all that is indented under it.

    Whoever deletes what nothing uses may have meant to use it: it is never safe. There is no fix
    for a key in brackets, or behind a dash.
    """
    source = span.source
    start = source.line_starts[span.line - 1]
    indent = source.text[start : span.start]
    if indent.strip(" "):
        return ()
    end = kept = start
    for found in _LINE.finditer(source.text, start):
        line = found.group()
        words = line.strip()
        deeper = len(line) - len(line.lstrip(" ")) > len(indent)
        if found.start() > start and words and not deeper:
            break
        end = found.end()
        if words:
            kept = end
        if end == len(source.text):
            break
    return (Fix(f"take out {what}", (Edit(source.span(start, kept), ""),), False),)


def take_out_comment(span: Span, what: str) -> tuple[Fix, ...]:
    """The fix that deletes the comment around a place: with its line if it stands alone there."""
    source = span.source
    start = source.line_starts[span.line - 1]
    sign = source.text.rfind("#", start, span.start)
    line = _LINE.match(source.text, start)
    assert line is not None and sign >= 0
    before = source.text[start:sign]
    if before.strip():
        where = source.span(start + len(before.rstrip()), start + len(line[0].rstrip("\r\n")))
    else:
        where = source.span(start, line.end())
    return (Fix(f"take out {what}", (Edit(where, ""),), True),)


def take_out_of_list(span: Span, what: str) -> tuple[Fix, ...]:
    """The fix that deletes a word with the comma that sets it apart."""
    text = span.source.text
    comma = re.compile(r"\s*,\s*").match(text, span.end)
    if comma is not None:
        where = span.source.span(span.start, comma.end())
    else:
        before = re.search(r"\s*,\s*\Z", text[: span.start])
        where = span.source.span(before.start() if before else span.start, span.end)
    return (Fix(f"take out {what}", (Edit(where, ""),), True),)

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
from rulerun_dsl.source.spans import Source, Span


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


def word_instead(span: Span, word: str, text: str, *, safe: bool) -> tuple[Fix, ...]:
    """The fix that writes something else for one word of a stretch, if it is there once."""
    if span.text == word:
        return rewrite(span, text, safe=safe)
    found = [*re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", span.text)]
    if len(found) != 1:
        return ()
    start, end = found[0].span()
    return rewrite(span.source.span(span.start + start, span.start + end), text, safe=safe)


def sign_between(left: Span, right: Span, word: str, text: str, *, safe: bool) -> tuple[Fix, ...]:
    """The fix that writes another sign between two values."""
    between = left.source.span(left.end, right.start)
    if between.text.strip() != word:
        return ()
    start = between.start + between.text.index(word)
    return rewrite(left.source.span(start, start + len(word)), text, safe=safe)


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


def take_out_word(span: Span, what: str) -> tuple[Fix, ...]:
    """The fix that deletes a word with the blanks behind it; somebody has to look at it."""
    end = span.end
    while span.source.text[end : end + 1] == " ":
        end += 1
    return (Fix(f"take out {what}", (Edit(span.source.span(span.start, end), ""),), False),)


def take_out_line(span: Span, what: str) -> tuple[Fix, ...]:
    """The fix that deletes a line that holds nothing but a place."""
    source = span.source
    start = source.line_starts[span.line - 1]
    line = _LINE.match(source.text, start)
    assert line is not None
    if line[0].strip() != span.text.strip():
        return ()
    return (Fix(f"take out {what}", (Edit(source.span(start, line.end()), ""),), False),)


def take_out_lines(span: Span, what: str) -> tuple[Fix, ...]:
    """The fix that deletes a key that begins a line, with all that is indented under it.

    Whoever deletes what nothing uses may have meant to use it: it is never safe. The key around it
    goes as well if it would hold nothing. There is no fix for a key in brackets, or behind a dash.
    """
    source = span.source
    line = span.line
    indent = source.line_text(line)[: span.column - 1]
    if indent.strip(" "):
        return ()
    last = _last_line_under(source, line, len(indent))
    while (above := _only_child_of(source, line, last)) is not None:
        line = above
    end = source.line_starts[last] if last < source.line_count else len(source.text)
    return (
        Fix(f"take out {what}", (Edit(source.span(source.line_starts[line - 1], end), ""),), False),
    )


def to_the_left_edge(span: Span) -> Hint:
    """To begin a section at the left edge, and what is under it as much further left.

    Something else may have its name, and then stands right: somebody has to look at it.
    """
    source, line, depth = span.source, span.line, span.column - 1
    name = span.text
    help = f"begin `{name}:` at the left edge, and what is under it as much further left"
    if not depth or source.line_text(line)[:depth].strip(" "):
        return {"help": help, "fixes": ()}
    starts = source.line_starts
    edits = tuple(
        Edit(source.span(starts[each - 1], starts[each - 1] + depth), "")
        for each in range(line, _last_line_under(source, line, depth) + 1)
        if source.line_text(each)[:depth] == " " * depth
    )
    return {"help": help, "fixes": (Fix(f"begin `{name}` at the left edge", edits, False),)}


def _last_line_under(source: Source, line: int, depth: int) -> int:
    """The last line that says something and stands deeper than a key."""
    last = line
    for each in range(line + 1, source.line_count + 1):
        text = source.line_text(each)
        if text.strip():
            if len(text) - len(text.lstrip(" ")) <= depth:
                break
            last = each
    return last


def _only_child_of(source: Source, first: int, last: int) -> int | None:
    """The line of the key that holds nothing but these lines."""
    depth = _depth(source, first)
    lines = (each for each in range(first - 1, 0, -1) if not _is_about(source, each, depth))
    above = next(lines, 0)
    below = range(last + 1, source.line_count + 1)
    after = next((each for each in below if source.line_text(each).strip()), 0)
    if not above or not re.fullmatch(r" *[^\s#-][^#]*:\s*(#.*)?", source.line_text(above)):
        return None
    if _depth(source, above) >= depth or (after and _depth(source, after) > _depth(source, above)):
        return None
    return above


def _is_about(source: Source, line: int, depth: int) -> bool:
    """Whether a line says nothing, or is a comment that stands as deep as what follows."""
    text = source.line_text(line)
    words = text.strip()
    return not words or (words.startswith("#") and _depth(source, line) >= depth)


def _depth(source: Source, line: int) -> int:
    text = source.line_text(line)
    return len(text) - len(text.lstrip(" "))


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

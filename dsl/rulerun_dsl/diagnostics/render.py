"""Diagnostics for people, for programs, and for GitHub.

Assumes: diagnostics, in the order in which they are to be shown.
Does: writes them out; reads nothing but the sources they point into.
Leaves behind: text. Nothing here prints.

Text of a rules file may go to a terminal, so a stand-in replaces every character that would steer
one (`source.safe_text`). A caret must stand under the character it means: a wide character takes
two columns, a combining one none, and a tab is drawn as the spaces up to its next stop. A line too
long for a screen is shown around the place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity
from rulerun_dsl.source.safe_text import as_json, visible
from rulerun_dsl.source.spans import Span

SCHEMA_VERSION = 1

_TAB_STOP = 4
_LONGEST_EXCERPT = 120
_CONTEXT = 40

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_BLUE = "\x1b[1;34m"
_COLORS = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.INFO: "\x1b[1;36m",
}


def render_text(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:
    """Return the diagnostics with an excerpt and a caret each, a blank line between them."""
    return "\n".join(_text(diagnostic, color) for diagnostic in diagnostics)


def _text(diagnostic: Diagnostic, color: bool) -> str:
    def paint(text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if color and text else text

    hue = _COLORS[diagnostic.severity]
    head = paint(f"{diagnostic.severity}[{diagnostic.code}]", hue)
    lines = [f"{head}{paint(': ' + visible(diagnostic.message), _BOLD)}"]
    spans = [related.span for related in diagnostic.related]
    if diagnostic.span is not None:
        spans.insert(0, diagnostic.span)
    margin = " " * max((len(str(span.line)) for span in spans), default=1)
    bar = paint("|", _BLUE)

    def place(span: Span, arrow: str, mark: str, style: str, label: str) -> Iterator[str]:
        where = f"{visible(span.source.name)}:{span.line}:{span.column}"
        yield f"{margin}{paint(arrow, _BLUE)} {where}"
        excerpt, before, width = _excerpt(span)
        if not excerpt.strip():
            if label:
                yield f"{margin} {paint('=', _BLUE)} {label}"
            return
        number = str(span.line).rjust(len(margin))
        label = f" {label}" if label else ""
        yield f"{margin} {bar}"
        yield f"{paint(number, _BLUE)} {bar} {excerpt}".rstrip()
        yield f"{margin} {bar} {' ' * before}{paint(mark * width + label, style)}"

    if diagnostic.span is not None:
        lines.extend(place(diagnostic.span, "-->", "^", hue, ""))
    for related in diagnostic.related:
        lines.extend(place(related.span, ":::", "-", _BLUE, visible(related.message)))
    if diagnostic.help is not None:
        lines.append(
            f"{margin} {paint('=', _BLUE)} {paint('help', _BOLD)}: {visible(diagnostic.help)}"
        )
    return "\n".join(lines) + "\n"


def _excerpt(span: Span) -> tuple[str, int, int]:
    """Return the line to show, the columns before the place, and those of the place."""
    line, column = span.line, span.column
    text = span.source.line_text(line)
    start = min(column - 1, len(text))
    end = min(span.end_column - 1, len(text)) if span.end_line == line else len(text.rstrip())
    end = max(end, start)
    # Of a very long line, show the place with what is around it.
    first, last = 0, len(text)
    if len(text) > _LONGEST_EXCERPT:
        first = max(0, start - _CONTEXT) if start > _LONGEST_EXCERPT - _CONTEXT else 0
        last = min(len(text), first + _LONGEST_EXCERPT)
        end = min(end, last)
    lead = "…" if first else ""
    tail = "…" if last < len(text) else ""
    shown, before, until = lead, len(lead), len(lead)
    width = len(lead)
    for place in range(first, last):
        if place == start:
            before = width
        if place == end:
            until = width
        drawn, columns = _draw(text[place], width)
        shown += drawn
        width += columns
    if start >= last:
        before = width
    if end >= last:
        until = width
    return shown + tail, before, max(1, until - before)


def _draw(character: str, column: int) -> tuple[str, int]:
    """Return how to show a character, and how many columns it takes."""
    if character == "\t":
        columns = _TAB_STOP - column % _TAB_STOP
        return " " * columns, columns
    character = visible(character)
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return character, 0
    return character, 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes; what steers one counts as its stand-in.

    >>> columns_of("prince"), columns_of("王子"), columns_of("é")
    (6, 4, 1)
    """
    return len(text) if text.isascii() else sum(_draw(each, 0)[1] for each in text)


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the diagnostics as a JSON text with a schema version."""
    every = list(diagnostics)
    found = {
        "schema_version": SCHEMA_VERSION,
        "diagnostics": [_as_data(diagnostic) for diagnostic in every],
        "summary": {severity.value: _count(every, severity) for severity in Severity},
    }
    return as_json(found)


def _as_data(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "code": diagnostic.code,
        "slug": diagnostic.slug,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **_place_as_data(diagnostic.span),
        "help": diagnostic.help,
        "page": f"reference/diagnostics/{diagnostic.code}.md",
        "related": [
            {"message": related.message, **_place_as_data(related.span)}
            for related in diagnostic.related
        ],
        "fixes": [
            {
                "title": fix.title,
                "safe": fix.safe,
                "edits": [{**_place_as_data(each.span), "text": each.text} for each in fix.edits],
            }
            for fix in diagnostic.fixes
        ],
    }


def _place_as_data(span: Span | None) -> dict[str, object]:
    """Return a place; rows and columns begin at 1, columns count code points."""
    if span is None:
        return {"filename": None, "location": None, "end_location": None}
    return {
        "filename": span.source.name,
        "location": {"row": span.line, "column": span.column},
        "end_location": {"row": span.end_line, "column": span.end_column},
    }


_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render_github(
    diagnostics: Iterable[Diagnostic], path: Callable[[str], str] = lambda name: name
) -> str:
    """Return the diagnostics as workflow commands, which GitHub shows beside the lines.

    `path` says what a file is called in the repository.
    """
    return "".join(_github(diagnostic, path) for diagnostic in diagnostics)


def _github(diagnostic: Diagnostic, path: Callable[[str], str]) -> str:
    properties = {"title": f"{diagnostic.code} {diagnostic.slug}"}
    span = diagnostic.span
    if span is not None:
        properties["file"] = path(span.source.name)
        properties["line"] = str(span.line)
        properties["col"] = str(span.column)
        properties["endLine"] = str(span.end_line)
        # In a place of several lines an end column would be taken for one of the first line.
        if span.end_line == span.line:
            properties["endColumn"] = str(span.end_column)
    message = diagnostic.message
    if diagnostic.help is not None:
        message += f"\nhelp: {diagnostic.help}"
    return github_command(_GITHUB[diagnostic.severity], properties, message)


def github_command(name: str, properties: Mapping[str, str], message: str) -> str:
    """Return one workflow command, on one line whatever it is made of."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_message(message)}\n"


def _message(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Return how many there are of each severity, in words.

    >>> summary([])
    'no problems found'
    """
    every = list(diagnostics)
    words = {
        Severity.ERROR: ("error", "errors"),
        Severity.WARNING: ("warning", "warnings"),
        Severity.INFO: ("note", "notes"),
    }
    counts = [(_count(every, severity), words[severity]) for severity in Severity]
    named = [f"{count} {one if count == 1 else many}" for count, (one, many) in counts if count]
    return ", ".join(named) or "no problems found"


def _count(diagnostics: list[Diagnostic], severity: Severity) -> int:
    return sum(diagnostic.severity is severity for diagnostic in diagnostics)

"""The comments of a file, which YAML throws away and the language partly reads.

Assumes: a `Source`.
Does: looks for number signs between the scalars, where they can only start comments.
Leaves behind: comments in order. A trailing one such as `# RU-144` cites the printed rules; which
node it belongs to is for the reader of citations to say.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.error_context import LOADER
from rulerun_dsl.yaml.open_source import check_characters


@frozen
class Comment:
    """A comment: its line, its text without the number sign, and its place with it."""

    line: int
    text: str
    span: Span

    @property
    def trailing(self) -> bool:
        """Whether something stands before it on its line."""
        source = self.span.source
        return bool(source.text[source.line_starts[self.line - 1] : self.span.start].strip())


# Behind a bracket or a quote, libyaml wants no blank before it.
_COMMENT = re.compile(r"(?<![^\s\[\]{},\"'])#([^\r\n]*)")
_LINE = re.compile(r"[^\r\n]*")


def comments(source: Source) -> list[Comment]:
    """Return the comments of a file; where it has a syntax error, those before it."""
    if "#" not in source.text or check_characters(source):
        return []
    found: list[Comment] = []

    def gap(start: int, end: int) -> None:
        for match in _COMMENT.finditer(source.text, start, end):
            span = source.span(*match.span())
            found.append(Comment(span.line, match[1].strip(), span))

    place = 0
    # PyYAML's stubs say that an event may lack its marks, which it never does.
    events: Any = yaml.parse(source.text, Loader=LOADER)
    try:
        for event in events:
            kind = type(event)
            if kind is not yaml.ScalarEvent:
                continue
            start = event.start_mark.index
            gap(place, start)
            if event.style in ("|", ">"):
                # The line with the sign may bear a comment, the lines below may not.
                header = _LINE.match(source.text, start)
                assert header is not None
                gap(start, header.end())
            place = event.end_mark.index
    except yaml.YAMLError:
        return found
    gap(place, len(source.text))
    return found

"""The place where YAML gave up, and what stands around it.

Assumes: a text, and the error of PyYAML for it.
Does: finds the line, the tokens before the place and the brackets that are open there.
Leaves behind: a `Slip`, which the explanations in `errors` ask.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from rulerun_dsl.source.spans import Source, Span

# The pure reader of PyYAML is many times slower, but says the same.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Slip:
    """The text around an error, with what the explanations ask about it."""

    def __init__(self, source: Source, failure: yaml.YAMLError) -> None:
        self.source = source
        self.text = source.text
        self.said = str(getattr(failure, "problem", None) or failure)
        self.context = str(getattr(failure, "context", None) or "")
        mark = getattr(failure, "problem_mark", None)
        around = getattr(failure, "context_mark", None)
        self.place = min(mark.index if mark else 0, len(self.text))
        self.opening = min(around.index if around else self.place, len(self.text))
        self.character = self.text[self.place : self.place + 1]
        self.line, self.column = source.position(self.place)
        self.line_start = source.line_starts[self.line - 1]
        self.line_text = source.line_text(self.line)
        self.line_end = self.line_start + len(self.line_text)
        self.tokens = _tokens(self.text, self.place)
        self.open_brackets = _open_brackets(self.tokens)

    @property
    def previous(self) -> Any:
        """The last token with words before the error."""
        return self.tokens[-1] if self.tokens else None

    def on_this_line(self, token: Any) -> bool:
        """Tell whether a token ends on the line of the error."""
        return token is not None and token.end_mark.index >= self.line_start

    def rest(self, start: int) -> str:
        """Return the line from `start` on, without a comment, in brackets up to the next item."""
        line = re.split(r"\s#", self.text[start : self.line_end])[0]
        if self.open_brackets:
            line = re.split(r"[,\]}]", line)[0] or line
        return line.rstrip()

    def value(self) -> Span:
        """The value on the line of the error: what stands behind its dashes and its key."""
        before = self.text[self.line_start : self.place]
        value = re.match(r"(?:\s*-\s)*[^:]*:\s+|(?:\s*-\s)*\s*", before)
        start = self.line_start + (value.end() if value else 0)
        return self.span(start, start + len(self.rest(start)))

    def first_line(self, start: int) -> str:
        """The text from a place to the end of its line, without a comment."""
        line = re.split(r"[\r\n]", self.text[start:], maxsplit=1)[0]
        return re.split(r"\s#", line, maxsplit=1)[0].rstrip()

    def depth(self, line: int) -> int:
        """How many blanks a line begins with."""
        text = self.source.line_text(line)
        return len(text) - len(text.lstrip(" "))

    def span(self, start: int, end: int) -> Span:
        """Return a stretch of the text, cut to where there is text."""
        return Span(self.source, start, max(start, min(end, len(self.text))))

    def here(self) -> Span:
        """Return the rest of the line at the error, at least a character."""
        return self.span(self.place, max(self.place + 1, self.place + len(self.rest(self.place))))

    def first_words(self) -> Span:
        """Return the line at the error without its indentation."""
        words = self.line_text.lstrip()
        start = self.line_end - len(words)
        return self.span(start, start + len(self.rest(start)))


def _tokens(text: str, place: int) -> list[Any]:
    """Return the tokens before a place that stand for something written."""
    found: list[Any] = []
    try:
        for token in yaml.scan(text, Loader=LOADER):
            if token.start_mark.index >= place or token.end_mark.index > place:
                break
            if token.end_mark.index > token.start_mark.index and not isinstance(
                token, yaml.BlockEndToken
            ):
                found.append(token)
    except yaml.YAMLError:
        pass
    return found


def _open_brackets(tokens: list[Any]) -> list[int]:
    """Return the places of the brackets that are open behind the tokens."""
    places: list[int] = []
    for token in tokens:
        if isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken):
            places.append(token.start_mark.index)
        elif isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken) and places:
            places.pop()
    return places

"""What the words inside rules are, for colours: names by what they stand for, and keywords.

Assumes: an `Analysis`.
Leaves behind: stretches of the text that was analysed, in order, none inside another.
"""

from __future__ import annotations

import re

from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.symbols import all_uses
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.syntax.parser_tables import reserved_words

KINDS = (
    *("variable", "zone", "local", "member", "column", "function", "procedure", "kind", "type"),
    *("option", "constant", "library", "language", "keyword", "number"),
)
"""What a token may be."""

_ALIKE = {
    "attribute": "column",
    "slot": "procedure",
    "action": "procedure",
    "phase": "procedure",
    "table": "function",
    "board": "type",
    "player": "member",
}
_WORD = re.compile(r"\d+|[^\W\d]\w*")


@frozen
class Token:
    """A word, and what it is."""

    start: int
    end: int
    kind: str


def tokens(analysis: Analysis, file: str) -> list[Token]:
    """The words of the rules of a file."""
    source = analysis.sources.get(file)
    found: dict[int, Token] = {}
    for use in all_uses(analysis):
        if use.span.source is source:
            kind = _ALIKE.get(use.symbol.word, use.symbol.word)
            found[use.span.start] = Token(use.span.start, use.span.end, kind)
    keywords = reserved_words()
    for span, _ in analysis.recorder.types:
        if span.source is not source or "\n" in span.text:
            continue
        for each in _WORD.finditer(span.text):
            place = span.start + each.start()
            if each[0].isdigit():
                found.setdefault(place, Token(place, span.start + each.end(), "number"))
            elif each[0] in keywords:
                found.setdefault(place, Token(place, span.start + each.end(), "keyword"))
    last, kept = 0, []
    for token in sorted(found.values(), key=lambda each: each.start):
        if token.start >= last and token.kind in KINDS:
            kept.append(token)
            last = token.end
    return kept

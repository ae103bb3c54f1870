"""The place at which the parser stopped, and what can be asked about it.

Assumes: a text, its role, and the error of the parser.
Does: cuts the text into words, finds the statement in which the error lies, and asks the parser
what it could have accepted instead.
Leaves behind: a `Stop`, which the functions of `typos`, `phrases` and `missing` look at in turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lark import Lark
from lark.exceptions import UnexpectedInput, UnexpectedToken

from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.syntax.parser_tables import reserved_words

_WORD = re.compile(rf"{NAME}|\d+|\.\.|&&|\|\||<>|<=|>=|===|==|!=|\+=|-=|:=|\*\*|//|\S")

ARITHMETIC = frozenset(("+", "-", "*", "/", "//", "%", "**"))
COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "in", "is"))

# The value positions: the parser would take a number here.
_VALUE = "NUMBER"


@dataclass(frozen=True)
class Word:
    """A word, number or sign of the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Stop:
    """Where the parser stopped, and what it could have gone on with."""

    text: str
    role: str
    at: int
    expected: frozenset[str]

    @property
    def rest(self) -> str:
        """The text from the error on."""
        return self.text[self.at :]

    @property
    def found(self) -> Word | None:
        """The word at the error; nothing at the end of the text."""
        match = _WORD.match(self.text, self.at)
        return Word(match.group(), match.start(), match.end()) if match else None

    @property
    def before(self) -> list[Word]:
        """The words of this statement before the error."""
        words = [
            Word(match.group(), match.start(), match.end())
            for match in _WORD.finditer(self.text, 0, self.at)
        ]
        begin = 0
        for place, word in enumerate(words):
            if word.text == ";" and self.role == "block":
                begin = place + 1
        return words[begin:]

    @property
    def wants_value(self) -> bool:
        """Whether a value could stand here."""
        return _VALUE in self.expected

    @property
    def wants_statement(self) -> bool:
        """Whether a statement could begin here."""
        return "SHUFFLE" in self.expected

    @property
    def complete(self) -> bool:
        """Whether the text could have ended here."""
        return "$END" in self.expected

    @property
    def after_value(self) -> bool:
        """Whether a value has just ended."""
        if not self.before:
            return False
        word = self.before[-1].text
        if word in reserved_words():
            return word in ("true", "false", "none", "you", "this", "all", "kind")
        return word[0].isalnum() or word[0] in "_)]"


def begins(word: str) -> bool:
    """Whether a word could begin a value."""
    return word[0].isalnum() or word[0] == "_"


def stopped(text: str, role: str, error: UnexpectedInput, parser: Lark) -> Stop:
    """Return the place of an error of the parser."""
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    # At the end of the text Lark gives the place of the last token.
    place: Any = error.pos_in_stream
    at = len(text) if ended else int(place or 0)
    return Stop(text, role, at, _expected(text[:at], role, parser, error))


def _expected(before: str, role: str, parser: Lark, error: UnexpectedInput) -> frozenset[str]:
    """The terminals with which the text could have gone on.

    The parser completes what it can before it notices that a token does not fit; so the text up
    to there is parsed once more, and the parser asked before it sees that token.
    """
    interactive: Any = parser.parse_interactive(before, start=role)
    try:
        interactive.exhaust_lexer()
    except UnexpectedInput:
        return frozenset(getattr(error, "expected", ()))
    # The state behind a whole text accepts nothing, not even the end.
    return frozenset(interactive.accepts()) or frozenset(("$END",))

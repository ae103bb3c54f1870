"""What the parser's callbacks hand to one another while a node is under construction.

A node travels as a `Piece`, which knows where in the *text* it stands; the span says where in the
*file*, and between the two lie YAML's quotes and folds, so a span cannot be widened once it is
made. A few things the grammar lets through, because a conflict-free grammar cannot say them, are
refused by raising `Rejected`; `parse` makes that a diagnostic.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lark import Token

from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.yaml.nodes import Scalar


class Instead(NamedTuple):
    """What to write for something that is wrong."""

    text: str
    sure: bool = True
    """Whether nothing else can be meant."""
    place: tuple[int, int] | None = None
    """Where, if not in place of what is wrong."""


class Rejected(Exception):
    """Something the grammar takes and the language does not."""

    def __init__(
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        help: str,
        related: tuple[int, int, str] | None = None,
        instead: Instead | None = None,
    ) -> None:
        """Say what is wrong from `start` to `end`, and what mends it."""
        super().__init__(message)
        self.instead = instead
        self.related = related
        self.code = code
        self.message = message
        self.start = start
        self.end = end
        self.help = help


class Piece(NamedTuple):
    """A node, or part of one, and the stretch of the text it was made from."""

    start: int
    end: int
    node: Any


class Tail(NamedTuple):
    """The value at the end of a statement, and the suffix that belongs to the whole statement."""

    value: Piece
    end: int
    clauses: tuple[ast.ForClause, ...]
    condition: Any


Child = Any  # a Token, a Piece, a Tail, or a tuple of nodes


def start_of(child: Child) -> int:
    """Where a token or a piece begins in the text."""
    place: Any = child.start_pos if isinstance(child, Token) else child.start
    return int(place)


def end_of(child: Child) -> int:
    """Where a token, a piece or a tail ends in the text."""
    place: Any = child.end_pos if isinstance(child, Token) else child.end
    return int(place)


def pieces(children: list[Child]) -> list[Piece]:
    """The children that are not tokens."""
    return [child for child in children if not isinstance(child, Token)]


def nodes(children: list[Child]) -> tuple[Any, ...]:
    """The nodes among the children, without the commas and other signs between them."""
    return tuple(child.node for child in children if not isinstance(child, Token))


class PieceMaker:
    """Makes nodes of the text that is being parsed: one at a time."""

    scalar: Scalar
    text: str
    base: int

    def begin(self, scalar: Scalar, text: str, base: int) -> None:
        """Make ready for a text, which stands in the scalar from `base` on."""
        self.scalar, self.text, self.base = scalar, text, base

    def span(self, start: int, end: int) -> Span:
        """The place in the file of a stretch of the text."""
        return self.scalar.span_of(self.base + start, self.base + end)

    def token_span(self, token: Token) -> Span:
        """The place in the file of a token."""
        return self.span(start_of(token), end_of(token))

    def make(self, kind: Any, children: list[Child], *fields: Any) -> Piece:
        """A node that reaches from the first child to the last."""
        start, end = start_of(children[0]), end_of(children[-1])
        return Piece(start, end, kind(self.span(start, end), *fields))

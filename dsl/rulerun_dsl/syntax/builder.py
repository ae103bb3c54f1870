"""From the grammar's rules to the syntax tree: one method for each rule or alias of `grammar.lark`.

Assumes: the LALR parser calls the method of a rule as soon as the rule is complete, so children
come built and no walk over a tree, hence no recursion, is needed.
Does: makes the node, and gives it its span. While a node is under construction it travels as a
`Piece`, which knows where in the *text* it stands; the span says where in the *file*, and between
the two lie YAML's quotes and folds, so a span cannot be widened once it is made.
Leaves behind: nodes of `syntax`. A few things the grammar lets through, because a conflict-free
grammar cannot say them, are refused here by raising `Rejected`; `parse` makes that a diagnostic.

A pair of parentheses leaves no node, but the node inside takes their span, so that an excerpt of
`(a + b)` shows both of them.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any, NamedTuple

from lark import Token

from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.yaml.nodes import Scalar

MOST_DIGITS = 12
"""The most digits of a number; what fits 32 bits has ten."""


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
    ) -> None:
        super().__init__(message)
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


class Builder:
    """The callbacks of the parser. It knows which text is being parsed: one at a time."""

    scalar: Scalar
    text: str
    base: int

    def begin(self, scalar: Scalar, text: str, base: int) -> None:
        """Make ready for a text, which stands in the scalar from `base` on."""
        self.scalar, self.text, self.base = scalar, text, base

    def span(self, start: int, end: int) -> Span:
        return self.scalar.span_of(self.base + start, self.base + end)

    def token_span(self, token: Token) -> Span:
        return self.span(start_of(token), end_of(token))

    def make(self, kind: Any, children: list[Child], *fields: Any) -> Piece:
        """A node that reaches from the first child to the last."""
        start, end = start_of(children[0]), end_of(children[-1])
        return Piece(start, end, kind(self.span(start, end), *fields))

    # ------------------------------------------------------------------------------ statements

    def block(self, children: list[Child]) -> Piece:
        return self.make(ast.Block, children, nodes(children))

    def guarded(self, children: list[Child]) -> Piece:
        statement, _, condition = children
        return self.make(ast.Guarded, children, statement.node, condition.node)

    def repeated(self, children: list[Child]) -> Piece:
        condition = children[4].node if len(children) == 5 else None
        return self.make(ast.Repeated, children, children[0].node, children[2].node, condition)

    def finish(self, kind: Any, children: list[Child], *fields: Any) -> Piece:
        """A statement whose last child is a `Tail`: the suffix goes around the statement."""
        start, tail = start_of(children[0]), children[-1]
        end = tail.value.end
        statement = Piece(start, end, kind(self.span(start, end), *fields))
        if tail.clauses:
            whole = self.span(start, tail.end)
            repeated = ast.Repeated(whole, statement.node, tail.clauses, tail.condition)
            return Piece(start, tail.end, repeated)
        if tail.condition is not None:
            guarded = ast.Guarded(self.span(start, tail.end), statement.node, tail.condition)
            return Piece(start, tail.end, guarded)
        return statement

    def value(self, children: list[Child]) -> Tail:
        return Tail(children[0], children[0].end, (), None)

    def value_if(self, children: list[Child]) -> Tail:
        value, _, condition = children
        return Tail(value, condition.end, (), condition.node)

    def value_for(self, children: list[Child]) -> Tail:
        condition = children[4].node if len(children) == 5 else None
        return Tail(children[0], children[-1].end, children[2].node, condition)

    def value_twice_if(self, children: list[Child]) -> Tail:
        last = children[4]
        raise Rejected(
            "RR0310",
            "an `if` without `else` cannot follow `x if c else y`",
            last.start,
            last.end,
            "put the statement under `if:` and `then:`, or put parentheses around the value",
        )

    def twice_if(self, children: list[Child]) -> Piece:
        if len(children) == 5:
            return children[4]  # type: ignore[no-any-return]
        return Piece(start_of(children[1]), end_of(children[2]), None)

    def clauses(self, children: list[Child]) -> Piece:
        return Piece(children[0].start, children[-1].end, nodes(children))

    def clause(self, children: list[Child]) -> Piece:
        name, _, source = children
        return self.make(ast.ForClause, children, str(name), source.node)

    def give(self, children: list[Child]) -> Piece:
        return self.finish(ast.Give, children, children[1].value.node)

    def end_won(self, children: list[Child]) -> Piece:
        return self.finish(ast.EndGame, children, children[4].value.node)

    def let(self, children: list[Child]) -> Piece:
        _, name, _, tail = children
        fields = (str(name), self.token_span(name), None, tail.value.node)
        return self.finish(ast.Let, children, *fields)

    def let_typed(self, children: list[Child]) -> Piece:
        _, type_, name, _, tail = children
        fields = (str(name), self.token_span(name), type_.node, tail.value.node)
        return self.finish(ast.Let, children, *fields)

    def let_move(self, children: list[Child]) -> Piece:
        _, name, _, move = children
        return self.make(ast.Let, children, str(name), self.token_span(name), None, move.node)

    def let_typed_move(self, children: list[Child]) -> Piece:
        _, type_, name, _, move = children
        return self.make(ast.Let, children, str(name), self.token_span(name), type_.node, move.node)

    def assign(self, children: list[Child]) -> Piece:
        place, sign, tail = children
        self.changeable(place)
        return self.finish(ast.Assign, children, place.node, str(sign), tail.value.node)

    def assign_move(self, children: list[Child]) -> Piece:
        place, sign, move = children
        self.changeable(place)
        return self.make(ast.Assign, children, place.node, str(sign), move.node)

    def changeable(self, place: Piece) -> None:
        """Refuse what can never stand left of `=`."""
        if not isinstance(place.node, (ast.Name, ast.Attribute, ast.Index)):
            raise Rejected(
                "RR0311",
                f"`{self.text[place.start : place.end]}` cannot be set",
                place.start,
                place.end,
                "left of `=` stands a variable, a column or one of several: "
                "`gp`, `die.value`, `paid[p]`",
            )

    def roll_by(self, children: list[Child]) -> Piece:
        _, place, _, tail = children
        return self.finish(ast.Roll, children, place.node, tail.value.node, None)

    def sort(self, children: list[Child]) -> Piece:
        name, place, keys = children[1], children[3], children[5]
        earlier, tail = keys
        fields = (str(name), place.node, (*earlier, tail.value.node))
        return self.finish(ast.Sort, [children[0], tail], *fields)

    def last_key(self, children: list[Child]) -> tuple[tuple[Any, ...], Tail]:
        return (), children[0]

    def more_keys(self, children: list[Child]) -> tuple[tuple[Any, ...], Tail]:
        first, _, (others, tail) = children
        return (first.node, *others), tail

    def pass_(self, children: list[Child]) -> Piece:
        return self.make(ast.Pass, children)

    def stop(self, children: list[Child]) -> Piece:
        procedure = str(children[1]) if len(children) == 2 else None
        return self.make(ast.Stop, children, procedure)

    def end_game(self, children: list[Child]) -> Piece:
        return self.make(ast.EndGame, children, None)

    def shuffle(self, children: list[Child]) -> Piece:
        return self.make(ast.Shuffle, children, children[1].node)

    def swap(self, children: list[Child]) -> Piece:
        return self.make(ast.Swap, children, children[1].node, children[3].node)

    def show(self, children: list[Child]) -> Piece:
        return self.make(ast.Show, children, children[1].node, children[3].node)

    def show_all(self, children: list[Child]) -> Piece:
        everybody = ast.All(self.token_span(children[3]))
        return self.make(ast.Show, children, children[1].node, everybody)

    def roll(self, children: list[Child]) -> Piece:
        return self.make(ast.Roll, children, children[1].node, None, None)

    def roll_until(self, children: list[Child]) -> Piece:
        return self.make(ast.Roll, children, children[1].node, None, children[3].node)

    def roll_by_until(self, children: list[Child]) -> Piece:
        place, weight, until = nodes(children)
        return self.make(ast.Roll, children, place, weight, until)

    def reset(self, children: list[Child]) -> Piece:
        return self.make(ast.Reset, children, children[1].node)

    def do(self, children: list[Child]) -> Piece:
        self.callable(children[0])
        return self.make(ast.Do, children, children[0].node, None)

    def do_as(self, children: list[Child]) -> Piece:
        call, _, player = children
        self.callable(call)
        return self.make(ast.Do, children, call.node, player.node)

    def callable(self, piece: Piece) -> None:
        """Refuse a value where a statement should stand."""
        if isinstance(piece.node, (ast.Call, ast.RuleCall)):
            return
        text = self.text[piece.start : piece.end]
        if text in ("end", "move"):
            help = {"end": "write `end game`", "move": "write `move c to place`"}[text]
        elif isinstance(piece.node, (ast.Name, ast.Attribute)):
            help = f"a procedure is called with parentheses: `{text}()`"
        else:
            help = "a statement changes something: `x = 1`, `move c to hand`, `gain(2)`"
        raise Rejected("RR0312", f"`{text}` alone does nothing", piece.start, piece.end, help)

    def pick(self, children: list[Child]) -> Piece:
        given = {
            str(word): piece.node
            for word, piece in zip(children[6::2], children[7::2], strict=True)
        }
        place, source = children[1].node, children[5].node
        return self.make(ast.Pick, children, place, source, given.get("if"), given.get("by"))

    # ------------------------------------------------------------------------- the forms of move

    def move(
        self,
        children: list[Child],
        quantity: Any = None,
        up_to: bool = False,
        subject: Any = None,
        condition: Any = None,
        source: Any = None,
    ) -> Piece:
        to = children[-1].node
        return self.make(ast.Move, children, quantity, up_to, subject, condition, source, to)

    def move_one(self, children: list[Child]) -> Piece:
        return self.move(children, subject=children[1].node)

    def move_all(self, children: list[Child]) -> Piece:
        subject, condition = children[2]
        return self.move(children, quantity="all", subject=subject, condition=condition)

    def members(self, children: list[Child]) -> tuple[Any, Any]:
        return children[0].node, children[2].node if len(children) == 3 else None

    def move_some(self, children: list[Child]) -> Piece:
        quantity, source, _ = nodes(children)
        up_to = len(children) == 7
        if isinstance(quantity, ast.All) and not up_to:
            # `move all from deck to hand` is `move all deck to hand`.
            return self.move(children, quantity="all", subject=source)
        return self.move(children, quantity=quantity, up_to=up_to, source=source)

    def move_which(self, children: list[Child]) -> Piece:
        up_to = isinstance(children[1], Token)
        at = 2 if up_to else 1
        quantity, name, _, source = children[at : at + 4]
        condition = children[at + 5].node if children[at + 4].type == "IF" else None
        binder = self.make(ast.Membership, [name, source], self.named(name), source.node, False)
        return self.move(children, quantity.node, up_to, subject=binder.node, condition=condition)

    # -------------------------------------------------------- binders, signatures and types

    def binders(self, children: list[Child]) -> Piece:
        return self.make(ast.Binders, children, nodes(children), None)

    def binders_if(self, children: list[Child]) -> Piece:
        *items, condition = nodes(children)
        return self.make(ast.Binders, children, tuple(items), condition)

    def binder(self, children: list[Child]) -> Piece:
        name, _, source = children
        fields = (str(name), self.token_span(name), source.node, None, None)
        return self.make(ast.Binder, children, *fields)

    def binder_several(self, children: list[Child]) -> Piece:
        low, _, high, name, _, source = children
        fields = (str(name), self.token_span(name), source.node, low.node, high.node)
        return self.make(ast.Binder, children, *fields)

    def signature(self, children: list[Child]) -> Piece:
        name = children[0]
        parameters: tuple[Any, ...] = ()
        condition = None
        for child in pieces(children):
            if isinstance(child.node, tuple):
                parameters = child.node
            else:
                condition = child.node
        fields = (parameters, condition, len(children) > 1)
        return self.make(ast.Signature, children, str(name), self.token_span(name), *fields)

    def parameters(self, children: list[Child]) -> Piece:
        return Piece(children[0].start, children[-1].end, nodes(children))

    def parameter(self, children: list[Child]) -> Piece:
        type_, name = children
        return self.make(ast.Parameter, children, str(name), type_.node, None)

    def parameter_in(self, children: list[Child]) -> Piece:
        type_, name, _, source = children
        return self.make(ast.Parameter, children, str(name), type_.node, source.node)

    def parameter_of(self, children: list[Child]) -> Piece:
        name, _, source = children
        return self.make(ast.Parameter, children, str(name), None, source.node)

    def indexed(self, children: list[Child]) -> Piece:
        name = children[0]
        return self.make(ast.Indexed, children, str(name), self.token_span(name), nodes(children))

    def declared(self, children: list[Child]) -> Piece:
        start = children[2].node if len(children) == 3 else None
        return self.make(ast.Declared, children, children[0].node, start)

    def type_or_none(self, children: list[Child]) -> Piece:
        return self.make(ast.OptionalType, children, children[0].node)

    def type_name(self, children: list[Child]) -> Piece:
        return self.make(ast.NamedType, children, str(children[0]))

    def type_kind(self, children: list[Child]) -> Piece:
        return self.make(ast.KindType, children, str(children[0]))

    def type_range(self, children: list[Child]) -> Piece:
        return self.make(ast.RangeType, children, children[0].node, children[2].node)

    def type_order(self, children: list[Child]) -> Piece:
        return self.make(ast.OrderType, children, str(children[2]))

    def type_set(self, children: list[Child]) -> Piece:
        return self.make(ast.SetType, children, children[2].node)

    def superlative(self, children: list[Child]) -> Piece:
        return self.make(ast.Superlative, children, *map(str, children))

    def every(self, children: list[Child]) -> Piece:
        return self.make(ast.Every, children, tuple(map(str, children[1::2])))

    # ----------------------------------------------------------------------------- expressions

    def all(self, children: list[Child]) -> Piece:
        return self.make(ast.All, children)

    def if_else(self, children: list[Child]) -> Piece:
        value, condition, alternative = children[0::2]
        if isinstance(value, Token):
            value = self.all([value])
        return self.make(ast.IfElse, children, value.node, condition.node, alternative.node)

    def logic(self, children: list[Child]) -> Piece:
        return self.make(ast.Logic, children, str(children[1]), nodes(children))

    def unary(self, children: list[Child]) -> Piece:
        return self.make(ast.Unary, children, str(children[0]), children[1].node)

    def binary(self, children: list[Child]) -> Piece:
        left, sign, right = children
        return self.make(ast.Binary, children, str(sign), left.node, right.node)

    def compare(self, children: list[Child]) -> Piece:
        left, sign, right = children
        return self.make(ast.Compare, children, str(sign), left.node, right.node)

    def membership(self, children: list[Child]) -> Piece:
        left, right, negated = children[0].node, children[-1].node, len(children) == 4
        return self.make(ast.Membership, children, left, right, negated)

    def is_(self, children: list[Child]) -> Piece:
        left, right, negated = children[0].node, children[-1].node, len(children) == 4
        return self.make(ast.Is, children, left, right, negated)

    def range(self, children: list[Child]) -> Piece:
        return self.make(ast.Range, children, children[0].node, children[2].node)

    def otherwise(self, children: list[Child]) -> Piece:
        return self.make(ast.Otherwise, children, children[0].node, children[2].node)

    def the(self, children: list[Child]) -> Piece:
        return self.make(ast.The, children, children[1].node)

    def components_of(self, children: list[Child]) -> Piece:
        return self.make(ast.ComponentsOf, children, str(children[0]), children[2].node)

    def attribute(self, children: list[Child]) -> Piece:
        return self.make(ast.Attribute, children, children[0].node, str(children[2]))

    def rule_call(self, children: list[Child]) -> Piece:
        base, name = children[0].node, str(children[2])
        arguments = children[4].node if len(children) == 6 else ()
        return self.make(ast.RuleCall, children, base, name, arguments)

    def index(self, children: list[Child]) -> Piece:
        base, *indexes = nodes(children)
        return self.make(ast.Index, children, base, tuple(indexes))

    def named(self, token: Token) -> ast.Name | ast.You:
        """The name a binder binds, as an expression."""
        if token.type == "YOU":
            return ast.You(self.token_span(token))
        return ast.Name(self.token_span(token), str(token))

    def name(self, children: list[Child]) -> Piece:
        return self.make(ast.Name, children, str(children[0]))

    def number(self, children: list[Child]) -> Piece:
        if len(children[0]) > MOST_DIGITS:
            raise Rejected(
                "RR0329",
                f"a number of {len(children[0])} digits is longer than {MOST_DIGITS}",
                start_of(children[0]),
                end_of(children[0]),
                help="a game counts from -2147483648 to 2147483647",
            )
        return self.make(ast.Number, children, int(children[0]))

    def truth(self, children: list[Child]) -> Piece:
        return self.make(ast.Truth, children, children[0].type == "TRUE")

    def nothing(self, children: list[Child]) -> Piece:
        return self.make(ast.Nothing, children)

    def you(self, children: list[Child]) -> Piece:
        return self.make(ast.You, children)

    def this(self, children: list[Child]) -> Piece:
        return self.make(ast.This, children)

    def kind_name(self, children: list[Child]) -> Piece:
        return self.make(ast.KindName, children, str(children[0]))

    def group(self, children: list[Child]) -> Piece:
        start, end = start_of(children[0]), end_of(children[2])
        node = dataclasses.replace(children[1].node, span=self.span(start, end))
        return Piece(start, end, node)

    def list_of(self, children: list[Child]) -> Piece:
        return self.make(ast.ListOf, children, nodes(children))

    def call(self, children: list[Child]) -> Piece:
        name = children[0]
        arguments = children[2].node if len(children) == 4 else ()
        return self.make(ast.Call, children, str(name), self.token_span(name), arguments)

    def arguments(self, children: list[Child]) -> Piece:
        for left, right in pairwise(pieces(children)):
            self.comma_for_for(left, right)
        return Piece(children[0].start, children[-1].end, nodes(children))

    def comma_for_for(self, left: Piece, right: Piece) -> None:
        """Refuse `e for x in S, y in T`: the comma would begin the next argument."""
        binder = right.node.subject if isinstance(right.node, ast.Filtered) else right.node
        if (
            isinstance(left.node, ast.Comprehension)
            and left.node.condition is None
            and isinstance(binder, ast.Membership)
            and isinstance(binder.left, ast.Name)
        ):
            raise Rejected(
                "RR0328",
                "a comma does not go on with a `for`",
                left.end,
                right.start,
                "write `for` again: `sum(e for x in S for y in T)`",
            )

    def comprehension(self, children: list[Child]) -> Piece:
        value, *rest = nodes(children)
        condition = rest.pop() if isinstance(children[-2], Token) else None
        return self.make(ast.Comprehension, children, value, tuple(rest), condition)

    def clause_for(self, children: list[Child]) -> Piece:
        _, name, _, source = children
        return self.make(ast.ForClause, children, str(name), source.node)

    def filtered(self, children: list[Child]) -> Piece:
        subject, _, condition = children
        return self.make(ast.Filtered, children, subject.node, condition.node, ())

    def ranked(self, children: list[Child]) -> Piece:
        condition = children[2].node if len(children) == 5 else None
        subject, keys = children[0].node, children[-1].node
        return self.make(ast.Filtered, children, subject, condition, keys)

    def keys(self, children: list[Child]) -> Piece:
        return Piece(children[0].start, children[-1].end, nodes(children))

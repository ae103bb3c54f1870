"""From the grammar's rules to expressions, binders, signatures and types.

One method for each rule or alias of `grammar.lark`, as in `tree_builder`, which adds the
statements. A pair of parentheses leaves no node, but the node inside takes their span, so that an
excerpt of `(a + b)` shows both of them.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

from lark import Token

from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.syntax.pieces import (
    Child,
    Instead,
    Piece,
    PieceMaker,
    Rejected,
    end_of,
    nodes,
    pieces,
    start_of,
)

MOST_DIGITS = 12
"""The most digits of a number; what fits 32 bits has ten."""


class ExpressionBuilder(PieceMaker):
    """The callbacks for everything below a statement."""

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

    def binder_every(self, children: list[Child]) -> Piece:
        _, name, _, source = children
        fields = (str(name), self.token_span(name), source.node, None, None, True)
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

    def after(self, children: list[Child]) -> Piece:
        return self.make(ast.After, children, children[0].node, children[2].node)

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
            and left.node.clauses[-1].condition is None
            and isinstance(binder, ast.Membership)
            and isinstance(binder.left, ast.Name)
        ):
            raise Rejected(
                "RR0328",
                "a comma does not go on with a `for`",
                left.end,
                right.start,
                "write `for` again: `sum(e for x in S for y in T)`",
                instead=Instead(" for "),
            )

    def comprehension(self, children: list[Child]) -> Piece:
        value, *clauses = nodes(children)
        return self.make(ast.Comprehension, children, value, tuple(clauses))

    def clause_for(self, children: list[Child]) -> Piece:
        _, name, _, source, *_ = children
        so_long, condition = behind("WHILE", children), behind("IF", children)
        return self.make(ast.ForClause, children, str(name), source.node, so_long, condition)

    def filtered(self, children: list[Child]) -> Piece:
        so_long, condition = behind("WHILE", children), behind("IF", children)
        return self.make(ast.Filtered, children, children[0].node, condition, (), so_long)

    def ranked(self, children: list[Child]) -> Piece:
        so_long, condition = behind("WHILE", children), behind("IF", children)
        subject, keys = children[0].node, children[-1].node
        return self.make(ast.Filtered, children, subject, condition, keys, so_long)

    def keys(self, children: list[Child]) -> Piece:
        return Piece(children[0].start, children[-1].end, nodes(children))


def behind(word: str, children: list[Child]) -> Any:
    """What stands behind a word among the parts of a rule; None if the word is not there."""
    for place, child in enumerate(children):
        if isinstance(child, Token) and child.type == word:
            return children[place + 1].node
    return None

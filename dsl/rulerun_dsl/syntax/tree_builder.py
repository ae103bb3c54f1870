"""From the grammar's rules to the syntax tree: one method for each rule or alias of `grammar.lark`.

Assumes: the LALR parser calls the method of a rule as soon as the rule is complete, so children
come built and no walk over a tree, hence no recursion, is needed.
Does: makes the node, and gives it its span.
Leaves behind: nodes of `expressions`. What the grammar lets through and the language does not is
refused by raising `Rejected` (see `pieces`).

The statements are made here, and what stands in them by `expression_builder`.
"""

from __future__ import annotations

from typing import Any

from lark import Token

from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.syntax.expression_builder import ExpressionBuilder, behind
from rulerun_dsl.syntax.pieces import Child, Instead, Piece, Rejected, Tail, end_of, nodes, start_of


class Builder(ExpressionBuilder):
    """The callbacks of the parser."""

    def block(self, children: list[Child]) -> Piece:
        return self.make(stmt.Block, children, nodes(children))

    def guarded(self, children: list[Child]) -> Piece:
        statement, _, condition = children
        return self.make(stmt.Guarded, children, statement.node, condition.node)

    def repeated(self, children: list[Child]) -> Piece:
        statement, *clauses = nodes(children)
        return self.make(stmt.Repeated, children, statement, tuple(clauses))

    def finish(self, kind: Any, children: list[Child], *fields: Any) -> Piece:
        """A statement whose last child is a `Tail`: the suffix goes around the statement."""
        start, tail = start_of(children[0]), children[-1]
        end = tail.value.end
        statement = Piece(start, end, kind(self.span(start, end), *fields))
        if tail.clauses:
            whole = self.span(start, tail.end)
            repeated = stmt.Repeated(whole, statement.node, tail.clauses)
            return Piece(start, tail.end, repeated)
        if tail.condition is not None:
            guarded = stmt.Guarded(self.span(start, tail.end), statement.node, tail.condition)
            return Piece(start, tail.end, guarded)
        return statement

    def value(self, children: list[Child]) -> Tail:
        return Tail(children[0], children[0].end, (), None)

    def value_if(self, children: list[Child]) -> Tail:
        value, _, condition = children
        return Tail(value, condition.end, (), condition.node)

    def value_for(self, children: list[Child]) -> Tail:
        value, *clauses = children
        return Tail(value, clauses[-1].end, nodes(clauses), None)

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

    def loops(self, children: list[Child]) -> Piece:
        return self.make(ast.Loops, children, nodes(children))

    def loop(self, children: list[Child]) -> Piece:
        every = children[0].type == "EVERY"
        name, _, source, *_ = children[every:]
        so_long, condition = behind("WHILE", children), behind("IF", children)
        fields = (str(name), source.node, so_long, condition, every)
        return self.make(ast.ForClause, children, *fields)

    def for_loop(self, children: list[Child]) -> Piece:
        return children[1]  # type: ignore[no-any-return]

    def give(self, children: list[Child]) -> Piece:
        return self.finish(stmt.Give, children, children[1].value.node)

    def end_won(self, children: list[Child]) -> Piece:
        return self.finish(stmt.EndGame, children, children[4].value.node)

    def let(self, children: list[Child]) -> Piece:
        _, name, _, tail = children
        fields = (str(name), self.token_span(name), None, tail.value.node)
        return self.finish(stmt.Let, children, *fields)

    def let_typed(self, children: list[Child]) -> Piece:
        _, type_, name, _, tail = children
        fields = (str(name), self.token_span(name), type_.node, tail.value.node)
        return self.finish(stmt.Let, children, *fields)

    def let_move(self, children: list[Child]) -> Piece:
        _, name, _, move = children
        return self.make(stmt.Let, children, str(name), self.token_span(name), None, move.node)

    def let_typed_move(self, children: list[Child]) -> Piece:
        _, type_, name, _, move = children
        return self.make(
            stmt.Let, children, str(name), self.token_span(name), type_.node, move.node
        )

    def assign(self, children: list[Child]) -> Piece:
        place, sign, tail = children
        self.changeable(place)
        at, behind = start_of(sign), end_of(sign)
        if sign == "=" and self.text[at - 1] == " " and self.text[behind : behind + 2] == "- ":
            # `x = -1` and `x=-1` are right; with these blanks it is a slip for `-=`.
            target = self.text[place.start : place.end]
            value = self.text[behind + 2 : tail.value.end].strip()
            raise Rejected(
                "RR0319",
                "`=-` takes nothing away",
                at,
                behind + 1,
                f"write `{target} -= {value}`, or `{target} = -{value}` for a number below 0",
                instead=Instead("-=", False),
            )
        return self.finish(stmt.Assign, children, place.node, str(sign), tail.value.node)

    def assign_move(self, children: list[Child]) -> Piece:
        place, sign, move = children
        self.changeable(place)
        return self.make(stmt.Assign, children, place.node, str(sign), move.node)

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
        return self.finish(stmt.Roll, children, place.node, tail.value.node, None)

    def sort(self, children: list[Child]) -> Piece:
        name, place, keys = children[1], children[3], children[5]
        earlier, tail = keys
        fields = (str(name), place.node, (*earlier, tail.value.node))
        return self.finish(stmt.Sort, [children[0], tail], *fields)

    def last_key(self, children: list[Child]) -> tuple[tuple[Any, ...], Tail]:
        return (), children[0]

    def more_keys(self, children: list[Child]) -> tuple[tuple[Any, ...], Tail]:
        first, _, (others, tail) = children
        return (first.node, *others), tail

    def pass_(self, children: list[Child]) -> Piece:
        return self.make(stmt.Pass, children)

    def stop(self, children: list[Child]) -> Piece:
        procedure = str(children[1]) if len(children) == 2 else None
        return self.make(stmt.Stop, children, procedure)

    def end_game(self, children: list[Child]) -> Piece:
        return self.make(stmt.EndGame, children, None)

    def shuffle(self, children: list[Child]) -> Piece:
        return self.make(stmt.Shuffle, children, children[1].node)

    def swap(self, children: list[Child]) -> Piece:
        return self.make(stmt.Swap, children, children[1].node, children[3].node)

    def show(self, children: list[Child]) -> Piece:
        return self.make(stmt.Show, children, children[1].node, children[3].node)

    def show_all(self, children: list[Child]) -> Piece:
        everybody = ast.All(self.token_span(children[3]))
        return self.make(stmt.Show, children, children[1].node, everybody)

    def roll(self, children: list[Child]) -> Piece:
        return self.make(stmt.Roll, children, children[1].node, None, None)

    def roll_until(self, children: list[Child]) -> Piece:
        return self.make(stmt.Roll, children, children[1].node, None, children[3].node)

    def roll_by_until(self, children: list[Child]) -> Piece:
        place, weight, until = nodes(children)
        return self.make(stmt.Roll, children, place, weight, until)

    def reset(self, children: list[Child]) -> Piece:
        return self.make(stmt.Reset, children, children[1].node)

    def remember(self, children: list[Child]) -> Piece:
        return self.make(stmt.Remember, children, children[1].node)

    def do(self, children: list[Child]) -> Piece:
        if isinstance(children[0].node, ast.Name) and children[0].node.text == "again":
            # No keyword: a name that stands alone says nothing else.
            return self.make(stmt.Again, children)
        self.callable(children[0])
        return self.make(stmt.Do, children, children[0].node, None)

    def do_as(self, children: list[Child]) -> Piece:
        call, _, player = children
        self.callable(call)
        return self.make(stmt.Do, children, call.node, player.node)

    def callable(self, piece: Piece) -> None:
        """Refuse a value where a statement should stand."""
        if isinstance(piece.node, (ast.Call, ast.RuleCall)):
            return
        text = self.text[piece.start : piece.end]
        instead = None
        if text in ("end", "move"):
            help = {"end": "write `end game`", "move": "write `move c to place`"}[text]
        elif isinstance(piece.node, (ast.Name, ast.Attribute)):
            help = f"a procedure is called with parentheses: `{text}()`"
            instead = Instead(f"{text}()", isinstance(piece.node, ast.Name))
        else:
            help = "a statement changes something: `x = 1`, `move c to hand`, `gain(2)`"
        message = f"`{text}` alone does nothing"
        raise Rejected("RR0312", message, piece.start, piece.end, help, instead=instead)

    def pick(self, children: list[Child]) -> Piece:
        given = {
            str(word): piece.node
            for word, piece in zip(children[6::2], children[7::2], strict=True)
        }
        place, source = children[1].node, children[5].node
        return self.make(stmt.Pick, children, place, source, given.get("if"), given.get("by"))

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
        return self.make(stmt.Move, children, quantity, up_to, subject, condition, source, to)

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

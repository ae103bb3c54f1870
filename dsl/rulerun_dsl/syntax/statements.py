"""The abstract syntax of one-line statements, as `parse` makes them of the text of a line."""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax.expressions import (
    Call,
    Expression,
    ForClause,
    Node,
    RuleCall,
    TypeExpression,
)


@frozen
class Pass(Node):
    """`pass`: nothing happens."""


@frozen
class Stop(Node):
    """`stop` or `stop PROC`: leave the innermost procedure, or a named one that is running."""

    procedure: str | None


@frozen
class EndGame(Node):
    """`end game` or `end game won by p`."""

    winner: Expression | None


@frozen
class Give(Node):
    """`give e`: the value of a procedure; leaves it."""

    value: Expression


@frozen
class Let(Node):
    """`let [TYPE] name = value`; the value may be a `Move` of one component."""

    name: str
    name_span: Span
    type: TypeExpression | None
    value: Expression | Move


@frozen
class Assign(Node):
    """`place = value`, `+=`, `-=`."""

    place: Expression
    operator: str
    value: Expression | Move


@frozen
class Move(Node):
    """All the forms of `move`.

    | text | quantity | subject | condition | source |
    | --- | --- | --- | --- | --- |
    | `move c to Z` | None | `c` | | |
    | `move all hand[p] to Z`, `move every c in hand if e to Z` | `"all"` | `hand[p]` / `c in hand` | `e` | |
    | `move 3 from deck to Z`, `move up to 3 from deck to Z` | `3` | | | `deck` |
    | `move 1 c in Z if e to Y`, `move up to 2 c in Z to Y` | `1` | `c in Z` | `e` | |
    """  # noqa: E501 (a table)

    quantity: Expression | str | None
    up_to: bool
    subject: Expression | None
    condition: Expression | None
    source: Expression | None
    to: Expression


@frozen
class Shuffle(Node):
    """`shuffle Z`."""

    place: Expression


@frozen
class Swap(Node):
    """`swap A with B`: two zones, two variables or two components."""

    left: Expression
    right: Expression


@frozen
class Show(Node):
    """`show Z to p`: a zone or a component becomes known to a player (or to `all`)."""

    what: Expression
    to: Expression


@frozen
class Roll(Node):
    """`roll x [by weight] [until condition]`; in both, `x` is the outcome."""

    place: Expression
    weight: Expression | None
    until: Expression | None


@frozen
class Pick(Node):
    """`pick x at random from S [by weight]`; `x` is a place, or a new name after `let`."""

    place: Expression
    source: Expression
    condition: Expression | None
    weight: Expression | None


@frozen
class Sort(Node):
    """`sort x in Z by k then m`: reorder an ordered zone or an `order of player`, stable.

    `binder` is the name that stands for a member in the keys; `place` what is sorted.
    """

    binder: str
    place: Expression
    keys: tuple[Expression, ...]


@frozen
class Reset(Node):
    """`reset x`: back to the start value."""

    place: Expression


@frozen
class Remember(Node):
    """`remember seen`: the position as it is now goes into a history."""

    place: Expression


@frozen
class Do(Node):
    """A call as a statement: `eat()`, `gain(2) as owner`, `tile.gives()`."""

    call: Call | RuleCall
    player: Expression | None


@frozen
class Again(Node):
    """`again`: whoever has the turn has the next one too."""


@frozen
class Guarded(Node):
    """`statement if condition`."""

    statement: Statement
    condition: Expression


@frozen
class Repeated(Node):
    """`statement for x in S if c for y in T if d`."""

    statement: Statement
    clauses: tuple[ForClause, ...]


Statement = (
    Pass
    | Stop
    | EndGame
    | Give
    | Let
    | Assign
    | Move
    | Shuffle
    | Swap
    | Show
    | Roll
    | Pick
    | Sort
    | Reset
    | Remember
    | Do
    | Again
    | Guarded
    | Repeated
)


@frozen
class Block(Node):
    """Statements joined by `;`."""

    statements: tuple[Statement, ...]


FORMS = {
    "let": "write `let name = value` or `let 0..9 name = value`",
    "move": "write `move c to place`, `move all zone to place`, `move 2 from deck to hand` "
    "or `move 1 c in hand if c.red to place`",
    "shuffle": "write `shuffle zone`",
    "swap": "write `swap a with b`",
    "show": "write `show hand to p`",
    "roll": "write `roll die`, `roll die by weight` or `roll die until condition`",
    "pick": "write `pick x at random from S`",
    "sort": "write `sort x in zone by key then other_key`",
    "reset": "write `reset x`",
    "remember": "write `remember history`",
    "give": "write `give value`",
    "stop": "write `stop` or `stop procedure`",
    "pass": "write `pass` alone",
    "end": "write `end game` or `end game won by p`",
}
"""By the first word of a statement: how it is written, for who writes it wrongly."""

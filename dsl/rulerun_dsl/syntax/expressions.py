"""The abstract syntax of expressions, binders, signatures and types.

What `parse` makes of one string of a rules file. Nothing here knows what a name means: names are
bound by the checker. Every node carries the `Span` of the text it came from, so that each later
finding can point at the file. Structure above the line (`if/then`, `for/do`, `choose`) is YAML and
stays a document; only what is inside a string becomes a node.
"""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Node:
    """Anything with a place in a file."""

    span: Span


# ------------------------------------------------------------------------------- expressions


@frozen
class Name(Node):
    """A word: variable, zone, constant, member, row, function without parameters."""

    text: str


@frozen
class Number(Node):
    """A whole number, never negative (a minus is a `Unary`)."""

    value: int


@frozen
class Truth(Node):
    """`true` or `false`."""

    value: bool


@frozen
class Nothing(Node):
    """`none`."""


@frozen
class You(Node):
    """`you`: the player whose rule this is."""


@frozen
class This(Node):
    """`this`: the component whose rule slot runs."""


@frozen
class All(Node):
    """`all`: as an index everybody's (`safe[all]`), in `visible:` every viewer."""


@frozen
class KindName(Node):
    """`card kind`: the rows of a kind, as a collection (`guess in card kind`)."""

    kind: str


@frozen
class ListOf(Node):
    """`(a, b)`: a list, in this order. Always two items or more."""

    items: tuple[Expression, ...]


@frozen
class Unary(Node):
    """`not x` or `-x`."""

    operator: str
    operand: Expression


@frozen
class Binary(Node):
    """Arithmetic (`+ - * // / % **`); `+` also joins collections."""

    operator: str
    left: Expression
    right: Expression


@frozen
class Compare(Node):
    """`== != < <= > >=`; never chained."""

    operator: str
    left: Expression
    right: Expression


@frozen
class Membership(Node):
    """`x in z`, `x not in z`. As the head of a quantifier it is a binder: `count(c in hand)`."""

    left: Expression
    right: Expression
    negated: bool


@frozen
class Is(Node):
    """`x is NAME`, `x is not NAME`: the right side is looked up in the type of the left."""

    left: Expression
    right: Expression
    negated: bool


@frozen
class Logic(Node):
    """`and` / `or` of two or more operands, left to right, short-circuit."""

    operator: str
    operands: tuple[Expression, ...]


@frozen
class After(Node):
    """`value after PROC(…)`: what the value would be, had the procedure run."""

    value: Expression
    call: Expression


@frozen
class IfElse(Node):
    """`value if condition else alternative`."""

    value: Expression
    condition: Expression
    alternative: Expression


@frozen
class Otherwise(Node):
    """`a otherwise b`: a value unless none, a collection or zone unless empty."""

    left: Expression
    right: Expression


@frozen
class Range(Node):
    """`low..high`, both ends included."""

    low: Expression
    high: Expression


@frozen
class Attribute(Node):
    """`x.name`: a column, or an index written with a dot (`track.farm`)."""

    base: Expression
    name: str


@frozen
class RuleCall(Node):
    """`x.name(arguments)`: the rule slot of a component."""

    base: Expression
    name: str
    arguments: tuple[Expression, ...]


@frozen
class Index(Node):
    """`x[i, j]`; an index may be `All`."""

    base: Expression
    indexes: tuple[Expression, ...]


@frozen
class The(Node):
    """`the x`: one is sure that it is there."""

    operand: Expression


@frozen
class ComponentsOf(Node):
    """`stag of p`: the components of a kind (or row) that have this owner."""

    kind: str
    owner: Expression


@frozen
class ForClause(Node):
    """`for x in S while c if d`."""

    name: str
    source: Expression
    so_long: Expression | None = None
    """`while`: no member is come to behind the first one for which it does not hold."""
    condition: Expression | None = None
    every: bool = False
    """Of a statement: the members are those that there are before the first pass."""


@frozen
class Loops(Node):
    """`x in S if c for y in T if d` under `for:`: a loop in a loop."""

    items: tuple[ForClause, ...]


@frozen
class Comprehension(Node):
    """`e for x in S for y in T if c`: one value for each."""

    value: Expression
    clauses: tuple[ForClause, ...]


@frozen
class Filtered(Node):
    """`x in S while d if c by a then b`: what passes, and by what it is compared."""

    subject: Expression
    condition: Expression | None
    keys: tuple[Expression, ...]
    so_long: Expression | None = None


@frozen
class Call(Node):
    """`name(arguments)`: a function, a procedure, or a word of the library."""

    name: str
    name_span: Span
    arguments: tuple[Argument, ...]


Expression = (
    Name
    | Number
    | Truth
    | Nothing
    | You
    | This
    | All
    | KindName
    | ListOf
    | Unary
    | Binary
    | Compare
    | Membership
    | Is
    | Logic
    | After
    | IfElse
    | Otherwise
    | Range
    | Attribute
    | RuleCall
    | Index
    | The
    | ComponentsOf
    | Call
)
Argument = Expression | Comprehension | Filtered


# ----------------------------------------------------------- binders, signatures and types


@frozen
class NamedType(Node):
    """`bool`, `player`, `direction`, an enumeration, a kind, a board or a declared type."""

    name: str


@frozen
class KindType(Node):
    """`card kind`: a row of a kind, as a value."""

    kind: str


@frozen
class RangeType(Node):
    """`lo..hi`: whole numbers within constant bounds."""

    low: Expression
    high: Expression


@frozen
class OrderType(Node):
    """`order of player`: a permutation."""

    name: str


@frozen
class SetType(Node):
    """`set of T`."""

    element: TypeExpression


@frozen
class OptionalType(Node):
    """`T or none`."""

    inner: TypeExpression


TypeExpression = NamedType | KindType | RangeType | OrderType | SetType | OptionalType


@frozen
class Binder(Node):
    """`c in hand`, or `1..3 t in larder` (several; `low` and `high` are then given)."""

    name: str
    name_span: Span
    source: Expression
    low: Expression | None
    high: Expression | None
    every: bool = False
    """The members are those that there are before the first pass."""


@frozen
class Binders(Node):
    """`x in S, y in T if condition`."""

    items: tuple[Binder, ...]
    condition: Expression | None


@frozen
class Parameter(Node):
    """`TYPE name`, `TYPE name in S`, or `name in S`. The implicit one is `player you`."""

    name: str
    type: TypeExpression | None
    source: Expression | None


@frozen
class Signature(Node):
    """`name`, `name(parameters)`, `name(x in S if condition)`.

    `called` tells `name()` and `name(…)` (True) from a bare `name`.
    """

    name: str
    name_span: Span
    parameters: tuple[Parameter, ...]
    condition: Expression | None
    called: bool


@frozen
class Indexed(Node):
    """The key of a zone or variable: `hand[player]`, `plan[player, deed]`, `at[1..4]`."""

    name: str
    name_span: Span
    indexes: tuple[TypeExpression, ...]


@frozen
class Declared(Node):
    """`TYPE` or `TYPE = start`."""

    type: TypeExpression
    start: Expression | None


@frozen
class Superlative(Node):
    """`highest score`, `lowest score`: the value of `winner:`."""

    direction: str
    score: str


@frozen
class Every(Node):
    """`every rank and suit`: the value of `rows:`."""

    columns: tuple[str, ...]


@frozen
class Template(Node):
    """The text of `say:` and `ask:`: words with `<expression>` in them."""

    parts: tuple[str | Expression, ...]

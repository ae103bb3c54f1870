"""The expressions of the model: trees that have a type and a place.

Evaluating one never writes the state. A scalar gives a whole number or None; a collection a list.
"""

from __future__ import annotations

from rulerun_dsl.model.valuetypes import Type
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Expression:
    """Base of all expressions: what it gives and where it stands."""

    type: Type
    span: Span


@frozen
class Literal(Expression):
    """A constant; `None` is none."""

    value: int | None


@frozen
class Setting(Expression):
    """The value of an option, not yet fixed. Only while checking; never in a `Game`."""

    name: str


@frozen
class Register(Expression):
    """A binder of an expression, a parameter of a function, or `viewer`/`owner` of a visibility."""

    index: int


@frozen
class Local(Expression):
    """A local of the running frame: slot `offset` of it. `None` is written as `none_code`."""

    offset: int
    name: str


@frozen
class Variable(Expression):
    """`name[indexes]` of the state. An index that is `None` means every value (stores only)."""

    name: str
    indexes: tuple[Expression | None, ...]


@frozen
class State(Expression):
    """A mutable attribute of a component (`die.face`)."""

    kind: str
    attribute: str
    component: Expression


@frozen
class Lookup(Expression):
    """A constant table: columns of rows, members and sites, and declared tables.

    `values[sum((index - low) * stride)]`; an index that is none gives none.
    """

    name: str
    values: tuple[int | None, ...]
    indexes: tuple[Expression, ...]
    lows: tuple[int, ...]
    strides: tuple[int, ...]


@frozen
class RowOf(Expression):
    """The row of a component; none of none."""

    kind: str
    component: Expression


@frozen
class OwnerOf(Expression):
    """The owner of a component (`each: player`); none of none."""

    kind: str
    component: Expression


@frozen
class SiteOf(Expression):
    """`where(c)`: the first index of the zone of family `zone` that holds the component.

    None of none, and when it lies in no zone of that family.
    """

    kind: str
    zone: str
    component: Expression


@frozen
class Arithmetic(Expression):
    """`+ - * // % **` on whole numbers; `/` gives an exact fraction (in `returns` only)."""

    operator: str
    left: Expression
    right: Expression


@frozen
class Comparison(Expression):
    """`== != < <= > >=`. `==` and `!=` know none; the others fail on it (a rule error)."""

    operator: str
    left: Expression
    right: Expression


@frozen
class Not(Expression):
    """Logical negation."""

    operand: Expression


@frozen
class And(Expression):
    """`a and b and …`, left to right, stops at the first false."""

    operands: tuple[Expression, ...]


@frozen
class Or(Expression):
    """`a or b or …`, left to right, stops at the first true."""

    operands: tuple[Expression, ...]


@frozen
class Conditional(Expression):
    """`value if condition else alternative`; scalars or collections."""

    condition: Expression
    value: Expression
    alternative: Expression


@frozen
class Otherwise(Expression):
    """`left` unless it is none (scalars) or empty (collections), else `right`."""

    left: Expression
    right: Expression


@frozen
class NotNone(Expression):
    """The operand, which must not be none: else a rule error that shows `what`."""

    operand: Expression
    what: str


@frozen
class RangeCheck(Expression):
    """The operand, a number that must lie in the range of `type`: else a rule error."""

    operand: Expression


@frozen
class FunctionCall(Expression):
    """A call of `Game.functions[function]`; arguments go to its registers, left to right."""

    function: int
    arguments: tuple[Expression, ...]


@frozen
class SlotCall(Expression):
    """A call of an expression slot (`card.needs()`): one function for each row.

    `component` is the component, or a row by itself; the first argument is the same once more.
    """

    kind: str
    component: Expression
    functions: tuple[int, ...]
    arguments: tuple[Expression, ...]


@frozen
class After(Expression):
    """`value after PROC(…)`: the value in the state that the procedure would leave.

    Nothing is written, told or drawn: the procedure runs on a copy. `arguments` go to the
    parameters of the procedure, `you` first where it needs one. `does` is what the procedure
    evaluates on its way, arguments in place of parameters: executors leave it, analyses read it.
    """

    procedure: str
    arguments: tuple[Expression, ...]
    value: Expression
    does: tuple[Expression, ...]


@frozen
class Clause:
    """`for register in source if condition` of a quantifier."""

    register: int
    source: Expression
    condition: Expression | None


@frozen
class Quantifier(Expression):
    """What a library word says of a collection.

    `word` is a word of the library (`LIBRARY`) whose node is this. `value` is what is asked of each
    member (None: it is counted), `keys` what members are compared by, one after another, `number`
    how many of the best are wanted.
    """

    word: str
    clauses: tuple[Clause, ...]
    value: Expression | None
    keys: tuple[Expression, ...]
    number: Expression | None


@frozen
class Contains(Expression):
    """`value in collection`; false for none."""

    value: Expression
    collection: Expression


@frozen
class BuiltinCall(Expression):
    """A word of the library that works on boards and players, by name.

    `word` is a word of the library (`LIBRARY`) whose node is this; `arguments` are in its order.
    `board` names the board, `clause` binds the site that is tested.
    """

    word: str
    board: str
    arguments: tuple[Expression, ...]
    clause: Clause | None = None
    relation: int | None = None
    """For `reach` and `distance` by a function: its index; its last parameter is the node."""


# ----------------------------------------------------------------------------------- collections


@frozen
class Members(Expression):
    """The components in a zone or in several of a family (an index that is `None` is any).

    In order for an ordered zone (top first), else in canonical order (row, owner, attributes,
    zone); alike counted components repeat.
    """

    zone: str
    indexes: tuple[Expression | None, ...]


@frozen
class Occupant(Expression):
    """The component in a zone for one; none if it is empty."""

    zone: str
    indexes: tuple[Expression, ...]


@frozen
class OfKind(Expression):
    """All components of a kind, or those of one owner or one row, wherever they lie."""

    kind: str
    owner: Expression | None
    row: Expression | None


@frozen
class Values(Expression):
    """All values of a finite type, in order: `low..high` (`low` evaluated first)."""

    low: Expression
    high: Expression


@frozen
class Clockwise(Expression):
    """The players from `start` on, round the table; `others` leaves `start` out."""

    start: Expression
    others: bool


@frozen
class Listed(Expression):
    """`(a, b)`: these, in this order; none is left out."""

    items: tuple[Expression, ...]


@frozen
class Joined(Expression):
    """`a + b` of collections, left first."""

    left: Expression
    right: Expression


@frozen
class Unpacked(Expression):
    """The members of a stored set, order or multiset, as a collection."""

    operand: Expression


@frozen
class Running(Expression):
    """`running(PROC)`: is the procedure on the control stack."""

    procedure: str

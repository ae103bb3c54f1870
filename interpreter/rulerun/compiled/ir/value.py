"""The values of a program: expressions over slots, local numbers, tables and rows.

An expression has no effect and may be evaluated at any time, except for its checks: `Both`,
`Either` and `Select` evaluate only what they need.
"""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen

NONE = -(1 << 40)
"""What is not there."""
WORDS = 1 << 30
"""From this address on stand numbers that are no slots: only back ends write such addresses."""
LEAST, MOST = -(1 << 31), (1 << 31) - 1
"""The bounds of what a rule may reckon: 32 bits."""


@frozen
class Const:
    """A number."""

    value: int


@frozen
class Var:
    """A local number."""

    name: str


@frozen
class Slot:
    """The slot at an address."""

    address: Value


@frozen
class Binary:
    """`+ - * // % ** & | ^ << >> min max == != < <= > >=`; division rounds down."""

    operator: str
    left: Value
    right: Value


@frozen
class Not:
    """1 if it is 0, else 0."""

    operand: Value


@frozen
class Both:
    """The right one, if the left one holds."""

    left: Value
    right: Value


@frozen
class Either:
    """The left one, if it holds, else the right one."""

    left: Value
    right: Value


@frozen
class Select:
    """One of two values."""

    condition: Value
    yes: Value
    no: Value


@frozen
class TableLoad:
    """An entry of a constant table; the index is inside it."""

    table: str
    index: Value


@frozen
class Call:
    """The value of a function."""

    function: str
    arguments: tuple[Value, ...]


@frozen
class Checked:
    """A value that must lie in `low..high`, or the run fails. `name` holds it meanwhile."""

    value: Value
    low: int
    high: int
    name: str


@frozen
class Decoded:
    """A value as a slot writes it: the number `code` means none. `name` holds it meanwhile."""

    value: Value
    code: int
    name: str


@frozen
class Maybe:
    """None if the value is none, else `inside`, in which `name` is the value."""

    value: Value
    inside: Value
    name: str


@frozen
class OrElse:
    """The value, or, if it is none, another. `name` holds it meanwhile."""

    value: Value
    other: Value
    name: str


@frozen
class CountEqual:
    """How many of `number` slots from `base` on hold a value."""

    base: int
    number: int
    value: Value


@frozen
class FindEqual:
    """Which of `number` slots from `base` on is the first to hold a value; none without."""

    base: int
    number: int
    value: Value


@frozen
class SumSlots:
    """The sum of `number` slots from an address on."""

    address: Value
    number: int


@frozen
class EqualMask:
    """Which of `number` slots from `base` on hold a value: a bit for each, however many."""

    base: int
    number: int
    value: Value


@frozen
class OnTop:
    """Which component leaves an ordered zone first; none if the zone is empty.

    `number` components; from `base` on stands where each lies, from `positions` on its position
    from the bottom, counted from 0. A stack is left from its top, a queue from its front.
    """

    base: int
    positions: int
    number: int
    zone: Value
    stack: bool


@frozen
class NthBit:
    """The place of a set bit of a number, by how many set bits stand below it."""

    value: Value
    below: Value


@frozen
class LowestBit:
    """The place of the lowest set bit of a number that is not 0."""

    value: Value


@frozen
class HighestBit:
    """The place of the highest set bit of a number that is not 0."""

    value: Value


@frozen
class BitCount:
    """How many bits of a number are set."""

    value: Value


@frozen
class Length:
    """How many rows there are."""

    rows: str


@frozen
class RowGet:
    """A number of one of the rows; the index is inside."""

    rows: str
    index: Value
    column: int


Value = (
    Const
    | Var
    | Slot
    | Binary
    | Not
    | Both
    | Either
    | Select
    | TableLoad
    | Call
    | Checked
    | Decoded
    | Maybe
    | OrElse
    | CountEqual
    | FindEqual
    | SumSlots
    | EqualMask
    | LowestBit
    | HighestBit
    | NthBit
    | OnTop
    | BitCount
    | Length
    | RowGet
)

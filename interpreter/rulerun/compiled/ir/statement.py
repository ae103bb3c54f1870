"""The statements of a program: what writes, branches, makes rows and leaves a run."""

from __future__ import annotations

from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen


@frozen
class Assign:
    """A local number gets a value."""

    name: str
    value: Value


@frozen
class StoreSlot:
    """A slot gets a value."""

    address: Value
    value: Value


@frozen
class Add:
    """A slot grows by a value."""

    address: Value
    value: Value


@frozen
class Fill:
    """`number` slots from an address on get one value."""

    address: Value
    number: int
    value: int


@frozen
class Copy:
    """`number` slots from an address on get what stands in those from another on."""

    to: Value
    source: Value
    number: int


@frozen
class If:
    """One of two blocks."""

    condition: Value
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@frozen
class For:
    """The block for each number from `low` up to, but without, `high`."""

    name: str
    low: Value
    high: Value
    body: tuple[Statement, ...]


@frozen
class Each:
    """The block for each number of one list of a table of lists."""

    name: str
    table: str
    index: Value
    body: tuple[Statement, ...]


@frozen
class EachEqual:
    """The block for each of `number` slots from `base` on, by its place, that holds a value.

    The block must not write those slots.
    """

    name: str
    base: int
    number: int
    value: Value
    body: tuple[Statement, ...]


@frozen
class EachBit:
    """The block for each set bit of a number, by its place, the lowest first."""

    name: str
    value: Value
    body: tuple[Statement, ...]


@frozen
class EachRow:
    """The block for each row, its numbers in `names`."""

    names: tuple[str, ...]
    rows: str
    body: tuple[Statement, ...]


@frozen
class While:
    """The block as long as a condition holds."""

    condition: Value
    body: tuple[Statement, ...]


@frozen
class Break:
    """Leave the innermost loop."""


@frozen
class Return:
    """Leave the function with a value."""

    value: Value


@frozen
class Fail:
    """Give the run up: here the rules go wrong."""


@frozen
class NewRows:
    """Rows of `width` numbers; never more than `most`. `filled` rows of 0 are there already."""

    name: str
    width: int
    most: int
    filled: int = 0


@frozen
class NewBits:
    """A set of so many numbers, from 0 on, as the bits of one local number; nothing is in it.

    It may be wider than 64 bits, and so may what is made of it by `& | ^ << >>`; what is wider
    stays inside the function.
    """

    name: str
    many: int


@frozen
class Push:
    """One row more."""

    rows: str
    numbers: tuple[Value, ...]


@frozen
class RowSet:
    """The number of a row of one; the index is inside."""

    rows: str
    index: Value
    value: Value


@frozen
class SortRows:
    """Rows by their numbers, the first column first, ascending."""

    rows: str


@frozen
class Swap:
    """Rows `to` become what rows `source` are, which are not used again."""

    to: str
    source: str


@frozen
class CallLister:
    """Rows made by a lister: what may be chosen, or what may fall."""

    name: str
    lister: str
    width: int


@frozen
class Eval:
    """Evaluate a value for its checks, or call a function for what it does."""

    value: Value


@frozen
class Jump:
    """Go on at an instruction."""

    to: Value


@frozen
class Rest:
    """Wait at this instruction; `rows` is what may be chosen, or what may fall."""

    at: int
    rows: str


@frozen
class Signal:
    """Leave the run: what ran is over, or a `together` opens."""

    word: str
    """`over`, `part_done`, `open`, `supposed`."""
    at: int


@frozen
class Suppose:
    """The block; then every slot holds again what it held before it.

    It writes none but those in `runs`, each a base and a number, and those from `Program.rest` on;
    without `runs` it may write any. So it is where the run is given up as well. The block may run
    code (`RUN`) to the signal `supposed`; code that is supposed to run writes slots only, and never
    waits. As it has not run, the first `counters` of coverage are brought back as well: those of
    code.
    """

    body: tuple[Statement, ...]
    counters: int = 0
    runs: tuple[tuple[int, int], ...] | None = None


@frozen
class Count:
    """One more for a counter (coverage)."""

    counter: int


@frozen
class Spend:
    """One evaluation more of those that are counted: too many give the run up."""


Statement = (
    Assign
    | StoreSlot
    | Add
    | Fill
    | Copy
    | If
    | For
    | Each
    | EachEqual
    | EachBit
    | EachRow
    | While
    | Break
    | Return
    | Fail
    | NewBits
    | NewRows
    | Push
    | RowSet
    | SortRows
    | Swap
    | CallLister
    | Eval
    | Jump
    | Rest
    | Signal
    | Suppose
    | Count
    | Spend
)
Body = tuple[Statement, ...]

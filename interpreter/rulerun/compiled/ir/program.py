"""The intermediate representation: what a game is lowered to, and what back ends translate.

Everything is a whole number of 64 bits. A program works on one vector of slots (the state, as
`model.Layout` lays it out), on named local numbers, on constant tables, and on *rows*: bounded
lists of equally long tuples of numbers, which live as long as the function that makes them, or are
handed to whoever plays (`Rest`).

There is no text and no place in a program. What can go wrong is a `Checked` value out of its
bounds or a `Fail`: then the run is given up, and the reference executor is asked what happened.

None of the rules is `NONE`, a number that no rule can reach; a slot writes it as its type says.
Expressions have no effect and may be evaluated at any time, but for their checks: `Both`, `Either`
and `Select` evaluate only what they need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from rulerun_dsl.source.frozen import frozen

NONE = -(1 << 40)
"""What is not there."""
WORDS = 1 << 30
"""From this address on stand numbers that are no slots: only back ends write such addresses."""
LEAST, MOST = -(1 << 31), (1 << 31) - 1
"""The bounds of what a rule may reckon: 32 bits."""


# -------------------------------------------------------------------------------- expressions


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
    """Which of `number` slots (up to 64) from `base` on hold a value: a bit for each."""

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


# --------------------------------------------------------------------------------- statements


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
    """Leave the run: the game is over, a part of a `together` is done, or one opens."""

    word: str
    """`over`, `part_done`, `open`."""
    at: int


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
    | Count
    | Spend
)
Body = tuple[Statement, ...]


# ------------------------------------------------------------------------------------ program


@frozen
class Function:
    """A function of numbers. It reads the slots, and writes them if it `writes`.

    Every one takes the start of the running frame first, if the program has several frames.
    """

    name: str
    parameters: tuple[str, ...]
    body: Body
    about: str
    """What it is, for readers of the program: the text of the rules it comes from."""
    framed: bool = False
    """Whether it needs the start of the running frame."""
    remembered: bool = False
    """Whether it searches: while a lister runs, and nothing is written, each search is done once.
    """


@frozen
class Lister:
    """A function that makes rows: what may be chosen at a question, what may fall."""

    name: str
    width: int
    most: int
    body: Body
    """Fills the rows `found`."""
    about: str
    remembers: bool = False
    """Whether it comes to a function that searches."""


@frozen
class Block:
    """What one instruction of the model does; ends in `Jump`, `Rest`, `Signal` or `Fail`."""

    at: int
    body: Body
    about: str


@frozen
class Question:
    """An instruction at which a game may rest."""

    at: int
    lister: str
    columns: tuple[str, ...]
    """What the numbers of a row are called where it is settled."""
    chance: bool
    """Rows are (id, weight, slot) of what may fall, else (action, line, slots of the names)."""
    player: Value
    """Who decides."""
    settle: Body
    """What taking a row does; ends in `Jump`."""

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.columns)


@frozen
class Together:
    """A `together` of the code."""

    at: int
    players: str
    """The lister of who takes part, ascending (rows of one)."""
    variable: int
    body: int
    done: int


@frozen
class Program:
    """A game, lowered."""

    name: str
    fingerprint: str
    size: int
    """Slots of the state."""
    base: int
    frame: int
    """Where frame 0 starts, and how many slots a frame has."""
    frames: int
    players: int
    functions: tuple[Function, ...]
    listers: tuple[Lister, ...]
    blocks: tuple[Block, ...]
    questions: tuple[Question, ...]
    togethers: tuple[Together, ...]
    tables: tuple[tuple[str, tuple[int, ...]], ...]
    lists: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]
    entry: int
    """The instruction at which a game begins."""
    begin: tuple[int, ...]
    """The state before set-up."""
    live: tuple[int, int]
    shadow: int
    rest: int
    """From here on nothing is left when the game is over."""
    restart: Body
    """What starts anew when the game is over."""
    lines: int
    """Lines of the scoring."""
    judge: Lister
    """Rows of (place, 1 if a winner, value of each line) by player."""
    returns_may_fail: bool
    """Whether the judge of the reference must be asked if the returns can be worked out."""
    canonical: Body
    """Brings copies that nothing tells apart into order, at rest."""
    steps: int
    """The most instructions between two rests."""
    decisions: int
    """The declared bound on decisions of one play."""
    counters: int
    """Counters of coverage; 0 without."""
    evaluations: int = 0
    """How many evaluations that are counted are allowed between two rests; 0: none is counted."""
    wide: bool = False
    """Whether some number may have more than 64 bits."""


def inside(node: object) -> Iterator[object]:
    """The parts of a value or statement, one level down."""
    for item in fields(node):  # type: ignore[arg-type]  # every part of a program is a dataclass
        part = getattr(node, item.name)
        if isinstance(part, tuple):
            yield from (each for each in part if hasattr(each, "__dataclass_fields__"))
        elif hasattr(part, "__dataclass_fields__"):
            yield part

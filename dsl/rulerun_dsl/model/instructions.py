"""The instructions of the model: flat code with jumps, one list for the whole game.

After one instruction comes the next, unless it says otherwise.
"""

from __future__ import annotations

from rulerun_dsl.model.expressions import Expression, Local, State, Variable
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class ZoneAt:
    """One zone (or, where an index is `None`, several of a family) as a place."""

    zone: str
    indexes: tuple[Expression | None, ...]
    span: Span


@frozen
class InstructionBase:
    """What all instructions have. After one comes the next, unless it says otherwise."""

    span: Span


Target = Local | Variable | State


@frozen
class Store(InstructionBase):
    """`target = value` (`operator` is `=`, `+=` or `-=`).

    Evaluated: the target's indexes, the value, then read, then store. The target's type is
    checked (a rule error outside), `clamp` is the declared `above: stop`. An index of `None`
    stores in all, the value being evaluated once.
    """

    target: Target
    operator: str
    value: Expression
    clamp: bool = False


@frozen
class Clear(InstructionBase):
    """Locals whose block ends: back to 0."""

    offsets: tuple[int, ...]


@frozen
class Jump(InstructionBase):
    """Go on at `to`."""

    to: int


@frozen
class Unless(InstructionBase):
    """Go on at `to` unless the condition holds."""

    condition: Expression
    to: int


@frozen
class Loop:
    """The cursor of a `for` or `turns`.

    `mode`:

    * `values`: the set's values ascending; `cursor` holds the last one visited. The set is read
      again for each pass; what lies behind the cursor is not visited.
    * `counted`: components that are counted; `cursor` holds 1 + the place in canonical order of
      the current class, `second` the passes it still has. Alike ones get a pass each.
    * `sequence`: a list whose order is meant; `cursor` counts positions, `second` holds what was
      fixed at entry (the start of `clockwise`), else is unused.
    * `positions`: an ordered zone from its top; `cursor` is the position, `second` the length at
      the last pass (the body may move away the current one).
    * `turns`: round the table for ever; `cursor` counts steps, `second` is the first player.
    """

    mode: str
    variable: Local
    cursor: int
    second: int
    third: int
    source: Expression
    condition: Expression | None
    """Reads the loop's variable as `Local`: it is stored before the condition is asked."""


@frozen
class LoopStart(InstructionBase):
    """Fix what is fixed at entry; the cursor before the first."""

    loop: Loop


@frozen
class LoopNext(InstructionBase):
    """Take the next member into the loop's variable, or clear the loop and go on at `done`."""

    loop: Loop
    done: int


@frozen
class RepeatStart(InstructionBase):
    """`offset` = how often, evaluated once (below 0 counts as 0)."""

    offset: int
    count: Expression


@frozen
class RepeatNext(InstructionBase):
    """One pass fewer, or, none left, go on at `done`."""

    offset: int
    done: int


@frozen
class Call(InstructionBase):
    """Run a procedure: arguments to its parameters' slots, then its entry, then the next here.

    `result`: where the given value goes when it comes back (None: nowhere).
    """

    procedure: int
    arguments: tuple[Expression, ...]
    result: Target | None


@frozen
class CallSlot(InstructionBase):
    """Run the rule slot of a component or a row: `procedures[row]`, or nothing for None."""

    kind: str
    component: Expression
    slot: str
    procedures: tuple[int | None, ...]
    arguments: tuple[Expression, ...]


@frozen
class Queue(InstructionBase):
    """A call of a `queued:` or `stacked:` procedure from inside its cycle: waits its turn.

    `circle`: the procedures of the cycle whose calls wait, in one order for all of them.
    """

    procedure: int
    arguments: tuple[Expression, ...]
    circle: tuple[int, ...]


@frozen
class Drain(InstructionBase):
    """Run the first waiting call and come back here, or, none waiting, go on.

    It stands after a call that entered a cycle from outside.
    """

    procedures: tuple[int, ...]


@frozen
class Return(InstructionBase):
    """Leave the procedure: clear its slots, go on after the call."""

    procedure: int


@frozen
class StopTo(InstructionBase):
    """`stop PROC`: unwind to where the call of `procedure` stands and go on after it."""

    procedure: int


@frozen
class GiveValue(InstructionBase):
    """`give e`: the procedure's value; then as `Return`."""

    procedure: int
    value: Expression


@frozen
class OptionBinder:
    """One binder of an option: values of `source` (a collection, read with earlier binders set).

    While options are listed the value stands in `register`; once taken, in the local `local`.
    `low`/`high` (given for a choice of several) bound the size of a multiset of the source.
    """

    name: str
    register: int
    local: Local
    source: Expression
    low: Expression | None = None
    high: Expression | None = None


@frozen
class Option:
    """One line of a `choose`: an action type with what may be chosen for its parameters."""

    action: int
    """Index into `Game.actions`."""
    binders: tuple[OptionBinder, ...]
    conditions: tuple[Expression, ...]
    """All must hold; the first false one is the reason of a refusal."""
    to: int
    """Where play goes on when it is taken."""
    main: bool = True
    """Counts for `else:` (an `also:`, `or:` or `done:` option does not)."""
    once: int | None = None
    """Its bit in the `taken` slot (`times: each once`); it is set when taken."""
    span: Span | None = None
    hint: tuple[str | Expression, ...] = ()
    """What it would cost or bring, over the registers of its binders; for people."""


@frozen
class Choose(InstructionBase):
    """Rest until `player` takes one of the legal options."""

    player: Expression
    options: tuple[Option, ...]
    narrowing: tuple[Expression, ...]
    """`if_possible:` over the registers of the main options' binders: each keeps those for which
    it holds unless none would be left."""
    ask: tuple[str | Expression, ...]
    visible: Expression | None
    """Who is told which option it was, apart from its maker (registers `viewer`, `owner`: the one
    who decides). None: nobody."""
    forced: bool
    """`forced: take`: a single legal option is taken without asking."""
    otherwise: int | None
    """Where play goes on if no main option is legal; None: a rule error."""
    taken: int | None = None
    """Local that holds the bits of `Option.once`."""


@frozen
class Roll(InstructionBase):
    """A chance outcome for a variable or attribute: every value of its type, weighted.

    `weight` and `until` read the outcome as `Register(register)`; outcomes of weight 0 or for
    which `until` fails are left out.
    """

    target: Target
    register: int
    weight: Expression | None
    until: Expression | None


@frozen
class Pick(InstructionBase):
    """A chance outcome: a member of a collection, weighted; into `target`."""

    target: Target
    register: int
    source: Expression
    condition: Expression | None
    weight: Expression | None


@frozen
class MoveOne(InstructionBase):
    """Move one component. `name`, if given, is the local that goes along with it."""

    component: Expression
    to: ZoneAt
    name: Local | None


@frozen
class MoveAll(InstructionBase):
    """Move every member of `source` that passes, as they are when the move begins, in order.

    `register` is the member in `condition` and in the indexes of `to` (both evaluated for each).
    """

    register: int
    source: Expression
    condition: Expression | None
    to: ZoneAt


@frozen
class MoveSome(InstructionBase):
    """Move `quantity` components out of the first of `sources` that has one.

    Each is looked for when its turn comes.
    From a random zone each is a chance outcome over classes of equal components (taken whole, or
    with one class left, without chance); from an ordered zone the top (stack) or the front
    (queue); from any other its members must be alike. `up_to`: stops when nothing is left, else
    that is a rule error. A source with `refill` takes all of that zone in when it is empty.
    `left` is the slot that counts; `result` the local that gets the (last) component moved.
    With `register`/`condition`: only members that pass, chosen from `sources[0]`.
    """

    quantity: Expression
    up_to: bool
    sources: tuple[ZoneAt, ...]
    to: ZoneAt
    left: int
    result: Target | None
    register: int | None = None
    condition: Expression | None = None


@frozen
class ShuffleZone(InstructionBase):
    """Reorder an ordered zone by a chain of draws; `left` counts the positions to fill."""

    zone: ZoneAt
    left: int


@frozen
class SwapZones(InstructionBase):
    """Exchange what lies in two zones (evaluated before anything moves)."""

    left: ZoneAt
    right: ZoneAt


@frozen
class SwapValues(InstructionBase):
    """Exchange the values of two variables."""

    left: Target
    right: Target


@frozen
class ShowTo(InstructionBase):
    """The members of `source` become known to `player` (None: to all)."""

    source: Expression
    player: Expression | None


@frozen
class SortBy(InstructionBase):
    """Reorder a variable of type `order of player`: highest keys first, stable."""

    target: Variable
    register: int
    keys: tuple[Expression, ...]


@frozen
class TogetherStart(InstructionBase):
    """Shadow the state, start a frame for each of `players` at `body` with `variable` set."""

    players: Expression
    variable: Local
    body: int
    done: int


@frozen
class TogetherEnd(InstructionBase):
    """A player's part is done; when all are, clear shadow and frames and go on at `done`."""

    done: int


@frozen
class EndGame(InstructionBase):
    """The game ends at once; `winner`: a player (or none: nobody); no winner: scoring decides."""

    winner: Expression | None


@frozen
class Say(InstructionBase):
    """A sentence for everybody; a component appears to each as they see it then."""

    parts: tuple[str | Expression, ...]


@frozen
class Enter(InstructionBase):
    """A phase begins (or its next pass): a note for people, no effect."""

    phase: int


Instruction = (
    Store
    | Clear
    | Jump
    | Unless
    | LoopStart
    | LoopNext
    | RepeatStart
    | RepeatNext
    | Call
    | CallSlot
    | Queue
    | Drain
    | Return
    | StopTo
    | GiveValue
    | Choose
    | Roll
    | Pick
    | MoveOne
    | MoveAll
    | MoveSome
    | ShuffleZone
    | SwapZones
    | SwapValues
    | ShowTo
    | SortBy
    | TogetherStart
    | TogetherEnd
    | EndGame
    | Say
    | Enter
)
"""Every instruction: a function of all of them ends in `assert_never`."""

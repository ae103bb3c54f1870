"""The model: a checked game with its options and players fixed, as frozen values free of sugar.

This is the one meeting point of the language and of all that runs it. `load` makes a `Game`;
executors, observation, the terminal table and the tools read nothing else.

The parts, in the order of this file:

* **Expressions.** Trees that have a type and a place. Evaluating one never writes the state. A
  scalar expression gives a whole number or `None` (none); a collection expression gives a list.
* **Instructions.** Procedures are flat code with jumps, all in one `Game.code`. The control stack
  is a static slot for each local, loop and return address (there is no recursion), so a state is
  one vector of whole numbers. Code rests only at `Choose`, at a chance instruction with two
  outcomes or more, and in a `Together`.
* **Declarations.** Kinds, zones, variables, boards, enumerations, options, scoring.
* **Layout.** Where each thing lies in the vector.
* **Actions.** Every possible decision as an integer.

Registers are scratch: each binder of an expression and each parameter of a function has its own
(`Game.registers` of them). They are not part of the state.
"""

from __future__ import annotations

from dataclasses import field

from rulerun_dsl.frozen import frozen
from rulerun_dsl.source import Span
from rulerun_dsl.valuetypes import Type

# =================================================================================== expressions


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
class Every(Expression):
    """`a and b and …`, left to right, stops at the first false."""

    operands: tuple[Expression, ...]


@frozen
class Either(Expression):
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
class Sure(Expression):
    """The operand, which must not be none: else a rule error that shows `what`."""

    operand: Expression
    what: str


@frozen
class Within(Expression):
    """The operand, a number that must lie in the range of `type`: else a rule error."""

    operand: Expression


@frozen
class FunctionCall(Expression):
    """A call of `Game.functions[function]`; arguments go to its registers, left to right."""

    function: int
    arguments: tuple[Expression, ...]


@frozen
class SlotCall(Expression):
    """A call of an expression slot of a row (`card.needs()`): one function for each row."""

    kind: str
    component: Expression
    functions: tuple[int, ...]
    arguments: tuple[Expression, ...]


@frozen
class Clause:
    """`for register in source if condition` of a quantifier."""

    register: int
    source: Expression
    condition: Expression | None


@frozen
class Quantifier(Expression):
    """What a library word says of a collection.

    `word` is one of:

    * `count` (how many pass), `any`, `all` (of `value`), `sum` (of `value`, 0 of nothing);
    * `max`, `min` (of `value`; of nothing a rule error);
    * `first`, `last` (`value` of the first or last that passes; values that are none are skipped;
      none if there is nothing);
    * `highest`, `lowest` (`value` where `keys` are best, compared one after another; ties go to
      the first; none of nothing);
    * `those` (a collection: every `value`, in order), `highest_few`, `lowest_few` (a collection:
      the `number` best, best first), `all_highest`, `all_lowest` (a collection: all who tie for
      best).
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
class Built(Expression):
    """A word of the library that works on boards and players, by name.

    Scalars: `go(site, direction, n)`, `site(row, column)` (none outside), `distance(a, b)` (none if
    unreachable), `line(k)` with `clause` (is there a line of k sites that pass), `path(a, b)` with
    `clause` (does a chain of neighbouring sites that pass join the collections a and b).
    Collections: `neighbours(site)`, `around(collection, x)`, `reverse(collection)`,
    `reach(starts)` with `clause` (sites reachable over neighbours or a relation function).
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


# ================================================================================== instructions


@frozen
class ZoneAt:
    """One zone (or, where an index is `None`, several of a family) as a place."""

    zone: str
    indexes: tuple[Expression | None, ...]
    span: Span


@frozen
class Instruction:
    """Base of all instructions. After one comes the next, unless it says otherwise."""

    span: Span


Target = Local | Variable | State


@frozen
class Store(Instruction):
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
class Clear(Instruction):
    """Locals whose block ends: back to 0."""

    offsets: tuple[int, ...]


@frozen
class Jump(Instruction):
    """Go on at `to`."""

    to: int


@frozen
class Unless(Instruction):
    """Go on at `to` unless the condition holds."""

    condition: Expression
    to: int


@frozen
class Loop:
    """The cursor of a `for` or `turns`.

    `mode`:

    * `values`: the set's values ascending; `cursor` holds the last one visited. The set is read
      anew each pass; what lies behind the cursor is not visited.
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
class LoopStart(Instruction):
    """Fix what is fixed at entry; the cursor before the first."""

    loop: Loop


@frozen
class LoopNext(Instruction):
    """Take the next member into the loop's variable, or clear the loop and go on at `done`."""

    loop: Loop
    done: int


@frozen
class RepeatStart(Instruction):
    """`offset` = how often, evaluated once (below 0 counts as 0)."""

    offset: int
    count: Expression


@frozen
class RepeatNext(Instruction):
    """One pass fewer, or, none left, go on at `done`."""

    offset: int
    done: int


@frozen
class Call(Instruction):
    """Run a procedure: arguments to its parameters' slots, then its entry, then the next here.

    `result`: where the given value goes when it comes back (None: nowhere).
    """

    procedure: int
    arguments: tuple[Expression, ...]
    result: Target | None


@frozen
class CallSlot(Instruction):
    """Run the rule slot of a component: `procedures[row]`, or nothing where that is None."""

    kind: str
    component: Expression
    slot: str
    procedures: tuple[int | None, ...]
    arguments: tuple[Expression, ...]


@frozen
class Queue(Instruction):
    """A call of a `queued:` procedure from inside its cycle: waits its turn."""

    procedure: int
    arguments: tuple[Expression, ...]


@frozen
class Drain(Instruction):
    """Run the first waiting call and come back here, or, none waiting, go on.

    It stands after a call that entered a cycle from outside.
    """

    procedures: tuple[int, ...]


@frozen
class Return(Instruction):
    """Leave the procedure: clear its slots, go on after the call."""

    procedure: int


@frozen
class StopTo(Instruction):
    """`stop PROC`: unwind to where the call of `procedure` stands and go on after it."""

    procedure: int


@frozen
class GiveValue(Instruction):
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


@frozen
class Choose(Instruction):
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
class Roll(Instruction):
    """A chance outcome for a variable or attribute: every value of its type, weighted.

    `weight` and `until` read the outcome as `Register(register)`; outcomes of weight 0 or for
    which `until` fails are left out.
    """

    target: Target
    register: int
    weight: Expression | None
    until: Expression | None


@frozen
class Pick(Instruction):
    """A chance outcome: a member of a collection, weighted; into `target`."""

    target: Target
    register: int
    source: Expression
    condition: Expression | None
    weight: Expression | None


@frozen
class MoveOne(Instruction):
    """Move one component. `name`, if given, is the local that goes along with it."""

    component: Expression
    to: ZoneAt
    name: Local | None


@frozen
class MoveAll(Instruction):
    """Move every member of `source` that passes, as they are when the move begins, in order.

    `register` is the member in `condition` and in the indexes of `to` (both evaluated for each).
    """

    register: int
    source: Expression
    condition: Expression | None
    to: ZoneAt


@frozen
class MoveSome(Instruction):
    """Move `quantity` components out of the first of `sources` that has one, decided anew each.

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
class ShuffleZone(Instruction):
    """Reorder an ordered zone by a chain of draws; `left` counts the positions to fill."""

    zone: ZoneAt
    left: int


@frozen
class SwapZones(Instruction):
    """Exchange what lies in two zones (evaluated before anything moves)."""

    left: ZoneAt
    right: ZoneAt


@frozen
class SwapValues(Instruction):
    """Exchange the values of two variables."""

    left: Target
    right: Target


@frozen
class ShowTo(Instruction):
    """The members of `source` become known to `player` (None: to all)."""

    source: Expression
    player: Expression | None


@frozen
class SortBy(Instruction):
    """Reorder a variable of type `order of player`: highest keys first, stable."""

    target: Variable
    register: int
    keys: tuple[Expression, ...]


@frozen
class TogetherStart(Instruction):
    """Shadow the state, start a frame for each of `players` at `body` with `variable` set."""

    players: Expression
    variable: Local
    body: int
    done: int


@frozen
class TogetherEnd(Instruction):
    """A player's part is done; when all are, clear shadow and frames and go on at `done`."""

    done: int


@frozen
class EndGame(Instruction):
    """The game ends at once; `winner`: a player (or none: nobody); no winner: scoring decides."""

    winner: Expression | None


@frozen
class Say(Instruction):
    """A sentence for everybody; a component appears to each as they see it then."""

    parts: tuple[str | Expression, ...]


@frozen
class Enter(Instruction):
    """A phase begins (or its next pass): a note for people, no effect."""

    phase: int


# ================================================================================== declarations


@frozen
class OptionValue:
    """An option as set: name, value, the value as text."""

    name: str
    type: Type
    value: int | None
    text: str
    default_text: str
    about: str


@frozen
class Enumeration:
    """A declared enumeration and its members in order."""

    name: str
    members: tuple[str, ...]


@frozen
class AttributeInfo:
    """A mutable attribute (`state:` of a kind)."""

    name: str
    type: Type
    start: tuple[int | None, ...]
    """By row."""


@frozen
class Kind:
    """A kind of component.

    A *class* is (row, owner): `class = row * owners + owner`. Components of a kind that is
    `counted` have no identity: the state holds how many of each class lie in each zone (a sequence
    of classes for an ordered zone), and a component value is `zone * classes + class`, where `zone`
    is the number of a zone instance. Any other component is its number: all of class 0, then of
    class 1, and so on (`first[class]` is the first of a class; `class_of[component]`).
    """

    name: str
    rows: tuple[str, ...]
    owner: Type | None
    """Player or an enumeration (`each:`)."""
    owners: int
    copies: tuple[int, ...]
    """By class."""
    counted: bool
    attributes: tuple[AttributeInfo, ...]
    zones: tuple[str, ...]
    """The zone families that hold it."""
    columns: tuple[tuple[str, Type, tuple[int | None, ...]], ...]
    """Plain columns, for people: name, type, value by row."""

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.rows) * self.owners

    @property
    def total(self) -> int:
        """Number of components."""
        return sum(self.copies)


@frozen
class ZoneFamily:
    """A zone, or a family of zones with indexes. Instance `base + sum((index - low) * stride)`."""

    name: str
    kind: str
    indexes: tuple[Type, ...]
    lows: tuple[int, ...]
    sizes: tuple[int, ...]
    base: int
    order: str
    """`""`, `random`, `stack` or `queue`."""
    one: bool
    holds: int
    """Capacity of each."""
    visible: Expression
    """Bool over the registers `viewer` and `owner`; viewer -1 is a spectator."""
    count_visible: Expression
    refill: ZoneAt | None
    start: tuple[tuple[int, int, int], ...]
    """What lies in it at the start: (instance, class, how many)."""
    span: Span

    @property
    def instances(self) -> int:
        """How many zones."""
        count = 1
        for size in self.sizes:
            count *= size
        return count


@frozen
class StateVariable:
    """A variable, or a family with indexes. Address `base + sum((index - low) * stride)`."""

    name: str
    type: Type
    indexes: tuple[Type, ...]
    lows: tuple[int, ...]
    sizes: tuple[int, ...]
    start: tuple[int | None, ...]
    """By instance (an `order of player`: its slots)."""
    visible: Expression
    clamp: bool
    during: str | None
    span: Span


@frozen
class Board:
    """Sites and how they touch. Rows and columns are 1-based; row 1 is the top."""

    name: str
    shape: str
    sites: tuple[str, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    directions: tuple[tuple[str, int, int], ...]
    """Name, rows, columns of each step."""
    go: tuple[tuple[int | None, ...], ...]
    """`go[direction][site]`: the neighbour, or None."""
    neighbours: tuple[tuple[int, ...], ...]


@frozen
class Function:
    """A pure function: parameters are registers."""

    name: str
    parameters: tuple[int, ...]
    body: Expression
    span: Span


@frozen
class Procedure:
    """A procedure, rule slot or option body that is called. Slots are cleared when it ends."""

    name: str
    entry: int
    parameters: tuple[Local, ...]
    slots: tuple[int, ...]
    """All locals of its frame, parameters included."""
    return_slot: int
    """Holds 1 + the index of the call instruction to go back behind."""
    result_type: Type | None
    span: Span
    queued: int = 0
    queue_base: int = -1
    """Offset, in `Layout.queue`, of `queued` entries of 1 + number of parameters slots."""


@frozen
class Phase:
    """A named stretch of the game, for people and for scenarios that start there."""

    name: str
    path: tuple[str, ...]
    entry: int
    """The instruction at which it is entered: its loop's test if it has one."""
    loops: tuple[Loop, ...]
    """The loops to set when it is entered from outside: those around it, then its own."""
    span: Span


@frozen
class ScoreLine:
    """One line of the breakdown of `points:`."""

    label: str
    value: Expression


@frozen
class Scoring:
    """How a game that has ended is decided. Registers hold the player asked about.

    `winner` is what `winner:` says: an expression (player or none, or a collection of players);
    `best` is `highest`/`lowest` for a score. Without any of these nobody wins.
    """

    register: int
    lines: tuple[ScoreLine, ...]
    ties: tuple[Expression, ...]
    """Higher first."""
    out: Expression | None
    equal: str
    """`tied`, `everybody` or `nobody`."""
    best: str | None
    """`highest` or `lowest`: how the total of `lines` decides."""
    winner: Expression | None
    returns: Expression | None


@frozen
class Invariant:
    """A named condition of `always:`."""

    name: str
    condition: Expression


@frozen
class Citation:
    """A `cite:` or `assumed:` of a declaration, for people."""

    subject: str
    cite: tuple[str, ...]
    assumed: str | None
    span: Span


# ======================================================================================== layout


@frozen
class Layout:
    """Where each thing lies in the state vector.

    `0` result (0 running, 1 ended and scoring decides, 2 + bit mask of winners), `1` 1 + index of
    the `TogetherStart` that is open (0: none), then `variables`, `places` (components),
    `knowledge`, then, if the game has a `together`, the `shadow` of those three, then `queue`,
    then `frames` frames of `frame` slots. Frame 0 is the game's; frame 1 + p is player p's inside a
    `together`.
    Slot 0 of a frame is its program counter: 1 + the index of the instruction at which it rests
    (0: not running); the other slots are locals.
    """

    variables: tuple[tuple[str, int], ...]
    """Base of each variable."""
    places: tuple[tuple[str, int], ...]
    """Base of each kind: for a kind that is not counted `total` slots (zone instance of each
    component), then, if it may lie in an ordered zone, `total` slots of positions from the bottom
    (0 elsewhere), then `total` for each attribute. For a counted kind `classes` slots for each
    unordered zone instance it may lie in, `holds` slots (1 + class, bottom first; 0: nothing) for
    each ordered one: at `counts[instance]`."""
    counts: tuple[int, ...]
    """By zone instance: base of its slots, for zones of counted kinds; else -1."""
    positions: tuple[tuple[str, int], ...]
    """Base of the position slots of kinds that have them."""
    attributes: tuple[tuple[str, str, int], ...]
    """(kind, attribute, base)."""
    knowledge: int
    live: tuple[int, int]
    """Start and end of what a `together` shadows."""
    shadow: int
    queue: int
    frames: int
    frame: int
    base: int
    """Start of frame 0."""
    size: int
    known: tuple[tuple[str, int], ...] = ()
    """Base of what is known of a kind, inside `knowledge` (only kinds of which something can be
    known). With identities: `total` masks of players. Counted: for each zone instance that may hold
    it (ascending), each class and each player, of how many the player knows."""


# ======================================================================================= actions


@frozen
class Domain:
    """The values that a parameter of an action can have.

    `of` is the parameter's type. For a component the value is its row and those facets in which
    members can differ: `owner`, `zone` (position in `zones`), `attributes`; first facet slowest.
    For a choice of several it is an index into `multisets`.
    """

    of: Type
    low: int
    size: int
    texts: tuple[str, ...]
    owner: bool = False
    zones: tuple[tuple[int, ...], ...] = ()
    """Groups of zone instances that are told apart (empty: not a facet)."""
    attributes: tuple[tuple[str, int, int], ...] = ()
    """(attribute, low, size) of each that is a facet."""
    multisets: tuple[tuple[int, ...], ...] = ()
    """Each an ascending list of element indexes, smaller sets first."""
    element: Domain | None = None


@frozen
class ActionType:
    """Actions of one name and one list of parameter types: ids `base` to `base + size - 1`."""

    name: str
    parameters: tuple[Domain, ...]
    base: int
    size: int


# ========================================================================================== game


@frozen
class Game:
    """A checked game with its options and players fixed."""

    name: str
    title: str
    language: int
    fingerprint: str
    players: tuple[str, ...]
    options: tuple[OptionValue, ...]
    enumerations: tuple[Enumeration, ...]
    kinds: tuple[Kind, ...]
    boards: tuple[Board, ...]
    zones: tuple[ZoneFamily, ...]
    variables: tuple[StateVariable, ...]
    functions: tuple[Function, ...]
    procedures: tuple[Procedure, ...]
    """Number 0 is the game itself: set-up, then phases."""
    phases: tuple[Phase, ...]
    code: tuple[Instruction, ...]
    registers: int
    """How many scratch registers; 0 is `viewer`, 1 is `owner` of a visibility."""
    actions: tuple[ActionType, ...]
    scoring: Scoring
    always: tuple[Invariant, ...]
    decisions: int
    """The declared bound on decisions of one play (`limits:`)."""
    steps: int
    """The most instructions between two rests."""
    layout: Layout
    citations: tuple[Citation, ...] = ()
    view: dict[str, object] = field(default_factory=dict)

    @property
    def number_of_actions(self) -> int:
        """How many distinct actions there are."""
        return self.actions[-1].base + self.actions[-1].size if self.actions else 0


VIEWER = 0
OWNER = 1
SPECTATOR = -1

"""The game of the model: declarations, the layout of the state, actions, and all of it together."""

from __future__ import annotations

from rulerun_dsl.model.expressions import Expression, Local
from rulerun_dsl.model.instructions import Instruction, Loop, ZoneAt
from rulerun_dsl.model.valuetypes import Type
from rulerun_dsl.model.words import NO_WORDS, Words
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span

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
    printed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What else is printed on it, for people: columns with indexes and rules, as text by row."""

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.rows) * self.owners

    @property
    def total(self) -> int:
        """Number of components."""
        return sum(self.copies)


ORDERED = ("stack", "queue")
"""The orders of zones in which components have places; a pile in `random` order has none."""


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
    def ordered(self) -> bool:
        """Whether what lies in it has places from bottom to top."""
        return self.order in ORDERED

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
    span: Span
    queued: int = 0
    stacked: bool = False
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


# ========================================================================================== view


@frozen
class MapPiece:
    """A stretch of a line of a map: as it is drawn, or (with a site) what the site may take."""

    text: str
    site: str | None = None


@frozen
class Map:
    """A board as it is drawn: lines of pieces."""

    board: str
    lines: tuple[tuple[MapPiece, ...], ...]


@frozen
class Beside:
    """What belongs to the places of a family of zones, or to what lies there."""

    families: tuple[str, ...]
    how: str
    """`piece`: indexed by what lies there; `place`: by the place itself; `line`: by its first index
    and others; `on`: a variable that names what lies there; `row`: one that names the first index;
    `at`: variables that together name the place."""


@frozen
class View:
    """Hints for screens (`view:`). No rule depends on them."""

    maps: tuple[Map, ...] = ()
    shows: tuple[tuple[str, str, Type, tuple[int | None, ...]], ...] = ()
    """Board, column, its type and its value by site."""
    glyphs: tuple[tuple[str, str], ...] = ()
    colours: tuple[tuple[str, str], ...] = ()
    hides: tuple[str, ...] = ()
    """Families of zones and variables, those of modules that are off among them."""
    headline: tuple[str | Expression, ...] = ()
    """A sentence above the table; reads only what everybody sees."""
    beside: tuple[tuple[str, tuple[Beside, ...]], ...] = ()
    """By zone family: what is shown together with it."""
    formats: tuple[tuple[str, str], ...] = ()
    """By kind: what is written behind a component's name."""
    turned: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """Row or kind, attribute, glyph by value of the attribute."""
    sorts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """By kind: the columns by which its components are sorted."""
    spares: tuple[str, ...] = ()
    """Zones and variables that a small screen leaves out first."""
    forgets: tuple[str, ...] = ()
    """Zones of whose hidden components a screen does not say which ones are known."""
    sides: tuple[tuple[str, str], ...] = ()
    """A board whose sites are the sides of cells, and the grid of these."""


NO_VIEW = View()


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
    """Start of the waiting calls, of none (`base`) as well. Nothing is left from here on when the
    game is over."""
    frames: int
    frame: int
    base: int
    """Start of frame 0."""
    size: int
    known: tuple[tuple[str, int], ...] = ()
    """Base of what is known of a kind, inside `knowledge` (only kinds of which something can be
    known). With identities: `total` masks of players. Counted: for each zone instance that may hold
    it (ascending), each class and each player, of how many the player knows."""
    known_places: tuple[tuple[str, int], ...] = ()
    """Base of who knows what lies at which place of an ordered zone family, in `knowledge` (only
    families of which that can be known): masks of players. Of a kind with identities all families
    share `total` of them: who knows exactly where the component lies. Counted: for each instance
    one for each of its slots."""


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
    """In the order of their seats; the last ones may be automata."""
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
    view: View = NO_VIEW
    words: Words = NO_WORDS
    """In the language of the rules file."""
    automata: int = 0
    """So many of the players, the last ones, are automata: the rules decide for them."""
    former_fingerprints: tuple[str, ...] = ()
    """As older records have it: with all that is said, and with the defaults of options."""

    @property
    def number_of_actions(self) -> int:
        """How many distinct actions there are."""
        return self.actions[-1].base + self.actions[-1].size if self.actions else 0

    @property
    def people(self) -> int:
        """How many of the players, the first ones, decide for themselves."""
        return len(self.players) - self.automata


VIEWER = 0
OWNER = 1
SPECTATOR = -1

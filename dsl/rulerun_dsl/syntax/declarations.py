"""The abstract syntax above the line: blocks, choices, phases, declarations.

The stage `outline` makes these from a document: every string is parsed, nothing has a meaning yet.
A block is a tuple of items, in order. `Line` is one string of one-line statements.
"""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.syntax.told import About, ViewDecl, WordsDecl
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar


@frozen
class BlockItem:
    """Base of all items of a block."""

    span: Span


@frozen
class Group(BlockItem):
    """Steps with their own locals: one `setup:` of several."""

    body: Block


@frozen
class Line(BlockItem):
    """Statements of one string, joined by `;`."""

    statements: tuple[stmt.Statement, ...]


@frozen
class If(BlockItem):
    """`if/then/else`."""

    condition: s.Expression
    then: Block
    alternative: Block


@frozen
class Cases(BlockItem):
    """`cases:`; a condition of None is `else`."""

    cases: tuple[tuple[s.Expression | None, Block], ...]


@frozen
class Match(BlockItem):
    """`match: E` with `cases:`; a key of None is `else`."""

    subject: s.Expression
    cases: tuple[tuple[s.Expression | None, Block], ...]


@frozen
class For(BlockItem):
    """`for: … do: …`."""

    loops: s.Loops
    body: Block


@frozen
class Turns(BlockItem):
    """`turns: … until: … do: …`: round the table for ever."""

    binders: s.Binders
    until: s.Expression | None
    body: Block


@frozen
class Until(BlockItem):
    """`until: … do: …`, tested before each pass."""

    condition: s.Expression
    body: Block


@frozen
class Times(BlockItem):
    """`repeat: n do: …`."""

    count: s.Expression
    body: Block


@frozen
class Together(BlockItem):
    """`together: … do: …`."""

    binders: s.Binders
    body: Block


@frozen
class Say(BlockItem):
    """`say: …`."""

    text: s.Template


@frozen
class MenuLine(BlockItem):
    """A named option of a `choose`, or an action."""

    signature: s.Signature
    conditions: tuple[s.Expression, ...]
    body: Block
    hint: s.Template | None = None
    """What it would cost or bring, for people."""
    around: tuple[s.Expression, ...] = ()
    """Conditions of the groups that it stands in, the outermost first; they see no parameter."""


@frozen
class Choose(BlockItem):
    """A decision. Exactly one of `binders`, `menu`, `actions` is given."""

    by: s.Expression | None
    ask: s.Template | None
    hint: s.Template | None
    """Of the options of `binders`."""
    visible: s.Expression | None
    binders: s.Binders | None
    menu: tuple[MenuLine, ...]
    actions: tuple[s.Name | s.Call, ...]
    narrowing: tuple[s.Expression, ...]
    also: tuple[s.Name | s.Call, ...]
    times: str | s.Expression | None
    """`each once`, `any`, or how often."""
    done: str | None
    decline: str | None
    """`or: NAME`."""
    nothing: Block | None
    """`else:` (nothing legal)."""
    forced: bool


Block = tuple[BlockItem, ...]


# -------------------------------------------------------------------------------- declarations


@frozen
class Source:
    """What every declaration carries: where it is, what it cites, in which chapter."""

    name: str
    span: Span
    """Of the name."""
    cite: tuple[str, ...]
    assumed: str | None
    chapter: str | None
    visible: s.Expression | None
    """The written default around it."""
    when: s.Expression | None = None
    """The condition of the module it stands in."""


@frozen
class OptionDecl:
    """An option."""

    at: Source
    type: s.TypeExpression | None
    members: tuple[Scalar, ...]
    default: s.Expression | None
    only_if: s.Expression | None
    """When it means something: for people, not a constraint."""
    default_text: str
    about: str


@frozen
class VariantDecl:
    """A named bundle of option values."""

    at: Source
    about: str
    values: tuple[tuple[Scalar, Scalar], ...]


@frozen
class ConstraintDecl:
    """`never:` a condition over the options, and what to say then."""

    span: Span
    condition: s.Expression
    say: str


@frozen
class ConstantDecl:
    """A constant; by player count if `by_count` (pairs of a count and a value)."""

    at: Source
    value: s.Expression | None
    by_count: tuple[tuple[int, s.Expression], ...]


@frozen
class Column:
    """A column of rows: its name, indexes, type and default."""

    name: str
    span: Span
    indexes: tuple[s.TypeExpression, ...]
    type: s.TypeExpression
    default: s.Expression | None


@frozen
class RuleSlot:
    """A rule slot of a kind: a block (`type` None) or an expression of a type."""

    signature: s.Signature
    type: s.TypeExpression | None
    default: s.Expression | None


@frozen
class RowDecl:
    """A row: values by column (node as written), rule slots, copies."""

    name: str
    span: Span
    values: tuple[tuple[Scalar, Node], ...]
    """Column or slot name and what is written."""
    listed: tuple[Node, ...] | None
    """A row written as a list or one value: columns in order."""
    cite: tuple[str, ...] = ()
    assumed: str | None = None
    about: str = ""
    when: s.Expression | None = None
    """The condition of the module that adds it."""


@frozen
class TypeDecl:
    """A declared type: members, an alias (`1..4`), or a table with columns."""

    at: Source
    members: tuple[Scalar, ...]
    alias: s.TypeExpression | None
    columns: tuple[Column, ...]
    rows: tuple[RowDecl, ...]


@frozen
class TableDecl:
    """A table by one or several small types."""

    at: Source
    by: tuple[s.TypeExpression, ...]
    type: s.TypeExpression | None
    rows: tuple[tuple[s.Expression | None, Node], ...]
    """Key (None: by position) and value."""


@frozen
class BoardDecl:
    """A board."""

    at: Source
    shape: str
    node: Mapping
    columns: tuple[Column, ...]
    rows: tuple[RowDecl, ...]


@frozen
class KindDecl:
    """A kind of component."""

    at: Source
    each: str | None
    each_span: Span | None
    start: s.Expression | None
    copies: s.Expression | None
    columns: tuple[Column, ...]
    rows: tuple[RowDecl, ...]
    every: s.Every | None
    slots: tuple[RuleSlot, ...]
    attributes: tuple[tuple[s.Indexed, s.Declared], ...]
    like: Scalar | None


@frozen
class ZoneDecl:
    """A zone or a family of zones."""

    at: Source
    indexes: tuple[s.TypeExpression, ...]
    kind: Scalar | None
    one: bool
    visible_here: s.Expression | None
    count: s.Expression | None
    order: str
    holds: s.Expression | None
    refill: s.Expression | None
    reshuffle: Scalar | None
    """Whether what refills a pile with an order is shuffled."""


@frozen
class Remembers:
    """`{remembers: [stone, turn], holds: 100}`: what makes a position, how many are kept."""

    of: tuple[Scalar, ...]
    holds: s.Expression | None


@frozen
class VariableDecl:
    """A variable or a family of variables."""

    at: Source
    indexes: tuple[s.TypeExpression, ...]
    type: s.TypeExpression | None
    start: s.Expression | None
    visible_here: s.Expression | None
    clamp: bool
    only: tuple[Scalar, ...]
    during: Scalar | None
    remembers: Remembers | None = None
    """It is a history, and this is what it holds."""


@frozen
class FunctionDecl:
    """A function: names for values, then a value, or cases (condition or key None: `else`)."""

    at: Source
    signature: s.Signature
    value: s.Expression | None
    subject: s.Expression | None
    cases: tuple[tuple[s.Expression | None, s.Expression], ...]
    lets: tuple[stmt.Let, ...] = ()


@frozen
class ProcedureDecl:
    """A procedure."""

    at: Source
    signature: s.Signature
    body: Block
    queued: s.Expression | None
    """How many calls from inside its circle may wait."""
    stacked: bool = False
    """They go before those that waited earlier."""


@frozen
class ActionDecl:
    """An action: an option that several choices may offer."""

    at: Source
    line: MenuLine
    groups: tuple[str, ...]


@frozen
class PhaseDecl:
    """A phase: a body or phases inside, with how often it runs."""

    at: Source
    condition: s.Expression | None
    until: s.Expression | None
    loops: s.Loops | None
    turns: s.Binders | None
    repeat: s.Expression | None
    body: Block
    phases: tuple[PhaseDecl, ...]
    about: str


@frozen
class HookDecl:
    """`before`, `after` or `replace` of a procedure or function."""

    at: Source
    word: str
    """`before`, `after` or `replace`."""
    signature: s.Signature
    body: Block
    function: FunctionDecl | None
    """What `replace` puts in place of a function."""
    when: s.Expression | None
    """The condition of the module it stands in."""


@frozen
class AutomaDecl:
    """`automa: NAME`: a player whose decisions the rules make."""

    name: Scalar
    when: s.Expression | None
    """The condition of the module it stands in."""


@frozen
class ScoringLine:
    """A line of `points:` or `ties:`, of the base game or of a module."""

    label: str
    value: s.Expression
    signature: s.Signature
    """`points(player p)`: whom it is asked about."""


@frozen
class ScoringDecl:
    """How an ended game is decided."""

    points: tuple[ScoringLine, ...]
    ties: tuple[ScoringLine, ...]
    equal: str
    out: s.Expression | None
    out_parameter: s.Signature | None
    winner: s.Superlative | s.Expression | None
    returns: FunctionDecl | None
    span: Span | None


@frozen
class Outline:
    """A whole rules file (with its module files), parsed and not yet understood."""

    name: str
    title: str
    about: str
    language: int
    players: tuple[Scalar, ...]
    player_range: tuple[int, int]
    limits: Mapping | None
    options: tuple[OptionDecl, ...]
    variants: tuple[VariantDecl, ...]
    constraints: tuple[ConstraintDecl, ...]
    constants: tuple[ConstantDecl, ...]
    types: tuple[TypeDecl, ...]
    tables: tuple[TableDecl, ...]
    boards: tuple[BoardDecl, ...]
    kinds: tuple[KindDecl, ...]
    zones: tuple[ZoneDecl, ...]
    variables: tuple[VariableDecl, ...]
    functions: tuple[FunctionDecl, ...]
    procedures: tuple[ProcedureDecl, ...]
    actions: tuple[ActionDecl, ...]
    hooks: tuple[HookDecl, ...]
    automata: tuple[AutomaDecl, ...]
    whens: tuple[s.Expression, ...]
    """The conditions of the modules."""
    setup: Block
    phases: tuple[PhaseDecl, ...]
    scoring: ScoringDecl
    always: tuple[tuple[str, s.Expression], ...]
    view: tuple[ViewDecl, ...]
    words: tuple[WordsDecl, ...]
    story: tuple[WordsDecl, ...]
    abouts: tuple[About, ...]
    sentences: tuple[str, ...]
    """Every sentence with `<…>` in it or not: of `say`, `ask`, `hint` and `headline`."""
    action_names: tuple[str, ...]
    action_parameters: tuple[tuple[str, tuple[str, ...]], ...]
    """Of actions and of the options of all choices, but for what a choice itself gives."""
    written_in: str
    """The language of its texts, such as `en`."""
    sources: tuple[tuple[str, str], ...]
    span: Span
    text_length: int = 0
    """How many characters its texts of rules have."""

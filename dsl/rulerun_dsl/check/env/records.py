"""What is known of one declaration, as plain data: the answers that a `World` keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


@frozen
class ColumnFacts:
    """A column: its type, its indexes, its values by row (then by index, last fastest)."""

    name: str
    type: t.Scalar
    indexes: tuple[t.Scalar, ...]
    values: tuple[int | None, ...]
    span: Span


@frozen
class RowsFacts:
    """What enumerations, kinds and boards share: names in order, with columns."""

    names: tuple[str, ...]
    columns: Mapping[str, ColumnFacts]


@frozen
class KindFacts:
    """A kind of component."""

    decl: declarations.KindDecl
    rows: RowsFacts
    owner: t.Scalar | None
    owners: tuple[str, ...]
    copies: tuple[int, ...]
    """By class (row * owners + owner)."""
    attributes: Mapping[str, tuple[t.Scalar, tuple[int | None, ...], s.Expression | None]]
    """Type, start by row."""
    slots: Mapping[str, declarations.RuleSlot]
    counted: bool
    start: str | None


@frozen
class ZoneFacts:
    """A zone or a family of zones."""

    decl: declarations.ZoneDecl
    kind: str
    indexes: tuple[t.Scalar, ...]
    order: str
    one: bool
    holds: int | None


@frozen
class VariableFacts:
    """A variable or a family of variables."""

    decl: declarations.VariableDecl
    type: t.Scalar
    indexes: tuple[t.Scalar, ...]


@frozen
class TableFacts:
    """A table: by which types, of which type, values (last index fastest)."""

    indexes: tuple[t.Scalar, ...]
    type: t.Scalar
    values: tuple[int | None, ...]


@frozen
class SupposedFacts:
    """A procedure that a question supposes to have run: `value after PROC(…)`."""

    needs_you: bool
    explicit_you: bool
    """`player you` is written: the argument may be left out."""
    parameters: tuple[m.Local, ...]
    """What gets the arguments: `you` first, if it is needed."""
    does: tuple[m.Expression, ...]
    """What it evaluates, in terms of its parameters."""
    declared: str
    """Its signature as it is written."""


@dataclass
class FunctionFacts:
    """A function; its body is checked when it is first called."""

    decl: declarations.FunctionDecl
    index: int
    parameters: tuple[tuple[str, t.Scalar, int], ...]
    """Name, type, register; the implicit `you`, if it has one, is first."""
    needs_you: bool
    explicit_you: bool
    """`player you` is written: the argument may be left out."""
    result: t.Type | None = None
    body: m.Expression | None = None


@dataclass
class Missing:
    """What is known of a name that nothing declares."""

    uses: list[tuple[Span, str | None]] = field(default_factory=list)
    """Where it is used, each with the declared name that is close to it."""
    types: list[t.Scalar] = field(default_factory=list)
    """What is wanted where it stands."""
    indexes: tuple[t.Scalar, ...] = ()
    is_changed: bool = False
    """Something is assigned to it, or luck decides it: it is a variable."""
    is_rolled: bool = False
    may_be_none: bool = False
    is_zone: bool = False
    is_constant: bool = False
    """It is used where only constants are."""

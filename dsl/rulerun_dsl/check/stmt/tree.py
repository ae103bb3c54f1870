"""Checked statements as trees: what `statements` leaves and `codegen` turns into code.

A leaf is an instruction that needs no jump. Everything else keeps its structure, so that the
analyses of `check.whole` can follow it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rulerun_dsl import model as m
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations


@frozen
class NodeBase:
    """What all nodes have."""

    span: Span


@frozen
class Leaf(NodeBase):
    """One instruction."""

    instruction: m.Instruction


@frozen
class Block(NodeBase):
    """Steps in order; `slots` are the locals that end with it."""

    steps: tuple[Node, ...]
    slots: tuple[int, ...]


@frozen
class If(NodeBase):
    """A branch."""

    condition: m.Expression
    then: Node
    alternative: Node | None


@frozen
class Loop(NodeBase):
    """`for` or `turns`; `until` is tested before each pass."""

    loop: m.Loop
    until: m.Expression | None
    body: Node


@frozen
class Until(NodeBase):
    """`until`."""

    condition: m.Expression
    body: Node


@frozen
class Repeat(NodeBase):
    """`repeat`."""

    offset: int
    count: m.Expression
    body: Node


@frozen
class Together(NodeBase):
    """`together`."""

    players: m.Expression
    variable: m.Local
    body: Node


@frozen
class Line:
    """An option of a decision."""

    span: Span
    name: str
    binders: tuple[m.OptionBinder, ...]
    conditions: tuple[m.Expression, ...]
    body: Node | None
    main: bool
    again: bool
    """After its body the question is asked again."""
    once: int | None
    hint: tuple[str | m.Expression, ...] = ()


@frozen
class Choose(NodeBase):
    """A decision."""

    player: m.Expression
    lines: tuple[Line, ...]
    narrowing: tuple[m.Expression, ...]
    ask: tuple[str | m.Expression, ...]
    visible: m.Expression | None
    forced: bool
    nothing: Node | None
    taken: int | None
    counter: int | None
    times: m.Expression | None


@frozen
class CallProcedure(NodeBase):
    """A call. `you`: who is passed on, if the callee needs it (None: nobody is bound here)."""

    name: str
    arguments: tuple[m.Expression, ...]
    you: m.Expression | None
    result: m.Target | None


@frozen
class CallSlot(NodeBase):
    """A call of a rule slot of a component, or of a row by itself; `procedures` by row.

    The first argument is the component, or the row, once more.
    """

    kind: str
    component: m.Expression
    slot: str
    procedures: tuple[str | None, ...]
    arguments: tuple[m.Expression, ...]
    you: m.Expression | None


@frozen
class Stop(NodeBase):
    """`stop` (None: the innermost)."""

    procedure: str | None


@frozen
class Give(NodeBase):
    """`give`."""

    value: m.Expression


@frozen
class Phase(NodeBase):
    """A phase: loops are in its body."""

    name: str
    path: tuple[str, ...]
    body: Node


Node = (
    Leaf
    | Block
    | If
    | Loop
    | Until
    | Repeat
    | Together
    | Choose
    | CallProcedure
    | CallSlot
    | Stop
    | Give
    | Phase
)
"""Every node: a function of all of them ends in `assert_never`."""


@dataclass(slots=True)
class Edge:
    """A call from one procedure to another."""

    caller: str
    callee: str
    span: Span
    bound: bool
    """A `you` is bound at the call."""
    passes_own: bool
    """That `you` is the caller's own."""


@dataclass(slots=True)
class Routine:
    """A procedure, an action's body, a rule slot of a row, or the game itself (named ``)."""

    name: str
    span: Span
    parameters: tuple[tuple[str, t.Scalar, m.Local], ...]
    you: m.Local
    explicit_you: bool
    needs_you: bool = False
    result: t.Scalar | None = None
    body: Node | None = None
    slots: list[int] = field(default_factory=list)
    queued: int = 0
    stacked: bool = False
    rowwise: bool = False
    """A rule slot that is called on a row somewhere: no `this` is passed to it."""
    decl: declarations.ProcedureDecl | None = None
    visible: object = None
    implicit: bool = False
    """Made by the checker (a hook's wrapper, an action): not to be called unread."""
    known: dict[str, tuple[object, Any]] = field(default_factory=dict)
    """What was worked out from a body, with that body: see `walking.known_of`."""

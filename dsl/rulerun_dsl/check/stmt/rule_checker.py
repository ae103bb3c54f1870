"""What the checks of all statements share: slots, routines, and where a statement stands.

Assumes: declarations (`world`) and expressions.
Does: gives every local a slot of its own (there is no recursion, so a slot is enough), declares
procedures when they are first called.
Leaves behind: a `RuleChecker` that the checks of statements fill: routines, and the calls between
them. Statements hold blocks of statements: `statements`, which knows how each is checked, hands
that in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import scopes
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.stmt import tree
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt

Items = list[stmt.Statement | declarations.BlockItem]


@dataclass
class Turn:
    """One turn of a `turns`, while it is checked."""

    again: m.Local | None = None
    """Whether the same player has the next turn, once some `again` asks for it."""


@dataclass(frozen=True)
class Context:
    """Where a statement stands."""

    scope: Scope
    decider: m.Expression | None = None
    """Who decides where `by` is left out: the innermost `turns`, `together` or `for: you`."""
    together: bool = False
    turn: Turn | None = None
    """The turn around it: of the innermost `turns`, and not across a `together`."""
    running: frozenset[str] = frozenset()

    def naming(self, /, **names: m.Expression) -> Context:
        """The context with more locals."""
        return dataclasses.replace(self, scope=self.scope.with_names(**names))

    def binding_you(self, who: m.Expression) -> Context:
        """The context in which `you` is somebody else."""
        scope = dataclasses.replace(self.scope, you=who, asked=[False])
        return dataclasses.replace(self, scope=scope)

    def asking(self, name: str, who: m.Expression) -> Context:
        """The context in which a name, `you` or another, is the player who decides."""
        named = self.binding_you(who) if name == "you" else self.naming(**{name: who})
        return dataclasses.replace(named, decider=who)


@dataclass
class RuleChecker:
    """Checks the rules of one world."""

    world: World
    check_rest: Callable[[RuleChecker, Items, int, Context, list[int]], list[tree.Node]]
    """Checks the statements of a block from a place on; what they name is added to the slots."""
    check_body: Callable[[RuleChecker, tree.Routine], None]
    """Checks the body of a declared procedure."""
    routines: dict[str, tree.Routine] = field(default_factory=dict)
    edges: list[tree.Edge] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    next_slot: int = 1
    routine: tree.Routine | None = None
    assigned: dict[int, list[t.Scalar]] = field(default_factory=dict)
    inferred: set[int] = field(default_factory=set)
    pending: list[str] = field(default_factory=list)
    guesses: dict[Span, tuple[int, t.Scalar | None]] = field(default_factory=dict)
    """How often a `let` may still be tried with a wider range, and the widest so far."""
    lets: dict[int, stmt.Let] = field(default_factory=dict)
    """What was born as which local."""
    phases: list[declarations.PhaseDecl] = field(default_factory=list)
    row_calls: dict[Span, tree.CallSlot] = field(default_factory=dict)
    """Calls of rule slots on a row, by where they stand."""

    # ------------------------------------------------------------------------------ slots

    def local(self, name: str, type_: t.Type, span: Span) -> m.Local:
        """Give out a local."""
        offset = self.slot()
        return m.Local(type_, span, offset, name)

    def slot(self) -> int:
        """Give out a slot of the frame."""
        offset = self.next_slot
        self.next_slot += 1
        if self.routine is not None:
            self.routine.slots.append(offset)
        return offset

    # --------------------------------------------------------------------------- routines

    def declare(
        self,
        name: str,
        span: Span,
        parameters: Sequence[tuple[str, t.Scalar]],
        implicit: bool = False,
    ) -> tree.Routine:
        """Declare a routine: its parameters get slots."""
        outer, self.routine = self.routine, None
        routine = tree.Routine(
            name, span, (), m.Local(t.Player(), span, 0, "you"), False, implicit=implicit
        )
        self.routine = routine
        routine.you = self.local("you", t.Player(), span)
        found = []
        for each, type_ in parameters:
            if each == "you":
                routine.explicit_you = routine.needs_you = True
                continue
            found.append((each, type_, self.local(each, type_, span)))
        routine.parameters = tuple(found)
        self.routine = outer
        self.routines[name] = routine
        return routine

    def parameters(self, signature: s.Signature) -> list[tuple[str, t.Scalar]]:
        """The parameters of a signature with their types."""
        scopes.check_parameters(self.world, signature)
        found = []
        for parameter in signature.parameters:
            if parameter.type is not None:
                type_ = facts.type_of(self.world, parameter.type)
                if type_ == t.ANY_INT:
                    self.world.report(
                        "RR0507",
                        f"the parameter `{parameter.name}` needs a range: it is kept in the state",
                        parameter.span,
                        help=f"write `0..9 {parameter.name}`; `int` is for functions",
                    )
            elif parameter.name == "you":
                type_ = t.Player()
            else:
                self.world.report(
                    "RR0407", f"the parameter `{parameter.name}` has no type", parameter.span
                )
                type_ = t.Unknown()
            found.append((parameter.name, type_))
        return found

    def procedure(self, name: str) -> tree.Routine:
        """The routine of a declared procedure; its body is checked later."""
        if name in self.routines:
            return self.routines[name]
        decl: declarations.ProcedureDecl = self.world.by_kind["procedure"][name]  # type: ignore[assignment]
        routine = self.declare(name, decl.at.span, self.parameters(decl.signature))
        routine.decl = decl
        routine.visible = decl.at.visible
        if decl.queued is not None:
            routine.queued = facts.constant(self.world, decl.queued, t.Int(1, 1000)) or 1
            routine.stacked = decl.stacked
        self.pending.append(name)
        return routine

    def result_of(self, routine: tree.Routine) -> t.Scalar:
        """What a routine gives: its body must be known first."""
        if routine.body is None and routine.name in self.pending:
            self.pending.remove(routine.name)
            self.check_body(self, routine)
        if routine.result is None:
            return t.Unknown()
        return routine.result

    # ----------------------------------------------------------------------------- blocks

    def block(self, steps: declarations.Block, context: Context, span: Span) -> tree.Node:
        """Check a block; its locals end with it."""
        assert self.routine is not None
        items: Items = []
        for step in steps:
            if isinstance(step, declarations.Line):
                items.extend(step.statements)
            else:
                items.append(step)
        slots: list[int] = []
        found = self.check_rest(self, items, 0, context, slots)
        return tree.Block(span, tuple(found), tuple(slots))

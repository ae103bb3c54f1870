"""What rules do: blocks, loops, moves and calls, checked into trees.

Assumes: declarations (`world`) and expressions.
Does: gives every local a slot of its own (there is no recursion, so a slot is enough), infers the
range of a `let`, types every statement. Procedures are declared when first called and checked
one after another.
Leaves behind: `Routine`s with their trees, and the calls between them, for `flow` and `lower`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, facts
from rulerun_dsl.check.env.typing import element, join, mismatch, shorten
from rulerun_dsl.check.env.world import World, named
from rulerun_dsl.check.expr import branching, elaborate, library, quantifiers
from rulerun_dsl.check.stmt import assignments, calls, choices, hooks, loops, moves, tree
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s

_WHOLE = t.Int(t.INT_MIN, t.INT_MAX)

MOST_LOCALS = 200
"""The most locals that may be seen in one place."""


@dataclass(frozen=True)
class Context:
    """Where a statement stands."""

    scope: elaborate.Scope
    decider: m.Expression | None = None
    """Who decides where `by` is left out: the innermost `turns`, `together` or `for: you`."""
    together: bool = False
    running: frozenset[str] = frozenset()

    def naming(self, /, **names: m.Expression) -> Context:
        """The context with more locals."""
        return dataclasses.replace(self, scope=self.scope.with_names(**names))

    def binding_you(self, who: m.Expression) -> Context:
        """The context in which `you` is somebody else."""
        scope = dataclasses.replace(self.scope, you=who, asked=[False])
        return dataclasses.replace(self, scope=scope)


@dataclass
class RuleChecker:
    """Checks the rules of one world."""

    world: World
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
    lets: dict[int, s.Let] = field(default_factory=dict)
    """What was born as which local."""
    phases: list[declarations.PhaseDecl] = field(default_factory=list)

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
        quantifiers.check_parameters(self.world, signature)
        found = []
        for parameter in signature.parameters:
            if parameter.type is not None:
                type_ = facts.type_of(self.world, parameter.type)
                if type_ == _WHOLE:
                    self.world.report(
                        "RR0507",
                        f"the parameter `{parameter.name}` needs a range: it is kept in the state",
                        parameter.span,
                        help="write `0..9 n`; `int` is for functions",
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
        self.pending.append(name)
        return routine

    def result_of(self, routine: tree.Routine) -> t.Scalar:
        """What a routine gives: its body must be known first."""
        if routine.body is None and routine.name in self.pending:
            self.pending.remove(routine.name)
            self.body(routine)
        if routine.result is None:
            return t.Unknown()
        return routine.result

    def finish(self) -> None:
        """Check the bodies of what was called, and of what was not."""
        hooks.idle(self)
        for name in self.world.by_kind["procedure"]:
            self.procedure(name)
        while self.pending:
            self.body(self.routines[self.pending.pop(0)])

    def body(self, routine: tree.Routine) -> None:
        """Check the body of a declared procedure."""
        assert routine.decl is not None
        if hooks.is_wrapped(self, routine):
            hooks.wrap(self, routine)
            return
        outer, self.routine = self.routine, routine
        names: dict[str, m.Expression] = {name: local for name, _, local in routine.parameters}
        scope = elaborate.Scope(names, routine.you, names.pop("this", None))
        context = Context(scope)
        body = routine.decl.body
        routine.body = self.block(body, context, routine.span)
        routine.needs_you = routine.needs_you or scope.asked[0]
        self.routine = outer

    # ----------------------------------------------------------------------------- blocks

    def block(self, steps: declarations.Block, context: Context, span: Span) -> tree.Node:
        """Check a block; its locals end with it."""
        assert self.routine is not None
        items: list[s.Statement | declarations.Step] = []
        for step in steps:
            if isinstance(step, declarations.Line):
                items.extend(step.statements)
            else:
                items.append(step)
        slots: list[int] = []
        found = self.rest(items, 0, context, slots)
        return tree.Block(span, tuple(found), tuple(slots))

    def rest(
        self,
        items: list[s.Statement | declarations.Step],
        place: int,
        context: Context,
        slots: list[int],
    ) -> list[tree.Node]:
        """Check the statements from a place on: a `let` is seen by what follows it."""
        found: list[tree.Node] = []
        while place < len(items):
            item = items[place]
            place += 1
            if (
                isinstance(item, s.Let)
                and item.type is None
                and len(context.scope.names) < MOST_LOCALS
                and assigns(items[place:], item.name)
            ):
                return found + assignments.inferred_let(self, item, items, place, context, slots)
            nodes, context = self.item(item, context, slots)
            found.extend(nodes)
            if isinstance(item, s.Let) and len(context.scope.names) > MOST_LOCALS:
                self.world.report(
                    "RR0516",
                    f"there are more than {MOST_LOCALS} locals here",
                    item.span,
                    help="move a part into a procedure of its own",
                )
                break
        return found

    def item(
        self, item: s.Statement | declarations.Step, context: Context, slots: list[int]
    ) -> tuple[list[tree.Node], Context]:
        """Check one statement; a `let` or `choose` leaves names for those after it."""
        if isinstance(item, s.Let):
            return assignments.let(self, item, context, slots, None)
        if isinstance(item, declarations.Choose):
            return choices.choose(self, item, context, slots)
        if isinstance(item, declarations.Step):
            return [self.step(item, context)], context
        return self.statement(item, context), context

    # -------------------------------------------------------------------- structured steps

    def step(self, step: declarations.Step, context: Context) -> tree.Node:
        """Check a structured statement."""
        world, span, scope = self.world, step.span, context.scope
        match step:
            case declarations.Group(body=body):
                return self.block(body, context, span)
            case declarations.If(condition=condition, then=then, alternative=alternative):
                test = elaborate.condition(world, scope, condition)
                other = None
                if alternative:
                    with world.knowing(elaborate.proved(test, False)):
                        other = self.block(alternative, context, span)
                with world.knowing(elaborate.proved(test, True)):
                    taken = self.block(then, context, span)
                return tree.If(span, test, taken, other)
            case declarations.Cases(cases=cases):
                node: tree.Node | None = None
                if branching.too_many_cases(world, len(cases), span):
                    return tree.Block(span, (), ())
                pairs = [
                    (
                        elaborate.condition(world, scope, key) if key is not None else None,
                        self.block(body, context, span),
                    )
                    for key, body in cases
                ]
                branching.check_else(
                    world, None, set(), [(key, span_of(body, span)) for key, body in cases]
                )
                return branches(span, pairs) or tree.Block(span, (), ())
            case declarations.Match(subject=subject, cases=cases):
                if branching.too_many_cases(world, len(cases), span):
                    return tree.Block(span, (), ())
                matched = branching.subject_of(world, scope, subject)
                covered: set[int | None] = set()
                pairs = [
                    (
                        branching.matches(world, scope, matched, key, covered)
                        if key is not None
                        else None,
                        self.block(body, context, span),
                    )
                    for key, body in cases
                ]
                branching.check_else(
                    world,
                    matched,
                    covered,
                    [(key, span_of(body, span)) for key, body in cases],
                )
                total = branching.is_total(world, matched, covered)
                if not total and not any(test is None for test, _ in pairs):
                    world.report(
                        "RR0513",
                        f"`match: {shorten(subject.span.text)}` does not name every value",
                        span,
                        help="add the missing cases, or end with `else:`",
                    )
                if total and pairs:
                    # The last case is what is left.
                    pairs[-1] = (None, pairs[-1][1])
                node = branches(span, pairs)
                return node or tree.Block(span, (), ())
            case declarations.For(binders=binders, body=body):
                return loops.loops(
                    self, binders, lambda inner: self.block(body, inner, span), context
                )
            case declarations.Turns(binders=binders, until=until, body=body):
                return loops.turns(self, binders, until, body, context, span)
            case declarations.Until(condition=condition, body=body):
                test = elaborate.condition(world, scope, condition)
                return tree.Until(span, test, self.block(body, context, span))
            case declarations.Times(count=count, body=body):
                times = elaborate.check(world, scope, count, _WHOLE)
                offset = self.slot()
                return tree.Repeat(span, offset, times, self.block(body, context, span))
            case declarations.Together(binders=binders, body=body):
                return loops.together(self, binders, body, context, span)
            case declarations.Say(text=text):
                return tree.Leaf(span, m.Say(span, self.template(text, scope)))
        raise AssertionError(step)

    def template(
        self, text: s.Template | None, scope: elaborate.Scope
    ) -> tuple[str | m.Expression, ...]:
        """Check the expressions of a text."""
        return elaborate.template(self.world, scope, text)

    # -------------------------------------------------------------------- one-line statements

    def statement(self, node: s.Statement, context: Context) -> list[tree.Node]:
        """Check a one-line statement."""
        world, scope, span = self.world, context.scope, node.span
        match node:
            case s.Pass():
                return []
            case s.Guarded(statement=inner, condition=condition):
                test = elaborate.condition(world, scope, condition)
                with world.knowing(elaborate.proved(test, True)):
                    body = tree.Block(span, tuple(self.statement(inner, context)), ())
                return [tree.If(span, test, body, None)]
            case s.Repeated(statement=inner, clauses=clauses, condition=condition):
                binders = [
                    s.Binder(clause.span, clause.name, clause.span, clause.source, None, None)
                    for clause in clauses
                ]
                return [
                    loops.loop(
                        self,
                        binders,
                        condition,
                        lambda inside: tree.Block(span, tuple(self.statement(inner, inside)), ()),
                        context,
                        span,
                    )
                ]
            case s.Stop(procedure=procedure):
                return [self.stop(procedure, span)]
            case s.Give(value=value):
                return [self.give(value, context, span)]
            case s.EndGame(winner=winner):
                who = None
                if winner is not None:
                    who = elaborate.check(world, scope, winner, t.Optional(t.Player()))
                if context.together:
                    world.report("RR0607", "the game cannot end inside a `together`", span)
                return [tree.Leaf(span, m.EndGame(span, who))]
            case s.Assign():
                return [assignments.assign(self, node, context)]
            case s.Let():
                found, _ = assignments.let(self, node, context, [], None)
                return found
            case s.Reset(place=place):
                return [assignments.reset(self, place, context, span)]
            case s.Do(call=call, player=player):
                return calls.do(self, call, player, context, span)
            case s.Roll() | s.Pick() | s.Sort():
                return [moves.chance(self, node, context)]
            case s.Move() | s.Shuffle() | s.Swap() | s.Show():
                return [moves.move(self, node, context)]
        raise AssertionError(node)

    def stop(self, procedure: str | None, span: Span) -> tree.Node:
        """`stop`, `stop PROC`."""
        assert self.routine is not None
        if procedure is None and self.routine.name == "":
            self.world.report(
                "RR0705",
                "there is nothing to stop: a phase is no procedure",
                span,
                help="put these rules into a procedure, or test the condition with `until:`",
            )
            return tree.Block(span, (), ())
        if procedure is not None:
            if procedure not in self.world.by_kind["procedure"]:
                word = self.world.declared.get(procedure, ("", None))[0]
                if word:
                    self.world.report(
                        "RR0409",
                        f"`{procedure}` is {named(word)}: only a procedure is left by `stop`",
                        span,
                    )
                else:
                    known = self.world.by_kind["procedure"]
                    self.world.unknown(procedure, span, "procedure", known)
                return tree.Block(span, (), ())
            self.world.used.add(procedure)
        return tree.Stop(span, procedure)

    def give(self, value: s.Expression, context: Context, span: Span) -> tree.Node:
        """`give e`: widens what the procedure gives."""
        routine = self.routine
        assert routine is not None
        own = not routine.implicit or routine.name.endswith(hooks.BODY)
        if routine.name == "" or routine.decl is None or not own:
            what = "a block before or after a procedure changes no result"
            if not routine.name.startswith(("before ", "after ")):
                what = "only a procedure gives a value"
            self.world.report("RR0705", what, span)
            elaborate.check(self.world, context.scope, value)
            return tree.Block(span, (), ())
        if routine.queued:
            self.world.report("RR0704", "a `queued:` procedure gives nothing", span)
        found = elaborate.check(self.world, context.scope, value)
        type_ = found.type
        if isinstance(type_, t.Collection | t.Zone):
            mismatch(self.world, value.span, t.Int(0, 0), type_)
            type_ = t.Unknown()
        both = type_ if routine.result is None else join(routine.result, type_)
        if both is None:
            assert routine.result is not None
            mismatch(self.world, value.span, routine.result, type_)
            both = t.Unknown()
        routine.result = both
        return tree.Give(span, found)

    def is_known(self, name: str, scope: elaborate.Scope) -> bool:
        """Does a name mean anything, be it a member of something."""
        world = self.world
        if name in scope.names or name in world.declared:
            return True
        if name in world.players or name in world.automata:
            return True
        return name in library.WORDS or bool(library.having(world, name))

    # --------------------------------------------------------------------------------- calls


# ------------------------------------------------------------------------------------ helpers


def assigns(items: Sequence[object], name: str) -> bool:
    """Does one of the statements assign to a local (as far as the text tells)."""
    for item in items:
        if (
            isinstance(item, s.Assign)
            and isinstance(item.place, s.Name)
            and (item.place.text == name)
        ):
            return True
        if isinstance(item, s.Guarded | s.Repeated) and assigns((item.statement,), name):
            return True
        if isinstance(item, declarations.Line) and assigns(item.statements, name):
            return True
        if isinstance(item, declarations.Step):
            for field_ in dataclasses.fields(item):
                value = getattr(item, field_.name)
                if isinstance(value, tuple) and assigns(value, name):
                    return True
        if isinstance(item, tuple) and assigns(item, name):
            return True
    return False


def span_of(body: declarations.Block, otherwise: Span) -> Span:
    """Where a block begins."""
    return body[0].span if body else otherwise


def branches(span: Span, pairs: list[tuple[m.Expression | None, tree.Node]]) -> tree.Node | None:
    """Cases from the top down as nested branches."""
    node: tree.Node | None = None
    for test, body in reversed(pairs):
        node = body if test is None else tree.If(body.span, test, body, node)
    return node


def loop_mode(world: World, source: m.Expression) -> str:
    """How a loop over a collection keeps its place."""
    match source:
        case m.Clockwise() | m.Listed():
            return "sequence"
        case m.Values():
            return "values"
        case m.BuiltinCall(word="reverse" | "around"):
            return "sequence"
        case m.Unpacked(operand=operand) if isinstance(operand.type, t.Order):
            return "sequence"
    inside = t.inner(element(world, source.type))
    if elaborate.is_ordered(world, source) and not (
        isinstance(source, m.Members) and source.type.one  # type: ignore[union-attr]
    ):
        return "positions" if isinstance(inside, t.Component) else "sequence"
    if isinstance(inside, t.Component) and component_kinds.kind(world, inside.kind).counted:
        return "counted"
    return "values"


def start_value(world: World, decl: declarations.VariableDecl, type_: t.Type) -> int | None:
    """The start value of a variable: as written, else none, else the lowest (0 if in range)."""
    if decl.start is not None:
        return facts.constant(world, decl.start, type_)
    if isinstance(type_, t.Optional):
        return None
    if isinstance(type_, t.Int) and type_.low <= 0 <= type_.high:
        return 0
    return facts.low(type_)

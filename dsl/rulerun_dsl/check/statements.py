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
from rulerun_dsl import structure
from rulerun_dsl import syntax as s
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import (
    choices,
    expressions,
    facts,
    families,
    hooks,
    library,
    moves,
    phases,
    tree,
)
from rulerun_dsl.check.typing import element, fit, join, mismatch, shorten
from rulerun_dsl.check.world import World
from rulerun_dsl.source import Span

_WHOLE = t.Int(t.INT_MIN, t.INT_MAX)


@dataclass(frozen=True)
class Context:
    """Where a statement stands."""

    scope: expressions.Scope
    decider: m.Expression | None = None
    """Who decides where `by` is left out: the innermost `turns`, `together` or `for: you`."""
    together: bool = False
    running: frozenset[str] = frozenset()

    def naming(self, **names: m.Expression) -> Context:
        """The context with more locals."""
        return dataclasses.replace(self, scope=self.scope.with_names(**names))

    def binding_you(self, who: m.Expression) -> Context:
        """The context in which `you` is somebody else."""
        scope = dataclasses.replace(self.scope, you=who, asked=[False])
        return dataclasses.replace(self, scope=scope)


@dataclass
class Statements:
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
    phases: list[structure.PhaseDecl] = field(default_factory=list)

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

    def parameters(
        self, signature: s.Signature
    ) -> list[tuple[str, t.Scalar]]:
        """The parameters of a signature with their types."""
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
        decl: structure.ProcedureDecl = self.world.by_kind["procedure"][name]  # type: ignore[assignment]
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
        names: dict[str, m.Expression] = {
            name: local for name, _, local in routine.parameters
        }
        scope = expressions.Scope(names, routine.you, names.pop("this", None))
        context = Context(scope)
        body = routine.decl.body
        routine.body = self.block(body, context, routine.span)
        routine.needs_you = routine.needs_you or scope.asked[0]
        self.routine = outer

    # ----------------------------------------------------------------------------- blocks

    def block(self, steps: structure.Block, context: Context, span: Span) -> tree.Node:
        """Check a block; its locals end with it."""
        assert self.routine is not None
        items: list[s.Statement | structure.Step] = []
        for step in steps:
            if isinstance(step, structure.Line):
                items.extend(step.statements)
            else:
                items.append(step)
        slots: list[int] = []
        found = self.rest(items, 0, context, slots)
        return tree.Block(span, tuple(found), tuple(slots))

    def rest(
        self,
        items: list[s.Statement | structure.Step],
        place: int,
        context: Context,
        slots: list[int],
    ) -> list[tree.Node]:
        """Check the statements from a place on: a `let` is seen by what follows it."""
        found: list[tree.Node] = []
        while place < len(items):
            item = items[place]
            place += 1
            if isinstance(item, s.Let) and item.type is None and assigns(
                items[place:], item.name
            ):
                return found + self.inferred_let(item, items, place, context, slots)
            nodes, context = self.item(item, context, slots)
            found.extend(nodes)
        return found

    def inferred_let(
        self,
        item: s.Let,
        items: list[s.Statement | structure.Step],
        place: int,
        context: Context,
        slots: list[int],
    ) -> list[tree.Node]:
        """A `let` whose range depends on what is assigned later: widen until it holds all."""
        world = self.world
        guess: t.Scalar | None = None
        for _ in range(4):
            marks = len(world.diagnostics), set(world._reported), len(self.edges)
            kept = self.next_slot, len(slots)
            nodes, inner = self.let(item, context, slots, guess)
            local = inner.scope.names.get(item.name)
            if not isinstance(local, m.Local):
                return nodes + self.rest(items, place, inner, slots)
            self.assigned[local.offset] = []
            self.inferred.add(local.offset)
            more = self.rest(items, place, inner, slots)
            joined = local.type
            for type_ in self.assigned[local.offset]:
                both = join(joined, type_)  # type: ignore[arg-type]
                joined = joined if both is None else both
            if joined == local.type or isinstance(local.type, t.Unknown):
                return nodes + more
            guess = joined  # type: ignore[assignment]
            del world.diagnostics[marks[0] :]
            world._reported = marks[1]
            del self.edges[marks[2] :]
            assert self.routine is not None
            for offset in range(kept[0], self.next_slot):
                if offset in self.routine.slots:
                    self.routine.slots.remove(offset)
            del slots[kept[1] :]
            self.next_slot = max(kept[0], self._lowest_free())
        world.report(
            "RR0507",
            f"the range of `{item.name}` cannot be inferred: it grows with each pass",
            item.name_span,
            help=f"give it a type: `let 0..9 {item.name} = …`",
        )
        return nodes + more

    def _lowest_free(self) -> int:
        used = [slot for routine in self.routines.values() for slot in routine.slots]
        used += self.routine.slots if self.routine is not None else []
        return max(used, default=0) + 1

    def item(
        self, item: s.Statement | structure.Step, context: Context, slots: list[int]
    ) -> tuple[list[tree.Node], Context]:
        """Check one statement; a `let` or `choose` leaves names for those after it."""
        if isinstance(item, s.Let):
            return self.let(item, context, slots, None)
        if isinstance(item, structure.Choose):
            return choices.choose(self, item, context, slots)
        if isinstance(item, structure.Step):
            return [self.step(item, context)], context
        return self.statement(item, context), context

    # -------------------------------------------------------------------- structured steps

    def step(self, step: structure.Step, context: Context) -> tree.Node:
        """Check a structured statement."""
        world, span, scope = self.world, step.span, context.scope
        match step:
            case structure.Group(body=body):
                return self.block(body, context, span)
            case structure.If(condition=condition, then=then, alternative=alternative):
                test = expressions.condition(world, scope, condition)
                other = None
                if alternative:
                    with world.knowing(expressions.proved(test, False)):
                        other = self.block(alternative, context, span)
                with world.knowing(expressions.proved(test, True)):
                    taken = self.block(then, context, span)
                return tree.If(span, test, taken, other)
            case structure.Cases(cases=cases):
                node: tree.Node | None = None
                pairs = [
                    (
                        expressions.condition(world, scope, key) if key is not None else None,
                        self.block(body, context, span),
                    )
                    for key, body in cases
                ]
                library.check_else(
                    world, None, set(), [(key, span_of(body, span)) for key, body in cases]
                )
                return branches(span, pairs) or tree.Block(span, (), ())
            case structure.Match(subject=subject, cases=cases):
                matched = expressions.check(world, scope, subject)
                covered: set[int | None] = set()
                pairs = [
                    (
                        library.matches(world, scope, matched, key, covered)
                        if key is not None
                        else None,
                        self.block(body, context, span),
                    )
                    for key, body in cases
                ]
                library.check_else(
                    world, matched, covered,
                    [(key, span_of(body, span)) for key, body in cases],
                )
                total = library.is_total(world, matched, covered)
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
            case structure.For(binders=binders, body=body):
                return self.loops(binders, lambda inner: self.block(body, inner, span), context)
            case structure.Turns(binders=binders, until=until, body=body):
                return self.turns(binders, until, body, context, span)
            case structure.Until(condition=condition, body=body):
                test = expressions.condition(world, scope, condition)
                return tree.Until(span, test, self.block(body, context, span))
            case structure.Times(count=count, body=body):
                times = expressions.check(world, scope, count, _WHOLE)
                offset = self.slot()
                return tree.Repeat(span, offset, times, self.block(body, context, span))
            case structure.Together(binders=binders, body=body):
                return self.together(binders, body, context, span)
            case structure.Say(text=text):
                return tree.Leaf(span, m.Say(span, self.template(text, context)))
        raise AssertionError(step)

    def template(self, text: s.Template, context: Context) -> tuple[str | m.Expression, ...]:
        """Check the expressions of a text."""
        return tuple(
            part
            if isinstance(part, str)
            else expressions.check(self.world, context.scope, part)
            for part in text.parts
        )

    def loops(
        self,
        binders: s.Binders,
        body: object,
        context: Context,
    ) -> tree.Node:
        """`for x in S, y in T if c`: a loop in a loop, the condition in the innermost."""
        return self.loop(list(binders.items), binders.condition, body, context, binders.span)

    def loop(
        self,
        binders: list[s.Binder],
        condition: s.Expression | None,
        body: object,
        context: Context,
        span: Span,
    ) -> tree.Node:
        """One loop and those inside it."""
        binder, *more = binders
        source = expressions.collection(self.world, context.scope, binder.source)
        inside = element(self.world, source.type)
        library.check_hides(self.world, context.scope, binder.name, binder.name_span)
        variable = self.local(binder.name, inside, binder.span)
        if binder.name == "you":
            inner = dataclasses.replace(context.binding_you(variable), decider=variable)
        else:
            inner = context.naming(**{binder.name: variable})
        test = None
        if not more and condition is not None:
            test = expressions.condition(self.world, inner.scope, condition)
        mode = loop_mode(self.world, source)
        plan = m.Loop(mode, variable, self.slot(), self.slot(), self.slot(), source, test)
        if more:
            node = self.loop(more, condition, body, inner, span)
        else:
            node = body(inner)  # type: ignore[operator]
        return tree.Loop(span, plan, None, node)

    def turns(
        self,
        binders: s.Binders,
        until: s.Expression | None,
        body: structure.Block,
        context: Context,
        span: Span,
    ) -> tree.Node:
        """`turns: p in players if …`: round the table for ever."""
        world = self.world
        binder = binders.items[0]
        source = expressions.collection(world, context.scope, binder.source)
        if not isinstance(element(world, source.type), t.Player | t.Unknown):
            mismatch(world, binder.source.span, t.Player(), source.type)
        library.check_hides(world, context.scope, binder.name, binder.name_span)
        variable = self.local(binder.name, t.Player(), binder.span)
        inner = dataclasses.replace(
            context.binding_you(variable)
            if binder.name == "you"
            else context.naming(**{binder.name: variable}),
            decider=variable,
        )
        test = None
        if binders.condition is not None:
            test = expressions.condition(world, inner.scope, binders.condition)
        ends = expressions.condition(world, context.scope, until) if until is not None else None
        plan = m.Loop("turns", variable, self.slot(), self.slot(), self.slot(), source, test)
        return tree.Loop(span, plan, ends, self.block(body, inner, span))

    def together(
        self, binders: s.Binders, body: structure.Block, context: Context, span: Span
    ) -> tree.Node:
        """`together: p in players`: each in secret."""
        world = self.world
        if context.together:
            world.report("RR0607", "a `together` cannot stand inside another", span)
        binder = binders.items[0]
        source = expressions.collection(world, context.scope, binder.source)
        if not isinstance(element(world, source.type), t.Player | t.Unknown):
            mismatch(world, binder.source.span, t.Player(), source.type)
        library.check_hides(world, context.scope, binder.name, binder.name_span)
        variable = self.local(binder.name, t.Player(), binder.span)
        inner = dataclasses.replace(
            context.binding_you(variable)
            if binder.name == "you"
            else context.naming(**{binder.name: variable}),
            decider=variable,
            together=True,
        )
        if binders.condition is not None:
            register = world.register()
            item = m.Register(t.Player(), binder.span, register)
            scope = (
                dataclasses.replace(context.scope, you=item, asked=[False])
                if binder.name == "you"
                else context.scope.with_names(**{binder.name: item})
            )
            test = expressions.condition(world, scope, binders.condition)
            source = m.Quantifier(
                t.Collection(t.Player(), True), span, "those",
                (m.Clause(register, source, test),), item, (), None,
            )
        return tree.Together(span, source, variable, self.block(body, inner, span))

    # -------------------------------------------------------------------- one-line statements

    def statement(self, node: s.Statement, context: Context) -> list[tree.Node]:
        """Check a one-line statement."""
        world, scope, span = self.world, context.scope, node.span
        match node:
            case s.Pass():
                return []
            case s.Guarded(statement=inner, condition=condition):
                test = expressions.condition(world, scope, condition)
                with world.knowing(expressions.proved(test, True)):
                    body = tree.Block(span, tuple(self.statement(inner, context)), ())
                return [tree.If(span, test, body, None)]
            case s.Repeated(statement=inner, clauses=clauses, condition=condition):
                binders = [
                    s.Binder(clause.span, clause.name, clause.span, clause.source, None, None)
                    for clause in clauses
                ]
                return [
                    self.loop(
                        binders,
                        condition,
                        lambda inside: tree.Block(
                            span, tuple(self.statement(inner, inside)), ()
                        ),
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
                    who = expressions.check(world, scope, winner, t.Optional(t.Player()))
                if context.together:
                    world.report("RR0607", "the game cannot end inside a `together`", span)
                return [tree.Leaf(span, m.EndGame(span, who))]
            case s.Assign():
                return [self.assign(node, context)]
            case s.Let():
                found, _ = self.let(node, context, [], None)
                return found
            case s.Reset(place=place):
                return [self.reset(place, context, span)]
            case s.Do(call=call, player=player):
                return self.do(call, player, context, span)
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
        if procedure is not None:
            if procedure not in self.world.by_kind["procedure"]:
                self.world.unknown(procedure, span, "procedure", self.world.by_kind["procedure"])
                procedure = None
            else:
                self.world.used.add(procedure)
        return tree.Stop(span, procedure)

    def give(self, value: s.Expression, context: Context, span: Span) -> tree.Node:
        """`give e`: widens what the procedure gives."""
        routine = self.routine
        assert routine is not None
        if routine.name == "" or routine.decl is None:
            self.world.report("RR0705", "only a procedure gives a value", span)
        if routine.queued:
            self.world.report("RR0704", "a `queued:` procedure gives nothing", span)
        found = expressions.check(self.world, context.scope, value)
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

    def let(
        self, node: s.Let, context: Context, slots: list[int], guess: t.Scalar | None
    ) -> tuple[list[tree.Node], Context]:
        """`let x = e`, also of a procedure's value or a moved component."""
        world, span = self.world, node.span
        library.check_hides(world, context.scope, node.name, node.name_span)
        declared = facts.type_of(world, node.type) if node.type is not None else guess

        def named(type_: t.Scalar) -> tuple[m.Local, Context]:
            local = self.local(node.name, type_, node.span)
            slots.append(local.offset)
            return local, context.naming(**{node.name: local})

        if isinstance(node.value, s.Move):
            kind, optional = moves.moved_kind(self, node.value, context)
            type_: t.Scalar = t.Component(kind) if kind else t.Unknown()
            local, inner = named(declared or (t.Optional(type_) if optional else type_))
            return [moves.move(self, node.value, context, local)], inner
        if self.is_procedure(node.value):
            assert isinstance(node.value, s.Call)
            routine = self.procedure(self.original(node.value).name)
            local, inner = named(declared or self.result_of(routine))
            return self.call(node.value, None, context, span, local), inner
        value = expressions.check(world, context.scope, node.value, declared)
        type_of = declared or value.type
        if isinstance(type_of, t.Collection | t.Zone):
            world.report(
                "RR0501",
                f"`{shorten(node.value.span.text)}` is several: a local holds one value",
                node.value.span,
            )
            type_of = t.Unknown()
        local, inner = named(type_of)
        return [tree.Leaf(span, m.Store(span, local, "=", value))], inner

    def is_procedure(self, value: object) -> bool:
        """Is a value the call of a procedure."""
        if isinstance(value, s.Call):
            value = self.original(value)
        return isinstance(value, s.Call) and value.name in self.world.by_kind["procedure"]

    def original(self, node: s.Call) -> s.Call:
        """Inside a replacement `original(…)` calls what it replaces."""
        if node.name == "original" and self.routine is not None:
            name = self.routine.name.removesuffix(hooks.BODY)
            if name in self.world.originals:
                return dataclasses.replace(node, name=self.world.originals[name])
        return node

    def target(
        self, place: s.Expression, context: Context
    ) -> tuple[m.Target, t.Type, bool] | None:
        """What may be assigned to: a local, a variable, an attribute; its type, its clamp."""
        world, scope = self.world, context.scope
        if isinstance(place, s.Name) and place.text in scope.names:
            local = scope.names[place.text]
            if not isinstance(local, m.Local):
                world.report("RR0409", f"`{place.text}` cannot be changed here", place.span)
                return None
            return dataclasses.replace(local, span=place.span), local.type, False
        found = families.family(world, scope, place)
        if found is not None and found.word == "variable":
            variable = facts.variable(world, found.name)
            indexes = families.indexes(world, scope, found)
            self.written.add(found.name)
            if indexes is None:
                return None
            self.check_only(variable.decl, place.span)
            node = m.Variable(variable.type, place.span, found.name, indexes)
            return node, variable.type, variable.decl.clamp
        if found is None and isinstance(place, s.Attribute):
            typed = expressions.raw(world, scope, place)
            if isinstance(typed, m.State):
                self.written.add(f"{typed.kind}.{typed.attribute}")
                return typed, t.inner(typed.type), False
            if isinstance(typed.type, t.Unknown):
                return None
        what = f"a {found.word}" if found is not None else "no variable"
        world.report(
            "RR0409",
            f"`{shorten(place.span.text)}` is {what}: nothing can be assigned to it",
            place.span,
            help="components go by `move`" if found is not None and found.word == "zone" else None,
        )
        return None

    def check_only(self, decl: structure.VariableDecl, span: Span) -> None:
        """`only: [procs]`: who may change a variable."""
        assert self.routine is not None
        allowed = [scalar.text for scalar in decl.only]
        for scalar in decl.only:
            if scalar.text not in self.world.by_kind["procedure"]:
                known = self.world.by_kind["procedure"]
                self.world.unknown(scalar.text, scalar.span, "procedure", known)
        if allowed and self.routine.name not in allowed:
            self.world.report(
                "RR0712",
                f"`{decl.at.name}` may be changed only in {', '.join(allowed)}",
                span,
            )

    def assign(self, node: s.Assign, context: Context) -> tree.Node:
        """`place = value`, `+=`, `-=`."""
        world, span = self.world, node.span
        found = self.target(node.place, context)
        if found is None:
            if not isinstance(node.value, s.Move):
                expressions.raw(world, context.scope, node.value)
            return tree.Block(span, (), ())
        target, type_, clamp = found
        local = target if isinstance(target, m.Local) else None
        inferring = local is not None and local.offset in self.inferred
        if isinstance(node.value, s.Move):
            return moves.move(self, node.value, context, target)
        if self.is_procedure(node.value):
            assert isinstance(node.value, s.Call)
            routine = self.procedure(self.original(node.value).name)
            result = self.result_of(routine)
            if inferring:
                assert local is not None
                self.assigned[local.offset].append(result)
            elif join(t.inner(type_), t.inner(result)) is None:  # type: ignore[arg-type]
                mismatch(world, node.value.span, type_, result)
            called = self.call(node.value, None, context, span, target)
            return called[0] if len(called) == 1 else tree.Block(span, tuple(called), ())
        if node.operator != "=":
            if not isinstance(t.inner(type_), t.Int | t.Unknown):
                mismatch(world, node.place.span, _WHOLE, type_)
            if inferring:
                world.report(
                    "RR0507",
                    f"the range of `{node.place.span.text}` cannot be inferred",
                    node.place.span,
                    help=f"give it a type where it is born: "
                    f"`let 0..9 {node.place.span.text} = …`",
                )
            value = expressions.check(world, context.scope, node.value, _WHOLE)
            return tree.Leaf(span, m.Store(span, target, node.operator, value, clamp))
        if inferring:
            assert local is not None
            wanted = None if isinstance(type_, t.Int | t.NoneType) or isinstance(
                t.inner(type_), t.Int
            ) else type_
            value = expressions.check_loosely(world, context.scope, node.value, wanted or type_)
            if isinstance(value.type, t.Collection | t.Zone):
                mismatch(world, value.span, type_, value.type)
            elif join(type_, value.type) is None:  # type: ignore[arg-type]
                mismatch(world, value.span, type_, value.type)
            else:
                self.assigned[local.offset].append(value.type)
        else:
            value = expressions.check(world, context.scope, node.value, type_)
        return tree.Leaf(span, m.Store(span, target, "=", value, clamp))

    def reset(self, place: s.Expression, context: Context, span: Span) -> tree.Node:
        """`reset x`: back to the start value."""
        found = self.target(place, context)
        if found is None or not isinstance(found[0], m.Variable):
            if found is not None:
                self.world.report("RR0409", "`reset` is for variables of the state", span)
            return tree.Block(span, (), ())
        target = found[0]
        decl = facts.variable(self.world, target.name).decl
        start = start_value(self.world, decl, found[1])
        value = m.Literal(found[1], span, start)
        return tree.Leaf(span, m.Store(span, target, "=", value))

    # --------------------------------------------------------------------------------- calls

    def do(
        self,
        node: s.Call | s.RuleCall,
        player: s.Expression | None,
        context: Context,
        span: Span,
    ) -> list[tree.Node]:
        """A call as a statement."""
        if isinstance(node, s.RuleCall):
            return [self.slot_call(node, player, context, span)]
        node = self.original(node)
        if self.is_procedure(node):
            return self.call(node, player, context, span, None)
        word = self.world.declared.get(node.name, ("", None))[0]
        if word:
            self.world.report(
                "RR0409",
                f"`{node.name}` is a {word}: calling it does nothing",
                node.name_span,
                help="only procedures are called as statements",
            )
        else:
            known = self.world.by_kind["procedure"]
            self.world.unknown(node.name, node.name_span, "procedure", known)
        return []

    def whose(
        self, player: s.Expression | None, context: Context
    ) -> tuple[m.Expression | None, bool]:
        """The `you` that a call passes on, and whether it is the routine's own."""
        if player is not None:
            return expressions.check(self.world, context.scope, player, t.Player()), False
        assert self.routine is not None
        you = context.scope.you
        own = isinstance(you, m.Local) and you.offset == self.routine.you.offset
        return you, own

    def call(
        self,
        node: s.Call,
        player: s.Expression | None,
        context: Context,
        span: Span,
        result: m.Target | None,
    ) -> list[tree.Node]:
        """A call of a procedure."""
        world = self.world
        node = self.original(node)
        world.used.add(node.name)
        routine = self.procedure(node.name)
        arguments = list(node.arguments)
        you, own = self.whose(player, context)
        if routine.explicit_you and len(arguments) == len(routine.parameters) + 1:
            first = arguments.pop(0)
            if isinstance(first, s.Comprehension | s.Filtered):
                world.report("RR0502", "a player is wanted first", first.span)
                return []
            you, own = expressions.check(world, context.scope, first, t.Player()), False
        if len(arguments) != len(routine.parameters):
            world.report(
                "RR0502",
                f"`{node.name}` takes {len(routine.parameters)} arguments, not {len(arguments)}",
                node.span,
                help=f"it is declared as `{routine.decl.signature.span.text}`"
                if routine.decl
                else None,
            )
            return []
        found = []
        for argument, (_, type_, _) in zip(arguments, routine.parameters, strict=True):
            if isinstance(argument, s.Comprehension | s.Filtered):
                world.report("RR0502", f"`{node.name}` takes values", argument.span)
                return []
            found.append(expressions.check(world, context.scope, argument, type_))
        if result is not None and self.result_of(routine) == t.Unknown() and (
            routine.body is not None and routine.result is None
        ):
            world.report(
                "RR0704", f"`{node.name}` gives nothing", node.span,
                help="a procedure gives its value by `give`",
            )
        assert self.routine is not None
        self.edges.append(
            tree.Edge(self.routine.name, node.name, span, you is not None, own)
        )
        return [tree.CallProcedure(span, node.name, tuple(found), you, result)]

    def slot_call(
        self, node: s.RuleCall, player: s.Expression | None, context: Context, span: Span
    ) -> tree.Node:
        """`tile.gives()`: the rule that the component's row fills in."""
        world = self.world
        base = expressions.scalar(world, expressions.raw(world, context.scope, node.base))
        inner = t.inner(base.type)
        if not isinstance(inner, t.Component):
            if not isinstance(inner, t.Unknown):
                mismatch(world, node.base.span, t.Component("kind"), base.type)
            return tree.Block(span, (), ())
        kind = facts.kind(world, inner.kind)
        slot = kind.slots.get(node.name)
        if slot is None or slot.type is not None:
            if slot is None:
                world.unknown(node.name, node.span, f"rule of {inner.kind}", kind.slots)
            else:
                world.report("RR0409", f"`{node.name}` is a value, not a rule to run", node.span)
            return tree.Block(span, (), ())
        world.used.add(f"slot {inner.kind}.{node.name}")
        parameters = self.parameters(slot.signature)
        if len(node.arguments) != len(parameters):
            world.report(
                "RR0502",
                f"`{node.name}` takes {len(parameters)} arguments, not {len(node.arguments)}",
                node.span,
            )
            return tree.Block(span, (), ())
        arguments = [fit(world, base, inner)]
        for argument, (_, type_) in zip(node.arguments, parameters, strict=True):
            arguments.append(expressions.check(world, context.scope, argument, type_))
        you, own = self.whose(player, context)
        assert self.routine is not None
        names = phases.slot_routines(self, inner.kind, slot, parameters)
        for name in names:
            if name is not None:
                self.edges.append(
                    tree.Edge(self.routine.name, name, span, you is not None, own)
                )
        return tree.CallSlot(
            span, inner.kind, arguments[0], node.name, names, tuple(arguments), you
        )


# ------------------------------------------------------------------------------------ helpers


def assigns(items: Sequence[object], name: str) -> bool:
    """Does one of the statements assign to a local (as far as the text tells)."""
    for item in items:
        if isinstance(item, s.Assign) and isinstance(item.place, s.Name) and (
            item.place.text == name
        ):
            return True
        if isinstance(item, s.Guarded | s.Repeated) and assigns((item.statement,), name):
            return True
        if isinstance(item, structure.Line) and assigns(item.statements, name):
            return True
        if isinstance(item, structure.Step):
            for field_ in dataclasses.fields(item):
                value = getattr(item, field_.name)
                if isinstance(value, tuple) and assigns(value, name):
                    return True
        if isinstance(item, tuple) and assigns(item, name):
            return True
    return False


def span_of(body: structure.Block, otherwise: Span) -> Span:
    """Where a block begins."""
    return body[0].span if body else otherwise


def branches(
    span: Span, pairs: list[tuple[m.Expression | None, tree.Node]]
) -> tree.Node | None:
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
        case m.Built(word="reverse" | "around"):
            return "sequence"
        case m.Unpacked(operand=operand) if isinstance(operand.type, t.Order):
            return "sequence"
    inside = t.inner(element(world, source.type))
    if expressions.is_ordered(world, source) and not (
        isinstance(source, m.Members) and source.type.one  # type: ignore[union-attr]
    ):
        return "positions" if isinstance(inside, t.Component) else "sequence"
    if isinstance(inside, t.Component) and facts.kind(world, inside.kind).counted:
        return "counted"
    return "values"


def start_value(world: World, decl: structure.VariableDecl, type_: t.Type) -> int | None:
    """The start value of a variable: as written, else none, else the lowest (0 if in range)."""
    if decl.start is not None:
        return facts.constant(world, decl.start, type_)
    if isinstance(type_, t.Optional):
        return None
    if isinstance(type_, t.Int) and type_.low <= 0 <= type_.high:
        return 0
    return facts.low(type_)

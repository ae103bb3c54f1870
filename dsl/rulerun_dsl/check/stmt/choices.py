"""Decisions: `choose` in all its forms, and the actions that several choices may offer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from rulerun_dsl import model as m
from rulerun_dsl.check.env import domains, facts
from rulerun_dsl.check.env.recorder import word_in
from rulerun_dsl.check.env.typing import element, is_counted, join, mismatch, without_none
from rulerun_dsl.check.env.wording import several
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, scopes
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.expr.visibility import visibility_scope
from rulerun_dsl.check.stmt import loops, narrowing, tree, walking
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def choose(
    rules: RuleChecker, node: declarations.Choose, context: Context, slots: list[int]
) -> tuple[list[tree.Node], Context]:
    """Check a decision; its binders are named until the block around it ends."""
    world, scope, span = rules.world, context.scope, node.span
    player = decider(rules, node, context)
    visible = None
    if (who_sees := node.visible or default_visibility(rules)) is not None:
        visible = visibility(rules, who_sees, scope)
    mark = world.registers
    lines: list[tree.Line] = []
    narrowing_scope = scope
    after = context
    nothing = None
    if node.nothing is not None:
        nothing = rules.block(node.nothing, context, span)
    if node.binders is not None:
        line, narrowing_scope, after = binders_line(rules, node, context, slots, nothing)
        lines.append(line)
    elif node.menu:
        for entry in node.menu:
            by = player if node.by is not None else None
            lines.append(menu_line(rules, entry, context, by, node.times, len(lines)))
            narrowing_scope = binder_scope(narrowing_scope, lines[-1])
    else:
        for each in node.actions:
            lines.extend(action_lines(rules, each, context, player, node.times, len(lines)))
    again = node.times is not None
    if again:
        lines = [dataclasses.replace(line, again=True) for line in lines]
    for each in node.also:
        for line in action_lines(rules, each, context, player, None, 0):
            lines.append(dataclasses.replace(line, main=False, again=True))
    for name in (node.done, node.decline):
        if name is not None:
            lines.append(tree.Line(span, name, (), (), None, False, False, None))
    narrowing = tuple(elaborate.condition(world, narrowing_scope, each) for each in node.narrowing)
    counter = times = None
    if node.times is not None and not isinstance(node.times, str):
        times = elaborate.check(world, scope, node.times, t.ANY_INT)
        counter = rules.slot()
    taken = rules.slot() if node.times == "each once" else None
    if node.times in ("any", "each once") and node.done is None and nothing is None:
        world.report(
            "RR0708",
            f"`times: {node.times}` has no way out",
            span,
            help="name one: `done: enough`, or say with `else:` what comes when nothing is left",
        )
    assert mark <= world.registers
    # In a menu `you` is who decides, and so it is in the question: it is they who read it.
    reader = context.binding_you(player).scope if node.menu and node.by is not None else scope
    choice = tree.Choose(
        span,
        player,
        tuple(lines),
        narrowing,
        elaborate.template(world, reader, node.ask),
        visible,
        node.forced,
        nothing,
        taken,
        counter,
        times,
    )
    return [choice], after


def decider(rules: RuleChecker, node: declarations.Choose, context: Context) -> m.Expression:
    """Who decides: `by`, else the player bound around it, else `you`."""
    if node.by is not None:
        return elaborate.check(rules.world, context.scope, node.by, t.Player())
    if context.decider is not None:
        return dataclasses.replace(context.decider, span=node.span)
    if context.scope.you is None:
        rules.world.report(
            "RR0405",
            "who decides? nobody is bound here",
            node.span,
            help="write `by: PLAYER`, or put the choice into a `turns`, `together` or `for: you`",
        )
    else:
        context.scope.asked[0] = True
        return dataclasses.replace(context.scope.you, span=node.span)
    return m.Literal(t.Unknown(), node.span, 0)


def default_visibility(rules: RuleChecker) -> s.Expression | None:
    """The written default around a routine."""
    routine = rules.routine
    if routine is None or not isinstance(routine.visible, s.Node):
        return None
    return routine.visible  # type: ignore[return-value]


def visibility(rules: RuleChecker, node: s.Expression, scope: Scope) -> m.Expression:
    """Who is told which option it was: an expression over `viewer` and `owner`."""
    inner = visibility_scope(owned=True, names=scope.names)
    return elaborate.condition(rules.world, inner, node)


def option_binder(
    rules: RuleChecker,
    scope: Scope,
    name: str,
    source: m.Expression,
    span: Span,
    low: m.Expression | None = None,
    high: m.Expression | None = None,
    existing: m.Local | None = None,
) -> m.OptionBinder:
    """A binder of an option: a register while options are listed, a local once one is taken."""
    inside = element(source.type)
    if isinstance(inside, t.SetOf):
        rules.world.report(
            "RR0747",
            f"`{name}` is a set: options are numbered, and there are too many sets to number",
            span,
            help="choose the members: `choose: 2..3 c in hand`",
        )
        inside = t.Unknown()
    type_: t.Scalar = inside
    if low is not None and not isinstance(inside, t.Unknown):
        # What can be told apart and is chosen as several is a set.
        type_ = t.Multiset(inside) if is_counted(rules.world, inside) else t.SetOf(inside)
    local = existing or rules.local(name, type_, span)
    if existing is None:
        scopes.check_hides(rules.world, scope, name, span)
    return m.OptionBinder(name, rules.world.register(), local, source, low, high)


def as_registers(scope: Scope, binders: list[m.OptionBinder]) -> Scope:
    """The scope of an option's conditions."""
    names = {
        binder.name: m.Register(binder.local.type, binder.local.span, binder.register)
        for binder in binders
    }
    return scope.with_names(**names)


def binder_scope(scope: Scope, line: tree.Line) -> Scope:
    """The scope of `if_possible:` over a menu: the binders of all lines."""
    return as_registers(scope, list(line.binders))


def binders_line(
    rules: RuleChecker,
    node: declarations.Choose,
    context: Context,
    slots: list[int],
    nothing: tree.Node | None,
) -> tuple[tree.Line, Scope, Context]:
    """`choose: c in hand if …`."""
    world, scope = rules.world, context.scope
    assert node.binders is not None
    option_binders: list[m.OptionBinder] = []
    names: dict[str, m.Expression] = {}
    listed = scope
    # After `or:`, or an `else:` that goes on, nothing was chosen.
    maybe = node.decline is not None or (nothing is not None and not walking.leaves(nothing))
    loops.only_in_loops(world, node.binders)
    for binder in node.binders.items:
        source = without_none(world, elaborate.collection(world, listed, binder.source))
        low = high = None
        if binder.low is not None and binder.high is not None:
            low = elaborate.check(world, scope, binder.low, t.ANY_INT)
            high = elaborate.check(world, scope, binder.high, t.ANY_INT)
        bound = option_binder(rules, listed, binder.name, source, binder.name_span, low, high)
        if maybe:
            local = dataclasses.replace(bound.local, type=t.optional(bound.local.type))  # type: ignore[arg-type]
            bound = dataclasses.replace(bound, local=local)
        option_binders.append(bound)
        slots.append(bound.local.offset)
        names[binder.name] = bound.local
        register = m.Register(t.bare(bound.local.type), binder.name_span, bound.register)
        listed = listed.with_names(**{binder.name: register})
    conditions: tuple[m.Expression, ...] = ()
    if node.binders.condition is not None:
        test = elaborate.condition(world, listed, node.binders.condition)
        conditions = test.operands if isinstance(test, m.And) else (test,)
    hint = elaborate.template(world, listed, node.hint)
    line = tree.Line(
        node.span, "", tuple(option_binders), conditions, None, True, False, None, hint
    )
    return line, listed, context.naming(**names)


def once_bit(times: object, place: int) -> int | None:
    """The bit of an option under `times: each once`."""
    return place if times == "each once" else None


def parameter_source(rules: RuleChecker, scope: Scope, parameter: s.Parameter) -> m.Expression:
    """What a parameter of an option ranges over: `in S`, else all values of its type."""
    world = rules.world
    if parameter.source is not None:
        source = without_none(world, elaborate.collection(world, scope, parameter.source))
        if parameter.type is not None:
            declared = facts.type_of(world, parameter.type)
            inside = element(source.type)
            if join(declared, inside) is None:
                mismatch(world, parameter.source.span, declared, inside)
        return source
    assert parameter.type is not None
    type_ = facts.type_of(world, parameter.type)
    if isinstance(type_, t.Component):
        return m.OfKind(t.Collection(type_, False), parameter.span, type_.kind, None, None)
    if isinstance(type_, t.Unknown | t.Optional):
        if isinstance(type_, t.Optional):
            world.report("RR0509", "a parameter cannot be none", parameter.span)
        return m.Listed(t.Collection(t.Unknown(), True), parameter.span, ())
    return domains.all_values(world, type_, parameter.span)


def menu_line(
    rules: RuleChecker,
    entry: declarations.MenuLine,
    context: Context,
    by: m.Expression | None,
    times: object,
    place: int,
) -> tree.Line:
    """A named option: `bid(1..12 q, 1..6 f): …`.

    In its conditions and body `you` is the one who decides, whom `by:` may have named.
    """
    world = rules.world
    binders: list[m.OptionBinder] = []
    asked = context if by is None else context.binding_you(by)
    listed = asked.scope
    for parameter in entry.signature.parameters:
        source = parameter_source(rules, listed, parameter)
        made = option_binder(rules, listed, parameter.name, source, parameter.span)
        binders.append(made)
        register = m.Register(made.local.type, parameter.span, made.register)
        listed = listed.with_names(**{parameter.name: register})
    written = [(asked.scope, entry.around), (listed, entry.conditions)]
    conditions = conditions_of(world, written)
    hint = elaborate.template(world, listed, entry.hint)
    kept = [binder.local for binder in binders]
    first: tuple[tree.Node, ...] = ()
    if by is not None:
        # What `by:` names may change while the body runs; who has decided does not.
        who = rules.local("you", t.Player(), entry.span)
        kept.append(who)
        first = (tree.Leaf(entry.span, m.Store(entry.span, who, "=", by)),)
        asked = dataclasses.replace(context.binding_you(who), decider=who)
    inner = asked.naming(**{binder.name: binder.local for binder in binders})
    with narrowing.asked(rules):
        body = rules.block(entry.body, inner, entry.span)
    if kept:
        steps, slots = (body.steps, body.slots) if isinstance(body, tree.Block) else ((body,), ())
        offsets = tuple(local.offset for local in kept)
        body = tree.Block(body.span, first + steps, slots + offsets)
    return tree.Line(
        entry.span,
        entry.signature.name,
        tuple(binders),
        conditions,
        body,
        True,
        False,
        once_bit(times, place),
        hint,
    )


def conditions_of(
    world: World, written: Iterable[tuple[Scope, Iterable[s.Expression]]]
) -> tuple[m.Expression, ...]:
    """Conditions in their order, each `and` taken apart: one reason each."""
    conjuncts: list[m.Expression] = []
    known: list[m.Expression] = []
    for scope, nodes in written:
        for node in nodes:
            with world.knowing(known):
                test = elaborate.condition(world, scope, node)
            known += elaborate.proved(test, True)
            conjuncts.extend(test.operands if isinstance(test, m.And) else (test,))
    return tuple(conjuncts)


def action_lines(
    rules: RuleChecker,
    entry: s.Name | s.Call,
    context: Context,
    player: m.Expression,
    times: object,
    place: int,
) -> list[tree.Line]:
    """The options that an action or a group of actions offers."""
    world = rules.world
    name = entry.text if isinstance(entry, s.Name) else entry.name
    actions: dict[str, declarations.ActionDecl] = world.by_kind["action"]  # type: ignore[assignment]
    if name in actions:
        world.used.add(name)
        world.note(word_in(entry.span, name), name)
        given = entry.arguments if isinstance(entry, s.Call) else ()
        line = action_line(rules, actions[name], given, context, player, entry.span)
        return [dataclasses.replace(line, once=once_bit(times, place))]
    members = [each for each in actions.values() if name in each.groups]
    if not members or isinstance(entry, s.Call):
        groups = {group for each in actions.values() for group in each.groups}
        world.unknown(name, entry.span, "action or group", [*actions, *groups])
        return []
    lines = []
    for offset, action in enumerate(members):
        world.used.add(action.at.name)
        line = action_line(rules, action, (), context, player, entry.span)
        lines.append(dataclasses.replace(line, once=once_bit(times, place + offset)))
    return lines


def action_line(
    rules: RuleChecker,
    action: declarations.ActionDecl,
    given: tuple[s.Argument, ...],
    context: Context,
    player: m.Expression,
    span: Span,
) -> tree.Line:
    """An action as an option: given arguments are bound, the others range over what is legal.

    In its conditions and body `you` is the one who decides.
    """
    world = rules.world
    entry = action.line
    routine = action_routine(rules, action)
    scope = Scope({}, player)
    binders: list[m.OptionBinder] = []
    arguments: list[m.Expression] = []
    parameters = entry.signature.parameters
    if len(given) > len(parameters):
        world.report("RR0502", f"`{action.at.name}` takes {several(len(parameters))}", span)
        given = given[: len(parameters)]
    for place, parameter in enumerate(parameters):
        type_ = routine.parameters[place][1]
        if place < len(given):
            argument = given[place]
            if isinstance(argument, s.Comprehension | s.Filtered):
                world.report("RR0502", f"`{action.at.name}` takes values", argument.span)
                continue
            value = elaborate.check(world, context.scope, argument, type_)
            scope = scope.with_names(**{parameter.name: value})
            arguments.append(value)
            continue
        source = parameter_source(rules, scope, parameter)
        made = option_binder(rules, scope, parameter.name, source, parameter.span)
        binders.append(made)
        arguments.append(made.local)
        register = m.Register(made.local.type, parameter.span, made.register)
        scope = scope.with_names(**{parameter.name: register})
    # The action of a module is offered only if the module is on.
    module = () if action.at.when is None else (action.at.when,)
    outside = Scope({}, player)
    conditions = conditions_of(
        world, [(outside, (*module, *entry.around)), (scope, entry.conditions)]
    )
    assert rules.routine is not None
    rules.edges.append(tree.Edge(rules.routine.name, routine.name, span, True, False))
    call = tree.CallProcedure(span, routine.name, tuple(arguments), player, None)
    body = tree.Block(span, (call,), tuple(binder.local.offset for binder in binders))
    hint = elaborate.template(world, scope, entry.hint)
    return tree.Line(
        entry.span, entry.signature.name, tuple(binders), conditions, body, True, False, None, hint
    )


def action_routine(rules: RuleChecker, action: declarations.ActionDecl) -> tree.Routine:
    """The body of an action, as a routine of its own."""
    name = f"action {action.at.name}"
    if name in rules.routines:
        return rules.routines[name]
    parameters = []
    scope = Scope({}, m.Literal(t.Player(), action.at.span, 0))
    for parameter in action.line.signature.parameters:
        source = parameter_source(rules, scope, parameter)
        type_ = element(source.type)
        parameters.append((parameter.name, type_))
        scope = scope.with_names(
            **{parameter.name: m.Register(type_, parameter.span, rules.world.register())}
        )
    routine = rules.declare(name, action.at.span, parameters, implicit=True)
    routine.decl = declarations.ProcedureDecl(
        action.at, action.line.signature, action.line.body, None
    )
    routine.visible = action.at.visible
    rules.pending.append(name)
    return routine

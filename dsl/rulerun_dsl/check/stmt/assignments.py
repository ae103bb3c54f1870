"""What changes values: `let`, `=`, `+=`, `reset`, `sort`.

Of a local that is changed later, `let` infers the range.
"""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, domains, facts
from rulerun_dsl.check.env.typing import fit, join, mismatch, no_set, rankable, shorten
from rulerun_dsl.check.expr import elaborate, families, scopes, undeclared
from rulerun_dsl.check.stmt import calls, moves, targets, tree
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt


def inferred_let(
    rules: RuleChecker,
    item: stmt.Let,
    items: list[stmt.Statement | declarations.BlockItem],
    place: int,
    context: Context,
    slots: list[int],
) -> list[tree.Node]:
    """A `let` whose range depends on what is assigned later: widen until it holds all."""
    world = rules.world
    # What was found out when an outer `let` was tried before holds here as well.
    tries, guess = rules.guesses.get(item.span, (6, None))
    while True:
        marks = len(world.diagnostics), len(rules.edges)
        kept = rules.next_slot, len(slots)
        nodes, inner = let(rules, item, context, slots, guess)
        local = inner.scope.names.get(item.name)
        if not isinstance(local, m.Local):
            return nodes + rules.check_rest(rules, items, place, inner, slots)
        rules.assigned[local.offset] = []
        rules.inferred.add(local.offset)
        more = rules.check_rest(rules, items, place, inner, slots)
        joined = local.type
        for type_ in rules.assigned[local.offset]:
            both = join(joined, type_)  # type: ignore[arg-type]
            joined = joined if both is None else both
        if joined == local.type or isinstance(local.type, t.Unknown):
            return nodes + more
        if tries <= 1:
            break
        guess = joined  # type: ignore[assignment]
        tries -= 1
        rules.guesses[item.span] = tries, guess
        assert rules.routine is not None
        # What was found meanwhile in other rules and declarations stays found.
        for span in extents(items[place - 1 :]):
            world.forget(marks[0], span)
        mine = rules.routine.name
        rules.edges[marks[1] :] = [edge for edge in rules.edges[marks[1] :] if edge.caller != mine]
        for offset in range(kept[0], rules.next_slot):
            if offset in rules.routine.slots:
                rules.routine.slots.remove(offset)
        del slots[kept[1] :]
        rules.next_slot = max(kept[0], lowest_free(rules))
    world.report(
        "RR0507",
        f"the range of `{item.name}` cannot be inferred: it grows with each pass",
        item.name_span,
        help=f"give it a type: `let 0..9 {item.name} = …`",
    )
    return nodes + more


def extents(value: object) -> list[Span]:
    """The stretches of the file that statements take up, one for each file."""
    spans: dict[int, Span] = {}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Span):
            known = spans.get(id(each.source))
            if known is None:
                spans[id(each.source)] = each
            else:
                low, high = min(known.start, each.start), max(known.end, each.end)
                spans[id(each.source)] = Span(each.source, low, high)
        elif isinstance(each, tuple | list):
            waiting.extend(each)
        elif dataclasses.is_dataclass(each):
            waiting.extend(getattr(each, field.name) for field in dataclasses.fields(each))
    return list(spans.values())


def lowest_free(rules: RuleChecker) -> int:
    """The first slot that no routine has."""
    used = [slot for routine in rules.routines.values() for slot in routine.slots]
    used += rules.routine.slots if rules.routine is not None else []
    return max(used, default=0) + 1


def let(
    rules: RuleChecker, node: stmt.Let, context: Context, slots: list[int], guess: t.Scalar | None
) -> tuple[list[tree.Node], Context]:
    """`let x = e`, also of a procedure's value or a moved component."""
    world, span = rules.world, node.span
    scopes.check_hides(world, context.scope, node.name, node.name_span, binder=False)
    declared = guess
    if node.type is not None:
        declared = facts.type_of(world, node.type)
        if declared == t.ANY_INT:
            world.report(
                "RR0507",
                f"`{node.name}` needs a range: it is kept in the state",
                node.type.span,
                help=f"write `let 0..9 {node.name} = …`; `int` is for functions",
            )
        if isinstance(declared, t.Order):
            world.report("RR0407", "an order is kept in a variable of the state", node.type.span)
            declared = t.Unknown()

    def named(type_: t.Scalar) -> tuple[m.Local, Context]:
        local = rules.local(node.name, type_, node.span)
        rules.lets[local.offset] = node
        slots.append(local.offset)
        return local, context.naming(**{node.name: local})

    if isinstance(node.value, stmt.Move):
        kind, optional = moves.moved_kind(rules, node.value, context)
        type_: t.Scalar = t.Component(kind) if kind else t.Unknown()
        if declared is not None and join(t.bare(declared), type_) is None:  # type: ignore[arg-type]
            mismatch(world, node.value.span, declared, type_)
        local, inner = named(declared or (t.Optional(type_) if optional else type_))
        return [moves.move(rules, node.value, context, local)], inner
    if calls.is_procedure(rules, node.value):
        assert isinstance(node.value, s.Call)
        routine = rules.procedure(calls.original(rules, node.value).name)
        result = rules.result_of(routine)
        if declared is not None and join(t.bare(declared), t.bare(result)) is None:  # type: ignore[arg-type]
            mismatch(world, node.value.span, declared, result)
        local, inner = named(declared or result)
        return calls.call(rules, node.value, None, context, span, local), inner
    value = elaborate.check(world, context.scope, node.value, declared)
    type_of = declared or value.type
    if isinstance(alike := t.bare(type_of), t.Multiset):
        no_set(world, value, alike.element)
        type_of = t.Unknown()
    if isinstance(type_of, t.Collection | t.Zone):
        world.report(
            "RR0501",
            f"`{shorten(node.value.span.text)}` is several: a local holds one value",
            node.value.span,
        )
        type_of = t.Unknown()
    local, inner = named(type_of)
    return [tree.Leaf(span, m.Store(span, local, "=", value))], inner


def assign(rules: RuleChecker, node: stmt.Assign, context: Context) -> tree.Node:
    """`place = value`, `+=`, `-=`."""
    world, span = rules.world, node.span
    resolved = targets.target_of(rules, node.place, context)
    if resolved is None:
        if not isinstance(node.value, stmt.Move):
            value = elaborate.raw(world, context.scope, node.value)
            undeclared.tell(world, context.scope, node.place, elaborate.scalar(world, value).type)
        return tree.Block(span, (), ())
    target, type_, clamp = resolved
    local = target if isinstance(target, m.Local) else None
    inferring = local is not None and local.offset in rules.inferred
    if isinstance(node.value, stmt.Move):
        return moves.move(rules, node.value, context, target)
    if calls.is_procedure(rules, node.value):
        assert isinstance(node.value, s.Call)
        routine = rules.procedure(calls.original(rules, node.value).name)
        result = rules.result_of(routine)
        if inferring:
            assert local is not None
            rules.assigned[local.offset].append(result)
        elif join(t.bare(type_), t.bare(result)) is None:  # type: ignore[arg-type]
            mismatch(world, node.value.span, type_, result)
        called = calls.call(rules, node.value, None, context, span, target)
        return called[0] if len(called) == 1 else tree.Block(span, tuple(called), ())
    if node.operator != "=" and isinstance(type_, t.SetOf):
        return tree.Leaf(
            span, m.Store(span, target, node.operator, members(rules, node.value, type_, context))
        )
    if node.operator != "=":
        if not isinstance(t.bare(type_), t.Int | t.Unknown):
            mismatch(world, node.place.span, t.ANY_INT, type_)
        if inferring:
            world.report(
                "RR0507",
                f"the range of `{node.place.span.text}` cannot be inferred",
                node.place.span,
                help=f"give it a type where it is born: `let 0..9 {node.place.span.text} = …`",
            )
        value = elaborate.check(world, context.scope, node.value, t.ANY_INT)
        return tree.Leaf(span, m.Store(span, target, node.operator, value, clamp))
    if inferring:
        assert local is not None
        wanted = (
            None
            if isinstance(type_, t.Int | t.NoneType) or isinstance(t.bare(type_), t.Int)
            else type_
        )
        value = elaborate.single(world, context.scope, node.value, wanted or type_)
        if isinstance(value.type, t.Collection | t.Zone):
            mismatch(world, value.span, type_, value.type)
        elif join(type_, value.type) is None:  # type: ignore[arg-type]
            mismatch(world, value.span, type_, value.type)
        else:
            rules.assigned[local.offset].append(value.type)
    else:
        value = elaborate.check(world, context.scope, node.value, type_)
    return tree.Leaf(span, m.Store(span, target, "=", value, clamp))


def members(
    rules: RuleChecker, node: s.Expression, type_: t.SetOf, context: Context
) -> m.Expression:
    """What is put into a set or taken out: one member, several, or another set."""
    world, scope = rules.world, context.scope
    typed = elaborate.raw(world, scope, node, type_.element)
    if isinstance(t.bare(typed.type), t.Collection | t.Zone | t.SetOf | t.Multiset):
        return fit(world, typed, type_)
    return fit(world, elaborate.scalar(world, typed), type_.element)


def reset(rules: RuleChecker, place: s.Expression, context: Context, span: Span) -> tree.Node:
    """`reset x`: back to the start value."""
    resolved = targets.target_of(rules, place, context)
    if resolved is not None and isinstance(resolved[0], m.State):
        # All rows of a kind start alike.
        starts = component_kinds.kind(rules.world, resolved[0].kind).attributes[
            resolved[0].attribute
        ][1]
        first = m.Literal(resolved[1], span, starts[0] if starts else None)
        return tree.Leaf(span, m.Store(span, resolved[0], "=", first))
    if resolved is None or not isinstance(resolved[0], m.Variable):
        if resolved is not None:
            rules.world.report("RR0409", "`reset` is for what has a start value", span)
        return tree.Block(span, (), ())
    target = resolved[0]
    decl = facts.variable(rules.world, target.name).decl
    start = facts.start_value(rules.world, decl, resolved[1])
    value: m.Expression = m.Literal(resolved[1], span, start)
    if isinstance(resolved[1], t.Order):
        value = domains.all_values(rules.world, t.Player(), span)
    return tree.Leaf(span, m.Store(span, target, "=", value))


def sort(rules: RuleChecker, node: stmt.Sort, context: Context) -> tree.Node:
    """`sort x in order by k then m`."""
    world, scope, span = rules.world, context.scope, node.span
    nothing = tree.Block(span, (), ())
    family = families.family(world, scope, node.place)
    if family is not None and family.word == "zone":
        reference = families.reference(world, scope, family)
        if not isinstance(reference.type, t.Unknown):
            mismatch(world, node.place.span, t.Order(), reference.type)
        return nothing
    resolved = targets.target_of(rules, node.place, context)
    if resolved is None or not isinstance(resolved[0], m.Variable):
        return nothing
    if not isinstance(resolved[1], t.Order):
        mismatch(world, node.place.span, t.Order(), resolved[1])
        return nothing
    register = world.register()
    inner = scopes.bind(world, scope, node.binder, span, t.Player(), register)
    keys = tuple(rankable(world, elaborate.check(world, inner, key)) for key in node.keys)
    return tree.Leaf(span, m.SortBy(span, resolved[0], register, keys))

"""Quantifiers: `count`, `any`, `sum`, `first`, `highest` and their kin, in all their forms.

A quantifier has clauses (what it ranges over, bound to registers), a value for each member, and
perhaps keys by which members are compared.
"""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, domains, facts
from rulerun_dsl.check.env.typing import (
    describe,
    element,
    fit,
    rankable,
    same_place,
    shorten,
    unknown,
)
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, scopes
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import expressions as s

_WHOLE = t.Int(t.INT_MIN, t.INT_MAX)


def quantified(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`count`, `any`, `sum`, `first`, `highest`, … in all their forms."""
    name, span = node.name, node.span
    arguments = list(node.arguments)
    number: m.Expression | None = None
    if name in ("highest", "lowest") and len(arguments) == 2:
        first = arguments.pop(0)
        if isinstance(first, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{name}` wants a number first", first.span)
            return unknown(span)
        number = elaborate.check(world, scope, first, _WHOLE)
    if name in ("max", "min") and len(arguments) > 1:
        return of_values(world, scope, node)
    if len(arguments) != 1:
        world.report("RR0502", f"`{name}` takes one argument, not {len(arguments)}", span)
        return unknown(span)
    argument = arguments[0]
    if isinstance(argument, s.Comprehension):
        clauses, inner = comprehension(world, scope, argument)
        if name == "count":
            world.report(
                "RR0502",
                "`count` counts things: `count(x in S if …)`",
                argument.span,
            )
            return unknown(span)
        value = elaborate.single(world, inner, argument.value)
        return finish(world, node, tuple(clauses), value, (), number)
    subject = argument.subject if isinstance(argument, s.Filtered) else argument
    head = subject.operands[0] if isinstance(subject, s.Logic) else None
    if (
        isinstance(head, s.Membership)
        and isinstance(head.left, s.Name)
        and head.left.text not in scope.names
    ):
        ranged = f"{head.left.text} in {shorten(head.right.span.text)}"
        shown = f"{name}({ranged} if …)"
        if name in ("any", "all", "sum", "max", "min"):
            shown = f"{name}(… for {ranged})"
        world.report(
            "RR0502",
            f"`{name}` wants a name and what it ranges over",
            argument.span,
            help=f"what follows `and` belongs behind `if`: `{shown}`"
            if "if" in shown
            else f"write `{shown}`",
        )
        return unknown(span)
    if (
        name in ("any", "all", "sum", "max", "min")
        and isinstance(argument, s.Filtered)
        and isinstance(subject, s.Membership)
    ):
        ranged = f"{subject.left.span.text} in {subject.right.span.text}"
        what = "a condition" if name in ("any", "all") else "a value"
        world.report(
            "RR0502",
            f"`{name}` wants {what} for each, not a filter",
            argument.span,
            help=f"write `{name}(… for {ranged})`",
        )
        return unknown(span)
    if isinstance(argument, s.Filtered) or (
        isinstance(subject, s.Membership)
        and not subject.negated
        and name not in ("any", "all", "sum", "max", "min")
    ):
        return filtered(world, scope, node, argument, subject, number)
    if name == "count" and isinstance(subject, s.Name) and subject.text in ("players", "people"):
        return domains.number_of(world, span, subject.text)
    source = elaborate.collection(world, scope, subject)
    register = world.register()
    item = m.Register(element(world, source.type), subject.span, register)
    clause = m.Clause(register, source, None)
    return finish(world, node, (clause,), item, (), number)


def of_values(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`max(a, b)`."""
    items = []
    for argument in node.arguments:
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{node.name}` takes values or one filter", argument.span)
            return unknown(node.span)
        items.append(elaborate.check(world, scope, argument, _WHOLE))
    types = [item.type for item in items]
    if not all(isinstance(type_, t.Int) for type_ in types):
        return unknown(node.span)
    ends = [type_ for type_ in types if isinstance(type_, t.Int)]
    pick = max if node.name == "max" else min
    type_ = t.Int(pick(each.low for each in ends), pick(each.high for each in ends))
    register = world.register()
    listed = m.Listed(t.Collection(type_, True), node.span, tuple(items))
    item = m.Register(type_, node.span, register)
    clause = m.Clause(register, listed, None)
    return m.Quantifier(type_, node.span, node.name, (clause,), item, (), None)


def comprehension(
    world: World, scope: Scope, argument: s.Comprehension
) -> tuple[list[m.Clause], Scope]:
    """The clauses of `e for x in S for y in T if c`, and the scope of `e`."""
    clauses: list[m.Clause] = []
    inner = scope
    for place, clause in enumerate(argument.clauses):
        source = elaborate.collection(world, inner, clause.source)
        register = world.register()
        inner = scopes.bind(
            world, inner, clause.name, clause.span, element(world, source.type), register
        )
        last = place == len(argument.clauses) - 1
        test = (
            elaborate.condition(world, inner, argument.condition)
            if last and argument.condition is not None
            else None
        )
        clauses.append(m.Clause(register, source, test))
    return clauses, inner


def filtered(
    world: World,
    scope: Scope,
    node: s.Call,
    argument: s.Argument,
    subject: s.Expression | s.Comprehension | s.Filtered,
    number: m.Expression | None,
) -> m.Expression:
    """`x in S if c by e then f`."""
    if (
        not isinstance(subject, s.Membership)
        or subject.negated
        or not isinstance(subject.left, s.Name | s.You)
    ):
        culprit = subject.span
        hint = "write `x in S if …`"
        if isinstance(subject, s.Logic):
            hint = "what follows `and` belongs behind `if`: `x in S if …`"
        world.report(
            "RR0502", f"`{node.name}` wants a name and what it ranges over", culprit, help=hint
        )
        return unknown(node.span)
    source = elaborate.collection(world, scope, subject.right)
    register = world.register()
    name = subject.left.text if isinstance(subject.left, s.Name) else "you"
    inner = scopes.bind(
        world, scope, name, subject.left.span, element(world, source.type), register
    )
    test, keys = None, []
    if isinstance(argument, s.Filtered):
        if argument.condition is not None:
            test = elaborate.condition(world, inner, argument.condition)
        keys = [rankable(world, elaborate.check(world, inner, key)) for key in argument.keys]
    item = m.Register(element(world, source.type), subject.left.span, register)
    return finish(world, node, (m.Clause(register, source, test),), item, tuple(keys), number)


def finish(
    world: World,
    node: s.Call,
    clauses: tuple[m.Clause, ...],
    value: m.Expression,
    keys: tuple[m.Expression, ...],
    number: m.Expression | None,
) -> m.Expression:
    """Make the quantifier and say what it gives."""
    name, span = node.name, node.span
    ordered = all(elaborate.is_ordered(world, clause.source) for clause in clauses)
    value = _proved(clauses, value)
    inner = value.type
    if keys and name not in ("highest", "lowest", "all_highest", "all_lowest"):
        world.report("RR0502", f"`{name}` takes no `by`", span)
        return unknown(span)
    if isinstance(inner, t.Collection | t.Zone):
        world.report(
            "RR0501", f"`{name}` wants a value for each, not {describe(world, inner)}", value.span
        )
        return unknown(span)
    word = name
    type_: t.Type
    match name:
        case "count":
            type_ = t.Int(0, bound(world, clauses))
        case "any" | "all":
            value = fit(world, value, t.Bool())
            type_ = t.Bool()
        case "sum":
            value = fit(world, value, _WHOLE)
            many = bound(world, clauses)
            reach = value.type if isinstance(value.type, t.Int) else t.Int(0, 0)
            low, high = min(0, reach.low * many), max(0, reach.high * many)
            type_ = t.Int(max(low, t.INT_MIN), min(high, t.INT_MAX))
        case "max" | "min":
            value = fit(world, value, _WHOLE)
            type_ = value.type
        case "first" | "last":
            if not ordered:
                world.report(
                    "RR0506",
                    f"`{name}` needs an order, and this has none",
                    span,
                    help="say which: `lowest(x in S by …)`; a type, `players`, "
                    "a list and a `stack` or `queue` have an order",
                )
            type_ = inner if never_empty(clauses) else t.optional(inner)
        case "highest" | "lowest":
            if number is not None:
                word = f"{name}_few"
                type_ = t.Collection(inner, True)
            else:
                type_ = t.optional(inner)
            keys = keys or (rankable(world, value),)
            if isinstance(keys[0].type, t.Unknown):
                return unknown(span)
        case "all_highest" | "all_lowest":
            keys = keys or (rankable(world, value),)
            type_ = t.Collection(inner, ordered)
        case _:
            type_ = t.Collection(inner, ordered)
    return m.Quantifier(type_, span, word, clauses, value, keys, number)


def _proved(clauses: tuple[m.Clause, ...], value: m.Expression) -> m.Expression:
    """A value that is not none because a condition of the clauses says so."""
    tests = [clause.condition for clause in clauses if clause.condition is not None]
    known = [found for test in tests for found in elaborate.proved(test, True)]
    if isinstance(value.type, t.Optional) and any(same_place(value, each) for each in known):
        return m.NotNone(value.type.inner, value.span, value, value.span.text)
    return value


def never_empty(clauses: tuple[m.Clause, ...]) -> bool:
    """Is there surely something to range over (`players`, a whole type)."""
    return all(
        clause.condition is None
        and isinstance(clause.source, m.Values)
        and isinstance(clause.source.low, m.Literal)
        and (
            isinstance(element_of(clause.source), t.Player)
            or (
                isinstance(clause.source.high, m.Literal)
                and (clause.source.low.value or 0) <= (clause.source.high.value or 0)
            )
        )
        for clause in clauses
    )


def element_of(source: m.Values) -> t.Type:
    """The type of the values of a range."""
    return source.type.element if isinstance(source.type, t.Collection) else source.type


def bound(world: World, clauses: tuple[m.Clause, ...]) -> int:
    """The most members that clauses can range over."""
    many = 1
    for clause in clauses:
        many *= most(world, clause.source)
    return min(many, 10**6)


def most(world: World, node: m.Expression) -> int:
    """The most members of a collection."""
    match node:
        case m.Members(zone=zone, type=t.Zone(kind, _, single, _)):
            total = sum(component_kinds.kind(world, kind).copies)
            made = facts.zone(world, zone)
            holds = made.holds if made is not None and single else None
            return total if holds is None else min(holds, total)
        case m.OfKind(kind=kind):
            return sum(component_kinds.kind(world, kind).copies)
        case m.Values(low=low, high=high):
            if isinstance(low.type, t.Int) and isinstance(high.type, t.Int):
                return max(high.type.high - low.type.low + 1, 0)
            return 100
        case m.Clockwise():
            return world.count
        case m.Listed(items=items):
            return len(items)
        case m.Joined(left=left, right=right):
            return most(world, left) + most(world, right)
        case m.Conditional(value=left, alternative=right) | m.Otherwise(left=left, right=right):
            return max(most(world, left), most(world, right))
        case m.Quantifier(clauses=clauses):
            return bound(world, clauses)
        case m.BuiltinCall(type=t.Collection(inside, _)):
            return facts.size(world, inside)
        case m.FunctionCall(function=function):
            body = world.functions[function].body
            return most(world, body) if body is not None else 100
        case _:
            return 100

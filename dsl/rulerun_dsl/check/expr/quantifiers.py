"""Quantifiers: `count`, `any`, `sum`, `first`, `highest` and their kin, in all their forms.

A quantifier has clauses (what it ranges over, bound to registers), a value for each member, and
perhaps keys by which members are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
from rulerun_dsl.check.expr import collections, elaborate, histories, scopes
from rulerun_dsl.check.expr.arguments import TypeRule
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.model.subsets import number_of_subsets, sizes
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def quantified(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`count`, `any`, `sum`, `first`, `highest`, … in all their forms."""
    name, span = node.name, node.span
    arguments = list(node.arguments)
    number: m.Expression | None = None
    word = LIBRARY[name]
    if word.takes == (1, 2) and len(arguments) == 2:
        first = arguments.pop(0)
        if isinstance(first, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{name}` wants a number first", first.span)
            return unknown(span)
        number = elaborate.check(world, scope, first, t.ANY_INT)
    if word.takes == (1, None) and len(arguments) > 1:
        return of_numbers(world, scope, node)
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
        if word.wants_values:
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
    if word.wants_values and isinstance(argument, s.Filtered) and isinstance(subject, s.Membership):
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
        isinstance(subject, s.Membership) and not subject.negated and not word.wants_values
    ):
        return filtered(world, scope, node, argument, subject, number)
    if name == "count" and isinstance(subject, s.Name) and subject.text in ("players", "people"):
        return domains.number_of(world, span, subject.text)
    if name == "count" and (remembered := histories.history(world, scope, subject)) is not None:
        return histories.count(world, remembered, span)
    source = elaborate.collection(world, scope, subject)
    register = world.register()
    item = m.Register(element(source.type), subject.span, register)
    clause = m.Clause(register, source, None)
    return finish(world, node, (clause,), item, (), number)


def of_numbers(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`max(a, b)`."""
    items = []
    for argument in node.arguments:
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{node.name}` takes values or one filter", argument.span)
            return unknown(node.span)
        items.append(elaborate.check(world, scope, argument, t.ANY_INT))
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
    for clause in argument.clauses:
        source = collections.ranged(
            world, inner, clause.name, clause.span, clause.source, clause.so_long
        )
        register = world.register()
        inner = scopes.bind(world, inner, clause.name, clause.span, element(source.type), register)
        test = None
        if clause.condition is not None:
            test = elaborate.condition(world, inner, clause.condition)
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
    name = subject.left.text if isinstance(subject.left, s.Name) else "you"
    so_long = argument.so_long if isinstance(argument, s.Filtered) else None
    source = collections.ranged(world, scope, name, subject.left.span, subject.right, so_long)
    register = world.register()
    inner = scopes.bind(world, scope, name, subject.left.span, element(source.type), register)
    test, keys = None, []
    if isinstance(argument, s.Filtered):
        if argument.condition is not None:
            test = elaborate.condition(world, inner, argument.condition)
        keys = [rankable(world, elaborate.check(world, inner, key)) for key in argument.keys]
    item = m.Register(element(source.type), subject.left.span, register)
    return finish(world, node, (m.Clause(register, source, test),), item, tuple(keys), number)


@frozen
class _Asked:
    """What a word asks of collections."""

    span: Span
    word: str
    clauses: tuple[m.Clause, ...]
    value: m.Expression
    """What is asked of each member."""
    inner: t.Scalar
    """The type of that."""
    keys: tuple[m.Expression, ...]
    number: m.Expression | None
    ordered: bool
    """All that is ranged over has an order."""

    def gives(self, type_: t.Type) -> m.Expression:
        """The quantifier, of a type."""
        return m.Quantifier(
            type_, self.span, self.word, self.clauses, self.value, self.keys, self.number
        )


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
    if keys and not LIBRARY[name].has_keys:
        world.report("RR0502", f"`{name}` takes no `by`", span)
        return unknown(span)
    inner = value.type
    if isinstance(inner, t.Collection | t.Zone):
        world.report(
            "RR0501", f"`{name}` wants a value for each, not {describe(world, inner)}", value.span
        )
        return unknown(span)
    return GIVES[name](world, _Asked(span, name, clauses, value, inner, keys, number, ordered))


def _count(world: World, asked: _Asked) -> m.Expression:
    return asked.gives(t.Int(0, bound(world, asked.clauses)))


def _truth(world: World, asked: _Asked) -> m.Expression:
    return replace(asked, value=fit(world, asked.value, t.Bool())).gives(t.Bool())


def _sum(world: World, asked: _Asked) -> m.Expression:
    value = fit(world, asked.value, t.ANY_INT)
    many = bound(world, asked.clauses)
    reach = value.type if isinstance(value.type, t.Int) else t.Int(0, 0)
    low, high = min(0, reach.low * many), max(0, reach.high * many)
    type_ = t.Int(max(low, t.INT_MIN), min(high, t.INT_MAX))
    return replace(asked, value=value).gives(type_)


def _packing(world: World, asked: _Asked) -> m.Expression:
    """Each member is in at most one of the sets; an empty set counts once."""
    value = fit(world, asked.value, t.ANY_INT)
    inside = element(asked.clauses[-1].source.type)
    many = bound(world, asked.clauses)
    if isinstance(inside, t.SetOf):
        many = min(many, facts.size(world, inside.element) + 1)
    reach = value.type if isinstance(value.type, t.Int) else t.Int(0, 0)
    type_ = t.Int(0, min(max(0, reach.high * many), t.INT_MAX))
    return replace(asked, value=value).gives(type_)


def _one_number(world: World, asked: _Asked) -> m.Expression:
    """One of the numbers that there are."""
    value = fit(world, asked.value, t.ANY_INT)
    return replace(asked, value=value).gives(value.type)


def _end(world: World, asked: _Asked) -> m.Expression:
    if not asked.ordered:
        world.report(
            "RR0506",
            f"`{asked.word}` needs an order, and this has none",
            asked.span,
            help="say which: `lowest(x in S by …)`; a type, `players`, "
            "a list and a `stack` or `queue` have an order",
        )
    is_sure = never_empty(asked.clauses)
    return asked.gives(asked.inner if is_sure else t.optional(asked.inner))


def _those(world: World, asked: _Asked) -> m.Expression:
    return asked.gives(t.Collection(asked.inner, asked.ordered))


def _best(world: World, asked: _Asked) -> m.Expression:
    asked = _keyed(world, asked)
    if isinstance(asked.keys[0].type, t.Unknown):
        return unknown(asked.span)
    if asked.number is None:
        return asked.gives(t.optional(asked.inner))
    return replace(asked, word=f"{asked.word}_few").gives(t.Collection(asked.inner, True))


def _all_best(world: World, asked: _Asked) -> m.Expression:
    return _those(world, _keyed(world, asked))


def _keyed(world: World, asked: _Asked) -> _Asked:
    """With the member itself as the key, if no other is written; a player is none."""
    if not asked.keys and isinstance(t.bare(asked.inner), t.Player):
        world.report(
            "RR0501",
            f"players are not higher or lower than one another: `{asked.word}` says not by what",
            asked.span,
            help=f"write `{asked.word}(p in players by …)`; by seats it is `by seat(p)`",
        )
        return replace(asked, keys=(unknown(asked.span),))
    return replace(asked, keys=asked.keys or (rankable(world, asked.value),))


GIVES: dict[str, Callable[[World, _Asked], m.Expression]] = {
    "count": _count,
    "any": _truth,
    "all": _truth,
    "sum": _sum,
    "packing": _packing,
    "max": _one_number,
    "min": _one_number,
    "first": _end,
    "last": _end,
    "those": _those,
    "highest": _best,
    "lowest": _best,
    "all_highest": _all_best,
    "all_lowest": _all_best,
}
"""What each word gives of what it asks."""


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
        case m.Quantifier(clauses=clauses, number=number):
            many = bound(world, clauses)
            if number is not None and isinstance(number.type, t.Int):
                many = min(many, max(number.type.high, 0))
            return many
        case m.BuiltinCall(word="prefix", clause=m.Clause(source=source)):
            return most(world, source)
        case m.BuiltinCall(word="subsets", arguments=(_, _, source)):
            return number_of_subsets(most(world, source), *sizes(node))
        case m.BuiltinCall(word=word, arguments=(source, *_)) if LIBRARY[word].reorders:
            return most(world, source)
        case m.Unpacked(operand=operand) if isinstance(t.bare(operand.type), t.SetOf):
            return facts.size(world, element(node.type))
        case m.BuiltinCall(type=t.Collection(inside, _)):
            return facts.size(world, inside)
        case m.FunctionCall(function=function):
            body = world.functions[function].body
            return most(world, body) if body is not None else 100
        case _:
            return 100


TYPE_RULES: dict[str, TypeRule] = dict.fromkeys(
    [word for word in GIVES if word != "packing"], quantified
)

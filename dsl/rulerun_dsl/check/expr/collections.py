"""Collections of components, collections that are joined, and those in another order."""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, facts
from rulerun_dsl.check.env.typing import element, join, mismatch, unknown
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, scopes
from rulerun_dsl.check.expr.arguments import TypeRule, of_values
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def components_of(
    world: World, scope: Scope, name: str, owner: s.Expression, span: Span
) -> m.Expression:
    """`card of p`, `prince of yarg`."""
    kinds = (
        [name]
        if name in world.by_kind["kind"]
        else [kind for kind in world.by_kind["kind"] if name in facts.row_names(world, kind)]
    )
    if len(kinds) != 1:
        known = list(world.by_kind["kind"])
        world.unknown(name, span, "kind of component", known)
        return unknown(span)
    kind = component_kinds.kind(world, kinds[0])
    world.used.add(kinds[0])
    if kind.owner is None:
        world.report(
            "RR0410",
            f"a {kinds[0]} has no owner: its kind does not say `each:`",
            span,
        )
        return unknown(span)
    row = None
    if name != kinds[0]:
        place = kind.rows.names.index(name)
        row = m.Literal(t.Row(kinds[0]), span, place)
    whose = elaborate.check(world, scope, owner, kind.owner)
    type_ = t.Collection(t.Component(kinds[0]), False)
    return m.OfKind(type_, span, kinds[0], whose, row)


def joined(
    world: World,
    scope: Scope,
    node: s.Binary,
    left: m.Expression,
    right: m.Expression,
) -> m.Expression:
    """`a + b` of collections, both typed already."""
    left, right = (
        # Only a name may mean another thing where several are wanted.
        elaborate.collection(world, scope, side)
        if isinstance(side, s.Name)
        else elaborate.ranged(world, side, found)
        for side, found in ((node.left, left), (node.right, right))
    )
    if isinstance(left.type, t.Unknown) or isinstance(right.type, t.Unknown):
        return unknown(node.span)
    inside = join(element(left.type), element(right.type))
    if inside is None:
        mismatch(world, right.span, left.type, right.type)
        return unknown(node.span)
    ordered = elaborate.is_ordered(world, left) and elaborate.is_ordered(world, right)
    return m.Joined(t.Collection(inside, ordered), node.span, left, right)


def _reverse(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    source = elaborate.collection(world, scope, plain[0])
    type_ = t.Collection(element(source.type), True)
    return m.BuiltinCall(type_, span, "reverse", "", (source,))


def _around(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    source = elaborate.collection(world, scope, plain[0])
    inside = element(source.type)
    start = elaborate.check(world, scope, plain[1], inside)
    return m.BuiltinCall(t.Collection(inside, True), span, "around", "", (source, start))


def ranged(
    world: World,
    scope: Scope,
    name: str,
    span: Span,
    node: s.Expression,
    so_long: s.Expression | None,
) -> m.Expression:
    """What a clause ranges over: all of it, or, with `while`, its members up to the first other."""
    source = elaborate.collection(world, scope, node)
    if so_long is None or isinstance(source.type, t.Unknown):
        return source
    if not elaborate.is_ordered(world, source):
        world.report(
            "RR0506",
            "`while` needs an order, and this has none",
            so_long.span,
            help="`while` stops at the first member for which it does not hold; `if` leaves "
            "members out wherever they stand",
        )
    register = world.register()
    inner = scopes.bind(world, scope, name, span, element(source.type), register)
    clause = m.Clause(register, source, elaborate.condition(world, inner, so_long))
    type_ = t.Collection(element(source.type), True)
    return m.BuiltinCall(type_, node.span, "prefix", "", (), clause)


TYPE_RULES: dict[str, TypeRule] = {
    "reverse": of_values(_reverse),
    "around": of_values(_around),
}

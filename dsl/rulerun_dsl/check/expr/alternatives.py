"""One of two: `a if c else b`, `a otherwise b`, of values or of collections."""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env.typing import element, join, mismatch, unknown
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def if_else(
    world: World, scope: Scope, node: s.IfElse, expected: t.Type | None, many: bool
) -> m.Expression:
    """`a if c else b`."""
    chosen = elaborate.condition(world, scope, node.condition)
    with world.knowing(elaborate.proved(chosen, True)):
        left = elaborate.raw(world, scope, node.value, expected, many)
    with world.knowing(elaborate.proved(chosen, False)):
        right = elaborate.raw(world, scope, node.alternative, expected, many)
    one, other = elaborate.scalar(world, left), elaborate.scalar(world, right)
    if _is_several(left) and _is_several(right) and (one is left or other is right):
        return m.Conditional(_of_both(world, left, right), node.span, chosen, left, right)
    if isinstance(one.type, t.NoneType) and expected is None and isinstance(other.type, t.Unknown):
        return other
    both = join(one.type, other.type)  # type: ignore[arg-type]
    if both is None:
        mismatch(world, other.span, one.type, other.type)
        return unknown(node.span)
    return m.Conditional(both, node.span, chosen, one, other)


def otherwise(
    world: World,
    scope: Scope,
    left: s.Expression,
    right: s.Expression,
    span: Span,
    expected: t.Type | None,
) -> m.Expression:
    """`a otherwise b`."""
    first = elaborate.raw(world, scope, left, expected)
    second = elaborate.raw(world, scope, right, expected)
    one = elaborate.scalar(world, first)
    if _is_several(first) and _is_several(second) and one is first:
        return m.Otherwise(_of_both(world, first, second), span, first, second)
    other = elaborate.scalar(world, second)
    inner = t.bare(one.type)
    both = join(inner, other.type)  # type: ignore[arg-type]
    if both is None:
        mismatch(world, other.span, inner, other.type)
        return unknown(span)
    return m.Otherwise(both, span, one, other)


def _is_several(node: m.Expression) -> bool:
    return isinstance(node.type, t.Collection | t.Zone)


def _of_both(world: World, left: m.Expression, right: m.Expression) -> t.Type:
    """The type of a collection that is one of two."""
    inside = join(element(left.type), element(right.type))
    ordered = elaborate.is_ordered(world, left) and elaborate.is_ordered(world, right)
    return t.Collection(inside or t.Unknown(), ordered)

"""Subsets, and the best of them that lie apart: `subsets`, `packing`."""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.typing import (
    describe,
    element,
    is_counted,
    mismatch,
    shorten,
    sure_members,
    unknown,
)
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, quantifiers
from rulerun_dsl.check.expr.arguments import TypeRule, of_values
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.subsets import MOST_SUBSETS, number_of_subsets, sizes
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def _subsets(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    """`subsets(S)`, `subsets(n, S)`, `subsets(low..high, S)`."""
    *wanted, things = plain
    source = sure_members(world, elaborate.collection(world, scope, things))
    inside = element(source.type)
    if isinstance(inside, t.Unknown):
        return unknown(span)
    if not may_be_in_a_set(world, inside, things.span):
        return unknown(span)
    many = quantifiers.most(world, source)
    low: m.Expression = m.Literal(t.Int(0, 0), span, 0)
    high: m.Expression = m.Literal(t.Int(many, many), span, many)
    if wanted and isinstance(wanted[0], s.Range):
        low = elaborate.check(world, scope, wanted[0].low, t.ANY_INT)
        high = elaborate.check(world, scope, wanted[0].high, t.ANY_INT)
    elif wanted:
        low = high = elaborate.check(world, scope, wanted[0], t.ANY_INT)
    if any(isinstance(each.type, t.Unknown) for each in (low, high)):
        return unknown(span)
    found = m.BuiltinCall(
        t.Collection(t.SetOf(inside), True), span, "subsets", "", (low, high, source)
    )
    least, most = sizes(found)
    if number_of_subsets(many, least, most) > MOST_SUBSETS:
        text = shorten(things.span.text)
        world.report(
            "RR0746",
            f"`{text}` may have {many} members: that makes more than {MOST_SUBSETS:,} sets",
            span,
            help=f"say how large the sets are (`subsets(2..3, {text})`), or how many the zone "
            "`holds:`",
        )
        return unknown(span)
    return found


def may_be_in_a_set(world: World, type_: t.Scalar, span: Span) -> bool:
    """Whether values of a type may be members of a set that is a value; else it is reported."""
    inside = t.bare(type_)
    if isinstance(inside, t.SetOf | t.Multiset | t.Order | t.Fraction):
        world.report(
            "RR0747",
            f"`{shorten(span.text)}` is several of {describe(world, inside)}: a set of those "
            "is no value",
            span,
            help="a set has components, players, sites, numbers or names as members",
        )
        return False
    if is_counted(world, inside):
        world.report(
            "RR0509",
            f"copies of `{inside}` cannot be told apart: a set has each of its members once",
            span,
            help="count them: `count(c in S if …)`",
        )
        return False
    if isinstance(inside, t.Int) and facts.size(world, inside) > facts.MOST_MEMBERS:
        world.report(
            "RR0507",
            f"`{shorten(span.text)}` needs a range: a set has members of a finite type",
            span,
            help="write `0..9`",
        )
        return False
    return True


def _packing(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`packing(e for t in S if c)`: the members of the innermost clause are the sets."""
    found = quantifiers.quantified(world, scope, node)
    if not isinstance(found, m.Quantifier):
        return found
    last = found.clauses[-1]
    inside = element(last.source.type)
    if not isinstance(inside, t.SetOf):
        if not isinstance(inside, t.Unknown):
            mismatch(
                world,
                last.source.span,
                t.Collection(t.SetOf(t.bare(inside)), True),  # type: ignore[arg-type]
                last.source.type,
            )
        return unknown(node.span)
    return found


TYPE_RULES: dict[str, TypeRule] = {
    "subsets": of_values(_subsets),
    "packing": _packing,
}

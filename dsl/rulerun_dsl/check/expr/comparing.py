"""Comparisons: `==`, `<`, `is`, and the operands of `and` and `or`."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env.typing import (
    describe,
    fit,
    is_counted,
    join,
    mismatch,
    no_set,
    shorten,
    unknown,
)
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, joined_values, undeclared, visibility
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.fixes import Fix, rewrite, sign_between
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import expressions as s


def operand(
    world: World,
    scope: Scope,
    node: s.Expression,
    before: s.Expression | None,
    word: str,
) -> m.Expression:
    """An operand of `and`/`or`: the trap `c is carrot or ban` gets its own diagnostic."""
    if isinstance(node, s.Name) and node.text not in scope.names:
        found = elaborate.raw(world, scope, node, t.Bool() if scope.visibility else None)
        if not isinstance(t.bare(found.type), t.Bool | t.Unknown):
            fixes: tuple[Fix, ...] = ()
            if isinstance(found.type, t.Collection | t.Zone):
                help = f"ask something of it: `empty({node.text})`, `count({node.text}) > 0`"
            elif not isinstance(found, m.Literal):
                help = f"compare it: `{node.text} == …`"
            elif isinstance(before, s.Is) or (
                isinstance(before, s.Compare) and before.operator in ("==", "!=")
            ):
                left, right = before.left.span.text, before.right.span.text
                no = joined_values.sign(world, scope, before, node)
                again = f"{shorten(left)} {joined_values.sign(world, scope, before, before.right)} "
                again += f"{shorten(right)} {word} {shorten(left)} {no} {node.text}"
                help = f"say the whole again: `{again}`"
                fixes = rewrite(node.span, f"{left} {no} {node.text}", safe=False)
            else:
                help = f"say the whole again: `… is … {word} … is {node.text}`"
            message = f"`{node.text}` is no condition"
            world.report("RR0505", message, node.span, help=help, fixes=fixes)
            return unknown(node.span)
        undeclared.tell(world, scope, node, t.Bool())
        return fit(world, elaborate.scalar(world, found), t.Bool())
    return elaborate.condition(world, scope, node)


def names_compared(world: World, node: s.Compare, left: m.Expression, right: m.Expression) -> bool:
    """Report `suit == clubs`: a name is asked for by `is`."""
    for written, found, other in ((node.right, right, node.left), (node.left, left, node.right)):
        if (
            isinstance(written, s.Name | s.Nothing)
            and isinstance(found, m.Literal)
            and (
                isinstance(written, s.Nothing)
                or (written.text not in world.declared and not isinstance(found.type, t.Int))
            )
        ):
            word = "is" if node.operator == "==" else "is not"
            world.report(
                "RR0515",
                f"`{written.span.text}` is a name: `{node.operator}` compares values",
                node.span,
                help=f"write `{shorten(other.span.text)} {word} {written.span.text}`",
                fixes=rewrite(
                    node.span, f"{other.span.text} {word} {written.span.text}", safe=True
                ),
            )
            return True
    return False


def as_sets(
    world: World, first: m.Expression, second: m.Expression
) -> tuple[m.Expression, m.Expression]:
    """Return both as sets of one type where the first is one: so are several, or one value."""
    one, other = first.type, second.type
    if not isinstance(t.bare(one), t.SetOf):
        return first, second
    if isinstance(one, t.SetOf) and isinstance(other, t.SetOf) and one != other:
        both = join(one.element, other.element)
        wanted = t.SetOf(both) if both is not None else one
        return fit(world, first, wanted), fit(world, second, wanted)
    if isinstance(other, t.SetOf | t.NoneType | t.Unknown | t.Optional):
        return first, second
    return first, fit(world, second, t.bare(one))


def compare(world: World, scope: Scope, node: s.Compare) -> m.Expression:
    """`==`, `<` and their kin."""
    if joined_values.compared(world, scope, node):
        return unknown(node.span)
    left_first = not (
        isinstance(node.left, s.Name)
        and node.left.text not in scope.names
        and node.left.text not in world.declared
    )
    first_node, second_node = (node.left, node.right) if left_first else (node.right, node.left)
    first = elaborate.check(world, scope, first_node)
    expected = t.bare(first.type) if not isinstance(first.type, t.NoneType) else None
    second = elaborate.single(world, scope, second_node, expected)
    first, second = as_sets(world, first, second)
    left, right = (first, second) if left_first else (second, first)
    if isinstance(left.type, t.Unknown) or isinstance(right.type, t.Unknown):
        undeclared.tell(world, scope, node.left, right.type)
        undeclared.tell(world, scope, node.right, left.type)
        return m.Comparison(t.Bool(), node.span, node.operator, left, right)
    for side in (left, right):
        if isinstance(side.type, t.Collection | t.Zone):
            world.report(
                "RR0501",
                f"`{shorten(side.span.text)}` is {describe(world, side.type)}: "
                f"`{node.operator}` compares one value with another",
                side.span,
                help="say of which: `any(… for x in …)`, `all(…)`, `count(…)`",
            )
            return unknown(node.span)
    for side, other in ((left, right), (right, left)):
        if isinstance(alike := t.bare(side.type), t.Multiset) and other.type != t.NoneType():
            return no_set(world, side, alike.element)
    if node.operator in ("==", "!=") and names_compared(world, node, left, right):
        return unknown(node.span)
    both = join(left.type, right.type)  # type: ignore[arg-type]
    if both is None:
        if isinstance(t.bare(left.type), t.Component) and isinstance(t.bare(right.type), t.Row):
            hint = "write `is` to ask for the name of a component, `.kind` for its row"
        else:
            hint = None
        world.report(
            "RR0501",
            f"`{shorten(left.span.text)}` ({describe(world, left.type)}) and "
            f"`{shorten(right.span.text)}` ({describe(world, right.type)}) cannot be compared",
            node.span,
            help=hint,
        )
        return unknown(node.span)
    if (
        is_counted(world, both)
        and not isinstance(both, t.NoneType)
        and t.NoneType() not in (left.type, right.type)
    ):
        world.report(
            "RR0511",
            f"alike components have no identity to compare: `{shorten(node.span.text)}`",
            node.span,
            help="compare their `.kind`",
        )
        return unknown(node.span)
    if node.operator not in ("==", "!="):
        ordered = t.bare(both)
        if not isinstance(ordered, t.Int | t.Enum | t.Row | t.Player | t.Fraction | t.Site):
            mismatch(world, left.span, t.ANY_INT, left.type)
            return unknown(node.span)
        left, right = fit(world, left, ordered), fit(world, right, ordered)
    return m.Comparison(t.Bool(), node.span, node.operator, left, right)


def is_(world: World, scope: Scope, node: s.Is) -> m.Expression:
    """`x is NAME`: none, a row, a member, or a parameter that holds one."""
    if joined_values.compared(world, scope, node):
        return unknown(node.span)
    # In `visible:`, `owner` is here that player, and no condition.
    whose = scope.visibility and visibility.is_owner(node.left)
    left = elaborate.single(world, scope, node.left, t.Player() if whose else None)
    span = node.span
    operator = "!=" if node.negated else "=="
    if isinstance(left.type, t.Unknown):
        none = isinstance(node.right, s.Nothing)
        type_ = t.Player() if isinstance(node.right, s.You) else None
        undeclared.tell(world, scope, node.left, type_, may_be_none=none)
        return unknown(span)
    if isinstance(left.type, t.Collection | t.Zone) or (
        isinstance(t.bare(left.type), t.SetOf | t.Multiset)
        and not isinstance(node.right, s.Nothing)
    ):
        empty = isinstance(node.right, s.Name) and node.right.text == "empty"
        no = "not " if node.negated else ""
        world.report(
            "RR0501",
            f"`{shorten(left.span.text)}` is {describe(world, left.type)}: `is` wants one value",
            left.span,
            help=f"write `{no}empty({left.span.text})`"
            if empty
            else "say of which: `any(c is x for c in …)`, `empty(…)`; a choice of several is "
            "narrowed by what it ranges over: `1..3 t in those(c in hand if …)`",
            fixes=rewrite(span, f"{no}empty({left.span.text})", safe=True) if empty else (),
        )
        return unknown(span)
    if isinstance(node.right, s.Nothing):
        right: m.Expression = m.Literal(t.NoneType(), node.right.span, None)
        return m.Comparison(t.Bool(), span, operator, left, right)
    if not isinstance(node.right, s.Name | s.You):
        world.report(
            "RR0505",
            f"`is` wants a name, not `{shorten(node.right.span.text)}`",
            node.right.span,
            help="compare values with `==`",
            fixes=_by_value(node),
        )
        return unknown(span)
    inner = t.bare(left.type)
    kind = inner.kind if isinstance(inner, t.Component) else None
    wanted: t.Type = t.Row(kind) if kind is not None else inner
    if isinstance(wanted, t.Int | t.Bool):
        world.report(
            "RR0505",
            f"`{shorten(left.span.text)}` is {describe(world, wanted)}: compare it with `==`",
            span,
            fixes=_by_value(node),
        )
        return unknown(span)
    named = dataclasses.replace(scope, constant=True)
    right = elaborate.single(world, named, node.right, wanted)
    if isinstance(right, m.NotNone) and isinstance(right.operand, m.Literal):
        # A site that the settings take away: nothing is there.
        return m.Literal(t.Bool(), span, int(node.negated))
    if not isinstance(right, m.Literal | m.Setting) and not isinstance(
        t.bare(right.type), t.Row | t.Component | t.Unknown
    ):
        world.report(
            "RR0505",
            f"`{node.right.span.text}` is no name but a value: `is` wants a name",
            node.right.span,
            help="compare values with `==`",
            fixes=_by_value(node),
        )
        return unknown(span)
    if kind is not None:
        if isinstance(t.bare(right.type), t.Component):
            world.report(
                "RR0505",
                f"`{node.right.span.text}` is a component: `is` wants a name",
                node.right.span,
                help="compare components with `==`",
                fixes=_by_value(node),
            )
            return unknown(span)
        row: t.Scalar = t.Row(kind)
        optional = isinstance(left.type, t.Optional)
        left = m.RowOf(t.Optional(row) if optional else row, left.span, kind, left)
    both = join(t.bare(left.type), t.bare(right.type))  # type: ignore[arg-type]
    if both is None and not isinstance(right.type, t.Unknown):
        mismatch(world, right.span, wanted, right.type)
        return unknown(span)
    return m.Comparison(t.Bool(), span, operator, left, right)


def _by_value(node: s.Is) -> tuple[Fix, ...]:
    """The fix that compares two values in place of asking for a name."""
    word, sign = ("is not", "!=") if node.negated else ("is", "==")
    return sign_between(node.left.span, node.right.span, word, sign, safe=True)

"""Every expression gets its names bound and its type.

Assumes: a `World` and a `Scope` (the locals, `you`, `this` that may be named).
Does: turns syntax into typed model expressions. The caller says what type it expects, which finds
members of enumerations, rows and sites by their bare names (`d is move`).
Leaves behind: model expressions; findings in the world. What was reported has the type `Unknown`,
which agrees with everything, so one cause gives one finding.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, domains, facts
from rulerun_dsl.check.env.typing import (
    arithmetic,
    describe,
    element,
    fit,
    join,
    mismatch,
    shorten,
    unknown,
)
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import (
    alternatives,
    attributes,
    binding,
    calling,
    collections,
    comparing,
    families,
    joined_values,
    notes,
    undeclared,
)
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.fixes import rewrite, sign_between
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import replaced
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def elaborate(
    world: World, node: s.Expression, expected: t.Type | None, names: Mapping[str, m.Expression]
) -> m.Expression:
    """Type an expression that stands outside any rule (see `World.elaborate`)."""
    return check(world, Scope(names, constant=True), node, expected)


_NAMED = t.Player | t.Enum | t.Row | t.Site | t.Int
"""Of what a sentence tells several: `Ann and Bob`."""


def template(world: World, scope: Scope, text: s.Template | None) -> tuple[str | m.Expression, ...]:
    """Check the expressions of a sentence."""
    parts: list[str | m.Expression] = []
    if text is not None:
        in_braces(world, scope, text)
    for part in () if text is None else text.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        found = check(world, scope, part)
        if isinstance(found.type, t.Collection) and isinstance(found.type.element, _NAMED):
            found = fit(world, found, t.SetOf(found.type.element))
        if isinstance(found.type, t.Collection | t.Zone):
            world.report(
                "RR0501",
                f"`{shorten(part.span.text)}` is {describe(world, found.type)}: "
                "a sentence tells single values",
                part.span,
                help=f"say how many (`<count({shorten(part.span.text)})>`), or which one",
            )
        parts.append(found)
    return tuple(parts)


_BRACED = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")


def in_braces(world: World, scope: Scope, text: s.Template) -> None:
    """Report `{leader}` in a sentence: it would be told as it stands there."""
    source, start, end = text.span.source, text.span.start, text.span.end
    words = [
        found[1] for part in text.parts if isinstance(part, str) for found in _BRACED.finditer(part)
    ]
    told = {word for word in {*words} if can_be_told(world, scope, word, text.span)}
    for found in _BRACED.finditer(source.text, start, end) if told else ():
        name, span = found[1], source.span(*found.span())
        if name in told:
            # Beside other words in braces it may be one of them.
            fixes = rewrite(span, f"<{name}>", safe=told.issuperset(words))
            what = f"`{found[0]}` is told as it stands here"
            world.report("RR0728", what, span, help=f"write `<{name}>`", fixes=fixes)


def can_be_told(world: World, scope: Scope, word: str, span: Span) -> bool:
    """Whether a sentence could tell what a name stands for."""
    if word not in scope.names and word not in world.declared and word != "you":
        return False
    mark = len(world.diagnostics)
    found = single(world, scope, s.You(span) if word == "you" else s.Name(span, word))
    wrong = len(world.diagnostics) > mark
    world.forget(mark, span)
    return not wrong and not isinstance(found.type, t.Collection | t.Zone | t.Unknown)


def check(
    world: World, scope: Scope, node: s.Expression, expected: t.Type | None = None
) -> m.Expression:
    """Return the expression as a value of the expected type (any scalar if None)."""
    return fit(world, single(world, scope, node, expected), expected)


def single(
    world: World, scope: Scope, node: s.Expression, expected: t.Type | None = None
) -> m.Expression:
    """Return the expression as one value where it can be one, of whichever type."""
    return scalar(world, raw(world, scope, node, expected))


def condition(world: World, scope: Scope, node: s.Expression) -> m.Expression:
    """Return the expression as a condition."""
    return check(world, scope, node, t.Bool())


def scalar(world: World, node: m.Expression) -> m.Expression:
    """Return a zone for one as its component, and one component of a kind as itself."""
    if isinstance(node, m.Members) and isinstance(node.type, t.Zone):
        kind = node.type.kind
        if node.type.one and node.type.single:
            indexes = tuple(index for index in node.indexes if index is not None)
            return m.Occupant(t.Optional(t.Component(kind)), node.span, node.zone, indexes)
    if isinstance(node, m.OfKind) and isinstance(node.type, t.Collection):
        return only_one(world, node)
    return node


def only_one(world: World, node: m.OfKind) -> m.Expression:
    """`stag of p` is the stag where there is just one; else the collection stays one."""
    kind = component_kinds.kind(world, node.kind)
    per_owner = sum(kind.copies) // max(len(kind.owners), 1)
    few = (node.row is not None or len(kind.rows.names) == 1) and max(kind.copies, default=0) == 1
    if not few or (kind.owner is not None and node.owner is None) or per_owner == 0:
        return node
    type_ = t.Component(node.kind)
    place: m.Expression = m.Literal(t.Int(0, 0), node.span, 0)
    if node.row is not None:
        place = m.Arithmetic(
            type_,
            node.span,
            "*",
            node.row,
            m.Literal(t.Int(0, 99), node.span, len(kind.owners)),
        )
    if node.owner is None:
        return replaced(place, type=type_)
    return m.Arithmetic(type_, node.span, "+", place, node.owner)


def collection(
    world: World, scope: Scope, node: s.Expression, expected: t.Type | None = None
) -> m.Expression:
    """Return the expression as something to range over (of members of a type, if one is given)."""
    return ranged(world, node, raw(world, scope, node, expected, many=True))


def ranged(world: World, node: s.Expression, found: m.Expression) -> m.Expression:
    """Return what was typed as something to range over."""
    if isinstance(found.type, t.Optional) and isinstance(
        found.type.inner, t.Order | t.SetOf | t.Multiset
    ):
        found = m.NotNone(found.type.inner, found.span, found, found.span.text)
    match found.type:
        case t.Collection() | t.Zone() | t.Unknown():
            return found
        case t.Order():
            type_: t.Type = t.Collection(t.Player(), True)
        case t.SetOf(inside):
            type_ = t.Collection(inside, True)
        case t.Multiset(inside):
            type_ = t.Collection(inside, False)
        case _:
            world.report(
                "RR0509",
                f"`{shorten(node.span.text)}` is {describe(world, found.type)}, "
                "not several things to range over",
                node.span,
                help="range over a zone, a type, `players`, `1..3` or a list `(a, b)`",
            )
            return unknown(node.span)
    return m.Unpacked(type_, node.span, found)


def is_ordered(world: World, node: m.Expression) -> bool:
    """Do `first` and `last` mean something here."""
    if isinstance(node.type, t.Collection):
        return node.type.ordered
    if isinstance(node.type, t.Zone) and isinstance(node, m.Members):
        zone = facts.zone(world, node.zone)
        single = node.type.single
        return single and (node.type.one or (zone is not None and zone.order in m.ORDERED))
    return isinstance(node.type, t.Unknown)


# ------------------------------------------------------------------------------- expressions


def raw(
    world: World,
    scope: Scope,
    node: s.Expression,
    expected: t.Type | None = None,
    many: bool = False,
) -> m.Expression:
    """Type an expression, leaving zones and collections what they are."""
    world.work += 1
    if world.work > world.most_work:
        world.give_up(node.span)
        return unknown(node.span)
    world.depth += 1
    if world.depth > world.deepest:
        world.deepest = world.depth
    world.here = node.span
    found = _raw(world, scope, node, expected, many)
    world.depth -= 1
    if world.recorder is not None:
        notes.note(world, world.recorder, scope, node, expected, many, found)
    return found


def _raw(
    world: World,
    scope: Scope,
    node: s.Expression,
    expected: t.Type | None,
    many: bool,
) -> m.Expression:
    span = node.span
    match node:
        # What there is most of comes first.
        case s.Name(text=text):
            return binding.name(world, scope, text, span, expected, many)
        case s.Number(value=value):
            return m.Literal(t.Int(value, value), span, value)
        case s.Truth(value=true):
            return m.Literal(t.Bool(), span, int(true))
        case s.Nothing():
            if scope.visibility:
                return m.Literal(t.Bool(), span, 0)
            return m.Literal(t.NoneType(), span, None)
        case s.You():
            return you(world, scope, span)
        case s.This():
            if scope.this is None:
                world.report("RR0405", "`this` means something only in the rule of a row", span)
                return unknown(span)
            return replaced(scope.this, span=span)
        case s.All():
            if scope.visibility:
                return m.Literal(t.Bool(), span, 1)
            world.report(
                "RR0402", "`all` is an index (`hand[all]`) or a viewer (`visible: all`)", span
            )
            return unknown(span)
        case s.KindName(kind=kind):
            type_ = facts.type_of(world, s.KindType(span, kind))
            if isinstance(type_, t.Unknown):
                return unknown(span)
            return domains.all_values(world, type_, span)
        case s.ListOf(items=items):
            one = expected.element if isinstance(expected, t.SetOf) else _scalar_of(expected)
            # What is none is left out; the word itself would be there for nothing.
            maybe = t.optional(one) if isinstance(one, t.Scalar) else one
            found = [
                check(world, scope, item, one if isinstance(item, s.Nothing) else maybe)
                for item in items
            ]
            joined: t.Scalar = t.Unknown()
            for item in found:
                if isinstance(item.type, t.Collection | t.Zone):
                    world.report(
                        "RR0501",
                        f"`{shorten(item.span.text)}` is {describe(world, item.type)}: "
                        "a list holds single values",
                        item.span,
                        help="several things are joined by `+`: `hand + pile`",
                    )
                    return unknown(span)
                both = join(joined, t.bare(item.type))  # type: ignore[arg-type]
                if both is None:
                    mismatch(world, item.span, joined, item.type)
                    both = t.Unknown()
                joined = both
            return m.Listed(t.Collection(joined, True), span, tuple(found))
        case s.Unary(operator="not", operand=operand):
            return m.Not(t.Bool(), span, condition(world, scope, operand))
        case s.Unary(operand=operand):
            value_node = check(world, scope, operand, t.ANY_INT)
            zero = m.Literal(t.Int(0, 0), span, 0)
            if isinstance(value_node, m.Literal) and isinstance(value_node.type, t.Int):
                assert value_node.value is not None
                negative = -value_node.value
                return m.Literal(t.Int(negative, negative), span, negative)
            type_ = arithmetic(world, "-", zero.type, value_node.type, span)
            return m.Arithmetic(type_, span, "-", zero, value_node)
        case s.Binary():
            return binary(world, scope, node)
        case s.Compare():
            return comparing.compare(world, scope, node)
        case s.Membership(left=left, right=right, negated=negated):
            if joined_values.compared(world, scope, node):
                return unknown(span)
            wanted = typed = None
            if isinstance(right, s.ListOf):
                # The members of a list are found by the type of what is looked for.
                mark = len(world.diagnostics)
                typed = single(world, scope, left)
                wanted = t.bare(typed.type)
                if isinstance(typed.type, t.Unknown):
                    world.forget(mark, left.span)
            source = collection(world, scope, right, wanted)
            inside = element(source.type)
            if typed is None or isinstance(left, s.Name) or isinstance(typed.type, t.Unknown):
                # A name may be that of a member; what is longer is read once.
                typed = single(world, scope, left, t.optional(inside))
            value_node = typed
            if isinstance(t.bare(value_node.type), t.Row) and isinstance(
                t.bare(inside), t.Component
            ):
                world.report(
                    "RR0501",
                    f"`{shorten(left.span.text)}` is the name of a component, not one",
                    left.span,
                    help=f"`any(c is {left.span.text} for c in {shorten(right.span.text)})`",
                )
                value_node = unknown(left.span)
            value_node = fit(world, value_node, t.optional(inside))
            found_in = m.Contains(t.Bool(), span, value_node, source)
            return m.Not(t.Bool(), span, found_in) if negated else found_in
        case s.Is():
            return comparing.is_(world, scope, node)
        case s.Logic(operator=operator, operands=operands):
            if joined_values.report(world, scope, node, expected):
                return unknown(span)
            make = m.And if operator == "and" else m.Or
            parts: list[m.Expression] = []
            known: list[m.Expression] = []
            for before, each in zip((None, *operands), operands, strict=False):
                with world.knowing(known):
                    parts.append(comparing.operand(world, scope, each, before, operator))
                known.extend(proved(parts[-1], operator == "and"))
            return make(t.Bool(), span, tuple(parts))
        case s.After(value=value_, call=call):
            return calling.after(world, scope, value_, call, span, expected)
        case s.IfElse():
            return alternatives.if_else(world, scope, node, expected, many)
        case s.Otherwise(left=left, right=right):
            return alternatives.otherwise(world, scope, left, right, span, expected)
        case s.Range(low=low, high=high):
            whole: t.Type = t.ANY_INT
            named = range_of_names(world, scope, low, high, expected)
            if named is not None:
                return named
            first, last = check(world, scope, low, whole), check(world, scope, high, whole)
            ends = [each.type for each in (first, last)]
            bounds = (
                t.Int(
                    min(each.low for each in ends if isinstance(each, t.Int)),
                    max(each.high for each in ends if isinstance(each, t.Int)),
                )
                if all(isinstance(each, t.Int) for each in ends)
                else t.Unknown()
            )
            return m.Values(t.Collection(bounds, True), span, first, last)
        case s.Attribute() | s.Index():
            family = families.family(world, scope, node)
            if family is not None:
                return families.reference(world, scope, family)
            found_there = attributes.attribute(world, scope, node)
            if isinstance(found_there.type, t.Unknown):
                undeclared.tell(world, scope, node, expected)
            return found_there
        case s.RuleCall():
            return calling.rule_call(world, scope, node)
        case s.The(operand=operand):
            return attributes.the(world, scope, operand, span)
        case s.ComponentsOf(kind=kind, owner=owner):
            return collections.components_of(world, scope, kind, owner, span)
        case s.Call():
            return calling.call(world, scope, node)


def range_of_names(
    world: World,
    scope: Scope,
    low: s.Expression,
    high: s.Expression,
    expected: t.Type | None,
) -> m.Expression | None:
    """`monday..friday`: members in the order of their type; None if it is about numbers."""
    if not isinstance(low, s.Name) or low.text in world.declared or low.text in scope.names:
        return None
    first = single(world, scope, low, _scalar_of(expected))
    if not isinstance(first.type, t.Enum | t.Row | t.Site):
        return unknown(low.span) if isinstance(first.type, t.Unknown) else None
    last = check(world, scope, high, first.type)
    return m.Values(t.Collection(first.type, True), low.span.to(high.span), first, last)


def proved(node: m.Expression, holds: bool) -> list[m.Expression]:
    """What is not none if a condition holds (or does not)."""
    match node:
        case m.Comparison(operator=operator, left=left, right=m.Literal(value=None)):
            return [left] if (operator == "!=") is holds else []
        case m.Comparison(operator="==", left=left, right=right) if holds:
            # Equal to what is never none.
            return [left] if not isinstance(right.type, t.Optional) else []
        case m.Not(operand=operand):
            return proved(operand, not holds)
        case m.And(operands=operands) if holds:
            return [found for each in operands for found in proved(each, True)]
        case m.Or(operands=operands) if not holds:
            return [found for each in operands for found in proved(each, False)]
        case _:
            return []


def _scalar_of(expected: t.Type | None) -> t.Type | None:
    return None if isinstance(expected, t.Collection | t.Zone) else expected


def you(world: World, scope: Scope, span: Span) -> m.Expression:
    """Return `you`, or report that there is none."""
    if scope.you is None:
        world.report(
            "RR0405",
            f"whose is `{shorten(span.text)}`? no `you` is bound here",
            span,
            help="name the player (`[p]`), or bind `you`: `for: you in players`, `… as p`",
        )
        return unknown(span)
    scope.asked[0] = True
    return replaced(scope.you, span=span)


def binary(world: World, scope: Scope, node: s.Binary) -> m.Expression:
    """Arithmetic, or collections joined by `+`."""
    left = raw(world, scope, node.left)
    right = raw(world, scope, node.right)
    several = (t.Collection, t.Zone)
    if node.operator == "+" and (isinstance(left.type, several) or isinstance(right.type, several)):
        return collections.joined(world, scope, node, left, right)
    if node.operator == "/" and not scope.fractions:
        world.report(
            "RR0501",
            "`/` gives a fraction, which stands only in `returns`",
            node.span,
            help="write `//`, which rounds down",
            fixes=sign_between(node.left.span, node.right.span, "/", "//", safe=False),
        )
        return unknown(node.span)
    whole = t.ANY_INT
    sides = []
    for side in (left, right):
        fraction = isinstance(side.type, t.Fraction)
        if isinstance(side.type, t.Unknown):
            undeclared.tell(world, scope, node.left if side is left else node.right, whole)
        sides.append(side if fraction else fit(world, side, whole))
    if any(isinstance(each.type, t.Unknown) for each in sides):
        return unknown(node.span)
    type_ = arithmetic(world, node.operator, sides[0].type, sides[1].type, node.span)
    return m.Arithmetic(type_, node.span, node.operator, sides[0], sides[1])

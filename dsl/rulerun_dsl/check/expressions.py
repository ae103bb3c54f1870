"""Every expression gets its names bound and its type.

Assumes: a `World` and a `Scope` (the locals, `you`, `this` that may be named).
Does: turns syntax into typed model expressions; whoever asks says what type is expected, by which
members of enumerations, rows and sites are found (`d is move`).
Leaves behind: model expressions; findings in the world. What was reported has the type `Unknown`,
which agrees with everything, so one cause gives one finding.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl import syntax as s
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import boards, facts, families, library
from rulerun_dsl.check.typing import (
    arithmetic,
    describe,
    element,
    fit,
    is_counted,
    join,
    mismatch,
    shorten,
    unknown,
)
from rulerun_dsl.check.world import ColumnFacts, FunctionFacts, World
from rulerun_dsl.source import Span


@dataclass(frozen=True)
class Scope:
    """What may be named without being declared."""

    names: Mapping[str, m.Expression] = field(default_factory=dict)
    you: m.Expression | None = None
    this: m.Expression | None = None
    visibility: bool = False
    """Inside `visible:`: `all` and `owner` mean something."""
    owned: bool = False
    """What is seen belongs to a player: `owner` is that player."""
    original: str | None = None
    """Inside a replacement: what `original(…)` calls."""
    fractions: bool = False
    """Inside `returns`: `/` is allowed."""
    asked: list[bool] = field(default_factory=lambda: [False])
    """Its item becomes True once `you` is read (shared by the scopes inside a rule)."""

    def with_names(self, **names: m.Expression) -> Scope:
        """A scope with more locals."""
        return dataclasses.replace(self, names={**self.names, **names})


def elaborate(
    world: World, node: s.Expression, expected: t.Type | None, names: Mapping[str, m.Expression]
) -> m.Expression:
    """Type an expression that stands outside any rule (see `World.elaborate`)."""
    return check(world, Scope(names), node, expected)


def check(
    world: World, scope: Scope, node: s.Expression, expected: t.Type | None = None
) -> m.Expression:
    """Return the expression as a value of the expected type (any scalar if None)."""
    return fit(world, scalar(world, raw(world, scope, node, expected)), expected)


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
    kind = facts.kind(world, node.kind)
    per_owner = sum(kind.copies) // max(len(kind.owners), 1)
    few = (node.row is not None or len(kind.rows.names) == 1) and max(kind.copies, default=0) == 1
    if not few or (kind.owner is not None and node.owner is None) or per_owner == 0:
        return node
    type_ = t.Component(node.kind)
    place: m.Expression = m.Literal(t.Int(0, 0), node.span, 0)
    if node.row is not None:
        place = m.Arithmetic(
            type_, node.span, "*", node.row,
            m.Literal(t.Int(0, 99), node.span, len(kind.owners)),
        )
    if node.owner is None:
        return dataclasses.replace(place, type=type_)
    return m.Arithmetic(type_, node.span, "+", place, node.owner)


def collection(
    world: World, scope: Scope, node: s.Expression, expected: t.Type | None = None
) -> m.Expression:
    """Return the expression as something to range over (of members of a type, if one is given)."""
    found = raw(world, scope, node, expected, many=True)
    if isinstance(found.type, t.Optional) and isinstance(
        found.type.inner, t.Order | t.SetOf | t.Multiset
    ):
        found = m.Sure(found.type.inner, found.span, found, found.span.text)
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
        return single and (node.type.one or (zone is not None and zone.order in ("stack", "queue")))
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
    span = node.span
    match node:
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
            return dataclasses.replace(scope.this, span=span)
        case s.All():
            if scope.visibility:
                return m.Literal(t.Bool(), span, 1)
            world.report(
                "RR0402", "`all` is an index (`hand[all]`) or a viewer (`visible: all`)", span
            )
            return unknown(span)
        case s.Name(text=text):
            return name(world, scope, text, span, expected, many)
        case s.KindName(kind=kind):
            type_ = facts.type_of(world, s.KindType(span, kind))
            if isinstance(type_, t.Unknown):
                return unknown(span)
            return library.all_values(world, type_, span)
        case s.ListOf(items=items):
            each_type = expected.element if isinstance(expected, t.SetOf) else _scalar_of(expected)
            found = [check(world, scope, item, each_type) for item in items]
            joined: t.Scalar = t.Unknown()
            for item in found:
                both = join(joined, t.inner(item.type))  # type: ignore[arg-type]
                if both is None:
                    mismatch(world, item.span, joined, item.type)
                    both = t.Unknown()
                joined = both
            return m.Listed(t.Collection(joined, True), span, tuple(found))
        case s.Unary(operator="not", operand=operand):
            return m.Not(t.Bool(), span, condition(world, scope, operand))
        case s.Unary(operand=operand):
            value_node = check(world, scope, operand, t.Int(t.INT_MIN, t.INT_MAX))
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
            return compare(world, scope, node)
        case s.Membership(left=left, right=right, negated=negated):
            wanted = None
            if isinstance(right, s.ListOf):
                # The members of a list are found by the type of what is looked for.
                mark = len(world.diagnostics), set(world._reported)
                wanted = t.inner(scalar(world, raw(world, scope, left)).type)
                del world.diagnostics[mark[0] :]
                world._reported = mark[1]
            source = collection(world, scope, right, wanted)
            value_node = check(world, scope, left, t.optional(element(world, source.type)))
            found_in = m.Contains(t.Bool(), span, value_node, source)
            return m.Not(t.Bool(), span, found_in) if negated else found_in
        case s.Is():
            return is_(world, scope, node)
        case s.Logic(operator=operator, operands=operands):
            make = m.Every if operator == "and" else m.Either
            parts: list[m.Expression] = []
            known: list[m.Expression] = []
            for each in operands:
                with world.knowing(known):
                    parts.append(_operand(world, scope, each))
                known.extend(proved(parts[-1], operator == "and"))
            return make(t.Bool(), span, tuple(parts))
        case s.IfElse(value=value_, condition=test, alternative=alternative):
            return if_else(world, scope, node, value_, test, alternative, expected, many)
        case s.Otherwise(left=left, right=right):
            return otherwise(world, scope, left, right, span, expected)
        case s.Range(low=low, high=high):
            whole: t.Type = t.Int(t.INT_MIN, t.INT_MAX)
            named = range_of_names(world, scope, low, high, expected)
            if named is not None:
                return named
            first, last = check(world, scope, low, whole), check(world, scope, high, whole)
            ends = [each.type for each in (first, last)]
            bounds = t.Int(
                min(each.low for each in ends if isinstance(each, t.Int)),
                max(each.high for each in ends if isinstance(each, t.Int)),
            ) if all(isinstance(each, t.Int) for each in ends) else t.Unknown()
            return m.Values(t.Collection(bounds, True), span, first, last)
        case s.Attribute() | s.Index():
            family = families.family(world, scope, node)
            if family is not None:
                return families.reference(world, scope, family, expected, many)
            return attribute(world, scope, node)
        case s.RuleCall():
            return rule_call(world, scope, node)
        case s.The(operand=operand):
            return the(world, scope, operand, span)
        case s.ComponentsOf(kind=kind, owner=owner):
            return library.components_of(world, scope, kind, owner, span)
        case s.Call():
            return call(world, scope, node, expected)


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
    first = scalar(world, raw(world, scope, low, _scalar_of(expected)))
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
        case m.Every(operands=operands) if holds:
            return [found for each in operands for found in proved(each, True)]
        case m.Either(operands=operands) if not holds:
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
    return dataclasses.replace(scope.you, span=span)


def _operand(world: World, scope: Scope, node: s.Expression) -> m.Expression:
    """An operand of `and`/`or`: the trap `c is carrot or ban` gets its own diagnostic."""
    if isinstance(node, s.Name) and node.text not in scope.names:
        found = raw(world, scope, node, t.Bool() if scope.visibility else None)
        if not isinstance(t.inner(found.type), t.Bool | t.Unknown):
            world.report(
                "RR0505",
                f"`{node.text}` is no condition",
                node.span,
                help=f"say the whole again: `… is x or … is {node.text}`",
            )
            return unknown(node.span)
        return fit(world, scalar(world, found), t.Bool())
    return condition(world, scope, node)


def name(
    world: World,
    scope: Scope,
    text: str,
    span: Span,
    expected: t.Type | None,
    many: bool,
) -> m.Expression:
    """Bind a name: a local, a member of the expected type, a declared name, any member."""
    if text in scope.names:
        return dataclasses.replace(scope.names[text], span=span)
    if scope.visibility and text == "owner":
        return owner(world, scope, span, expected)
    if expected is not None and not many:
        members = facts.members(world, expected)
        if text in members:
            facts.use(world, t.inner(expected))
            return m.Literal(t.inner(expected), span, members.index(text))
    word = world.declared[text][0] if text in world.declared else None
    if word is not None:
        world.used.add(text)
    match word:
        case "option":
            return m.Setting(facts.setting_type(world, text), span, text)
        case "constant":
            return library.constant_value(world, text, span)
        case "variable" | "zone" | "table":
            return families.reference(
                world, scope, families.Family(word, text, (), span), expected, many
            )
        case "function":
            node = s.Call(span, text, span, ())
            return user_call(world, scope, node)
        case "board" | "kind" | "type":
            if word == "kind" and not many and only_kind(world, text):
                return scalar(world, m.OfKind(t.Collection(t.Component(text), False), span, text,
                                              None, None))
            return library.all_of(world, text, span)
        case "procedure" | "action" | "phase":
            world.report("RR0409", f"`{text}` is a {word}, not a value", span)
            return unknown(span)
    if text == "players":
        return library.all_values(world, t.Player(), span)
    if text == "direction":
        type_ = facts.named_type(world, text, span)
        return unknown(span) if isinstance(type_, t.Unknown) else (
            library.all_values(world, type_, span)
        )
    if text in world.players:
        return m.Literal(t.Player(), span, world.players.index(text))
    return member(world, scope, text, span, expected)


def owner(
    world: World, scope: Scope, span: Span, expected: t.Type | None
) -> m.Expression:
    """`owner` in `visible:`: the zone's player, and as a condition "the viewer is that player"."""
    if not scope.owned:
        world.report(
            "RR0405",
            "whose? this has no player as its first index",
            span,
            help="write `all`, `none` or a condition",
        )
        return unknown(span)
    whose = m.Register(t.Player(), span, m.OWNER)
    if isinstance(expected, t.Player):
        return whose
    viewer = m.Register(t.Player(), span, m.VIEWER)
    return m.Comparison(t.Bool(), span, "==", viewer, whose)


def only_kind(world: World, kind: str) -> bool:
    """Is there just one component of this kind (`die`)."""
    made = facts.kind(world, kind)
    return sum(made.copies) == 1 and not made.counted


def member(
    world: World, scope: Scope, text: str, span: Span, expected: t.Type | None
) -> m.Expression:
    """Bind a member of some enumeration, row of some kind, site of some board."""
    found: list[m.Expression] = []
    for type_ in library.named_types(world):
        members = facts.members(world, type_)
        if text in members:
            found.append(m.Literal(type_, span, members.index(text)))
    kinds = {str(each.type) for each in found}
    for each in found:
        facts.use(world, each.type)
    if len(kinds) == 1:
        return found[0]
    if found:
        if expected is not None and not isinstance(expected, t.Unknown):
            mismatch(world, span, expected, found[0].type)
            return unknown(span)
        world.report(
            "RR0408",
            f"`{text}` may be of {' or '.join(sorted(kinds))}: nothing here says which",
            span,
            help="use it where a type is expected: after `is`, in an index, as an argument",
        )
        return unknown(span)
    known = [*scope.names, *world.declared, *world.players, "players"]
    known += [each for type_ in library.named_types(world) for each in facts.members(world, type_)]
    if text in library.WORDS:
        world.report(
            "RR0409",
            f"`{text}` is a word of the library and needs its arguments: `{text}(…)`",
            span,
        )
        return unknown(span)
    world.unknown(text, span, "name", known)
    return unknown(span)


def binary(world: World, scope: Scope, node: s.Binary) -> m.Expression:
    """Arithmetic, or collections joined by `+`."""
    left = raw(world, scope, node.left)
    right = raw(world, scope, node.right)
    several = (t.Collection, t.Zone)
    if node.operator == "+" and (isinstance(left.type, several) or isinstance(right.type, several)):
        return library.joined(world, scope, node)
    if node.operator == "/" and not scope.fractions:
        world.report(
            "RR0501",
            "`/` gives a fraction, which stands only in `returns`",
            node.span,
            help="write `//`, which rounds down",
        )
        return unknown(node.span)
    whole = t.Int(t.INT_MIN, t.INT_MAX)
    sides = []
    for side in (left, right):
        fraction = isinstance(side.type, t.Fraction)
        sides.append(side if fraction else fit(world, side, whole))
    if any(isinstance(each.type, t.Unknown) for each in sides):
        return unknown(node.span)
    type_ = arithmetic(world, node.operator, sides[0].type, sides[1].type, node.span)
    return m.Arithmetic(type_, node.span, node.operator, sides[0], sides[1])


def compare(world: World, scope: Scope, node: s.Compare) -> m.Expression:
    """`==`, `<` and their kin."""
    left_first = not (isinstance(node.left, s.Name) and node.left.text not in scope.names
                      and node.left.text not in world.declared)
    first_node, second_node = (node.left, node.right) if left_first else (node.right, node.left)
    first = check(world, scope, first_node)
    expected = t.inner(first.type) if not isinstance(first.type, t.NoneType) else None
    second = check_loosely(world, scope, second_node, expected)
    left, right = (first, second) if left_first else (second, first)
    if isinstance(left.type, t.Unknown) or isinstance(right.type, t.Unknown):
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
    both = join(left.type, right.type)  # type: ignore[arg-type]
    if both is None:
        if isinstance(t.inner(left.type), t.Component) and isinstance(t.inner(right.type), t.Row):
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
    if is_counted(world, both) and not isinstance(both, t.NoneType) and t.NoneType() not in (
        left.type, right.type
    ):
        world.report(
            "RR0511",
            f"alike components have no identity to compare: `{shorten(node.span.text)}`",
            node.span,
            help="compare their `.kind`",
        )
        return unknown(node.span)
    if node.operator not in ("==", "!="):
        ordered = t.inner(both)
        if not isinstance(ordered, t.Int | t.Enum | t.Row | t.Player | t.Fraction | t.Site):
            mismatch(world, node.span, t.Int(t.INT_MIN, t.INT_MAX), both)
            return unknown(node.span)
        left, right = fit(world, left, ordered), fit(world, right, ordered)
    return m.Comparison(t.Bool(), node.span, node.operator, left, right)


def check_loosely(
    world: World, scope: Scope, node: s.Expression, expected: t.Type | None
) -> m.Expression:
    """As `check`, but a number outside the expected range is only unequal, not wrong."""
    return scalar(world, raw(world, scope, node, expected))


def is_(world: World, scope: Scope, node: s.Is) -> m.Expression:
    """`x is NAME`: none, a row, a member, or a parameter that holds one."""
    left = scalar(world, raw(world, scope, node.left))
    span = node.span
    operator = "!=" if node.negated else "=="
    if isinstance(left.type, t.Unknown):
        return unknown(span)
    if isinstance(left.type, t.Collection | t.Zone) or (
        isinstance(t.inner(left.type), t.Multiset) and not isinstance(node.right, s.Nothing)
    ):
        world.report(
            "RR0501",
            f"`{shorten(left.span.text)}` is {describe(world, left.type)}: `is` wants one value",
            left.span,
            help="say of which: `any(c is x for c in …)`, `empty(…)`; a choice of several is "
            "narrowed by what it ranges over: `1..3 t in those(c in hand if …)`",
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
        )
        return unknown(span)
    inner = t.inner(left.type)
    kind = inner.kind if isinstance(inner, t.Component) else None
    wanted: t.Type = t.Row(kind) if kind is not None else inner
    if isinstance(wanted, t.Int | t.Bool):
        world.report(
            "RR0505",
            f"`{shorten(left.span.text)}` is {describe(world, wanted)}: compare it with `==`",
            span,
        )
        return unknown(span)
    right = scalar(world, raw(world, scope, node.right, wanted))
    if kind is not None:
        if isinstance(t.inner(right.type), t.Component):
            world.report(
                "RR0505",
                f"`{node.right.span.text}` is a component: `is` wants a name",
                node.right.span,
                help="compare components with `==`",
            )
            return unknown(span)
        row: t.Scalar = t.Row(kind)
        optional = isinstance(left.type, t.Optional)
        left = m.RowOf(t.Optional(row) if optional else row, left.span, kind, left)
    if not isinstance(right.type, t.Unknown) and join(
        t.inner(left.type), t.inner(right.type)  # type: ignore[arg-type]
    ) is None:
        mismatch(world, right.span, wanted, right.type)
        return unknown(span)
    return m.Comparison(t.Bool(), span, operator, left, right)


def if_else(
    world: World,
    scope: Scope,
    node: s.IfElse,
    value: s.Expression,
    test: s.Expression,
    alternative: s.Expression,
    expected: t.Type | None,
    many: bool,
) -> m.Expression:
    """`a if c else b`, of values or of collections."""
    chosen = condition(world, scope, test)
    with world.knowing(proved(chosen, True)):
        left = raw(world, scope, value, expected, many)
    with world.knowing(proved(chosen, False)):
        right = raw(world, scope, alternative, expected, many)
    if isinstance(left.type, t.Collection | t.Zone) and isinstance(
        right.type, t.Collection | t.Zone
    ) and not (scalar(world, left) is not left and scalar(world, right) is not right):
        inside = join(element(world, left.type), element(world, right.type))
        ordered = is_ordered(world, left) and is_ordered(world, right)
        type_: t.Type = t.Collection(inside or t.Unknown(), ordered)
        return m.Conditional(type_, node.span, chosen, left, right)
    left, right = scalar(world, left), scalar(world, right)
    if isinstance(left.type, t.NoneType) and expected is None and isinstance(right.type, t.Unknown):
        return right
    both = join(left.type, right.type)  # type: ignore[arg-type]
    if both is None:
        mismatch(world, right.span, left.type, right.type)
        return unknown(node.span)
    return m.Conditional(both, node.span, chosen, left, right)


def otherwise(
    world: World,
    scope: Scope,
    left: s.Expression,
    right: s.Expression,
    span: Span,
    expected: t.Type | None,
) -> m.Expression:
    """`a otherwise b`."""
    first, second = raw(world, scope, left, expected), raw(world, scope, right, expected)
    several = (t.Collection, t.Zone)
    if isinstance(first.type, several) and isinstance(second.type, several) and not (
        scalar(world, first) is not first
    ):
        inside = join(element(world, first.type), element(world, second.type))
        type_: t.Type = t.Collection(
            inside or t.Unknown(), is_ordered(world, first) and is_ordered(world, second)
        )
        return m.Otherwise(type_, span, first, second)
    first, second = scalar(world, first), scalar(world, second)
    inner = t.inner(first.type)
    both = join(inner, second.type)  # type: ignore[arg-type]
    if both is None:
        mismatch(world, second.span, inner, second.type)
        return unknown(span)
    return m.Otherwise(both, span, first, second)


# ------------------------------------------------------------------------------ attributes


def attribute(world: World, scope: Scope, node: s.Attribute | s.Index) -> m.Expression:
    """A column, a state attribute or a fact of a value; of a collection, of each member."""
    indexes: tuple[s.Expression, ...] = ()
    target = node
    if isinstance(node, s.Index):
        if not isinstance(node.base, s.Attribute):
            base = raw(world, scope, node.base)
            return index_of_value(world, scope, base, node)
        indexes, target = node.indexes, node.base
    elif isinstance(node.base, s.Attribute) or isinstance(node.base, s.Call | s.The):
        pass
    assert isinstance(target, s.Attribute)
    base = scalar(world, raw(world, scope, target.base))
    if isinstance(base.type, t.Collection | t.Zone):
        register = world.register()
        item = m.Register(element(world, base.type), base.span, register)
        value = column(world, scope, item, target.name, indexes, node.span)
        type_ = t.Collection(t.inner(value.type), is_ordered(world, base))  # type: ignore[arg-type]
        clause = m.Clause(register, base, None)
        return m.Quantifier(type_, node.span, "those", (clause,), value, (), None)
    return column(world, scope, base, target.name, indexes, node.span)


def index_of_value(
    world: World, scope: Scope, base: m.Expression, node: s.Index
) -> m.Expression:
    """`order[1]`: the member at a place of an order (from 1)."""
    if isinstance(base.type, t.Unknown):
        return unknown(node.span)
    if isinstance(base.type, t.Order) and len(node.indexes) == 1:
        return place_in_order(world, scope, base, node.indexes[0], node.span)
    world.report(
        "RR0406", f"`{shorten(node.base.span.text)}` takes no index", node.span
    )
    return unknown(node.span)


def place_in_order(
    world: World, scope: Scope, base: m.Expression, index: s.Expression, span: Span
) -> m.Expression:
    """`order[1]`: the player at that place, from 1."""
    place = check(world, scope, index, t.Int(1, world.outline.player_range[1]))
    whole = m.Unpacked(t.Collection(t.Player(), True), base.span, base)
    return m.Built(t.Player(), span, "at", "", (whole, place))


def column(
    world: World,
    scope: Scope,
    base: m.Expression,
    attribute_name: str,
    indexes: tuple[s.Expression, ...],
    span: Span,
) -> m.Expression:
    """`base.attribute[indexes]` of one value; of none it is none."""
    inner = t.inner(base.type)
    optional = isinstance(base.type, t.Optional)

    def typed(type_: t.Scalar) -> t.Scalar:
        return t.optional(type_) if optional else type_

    def read(columns: Mapping[str, ColumnFacts], first: m.Expression) -> m.Expression | None:
        found = columns.get(attribute_name)
        if found is None:
            return None
        if len(indexes) != len(found.indexes):
            world.report(
                "RR0406",
                f"`{attribute_name}` takes {len(found.indexes)} indexes, not {len(indexes)}",
                span,
            )
            return unknown(span)
        more = tuple(
            check(world, scope, each, type_)
            for each, type_ in zip(indexes, found.indexes, strict=True)
        )
        made = facts.lookup(attribute_name, found, (first, *more), world, span)
        world.used.add(f"column {attribute_name}")
        return dataclasses.replace(made, type=typed(found.type))

    known: list[str] = []
    match inner:
        case t.Unknown():
            return unknown(span)
        case t.NoneType():
            return base
        case t.Component(kind):
            made = facts.kind(world, kind)
            if attribute_name == "kind":
                return m.RowOf(typed(t.Row(kind)), span, kind, base)
            owner_word = made.decl.each
            if made.owner is not None and attribute_name in ("owner", owner_word):
                world.used.add(f"owner {kind}")
                return m.OwnerOf(typed(made.owner), span, kind, base)
            if attribute_name in made.attributes:
                type_ = made.attributes[attribute_name][0]
                world.used.add(f"attribute {kind}.{attribute_name}")
                return m.State(typed(type_), span, kind, attribute_name, base)
            row = m.RowOf(typed(t.Row(kind)), span, kind, base)
            if (found := read(made.rows.columns, row)) is not None:
                return found
            known = [*made.rows.columns, *made.attributes, "kind"]
            if made.owner is not None:
                known.append("owner")
        case t.Row(kind):
            columns = facts.kind_rows(world, kind).columns
            if (found := read(columns, base)) is not None:
                return found
            known = list(columns)
        case t.Enum(enum):
            columns = facts.enumeration(world, enum).columns
            if (found := read(columns, base)) is not None:
                return found
            known = list(columns)
        case t.Site(board):
            columns = facts.sites(world, board).columns
            if (found := read(columns, base)) is not None:
                return found
            known = list(columns)
        case t.Direction(board):
            steps = boards.directions_of(facts.board_decl(world, board))
            if attribute_name in ("rows", "columns"):
                which = 1 if attribute_name == "rows" else 2
                values = tuple(int(step[which]) for step in steps)
                type_ = typed(t.Int(min(values), max(values)))
                return m.Lookup(type_, span, attribute_name, values, (base,), (0,), (1,))
            known = ["rows", "columns"]
    if known:
        world.unknown(attribute_name, span, f"attribute of {describe(world, inner)}:", known)
    else:
        world.report(
            "RR0410", f"{describe(world, inner)} has no attributes (`.{attribute_name}`)", span
        )
    return unknown(span)


def the(world: World, scope: Scope, operand: s.Expression, span: Span) -> m.Expression:
    """`the x`: not none; of a zone, its only component."""
    found = raw(world, scope, operand)
    single = scalar(world, found)
    if isinstance(single.type, t.Collection | t.Zone):
        register = world.register()
        item = m.Register(element(world, single.type), span, register)
        single = m.Quantifier(
            t.optional(element(world, single.type)), span, "only",
            (m.Clause(register, single, None),), item, (), None,
        )
    if not isinstance(single.type, t.Optional):
        return dataclasses.replace(single, span=span)
    return m.Sure(single.type.inner, span, single, operand.span.text)


# ----------------------------------------------------------------------------------- calls


def call(
    world: World, scope: Scope, node: s.Call, expected: t.Type | None
) -> m.Expression:
    """A call of a declared function or of a word of the library."""
    word = world.declared.get(node.name, ("", None))[0]
    if node.name == "original" and scope.original is not None:
        return user_call(world, scope, dataclasses.replace(node, name=scope.original))
    if word == "function":
        return user_call(world, scope, node)
    if word == "procedure":
        world.report(
            "RR0409",
            f"`{node.name}` is a procedure: it cannot be called inside an expression",
            node.name_span,
            help=f"its value comes by itself: `let x = {node.name}(…)`",
        )
        return unknown(node.span)
    if word == "table":
        world.report(
            "RR0409", f"`{node.name}` is a table: write `{node.name}[…]`", node.name_span
        )
        return unknown(node.span)
    if word == "board":
        return library.site_at(world, scope, node)
    return library.call(world, scope, node, expected)


def function_facts(world: World, name_: str) -> FunctionFacts:
    """The facts of a function, its body checked."""
    decl = world.by_kind["function"][name_]

    def declare() -> FunctionFacts:
        parameters = []
        for parameter in decl.signature.parameters:  # type: ignore[attr-defined]
            type_ = (
                facts.type_of(world, parameter.type) if parameter.type is not None else t.Unknown()
            )
            parameters.append((parameter.name, type_, world.register()))
        explicit = bool(parameters) and parameters[0][0] == "you"
        made = FunctionFacts(
            decl, len(world.functions), tuple(parameters), explicit, explicit  # type: ignore[arg-type]
        )
        world.functions.append(made)
        return made

    made = world.fact("function", name_, declare, None)
    assert made is not None

    def body() -> bool:
        names: dict[str, m.Expression] = {
            each: m.Register(type_, decl.at.span, register)  # type: ignore[attr-defined]
            for each, type_, register in made.parameters
        }
        implicit = world.register()
        you_node = names.pop("you", m.Register(t.Player(), decl.at.span, implicit))  # type: ignore[attr-defined]
        scope = Scope(names, you_node, original=world.originals.get(name_))
        made.body = library.function_body(world, scope, decl)  # type: ignore[arg-type]
        made.result = made.body.type
        if scope.asked[0] and not made.explicit_you:
            made.needs_you = True
            made.parameters = (("you", t.Player(), implicit), *made.parameters)
        return True

    if not world.fact("function body", name_, body, False):
        made.body = made.body or unknown(made.decl.at.span)
        made.result = made.result or t.Unknown()
    return made


def user_call(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """A call of a declared function; `you` is passed on where it is needed."""
    world.used.add(node.name)
    made = function_facts(world, node.name)
    arguments = list(node.arguments)
    wanted = list(made.parameters)
    found: list[m.Expression] = []
    if made.needs_you and len(arguments) < len(wanted):
        found.append(you(world, scope, node.span))
        wanted = wanted[1:]
    if len(arguments) != len(wanted):
        world.report(
            "RR0502",
            f"`{node.name}` takes {len(wanted)} arguments, not {len(arguments)}",
            node.span,
            help=f"it is declared as `{made.decl.signature.span.text}`",
        )
        return unknown(node.span)
    for argument, (_, type_, _) in zip(arguments, wanted, strict=True):
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{node.name}` takes values, not a filter", argument.span)
            return unknown(node.span)
        found.append(check(world, scope, argument, type_))
    return m.FunctionCall(made.result or t.Unknown(), node.span, made.index, tuple(found))


def rule_call(world: World, scope: Scope, node: s.RuleCall) -> m.Expression:
    """`card.needs(…)`: an expression slot of the component's row."""
    base = scalar(world, raw(world, scope, node.base))
    inner = t.inner(base.type)
    if not isinstance(inner, t.Component):
        if not isinstance(inner, t.Unknown):
            mismatch(world, node.base.span, t.Component("kind"), base.type)
        return unknown(node.span)
    made = facts.kind(world, inner.kind)
    slot = made.slots.get(node.name)
    if slot is None or slot.type is None:
        if slot is not None:
            world.report(
                "RR0409",
                f"`{node.name}` is a rule of its rows, not a value: call it as a statement",
                node.span,
            )
        else:
            world.unknown(node.name, node.span, f"rule of {inner.kind}", made.slots)
        return unknown(node.span)
    return library.slot_call(world, scope, base, inner.kind, slot, node)

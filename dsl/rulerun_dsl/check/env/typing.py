"""How types go together: what joins, what fits, how far numbers reach.

Assumes: types of the language; expressions that are typed.
Leaves behind: types, or a finding about two that do not agree.
"""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds
from rulerun_dsl.check.env.world import World
from rulerun_dsl.diagnostics.fixes import Fix, Hint, rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.source.frozen import replaced
from rulerun_dsl.source.spans import Span


def join(left: t.Scalar, right: t.Scalar) -> t.Scalar | None:
    """Return the type that holds both, or None if there is none."""
    if isinstance(left, t.Unknown):
        return right
    if isinstance(right, t.Unknown) or left == right:
        return left
    if isinstance(left, t.NoneType):
        return t.optional(right)
    if isinstance(right, t.NoneType):
        return t.optional(left)
    if isinstance(left, t.Optional) or isinstance(right, t.Optional):
        inside = join(_inner(left), _inner(right))
        return None if inside is None else t.optional(inside)
    if isinstance(left, t.Int) and isinstance(right, t.Int):
        return t.Int(min(left.low, right.low), max(left.high, right.high))
    match left, right:
        case (t.Fraction(), t.Int()) | (t.Int(), t.Fraction()):
            return t.Fraction()
        case _:
            return None


def _inner(type_: t.Scalar) -> t.Scalar:
    return type_.inner if isinstance(type_, t.Optional) else type_


def describe(world: World, type_: t.Type) -> str:
    """A type in words, for people."""
    match type_:
        case t.Int():
            whole = type_.low == t.INT_MIN or type_.high == t.INT_MAX or type_.low == type_.high
            return "a number" if whole else f"a number ({type_})"
        case t.Bool():
            return "true or false"
        case t.Player():
            return "a player"
        case t.NoneType():
            return "none"
        case t.Optional(inner):
            return f"{describe(world, inner)} or none"
        case t.Component(kind):
            return f"a component ({kind})"
        case t.Row(kind):
            return f"a name of a {kind}"
        case t.Site(board):
            return f"a site ({board})"
        case t.Collection(element, _) | t.Multiset(element):
            return f"several of {describe(world, element)}"
        case t.Zone(kind, _, _, _):
            return f"a zone ({kind})"
        case t.SetOf():
            return f"a {type_}"
        case _:
            return str(type_)


def everybody(node: m.Expression) -> bool:
    """Is a collection surely every player, each once."""
    match node:
        case m.Values(
            type=t.Collection(t.Player(), _), low=m.Literal(value=0), high=m.Arithmetic()
        ):
            return True
        case m.Clockwise(others=others):
            return not others
        case m.Unpacked(operand=operand):
            return isinstance(operand.type, t.Order)
        case m.BuiltinCall(word=word, arguments=(first, *_)):
            return LIBRARY[word].reorders and everybody(first)
        case _:
            return False


_SEVERAL = (t.Collection, t.Zone)


def fit(world: World, node: m.Expression, expected: t.Type | None) -> m.Expression:
    """Return the expression as one of the expected type, or report that it is not.

    `T or none` where `T` is wanted is accepted and checked when it runs (`NotNone`).
    """
    type_ = node.type
    if expected is None or isinstance(expected, t.Unknown) or isinstance(type_, t.Unknown):
        return node
    if isinstance(type_, t.Int) and isinstance(expected, t.Int):
        if expected.low <= type_.low <= type_.high <= expected.high:
            return node
    elif type_ == expected:
        return node
    set_ = t.bare(expected)
    if isinstance(set_, t.SetOf) and (members := _as_members(world, node, set_)) is not None:
        if is_counted(world, set_.element):
            return no_set(world, node, set_.element)
        if join(set_.element, t.bare(element(members.type))) is None:  # type: ignore[arg-type]
            mismatch(world, node.span, expected, type_)
            return unknown(node.span)
        return m.BuiltinCall(set_, node.span, "packed", "", (sure_members(world, members),))
    if isinstance(expected, t.Order) and isinstance(type_, t.Collection):
        if not everybody(node):
            world.report(
                "RR0501",
                f"`{shorten(node.span.text)}` need not be every player once",
                node.span,
                help="an order is `players`, `clockwise(p)`, or another order, perhaps turned by "
                "`reverse` or `around`; `sort` changes it",
            )
            return unknown(node.span)
        return node
    if isinstance(expected, _SEVERAL) or isinstance(type_, _SEVERAL):
        if not isinstance(expected, _SEVERAL):
            mismatch(world, node.span, expected, type_)
            return unknown(node.span)
        return node
    if isinstance(type_, t.NoneType):
        if isinstance(expected, t.Optional | t.NoneType):
            return replaced(node, type=expected)
        mismatch(world, node.span, expected, type_)
        return unknown(node.span)
    wanted = _inner(expected)
    got = _inner(type_)
    if isinstance(wanted, t.NoneType):
        return node
    if join(wanted, got) is None or isinstance(got, t.Fraction) != isinstance(wanted, t.Fraction):
        if not (isinstance(wanted, t.Fraction) and isinstance(got, t.Int)):
            mismatch(world, node.span, expected, type_, **_seat(world, node, wanted))
            return unknown(node.span)
    if isinstance(wanted, t.Int) and isinstance(got, t.Int):
        if got.high < wanted.low or got.low > wanted.high:
            value = str(got.low) if got.low == got.high else f"{got}"
            world.report(
                "RR0503",
                f"`{node.span.text}` lies outside {wanted}"
                if node.span.text == value
                else f"`{node.span.text}` is {value}, outside {wanted}",
                node.span,
                help="widen the range where it is declared, or change the value",
            )
    if isinstance(type_, t.Optional) and not isinstance(expected, t.Optional):
        if world.strict and not any(same_place(node, each) for each in world.proved):
            world.report(
                "RR0801",
                f"`{shorten(node.span.text)}` may be none here, which is found out only in play",
                node.span,
                help="test it (`is not none`), give another value (`otherwise …`), or write "
                "`the …` to say that you are sure",
            )
        return m.NotNone(type_.inner, node.span, node, node.span.text)
    return node


def _as_members(world: World, node: m.Expression, wanted: t.SetOf) -> m.Expression | None:
    """What is to become a set, as its members; None: it is a set, or can be none.

    Several are their set, and one value stands for the set of it.
    """
    inner = t.bare(node.type)
    if isinstance(inner, t.Collection | t.Zone):
        return node
    other = isinstance(node.type, t.SetOf) and node.type != wanted and join(inner, wanted) is None
    if isinstance(inner, t.Multiset) or (other and isinstance(inner, t.SetOf)):
        return m.Unpacked(t.Collection(inner.element, False), node.span, node)
    if isinstance(inner, t.SetOf | t.NoneType | t.Unknown) or join(inner, wanted.element) is None:
        return None
    one = fit(world, node, wanted.element)
    return m.Listed(t.Collection(t.bare(one.type), True), node.span, (one,))  # type: ignore[arg-type]


def no_set(world: World, node: m.Expression, alike: t.Type) -> m.Expression:
    """Report that components that cannot be told apart are to be a set."""
    text = shorten(node.span.text)
    world.report(
        "RR0744",
        f"copies of `{alike}` cannot be told apart: `{text}` is no set, which could be kept, "
        "passed on or compared",
        node.span,
        help=f"ask it where it is (`count(x in {text} if …)`, `sum(… for x in {text})`) or move it "
        f"to a zone of its own; or give each copy something of its own: a row, or a `state`",
    )
    return unknown(node.span)


def within(node: m.Expression, type_: t.Type) -> m.Expression:
    """Return an argument with its range checked when it runs, where that is not proved."""
    got, wanted = node.type, t.bare(type_)
    if isinstance(got, t.Int) and isinstance(wanted, t.Int):
        if got.low < wanted.low or got.high > wanted.high:
            return m.RangeCheck(wanted, node.span, node)
    return node


def _seat(world: World, node: m.Expression, wanted: t.Type) -> Hint:
    """What to write where a player is wanted, and the number of one stands."""
    hint: Hint = {"help": None, "fixes": ()}
    if isinstance(wanted, t.Player) and isinstance(node, m.Literal) and node.value is not None:
        if isinstance(node.type, t.Int) and 1 <= node.value <= world.count:
            name = world.players[node.value - 1]
            hint["help"] = f"players have names: write `{name}` for the player who sits first"
            if node.value > 1:
                hint["help"] = f"players have names: write `{name}`"
            hint["fixes"] = rewrite(node.span, name, safe=False)
    return hint


def mismatch(
    world: World,
    span: Span,
    expected: t.Type,
    got: t.Type,
    help: str | None = None,
    fixes: tuple[Fix, ...] = (),
) -> None:
    """Report a wrong type."""
    world.report(
        "RR0501",
        f"`{shorten(span.text)}` is {describe(world, got)}; "
        f"{describe(world, expected)} is wanted here",
        span,
        help=help,
        fixes=fixes,
    )


def rankable(world: World, key: m.Expression) -> m.Expression:
    """Return what is compared by; report what has no higher and lower."""
    inner = t.bare(key.type)
    if isinstance(
        inner, t.Int | t.Bool | t.Enum | t.Row | t.Player | t.Site | t.Fraction | t.Unknown
    ):
        return key
    world.report(
        "RR0501",
        f"`{shorten(key.span.text)}` is {describe(world, key.type)}: it has no higher and lower",
        key.span,
        help="say by what: `highest(c in hand by c.value)`",
    )
    return unknown(key.span)


def last_name(span: Span, name: str) -> Span:
    """Where the name behind a dot stands."""
    at = span.text.rfind(f".{name}")
    if at < 0:
        return span
    start = span.start + at + 1
    return Span(span.source, start, start + len(name))


def shorten(text: str) -> str:
    """A text that fits into a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 50 else flat[:47] + "…"


def unknown(span: Span) -> m.Expression:
    """An expression that was reported: it agrees with everything."""
    return m.Literal(t.Unknown(), span, 0)


def arithmetic(world: World, operator: str, left: t.Type, right: t.Type, span: Span) -> t.Scalar:
    """The type of an arithmetic expression; reports what cannot fit 32 bits."""
    if isinstance(left, t.Fraction) or isinstance(right, t.Fraction) or operator == "/":
        return t.Fraction()
    if not isinstance(left, t.Int) or not isinstance(right, t.Int):
        return t.Unknown()
    a, b, c, d = left.low, left.high, right.low, right.high
    # `int` parameters have no bounds of their own: what runs checks them.
    unbounded = t.INT_MIN in (a, c) or t.INT_MAX in (b, d)
    match operator:
        case "+":
            low, high = a + c, b + d
        case "-":
            low, high = a - d, b - c
        case "*":
            corners = (a * c, a * d, b * c, b * d)
            low, high = min(corners), max(corners)
        case "//":
            divisors = [each for each in {c, d, -1, 1} if c <= each <= d and each]
            quotients = [each // by for each in (a, b) for by in divisors]
            if 0 == c == d:
                world.report("RR0503", "this divides by 0", span)
            low, high = min(quotients, default=0), max(quotients, default=0)
        case "%":
            if 0 == c == d:
                world.report("RR0503", "this divides by 0", span)
            low, high = (min(c + 1, 0) if c < 0 else 0), (max(d - 1, 0) if d > 0 else 0)
            if c > 0 and a >= 0:
                high = min(high, b)
        case _:
            powers = [
                base ** min(exponent, 64) for base in (a, b) for exponent in (max(c, 0), max(d, 0))
            ]
            low, high = min((*powers, 0 if a < 0 else powers[0])), max(powers)
    if (low < t.INT_MIN or high > t.INT_MAX) and not unbounded:
        world.report(
            "RR0508",
            f"`{shorten(span.text)}` may reach {low if low < t.INT_MIN else high}: "
            "more than 32 bits hold",
            span,
            help="narrow the ranges of what it is made of",
        )
        return t.Unknown()
    return t.Int(max(low, t.INT_MIN), min(high, t.INT_MAX))


def element(type_: t.Type) -> t.Scalar:
    """The type of the members of a collection."""
    if isinstance(type_, t.Collection):
        return type_.element
    if isinstance(type_, t.Zone):
        return t.Component(type_.kind)
    return t.Unknown()


def sure_members(world: World, node: m.Expression) -> m.Expression:
    """A collection none of whose members is none: one that is, is a rule error."""
    inside = element(node.type)
    if not isinstance(inside, t.Optional):
        return node
    item = m.Register(inside, node.span, world.register())
    return _each(node, item, None, fit(world, item, inside.inner))


def without_none(world: World, node: m.Expression) -> m.Expression:
    """A collection without those of its members that are none."""
    inside = element(node.type)
    if not isinstance(inside, t.Optional):
        return node
    item = m.Register(inside, node.span, world.register())
    there = m.Comparison(t.Bool(), node.span, "!=", item, m.Literal(t.NoneType(), node.span, None))
    return _each(node, item, there, replaced(item, type=inside.inner))


def _each(
    node: m.Expression, item: m.Register, test: m.Expression | None, value: m.Expression
) -> m.Expression:
    ordered = isinstance(node.type, t.Collection) and node.type.ordered
    type_ = t.Collection(value.type, ordered)  # type: ignore[arg-type]
    clause = m.Clause(item.index, node, test)
    return m.Quantifier(type_, node.span, "those", (clause,), value, (), None)


def is_counted(world: World, type_: t.Type) -> bool:
    """Is it a component without an identity of its own."""
    inside = t.bare(type_)
    return isinstance(inside, t.Component) and component_kinds.kind(world, inside.kind).counted


def same_place(left: m.Expression, right: m.Expression) -> bool:
    """Are two references the same except for where they are written."""
    if type(left) is not type(right):
        return False
    for field in dataclasses.fields(left):
        if field.name in ("span", "type"):
            continue
        one, other = getattr(left, field.name), getattr(right, field.name)
        if isinstance(one, m.Expression) and isinstance(other, m.Expression):
            if not same_place(one, other):
                return False
        elif isinstance(one, tuple) and isinstance(other, tuple):
            if len(one) != len(other):
                return False
            for each, its in zip(one, other, strict=True):
                if isinstance(each, m.Expression) and isinstance(its, m.Expression):
                    if not same_place(each, its):
                        return False
                elif each != its:
                    return False
        elif one != other:
            return False
    return True

"""The words of the library: what they take and what they give.

Assumes: `expressions` for everything inside the arguments.
Does: types quantifiers (`count`, `first`, `highest`, …), players round the table, boards.
Leaves behind: model expressions.
"""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, constants, domains, facts
from rulerun_dsl.check.env.typing import element, fit, join, mismatch, unknown
from rulerun_dsl.check.env.world import World, several
from rulerun_dsl.check.expr import elaborate, quantifiers, sites
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s

QUANTIFIERS = frozenset(
    "count any all sum max min first last those highest lowest all_highest all_lowest empty".split()
)
BOARD_WORDS = frozenset("go neighbours distance reach line path around reverse where".split())
PLAYER_WORDS = frozenset("next opponent clockwise others seat player index".split())
WORDS = QUANTIFIERS | BOARD_WORDS | PLAYER_WORDS | {"running", "abs", "share_of_win"}

_WHOLE = t.Int(t.INT_MIN, t.INT_MAX)


def constant_value(world: World, name: str, span: Span) -> m.Expression:
    """A constant: its expression, by the number of players if it says so."""
    decl: declarations.ConstantDecl = world.by_kind["constant"][name]  # type: ignore[assignment]

    def make() -> m.Expression:
        if decl.value is not None:
            return elaborate.check(world, Scope(), decl.value)
        for count, value in decl.by_count:
            if count == world.people:
                return elaborate.check(world, Scope(), value)
        return unknown(decl.at.span)

    made = world.fact("constant", name, make, unknown(span))
    value = constants.value_of(world, made)
    if value is constants.NOT_CONSTANT:
        if not isinstance(made.type, t.Unknown):
            world.report("RR0504", f"`{name}` is not constant", decl.at.span)
        return unknown(span)
    assert value is None or isinstance(value, int)
    type_ = made.type
    if decl.by_count and isinstance(type_, t.Int):
        for _, other in decl.by_count:
            typed = elaborate.check(world, Scope(), other).type
            if isinstance(typed, t.Int):
                type_ = t.Int(min(type_.low, typed.low), max(type_.high, typed.high))
    return m.Literal(type_, span, value)


# ----------------------------------------------------------------------------- collections


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
    inside = join(element(world, left.type), element(world, right.type))
    if inside is None:
        mismatch(world, right.span, left.type, right.type)
        return unknown(node.span)
    ordered = elaborate.is_ordered(world, left) and elaborate.is_ordered(world, right)
    return m.Joined(t.Collection(inside, ordered), node.span, left, right)


# -------------------------------------------------------------------------- functions, slots


# --------------------------------------------------------------------------------- the words

_DISTINCT = "count the values that are there: `count(s in suit if any(c.suit == s for c in hand))`"
_OTHER_FUNCTIONS = {
    **dict.fromkeys(("len", "length", "size", "number"), "write `count(…)`"),
    **dict.fromkeys(("distinct", "unique", "different", "kinds"), _DISTINCT),
    **dict.fromkeys(("most", "argmax", "best"), "write `highest(p in players by …)`"),
    **dict.fromkeys(("least", "fewest", "argmin"), "write `lowest(p in players by …)`"),
    **dict.fromkeys(("maximum", "largest", "biggest"), "write `max(… for x in S)`"),
    **dict.fromkeys(("minimum", "smallest"), "write `min(… for x in S)`"),
    **dict.fromkeys(("is_empty", "isempty"), "write `empty(…)`"),
    **dict.fromkeys(("random", "randint", "rand"), "luck is a statement: `roll x`"),
    **dict.fromkeys(("total", "add", "score"), "write `sum(… for x in S)`"),
    **dict.fromkeys(("filter", "where", "select"), "write `those(c in hand if …)`"),
    **dict.fromkeys(("exists", "some"), "write `any(…)`"),
    **dict.fromkeys(("top", "head"), "write `first(…)`"),
}
"""Functions of other languages, and what does the same here."""


def call(world: World, scope: Scope, node: s.Call, expected: t.Type | None) -> m.Expression:
    """A call of a library word."""
    name, span = node.name, node.span
    if name == "empty":
        counted = quantifiers.quantified(world, scope, dataclasses.replace(node, name="count"))
        zero = m.Literal(t.Int(0, 0), span, 0)
        return m.Comparison(t.Bool(), span, "==", counted, zero)
    if name in QUANTIFIERS:
        return quantifiers.quantified(world, scope, node)
    if name not in WORDS:
        known = [*WORDS, *world.by_kind["function"], *world.by_kind["board"]]
        close = world.guess(name, known)
        if name in world.declared or name in scope.names:
            world.report("RR0409", f"`{name}` cannot be called", node.name_span)
        else:
            world.report(
                "RR0402",
                f"there is no function `{name}`",
                node.name_span,
                help=_OTHER_FUNCTIONS.get(name) or (f"did you mean `{close}`?" if close else None),
            )
        return unknown(span)
    last = node.arguments[-1] if node.arguments else None
    if name in ("reach", "distance") and isinstance(last, s.Filtered) and last.keys:
        return sites.by_relation(world, scope, node, last)
    if name in ("line", "path", "reach"):
        return sites.board_search(world, scope, node)
    plain: list[s.Expression] = []
    for argument in node.arguments:
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{name}` takes values, not a filter", argument.span)
            return unknown(span)
        plain.append(argument)
    least, most = {"next": (1, 2), "go": (2, 3), "distance": (2, 2), "around": (2, 2)}.get(
        name, (1, 1)
    )
    if not least <= len(plain) <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        world.report("RR0502", f"`{name}` takes {several(wanted)}, not {len(plain)}", span)
        return unknown(span)
    if name in PLAYER_WORDS:
        return player_word(world, scope, name, plain, span)
    if name == "running":
        text = plain[0].span.text
        if text not in world.by_kind["procedure"]:
            world.unknown(text, plain[0].span, "procedure", world.by_kind["procedure"])
        world.used.add(text)
        return m.Running(t.Bool(), span, text)
    if name == "abs":
        value = elaborate.check(world, scope, plain[0], _WHOLE)
        zero = m.Literal(t.Int(0, 0), span, 0)
        reach = value.type if isinstance(value.type, t.Int) else _WHOLE
        high = max(abs(reach.low), abs(reach.high))
        negative = m.Arithmetic(t.Int(0, high), span, "-", zero, value)
        test = m.Comparison(t.Bool(), span, "<", value, zero)
        return m.Conditional(t.Int(0, high), span, test, negative, value)
    if name == "share_of_win":
        player = elaborate.check(world, scope, plain[0], t.Player())
        return m.BuiltinCall(t.Fraction(), span, "share_of_win", "", (player,))
    return sites.board_word(world, scope, name, plain, span)


def player_word(
    world: World, scope: Scope, name: str, plain: list[s.Expression], span: Span
) -> m.Expression:
    """`next`, `opponent`, `clockwise`, `others`, `seat`, `player` and `index`."""
    high = world.outline.player_range[1] + len(world.outline.automata)
    count = domains.number_of(world, span)
    if name == "player":
        number = elaborate.check(world, scope, plain[0], t.Int(0, high - 1))
        return m.Arithmetic(t.Player(), span, "%", number, count)
    if name == "index":
        value = elaborate.check(world, scope, plain[0])
        inner = t.inner(value.type)
        if isinstance(inner, t.Unknown):
            return unknown(span)
        return dataclasses.replace(
            fit(world, value, inner), type=t.Int(0, max(facts.size(world, inner) - 1, 0))
        )
    who = elaborate.check(world, scope, plain[0], t.Player())
    if name == "seat":
        one = m.Literal(t.Int(1, 1), span, 1)
        number = dataclasses.replace(who, type=t.Int(0, high - 1))
        return m.Arithmetic(t.Int(1, high), span, "+", number, one)
    if name == "opponent":
        if high != 2:
            world.report(
                "RR0502",
                f"`opponent` is for two players; this game has up to {high}",
                span,
                help="write `next(p)` or `others(p)`",
            )
        one = m.Literal(t.Int(1, 1), span, 1)
        return m.Arithmetic(t.Player(), span, "-", one, who)
    if name == "next":
        step: m.Expression = m.Literal(t.Int(1, 1), span, 1)
        if len(plain) == 2:
            step = elaborate.check(world, scope, plain[1], _WHOLE)
        added = m.Arithmetic(t.Int(0, high + 100), span, "+", who, step)
        return m.Arithmetic(t.Player(), span, "%", added, count)
    return m.Clockwise(t.Collection(t.Player(), True), span, who, name == "others")


# ------------------------------------------------------------------------------------ boards

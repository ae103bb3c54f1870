"""Calls of the words of the library: each is typed by the rule that it has in its area.

Assumes: `elaborate` for everything inside the arguments.
Does: finds the type rule of a word: in `quantifiers`, `collections`, `players`, `histories`,
`sites` (boards), `subsets` or here; reports what is no word.
Leaves behind: model expressions.
"""

from __future__ import annotations

import dataclasses
import re

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.typing import fit, unknown
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import (
    collections,
    elaborate,
    histories,
    players,
    quantifiers,
    sites,
    subsets,
    undeclared,
)
from rulerun_dsl.check.expr.arguments import TypeRule, of_values
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.diagnostic import did_you_mean
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import WORDS
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s

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

_SAME_FUNCTION = re.compile(r"write `(\w+)\(…\)`")
"""One that only has another name."""


def call(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """A call of a library word."""
    rule = rule_of(node.name)
    if rule is not None:
        return rule(world, scope, node)
    name = node.name
    known = [*WORDS, *world.by_kind["function"], *world.by_kind["board"]]
    close = None if name in _OTHER_FUNCTIONS else world.guess(name, known)
    if name in world.declared or name in scope.names:
        world.report("RR0409", f"`{name}` cannot be called", node.name_span)
    else:
        if name in world.doubtful:
            return unknown(node.span)
        other, own = _OTHER_FUNCTIONS.get(name), close in world.declared
        other = other or undeclared.routine_line(world, scope, node, "functions")
        hint = did_you_mean(node.name_span, name, close, known, other, declared=own)
        if meant := _SAME_FUNCTION.fullmatch(hint["help"] or ""):
            hint["fixes"] = rewrite(node.name_span, meant[1], safe=True)
        world.report("RR0402", f"there is no function `{name}`", node.name_span, **hint)
    return unknown(node.span)


def rule_of(name: str) -> TypeRule | None:
    """The type rule of a word; None if it is none."""
    for rules in (
        quantifiers.TYPE_RULES,
        collections.TYPE_RULES,
        players.TYPE_RULES,
        histories.TYPE_RULES,
        sites.TYPE_RULES,
        subsets.TYPE_RULES,
        TYPE_RULES,
    ):
        if name in rules:
            return rules[name]
    return None


def _empty(world: World, scope: Scope, node: s.Call) -> m.Expression:
    counted = quantifiers.quantified(world, scope, dataclasses.replace(node, name="count"))
    zero = m.Literal(t.Int(0, 0), node.span, 0)
    return m.Comparison(t.Bool(), node.span, "==", counted, zero)


def _abs(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    value = elaborate.check(world, scope, plain[0], t.ANY_INT)
    zero = m.Literal(t.Int(0, 0), span, 0)
    reach = value.type if isinstance(value.type, t.Int) else t.ANY_INT
    high = max(abs(reach.low), abs(reach.high))
    negative = m.Arithmetic(t.Int(0, high), span, "-", zero, value)
    test = m.Comparison(t.Bool(), span, "<", value, zero)
    return m.Conditional(t.Int(0, high), span, test, negative, value)


def _index(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    value = elaborate.check(world, scope, plain[0])
    inner = t.bare(value.type)
    if isinstance(inner, t.Unknown):
        return unknown(span)
    type_ = t.Int(0, max(facts.size(world, inner) - 1, 0))
    return dataclasses.replace(fit(world, value, inner), type=type_)


def _running(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    text = plain[0].span.text
    if text not in world.by_kind["procedure"]:
        world.unknown(text, plain[0].span, "procedure", world.by_kind["procedure"])
    world.used.add(text)
    world.note(plain[0].span, text)
    return m.Running(t.Bool(), span, text)


def _share(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    player = elaborate.check(world, scope, plain[0], t.Player())
    return m.BuiltinCall(t.Fraction(), span, "share_of_win", "", (player,))


TYPE_RULES: dict[str, TypeRule] = {
    "empty": _empty,
    "abs": of_values(_abs),
    "index": of_values(_index),
    "running": of_values(_running),
    "share_of_win": of_values(_share),
}

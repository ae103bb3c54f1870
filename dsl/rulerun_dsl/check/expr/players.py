"""The words of the library that are about players round the table."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import domains
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.expr.arguments import TypeRule, of_values
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def _most_players(world: World) -> int:
    return world.outline.player_range[1] + len(world.outline.automata)


def _who(world: World, scope: Scope, node: s.Expression) -> m.Expression:
    return elaborate.check(world, scope, node, t.Player())


def _player(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    count = domains.number_of(world, span)
    number = elaborate.check(world, scope, plain[0], t.ANY_INT)
    return m.Arithmetic(t.Player(), span, "%", number, count)


def _seat(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    high = _most_players(world)
    number = dataclasses.replace(_who(world, scope, plain[0]), type=t.Int(0, high - 1))
    return m.Arithmetic(t.Int(1, high), span, "+", number, m.Literal(t.Int(1, 1), span, 1))


def _opponent(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    who, high = _who(world, scope, plain[0]), _most_players(world)
    if high != 2:
        world.report(
            "RR0502",
            f"`opponent` is for two players; this game has up to {high}",
            span,
            help="write `next(p)` or `others(p)`",
        )
    return m.Arithmetic(t.Player(), span, "-", m.Literal(t.Int(1, 1), span, 1), who)


def _next(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    who = _who(world, scope, plain[0])
    step: m.Expression = m.Literal(t.Int(1, 1), span, 1)
    if len(plain) == 2:
        step = elaborate.check(world, scope, plain[1], t.ANY_INT)
    added = m.Arithmetic(t.Int(0, _most_players(world) + 100), span, "+", who, step)
    return m.Arithmetic(t.Player(), span, "%", added, domains.number_of(world, span))


def _clockwise(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    who = _who(world, scope, plain[0])
    return m.Clockwise(t.Collection(t.Player(), True), span, who, False)


def _others(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    who = _who(world, scope, plain[0])
    return m.Clockwise(t.Collection(t.Player(), True), span, who, True)


TYPE_RULES: dict[str, TypeRule] = {
    "clockwise": of_values(_clockwise),
    "others": of_values(_others),
    "next": of_values(_next),
    "opponent": of_values(_opponent),
    "seat": of_values(_seat),
    "player": of_values(_player),
}

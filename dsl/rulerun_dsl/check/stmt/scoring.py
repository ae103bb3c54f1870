"""How an ended game is decided: `points`, `ties`, `equal`, `out`, `winner`, `returns`."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants
from rulerun_dsl.check.env.typing import fit, mismatch
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import branching, elaborate, points, scopes
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def model_scoring(world: World) -> m.Scoring:
    """The scoring as the model has it: checked, and with the options put in."""
    made = typed_scoring(world)

    def folded(node: m.Expression | None) -> m.Expression | None:
        return None if node is None else constants.fold(world, node)

    return dataclasses.replace(
        made,
        lines=tuple(
            m.ScoreLine(line.label, constants.fold(world, line.value)) for line in made.lines
        ),
        ties=tuple(constants.fold(world, each) for each in made.ties),
        out=folded(made.out),
        winner=folded(made.winner),
        returns=folded(made.returns),
    )


def typed_scoring(world: World) -> m.Scoring:
    """The scoring, checked."""
    decl = world.outline.scoring

    def make() -> m.Scoring:
        return _scoring(world, decl)

    span = decl.span or world.outline.span
    empty = m.Scoring(0, (), (), None, "tied", None, None, None)
    made = world.fact("scoring", "scoring", make, empty)
    assert span is not None
    return made


def scope_of(
    world: World, parameter: s.Signature | None, register: int, fractions: bool = False
) -> Scope:
    """The scope of a line: the parameter it declares, and `you` for the player asked about."""
    span = parameter.span if parameter is not None else world.outline.span
    asked = m.Register(t.Player(), span, register)
    names = {}
    if parameter is not None:
        wanted = len(parameter.parameters) < 2 and all(
            isinstance(each.type, s.NamedType) and each.type.name == "player"
            for each in parameter.parameters
        )
        if not wanted:
            world.report(
                "RR0502",
                f"`{parameter.name}` is asked of a player, and takes nothing else",
                parameter.span,
                help=f"write `{parameter.name}(player p)`",
                fixes=rewrite(parameter.span, f"{parameter.name}(player p)", safe=False),
            )
        for each in parameter.parameters:
            if each.name != "you":
                scopes.check_hides(world, Scope(), each.name, each.span)
                names[each.name] = asked
    line = parameter if not names else None
    return Scope(names, asked, fractions=fractions, line=line)


def _scoring(world: World, decl: declarations.ScoringDecl) -> m.Scoring:
    register = world.register()
    lines = []
    for line in decl.points:
        scope = scope_of(world, line.signature, register)
        value = elaborate.check(world, scope, line.value, t.ANY_INT)
        lines.append(m.ScoreLine(line.label or "points", value))
    ties = tuple(
        elaborate.check(world, scope_of(world, line.signature, register), line.value, t.ANY_INT)
        for line in decl.ties
    )
    out = None
    if decl.out is not None:
        scope = scope_of(world, decl.out_parameter, register)
        out = elaborate.condition(world, scope, decl.out)
    best, winner = None, None
    match decl.winner:
        case s.Superlative(direction=direction, score=score, span=span):
            best = direction
            if score in ("points", "total") and lines:
                pass
            elif score in world.by_kind["function"] or score in world.by_kind["variable"]:
                scope = scope_of(world, None, register)
                arguments = (s.You(span),)
                asked: s.Expression = (
                    s.Call(span, score, span, arguments)
                    if score in world.by_kind["function"]
                    else s.Index(span, s.Name(span, score), arguments)
                )
                value = elaborate.check(world, scope, asked, t.ANY_INT)
                lines = [m.ScoreLine(score, value)]
            elif score in ("points", "total"):
                points.no_points(world, span, score)
            else:
                known = [*world.by_kind["function"], *world.by_kind["variable"], "points"]
                world.unknown(score, span, "score", known)
        case None:
            best = "highest" if lines else None
        case node:
            found = elaborate.single(world, Scope(), node)
            if isinstance(found.type, t.Collection):
                if not isinstance(t.bare(found.type.element), t.Player | t.Unknown):
                    mismatch(world, node.span, t.Player(), found.type)
            else:
                found = fit(world, found, t.Optional(t.Player()))
            winner = found
    returns = None
    if decl.returns is not None:
        scope = scope_of(world, decl.returns.signature, register, fractions=True)
        # In `returns`, `winner` is who has won: the only one, or none.
        span = decl.returns.at.span
        won = m.BuiltinCall(t.Optional(t.Player()), span, "winner", "", ())
        if "winner" not in world.declared:
            scope = scope.with_names(winner=won)
        body = branching.function_body(world, scope, decl.returns)
        if not isinstance(t.bare(body.type), t.Int | t.Fraction | t.Unknown):
            mismatch(world, body.span, t.ANY_INT, body.type)
        returns = body
    return m.Scoring(register, tuple(lines), ties, out, decl.equal, best, winner, returns)

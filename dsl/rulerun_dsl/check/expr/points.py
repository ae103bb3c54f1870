"""`points(p)` and `points.LINE(p)`: what `scoring` says of a player, asked by other rules.

Assumes: the lines of `points:` as the outline has them; no declaration bears that name.
Does: makes functions of the lines, and of their sum, when something first asks for them.
Leaves behind: calls of functions. Lines may ask for other lines, since functions may ask for
functions, but not in a circle.
"""

from __future__ import annotations

import re
from functools import reduce

from rulerun_dsl import model as m
from rulerun_dsl.check.env.typing import unknown
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import calling
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s

POINTS = "points"


def is_meant(world: World, scope: Scope, name: str) -> bool:
    """Whether a name is that of the points, and of nothing that the file declares."""
    return name == POINTS and name not in world.declared and name not in scope.names


def total(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`points(p)`: the sum of the lines."""
    functions = _functions(world)
    if not functions:
        no_points(world, node.span)
        return unknown(node.span)
    return calling.user_call(world, scope, node, functions[None])


def line(world: World, scope: Scope, node: s.RuleCall) -> m.Expression:
    """`points.cards(p)`: one line of `points` by its name, with `_` for what is no letter."""
    functions = _functions(world)
    if not functions:
        no_points(world, node.span)
        return unknown(node.span)
    if node.name not in functions:
        named = [label for label in functions if label]
        world.unknown(node.name, node.span, f"line of the {POINTS}", named)
        return unknown(node.span)
    made = functions[node.name]
    call = s.Call(node.span, made.at.name, node.span, node.arguments)
    return calling.user_call(world, scope, call, made)


def no_points(world: World, span: Span, name: str = POINTS) -> None:
    """Report that the points are asked for and there are none."""
    world.report(
        "RR0402",
        f"nothing says what `{name}` are",
        span,
        help="write `points: …` above it, or name a variable or function of a player",
    )


Functions = dict[str | None, declarations.FunctionDecl]
"""The lines by their labels, and under None all of them."""


def _functions(world: World) -> Functions:
    """The lines as functions; a label that several lines have is the sum of these."""

    def make() -> Functions:
        labelled: dict[str, list[declarations.ScoringLine]] = {}
        for each in world.outline.scoring.points:
            # A label is what people read; in an expression a word stands for it.
            labelled.setdefault(re.sub(r"\W+", "_", each.label), []).append(each)
        found: Functions = {}
        for label, lines in labelled.items():
            parts = [label]
            if len(lines) > 1:
                # No author can write such a label in a call.
                parts = [f"{label} {number}" for number in range(1, len(lines) + 1)]
                found[label] = _sum_of(label, lines[0].signature, parts)
            for part, each in zip(parts, lines, strict=True):
                found[part] = _declared(part, each.signature, each.value)
        if list(labelled) == [""]:
            found[None] = found[""]
        elif labelled:
            first = world.outline.scoring.points[0]
            found[None] = _sum_of(None, first.signature, list(labelled))
        return found

    nothing: Functions = {}
    return world.fact("lines", POINTS, make, nothing)


def _declared(
    label: str | None, signature: s.Signature, value: s.Expression
) -> declarations.FunctionDecl:
    """A function that no author wrote, at the place of what says its value."""
    name = f"{POINTS}.{label}" if label else POINTS if label is None else f"one line of {POINTS}"
    at = declarations.Source(name, value.span, (), None, None, None)
    return declarations.FunctionDecl(at, signature, value, None, ())


def _sum_of(
    label: str | None, signature: s.Signature, lines: list[str]
) -> declarations.FunctionDecl:
    """The sum of lines, each asked of the one player whom the sum is asked of."""
    span = signature.span
    asked: tuple[s.Expression, ...] = tuple(
        s.You(span) if each.name == "you" else s.Name(span, each.name)
        for each in signature.parameters
    )
    points = s.Name(span, POINTS)
    terms: list[s.Expression] = [
        s.RuleCall(span, points, each, asked or (s.You(span),)) for each in lines
    ]
    summed = reduce(lambda left, right: s.Binary(span, "+", left, right), terms)
    return _declared(label, signature, summed)

"""Calls inside expressions: declared functions, rule slots that are values, the library."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds
from rulerun_dsl.check.env.substituting import put_arguments
from rulerun_dsl.check.env.typing import (
    describe,
    mismatch,
    shorten,
    unknown,
    within,
)
from rulerun_dsl.check.env.wording import named, several
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import branching, elaborate, library, points, sites
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def call(world: World, scope: Scope, node: s.Call) -> m.Expression:
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
        message = f"`{node.name}` is a table: write `{node.name}[…]`"
        inner = node.span.text[len(node.name) :].strip()
        fixes = rewrite(node.span, f"{node.name}[{inner[1:-1]}]", safe=True)
        world.report("RR0409", message, node.name_span, fixes=fixes if inner[:1] == "(" else ())
        return unknown(node.span)
    if word == "board":
        return sites.site_at(world, scope, node)
    if points.is_meant(world, scope, node.name):
        return points.total(world, scope, node)
    return library.call(world, scope, node)


def user_call(
    world: World, scope: Scope, node: s.Call, decl: declarations.FunctionDecl | None = None
) -> m.Expression:
    """A call of a declared function; `you` is passed on where it is needed."""
    world.used.add(node.name)
    world.here = node.span
    made = branching.function_facts(world, node.name, decl)
    if made is None:
        return unknown(node.span)
    types = [type_ for _, type_, _ in made.parameters]
    add_you = made.needs_you and len(node.arguments) < len(types)
    found = _arguments(world, scope, node, types, add_you, made.decl.signature.span.text)
    if found is None:
        return unknown(node.span)
    return m.FunctionCall(made.result or t.Unknown(), node.span, made.index, found)


def _arguments(
    world: World, scope: Scope, call: s.Call, types: Sequence[t.Type], add_you: bool, declared: str
) -> tuple[m.Expression, ...] | None:
    """The arguments of a call, `you` before them if it is to be added; None: that is reported."""
    found = []
    if add_you:
        found.append(elaborate.you(world, scope, call.span))
        types = types[1:]
    if len(call.arguments) != len(types):
        world.report(
            "RR0502",
            f"`{call.name}` takes {several(len(types))}, not {len(call.arguments)}",
            call.span,
            help=f"it is declared as `{declared}`",
            fixes=() if types else rewrite(call.span, f"{call.name}()", safe=False),
        )
        return None
    for argument, type_ in zip(call.arguments, types, strict=True):
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{call.name}` takes values, not a filter", argument.span)
            return None
        found.append(within(elaborate.check(world, scope, argument, type_), type_))
    return tuple(found)


def after(
    world: World,
    scope: Scope,
    value: s.Expression,
    called: s.Expression,
    span: Span,
    expected: t.Type | None,
) -> m.Expression:
    """`value after PROC(…)`: the value that it would have, had the procedure run."""
    found = elaborate.single(world, scope, value, expected)
    word = world.declared.get(called.name, ("", None))[0] if isinstance(called, s.Call) else ""
    if not isinstance(called, s.Call) or word != "procedure":
        what = f"`{shorten(called.span.text)}` is no call of a procedure"
        if word:
            what = f"`{shorten(called.span.text)}` is {named(word)}, not a procedure"
        world.report(
            "RR0409", what, called.span, help="write `… after PROCEDURE(…)`, with parentheses"
        )
        return unknown(span)
    if isinstance(found.type, t.Collection | t.Zone | t.Order | t.Multiset | t.Component):
        world.report(
            "RR0501",
            f"`{shorten(value.span.text)}` is {describe(world, found.type)}: what lies where is "
            "no value to take out of a position that is not there",
            value.span,
            help="ask for a number, a condition, a player, a site or a row: `count(…) after …`",
        )
        return unknown(span)
    if world.suppose is None or scope.visibility:
        world.report("RR0504", "nothing can be supposed here: only rules can", span)
        return unknown(span)
    world.used.add(called.name)
    world.note(called.name_span, called.name)
    world.here = called.span
    made = world.suppose(called.name, called.span)
    if made is None:
        return unknown(span)
    types = [parameter.type for parameter in made.parameters]
    add_you = made.needs_you and (len(called.arguments) < len(types) or not made.explicit_you)
    arguments = _arguments(world, scope, called, types, add_you, made.declared)
    if arguments is None:
        return unknown(span)
    offsets = [parameter.offset for parameter in made.parameters]
    given_to = dict(zip(offsets, arguments, strict=True))
    does = tuple(put_arguments(each, given_to) for each in made.does)
    return m.After(found.type, span, called.name, arguments, found, does)


def rule_call(world: World, scope: Scope, node: s.RuleCall) -> m.Expression:
    """`card.needs(…)`: a value slot of a component's row or of a row, or a line of the points."""
    if isinstance(node.base, s.Name) and points.is_meant(world, scope, node.base.text):
        return points.line(world, scope, node)
    base = elaborate.single(world, scope, node.base)
    inner = t.bare(base.type)
    if not isinstance(inner, t.Component | t.Row):
        if not isinstance(inner, t.Unknown):
            mismatch(world, node.base.span, t.Component("kind"), base.type)
        return unknown(node.span)
    made = component_kinds.kind(world, inner.kind)
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
    return branching.slot_call(world, scope, base, inner, slot, node)

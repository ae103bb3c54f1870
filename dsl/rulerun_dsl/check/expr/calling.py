"""Calls inside expressions: declared functions, rule slots that are values, the library."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds
from rulerun_dsl.check.env.typing import (
    mismatch,
    unknown,
    within,
)
from rulerun_dsl.check.env.world import World, several
from rulerun_dsl.check.expr import branching, elaborate, library, sites
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
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
        world.report("RR0409", f"`{node.name}` is a table: write `{node.name}[…]`", node.name_span)
        return unknown(node.span)
    if word == "board":
        return sites.site_at(world, scope, node)
    return library.call(world, scope, node)


def user_call(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """A call of a declared function; `you` is passed on where it is needed."""
    world.used.add(node.name)
    world.here = node.span
    made = branching.function_facts(world, node.name)
    if made is None:
        return unknown(node.span)
    arguments = list(node.arguments)
    wanted = list(made.parameters)
    found: list[m.Expression] = []
    if made.needs_you and len(arguments) < len(wanted):
        found.append(elaborate.you(world, scope, node.span))
        wanted = wanted[1:]
    if len(arguments) != len(wanted):
        world.report(
            "RR0502",
            f"`{node.name}` takes {several(len(wanted))}, not {len(arguments)}",
            node.span,
            help=f"it is declared as `{made.decl.signature.span.text}`",
        )
        return unknown(node.span)
    for argument, (_, type_, _) in zip(arguments, wanted, strict=True):
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{node.name}` takes values, not a filter", argument.span)
            return unknown(node.span)
        found.append(within(elaborate.check(world, scope, argument, type_), type_))
    return m.FunctionCall(made.result or t.Unknown(), node.span, made.index, tuple(found))


def rule_call(world: World, scope: Scope, node: s.RuleCall) -> m.Expression:
    """`card.needs(…)`: an expression slot of the component's row."""
    base = elaborate.single(world, scope, node.base)
    inner = t.inner(base.type)
    if not isinstance(inner, t.Component):
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
    return branching.slot_call(world, scope, base, inner.kind, slot, node)

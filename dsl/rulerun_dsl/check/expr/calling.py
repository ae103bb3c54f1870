"""Calls inside expressions: declared functions, rule slots that are values, the library."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, facts
from rulerun_dsl.check.env.typing import (
    mismatch,
    unknown,
    within,
)
from rulerun_dsl.check.env.world import FunctionFacts, World, several
from rulerun_dsl.check.expr import branching, elaborate, library, quantifiers, sites
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def call(
    world: World, scope: elaborate.Scope, node: s.Call, expected: t.Type | None
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
        world.report("RR0409", f"`{node.name}` is a table: write `{node.name}[…]`", node.name_span)
        return unknown(node.span)
    if word == "board":
        return sites.site_at(world, scope, node)
    return library.call(world, scope, node, expected)


def function_facts(world: World, name_: str) -> FunctionFacts | None:
    """The facts of a function, its body checked; None if it depends on itself or leads too deep."""
    decl: declarations.FunctionDecl = world.by_kind["function"][name_]  # type: ignore[assignment]

    def declare() -> FunctionFacts:
        parameters = []
        quantifiers.check_parameters(world, decl.signature)
        for parameter in decl.signature.parameters:
            type_: t.Scalar = t.Unknown()
            if parameter.type is not None:
                type_ = facts.type_of(world, parameter.type)
            elif parameter.name == "you":
                type_ = t.Player()
            else:
                world.report(
                    "RR0407", f"the parameter `{parameter.name}` has no type", parameter.span
                )
            parameters.append((parameter.name, type_, world.register()))
        explicit = bool(parameters) and parameters[0][0] == "you"
        made = FunctionFacts(
            decl,
            len(world.functions),
            tuple(parameters),
            explicit,
            explicit,
        )
        world.functions.append(made)
        return made

    made = world.fact("function", name_, declare, None)
    if made is None:
        return None

    def body() -> bool:
        names: dict[str, m.Expression] = {
            each: m.Register(type_, decl.at.span, register)
            for each, type_, register in made.parameters
        }
        implicit = world.register()
        you_node = names.pop("you", m.Register(t.Player(), decl.at.span, implicit))
        scope = elaborate.Scope(names, you_node, original=world.originals.get(name_))
        made.body = branching.function_body(world, scope, decl)
        made.result = made.body.type
        if scope.asked[0] and not made.explicit_you:
            made.needs_you = True
            made.parameters = (("you", t.Player(), implicit), *made.parameters)
        return True

    # In a circle, or where it would lead too deep, it is a function of nothing (as was reported):
    # no walk of its body may come back to where it began.
    return made if world.fact("function body", name_, body, False) else None


def user_call(world: World, scope: elaborate.Scope, node: s.Call) -> m.Expression:
    """A call of a declared function; `you` is passed on where it is needed."""
    world.used.add(node.name)
    world.here = node.span
    made = function_facts(world, node.name)
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


def rule_call(world: World, scope: elaborate.Scope, node: s.RuleCall) -> m.Expression:
    """`card.needs(…)`: an expression slot of the component's row."""
    base = elaborate.scalar(world, elaborate.raw(world, scope, node.base))
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

"""The game itself: set-up, then the phases."""

from __future__ import annotations

import dataclasses

from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.stmt import loops, tree
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations


def game(rules: RuleChecker) -> tree.Routine:
    """Check set-up and phases as the routine named ``."""
    world = rules.world
    outline = world.outline
    routine = rules.declare("", outline.span, ())
    rules.routine = routine
    context = Context(Scope())
    routine.visible = None
    steps: list[tree.Node] = [rules.block(outline.setup, context, outline.span)]
    for decl in outline.phases:
        steps.append(phase(rules, decl, context, ()))
    routine.body = tree.Block(outline.span, tuple(steps), ())
    rules.routine = None
    return routine


def only(
    rules: RuleChecker, setup: declarations.Block, phases: tuple[declarations.PhaseDecl, ...]
) -> None:
    """Check some of the set-up, and some phases."""
    rules.routine = rules.declare("", rules.world.outline.span, ())
    rules.block(setup, Context(Scope()), rules.world.outline.span)
    for decl in phases:
        phase(rules, decl, Context(Scope()), ())
    rules.routine = None


def phase(
    rules: RuleChecker, decl: declarations.PhaseDecl, context: Context, path: tuple[str, ...]
) -> tree.Node:
    """Check a phase: what is in it, round it how often."""
    world, span = rules.world, decl.at.span
    assert rules.routine is not None
    rules.routine.visible = decl.at.visible
    here = (*path, decl.at.name)

    def inside(inner: Context) -> tree.Node:
        if decl.phases:
            found = tuple(phase(rules, each, inner, here) for each in decl.phases)
            return tree.Block(span, found, ())
        return rules.block(decl.body, inner, span)

    scope = context.scope
    until = None
    if decl.until is not None and decl.turns is None:
        until = elaborate.condition(world, scope, decl.until)
    node: tree.Node
    if decl.turns is not None:
        node = loops.turns(rules, decl.turns, decl.until, inside, context, span, player=False)
    elif decl.loops is not None:
        node = loops.loops(rules, decl.loops.items, inside, context, decl.loops.span)
        if until is not None:
            assert isinstance(node, tree.Loop)
            node = dataclasses.replace(node, until=until)
    elif until is not None:
        node = tree.Until(span, until, inside(context))
    elif decl.repeat is not None:
        count = elaborate.check(world, scope, decl.repeat, t.ANY_INT)
        node = tree.Repeat(span, rules.slot(), count, inside(context))
    else:
        node = inside(context)
    made: tree.Node = tree.Phase(span, decl.at.name, here, node)
    for condition in (decl.condition, decl.at.when if not path else None):
        if condition is not None:
            test = elaborate.condition(world, scope, condition)
            made = tree.If(span, test, made, None)
    return made

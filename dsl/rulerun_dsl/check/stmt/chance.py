"""Statements in which luck decides: `roll` and `pick … at random`.

Assumes: statements as they were parsed, and the names in scope.
Does: checks what is rolled or picked, and that its outcomes can be gone through; the outcome is a
register in the weight and the condition.
Leaves behind: leaves with `Roll` and `Pick`.
"""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.typing import (
    element,
    join,
    mismatch,
    same_place,
    sure_members,
)
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, undeclared
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.stmt import targets, tree
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.traversal import with_parts
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt


def chance(rules: RuleChecker, node: stmt.Roll | stmt.Pick, context: Context) -> tree.Node:
    """`roll`, `pick … at random`."""
    place = targets.target_of(rules, node.place, context)
    if place is None:
        if isinstance(node, stmt.Pick):
            mark = len(rules.world.diagnostics)
            source = elaborate.collection(rules.world, context.scope, node.source)
            rules.world.forget(mark, node.source.span)
            undeclared.tell(rules.world, context.scope, node.place, element(source.type))
        else:
            undeclared.tell(rules.world, context.scope, node.place, is_rolled=True)
        return tree.Block(node.span, (), ())
    target, type_, _ = place
    if isinstance(node, stmt.Roll):
        return _roll(rules, node, context.scope, target, type_)
    return _pick(rules, node, context.scope, target, type_)


def _roll(
    rules: RuleChecker, node: stmt.Roll, scope: Scope, target: m.Target, type_: t.Type
) -> tree.Node:
    world, span = rules.world, node.span
    nothing = tree.Block(span, (), ())
    register = world.register()
    outcome = m.Register(type_, node.place.span, register)
    inside = outcome_scope(scope, node.place, outcome)
    weight = until = None
    if node.weight is not None:
        weight = elaborate.check(world, inside, node.weight, t.ANY_INT)
    if node.until is not None:
        until = elaborate.condition(world, inside, node.until)
    if isinstance(type_, t.Component | t.Order | t.SetOf | t.Unknown):
        if not isinstance(type_, t.Unknown):
            mismatch(world, node.place.span, t.Int(1, 6), type_)
        return nothing
    if too_many_outcomes(world, type_, node.place.span):
        return nothing
    # The outcome is the register in weight and condition, wherever the variable is named.
    weight = replace_target(weight, target, outcome) if weight is not None else None
    until = replace_target(until, target, outcome) if until is not None else None
    return tree.Leaf(span, m.Roll(span, target, register, weight, until))


def _pick(
    rules: RuleChecker, node: stmt.Pick, scope: Scope, target: m.Target, type_: t.Type
) -> tree.Node:
    world, span = rules.world, node.span
    register = world.register()
    source = elaborate.collection(world, scope, node.source)
    if not isinstance(type_, t.Optional):
        source = sure_members(world, source)
    item = element(source.type)
    if isinstance(source, m.Values) and too_many_outcomes(world, item, node.source.span):
        return tree.Block(span, (), ())
    if isinstance(target, m.Local) and target.offset in rules.inferred:
        rules.assigned[target.offset].append(item)
    elif join(t.bare(type_), item) is None:  # type: ignore[arg-type]
        mismatch(world, node.source.span, type_, source.type)
    outcome = m.Register(item, node.place.span, register)
    inside = outcome_scope(scope, node.place, outcome)
    test = weight = None
    if node.condition is not None:
        test = replace_target(elaborate.condition(world, inside, node.condition), target, outcome)
    if node.weight is not None:
        weight = replace_target(
            elaborate.check(world, inside, node.weight, t.ANY_INT), target, outcome
        )
    return tree.Leaf(span, m.Pick(span, target, register, source, test, weight))


MOST_OUTCOMES = 100_000
"""The most outcomes of one piece of luck."""


def too_many_outcomes(world: World, type_: t.Type, span: Span) -> bool:
    """Report luck of more outcomes than can be gone through."""
    many = 0 if isinstance(type_, t.Unknown) else facts.size(world, type_)
    if many > MOST_OUTCOMES:
        world.report(
            "RR0517",
            f"this has {many} outcomes: at most {MOST_OUTCOMES} are allowed",
            span,
            help="narrow the range, or roll its digits one by one",
        )
    return many > MOST_OUTCOMES


def outcome_scope(scope: Scope, place: s.Expression, outcome: m.Register) -> Scope:
    """In a weight or condition the rolled name is the outcome."""
    if isinstance(place, s.Name):
        return scope.with_names(**{place.text: outcome})
    return scope


def replace_target(node: m.Expression, target: m.Target, outcome: m.Register) -> m.Expression:
    """Read the outcome wherever the target itself is read (`roll d.face until d.face != 1`)."""
    if type(node) is type(target) and same_place(node, target):
        return dataclasses.replace(outcome, type=node.type, span=node.span)
    return with_parts(node, lambda part: replace_target(part, target, outcome))

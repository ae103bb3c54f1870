"""What changes a history: `remember seen`, `reset seen`.

Both are stores into the family that keeps it, so that no executor and no analysis needs to know
more of histories. A position is written behind those that are there, and the count, which says
that it is, last. What was forgotten is written over with zeros: states with the same history
are equal.
"""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.records import VariableFacts
from rulerun_dsl.check.expr import histories
from rulerun_dsl.check.stmt import tree
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.check.stmt.targets import check_only
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def remember(rules: RuleChecker, place: s.Expression, context: Context, span: Span) -> tree.Node:
    """`remember seen`: one position more; more than it holds is a rule error."""
    world = rules.world
    name = histories.wanted(world, context.scope, place, "remember")
    if name is None:
        return tree.Block(span, (), ())
    variable = _written(rules, name, span)
    if isinstance(variable.type, t.Unknown):
        return tree.Block(span, (), ())
    rows, columns = variable.indexes
    # What is remembered is written, not asked.
    was_used = name in world.used
    many = histories.count(world, name, span)
    if not was_used:
        world.used.discard(name)
    row = rules.local(f"count({name})", rows, span)
    assert isinstance(rows, t.Int)
    one = m.Literal(t.Int(1, 1), span, 1)
    more = m.Arithmetic(t.Int(1, rows.high + 1), span, "+", many, one)
    steps = [m.Store(span, row, "=", more)]
    for at, function in enumerate(histories.position(world, name)):
        target = m.Variable(t.ANY_INT, span, name, (row, m.Literal(columns, span, at)))
        steps.append(m.Store(span, target, "=", m.FunctionCall(t.ANY_INT, span, function, ())))
    steps.append(m.Store(span, _first(variable.indexes, name, span), "=", row))
    return tree.Block(span, tuple(tree.Leaf(span, each) for each in steps), (row.offset,))


def forget(rules: RuleChecker, name: str, span: Span) -> tree.Node:
    """`reset seen`: no position is remembered."""
    variable = _written(rules, name, span)
    if isinstance(variable.type, t.Unknown):
        return tree.Block(span, (), ())
    rows, _ = variable.indexes
    zero = m.Literal(t.Int(0, 0), span, 0)
    first = _first(variable.indexes, name, span)
    source = m.Values(t.Collection(rows, True), span, m.Literal(t.Int(1, 1), span, 1), first)
    row = rules.local(f"count({name})", rows, span)
    plan = m.Loop("values", row, rules.slot(), rules.slot(), rules.slot(), source, None)
    whole = m.Variable(t.ANY_INT, span, name, (row, None))
    clear = tree.Loop(span, plan, None, tree.Leaf(span, m.Store(span, whole, "=", zero)))
    return tree.Block(span, (clear, tree.Leaf(span, m.Store(span, first, "=", zero))), ())


def _written(rules: RuleChecker, name: str, span: Span) -> VariableFacts:
    """Note that a history changes."""
    rules.written.add(name)
    variable = facts.variable(rules.world, name)
    check_only(rules, variable.decl, span)
    return variable


def _first(indexes: tuple[t.Scalar, ...], name: str, span: Span) -> m.Variable:
    """Where it stands how many positions there are."""
    zero = m.Literal(t.Int(0, 0), span, 0)
    return m.Variable(indexes[0], span, name, (zero, zero))

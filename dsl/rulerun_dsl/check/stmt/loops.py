"""Loops: `for`, `turns`, and `together`, in which each player has a part."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial, reduce

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, facts
from rulerun_dsl.check.env.typing import element, fit, mismatch, sure_members
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import collections, elaborate, scopes, subsets
from rulerun_dsl.check.stmt import tree
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker, Turn
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s

MOST_WORDS = 16
"""A set of more words is kept in one slot, and its game played without machine code: each word asks
for the members anew."""
Body = Callable[[Context], tree.Node]
"""Checks what is inside a loop, where the names that it binds are known."""


def loops(
    rules: RuleChecker,
    clauses: tuple[s.ForClause, ...],
    body: Body,
    context: Context,
    span: Span,
) -> tree.Node:
    """`for x in S if c for y in T if d`: a loop in a loop, each with its condition."""
    clause = clauses[0]
    if clause.every:
        return _fixed(rules, clauses, body, context, span)
    source = _ranged(rules, clause, context)
    return _over(rules, source, clauses, body, context, span)


def _ranged(rules: RuleChecker, clause: s.ForClause, context: Context) -> m.Expression:
    """What a clause goes through; with `while`, the members before the first other."""
    given = clause.name, clause.span, clause.source, clause.so_long
    return collections.ranged(rules.world, context.scope, *given)


def _fixed(
    rules: RuleChecker,
    clauses: tuple[s.ForClause, ...],
    body: Body,
    context: Context,
    span: Span,
) -> tree.Node:
    """`for: every x in S`: the members are kept in a set before the first pass.

    Each slot holds as many as a word does: the members of a large type are kept in several, unless
    they were too many.
    """
    world, clause = rules.world, clauses[0]
    found = _ranged(rules, clause, context)
    inside = t.bare(element(found.type))
    assert not isinstance(inside, t.Collection | t.Zone)
    if isinstance(inside, t.SetOf) and not subsets.may_be_in_a_set(
        world, inside, clause.source.span
    ):
        return tree.Block(span, (), ())
    if isinstance(inside, t.Component) and component_kinds.kind(world, inside.kind).counted:
        world.report(
            "RR0509",
            f"copies of `{inside.kind}` cannot be told apart: there is no keeping which they were",
            clause.span,
            help=f"leave `every` out: as many are gone through as `{clause.source.span.text}` "
            "holds when the loop comes to them",
        )
        return tree.Block(span, (), ())
    many = facts.size(world, inside)
    several = t.WORD < many <= MOST_WORDS * t.WORD
    parts: Sequence[int | None] = range(-(-many // t.WORD)) if several else [None]
    steps: list[tree.Node] = []
    words: list[m.Local] = []
    sources: list[m.Expression] = []
    for part in parts:
        type_ = t.SetOf(inside, part)
        kept = rules.local(f"every {clause.name}", type_, clause.span)
        store = m.Store(clause.span, kept, "=", fit(world, found, type_))
        steps.append(tree.Leaf(clause.span, store))
        words.append(kept)
        sources.append(m.Unpacked(t.Collection(inside, True), clause.source.span, kept))
    whole = reduce(partial(m.Joined, sources[0].type, clause.source.span), sources)
    steps.append(_over(rules, whole, clauses, body, context, span))
    return tree.Block(span, tuple(steps), tuple(kept.offset for kept in words))


def only_in_loops(world: World, binders: s.Binders) -> None:
    """Report `every` where nothing is gone through."""
    for binder in binders.items:
        if binder.every:
            world.report(
                "RR0509",
                "`every` is for loops: here the members are asked for only once",
                binder.span,
                help=f"write `{binder.name} in {binder.source.span.text}`",
                fixes=rewrite(binder.span, f"{binder.name} in {binder.source.span.text}", safe=True)
                if binder.span.text.startswith("every ")
                else (),
            )


def _over(
    rules: RuleChecker,
    source: m.Expression,
    clauses: tuple[s.ForClause, ...],
    body: Body,
    context: Context,
    span: Span,
) -> tree.Node:
    """A loop over a collection, and those inside it."""
    clause, *more = clauses
    mode = loop_mode(rules.world, source)
    if mode == "counted":
        source = sure_members(rules.world, source)
    inside = element(source.type)
    scopes.check_hides(rules.world, context.scope, clause.name, clause.span)
    variable = rules.local(clause.name, inside, clause.span)
    if clause.name == "you":
        inner = dataclasses.replace(context.binding_you(variable), decider=variable)
    else:
        inner = context.naming(**{clause.name: variable})
    test = None
    if clause.condition is not None:
        test = elaborate.condition(rules.world, inner.scope, clause.condition)
    plan = m.Loop(mode, variable, rules.slot(), rules.slot(), rules.slot(), source, test)
    if more:
        node = loops(rules, tuple(more), body, inner, span)
    else:
        node = body(inner)
    return tree.Loop(span, plan, None, node)


def _bound(
    rules: RuleChecker, binder: s.Binder, context: Context, player: bool
) -> tuple[m.Expression, m.Local, Context]:
    """Bind who decides inside, a `player` or a member of anything: all, the one, what is known."""
    world = rules.world
    source = sure_members(world, elaborate.collection(world, context.scope, binder.source))
    inside = element(source.type)
    if player and not isinstance(inside, t.Player | t.Unknown):
        mismatch(world, binder.source.span, t.Player(), source.type)
    scopes.check_hides(world, context.scope, binder.name, binder.name_span)
    variable = rules.local(binder.name, t.Player() if player else inside, binder.span)
    return source, variable, context.asking(binder.name, variable)


def turns(
    rules: RuleChecker,
    binders: s.Binders,
    until: s.Expression | None,
    body: Body,
    context: Context,
    span: Span,
    player: bool = True,
) -> tree.Node:
    """`turns: p in players if …`: round the table for ever."""
    only_in_loops(rules.world, binders)
    source, variable, inner = _bound(rules, binders.items[0], context, player)
    test = None
    if binders.condition is not None:
        test = elaborate.condition(rules.world, inner.scope, binders.condition)
    ends = elaborate.condition(rules.world, context.scope, until) if until is not None else None
    plan = m.Loop("turns", variable, rules.slot(), rules.slot(), rules.slot(), source, test)
    turn = Turn()
    node = body(dataclasses.replace(inner, turn=turn))
    if turn.again is not None:
        node = _while_again(turn.again, node, ends, test, span)
    return tree.Loop(span, plan, ends, node)


def _while_again(
    again: m.Local,
    body: tree.Node,
    until: m.Expression | None,
    test: m.Expression | None,
    span: Span,
) -> tree.Node:
    """A turn that is taken again as long as some `again` says so, and the loop still gives it."""

    def store(value: int) -> tree.Node:
        return tree.Leaf(span, m.Store(span, again, "=", m.Literal(t.Bool(), span, value)))

    over: list[m.Expression] = [m.Not(t.Bool(), span, again)]
    if until is not None:
        over.append(until)
    if test is not None:
        over.append(m.Not(t.Bool(), test.span, test))
    whole = over[0] if len(over) == 1 else m.Or(t.Bool(), span, tuple(over))
    once = tree.Block(body.span, (store(0), body), ())
    return tree.Block(span, (store(1), tree.Until(span, whole, once)), (again.offset,))


def again(
    rules: RuleChecker, condition: s.Expression | None, context: Context, span: Span
) -> list[tree.Node]:
    """`again`, `again if c`: whoever has the turn has the next one too."""
    test = None
    if condition is not None:
        test = elaborate.condition(rules.world, context.scope, condition)
    turn = context.turn
    if turn is None:
        inside = "a `together`" if context.together else "what a procedure or another loop does"
        rules.world.report(
            "RR0705",
            "`again` stands where no turn is taken",
            span,
            help="it is for the `do:` of a `turns:` itself; "
            f"in {inside} set a variable, and write `again if …` in the `turns:`",
        )
        return []
    if turn.again is None:
        turn.again = rules.local("again", t.Bool(), span)
    value: m.Expression = m.Literal(t.Bool(), span, 1)
    if test is not None:
        # Not behind an `if`: so what it tells is followed like the value of any variable.
        value = m.Or(t.Bool(), span, (turn.again, test))
    return [tree.Leaf(span, m.Store(span, turn.again, "=", value))]


def together(
    rules: RuleChecker, binders: s.Binders, body: declarations.Block, context: Context, span: Span
) -> tree.Node:
    """`together: p in players`: each in secret."""
    world = rules.world
    if context.together:
        world.report("RR0607", "a `together` cannot stand inside another", span)
    only_in_loops(world, binders)
    binder = binders.items[0]
    source, variable, inner = _bound(rules, binder, context, True)
    inner = dataclasses.replace(inner, together=True, turn=None)
    if binders.condition is not None:
        register = world.register()
        item = m.Register(t.Player(), binder.span, register)
        scope = (
            dataclasses.replace(context.scope, you=item, asked=[False])
            if binder.name == "you"
            else context.scope.with_names(**{binder.name: item})
        )
        test = elaborate.condition(world, scope, binders.condition)
        source = m.Quantifier(
            t.Collection(t.Player(), True),
            span,
            "those",
            (m.Clause(register, source, test),),
            item,
            (),
            None,
        )
    return tree.Together(span, source, variable, rules.block(body, inner, span))


def loop_mode(world: World, source: m.Expression) -> str:
    """How a loop over a collection keeps its place."""
    match source:
        case m.Clockwise() | m.Listed():
            return "sequence"
        case _ if _ascends(source):
            return "values"
        case m.BuiltinCall(word=word) if LIBRARY[word].reorders:
            return "sequence"
        case m.Unpacked(operand=operand) if isinstance(operand.type, t.Order):
            return "sequence"
    inside = t.bare(element(source.type))
    if elaborate.is_ordered(world, source) and not (
        isinstance(source, m.Members) and source.type.one  # type: ignore[union-attr]
    ):
        return "positions" if isinstance(inside, t.Component) else "sequence"
    if isinstance(inside, t.Component) and component_kinds.kind(world, inside.kind).counted:
        return "counted"
    return "values"


def _ascends(source: m.Expression) -> bool:
    """Whether members are values in their own order, which is the order of the cursor too."""
    match source:
        case m.Values():
            return True
        case m.Unpacked(operand=operand):
            return isinstance(operand.type, t.SetOf)
        case m.Quantifier(word="those", clauses=(clause,), value=m.Register(index=index)):
            return index == clause.register and _ascends(clause.source)
        case _:
            return False

"""What rules do: blocks, loops, moves and calls, checked into trees.

Assumes: declarations (`world`) and expressions.
Does: types every statement: looks at what it is, and hands it to the module that checks such
statements. Procedures are checked one after another.
Leaves behind: `Routine`s with their trees, and the calls between them, for `flow` and `generate`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from rulerun_dsl import model as m
from rulerun_dsl.check.env.recorder import word_in
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import branching, elaborate, histories
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.stmt import (
    assignments,
    calls,
    chance,
    choices,
    hooks,
    loops,
    moves,
    narrowing,
    phases,
    remembering,
    row_rules,
    supposing,
    tree,
)
from rulerun_dsl.check.stmt.rule_checker import Context, Items, RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt

MOST_LOCALS = 200
"""The most locals that may be seen in one place."""


def rule_checker(world: World) -> RuleChecker:
    """What checks the rules of one world, of all kinds of statements."""
    rules = RuleChecker(world, rest, body)
    world.suppose = lambda name, span: supposing.supposed_facts(rules, name, span)
    return rules


def finish(rules: RuleChecker) -> None:
    """Check the bodies of what was called, and of what was not."""
    hooks.idle(rules)
    for name in rules.world.by_kind["procedure"]:
        rules.procedure(name)
    while rules.pending:
        body(rules, rules.routines[rules.pending.pop(0)])
    row_rules.check_this(rules)


def only(rules: RuleChecker, part: declarations.Outline) -> None:
    """Check the rules of a part of an outline, and no others."""
    if part.setup or part.phases:
        phases.only(rules, part.setup, part.phases)
    for procedure in part.procedures:
        if rules.world.by_kind["procedure"].get(procedure.at.name) is procedure:
            body(rules, rules.procedure(procedure.at.name))
    for hook in part.hooks:
        rules.world.note(word_in(hook.at.span, hook.at.name), hook.at.name)
        if hook.word != "replace" and hook.at.name in rules.world.by_kind["procedure"]:
            body(rules, hooks.hook_routine(rules, hook))
    for kind in part.kinds:
        for slot in kind.slots:
            if slot.type is None:
                parameters = rules.parameters(slot.signature)
                for name in row_rules.routines(rules, kind.at.name, slot, parameters):
                    if name is not None:
                        body(rules, rules.routines[name])
    for action in part.actions:
        routine = choices.action_routine(rules, action)
        outer, rules.routine = rules.routine, routine
        choices.action_line(rules, action, (), Context(Scope()), routine.you, action.at.span)
        rules.routine = outer
        body(rules, routine)


def body(rules: RuleChecker, routine: tree.Routine) -> None:
    """Check the body of a declared procedure."""
    assert routine.decl is not None
    if hooks.is_wrapped(rules, routine):
        hooks.wrap(rules, routine)
        return
    outer, rules.routine = rules.routine, routine
    names: dict[str, m.Expression] = {name: local for name, _, local in routine.parameters}
    scope = Scope(names, routine.you, names.pop("this", None))
    with rules.world.knowing(()):
        # What its caller knows, another caller does not.
        rules.world.proved = []
        routine.body = rules.block(routine.decl.body, Context(scope), routine.span)
    routine.needs_you = routine.needs_you or scope.asked[0]
    rules.routine = outer


# ----------------------------------------------------------------------------- blocks


def rest(
    rules: RuleChecker,
    items: Items,
    place: int,
    context: Context,
    slots: list[int],
) -> list[tree.Node]:
    """Check the statements from a place on: what one names and proves, those behind it know."""
    found: list[tree.Node] = []
    with rules.world.knowing(()):
        while place < len(items):
            item = items[place]
            place += 1
            if (
                isinstance(item, stmt.Let)
                and item.type is None
                and len(context.scope.names) < MOST_LOCALS
                and assigns(items[place:], item.name)
            ):
                return found + assignments.inferred_let(rules, item, items, place, context, slots)
            nodes, context = check_item(rules, item, context, slots)
            found.extend(nodes)
            narrowing.pass_on(rules, item, nodes)
            if isinstance(item, stmt.Let) and len(context.scope.names) > MOST_LOCALS:
                rules.world.report(
                    "RR0516",
                    f"there are more than {MOST_LOCALS} locals here",
                    item.span,
                    help="move a part into a procedure of its own",
                )
                break
    return found


def assigns(items: Sequence[object], name: str) -> bool:
    """Does one of the statements assign to a local (as far as the text tells)."""
    for item in items:
        if (
            isinstance(item, stmt.Assign)
            and isinstance(item.place, s.Name)
            and (item.place.text == name)
        ):
            return True
        if isinstance(item, stmt.Guarded | stmt.Repeated) and assigns((item.statement,), name):
            return True
        if isinstance(item, declarations.Line) and assigns(item.statements, name):
            return True
        if isinstance(item, declarations.BlockItem):
            for field_ in dataclasses.fields(item):
                value = getattr(item, field_.name)
                if isinstance(value, tuple) and assigns(value, name):
                    return True
        if isinstance(item, tuple) and assigns(item, name):
            return True
    return False


def check_item(
    rules: RuleChecker,
    item: stmt.Statement | declarations.BlockItem,
    context: Context,
    slots: list[int],
) -> tuple[list[tree.Node], Context]:
    """Check one statement; a `let` or `choose` leaves names for those after it."""
    if isinstance(item, stmt.Let):
        return assignments.let(rules, item, context, slots, None)
    if isinstance(item, declarations.Choose):
        # What is asked again is asked when its options have changed things.
        again = item.times is not None or bool(item.also)
        with narrowing.inside(rules, *((item,) if again else ())):
            return choices.choose(rules, item, context, slots)
    if isinstance(item, declarations.BlockItem):
        return [step(rules, item, context)], context
    return statement(rules, item, context), context


# -------------------------------------------------------------------- structured steps


def step(rules: RuleChecker, step: declarations.BlockItem, context: Context) -> tree.Node:
    """Check a structured statement."""
    world, span, scope = rules.world, step.span, context.scope
    match step:
        case declarations.Group(body=body):
            return rules.block(body, context, span)
        case declarations.If(condition=condition, then=then, alternative=alternative):
            test = elaborate.condition(world, scope, condition)
            other = None
            if alternative:
                with world.knowing(elaborate.proved(test, False)):
                    other = rules.block(alternative, context, span)
            with world.knowing(elaborate.proved(test, True)):
                taken = rules.block(then, context, span)
            return tree.If(span, test, taken, other)
        case declarations.Cases(cases=cases):
            node: tree.Node | None = None
            if branching.too_many_cases(world, len(cases), span):
                return tree.Block(span, (), ())
            pairs = []
            known: list[m.Expression] = []
            for key, body in cases:
                with world.knowing(known):
                    case = elaborate.condition(world, scope, key) if key is not None else None
                with world.knowing([*known, *(elaborate.proved(case, True) if case else ())]):
                    pairs.append((case, rules.block(body, context, span)))
                known += elaborate.proved(case, False) if case else []
            branching.check_else(
                world, None, set(), [(key, span_of(body, span)) for key, body in cases]
            )
            return branches(pairs) or tree.Block(span, (), ())
        case declarations.Match(subject=subject, cases=cases):
            if branching.too_many_cases(world, len(cases), span):
                return tree.Block(span, (), ())
            matched = branching.subject_of(world, scope, subject)
            covered: set[int | None] = set()
            pairs = [
                (
                    branching.matches(world, scope, matched, key, covered)
                    if key is not None
                    else None,
                    rules.block(body, context, span),
                )
                for key, body in cases
            ]
            branching.check_else(
                world,
                matched,
                covered,
                [(key, span_of(body, span)) for key, body in cases],
            )
            total = branching.is_total(world, matched, covered)
            if not total and not any(test is None for test, _ in pairs):
                world.report(
                    "RR0513",
                    f"`match: {shorten(subject.span.text)}` does not name every value",
                    span,
                    help="add the missing cases, or end with `else:`",
                )
            if total and pairs:
                # The last case is what is left.
                pairs[-1] = (None, pairs[-1][1])
            node = branches(pairs)
            return node or tree.Block(span, (), ())
        case declarations.For(loops=gone_through, body=body):
            with narrowing.inside(rules, body):
                return loops.loops(
                    rules,
                    gone_through.items,
                    lambda inner: rules.block(body, inner, span),
                    context,
                    gone_through.span,
                )
        case declarations.Turns(binders=binders, until=until, body=body):
            with narrowing.inside(rules, body):
                return loops.turns(
                    rules,
                    binders,
                    until,
                    lambda inner: rules.block(body, inner, span),
                    context,
                    span,
                )
        case declarations.Until(condition=condition, body=body):
            with narrowing.inside(rules, body):
                test = elaborate.condition(world, scope, condition)
                return tree.Until(span, test, rules.block(body, context, span))
        case declarations.Times(count=count, body=body):
            times = elaborate.check(world, scope, count, t.ANY_INT)
            offset = rules.slot()
            with narrowing.inside(rules, body):
                return tree.Repeat(span, offset, times, rules.block(body, context, span))
        case declarations.Together(binders=binders, body=body):
            with narrowing.inside(rules, body):
                return loops.together(rules, binders, body, context, span)
        case declarations.Say(text=text):
            return tree.Leaf(span, m.Say(span, elaborate.template(world, scope, text)))
    raise AssertionError(step)


def span_of(body: declarations.Block, otherwise: Span) -> Span:
    """Where a block begins."""
    return body[0].span if body else otherwise


def branches(pairs: list[tuple[m.Expression | None, tree.Node]]) -> tree.Node | None:
    """Cases from the top down as nested branches."""
    node: tree.Node | None = None
    for test, body in reversed(pairs):
        node = body if test is None else tree.If(body.span, test, body, node)
    return node


# -------------------------------------------------------------------- one-line statements


def statement(rules: RuleChecker, node: stmt.Statement, context: Context) -> list[tree.Node]:
    """Check a one-line statement."""
    world, scope, span = rules.world, context.scope, node.span
    match node:
        case stmt.Pass():
            return []
        case stmt.Guarded(statement=stmt.Again(), condition=condition):
            return loops.again(rules, condition, context, span)
        case stmt.Guarded(statement=inner, condition=condition):
            test = elaborate.condition(world, scope, condition)
            with world.knowing(elaborate.proved(test, True)):
                body = tree.Block(span, tuple(statement(rules, inner, context)), ())
            return [tree.If(span, test, body, None)]
        case stmt.Repeated(statement=inner, clauses=clauses):
            with narrowing.inside(rules, inner):
                return [
                    loops.loops(
                        rules,
                        clauses,
                        lambda inside: tree.Block(span, tuple(statement(rules, inner, inside)), ()),
                        context,
                        span,
                    )
                ]
        case stmt.Again():
            return loops.again(rules, None, context, span)
        case stmt.Stop(procedure=procedure):
            return [calls.stop(rules, procedure, span)]
        case stmt.Give(value=value):
            return [calls.give(rules, value, context, span)]
        case stmt.EndGame(winner=winner):
            who = None
            if winner is not None:
                who = elaborate.check(world, scope, winner, t.Optional(t.Player()))
            if context.together:
                world.report("RR0607", "the game cannot end inside a `together`", span)
            return [tree.Leaf(span, m.EndGame(span, who))]
        case stmt.Assign():
            return [assignments.assign(rules, node, context)]
        case stmt.Let():
            found, _ = assignments.let(rules, node, context, [], None)
            return found
        case stmt.Reset(place=place):
            if (name := histories.history(world, scope, place)) is not None:
                return [remembering.forget(rules, name, span)]
            return [assignments.reset(rules, place, context, span)]
        case stmt.Remember(place=place):
            return [remembering.remember(rules, place, context, span)]
        case stmt.Do(call=call, player=player):
            return calls.do(rules, call, player, context, span)
        case stmt.Sort():
            return [assignments.sort(rules, node, context)]
        case stmt.Roll() | stmt.Pick():
            return [chance.chance(rules, node, context)]
        case stmt.Move() | stmt.Shuffle() | stmt.Swap() | stmt.Show():
            return [moves.move(rules, node, context)]
    raise AssertionError(node)

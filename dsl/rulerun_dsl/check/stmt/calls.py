"""Calls as statements: procedures, rule slots, and whose `you` they pass on."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds
from rulerun_dsl.check.env.recorder import HERE, word_in
from rulerun_dsl.check.env.typing import fit, join, last_name, mismatch, no_set
from rulerun_dsl.check.env.wording import named, several
from rulerun_dsl.check.expr import elaborate, scopes, undeclared
from rulerun_dsl.check.stmt import hooks, row_rules, tree
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def is_procedure(rules: RuleChecker, value: object) -> bool:
    """Is a value the call of a procedure."""
    if isinstance(value, s.Call):
        value = original(rules, value)
    return isinstance(value, s.Call) and value.name in rules.world.by_kind["procedure"]


def original(rules: RuleChecker, node: s.Call) -> s.Call:
    """Inside a replacement `original(…)` calls what it replaces."""
    if node.name == "original" and rules.routine is not None:
        name = rules.routine.name.removesuffix(hooks.BODY)
        if name in rules.world.originals:
            return dataclasses.replace(node, name=rules.world.originals[name])
    return node


def do(
    rules: RuleChecker,
    node: s.Call | s.RuleCall,
    player: s.Expression | None,
    context: Context,
    span: Span,
) -> list[tree.Node]:
    """A call as a statement."""
    if isinstance(node, s.RuleCall):
        return [slot_call(rules, node, player, context, span)]
    if rules.world.recorder is not None and node.name == HERE:
        scopes.ask(rules.world.recorder, "statement", context.scope)
    node = original(rules, node)
    if is_procedure(rules, node):
        return call(rules, node, player, context, span, None)
    word = rules.world.declared.get(node.name, ("", None))[0]
    if word:
        rules.world.report(
            "RR0409",
            f"`{node.name}` is {named(word)}: calling it does nothing",
            node.name_span,
            help="only procedures are called as statements",
        )
    else:
        known = rules.world.by_kind["procedure"]
        line = undeclared.routine_line(rules.world, context.scope, node, "procedures")
        rules.world.unknown(node.name, node.name_span, "procedure", known, line)
    return []


def whose(
    rules: RuleChecker, player: s.Expression | None, context: Context
) -> tuple[m.Expression | None, bool]:
    """The `you` that a call passes on, and whether it is the routine's own."""
    if player is not None:
        return elaborate.check(rules.world, context.scope, player, t.Player()), False
    assert rules.routine is not None
    you = context.scope.you
    own = isinstance(you, m.Local) and you.offset == rules.routine.you.offset
    return you, own


def call(
    rules: RuleChecker,
    node: s.Call,
    player: s.Expression | None,
    context: Context,
    span: Span,
    result: m.Target | None,
) -> list[tree.Node]:
    """A call of a procedure."""
    world = rules.world
    node = original(rules, node)
    world.used.add(node.name)
    world.note(node.name_span, node.name)
    routine = rules.procedure(node.name)
    arguments = list(node.arguments)
    you, own = whose(rules, player, context)
    if routine.explicit_you and len(arguments) == len(routine.parameters) + 1:
        first = arguments.pop(0)
        if isinstance(first, s.Comprehension | s.Filtered):
            world.report("RR0502", "a player is wanted first", first.span)
            return []
        you, own = elaborate.check(world, context.scope, first, t.Player()), False
    if len(arguments) != len(routine.parameters):
        world.report(
            "RR0502",
            f"`{node.name}` takes {several(len(routine.parameters))}, not {len(arguments)}",
            node.span,
            help=f"it is declared as `{routine.decl.signature.span.text}`"
            if routine.decl
            else None,
        )
        return []
    found = []
    for argument, (_, type_, _) in zip(arguments, routine.parameters, strict=True):
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{node.name}` takes values", argument.span)
            return []
        found.append(elaborate.check(world, context.scope, argument, type_))
    if (
        result is not None
        and rules.result_of(routine) == t.Unknown()
        and (routine.body is not None and routine.result is None)
    ):
        world.report(
            "RR0704",
            f"`{node.name}` gives nothing",
            node.span,
            help="a procedure gives its value by `give`",
        )
    assert rules.routine is not None
    rules.edges.append(tree.Edge(rules.routine.name, node.name, span, you is not None, own))
    return [tree.CallProcedure(span, node.name, tuple(found), you, result)]


def slot_call(
    rules: RuleChecker, node: s.RuleCall, player: s.Expression | None, context: Context, span: Span
) -> tree.Node:
    """`tile.gives()`: the rule that the component's row, or the row named, fills in."""
    world = rules.world
    base = elaborate.single(world, context.scope, node.base)
    inner = t.bare(base.type)
    if not isinstance(inner, t.Component | t.Row):
        if not isinstance(inner, t.Unknown):
            mismatch(world, node.base.span, t.Component("kind"), base.type)
        return tree.Block(span, (), ())
    kind = component_kinds.kind(world, inner.kind)
    slot = kind.slots.get(node.name)
    if slot is None or slot.type is not None:
        if slot is None:
            world.unknown(node.name, node.span, f"rule of {inner.kind}", kind.slots)
        else:
            world.report("RR0409", f"`{node.name}` is a value, not a rule to run", node.span)
        return tree.Block(span, (), ())
    world.used.add(f"slot {slot.signature.span.start}")
    world.note(last_name(node.span, node.name), node.name, "slot", at=slot.signature.name_span)
    parameters = rules.parameters(slot.signature)
    if len(node.arguments) != len(parameters):
        world.report(
            "RR0502",
            f"`{node.name}` takes {several(len(parameters))}, not {len(node.arguments)}",
            node.span,
        )
        return tree.Block(span, (), ())
    arguments = [fit(world, base, inner)]
    for argument, (_, type_) in zip(node.arguments, parameters, strict=True):
        arguments.append(elaborate.check(world, context.scope, argument, type_))
    you, own = whose(rules, player, context)
    assert rules.routine is not None
    names = row_rules.routines(rules, inner.kind, slot, parameters)
    for name in names:
        if name is not None:
            rules.edges.append(tree.Edge(rules.routine.name, name, span, you is not None, own))
    found = tree.CallSlot(span, inner.kind, arguments[0], node.name, names, tuple(arguments), you)
    if isinstance(inner, t.Row):
        row_rules.called_on_row(rules, found)
    return found


def stop(rules: RuleChecker, procedure: str | None, span: Span) -> tree.Node:
    """`stop`, `stop PROC`."""
    assert rules.routine is not None
    if procedure is None and rules.routine.name == "":
        rules.world.report(
            "RR0705",
            "there is nothing to stop: a phase is no procedure",
            span,
            help="put these rules into a procedure, or test the condition with `until:`",
        )
        return tree.Block(span, (), ())
    if procedure is not None:
        if procedure not in rules.world.by_kind["procedure"]:
            word = rules.world.declared.get(procedure, ("", None))[0]
            if word:
                rules.world.report(
                    "RR0409",
                    f"`{procedure}` is {named(word)}: only a procedure is left by `stop`",
                    span,
                )
            else:
                known = rules.world.by_kind["procedure"]
                rules.world.unknown(procedure, span, "procedure", known)
            return tree.Block(span, (), ())
        rules.world.used.add(procedure)
        rules.world.note(word_in(span, procedure), procedure)
    return tree.Stop(span, procedure)


def give(rules: RuleChecker, value: s.Expression, context: Context, span: Span) -> tree.Node:
    """`give e`: widens what the procedure gives."""
    routine = rules.routine
    assert routine is not None
    own = not routine.implicit or routine.name.endswith(hooks.BODY)
    if routine.name == "" or routine.decl is None or not own:
        what = "a block before or after a procedure changes no result"
        if not routine.name.startswith(("before ", "after ")):
            what = "only a procedure gives a value"
        rules.world.report("RR0705", what, span)
        elaborate.check(rules.world, context.scope, value)
        return tree.Block(span, (), ())
    if routine.decl.queued is not None:
        word = "stacked" if routine.decl.stacked else "queued"
        rules.world.report("RR0704", f"a `{word}:` procedure gives nothing", span)
    found = elaborate.check(rules.world, context.scope, value)
    type_ = found.type
    if isinstance(type_, t.Collection | t.Zone):
        mismatch(rules.world, value.span, t.Int(0, 0), type_)
        type_ = t.Unknown()
    if isinstance(alike := t.bare(type_), t.Multiset):
        no_set(rules.world, found, alike.element)
        type_ = t.Unknown()
    both = type_ if routine.result is None else join(routine.result, type_)
    if both is None:
        assert routine.result is not None
        mismatch(rules.world, value.span, routine.result, type_)
        both = t.Unknown()
    routine.result = both
    return tree.Give(span, found)

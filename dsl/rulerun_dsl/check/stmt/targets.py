"""What statements may change: locals, variables and the attributes of components."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import domains, facts
from rulerun_dsl.check.env.recorder import HERE, word_in
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.env.wording import named
from rulerun_dsl.check.expr import elaborate, families, scopes, undeclared
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import WORDS
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def target_of(
    rules: RuleChecker, place: s.Expression, context: Context
) -> tuple[m.Target, t.Type, bool] | None:
    """What may be assigned to: a local, a variable, an attribute; its type, its clamp."""
    world, scope = rules.world, context.scope
    if world.recorder is not None and isinstance(place, s.Name) and place.text == HERE:
        scopes.ask(world.recorder, "target", scope)
    if isinstance(place, s.Name) and place.text in scope.names:
        local = scope.names[place.text]
        at = word_in(local.span, place.text)
        world.note(place.span, place.text, "local", type_=local.type, at=at)
        if not isinstance(local, m.Local):
            world.report("RR0409", f"`{place.text}` cannot be changed here", place.span)
            return None
        return dataclasses.replace(local, span=place.span), local.type, False
    found = families.family(world, scope, place)
    if found is not None and found.word == "variable":
        variable = facts.variable(world, found.name)
        indexes = families.indexes(world, scope, found)
        rules.written.add(found.name)
        if indexes is None:
            return None
        check_only(rules, variable.decl, place.span)
        node = m.Variable(variable.type, place.span, found.name, indexes)
        return node, variable.type, variable.decl.clamp
    if found is None and isinstance(place, s.Attribute):
        read = set(world.used)
        typed = elaborate.raw(world, scope, place)
        if isinstance(typed, m.State):
            key = f"attribute {typed.kind}.{typed.attribute}"
            if key not in read:
                # To be changed is not to be read.
                world.used.discard(key)
            rules.written.add(f"{typed.kind}.{typed.attribute}")
            return typed, t.bare(typed.type), False
        if isinstance(typed.type, t.Unknown):
            return None
    base = place
    while isinstance(base, s.Index | s.Attribute):
        base = base.base
    if found is None and isinstance(base, s.Name) and not is_known(rules, base.text, scope):
        if base.text in world.doubtful:
            return None
        known = [*scope.names, *world.by_kind["variable"]]
        undeclared.report(world, scope, base.text, base.span, known, what="variable")
        if isinstance(place, s.Index):
            undeclared.tell_indexes(world, scope, place)
        return None
    what = "no variable"
    if isinstance(base, s.Name) and base.text in world.declared:
        what = named(world.declared[base.text][0])
    help = "components go by `move`" if found is not None and found.word == "zone" else None
    if found is None and isinstance(place, s.Attribute):
        help = "a column is printed; what changes stands under `state:` of the kind"
    world.report(
        "RR0409",
        f"`{shorten(place.span.text)}` is {what}: nothing can be assigned to it",
        place.span,
        help=help,
    )
    return None


def is_known(rules: RuleChecker, name: str, scope: Scope) -> bool:
    """Does a name mean anything, be it a member of something."""
    world = rules.world
    if name in scope.names or name in world.declared:
        return True
    if name in world.players or name in world.automata:
        return True
    return name in WORDS or bool(domains.having(world, name))


def check_only(rules: RuleChecker, decl: declarations.VariableDecl, span: Span) -> None:
    """`only: [procs]`: who may change a variable."""
    assert rules.routine is not None
    allowed = [scalar.text for scalar in decl.only]
    # A replacement, and the body that hooks stand around, bear the name of the procedure.
    name = rules.routine.name
    if rules.routine.decl is not None and not name.startswith(("before ", "after ")):
        name = rules.routine.decl.at.name
    if allowed and name not in allowed:
        rules.world.report(
            "RR0712",
            f"`{decl.at.name}` may be changed only in {', '.join(allowed)}",
            span,
        )


def only(rules: RuleChecker, decl: declarations.VariableDecl) -> None:
    """`only: [procs]` names procedures or actions."""
    known = [*rules.world.by_kind["procedure"], *rules.world.by_kind["action"]]
    for scalar in decl.only:
        rules.world.note(scalar.span, scalar.text)
        if scalar.text not in known:
            rules.world.unknown(scalar.text, scalar.span, "procedure", known)

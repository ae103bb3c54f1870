"""What stands around procedures: blocks of modules, and the lives of variables.

A procedure with hooks becomes a wrapper: the blocks before it, its own body (a routine of its own,
so that `stop` in it leaves just that), the blocks after it, in file order. Hooks see the values of
the parameters, change no result, and stand around whichever body runs. A variable that lives
`during` the procedure goes back to its start value when the procedure begins and when it ends.

The hooks of a module that is off are checked all the same, and called by nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.recorder import word_in
from rulerun_dsl.check.stmt import tree
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s

BODY = " (body)"
"""Behind the name of a procedure with hooks: its own body."""


def is_active(rules: RuleChecker, hook: declarations.HookDecl) -> bool:
    """Is the module of a hook on."""
    return hook.when is None or facts.constant(rules.world, hook.when, t.Bool()) == 1


def around(rules: RuleChecker, routine: tree.Routine) -> Iterator[declarations.HookDecl]:
    """The hooks around a declared procedure."""
    if routine.implicit or routine.name.endswith(BODY):
        return
    for word in ("before", "after"):
        for hook in rules.world.hooks_of(routine.name, word):
            if is_active(rules, hook):
                yield hook


def lives(rules: RuleChecker, routine: tree.Routine) -> list[declarations.VariableDecl]:
    """The variables whose life a procedure is (`during: PROC`)."""
    if routine.implicit or routine.name.endswith(BODY):
        return []
    return rules.world.living_during(routine.name)


def is_wrapped(rules: RuleChecker, routine: tree.Routine) -> bool:
    """Does something happen before or after a procedure's own body."""
    return bool(lives(rules, routine)) or any(around(rules, routine))


def rebirth(rules: RuleChecker, decl: declarations.VariableDecl) -> tree.Node:
    """A variable (of everybody) goes back to its start value."""
    variable = facts.variable(rules.world, decl.at.name)
    span = decl.at.span
    target = m.Variable(variable.type, span, decl.at.name, (None,) * len(variable.indexes))
    start = facts.start_value(rules.world, decl, variable.type)
    return tree.Leaf(span, m.Store(span, target, "=", m.Literal(variable.type, span, start)))


def wrap(rules: RuleChecker, routine: tree.Routine) -> None:
    """Make the body of a procedure with hooks."""
    assert routine.decl is not None
    span = routine.span
    inner = rules.declare(
        routine.name + BODY, span, rules.parameters(routine.decl.signature), implicit=True
    )
    inner.decl, inner.visible, inner.queued = routine.decl, routine.visible, 0
    rules.check_body(rules, inner)
    routine.result = inner.result
    outer, rules.routine = rules.routine, routine
    arguments = tuple(local for _, _, local in routine.parameters)
    steps: list[tree.Node] = []

    def call(name: str, result: m.Local | None) -> None:
        rules.edges.append(tree.Edge(routine.name, name, span, True, True))
        steps.append(tree.CallProcedure(span, name, arguments, routine.you, result))

    result = None
    if inner.result is not None:
        result = rules.local("result", inner.result, span)
    born = [rebirth(rules, decl) for decl in lives(rules, routine)]
    steps.extend(born)
    for word in ("before", "after"):
        if word == "after":
            call(inner.name, result)
        for hook in rules.world.hooks_of(routine.name, word):
            if is_active(rules, hook):
                call(hook_routine(rules, hook).name, None)
    steps.extend(born)
    if result is not None:
        steps.append(tree.Give(span, result))
    routine.body = tree.Block(span, tuple(steps), ())
    rules.routine = outer


def hook_routine(rules: RuleChecker, hook: declarations.HookDecl) -> tree.Routine:
    """The routine of a hook; its parameters must be those of the procedure."""
    name = f"{hook.word} {hook.at.name}, line {hook.at.span.line}"
    if name in rules.routines:
        return rules.routines[name]
    procedures = rules.world.by_kind["procedure"]
    decl: declarations.ProcedureDecl = procedures[hook.at.name]  # type: ignore[assignment]
    parameters = _repeated(rules, hook, decl.signature, rules.parameters)
    routine = rules.declare(name, hook.at.span, parameters, implicit=True)
    routine.decl = declarations.ProcedureDecl(hook.at, hook.signature, hook.body, None)
    routine.visible = hook.at.visible
    rules.pending.append(name)
    return routine


def repeats(
    rules: RuleChecker, hook: declarations.HookDecl, declared: s.Signature
) -> list[tuple[str, t.Scalar]]:
    """The parameters of a hook; reports those that are not the procedure's or function's."""
    return _repeated(
        rules,
        hook,
        declared,
        lambda signature: [
            (each.name, facts.type_of(rules.world, each.type) if each.type else t.Player())
            for each in signature.parameters
        ],
    )


def _repeated(
    rules: RuleChecker,
    hook: declarations.HookDecl,
    declared: s.Signature,
    typed: Callable[[s.Signature], list[tuple[str, t.Scalar]]],
) -> list[tuple[str, t.Scalar]]:
    """The parameters that a hook repeats; reports those that are others, and takes the declared."""
    parameters, wanted = typed(hook.signature), typed(declared)
    if [type_ for _, type_ in parameters] == [type_ for _, type_ in wanted]:
        return parameters
    rules.world.report(
        "RR0502",
        f"`{hook.signature.span.text}` does not repeat the parameters of `{hook.at.name}`",
        hook.at.span,
        help=f"it is declared as `{declared.span.text}`",
    )
    return wanted


def check_replacements(rules: RuleChecker) -> None:
    """A replacement has the parameters of what it replaces."""
    outline = rules.world.outline
    declared: dict[str, s.Signature] = {}
    for function in outline.functions:
        declared.setdefault(function.at.name, function.signature)
    for procedure in outline.procedures:
        declared.setdefault(procedure.at.name, procedure.signature)
    for hook in outline.hooks:
        if hook.word == "replace" and hook.at.name in declared:
            repeats(rules, hook, declared[hook.at.name])


def idle(rules: RuleChecker) -> None:
    """Check the hooks of modules that are off, and report hooks of what does not exist."""
    procedures = rules.world.by_kind["procedure"]
    check_replacements(rules)
    for hook in rules.world.outline.hooks:
        rules.world.note(word_in(hook.at.span, hook.at.name), hook.at.name)
        if hook.word == "replace":
            continue
        if hook.at.name not in procedures:
            rules.world.unknown(hook.at.name, hook.at.span, "procedure", procedures)
        elif not is_active(rules, hook):
            name = hook_routine(rules, hook).name
            rules.world.spare.add(name)
            rules.world.bodies.setdefault(hook.at.name, []).append(name)

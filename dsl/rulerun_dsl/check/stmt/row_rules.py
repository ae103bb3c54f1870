"""The rules that the rows of a kind fill in: a procedure for each row that says something."""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts, tabular
from rulerun_dsl.check.expr import branching
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.outline.blocks import row_rule
from rulerun_dsl.syntax import declarations


def routines(
    rules: RuleChecker,
    kind: str,
    slot: declarations.RuleSlot,
    parameters: list[tuple[str, t.Scalar]],
) -> tuple[str | None, ...]:
    """The routines of a rule slot, by row; None where a row says nothing."""
    world = rules.world

    def make() -> tuple[str | None, ...]:
        names: list[str | None] = []
        for row in tabular.rows_of(world, kind):
            written = next(
                (node for key, node in row.values if key.text == slot.signature.name), None
            )
            if written is None:
                names.append(None)
                continue
            name = f"{kind}.{row.name}.{slot.signature.name}"
            routine = rules.declare(
                name, row.span, [("this", t.Component(kind)), *parameters], implicit=True
            )
            body, diagnostics = row_rule(written, slot.signature)
            world.diagnostics.extend(each for each in diagnostics if each not in world.diagnostics)
            at = dataclasses.replace(facts.kind_decl(world, kind).at, name=name)
            routine.decl = declarations.ProcedureDecl(at, slot.signature, body, None)
            routine.visible = at.visible
            names.append(name)
            rules.pending.append(name)
        return tuple(names)

    return world.fact("slot routines", f"{kind}.{slot.signature.name}", make, ())


def called_on_row(rules: RuleChecker, call: tree.CallSlot) -> None:
    """A slot is called on a row: its routines go without `this`."""
    rules.row_calls.setdefault(call.span, call)
    for name in call.procedures:
        if name is not None:
            rules.routines[name].rowwise = True


def check_this(rules: RuleChecker) -> None:
    """Report the slots that are called on a row and use `this`, once their bodies are checked."""
    for call in rules.row_calls.values():
        routines = [rules.routines[name] for name in call.procedures if name is not None]
        uses = (
            each.span
            for routine in routines
            if routine.body is not None
            for node in walking.within(routine)
            for each in walking.parts(node)
            if isinstance(each, m.Local) and each.offset == routine.parameters[0][2].offset
        )
        if (use := next(uses, None)) is not None:
            branching.no_this(rules.world, call.slot, call.kind, call.span, use)

"""The rules that the rows of a kind fill in: a procedure for each row that says something."""

from __future__ import annotations

import dataclasses

from rulerun_dsl.check.env import facts, tabular
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

"""Words whose arguments are values: read and counted as their row of the library says."""

from __future__ import annotations

from collections.abc import Callable

from rulerun_dsl import model as m
from rulerun_dsl.check.env.typing import unknown
from rulerun_dsl.check.env.wording import several
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s

TypeRule = Callable[[World, Scope, s.Call], m.Expression]
"""Types a call of a word; a finding, and an unknown value, if it is wrong."""

OfValues = Callable[[World, Scope, list[s.Expression], Span], m.Expression]
"""The same where all arguments are values, and as many as they should be."""


def of_values(rule: OfValues) -> TypeRule:
    """The type rule of a word that takes values, not a filter."""

    def checked(world: World, scope: Scope, node: s.Call) -> m.Expression:
        name, span = node.name, node.span
        plain: list[s.Expression] = []
        for argument in node.arguments:
            if isinstance(argument, s.Comprehension | s.Filtered):
                world.report("RR0502", f"`{name}` takes values, not a filter", argument.span)
                return unknown(span)
            plain.append(argument)
        least, most = LIBRARY[name].takes
        if len(plain) < least or (most is not None and len(plain) > most):
            wanted = str(least) if least == most else f"{least} or {most}"
            world.report("RR0502", f"`{name}` takes {several(wanted)}, not {len(plain)}", span)
            return unknown(span)
        return rule(world, scope, plain, span)

    return checked

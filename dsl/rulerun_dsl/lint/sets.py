"""Loops over a set that their own body changes.

Assumes: checked rules. A loop evaluates its set before each pass, so it does not visit what a pass
takes out of it.
Does: looks for sets in which one member depends on others: what a search reaches, who is highest.
A body that changes what such a set reads changes who else belongs to it.
Leaves behind: RR0725. For a plain zone, or a condition on each member, that is what authors mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole.secret_reads import reads
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.lint.places import writes
from rulerun_dsl.model.library import LIBRARY


def moving_sets(rules: RuleChecker) -> Iterator[Diagnostic]:
    """Report loops whose body changes what makes their set a set."""
    world = rules.world
    for routine in rules.routines.values():
        if routine.body is None:
            continue
        for node in walking.within(routine):
            if not isinstance(node, tree.Loop) or node.loop.mode == "turns":
                continue
            source = node.loop.source
            if not relative(world, source, set()):
                continue
            read = {each.name for each in reads(world, source)}
            both = sorted(read & writes(rules, node.body))
            if both:
                text = shorten(source.span.text)
                yield problem(
                    "RR0725",
                    f"the loop changes `{both[0]}`, on which it depends what else is in `{text}`",
                    source.span,
                    help=f"the set is worked out anew before each pass; to go through what it is "
                    f"now, write `every … in {text}`",
                )


def relative(world: World, node: m.Expression, seen: set[int]) -> bool:
    """Whether it depends on others who belongs to a collection."""
    for each in walking.parts(node):
        match each:
            case m.Quantifier(word=word) | m.BuiltinCall(word=word) if LIBRARY[word].is_relative:
                return True
            case m.FunctionCall(function=function) if function not in seen:
                seen.add(function)
                body = world.functions[function].body
                if body is not None and relative(world, body, seen):
                    return True
    return False

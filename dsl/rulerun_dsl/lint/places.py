"""Where expressions stand, and what statements write.

Assumes: checked rules.
Does: goes through routines, functions and scoring; follows calls.
Leaves behind: expressions, names of zones and variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.stmt import scoring, tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole.origins import origins
from rulerun_dsl.model.effects import effects


def expressions(rules: RuleChecker) -> Iterator[m.Expression]:
    """Every expression of the rules; what must `always` hold is meant to be decided."""
    for routine in rules.routines.values():
        if routine.body is not None:
            for node in walking.within(routine):
                yield from walking.parts(node)
    for function in rules.world.functions:
        if function.body is not None:
            yield from walking.parts(function.body)
    for value in scores(rules):
        yield from walking.parts(value)


def scores(rules: RuleChecker) -> Iterator[m.Expression]:
    """The expressions of the scoring."""
    made = scoring.model_scoring(rules.world)
    yield from (line.value for line in made.lines)
    yield from made.ties
    for each in (made.out, made.winner, made.returns):
        if each is not None:
            yield each


def writes(rules: RuleChecker, node: tree.Node, seen: set[str] | None = None) -> set[str]:
    """The zones and variables that a statement may change, calls included."""
    seen = set() if seen is None else seen
    found: set[str] = set()
    for each in walking.walk(node):
        match each:
            case tree.Leaf(instruction=instruction):
                found |= _written(rules, instruction)
            case tree.CallProcedure(name=name, result=result):
                found |= {result.name} if isinstance(result, m.Variable) else set()
                found |= _called(rules, (name,), seen)
            case tree.CallSlot(procedures=procedures):
                found |= _called(rules, procedures, seen)
            case _:
                pass  # it writes what the nodes inside it write
    return found


def _called(rules: RuleChecker, names: tuple[str | None, ...], seen: set[str]) -> set[str]:
    found: set[str] = set()
    for name in names:
        if name is not None and name not in seen:
            seen.add(name)
            body = rules.routines[name].body
            if body is not None:
                found |= writes(rules, body, seen)
    return found


def _written(rules: RuleChecker, instruction: m.Instruction) -> set[str]:
    does = effects(instruction)
    found = {each.target.name for each in does.writes if isinstance(each.target, m.Variable)}
    for move in does.moves:
        found.add(move.to.zone)
        if isinstance(move.source, m.ZoneAt):
            found.add(move.source.zone)
        else:
            for each, _ in origins(rules.world, move.source, {}):
                found.update((each.zone,) if isinstance(each, m.Members | m.Occupant) else ())
    return found

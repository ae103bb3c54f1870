"""Where expressions stand, and what statements write.

Assumes: checked rules.
Does: goes through routines, functions and scoring; follows calls.
Leaves behind: expressions, names of zones and variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.stmt import scoring, tree, walking
from rulerun_dsl.check.stmt.rules import RuleChecker
from rulerun_dsl.check.whole.parts import sources_of


def expressions(rules: RuleChecker) -> Iterator[m.Expression]:
    """Every expression of the rules; what must `always` hold is meant to be decided."""
    for routine in rules.routines.values():
        if routine.body is not None:
            for node in walking.walk(routine.body):
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
                found |= _written(instruction)
            case tree.CallProcedure(name=name, result=result):
                found |= _target(result)
                found |= _called(rules, (name,), seen)
            case tree.CallSlot(procedures=procedures):
                found |= _called(rules, procedures, seen)
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


def _target(target: object) -> set[str]:
    return {target.name} if isinstance(target, m.Variable) else set()


def _written(instruction: m.Instruction) -> set[str]:
    match instruction:
        case m.Store(target=target) | m.Roll(target=target) | m.Pick(target=target):
            return _target(target)
        case m.SortBy(target=target):
            return _target(target)
        case m.SwapValues(left=left, right=right):
            return _target(left) | _target(right)
        case m.MoveOne(component=moved, to=to) | m.MoveAll(source=moved, to=to):
            return {to.zone, *(each.zone for each in sources_of(moved))}
        case m.MoveSome(sources=sources, to=to):
            return {to.zone, *(each.zone for each in sources)}
        case m.SwapZones(left=left, right=right):
            return {left.zone, right.zone}
    return set()

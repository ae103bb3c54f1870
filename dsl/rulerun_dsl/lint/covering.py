"""Cases about one number that leave no value for the cases behind them.

Assumes: checked rules; the type of a numeric expression is a range that it never leaves.
Does: follows each chain of cases (`cases:`, `match:`, `if … else if`) as long as they test the
same number against constants, and strikes out the values that have a case.
Leaves behind: RR0724 for a case that no value reaches. The range stands in the message, so a case
whose range depends on an option is no finding (`in_all`). `bounds` finds a single comparison that
the range decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants
from rulerun_dsl.check.env.typing import same_place, shorten
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.lint.places import expressions
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span

MOST_VALUES = 1_000
"""The values of a range that are looked at one by one at most."""

Link = tuple[m.Expression | None, Span]
"""A case: its condition (None: `else`), and where what comes of it stands."""


def covered_cases(rules: RuleChecker) -> Iterator[Diagnostic]:
    """Report what stands behind cases that leave no value over."""
    seen: set[Span] = set()
    for chain in _chains(rules):
        found = _spent(rules.world, chain)
        if found is None:
            continue
        subject, type_, (condition, span) = found
        if span not in seen:
            seen.add(span)
            which = "of these"
            if condition is not None:
                which = f"for which `{shorten(condition.span.text)}` holds"
            yield problem(
                "RR0724",
                f"nothing gets here: `{shorten(subject.span.text)}` is from {type_.low} to "
                f"{type_.high}, and each {which} has a case above",
                span,
                help="delete this, or write it in place of the last case above",
            )


def _chains(rules: RuleChecker) -> Iterator[list[Link]]:
    for routine in rules.routines.values():
        for node in walking.within(routine):
            if isinstance(node, tree.If):
                yield [*_steps(node)]
    for each in expressions(rules):
        if isinstance(each, m.Conditional):
            yield [*_values(each)]


def _steps(node: tree.Node) -> Iterator[Link]:
    while isinstance(node, tree.If):
        yield node.condition, node.then.span
        if node.alternative is None:
            return
        node = node.alternative
        while isinstance(node, tree.Block) and len(node.steps) == 1:
            node = node.steps[0]
    if not isinstance(node, tree.Block) or node.steps:
        yield None, node.span


def _values(node: m.Expression) -> Iterator[Link]:
    while isinstance(node, m.Conditional):
        yield node.condition, node.value.span
        node = node.alternative
    yield None, node.span


def _spent(world: World, chain: list[Link]) -> tuple[m.Expression, t.Int, Link] | None:
    """The number, its range, and the first case that no value is left for."""
    subject = _subject(world, chain[0][0])
    if subject is None or not isinstance(subject.type, t.Int):
        return None
    type_ = subject.type
    if not 0 < type_.high - type_.low < MOST_VALUES:
        return None
    every = frozenset(range(type_.low, type_.high + 1))
    left = every
    for place, link in enumerate(chain):
        condition = link[0]
        held = every if condition is None else _held(world, condition, subject, every)
        if place and held is not None and not held & left:
            return subject, type_, link
        if held is None or not held or (condition is not None and held == every):
            return None  # something else is asked, or `bounds` says what is wrong
        left -= held
    return None


def _subject(world: World, condition: m.Expression | None) -> m.Expression | None:
    """The number that a condition tests first."""
    for each in walking.parts(condition):
        if isinstance(each, m.Comparison):
            for side, other in ((each.left, each.right), (each.right, each.left)):
                if isinstance(constants.value_of(world, other), int):
                    return side
    return None


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _held(
    world: World, node: m.Expression, subject: m.Expression, every: frozenset[int]
) -> frozenset[int] | None:
    """For which values of a number a condition holds; None if it asks for more than that."""
    match node:
        case m.Not(operand=operand):
            inner = _held(world, operand, subject, every)
            return None if inner is None else every - inner
        case m.And(operands=operands) | m.Or(operands=operands):
            parts = [_held(world, each, subject, every) for each in operands]
            known = [each for each in parts if each is not None]
            if len(known) < len(parts):
                return None
            if isinstance(node, m.And):
                return every.intersection(*known)
            return frozenset[int]().union(*known)
        case m.Comparison(operator=operator, left=left, right=right):
            if same_place(right, subject):
                left, right, operator = right, left, _TURNED[operator]
            other = constants.value_of(world, right)
            if same_place(left, subject) and isinstance(other, int):
                return frozenset(each for each in every if _holds(operator, each, other))
    return None


def _holds(operator: str, left: int, right: int) -> bool:
    match operator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "!=":
            return left != right
    return left == right

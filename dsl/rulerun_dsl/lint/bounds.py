"""Comparisons of numbers that the declared ranges decide.

Assumes: checked rules; the type of a numeric expression is a range that it never leaves.
Does: looks at each comparison that is written with an operator.
Leaves behind: RR0724 for one that never holds or always does. The range stands in the message, so
a comparison whose range depends on an option is no finding (`in_all`).
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.lint.places import expressions
from rulerun_dsl.model import valuetypes as t


def decided_comparisons(rules: RuleChecker) -> Iterator[Diagnostic]:
    """Report comparisons that no state can make true, or none false."""
    for node in expressions(rules):
        if not isinstance(node, m.Comparison) or node.operator not in node.span.text:
            continue
        left, right = node.left.type, node.right.type
        if not isinstance(left, t.Int) or not isinstance(right, t.Int):
            continue
        held = decided(node.operator, left, right)
        ranges = [
            f"`{shorten(side.span.text)}` is from {type_.low} to {type_.high}"
            for side, type_ in ((node.left, left), (node.right, right))
            if type_.low < type_.high
        ]
        if held is not None and ranges:
            yield problem(
                "RR0724",
                f"`{shorten(node.span.text)}` {'always' if held else 'never'} holds: "
                + " and ".join(ranges),
                node.span,
                help="compare with a number inside the range, or leave the comparison out",
            )


def decided(operator: str, left: t.Int, right: t.Int) -> bool | None:
    """Whether a comparison of two ranges always holds (True), never (False), or may do either."""
    apart = left.high < right.low or right.high < left.low
    match operator:
        case "==":
            return False if apart else None
        case "!=":
            return True if apart else None
        case "<":
            return _less(left.high < right.low, left.low >= right.high)
        case "<=":
            return _less(left.high <= right.low, left.low > right.high)
        case ">":
            return _less(left.low > right.high, left.high <= right.low)
        case ">=":
            return _less(left.low >= right.high, left.high < right.low)
    return None


def _less(always: bool, never: bool) -> bool | None:
    return True if always else False if never else None

"""Arithmetic and comparison.

Assumes: operands that were compiled, whole numbers or none.
Does: computes, left operand first; division and remainder round down, `/` is exact.
Leaves behind: results that fit 32 bits, or a rule error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from rulerun.runtime.closures import Run, rule_error
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import INT_MAX, INT_MIN
from rulerun_dsl.source.spans import Span


def arithmetic(node: model.Arithmetic, left: Run, right: Run) -> Run:
    """The closure of `+ - * / // % **`."""
    span = node.span
    work = _OPERATORS[node.operator](span)

    def reckon(s: Sequence[int], b: int, r: list[Any]) -> Any:
        one = left(s, b, r)
        other = right(s, b, r)
        if one is None or other is None:
            raise rule_error("none", f"{_missing(node, one)} is none", span)
        result = work(one, other)
        if not INT_MIN <= result <= INT_MAX:
            raise rule_error("overflow", f"{span.text} is {result}: it needs 32 bits", span)
        return result

    return reckon


def comparison(node: model.Comparison, left: Run, right: Run) -> Run:
    """The closure of `== != < <= > >=`; only the first two know none."""
    if node.operator in ("==", "!=") and isinstance(node.right, model.Literal):
        value = node.right.value
        if node.operator == "==":
            return lambda s, b, r: left(s, b, r) == value
        return lambda s, b, r: left(s, b, r) != value
    if node.operator == "==":
        return lambda s, b, r: left(s, b, r) == right(s, b, r)
    if node.operator == "!=":
        return lambda s, b, r: left(s, b, r) != right(s, b, r)
    holds = _COMPARISONS[node.operator]

    def compare(s: Sequence[int], b: int, r: list[Any]) -> bool:
        one = left(s, b, r)
        other = right(s, b, r)
        if one is None or other is None:
            raise rule_error("none", f"{_missing(node, one)} is none", node.span)
        return holds(one, other)

    return compare


def _missing(node: model.Arithmetic | model.Comparison, left: Any) -> str:
    return (node.left if left is None else node.right).span.text


Work = Callable[[Any, Any], Any]


def _power(span: Span) -> Work:
    def power(left: Any, right: Any) -> Any:
        if right < 0:
            raise rule_error("power", f"{span.text}: the exponent is {right}", span)
        if right > 31 and abs(left) > 1:
            raise rule_error("overflow", f"{span.text}: it needs 32 bits", span)
        return left**right

    return power


def _divided(work: Work) -> Callable[[Span], Work]:
    def divided(span: Span) -> Work:
        def divide(left: Any, right: Any) -> Any:
            if right == 0:
                raise rule_error("division", f"{span.text} divides by 0", span)
            return work(left, right)

        return divide

    return divided


def _quotient(left: Any, right: Any) -> Any:
    # Imported where something is divided: few games do.
    from fractions import Fraction

    return Fraction(left) / right


_OPERATORS: dict[str, Callable[[Span], Work]] = {
    "+": lambda span: operator.add,
    "-": lambda span: operator.sub,
    "*": lambda span: operator.mul,
    "//": _divided(operator.floordiv),
    "%": _divided(operator.mod),
    "/": _divided(_quotient),
    "**": _power,
}
"""By operator: what computes, and speaks of a place where it cannot."""

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

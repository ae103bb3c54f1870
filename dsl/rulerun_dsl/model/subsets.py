"""How many subsets there are: known before play, from how many things there are at most."""

from __future__ import annotations

from math import comb

from rulerun_dsl.model.expressions import BuiltinCall, Expression, Literal
from rulerun_dsl.model.valuetypes import Int, bare

MOST_SUBSETS = 1_000_000
"""The most subsets that rules may go through at once."""


def sizes(node: BuiltinCall) -> tuple[int, int]:
    """The least and the most members that the sets of `subsets(low..high, S)` may have."""
    low, high, _ = node.arguments
    return max(_end(low, 0), 0), _end(high, 1)


def number_of_subsets(things: int, low: int, high: int) -> int:
    """How many subsets of so many members some things have; past a bound just more than it."""
    # Of many more things than that there are too many, or next to none.
    if things > 10_000:
        return MOST_SUBSETS + 1 if high > 1 else things + 1
    many = 0
    for size in range(low, min(high, things) + 1):
        many += comb(things, size)
        if many > MOST_SUBSETS:
            break
    return many


def _end(node: Expression, which: int) -> int:
    if isinstance(node, Literal) and node.value is not None:
        return node.value
    type_ = bare(node.type)
    return (type_.low, type_.high)[which] if isinstance(type_, Int) else 0

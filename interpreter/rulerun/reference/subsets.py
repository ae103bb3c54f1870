"""Subsets, and the best of them that lie apart.

Assumes: sets as masks: a bit for each value of a type, the lowest first.
Does: lists the subsets of a collection by their size, those of one size in the order of their
members; finds the highest sum over sets no two of which share a member.
Leaves behind: closures, as `evaluate` does.

The search goes through the sets by their lowest member, and of those that share it takes one at
most. It tries the next set that could still help, and goes back where none can: what is left is
worth no more than the best set for each lowest member. Who counts evaluations counts each set that
is tried; `compiled.lower.subsets` searches in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from rulerun.reference.collections import mask_of
from rulerun.reference.compiler import Compiler
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.index import element_of
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import INT_MAX, SetOf


def subsets(compiler: Compiler, node: model.BuiltinCall) -> Run:
    """`subsets(low..high, S)`."""
    low, high, source = (compiler.compile(each) for each in node.arguments)
    of, things = element_of(node.type), node.arguments[2]
    assert isinstance(of, SetOf)
    least, most = compiler.tables.members(of)

    def run(s: Sequence[int], b: int, r: list[Any]) -> list[int]:
        members = source(s, b, r)
        whole = mask_of(members, least, most, things.span)
        bits = [1 << place for place in range(whole.bit_length()) if whole >> place & 1]
        first, last = max(low(s, b, r), 0), min(high(s, b, r), len(bits))
        return [sum(some) for size in range(first, last + 1) for some in combinations(bits, size)]

    return run


def packing(
    compiler: Compiler,
    node: model.Quantifier,
    passing: Callable[[Sequence[int], int, list[Any]], Iterator[None]],
) -> Run:
    """`packing(e for t in S if c)`."""
    assert node.value is not None
    value, register = compiler.compile(node.value), node.clauses[-1].register
    tried = compiler.budget.counting(node.span, compiler.budget.effort.counts(node))

    def run(s: Sequence[int], b: int, r: list[Any]) -> int:
        worth = []
        for _ in passing(s, b, r):
            found = value(s, b, r)
            if found is None:
                raise rule_error("none", f"{node.span.text}: a value is none", node.span)
            worth.append((r[register], found))
        best = most_apart(worth, tried)
        if best > INT_MAX:
            message = f"{node.span.text} is {best}: it needs 32 bits"
            raise rule_error("overflow", message, node.span)
        return best

    return run


def most_apart(worth: Iterable[tuple[int, int]], tried: Callable[[], None]) -> int:
    """The highest sum over sets no two of which share a member; an empty one counts once."""
    best_of: dict[int, int] = {}
    for mask, value in worth:
        if value > best_of.get(mask, 0):
            best_of[mask] = value
    # The empty set is in no other's way.
    base = best_of.pop(0, 0)
    sets = sorted((mask & -mask, mask, value) for mask, value in best_of.items())
    rest = _still_to_come(sets)
    best = used = total = at = 0
    taken: list[int] = []
    while True:
        if at < len(sets) and total + rest[at] > best:
            tried()
            _, mask, value = sets[at]
            if not mask & used:
                taken.append(at)
                used, total = used | mask, total + value
                best = max(best, total)
        elif taken:
            at = taken.pop()
            _, mask, value = sets[at]
            used, total = used ^ mask, total - value
        else:
            return base + best
        at += 1


def _still_to_come(sets: Sequence[tuple[int, int, int]]) -> list[int]:
    """From each set on: the sum of the highest value for each lowest member."""
    found = []
    behind = highest = lowest = 0
    for low, _, value in reversed(sets):
        if low != lowest:
            behind, highest, lowest = behind + highest, 0, low
        highest = max(highest, value)
        found.append(behind + highest)
    return found[::-1]

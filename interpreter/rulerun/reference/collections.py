"""Collections: what lies in zones, ranges of values, players round the table, stored sets.

Assumes: nodes of the model whose value is a collection.
Does: lists the members, in their order.
Leaves behind: closures, as `evaluate` does; each gives a list or a range that nobody changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rulerun.reference.compiler import Compiler
from rulerun.reference.multi_choice import MultiChoice
from rulerun.runtime.closures import Run, rule_error
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import Multiset, SetOf, bare
from rulerun_dsl.source.spans import Span


class Collections:
    """The collections of one game."""

    def __init__(self, compiler: Compiler, multi_choice: MultiChoice) -> None:
        """Compile the parts with `compiler`."""
        self.compiler = compiler
        self.multi_choice = multi_choice
        self.tables = compiler.tables

    def contains(self, node: model.Contains) -> Run:
        """Whether something is a member."""
        value = self.compiler.compile(node.value)
        collection = self.compiler.compile(node.collection)

        def contains(s: Sequence[int], b: int, r: list[Any]) -> bool:
            sought = value(s, b, r)
            members = collection(s, b, r)
            return sought is not None and sought in members

        return contains

    def compile(self, node: Expression) -> Run:
        """The closure of a collection."""
        match node:
            case model.Members(zone=zone, indexes=indexes, span=span):
                if None not in indexes:
                    number = self.compiler.zone(zone, indexes, span)
                    members = self.compiler.components.members
                    return lambda s, b, r: members(s, number(s, b, r))
                kind = self.tables.kinds[self.tables.families[zone].kind]
                numbers = self.compiler.zones(zone, indexes, span)
                union = self.compiler.components.union
                return lambda s, b, r: union(s, kind, numbers(s, b, r))
            case model.OfKind():
                return self._of_kind(node)
            case model.Values(low=low, high=high):
                start, stop = self.compiler.compile(low), self.compiler.compile(high)

                def values(s: Sequence[int], b: int, r: list[Any]) -> range:
                    first = start(s, b, r)
                    last = stop(s, b, r)
                    if first is None or last is None:
                        raise rule_error("none", f"{node.span.text}: one end is none", node.span)
                    return range(first, last + 1)

                return values
            case model.Clockwise(start=start_node, others=others):
                start = self.compiler.compile(start_node)
                return self._clockwise(start, 1 if others else 0, node.span)
            case model.Listed(items=items):
                runs = [self.compiler.compile(item) for item in items]
                return lambda s, b, r: [
                    value for run in runs if (value := run(s, b, r)) is not None
                ]
            case model.Joined(left=left, right=right):
                one, other = self.compiler.compile(left), self.compiler.compile(right)
                return lambda s, b, r: [*one(s, b, r), *other(s, b, r)]
            case model.BuiltinCall(word="reverse", arguments=(operand,)):
                forth = self.compiler.compile(operand)
                return lambda s, b, r: list(forth(s, b, r))[::-1]
            case model.BuiltinCall(word="around", arguments=(operand, start_node)):
                ring, first = self.compiler.compile(operand), self.compiler.compile(start_node)
                return lambda s, b, r: ring_from(list(ring(s, b, r)), first(s, b, r))
            case model.BuiltinCall(word="prefix"):
                return self._prefix(node)
            case model.Unpacked(operand=operand):
                return self._unpacked(operand)
            case _:
                raise AssertionError(f"no meaning for {type(node).__name__}")

    def _prefix(self, node: model.BuiltinCall) -> Run:
        """The members before the first for which the condition does not hold."""
        clause = node.clause
        assert clause is not None
        assert clause.condition is not None
        source = self.compiler.compile(clause.source)
        condition = self.compiler.compile(clause.condition)
        budget = self.compiler.budget
        members = budget.members(source, clause.source.span, budget.effort.counts(node))
        register = clause.register

        def prefix(s: Sequence[int], b: int, r: list[Any]) -> list[Any]:
            found = []
            for member in members(s, b, r):
                r[register] = member
                if not condition(s, b, r):
                    break
                found.append(member)
            return found

        return prefix

    def _of_kind(self, node: model.OfKind) -> Run:
        kind = self.tables.kinds[node.kind]
        owner, row = self.compiler.test(node.owner), self.compiler.test(node.row)
        everywhere, parts = self.compiler.components.everywhere, self.tables.row_and_owner

        def of_kind(s: Sequence[int], b: int, r: list[Any]) -> list[int]:
            found = everywhere(s, kind)
            if owner is not None:
                whose = owner(s, b, r)
                found = [one for one in found if parts(kind, one)[1] == whose]
            if row is not None:
                which = row(s, b, r)
                found = [one for one in found if parts(kind, one)[0] == which]
            return found

        return of_kind

    def _clockwise(self, start: Run, skipped: int, span: Span) -> Run:
        players = len(self.tables.game.players)

        def clockwise(s: Sequence[int], b: int, r: list[Any]) -> list[int]:
            first = start(s, b, r)
            if first is None:
                raise rule_error("none", f"{span.text}: where to start is none", span)
            return [(first + step) % players for step in range(skipped, players)]

        return clockwise

    def _unpacked(self, operand: Expression) -> Run:
        packed = self.compiler.compile(operand)
        type_ = bare(operand.type)
        if isinstance(type_, SetOf):
            low, _ = self.tables.members(type_)
            return lambda s, b, r: bits(packed(s, b, r) or 0, low)
        if isinstance(type_, Multiset) and isinstance(operand, model.Local):
            return self.multi_choice.members(operand)
        if isinstance(type_, Multiset) and isinstance(operand, model.NotNone):
            # What may have been declined: it is none, or the members are asked for.
            members = self._unpacked(operand.operand)

            def sure(s: Sequence[int], b: int, r: list[Any]) -> list[int]:
                packed(s, b, r)
                return list(members(s, b, r))

            return sure
        return lambda s, b, r: list(packed(s, b, r) or ())


def mask_of(members: Iterable[int], low: int, high: int, span: Span) -> int:
    """How a set of these values is stored; one outside its type is a rule error."""
    mask = 0
    for member in members:
        if not low <= member <= high:
            raise rule_error("range", f"{span.text}: {member} in a set of {low}..{high}", span)
        mask |= 1 << (member - low)
    return mask


def bits(mask: int, low: int) -> list[int]:
    """The values in a stored set."""
    found = []
    value = low
    while mask:
        if mask & 1:
            found.append(value)
        mask >>= 1
        value += 1
    return found


def ring_from(ring: list[Any], first: Any) -> list[Any]:
    """A list as a ring, from a member on (or from where it would stand)."""
    if first is None:
        return ring
    at = (
        ring.index(first) if first in ring else sum(1 for one in ring if one is None or one < first)
    )
    return ring[at:] + ring[:at]

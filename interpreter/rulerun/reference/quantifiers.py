"""What the library's words say of collections: `count`, `any`, `sum`, `highest`, `those` and so on.

Assumes: clauses whose registers are their own.
Does: runs through the clauses, the first outermost, and makes of what passes what the word says.
Leaves behind: closures, as `evaluate` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulerun.analysis.conditions import levels
from rulerun.reference.compiler import Compiler
from rulerun.reference.multi_choice import MultiChoice
from rulerun.runtime.closures import Run, rule_error
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import INT_MAX, INT_MIN


class Quantifiers:
    """The quantifiers of one game."""

    def __init__(self, compiler: Compiler, multi_choice: MultiChoice) -> None:
        """Compile the parts with `compiler`."""
        self.compiler = compiler
        self.multi_choice = multi_choice

    def compile(self, node: model.Quantifier) -> Run:
        """The closure of a quantifier."""
        if node.word == "count" and (quick := self._number_there(node)) is not None:
            return quick
        if node.word == "any":
            return self._any(node)
        passing = self._passing(node)
        value = self.compiler.test(node.value)
        match node.word:
            case "count":
                return _counting(passing)
            case "all":
                assert value is not None
                held = value
                return lambda s, b, r: all(held(s, b, r) for _ in passing(s, b, r))
            case "sum" | "max" | "min":
                assert value is not None
                return _number(node, passing, value)
            case "first" | "last":
                assert value is not None
                return _end(node.word, passing, value)
            case "those":
                assert value is not None
                each = value
                if len(node.clauses) == 1 and isinstance(node.value, model.Register):
                    if node.value.index == node.clauses[0].register:
                        return self._those(node)
                return lambda s, b, r: [each(s, b, r) for _ in passing(s, b, r)]
            case _:
                assert value is not None
                return self._best(node, passing, value)

    def _number_there(self, node: model.Quantifier) -> Run | None:
        """`count(hand[p])`: no need to list what is there."""
        (clause, *others) = node.clauses
        source = clause.source
        if others or clause.condition is not None or node.value is not None:
            return None
        if isinstance(source, model.Unpacked) and isinstance(source.operand, model.Local):
            chosen = self.multi_choice
            return chosen.number(source.operand) if chosen.holds(source.operand) else None
        if not isinstance(source, model.Members):
            return None
        zones = self.compiler.zones(source.zone, source.indexes, source.span)
        count = self.compiler.components.count
        return lambda s, b, r: sum(count(s, zone) for zone in zones(s, b, r))

    def _any(self, node: model.Quantifier) -> Run:
        """Whether anything passes, of which what is asked holds: one condition more."""
        passing = self._passing(node, node.value)

        def any_(s: Sequence[int], b: int, r: list[Any]) -> bool:
            for _ in passing(s, b, r):
                return True
            return False

        return any_

    def _members(self, node: model.Quantifier, clause: model.Clause) -> Run:
        """The members that a clause goes through."""
        source = self.compiler.compile(clause.source)
        counted = self.compiler.effort.counts(node)
        return self.compiler.members(source, clause.source, counted)

    def _those(self, node: model.Quantifier) -> Run:
        """The members of one collection that pass."""
        (clause,) = node.clauses
        source = self._members(node, clause)
        condition = self.compiler.test(clause.condition)
        register = clause.register
        if condition is None:
            return lambda s, b, r: list(source(s, b, r))

        def those(s: Sequence[int], b: int, r: list[Any]) -> list[Any]:
            found = []
            for member in source(s, b, r):
                r[register] = member
                if condition(s, b, r):
                    found.append(member)
            return found

        return those

    def _passing(self, node: model.Quantifier, value: model.Expression | None = None) -> Any:
        """A generator that stops once for each way to pass all clauses, with the registers set.

        A `value` must hold as well.
        """
        clauses = node.clauses
        written = [[each] if (each := clause.condition) is not None else [] for clause in clauses]
        if value is not None:
            written[-1].append(value)
        first, *asked = levels(
            self.compiler.tables,
            [clause.register for clause in clauses],
            [clause.source for clause in clauses],
            [[], *written],
        )
        passing = self._through(node, clauses, asked)
        before = self.compiler.tests(first)
        if before is None:
            return passing

        def after(s: Sequence[int], b: int, r: list[Any]) -> Iterator[None]:
            if before(s, b, r):
                yield from passing(s, b, r)

        return after

    def _through(
        self,
        node: model.Quantifier,
        clauses: Sequence[model.Clause],
        asked: Sequence[Sequence[model.Expression]],
    ) -> Any:
        clause, *rest = clauses
        source = self._members(node, clause)
        condition = self.compiler.tests(asked[0])
        register = clause.register

        def plain(s: Sequence[int], b: int, r: list[Any]) -> Iterator[None]:
            for member in source(s, b, r):
                r[register] = member
                yield

        def filtered(s: Sequence[int], b: int, r: list[Any]) -> Iterator[None]:
            assert condition is not None
            for member in source(s, b, r):
                r[register] = member
                if condition(s, b, r):
                    yield

        outer = plain if condition is None else filtered
        if not rest:
            return outer
        inner = self._through(node, rest, asked[1:])

        def nested(s: Sequence[int], b: int, r: list[Any]) -> Iterator[None]:
            for _ in outer(s, b, r):
                yield from inner(s, b, r)

        return nested

    def _best(self, node: model.Quantifier, passing: Any, value: Run) -> Run:
        """`highest` and its kin: compare by keys, one after another; ties go to the first."""
        keys = [self.compiler.compile(key) for key in node.keys]
        highest = node.word.endswith("highest") or node.word.startswith("highest")
        sign = -1 if highest else 1

        def ranked(s: Sequence[int], b: int, r: list[Any]) -> list[tuple[list[int], Any]]:
            found = []
            for _ in passing(s, b, r):
                member = value(s, b, r)
                found.append(([sign * _known(key(s, b, r), node) for key in keys], member))
            return found

        match node.word:
            case "highest" | "lowest":

                def best(s: Sequence[int], b: int, r: list[Any]) -> Any:
                    found = ranked(s, b, r)
                    return min(found, key=_by_keys)[1] if found else None

                return best
            case "all_highest" | "all_lowest":

                def all_best(s: Sequence[int], b: int, r: list[Any]) -> list[Any]:
                    found = ranked(s, b, r)
                    if not found:
                        return []
                    most = min(found, key=_by_keys)[0]
                    return [member for keyed, member in found if keyed == most]

                return all_best
            case "highest_few" | "lowest_few":
                assert node.number is not None
                number = self.compiler.compile(node.number)

                def few(s: Sequence[int], b: int, r: list[Any]) -> list[Any]:
                    wanted = _known(number(s, b, r), node)
                    found = sorted(ranked(s, b, r), key=_by_keys)
                    return [member for _, member in found[: max(wanted, 0)]]

                return few
            case _:
                raise AssertionError(f"no meaning for the word {node.word}")


def _counting(passing: Any) -> Run:
    def count(s: Sequence[int], b: int, r: list[Any]) -> int:
        found = 0
        for _ in passing(s, b, r):
            found += 1
        return found

    return count


def _number(node: model.Quantifier, passing: Any, value: Run) -> Run:
    """`sum`, `max` and `min` of a value."""

    def values(s: Sequence[int], b: int, r: list[Any]) -> Iterator[Any]:
        for _ in passing(s, b, r):
            yield _known(value(s, b, r), node)

    def total(s: Sequence[int], b: int, r: list[Any]) -> Any:
        result = sum(values(s, b, r))
        if not INT_MIN <= result <= INT_MAX:
            message = f"{node.span.text} is {result}: it needs 32 bits"
            raise rule_error("overflow", message, node.span)
        return result

    def extreme(s: Sequence[int], b: int, r: list[Any]) -> Any:
        found = list(values(s, b, r))
        if not found:
            raise rule_error("nothing", f"{node.span.text}: {node.word} of nothing", node.span)
        return max(found) if node.word == "max" else min(found)

    return total if node.word == "sum" else extreme


def _end(word: str, passing: Any, value: Run) -> Run:
    """`first` and `last`: values that are none are skipped."""

    def first(s: Sequence[int], b: int, r: list[Any]) -> Any:
        for _ in passing(s, b, r):
            member = value(s, b, r)
            if member is not None:
                return member
        return None

    def last(s: Sequence[int], b: int, r: list[Any]) -> Any:
        found = None
        for _ in passing(s, b, r):
            member = value(s, b, r)
            if member is not None:
                found = member
        return found

    return first if word == "first" else last


def _by_keys(ranked: tuple[list[int], Any]) -> list[int]:
    return ranked[0]


def _known(value: Any, node: model.Quantifier) -> Any:
    if value is None:
        raise rule_error("none", f"{node.span.text}: a value is none", node.span)
    return value

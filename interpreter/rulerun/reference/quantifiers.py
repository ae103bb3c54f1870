"""What the library's words say of collections: `count`, `any`, `sum`, `highest`, `those` and so on.

Assumes: clauses whose registers are their own.
Does: runs through the clauses, the first outermost, and makes of what passes what the word says.
Leaves behind: closures, as `evaluate` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulerun.reference.compiler import Compiler
from rulerun.reference.subsets import packing
from rulerun.runtime.closures import Run, rule_error
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import INT_MAX, INT_MIN


class Quantifiers:
    """The quantifiers of one game."""

    def __init__(self, compiler: Compiler) -> None:
        """Compile the parts with `compiler`."""
        self.compiler = compiler

    def compile(self, node: model.Quantifier) -> Run:
        """The closure of a quantifier."""
        passing = self._passing(node, node.clauses)
        value = self.compiler.test(node.value)
        match node.word:
            case "count":
                return _counting(passing)
            case "any":
                assert value is not None
                holds = value
                return lambda s, b, r: any(holds(s, b, r) for _ in passing(s, b, r))
            case "all":
                assert value is not None
                held = value
                return lambda s, b, r: all(held(s, b, r) for _ in passing(s, b, r))
            case "sum" | "max" | "min":
                assert value is not None
                return _number(node, passing, value)
            case "packing":
                return packing(self.compiler, node, passing)
            case "first" | "last":
                assert value is not None
                return _end(node.word, passing, value)
            case "those":
                assert value is not None
                each = value
                return lambda s, b, r: [each(s, b, r) for _ in passing(s, b, r)]
            case _:
                assert value is not None
                return self._best(node, passing, value)

    def _passing(self, node: model.Quantifier, clauses: Sequence[model.Clause]) -> Any:
        """A generator that stops once for each way to pass all clauses, with the registers set."""
        if not clauses:
            return lambda s, b, r: iter((None,))
        clause, *rest = clauses
        source = self.compiler.budget.members(
            self.compiler.compile(clause.source),
            clause.source.span,
            self.compiler.budget.effort.counts(node),
        )
        condition = self.compiler.test(clause.condition)
        register = clause.register
        if not rest:

            def last(s: Sequence[int], b: int, r: list[Any]) -> Iterator[None]:
                for member in source(s, b, r):
                    r[register] = member
                    if condition is None or condition(s, b, r):
                        yield

            return last
        inner = self._passing(node, rest)

        def passing(s: Sequence[int], b: int, r: list[Any]) -> Iterator[None]:
            for member in source(s, b, r):
                r[register] = member
                if condition is None or condition(s, b, r):
                    yield from inner(s, b, r)

        return passing

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

"""Counting evaluations while rules run, in a game that has an expression which may take too long.

Assumes: `analysis.effort`, which says whether anything is counted, and what.
Does: counts the calls of functions and the members of collections that are counted, from where a
budget begins; each thread by itself.
Leaves behind: closures, as `evaluate` does. One evaluation more than the budget has is a rule error
at its place. Where no budget was begun nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import local
from typing import Any

from rulerun.analysis.effort import Effort
from rulerun.runtime.closures import Run, rule_error
from rulerun_dsl.source.spans import Span


class _Left(local):
    """What is left to count; for each thread."""

    number: int | None = None


class Budget:
    """How much may still be evaluated."""

    def __init__(self, effort: Effort) -> None:
        """Begin none yet."""
        self.effort = effort
        self._left = _Left()

    @property
    def silent(self) -> bool:
        """Whether nothing is counted, so that what is known need not be evaluated again."""
        return not self.effort.counted

    @contextmanager
    def anew(self) -> Iterator[None]:
        """While inside, evaluations are counted, from 0."""
        outer, self._left.number = self._left.number, self.effort.budget
        try:
            yield
        finally:
            self._left.number = outer

    def call(self, body: Run, span: Span, counted: bool) -> Run:
        """The body of a function, each call of which is counted."""
        if not counted:
            return body
        count = self.counting(span, counted)

        def call(s: Sequence[int], b: int, r: list[Any]) -> Any:
            count()
            return body(s, b, r)

        return call

    def members(self, source: Run, span: Span, counted: bool) -> Run:
        """The members of a collection, each counted when it is come to."""
        if not counted:
            return source
        count = self.counting(span, counted)

        def each(s: Sequence[int], b: int, r: list[Any]) -> Iterator[Any]:
            for member in source(s, b, r):
                count()
                yield member

        return each

    def counting(self, span: Span, counted: bool) -> Callable[[], None]:
        """What counts one evaluation of what stands at a place."""
        if not counted:
            return _nothing
        left = self._left
        message = f"more than {self.effort.budget} long evaluations without a decision"

        def count() -> None:
            if left.number is not None:
                if left.number <= 0:
                    raise rule_error("steps", message, span)
                left.number -= 1

        return count


def _nothing() -> None:
    pass

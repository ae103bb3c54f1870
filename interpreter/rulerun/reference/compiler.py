"""What the parts of the evaluator ask of the whole.

Expressions stand in one another, so each area of the language compiles the expressions inside its
own nodes by the evaluator that it is a part of. It knows that evaluator as a `Compiler`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rulerun.reference.budget import Budget
from rulerun.runtime.closures import Run
from rulerun.runtime.components import Components
from rulerun.runtime.index import GameIndex
from rulerun_dsl.model import Expression
from rulerun_dsl.source.spans import Span


class Compiler(Protocol):
    """Makes closures of the expressions of one game."""

    tables: GameIndex
    components: Components
    budget: Budget

    def compile(self, node: Expression) -> Run:
        """The closure of an expression."""

    def test(self, node: Expression | None) -> Run | None:
        """The closure of a condition that may be left out."""

    def tests(self, nodes: Sequence[Expression]) -> Run | None:
        """The closure of conditions that must all hold; None without any."""

    def function(self, number: int) -> Run:
        """The closure of a function's body."""

    def zone(self, zone: str, indexes: tuple[Expression | None, ...], span: Span) -> Run:
        """The number of a single zone."""

    def zones(self, zone: str, indexes: tuple[Expression | None, ...], span: Span) -> Run:
        """The numbers of the zones that are meant, ascending (an index left open is any)."""

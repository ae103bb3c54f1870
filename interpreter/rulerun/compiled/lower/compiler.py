"""What the parts of the lowering of expressions ask of the whole.

Expressions stand in one another, so each area of the language lowers the expressions inside its own
nodes by the whole that it is a part of. It knows that whole as a `Compiler`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Builder, Scope
from rulerun.compiled.lower.components import Body, Components
from rulerun_dsl import model
from rulerun_dsl.model import Expression


class Compiler(Protocol):
    """Lowers the expressions of one game."""

    builder: Builder
    components: Components

    def value(self, node: Expression, scope: Scope) -> Value:
        """The value of an expression."""

    def sure(self, node: Expression, scope: Scope) -> Value:
        """A value that must not be none."""

    def of(self, node: Expression, scope: Scope, inside: Callable[[Value], Value]) -> Value:
        """What is said of a value, none of none."""

    def parts_of(self, node: Expression, scope: Scope) -> list[Value]:
        """Of a large set that may be none, by name: its parts, the first below 0 if it is none."""

    def address(self, node: model.Variable, scope: Scope) -> Value:
        """Where a single variable lies."""

    def zone(self, zone: str, indexes: tuple[Expression | None, ...], scope: Scope) -> Value:
        """The number of a single zone."""

    def each(self, node: Expression, scope: Scope, body: Body) -> None:
        """A loop over the members of a collection."""

    def as_function(
        self,
        node: Expression,
        scope: Scope,
        word: str,
        write: Callable[..., None],
        extra: tuple[tuple[str, Value], ...] = (),
    ) -> Value:
        """The value of an expression by a function of what it reads.

        `extra` are more parameters with what they are given. `write` gets what the registers hold
        inside, then these.
        """

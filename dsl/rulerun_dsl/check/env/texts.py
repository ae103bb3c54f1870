"""What the texts of an outline say by themselves, whatever the settings.

Assumes: an outline, of which several worlds may be looked at.
Does: keeps what the parser gives for the cells, keys and rows' functions that the outline leaves as
text, and what is worked out from an outline alone.
Leaves behind: the same answers for each world. Bounds are counted and findings said by each world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.parse import parse_template, parse_test
from rulerun_dsl.yaml.nodes import Scalar

_Answer = TypeVar("_Answer")


class Texts:
    """What is known of the texts of one outline."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._parsed: dict[int, tuple[Scalar, s.Expression | None, list[Diagnostic]]] = {}
        self._templates: dict[int, tuple[Scalar, s.Template | None, list[Diagnostic]]] = {}
        self._known: dict[str, object] = {}

    def parsed(self, node: Scalar) -> tuple[s.Expression | None, list[Diagnostic]]:
        """An expression that stands in the outline as text, and what the parser says of it."""
        if id(node) not in self._parsed:
            self._parsed[id(node)] = node, *parse_test(node)
        _, expression, found = self._parsed[id(node)]
        return expression, found

    def template(self, node: Scalar) -> tuple[s.Template | None, list[Diagnostic]]:
        """A sentence that stands in the outline as text, and what the parser says of it."""
        if id(node) not in self._templates:
            self._templates[id(node)] = node, *parse_template(node)
        _, template, found = self._templates[id(node)]
        return template, found

    def known(self, what: str, make: Callable[[], _Answer]) -> _Answer:
        """What somebody works out from the outline alone, under a name of its own."""
        if what not in self._known:
            self._known[what] = make()
        return self._known[what]  # type: ignore[return-value]

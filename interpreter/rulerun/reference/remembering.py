"""What searches of a graph have given, kept while a question is listed.

Assumes: functions of a game whose evaluations nobody counts.
Does: while inside a `Listing`, answers a function that searches (`reach`, `distance`, …) from what
it gave for the same arguments. A question asks it again and again: for each turn of a tile, say,
what is reached from where the tile would lie.
Leaves behind: closures, as `evaluate` does. Between listings nothing is kept, since the state may
be another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rulerun.analysis.reads import reads
from rulerun.runtime.closures import Run
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.model.traversal import parts

_KEPT = (int, bool, list, tuple, type(None))
"""What can be given twice; an iterator would be at its end."""


class Listing:
    """What was found while a question is listed."""

    def __init__(self) -> None:
        """Nothing is listed."""
        # One value, so that of several threads each sees its own state or none.
        self._now: tuple[Sequence[int], dict[tuple[Any, ...], Any]] | None = None

    @contextmanager
    def of(self, slots: Sequence[int]) -> Iterator[None]:
        """While inside nothing writes these slots."""
        self._now = slots, {}
        try:
            yield
        finally:
            self._now = None

    def remembered(self, game: Game, number: int, body: Run) -> Run:
        """The body of a function, which is evaluated once for the same arguments if it searches."""
        function = game.functions[number]
        if not _searches(function.body) or not _follows(game, function):
            return body
        registers = function.parameters

        def remembered(s: Sequence[int], b: int, r: list[Any]) -> Any:
            now = self._now
            if now is None or s is not now[0]:
                return body(s, b, r)
            key = (number, *(r[each] for each in registers))
            if any(type(each) is list for each in key):
                return body(s, b, r)
            known = now[1]
            if key in known:
                return known[key]
            value = body(s, b, r)
            if type(value) in _KEPT:
                known[key] = value
            return value

        return remembered


def _searches(node: Expression) -> bool:
    own = isinstance(node, model.BuiltinCall) and LIBRARY[node.word].searches
    return own or any(map(_searches, parts(node)))


def _follows(game: Game, function: model.Function) -> bool:
    """Whether what it gives follows from its arguments and the state."""
    found = reads(game, function.body)
    return found.registers <= set(function.parameters) and not (found.locals or found.running)

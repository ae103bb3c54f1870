"""The values: what has changed in a game."""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Detail:
    """One part of a thing that is not what it was.

    `what` names the part (`default`, `value`; empty: all there is to it). It was `old` and is
    `new`; None: there was nothing, or is nothing now. Steps are compared line by line instead:
    `lines` begin with `-`, `+`, or a space for what stands beside.
    """

    what: str
    old: str | None = None
    new: str | None = None
    lines: tuple[str, ...] = ()


@frozen
class Change:
    """A thing that was added, removed, changed or renamed."""

    sort: str
    """What it is: `option`, `row`, `zone`, …"""
    within: str
    """Of a row, what has the row; of a phase, the phases around it."""
    name: str
    how: str
    """`added`, `removed`, `changed` or `renamed`."""
    was: str
    """The name that it had."""
    details: tuple[Detail, ...]
    old: Span | None
    new: Span | None


@frozen
class Changes:
    """All that is different between two games."""

    changes: tuple[Change, ...]
    texts: int
    """How many texts that people read are others."""
    hints: int
    """How many lines of hints for screens (`view:`) are others."""

    @property
    def same(self) -> bool:
        """Whether the same game is played."""
        return not self.changes

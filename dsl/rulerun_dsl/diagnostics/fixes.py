"""What would mend a finding, as changes of the text that it is about.

Assumes: a finding whose finder knows what to write.
Does: nothing to any file: an `Edit` is a value, and `edit.applying` makes a new text of several.
Leaves behind: `Fix`, which a `Diagnostic` carries.

A fix is safe if what the author meant can be nothing else, and the file has fewer findings with it.
A guess among several names, and whatever takes something out, is not: somebody has to look at it.
"""

from __future__ import annotations

from typing import TypedDict

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Edit:
    """A stretch of a text, and what stands there instead."""

    span: Span
    text: str


@frozen
class Fix:
    """Changes that belong together; `title` says what they do, as in `write `score``."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool


class Hint(TypedDict):
    """What to write instead, for people and for programs: `problem(…, **hint)`."""

    help: str | None
    fixes: tuple[Fix, ...]


def rewrite(span: Span, text: str, *, safe: bool, title: str | None = None) -> tuple[Fix, ...]:
    """The one fix that writes something else at one place."""
    return (Fix(title or f"write `{text}`", (Edit(span, text),), safe),)


def take_out(span: Span, what: str, *, safe: bool = False) -> tuple[Fix, ...]:
    """The one fix that deletes a stretch of text."""
    return (Fix(f"take out {what}", (Edit(span, ""),), safe),)

"""How a finding can be mended: texts to put in place of others."""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Edit:
    """A text in place of what stands in a stretch."""

    span: Span
    text: str


@frozen
class Fix:
    """What mends a finding."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool
    """It means what the author meant, as far as anybody can tell."""

"""The abstract syntax of what people see and read: `view:`, `words:`, `story:`, `about:`."""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Mapping, Scalar


@frozen
class ViewDecl:
    """`view:` of the game or of a chapter: hints for screens."""

    node: Mapping
    when: s.Expression | None
    """The condition of the module it stands in."""
    headline: s.Template | None


@frozen
class WordsDecl:
    """`words:` or `story:` of the game or of a chapter: what people read."""

    node: Mapping
    when: s.Expression | None
    """The condition of the module it stands in."""


@frozen
class About:
    """An `about:` of a declaration: what it is about, such as `zone hand`, and the text."""

    key: str
    text: Scalar

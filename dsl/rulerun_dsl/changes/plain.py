"""Rules as plain text: the same text for the same rules, however they are laid out.

Assumes: parts of an outline.
Does: writes them as the fingerprint does, and takes away what only layout or habit decides: spaces
in what is parsed later, several statements on one line, who wrote out a default.
Leaves behind: `key_of`, a text to compare, and `shown`, a text for people.
"""

from __future__ import annotations

import re

from rulerun_dsl.codegen.fingerprint import RulesWriter, only_tells
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.declarations import Line
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

TELLS = ("about", "cite", "assumed")
"""Keys under which only people are told something."""

_TOKEN = re.compile(r"\w+|\.\.|[^\w\s]+")


def key_of(value: object) -> str:
    """A text that two values of an outline share if they are the same rules."""
    return _PlainWriter(silent=True).text(value)


def shown(value: object) -> str:
    """A part of an outline as people read it: as it is written, on one line."""
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, Scalar | Sequence | Mapping):
        return node_shown(value)
    return one_line(value.span.text)  # type: ignore[attr-defined]


def one_line(text: str) -> str:
    """A text with every run of white space as one space."""
    return " ".join(text.split())


def node_shown(node: Node) -> str:
    """A node on one line."""
    match node:
        case Scalar():
            return one_line(node.text) or '""'
        case Sequence():
            return f"[{', '.join(map(node_shown, node.items))}]"
        case Mapping():
            inside = ", ".join(f"{each.key.text}: {node_shown(each.value)}" for each in node)
            return f"{{{inside}}}"


class _PlainWriter(RulesWriter):
    """Writes rules without what only layout decides."""

    def text(self, value: object) -> str:
        """A value of an outline as text."""
        if value is None or isinstance(value, s.Template):
            return "-"
        if isinstance(value, Scalar):
            return repr(value.text if "\n" in value.text else " ".join(_TOKEN.findall(value.text)))
        if isinstance(value, Mapping):
            kept = [each for each in value if each.key.text not in TELLS]
            return "{" + ",".join(f"{e.key.text}:{self.text(e.value)}" for e in kept) + "}"
        if isinstance(value, tuple) and any(isinstance(each, Line) for each in value):
            steps = [
                each
                for step in value
                if not only_tells(step)
                for each in (step.statements if isinstance(step, Line) else (step,))
            ]
            return "(" + ",".join(map(self.text, steps)) + ")"
        return super().text(value)

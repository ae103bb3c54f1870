"""How a text is written as a YAML scalar.

Assumes: a text, and where it is to stand.
Does: says whether it needs quotes, and quotes it. It asks for quotes wherever YAML, an older YAML
or a reader could take the text for something else; so a plain text is plain everywhere.
Leaves behind: text for a file.
"""

from __future__ import annotations

import re

from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence
from rulerun_dsl.yaml.pitfalls import value_traps
from rulerun_dsl.yaml.scalars import core_value

# What opens something else where it begins a text.
_SIGNS = re.compile(r"[\-?:](?:\s|$)|[,\[\]{}#&*!|>'\"%@`]|---|\.\.\.|<<$")
_INSIDE = re.compile(r":(?:\s|$)|\s#|[\r\n\t]")
_IN_FLOW = re.compile(r"^[:?]|[,\[\]{}]|:(?=[,\[\]{}])")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def plain_enough(text: str, *, flow: bool, value: bool) -> bool:
    """Whether a text can stand without quotes and is read as that text; `flow`: in brackets."""
    if not text or text != text.strip() or not text.isprintable():
        return False
    if _SIGNS.match(text) or _INSIDE.search(text) or (flow and _IN_FLOW.search(text)):
        return False
    if not value:
        return True
    return not any(value_traps(_alone(text), not flow))


def means_itself(text: str) -> bool:
    """Whether YAML makes nothing but a text of a plain text."""
    try:
        return core_value(text) == text
    except ValueError:
        return False


def _alone(text: str) -> Scalar:
    return Scalar(text, text, Source("", text).span(0, len(text)))


def double_quoted(text: str) -> str:
    """A text in double quotes."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    number = ord(character)
    if number < 0x20 or 0x7F <= number < 0xA0 or number in (0x2028, 0x2029, 0xFEFF):
        return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
    return character


def in_flow(root: Node, wanted: Node) -> bool:
    """Whether a node stands in brackets or braces."""
    level: list[tuple[Node, bool]] = [(root, False)]
    while level:
        node, inside = level.pop()
        if node is wanted:
            return inside
        if isinstance(node, Scalar):
            continue
        within = inside or node.span.text[:1] in ("[", "{")
        if isinstance(node, Mapping):
            level += ((each.value, within) for each in node.entries)
        elif isinstance(node, Sequence):
            level += ((each, within) for each in node.items)
    return False

"""One value of a file changed, and nothing else.

Assumes: a source whose YAML can be read, and a place in it.
Does: writes the new value where the old one stood. A single value stays one: what is given is its
text, quoted if it would not be read as that text otherwise, and in the old quotes if it had some.
A list or mapping in brackets is replaced by another value as YAML writes it. Of several spellings
the first is taken with which the document says what is wanted, and all else as before.
Leaves behind: an `Edit`, or `CannotSet` with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl.diagnostics.diagnostic import has_errors, short
from rulerun_dsl.diagnostics.fixes import Edit
from rulerun_dsl.edit.applying import applied
from rulerun_dsl.edit.paths import Found
from rulerun_dsl.edit.quoting import double_quoted, in_flow, plain_enough
from rulerun_dsl.edit.shape import Shape, shape_of, with_value
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


class CannotSet(Exception):
    """There is no single value to change there, or the new one cannot stand there."""


def setting(document: Mapping, place: Found, value: str) -> Edit:
    """The edit that gives a place a value. Raises `CannotSet`."""
    source, node = document.span.source, place.node
    name = ".".join(str(each + 1) if isinstance(each, int) else each for each in place.steps)
    if _is_alias(place):
        raise CannotSet(
            f"`{name}` is an alias (`*`) of what stands in line {node.span.line}: "
            "write it out there, or change that"
        )
    if isinstance(node, Mapping | Sequence) and not _in_brackets(node):
        many = "keys" if isinstance(node, Mapping) else "a list"
        inside = (
            ", ".join(f"`{name}.{key}`" for key in node.keys()[:3])
            if isinstance(node, Mapping)
            else f"`{name}.1`"
        )
        raise CannotSet(f"`{name}` is a block of {many}: set one value in it, such as {inside}")
    before = shape_of(document)
    for text, wanted in _spellings(source, document, node, value):
        edit = Edit(node.span, text)
        if _says(source, edit, with_value(before, place.steps, wanted)):
            return edit
    raise CannotSet(f"`{name}` cannot be `{short(value)}` where it stands: write it by hand")


def _is_alias(place: Found) -> bool:
    """Whether a value stands elsewhere: before what it is a part of."""
    if isinstance(place.parent, Sequence):
        return not place.parent.span.covers(place.node.span)
    entry = place.parent.entry(str(place.steps[-1]))
    return entry is None or entry.key.span.end > place.node.span.start


def _in_brackets(node: Node) -> bool:
    return node.span.text[:1] in ("[", "{")


def _spellings(
    source: Source, document: Mapping, node: Node, value: str
) -> Iterator[tuple[str, Shape]]:
    """Ways to write a value, the likeliest first, each with what it should be read as."""
    single = isinstance(node, Scalar)
    plain = not isinstance(node, Scalar) or node.style == "plain"
    # An empty value stands right behind its colon.
    before = source.text[node.span.start - 1 : node.span.start]
    space = " " if isinstance(node, Scalar) and not node.span.text and before in (":", "-") else ""
    if plain and (collection := _collection(value)) is not None:
        yield space + value.strip(), collection
    if not single and value.strip():
        collection = _collection(value)
        if collection is not None:
            yield value.strip(), collection
    yield from ((space + text, ("text", value)) for text in _as_text(source, document, node, value))


def _as_text(source: Source, document: Mapping, node: Node, value: str) -> Iterator[str]:
    style = node.style if isinstance(node, Scalar) else "plain"
    if style in ("literal", "folded") and isinstance(node, Scalar):
        yield from _block(source, node, value)
    if style == "single" and "\n" not in value:
        yield "'" + value.replace("'", "''") + "'"
    if style in ("plain", "literal", "folded") and plain_enough(
        value, flow=in_flow(document, node), value=True
    ):
        yield value
    yield double_quoted(value)


def _block(source: Source, node: Scalar, value: str) -> Iterator[str]:
    """A block of text with the old sign and indentation."""
    lines = re.split(r"\r\n|\r|\n", node.span.text)
    if len(lines) < 2 or not value.strip():
        return
    ending = "\r\n" if "\r\n" in source.text else "\n"
    indent = re.match(r" *", lines[1])
    assert indent is not None
    written = (f"{indent[0]}{line}" if line else "" for line in value.rstrip("\n").split("\n"))
    yield ending.join((lines[0], *written))


def _collection(value: str) -> Shape | None:
    """What a value in brackets is, if it is one."""
    text = value.strip()
    if text[:1] not in ("[", "{") or "\n" in text:
        return None
    document, found = load_document(Source("", f"x: {text}\n"))
    if document is None or has_errors(found):
        return None
    inner = document.get("x")
    if inner is None or isinstance(inner, Scalar) or inner.span.text != text:
        return None
    return shape_of(inner)


def _says(source: Source, edit: Edit, wanted: Shape) -> bool:
    """Whether the document with an edit is what is wanted."""
    document, _ = load_document(Source(source.name, applied(source, [edit])))
    return document is not None and shape_of(document) == wanted

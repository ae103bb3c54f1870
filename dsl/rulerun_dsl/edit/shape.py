"""What a document says, without how it is written.

Assumes: nodes of a document.
Does: makes plain values of them, in which the order of keys counts and their places do not.
Leaves behind: values that are equal where two texts say the same.

A `Shape` keeps of a scalar its text, which is what the language reads; `data_of` keeps the value
that YAML makes of it, which is what other programs read.
"""

from __future__ import annotations

from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

# ("text", text), ("list", (…)) or ("keys", ((key, …), …)).
Shape = tuple[str, object]


def shape_of(node: Node) -> Shape:
    """A node as its texts."""
    match node:
        case Scalar():
            return "text", node.text
        case Sequence():
            return "list", tuple(shape_of(item) for item in node.items)
        case Mapping():
            return "keys", tuple((each.key.text, shape_of(each.value)) for each in node.entries)


def data_of(node: Node) -> Shape:
    """A node as the values that YAML makes of it, each with its type."""
    match node:
        case Scalar():
            return "value", (type(node.value).__name__, repr(node.value), node.text)
        case Sequence():
            return "list", tuple(data_of(item) for item in node.items)
        case Mapping():
            return "keys", tuple((each.key.text, data_of(each.value)) for each in node.entries)


def with_value(shape: Shape, steps: tuple[str | int, ...], value: Shape) -> Shape:
    """The shape with another value at a place."""
    if not steps:
        return value
    kind, inside = shape
    step, *rest = steps
    assert isinstance(inside, tuple)
    if kind == "list":
        return kind, tuple(
            with_value(each, tuple(rest), value) if place == step else each
            for place, each in enumerate(inside)
        )
    return kind, tuple(
        (key, with_value(each, tuple(rest), value) if key == step else each) for key, each in inside
    )

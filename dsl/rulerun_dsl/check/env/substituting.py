"""Arguments in the places of parameters that are locals.

Assumes typed expressions.
Does: puts each argument where its parameter is read.
Leaves behind: expressions of the caller; those that read no parameter are the same objects.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

from rulerun_dsl import model as m

Arguments = Mapping[int, m.Expression]
"""By the offset of a parameter: the argument."""

_Node = TypeVar("_Node")


def put_arguments(node: _Node, arguments: Arguments) -> _Node:
    """Return an expression, or a part of one, with arguments in place of parameters."""
    found: object = node
    if isinstance(node, m.Local):
        found = arguments.get(node.offset, node)
    elif isinstance(node, m.Expression | m.Clause):
        changes = {}
        for field in dataclasses.fields(node):
            old = getattr(node, field.name)
            new = put_arguments(old, arguments)
            if new is not old:
                changes[field.name] = new
        found = dataclasses.replace(node, **changes) if changes else node
    elif isinstance(node, tuple):
        items = tuple(put_arguments(each, arguments) for each in node)
        found = items if any(a is not b for a, b in zip(items, node, strict=True)) else node
    return found  # type: ignore[return-value]  # an expression stays one, a clause, a tuple too

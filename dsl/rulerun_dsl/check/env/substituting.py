"""Arguments in the places of parameters that are locals.

Assumes typed expressions.
Does: puts each argument where its parameter is read.
Leaves behind: expressions of the caller; those that read no parameter are the same objects.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulerun_dsl import model as m
from rulerun_dsl.model.traversal import with_parts

Arguments = Mapping[int, m.Expression]
"""By the offset of a parameter: the argument."""


def put_arguments(node: m.Expression, arguments: Arguments) -> m.Expression:
    """Return an expression with arguments in place of parameters."""
    if isinstance(node, m.Local):
        return arguments.get(node.offset, node)
    return with_parts(node, lambda part: put_arguments(part, arguments))

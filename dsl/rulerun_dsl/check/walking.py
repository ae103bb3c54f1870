"""Walking over checked rules: the nodes of a tree, the expressions in a node."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import tree


def children(node: tree.Node) -> Iterator[tree.Node]:
    """The nodes right inside a node."""
    match node:
        case tree.Block(steps=steps):
            yield from steps
        case tree.If(then=then, alternative=alternative):
            yield then
            if alternative is not None:
                yield alternative
        case tree.Loop(body=body) | tree.Until(body=body) | tree.Repeat(body=body):
            yield body
        case tree.Together(body=body) | tree.Phase(body=body):
            yield body
        case tree.Choose(lines=lines, nothing=nothing):
            yield from (line.body for line in lines if line.body is not None)
            if nothing is not None:
                yield nothing


def walk(node: tree.Node) -> Iterator[tree.Node]:
    """A node and all nodes inside it."""
    yield node
    for child in children(node):
        yield from walk(child)


def parts(node: object) -> Iterator[m.Expression]:
    """All expressions in a node, an instruction or an expression, each before its parts."""
    if isinstance(node, m.Expression):
        yield node
    if dataclasses.is_dataclass(node) and not isinstance(node, tree.Node | t.Bool):
        for field in dataclasses.fields(node):
            if field.name not in ("span", "type"):
                yield from _parts_of(getattr(node, field.name))
    elif isinstance(node, tree.Node):
        for field in dataclasses.fields(node):
            value = getattr(node, field.name)
            if field.name != "span" and not isinstance(value, tree.Node):
                yield from _parts_of(value)


def _parts_of(value: object) -> Iterator[m.Expression]:
    if isinstance(value, m.Expression | m.Clause | m.Loop | m.ZoneAt | m.OptionBinder):
        yield from parts(value)
    elif isinstance(value, m.Instruction | tree.Line):
        yield from parts(value)
    elif isinstance(value, tuple):
        for each in value:
            if not isinstance(each, tree.Node) or isinstance(each, tree.Line):
                yield from _parts_of(each)

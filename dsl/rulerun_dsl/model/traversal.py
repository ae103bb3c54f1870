"""Expressions inside expressions: what goes through a tree goes by these two.

A part is an expression right inside another one, or inside a clause of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from rulerun_dsl.model.expressions import Clause, Expression

_Expression = TypeVar("_Expression", bound=Expression)


def parts(node: Expression) -> Iterator[Expression]:
    """The parts of an expression, in the order of its fields."""
    for field in dataclasses.fields(node):
        yield from _parts_of(getattr(node, field.name))


def _parts_of(value: object) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, Clause):
        yield value.source
        if value.condition is not None:
            yield value.condition
    elif isinstance(value, tuple):
        for item in value:
            yield from _parts_of(item)


def with_parts(node: _Expression, change: Callable[[Expression], Expression]) -> _Expression:
    """An expression with each of its parts changed; itself where none becomes another."""
    changed: _Expression = _changed(node, change)
    return changed


def _changed(node: Any, change: Callable[[Expression], Expression]) -> Any:
    """An expression or a clause with what is right inside it changed."""
    changes = {}
    for field in dataclasses.fields(node):
        old = getattr(node, field.name)
        new = _change(old, change)
        if new is not old:
            changes[field.name] = new
    return dataclasses.replace(node, **changes) if changes else node


def _change(value: object, change: Callable[[Expression], Expression]) -> object:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, Clause):
        return _changed(value, change)
    if isinstance(value, tuple):
        new = tuple(_change(item, change) for item in value)
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    return value

"""Expressions inside expressions: what goes through a tree goes by these two.

A part is an expression right inside another one, or inside a clause of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rulerun_dsl.model.expressions import Clause, Expression
from rulerun_dsl.source.frozen import field_names

_Expression = TypeVar("_Expression", bound=Expression)


def parts(node: Expression) -> list[Expression]:
    """The parts of an expression, in the order of its fields."""
    found: list[Expression] = []
    for name in field_names(node):
        _add_parts(getattr(node, name), found)
    return found


def _add_parts(value: object, found: list[Expression]) -> None:
    if isinstance(value, Expression):
        found.append(value)
    elif isinstance(value, tuple):
        for item in value:
            _add_parts(item, found)
    elif isinstance(value, Clause):
        found.append(value.source)
        if value.condition is not None:
            found.append(value.condition)


def with_parts(node: _Expression, change: Callable[[Expression], Expression]) -> _Expression:
    """An expression with each of its parts changed; itself where none becomes another."""
    changed: _Expression = _changed(node, change)
    return changed


def _changed(node: Any, change: Callable[[Expression], Expression]) -> Any:
    """An expression or a clause with what is right inside it changed."""
    before = [getattr(node, name) for name in field_names(node)]
    after = [_change(each, change) for each in before]
    same = all(new is old for new, old in zip(after, before, strict=True))
    return node if same else type(node)(*after)


def _change(value: object, change: Callable[[Expression], Expression]) -> object:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, Clause):
        return _changed(value, change)
    if isinstance(value, tuple):
        new = tuple(_change(item, change) for item in value)
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    return value

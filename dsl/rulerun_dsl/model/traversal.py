"""Expressions inside expressions: what goes through a tree goes by these two.

A part is an expression right inside another one, or inside a clause of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import is_not
from typing import Any, TypeVar

from rulerun_dsl.model.expressions import Clause, Expression
from rulerun_dsl.source.frozen import field_names

_Expression = TypeVar("_Expression", bound=Expression)

_PLAIN = frozenset(
    (
        *("Type", "Span", "Span | None", "str", "int", "int | None", "bool"),
        *("tuple[int, ...]", "tuple[int | None, ...]"),
    )
)
"""The types, as they are written, of fields in which no expression lies: a table may be long."""


_HOLDING: dict[type, tuple[str, ...]] = {}


def holding(node: Any) -> tuple[str, ...]:
    """The fields of a frozen value in which expressions may lie."""
    made = type(node)
    if made not in _HOLDING:
        fields = dataclasses.fields(node)
        _HOLDING[made] = tuple(each.name for each in fields if each.type not in _PLAIN)
    return _HOLDING[made]


def parts(node: Expression) -> list[Expression]:
    """The parts of an expression, in the order of its fields."""
    found: list[Expression] = []
    for name in holding(node):
        value = getattr(node, name)
        if isinstance(value, Expression):
            found.append(value)
        elif value:
            _add_parts(value, found)
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
    new: dict[str, object] = {}
    for name in holding(node):
        before = getattr(node, name)
        after = _change(before, change)
        if after is not before:
            new[name] = after
    if not new:
        return node
    return type(node)(*(new.get(name, getattr(node, name)) for name in field_names(node)))


def _change(value: object, change: Callable[[Expression], Expression]) -> object:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, Clause):
        return _changed(value, change)
    if isinstance(value, tuple) and value:
        new = tuple([_change(item, change) for item in value])
        return new if any(map(is_not, new, value)) else value
    return value

"""Finding one of a family: `won[p]`, `hand[q]`, `plan[p, all]`.

Assumes: families laid out with their last index fastest.
Does: turns indexes into a number: an address of a variable, or the number of a zone.
Leaves behind: closures. An index that is none or does not exist is a rule error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.executor import RuleError
from rulerun_dsl.model import Expression
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Shape:
    """How a family is laid out: `base + sum((index - low) * stride)`."""

    base: int
    lows: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


Compile = Callable[[Expression], Run]
Indexes = tuple[Expression | None, ...]


def address(compile_: Compile, name: str, shape: Shape, indexes: Indexes, span: Span) -> Run:
    """The number of a single one."""
    base = shape.base
    steps = []
    for index, low, size, stride in zip(
        indexes, shape.lows, shape.sizes, shape.strides, strict=True
    ):
        assert index is not None
        steps.append((compile_(index), low, size, stride))

    if len(steps) == 1:
        ((only, least, many, step),) = steps

        def one(s: Sequence[int], b: int, r: list[Any]) -> int:
            index: int | None = only(s, b, r)
            if index is None or not 0 <= index - least < many:
                raise no_such(name, index, least, many, span)
            return base + (index - least) * step

        return one

    def single(s: Sequence[int], b: int, r: list[Any]) -> int:
        at = base
        for run, low, size, stride in steps:
            index = run(s, b, r)
            if index is None or not 0 <= index - low < size:
                raise no_such(name, index, low, size, span)
            at += (index - low) * stride
        return at

    return single


def addresses(compile_: Compile, name: str, shape: Shape, indexes: Indexes, span: Span) -> Run:
    """The numbers of all that are meant, ascending: an index left open is any."""
    steps = [
        (None if index is None else compile_(index), low, size, stride)
        for index, low, size, stride in zip(
            indexes, shape.lows, shape.sizes, shape.strides, strict=True
        )
    ]

    def several(s: Sequence[int], b: int, r: list[Any]) -> list[int]:
        found = [shape.base]
        for run, low, size, stride in steps:
            if run is None:
                found = [at + step * stride for at in found for step in range(size)]
                continue
            index = run(s, b, r)
            if index is None or not 0 <= index - low < size:
                raise no_such(name, index, low, size, span)
            found = [at + (index - low) * stride for at in found]
        return found

    return several


def no_such(name: str, index: Any, low: int, size: int, span: Span) -> RuleError:
    """An index that is none or does not exist."""
    if index is None:
        return rule_error("none", f"{span.text}: an index is none", span)
    message = f"{span.text}: {name} has {low}..{low + size - 1}, not {index}"
    return rule_error("index", message, span)

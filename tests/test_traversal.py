"""What walks expressions passes over no field that holds one."""

from __future__ import annotations

import dataclasses
import typing

import rulerun_dsl.model as m
from rulerun_dsl.model import expressions
from rulerun_dsl.model.traversal import holding


def _classes(of: type) -> list[type]:
    below: list[type] = of.__subclasses__()
    return [of, *(each for one in below for each in _classes(one))]


def _named(hint: object) -> set[object]:
    return {hint, *(each for one in typing.get_args(hint) for each in _named(one))}


def test_no_field_that_is_passed_over_can_hold_an_expression() -> None:
    every = [each for each in _classes(m.Expression) if dataclasses.is_dataclass(each)]
    assert len(every) > 30
    for made in every:
        hints = typing.get_type_hints(made, vars(expressions) | vars(m))
        node = object.__new__(made)
        for name in {each.name for each in dataclasses.fields(made)} - {*holding(node)}:
            held = [each for each in _named(hints[name]) if isinstance(each, type)]
            assert not any(issubclass(each, m.Expression) for each in held), (made, name)

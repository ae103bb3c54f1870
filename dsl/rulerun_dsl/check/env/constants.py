"""The value of a constant expression, and folding what is constant in a larger one.

An expression is constant if it reads no state, no register and no local: numbers, options, players,
columns of named rows, and functions of these.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from rulerun_dsl import model as m
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.model.traversal import with_parts


class _NotConstant:
    """The answer for what is not constant."""


NOT_CONSTANT: Final = _NotConstant()
_Value = int | None | list[int] | _NotConstant


def value_of(
    world: World, node: m.Expression, bindings: dict[int, int | None] | None = None
) -> int | _NotConstant | None:
    """Return the value of a scalar expression, or `NOT_CONSTANT`."""
    if isinstance(node, m.Literal):
        return node.value
    if world.folding > MOST_FOLDING:
        world.give_up(node.span)
        return NOT_CONSTANT
    outer, world.budget = world.budget, BUDGET
    try:
        found = _value(world, node, bindings or {})
    finally:
        world.folding += BUDGET - world.budget
        world.budget = outer
    return NOT_CONSTANT if isinstance(found, list) else found


def members_of(world: World, node: m.Expression) -> list[int] | None:
    """The members of a collection that is the same in every play; None of any other."""
    outer, world.budget = world.budget, BUDGET
    try:
        if isinstance(node, m.Quantifier) and node.word == "those":
            found: _Value = _gathered(world, node, {})
        else:
            found = _value(world, node, {})
    finally:
        world.folding += BUDGET - world.budget
        world.budget = outer
    return found if isinstance(found, list) else None


def is_total(node: m.Expression) -> bool:
    """Whether an expression is made of settings, so that it is constant whatever they are."""
    match node:
        case m.Literal() | m.Setting():
            return True
        case m.Not(operand=operand):
            return is_total(operand)
        case m.And(operands=operands) | m.Or(operands=operands):
            return all(map(is_total, operands))
        case m.Comparison(left=left, right=right):
            return is_total(left) and is_total(right)
        case _:
            return False


BUDGET = 100_000
"""The most steps that are taken to work out a value; what takes more is not constant."""


MOST_FOLDING = 1_500_000
"""The most steps for all constants of a game; the rest is said to be not checked."""


def _value(world: World, node: m.Expression, bindings: dict[int, int | None]) -> _Value:
    world.budget -= 1
    if world.budget < 0:
        return NOT_CONSTANT
    match node:
        case m.Literal(value=value):
            return value
        case m.Setting(name=name):
            return world.setting_value(name)
        case m.Register(index=index):
            return bindings.get(index, NOT_CONSTANT)
        case m.Arithmetic(operator=operator, left=left, right=right):
            return _arithmetic(
                operator, _value(world, left, bindings), _value(world, right, bindings)
            )
        case m.Comparison(operator=operator, left=left, right=right):
            return _compare(operator, _value(world, left, bindings), _value(world, right, bindings))
        case m.Not(operand=operand):
            inner = _value(world, operand, bindings)
            return inner if isinstance(inner, _NotConstant) else int(not inner)
        case m.And(operands=operands) | m.Or(operands=operands):
            stops = isinstance(node, m.Or)
            for each in operands:
                inner = _value(world, each, bindings)
                if isinstance(inner, _NotConstant):
                    return NOT_CONSTANT
                if bool(inner) is stops:
                    return int(stops)
            return int(not stops)
        case m.Conditional(condition=condition, value=then, alternative=alternative):
            test = _value(world, condition, bindings)
            if isinstance(test, _NotConstant):
                return NOT_CONSTANT
            return _value(world, then if test else alternative, bindings)
        case m.Otherwise(left=left, right=right):
            first = _value(world, left, bindings)
            return _value(world, right, bindings) if first in (None, []) else first
        case m.NotNone(operand=operand):
            inner = _value(world, operand, bindings)
            return NOT_CONSTANT if inner is None else inner
        case m.RangeCheck(operand=operand, type=t.Int(low, high)):
            inner = _value(world, operand, bindings)
            return inner if isinstance(inner, int) and low <= inner <= high else NOT_CONSTANT
        case m.Lookup(values=values, indexes=indexes, lows=lows, strides=strides):
            place = 0
            for at, low, stride in zip(indexes, lows, strides, strict=True):
                inner = _value(world, at, bindings)
                if inner is None:
                    return None
                if not isinstance(inner, int):
                    return NOT_CONSTANT
                place += (inner - low) * stride
            return values[place] if 0 <= place < len(values) else NOT_CONSTANT
        case m.Values(low=low_node, high=high_node):
            first, last = _value(world, low_node, bindings), _value(world, high_node, bindings)
            if isinstance(first, int) and isinstance(last, int) and last - first < 10_000:
                return list(range(first, last + 1))
            return NOT_CONSTANT
        case m.FunctionCall(function=function, arguments=arguments):
            facts = world.functions[function]
            inside = dict(bindings)
            given: list[int | None] = []
            for (_, _, register), argument in zip(facts.parameters, arguments, strict=True):
                inner = _value(world, argument, bindings)
                if isinstance(inner, _NotConstant | list):
                    return NOT_CONSTANT
                inside[register] = inner
                given.append(inner)
            key = function, tuple(given), world.heeds
            if key in world.results:
                return world.results[key]
            result = NOT_CONSTANT if facts.body is None else _value(world, facts.body, inside)
            if result is None or isinstance(result, int):
                world.results[key] = result
            return result
        case m.Quantifier():
            return _quantified(world, node, bindings)
        case m.BuiltinCall(word="packed", type=t.SetOf(inside, None), arguments=(source,)):
            members = _value(world, source, bindings)
            if not isinstance(members, list):
                return NOT_CONSTANT
            low = inside.low if isinstance(inside, t.Int) else 0
            return sum(1 << (value - low) for value in set(members))
        case m.Contains(value=item, collection=collection):
            one, many = _value(world, item, bindings), _value(world, collection, bindings)
            return (
                int(one in many)
                if isinstance(many, list) and one is not NOT_CONSTANT
                else (NOT_CONSTANT)
            )
        case m.Listed(items=items):
            found = [_value(world, item, bindings) for item in items]
            if all(isinstance(item, int) for item in found):
                return found  # type: ignore[return-value]
            return NOT_CONSTANT
        case _:
            return NOT_CONSTANT


def _quantified(world: World, node: m.Quantifier, bindings: dict[int, int | None]) -> _Value:
    fold = LIBRARY[node.word].fold
    values = NOT_CONSTANT if fold is None else _gathered(world, node, bindings)
    if fold is None or isinstance(values, _NotConstant):
        return NOT_CONSTANT
    found = fold(values)
    return NOT_CONSTANT if found is None else found


def _gathered(
    world: World, node: m.Quantifier, bindings: dict[int, int | None]
) -> list[int] | _NotConstant:
    """What a quantifier asks of each member."""
    if len(node.clauses) != 1:
        return NOT_CONSTANT
    clause = node.clauses[0]
    source = _value(world, clause.source, bindings)
    if not isinstance(source, list):
        return NOT_CONSTANT
    values: list[int] = []
    for item in source:
        inside = {**bindings, clause.register: item}
        if clause.condition is not None:
            test = _value(world, clause.condition, inside)
            if isinstance(test, _NotConstant):
                return NOT_CONSTANT
            if not test:
                continue
        value: _Value = 1 if node.value is None else _value(world, node.value, inside)
        if not isinstance(value, int):
            return NOT_CONSTANT
        values.append(value)
    return values


def _arithmetic(operator: str, left: _Value, right: _Value) -> _Value:
    """Reckon; what leaves 32 bits is for the game to say when it runs."""
    if not isinstance(left, int) or not isinstance(right, int):
        return NOT_CONSTANT
    found = _reckoned(operator, left, right)
    fits = isinstance(found, _NotConstant) or t.INT_MIN <= found <= t.INT_MAX
    return found if fits else NOT_CONSTANT


def _reckoned(operator: str, left: int, right: int) -> int | _NotConstant:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "//":
            return left // right if right else NOT_CONSTANT
        case "%":
            return left % right if right else NOT_CONSTANT
        case "**":
            return left**right if 0 <= right <= 62 else NOT_CONSTANT
        case _:
            return NOT_CONSTANT


def _compare(operator: str, left: _Value, right: _Value) -> _Value:
    if isinstance(left, _NotConstant | list) or isinstance(right, _NotConstant | list):
        return NOT_CONSTANT
    if operator in ("==", "!="):
        return int((left == right) is (operator == "=="))
    if left is None or right is None:
        return NOT_CONSTANT
    match operator:
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case _:
            return int(left >= right)


def fold(world: World, node: m.Expression) -> m.Expression:
    """Return the expression with options put in and what is then constant worked out.

    Several checks of the whole ask for the same ones, and so does the generator.
    """
    if world.folded is None or world.heeds != (False, True):
        return _folded(world, node)
    if id(node) not in world.folded:
        world.folded[id(node)] = node, _folded(world, node)
    return world.folded[id(node)][1]


_NO_SLOT = (t.Collection, t.Zone, t.Fraction)


def _folded(world: World, node: m.Expression) -> m.Expression:
    if isinstance(node, m.Literal):
        return node
    if not isinstance(node.type, _NO_SLOT):
        value = value_of(world, node)
        if not isinstance(value, _NotConstant):
            return m.Literal(node.type, node.span, value)
    return _simplified(with_parts(node, lambda part: _folded(world, part)))


def _simplified(node: m.Expression) -> m.Expression:
    match node:
        case m.Conditional(condition=m.Literal(value=test)):
            return node.value if test else node.alternative
        case m.And(operands=operands) | m.Or(operands=operands):
            stops = isinstance(node, m.Or)
            kept: list[m.Expression] = []
            for operand in operands:
                if isinstance(operand, m.Literal):
                    if bool(operand.value) is stops:
                        kept.append(operand)
                        break
                    continue
                kept.append(operand)
            if not kept:
                return m.Literal(node.type, node.span, int(not stops))
            return kept[0] if len(kept) == 1 else dataclasses.replace(node, operands=tuple(kept))
        case _:
            return node

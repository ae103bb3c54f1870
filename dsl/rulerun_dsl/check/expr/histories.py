"""What is asked of a history: how many positions it holds, how often this one is among them.

Assumes: a world, and a name that may be that of a history.
Does: writes both out in what the model has. Each word of the position as it is now is a function
without parameters, so that the rules that remember it and those that ask share one; `times` is a
function of the words.
Leaves behind: expressions. As these read variables like any others, everything that follows what
rules read (what is supposed, secrets, parts of a `together`) follows histories as well.

The comparison is of all words, and exact; it stops at the first that differs.
"""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts, histories
from rulerun_dsl.check.env.records import FunctionFacts
from rulerun_dsl.check.env.typing import shorten, unknown
from rulerun_dsl.check.env.wording import named
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr.arguments import TypeRule, of_values
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def history(world: World, scope: Scope, node: s.Expression) -> str | None:
    """The name of a history; None if an expression is none."""
    if not isinstance(node, s.Name) or node.text in scope.names:
        return None
    if not histories.is_history(world, node.text):
        return None
    world.note(node.span, node.text)
    return node.text


def wanted(world: World, scope: Scope, node: s.Expression, word: str) -> str | None:
    """The name of a history; None once it is reported that there must be one."""
    name = history(world, scope, node)
    if name is None and not (isinstance(node, s.Name) and node.text in world.doubtful):
        found = world.declared.get(node.text, ("", None))[0] if isinstance(node, s.Name) else ""
        known = [each for each in world.by_kind["variable"] if histories.is_history(world, each)]
        if isinstance(node, s.Name) and not found and node.text not in scope.names:
            world.unknown(node.text, node.span, "history", known)
        else:
            what = f"`{shorten(node.span.text)}` is {named(found) if found else 'a value'}"
            world.report(
                "RR0409",
                f"{what}, not a history: `{word}` is about positions that were there before",
                node.span,
                help="declare one under `state`: `seen: {remembers: [board], holds: 100}`",
            )
    return name


def count(world: World, name: str, span: Span) -> m.Expression:
    """`count(seen)`: how many positions it holds."""
    world.used.add(name)
    variable = facts.variable(world, name)
    if isinstance(variable.type, t.Unknown):
        return unknown(span)
    return m.Variable(variable.indexes[0], span, name, (_zero(span), _zero(span)))


def times(world: World, name: str, span: Span) -> m.Expression:
    """`times(seen)`: how many of them equal the position as it is now."""
    world.used.add(name)
    variable = facts.variable(world, name)
    if isinstance(variable.type, t.Unknown):
        return unknown(span)
    now = tuple(m.FunctionCall(t.ANY_INT, span, each, ()) for each in position(world, name))
    return m.FunctionCall(variable.indexes[0], span, _alike(world, name), now)


def position(world: World, name: str) -> tuple[int, ...]:
    """The functions that give the words of the position as it is now."""

    def make() -> tuple[int, ...]:
        decl = facts.variable(world, name).decl
        return tuple(
            _function(world, decl, f"{name}, word {at}", (), _word(world, word, decl.at.span))
            for at, word in enumerate(histories.words(world, decl))
        )

    return world.fact("position", name, make, ())


def _alike(world: World, name: str) -> int:
    """The function that counts the positions that have given words."""

    def make() -> int:
        variable = facts.variable(world, name)
        rows, columns = variable.indexes
        span = variable.decl.at.span
        many = len(histories.words(world, variable.decl))
        words = [m.Register(t.ANY_INT, span, world.register()) for _ in range(many)]
        row = m.Register(rows, span, world.register())
        tests = tuple(
            m.Comparison(
                t.Bool(),
                span,
                "==",
                m.Variable(t.ANY_INT, span, name, (row, m.Literal(columns, span, at))),
                word,
            )
            for at, word in enumerate(words)
        )
        condition = None
        if tests:
            condition = tests[0] if len(tests) == 1 else m.And(t.Bool(), span, tests)
        last = m.Variable(rows, span, name, (_zero(span), _zero(span)))
        source = m.Values(t.Collection(rows, True), span, m.Literal(t.Int(1, 1), span, 1), last)
        clause = m.Clause(row.index, source, condition)
        body = m.Quantifier(rows, span, "count", (clause,), row, (), None)
        registers = [each.index for each in words]
        return _function(world, variable.decl, f"times({name})", registers, body)

    return world.fact("times", name, make, 0)


def _function(
    world: World,
    decl: declarations.VariableDecl,
    name: str,
    registers: list[int] | tuple[int, ...],
    body: m.Expression,
) -> int:
    """Make a function of numbers."""
    at = dataclasses.replace(decl.at, name=name)
    signature = s.Signature(at.span, name, at.span, (), None, True)
    made = FunctionFacts(
        declarations.FunctionDecl(at, signature, None, None, ()),
        len(world.functions),
        tuple((f"word {at}", t.ANY_INT, each) for at, each in enumerate(registers)),
        False,
        False,
        body.type,
        body,
    )
    world.functions.append(made)
    return made.index


def _zero(span: Span) -> m.Expression:
    return m.Literal(t.Int(0, 0), span, 0)


# ------------------------------------------------------------------------------- one position


def _word(world: World, word: histories.Word, span: Span) -> m.Expression:
    """Digits as one number: none is one less than the lowest, which does not matter."""
    found: m.Expression | None = None
    for digit in word:
        value, low = _digit(world, digit, span), digit.low
        if len(word) > 1 and low not in (-1, 0):
            value = _sum("-", value, m.Literal(t.Int(low, low), span, low))
        if found is None:
            found = value
        else:
            size = m.Literal(t.Int(digit.size, digit.size), span, digit.size)
            assert isinstance(found.type, t.Int)
            ends = t.Int(found.type.low * digit.size, found.type.high * digit.size)
            found = _sum("+", m.Arithmetic(ends, span, "*", found, size), value)
    assert found is not None
    return found


def _sum(operator: str, left: m.Expression, right: m.Expression) -> m.Expression:
    one, other = left.type, right.type
    assert isinstance(one, t.Int) and isinstance(other, t.Int)
    if operator == "+":
        ends = t.Int(one.low + other.low, one.high + other.high)
    else:
        ends = t.Int(one.low - other.high, one.high - other.low)
    return m.Arithmetic(ends, left.span, operator, left, right)


def _digit(world: World, digit: histories.Digit, span: Span) -> m.Expression:
    """One value as a number."""
    variable = facts.variable(world, digit.name)
    indexes = tuple(
        m.Literal(type_, span, None if _is_none(type_, number) else number)
        for type_, number in zip(variable.indexes, digit.indexes, strict=True)
    )
    value: m.Expression = m.Variable(variable.type, span, digit.name, indexes)
    number: t.Scalar = t.Int(digit.low, digit.low + digit.size - 1)
    type_ = variable.type
    if isinstance(type_, t.SetOf):
        members = m.Unpacked(t.Collection(type_.element, True), span, value)
        place = digit.place
        member = m.Literal(type_.element, span, None if _is_none(type_.element, place) else place)
        return _as_number(m.Contains(t.Bool(), span, member, members), number)
    if isinstance(type_, t.Order):
        assert digit.place is not None
        members = m.Unpacked(t.Collection(t.Player(), True), span, value)
        at = m.Literal(t.Int(digit.place + 1, digit.place + 1), span, digit.place + 1)
        return _as_number(m.BuiltinCall(t.Player(), span, "at", "", (members, at)), number)
    if isinstance(type_, t.Optional):
        low = m.Literal(t.Int(digit.low, digit.low), span, digit.low)
        return m.Otherwise(number, span, value, low)
    return _as_number(value, number)


def _is_none(type_: t.Scalar, number: int | None) -> bool:
    return isinstance(type_, t.Optional) and number == facts.low(type_)


def _as_number(value: m.Expression, number: t.Scalar) -> m.Expression:
    """A value as the number that it is written as."""
    if isinstance(value.type, t.Bool):
        ends = (m.Literal(t.Int(each, each), value.span, each) for each in (1, 0))
        return m.Conditional(number, value.span, value, *ends)
    return dataclasses.replace(value, type=number)


# ------------------------------------------------------------------------------------- the word


def _times(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    name = wanted(world, scope, plain[0], "times")
    return times(world, name, span) if name is not None else unknown(span)


TYPE_RULES: dict[str, TypeRule] = {"times": of_values(_times)}

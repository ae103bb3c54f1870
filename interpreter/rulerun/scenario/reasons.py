"""Why a condition does not hold: the values of its parts, and of a quantifier the first to fail it.

Assumes: a condition that is false in a state, every secret open: this is for authors of rules and
tests. `reference.refusing` makes what players are told.
Does: goes down to the parts that make it false. Of `and` that is the first false one, of `or` all;
of `all(… for p in …)` the first `p` for which it fails, of `any` the first few; it follows
functions into their bodies.
Leaves behind sentences: `coins[P1] is 5`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rulerun.analysis.reads import last_register
from rulerun.reference.collections import bits
from rulerun.runtime.executor import RuleError
from rulerun.scenario.names import GameNames
from rulerun_dsl import model
from rulerun_dsl.diagnostics.diagnostic import short
from rulerun_dsl.model import Clause, Expression
from rulerun_dsl.model.valuetypes import (
    Collection,
    Component,
    Multiset,
    Order,
    SetOf,
    Type,
    Zone,
    bare,
)

_MOST = 3
"""So many members that do not pass are shown, of `any`."""
_LONGEST = 120


def why_not(names: GameNames, slots: Sequence[int], condition: Expression) -> str:
    """Why a condition is false, or "" where there is nothing to say but that."""
    looking = _Looking(names, slots, condition)
    try:
        with looking.evaluator.budget.anew():
            return "; ".join(looking.fails(condition))
    except RuleError:
        return ""


class _Looking:
    """One condition in one state."""

    def __init__(self, names: GameNames, slots: Sequence[int], whole: Expression) -> None:
        self.game = names.game
        self.tables = names.tables
        self.evaluator = names.view_index.evaluator
        self.slots = slots
        last = max(self.game.registers, last_register(whole))
        self.registers: list[Any] = [None] * (last + 2)

    def value(self, node: Expression) -> Any:
        run = self.evaluator.compile(node)
        return run(self.slots, self.game.layout.base, self.registers)

    def fails(self, node: Expression) -> Iterator[str]:
        """Why a part is false."""
        match node:
            case model.And(operands=operands):
                first = next((each for each in operands if not self.value(each)), None)
                if first is not None:
                    yield from self.fails(first)
            case model.Or(operands=operands):
                for each in operands:
                    yield from self.fails(each)
            case model.Not(operand=operand):
                yield from self.holds(operand)
            case model.Quantifier(word="all", clauses=clauses, value=value) if value is not None:
                bound = next((each for each in self.members(clauses) if not self.value(value)), "")
                yield from self.where(bound, self.fails(value))
            case model.Quantifier(word="any", clauses=clauses, value=value):
                yield from self.nobody(node, clauses, value)
            case model.FunctionCall(function=number, arguments=arguments):
                yield from self.called(node, number, arguments)
            case _:
                yield from self.values(node, "false")

    def holds(self, node: Expression) -> Iterator[str]:
        """Why a part is true that should not be."""
        match node:
            case model.Quantifier(word="any", clauses=clauses, value=value):
                for bound in self.members(clauses):
                    if value is None or self.value(value):
                        inside = () if value is None else self.values(value, "true")
                        yield from self.where(bound, iter(inside))
                        return
            case model.Or(operands=operands):
                first = next((each for each in operands if self.value(each)), None)
                if first is not None:
                    yield from self.holds(first)
            case model.Not(operand=operand):
                yield from self.fails(operand)
            case _:
                yield from self.values(node, "true")

    # ----------------------------------------------------------------------------- quantifiers

    def members(self, clauses: Sequence[Clause]) -> Iterator[str]:
        """Bind one member after another that passes; what is bound, as a text: `p = P1`."""
        if not clauses:
            yield ""
            return
        clause, *rest = clauses
        name = _name_of(clause)
        for member in list(self.value(clause.source)):
            self.registers[clause.register] = member
            if clause.condition is not None and not self.value(clause.condition):
                continue
            text = self.member(clause.source.type, member)
            for inside in self.members(rest):
                yield ", ".join(filter(None, (f"{name} = {text}" if name else text, inside)))

    def member(self, type_: Type, value: int) -> str:
        match bare(type_):
            case Collection(element=element) | SetOf(element=element):
                return self.tables.text(element, value)
            case Zone(kind=kind):
                return self.tables.text(Component(kind), value)
            case Order():
                return self.game.players[value]
        return str(value)

    def nobody(
        self, node: Expression, clauses: Sequence[Clause], value: Expression | None
    ) -> Iterator[str]:
        """Why none passes: the first few, each with its reason."""
        count = 0
        for bound in self.members(clauses):
            count += 1
            if count > _MOST:
                yield "and so on"
                return
            if value is not None:
                yield from self.where(bound, self.fails(value))
        if not count:
            yield f"`{_text(node)}` has nothing to look at"

    @staticmethod
    def where(bound: str, reasons: Iterator[str]) -> Iterator[str]:
        inside = ", ".join(reasons)
        if bound or inside:
            yield ": ".join(filter(None, (f"with {bound}" if bound else "", inside)))

    def called(
        self, node: Expression, number: int, arguments: Sequence[Expression]
    ) -> Iterator[str]:
        function = self.game.functions[number]
        if len(function.parameters) == len(arguments):
            values = [self.value(each) for each in arguments]
            for register, value in zip(function.parameters, values, strict=True):
                self.registers[register] = value
            inside = "; ".join(self.fails(function.body)) if not self.value(function.body) else ""
            yield f"{_text(node)} is false" + (f" ({inside})" if inside else "")
        else:
            yield f"{_text(node)} is false"

    # ---------------------------------------------------------------------------------- values

    def values(self, node: Expression, is_: str) -> Iterator[str]:
        """The values of what a comparison compares; else that the part is true or false."""
        sides: list[Expression] = []
        match node:
            case model.Comparison(left=left, right=right):
                sides = [left, right]
            case model.Contains(value=value, collection=collection):
                sides = [value, collection]
        sides = [self.inside(side) if side.span == node.span else side for side in sides]
        told = list(dict.fromkeys(each for side in sides for each in self.told(side)))
        yield from told or [f"{_text(node)} is {is_}"]

    @staticmethod
    def inside(node: Expression) -> Expression:
        """What a word such as `empty` looks at: it is a count that nobody has written."""
        if isinstance(node, model.Quantifier) and len(node.clauses) == 1:
            return node.clauses[0].source
        return node

    def told(self, node: Expression) -> Iterator[str]:
        if isinstance(node, model.Literal):
            return
        text = _text(node)
        shown = self.shown(node)
        if text != shown:
            yield f"{text} is {shown}"
        if isinstance(node, model.Arithmetic):
            for side in (node.left, node.right):
                yield from self.told(side)

    def shown(self, node: Expression) -> str:
        """A value in words."""
        value, type_ = self.value(node), bare(node.type)
        match type_:
            case Collection(element=element):
                text = ", ".join(self.tables.text(element, each) for each in value) or "nothing"
                return short(text, _LONGEST)
            case Zone(kind=kind):
                texts = [self.tables.text(Component(kind), each) for each in value]
                return short(", ".join(texts), _LONGEST) or "empty"
            case Multiset():
                return f"{len(value)} chosen"
            case SetOf(element=element):
                low = self.tables.lowest(element)
                inside = [self.tables.text(element, each) for each in bits(value or 0, low)]
                return ", ".join(inside) or "nothing"
        if isinstance(value, list | tuple):
            return ", ".join(self.game.players[each] for each in value)
        return self.tables.text(node.type, value)


def _name_of(clause: Clause) -> str:
    """The name that a clause binds: it stands before `in`."""
    span = clause.source.span
    found = re.search(
        r"(\w+)\s+in\s*\(?\s*\Z", span.source.text[max(0, span.start - 80) : span.start]
    )
    return found[1] if found else ""


def _text(node: Expression) -> str:
    return short(" ".join(node.span.text.split()), _LONGEST)

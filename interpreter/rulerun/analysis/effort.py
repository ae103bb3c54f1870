"""How much work an expression may be at worst, known before anything runs.

Assumes: a checked `Game`: functions do not call in circles, and every collection is finite.
Does: bounds how many evaluations an expression may take: each part once, the arguments of a
collection's word once for each possible member, the body of a function at each call. Says what is
counted while rules run: nothing in a game in which no expression may take more than
`MOST_UNCOUNTED`; else, of those that may take more than `GRAIN` by themselves, each call of a
function and each member that a word or a question goes through.
Leaves behind: numbers. One analysis decides for all executors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from rulerun.analysis.packings import largest, tries
from rulerun.runtime.index import GameIndex, element_of
from rulerun.runtime.recent import Recent
from rulerun_dsl import model
from rulerun_dsl.model import Clause, Expression, Game
from rulerun_dsl.model.effects import effects
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.model.subsets import number_of_subsets, sizes
from rulerun_dsl.model.traversal import holding, parts
from rulerun_dsl.model.valuetypes import (
    Collection,
    Component,
    Int,
    Multiset,
    Order,
    SetOf,
    Type,
    bare,
)

MOST_UNCOUNTED = 10_000_000_000
"""Evaluations that any expression may take without being counted."""
GRAIN = 100_000
"""Evaluations that a part may take without being counted, where others are."""
STEPS_FOR_ONE = 10
"""So many of the steps that `limits:` allows allow one of what is counted."""
_MOST = 1 << 62


class Effort:
    """What the expressions of one game may cost."""

    def __init__(self, game: Game) -> None:
        """Look at every expression that rules evaluate."""
        self.game = game
        self.tables = GameIndex(game)
        self._functions: dict[int, int] = {}
        self._largest: dict[int, int] = {}
        """By register: the most members of a set that it holds."""
        self._procedures: dict[str, int] = {}
        self.counted = any(bound > MOST_UNCOUNTED for bound in self._bounds())
        """Whether anything is counted in this game."""

    @property
    def budget(self) -> int:
        """How much may be counted from one rest to the next."""
        return self.game.steps // STEPS_FOR_ONE

    def counts(self, node: Expression) -> bool:
        """Whether the members that a word goes through are counted."""
        return self.counted and self.bound(node) > GRAIN

    def counts_calls(self, function: int) -> bool:
        """Whether the calls of a function are counted."""
        return self.counted and self.function(function) > GRAIN

    def counts_option(self, option: model.Option) -> bool:
        """Whether the members that a line of a question goes through are counted."""
        return self.counted and self.option(option) > GRAIN

    # ------------------------------------------------------------------------------- bounds

    def _bounds(self) -> Iterator[int]:
        for node in self.game.code:
            for each in _outermost(node):
                yield self.bound(each)
            if isinstance(node, model.Choose):
                for option in node.options:
                    yield self._lines(option, (*option.conditions, *_outermost(option.hint)))
        for each in (*_outermost(self.game.scoring), *_outermost(self.game.view.headline)):
            yield self.bound(each)
        for place in self.game.zones:
            yield from map(self.bound, (place.visible, place.count_visible))
        for variable in self.game.variables:
            yield self.bound(variable.visible)

    def function(self, number: int) -> int:
        """What the body of a function may take."""
        if number not in self._functions:
            self._functions[number] = self.bound(self.game.functions[number].body)
        return self._functions[number]

    def procedure(self, name: str) -> int:
        """What a procedure may take that a question supposes to have run."""
        if name not in self._procedures:
            called = next(item for item in self.game.procedures if item.name == name)
            code, number = self.game.code, self.game.procedures.index(called)
            end = called.entry
            while code[end] != model.Return(code[end].span, number):
                end += 1
            costs = [self._instruction(code[at]) for at in range(called.entry, end)]
            loops = list(self._loops(called.entry, end))
            whole = 0
            for at, cost in enumerate(costs, called.entry):
                times = prod(many for first, last, many in loops if first <= at < last)
                whole += times * cost
            # No more steps are taken than that.
            longest = self.game.steps * max(costs, default=0)
            self._procedures[name] = min(whole, longest, _MOST)
        return self._procedures[name]

    def _instruction(self, node: model.Instruction) -> int:
        done = effects(node)
        names = [self.game.procedures[number].name for number in done.calls]
        return 1 + sum(map(self.bound, done.reads)) + max(map(self.procedure, names), default=0)

    def _loops(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Where loops begin and end in some code, and how often each goes round at most."""
        code, steps = self.game.code, self.game.steps
        for at in range(start, end):
            match code[at]:
                case model.LoopNext(loop=loop, done=done):
                    once = loop.mode != "turns"
                    yield at, done, 1 + self.members(loop.source) if once else steps
                case model.RepeatNext(done=done):
                    before = code[at - 1]
                    many = steps
                    if isinstance(before, model.RepeatStart):
                        many = 1 + self._end(before.count, 1)
                    yield at, done, many
                case model.Jump(to=to) if to <= at and not isinstance(
                    code[to], model.LoopNext | model.RepeatNext
                ):
                    yield to, at + 1, steps
                case _:
                    pass

    def option(self, option: model.Option) -> int:
        """What listing a line of a question may take."""
        return self._lines(option, option.conditions)

    def _lines(self, option: model.Option, each: Iterable[Expression]) -> int:
        """What it may take to work something out for each member of a line."""
        inner = sum(map(self.bound, each))
        for binder in reversed(option.binders):
            inner = self.bound(binder.source) + self.members(binder.source) * (1 + inner)
        return min(inner, _MOST)

    def bound(self, node: Expression) -> int:
        """What evaluating an expression may take, itself included."""
        match node:
            case model.FunctionCall(function=function, arguments=arguments):
                found = sum(map(self.bound, arguments)) + self.function(function)
            case model.SlotCall(component=component, functions=functions, arguments=arguments):
                found = sum(map(self.bound, (component, *arguments)))
                found += max(map(self.function, functions), default=0)
            case model.After(procedure=procedure, arguments=arguments, value=value):
                found = sum(map(self.bound, arguments)) + self.procedure(procedure)
                found += self.bound(value)
            case model.Quantifier():
                for clause in node.clauses:
                    if isinstance(element_of(clause.source.type), SetOf):
                        self._largest[clause.register] = largest(self.game, clause.source)
                inner = sum(map(self.bound, node.keys))
                inner += 0 if node.value is None else self.bound(node.value)
                for clause in reversed(node.clauses):
                    inner = self._clause(clause, inner)
                found = inner + (0 if node.number is None else self.bound(node.number))
                if node.word == "packing":
                    found += tries(self.tables, self.members, node)
            case model.BuiltinCall():
                found = sum(map(self.bound, node.arguments))
                found += 0 if node.clause is None else self._clause(node.clause, 0)
                if LIBRARY[node.word].searches:
                    onward = 8 if node.relation is None else 1 + self.function(node.relation)
                    found += self._places(node) * onward
            case _:  # each part once
                found = sum(map(self.bound, parts(node)))
        return min(1 + found, _MOST)

    def _clause(self, clause: Clause, inner: int) -> int:
        tested = 0 if clause.condition is None else self.bound(clause.condition)
        return self.bound(clause.source) + self.members(clause.source) * (1 + tested + inner)

    def _places(self, node: model.BuiltinCall) -> int:
        """The most sites, or whatever is joined, that a search comes to."""
        board = self.tables.boards.get(node.board)
        if board is not None:
            return len(board.sites)
        assert node.relation is not None
        return self.members(self.game.functions[node.relation].body)

    # ------------------------------------------------------------------------------ members

    def members(self, node: Expression) -> int:
        """The most members that a collection may have."""
        match node:
            case model.Members(zone=zone, indexes=indexes):
                family = self.tables.families[zone]
                total = self._total(family.kind)
                return total if None in indexes else min(total, family.holds)
            case model.OfKind(kind=kind):
                return self._total(kind)
            case model.Values(low=low, high=high):
                return max(0, self._end(high, 1) - self._end(low, 0) + 1)
            case model.Listed(items=items):
                return len(items)
            case model.Joined(left=left, right=right):
                return self.members(left) + self.members(right)
            case model.Conditional(value=one, alternative=other):
                return max(self.members(one), self.members(other))
            case model.Otherwise(left=one, right=other):
                return max(self.members(one), self.members(other))
            case model.FunctionCall(function=function):
                return self.members(self.game.functions[function].body)
            case model.SlotCall(functions=functions):
                bodies = [self.game.functions[each].body for each in functions]
                return max(map(self.members, bodies), default=0)
            case model.Quantifier(clauses=clauses, number=number):
                many = _MOST if number is None else max(self._end(number, 1), 0)
                return min(many, prod(self.members(clause.source) for clause in clauses), _MOST)
            case model.BuiltinCall(word="subsets", arguments=(_, _, source)):
                return number_of_subsets(self.members(source), *sizes(node))
            case model.BuiltinCall(word=word, arguments=arguments) if LIBRARY[word].reorders:
                return self.members(arguments[0])
            case model.BuiltinCall(word="prefix", clause=model.Clause(source=source)):
                return self.members(source)
            case model.Unpacked(operand=model.Register(index=index, type=type_)):
                return min(self._of_type(type_), self._largest.get(index, _MOST))
            case model.Unpacked(operand=operand):
                return self._of_type(operand.type)
            case _:  # as many as there are values
                return self._of_type(node.type)

    def _end(self, node: Expression, which: int) -> int:
        if isinstance(node, model.Literal) and node.value is not None:
            return node.value
        type_ = bare(node.type)
        return (type_.low, type_.high)[which] if isinstance(type_, Int) else 0

    def _total(self, kind: str) -> int:
        return self.tables.kinds[kind].kind.total

    def _of_type(self, type_: Type) -> int:
        """The most members of a value of a type."""
        inner = bare(type_)
        if isinstance(inner, Order):
            return len(self.game.players)
        if isinstance(inner, SetOf | Collection | Multiset):
            inner = bare(inner.element)
        if isinstance(inner, Component):
            return self._total(inner.kind)
        low, high = self.tables.bounds(inner)
        return high - low + 1


def _outermost(item: object) -> list[Expression]:
    """The expressions of an instruction, those inside others left out."""
    found: list[Expression] = []
    _add_outermost(item, found)
    return found


def _add_outermost(item: object, found: list[Expression]) -> None:
    if isinstance(item, Expression):
        found.append(item)
    elif isinstance(item, tuple):
        for each in item:
            _add_outermost(each, found)
    elif hasattr(item, "__dataclass_fields__"):
        for name in holding(item):
            _add_outermost(getattr(item, name), found)


_EFFORTS = Recent(Effort, 8)


def effort_of(game: Game) -> Effort:
    """What the expressions of a game may cost; of the last few games it is kept."""
    return _EFFORTS.of(game)

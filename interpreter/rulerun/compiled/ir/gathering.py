"""Whether a member is among what a loop goes through, asked of all members at once.

Assumes: a `Program` of `ir`.
Does: a loop that asks of each member whether a function comes across it, as `for b: if sees(a, b)`
does if `sees` goes along lines and compares each site with `b`, gathers instead what the function
comes across, and goes through what it has gathered.
Leaves behind: a program that does the same. Only functions and listers that write no slot are
searched for such loops, and only functions that cannot go wrong are asked: they may go on where
they would have stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.passes import (
    assigned,
    conjuncts,
    every_part,
    inside_out,
    never_fail,
    pure_functions,
    together,
    variables,
    where_nothing_changes,
)
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value
from rulerun_dsl.model.valuetypes import WORD
from rulerun_dsl.source.frozen import frozen

_WIDEST = 512
"""So many members are gathered at most."""
_ONE = ir.Const(1)


def gathered(program: Program) -> Program:
    """The program with what functions come across gathered, where it is asked of each member."""
    maker = _Gatherer(program)
    return where_nothing_changes(program, lambda body: inside_out(body, maker.loop))


@frozen
class _Sought:
    """A function that tells whether it comes across one of its parameters."""

    function: ir.Function
    at: int
    """Which parameter that is."""


class _Gatherer:
    """Gathers in the loops of one program."""

    def __init__(self, program: Program) -> None:
        sure = never_fail(program) & pure_functions(program)
        self.lists = dict(program.lists)
        self.functions = {each.name: each for each in program.functions if each.name in sure}
        self.known: dict[tuple[str, int], bool] = {}

    def loop(self, loop: Statement) -> Body:
        """What does the same as a loop, or as any other statement."""
        match loop:
            case ir.For(name, ir.Const(0), ir.Const(number), (ir.If(condition, then, ()),)) if (
                1 < number <= _WIDEST
            ):
                first, *rest = conjuncts(condition)
            case _:
                return (loop,)
        first = self._called(first)
        sought = self._sought(first, name, assigned(then))
        if sought is None:
            return (loop,)
        assert isinstance(first, ir.Call)
        function, met = sought.function, beside(name, "met")
        given = zip(function.parameters, first.arguments, strict=True)
        inner: Body = (ir.If(together(rest), then),) if rest else then
        collecting = _Collecting(function.parameters[sought.at], met, number, self.bounds(function))
        return (
            *(ir.Assign(each, value) for each, value in given if value != ir.Var(name)),
            ir.Assign(met, ir.Const(0)) if number <= WORD else ir.NewBits(met, number),
            *inside_out(function.body[:-1], collecting.statement),
            ir.EachBit(name, ir.Var(met), inner),
        )

    def _called(self, asked: Value) -> Value:
        """What a call comes to, if all that a function does is to call another one."""
        if not isinstance(asked, ir.Call) or asked.function not in self.functions:
            return asked
        match self.functions[asked.function]:
            case ir.Function(parameters=names, body=(ir.Return(ir.Call() as inner),)) if (
                inner.arguments == tuple(map(ir.Var, names)) and inner.function != asked.function
            ):
                return self._called(ir.Call(inner.function, asked.arguments))
            case _:
                return asked

    def _sought(self, asked: Value, name: str, changing: set[str]) -> _Sought | None:
        """What a call asks of the member of a loop, if it asks whether it comes across it."""
        if not isinstance(asked, ir.Call) or asked.function not in self.functions:
            return None
        places = [at for at, each in enumerate(asked.arguments) if each == ir.Var(name)]
        others = [each for each in asked.arguments if each != ir.Var(name)]
        if len(places) != 1 or any(variables(each) & (changing | {name}) for each in others):
            return None
        function, (at,) = self.functions[asked.function], places
        if (asked.function, at) not in self.known:
            self.known[asked.function, at] = _comes_across(function, function.parameters[at])
        return _Sought(function, at) if self.known[asked.function, at] else None

    def bounds(self, function: ir.Function) -> Mapping[str, tuple[int, int]]:
        """Between which numbers the members of loops over lists lie, also under other names."""
        found: dict[str, tuple[int, int]] = {}
        times = _times(function)
        for node in every_part(function.body):
            match node:
                case ir.Each(name, table) if times[name] == 1:
                    members = [one for each in self.lists[table] for one in each]
                    found[name] = min(members, default=0), max(members, default=0)
        for node in every_part(function.body):
            match node:
                case ir.Assign(name, ir.Var(other)) if other in found and times[name] == 1:
                    found[name] = found[other]
        return found


def _times(function: ir.Function) -> dict[str, int]:
    """How often each name is given a value."""
    found: dict[str, int] = dict.fromkeys(function.parameters, 1)
    for node in every_part(function.body):
        name = getattr(node, "name", None)
        if isinstance(name, str) and not isinstance(node, ir.Var):
            found[name] = found.get(name, 0) + 1
    return found


def _comes_across(function: ir.Function, sought: str) -> bool:
    """Whether a function is 1 as soon as it comes across a parameter, else 0, and no more."""
    *body, last = function.body
    if last != ir.Return(ir.Const(0)) or function.remembered:
        return False
    uses = [node for node in every_part(function.body) if node == ir.Var(sought)]
    comparisons = list(_comparisons(tuple(body), sought))
    ends = [node for node in every_part(body) if isinstance(node, ir.Return)]
    return len(uses) == len(comparisons) == len(ends) > 0 and sought not in assigned(function.body)


def _comparisons(body: Body, sought: str) -> Iterator[ir.If]:
    """The statements that end a function where it comes across a parameter."""
    for statement in ir.all_statements(body):
        match statement:
            case ir.If(_, (ir.Return(ir.Const(1)),), ()) if _compared(statement, sought):
                yield statement


def _compared(statement: ir.If, sought: str) -> tuple[ir.Var, list[Value]] | None:
    """What is compared with a parameter, and what must hold before."""
    *before, last = conjuncts(statement.condition)
    match last:
        case ir.Binary("==", ir.Var() as one, ir.Var(name)) if name == sought != one.name:
            return one, before
        case ir.Binary("==", ir.Var(name), ir.Var() as one) if name == sought != one.name:
            return one, before
        case _:
            return None


@frozen
class _Collecting:
    """Statements that collect what they come across, of so many members, in a set."""

    sought: str
    set: str
    number: int
    bounds: Mapping[str, tuple[int, int]]

    def statement(self, statement: Statement) -> Body:
        """A statement that ends the function where it comes across one collects it."""
        if isinstance(statement, ir.If) and (compared := _compared(statement, self.sought)):
            return self._collected(*compared)
        return (statement,)

    def _collected(self, one: ir.Var, before: list[Value]) -> Body:
        bit = ir.Binary("<<", _ONE, one)
        put: Statement = ir.Assign(self.set, ir.Binary("|", ir.Var(self.set), bit))
        rest = list(before)
        low, high = self.bounds.get(one.name, (-1, 0))
        if not 0 <= low <= high < self.number:
            rest.append(ir.Binary(">=", one, ir.Const(0)))
            rest.append(ir.Binary("<", one, ir.Const(self.number)))
        return (ir.If(together(rest), (put,)),) if rest else (put,)

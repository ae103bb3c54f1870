"""What hangs on a member alone, as a table.

Assumes: a `Program` of `ir`.
Does: a function of one number that reads no slot, as whether a site is a corner, is worked out here
for every number that it can be given, and becomes an entry of a table. Which numbers those are, the
tables say in which it looks them up.
Leaves behind: a program that does the same. A table can be asked of all members at once (`masks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.folding import WORK
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value

_MOST = 512
"""A table has so many entries at most."""
_EFFORT = 200_000
"""So many values are worked out at most, for all tables together."""


def tabled(program: Program) -> Program:
    """The program with functions of constants as tables."""
    worker = _Worker(program)
    tables = dict(program.tables)
    functions = []
    for function in program.functions:
        values = worker.table_of(function)
        if values is None:
            functions.append(function)
            continue
        name = next((name for name, each in tables.items() if each == values), None)
        if name is None:
            name = beside(function.name, "table")
            tables[name] = values
        (given,) = function.parameters
        entry = ir.Return(ir.TableLoad(name, ir.Var(given)))
        functions.append(replace(function, body=(entry,)))
    return replace(program, functions=tuple(functions), tables=tuple(tables.items()))


def most_asked(
    statement: Statement,
    name: str,
    tables: Mapping[str, tuple[int, ...]],
    lists: Mapping[str, tuple[tuple[int, ...], ...]],
) -> int | None:
    """Below which number a name must lie, or a statement fails: it looks it up in tables.

    Only what a statement always looks up says so. None: nothing says so.
    """
    waiting: list[Value] = []
    found: list[int] = []
    match statement:
        case ir.Each(_, table, index):
            waiting.append(index)
            if index == ir.Var(name):
                found.append(len(lists[table]))
        case ir.If(condition):
            waiting.append(condition)
        case ir.Return(value) | ir.Assign(_, value):
            waiting.append(value)
    while waiting:
        match waiting.pop():
            case ir.Both(first, _) | ir.Either(first, _) | ir.Select(first, _, _):
                waiting.append(first)
            case ir.Binary(_, one, other):
                waiting += [one, other]
            case ir.Not(inner) | ir.Checked(inner):
                waiting.append(inner)
            case ir.TableLoad(table, index):
                waiting.append(index)
                if index == ir.Var(name):
                    found.append(len(tables[table]))
    return min(found, default=None)


class _Unknown(Exception):
    """It is not known here, or goes wrong."""


class _Returned(Exception):
    """A function gives a value."""

    def __init__(self, value: int) -> None:
        self.value = value


class _Left(Exception):
    """A loop is left."""


class _Worker:
    """Works out functions of one program."""

    def __init__(self, program: Program) -> None:
        self.functions = {each.name: each for each in program.functions}
        self.tables = dict(program.tables)
        self.lists = dict(program.lists)
        self.left = _EFFORT

    def table_of(self, function: ir.Function) -> tuple[int, ...] | None:
        """What a function of one number is for each; None if that is not known, or is plain."""
        if len(function.parameters) != 1 or isinstance(function.body[0], ir.Return):
            return None
        if any(isinstance(node, ir.Slot) for node in every_part(function.body)):
            return None
        first = next((each for each in function.body if not isinstance(each, ir.Assign)), None)
        assert first is not None
        many = most_asked(first, function.parameters[0], self.tables, self.lists)
        if many is None or many > _MOST:
            return None
        try:
            return tuple(self._call(function, (each,)) for each in range(many))
        except (_Unknown, ZeroDivisionError):
            return None

    def _call(self, function: ir.Function, given: tuple[int, ...]) -> int:
        names = dict(zip(function.parameters, given, strict=True))
        try:
            self._run(function.body, names)
        except _Returned as returned:
            return returned.value
        raise _Unknown

    def _run(self, body: Body, names: dict[str, int]) -> None:
        for statement in body:
            match statement:
                case ir.Assign(name, value):
                    names[name] = self._value(value, names)
                case ir.Return(value):
                    raise _Returned(self._value(value, names))
                case ir.If(condition, then, otherwise):
                    self._run(then if self._value(condition, names) else otherwise, names)
                case ir.For(name, low, high, block):
                    members = range(self._value(low, names), self._value(high, names))
                    self._loop(name, members, block, names)
                case ir.Each(name, table, index, block):
                    at, lists = self._value(index, names), self.lists[table]
                    if not 0 <= at < len(lists):
                        raise _Unknown
                    self._loop(name, lists[at], block, names)
                case ir.Break():
                    raise _Left
                case _:
                    raise _Unknown

    def _loop(
        self, name: str, members: range | tuple[int, ...], block: Body, names: dict[str, int]
    ) -> None:
        try:
            for member in members:
                names[name] = member
                self._run(block, names)
        except _Left:
            pass

    def _value(self, value: Value, names: dict[str, int]) -> int:
        self.left -= 1
        if self.left < 0:
            raise _Unknown
        match value:
            case ir.Const(number):
                return number
            case ir.Var(name) if name in names:
                return names[name]
            case ir.Binary(word, left, right) if word in WORK:
                return int(WORK[word](self._value(left, names), self._value(right, names)))
            case ir.Not(operand):
                return int(not self._value(operand, names))
            case ir.Both(left, right):
                return int(self._value(left, names) != 0 and self._value(right, names) != 0)
            case ir.Either(left, right):
                return int(self._value(left, names) != 0 or self._value(right, names) != 0)
            case ir.Select(condition, yes, no):
                return self._value(yes if self._value(condition, names) else no, names)
            case ir.TableLoad(table, index):
                at, entries = self._value(index, names), self.tables[table]
                if not 0 <= at < len(entries):
                    raise _Unknown
                return entries[at]
            case ir.Call(function, arguments) if function in self.functions:
                given = tuple(self._value(each, names) for each in arguments)
                return self._call(self.functions[function], given)
            case ir.Checked(inner, low, high, _):
                found = self._value(inner, names)
                if not low <= found <= high:
                    raise _Unknown
                return found
            case _:
                raise _Unknown

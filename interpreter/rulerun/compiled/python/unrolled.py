"""Short loops written out, and what is known then worked out.

Assumes: a `Program` of `ir`.
Does: a loop over a few known numbers, in a function or a lister, becomes its rounds, in each of
which the number is known; values of known numbers are worked out, functions of them too. A function
that is one question becomes one value (`as_values`), which may stand where it is called.
Leaves behind: a program that does the same. It asks for particular slots where it asked for some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import assigned, every_part, inside_out, rewritten, substituted
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import NONE, Value
from rulerun.compiled.python.queries import is_truth, names_in

_ROUNDS = 8
_MOST = 400
"""What is written out has so many parts at most."""

_Known = Mapping[str, Value]


def unrolled(program: Program) -> Program:
    """The program with short loops written out."""
    maker = _Unroller(program)
    return replace(
        program,
        functions=tuple(replace(each, body=maker.whole(each.body)) for each in program.functions),
        listers=tuple(replace(each, body=maker.whole(each.body)) for each in program.listers),
    )


def as_values(program: Program) -> Program:
    """The program with functions that ask one question as that question."""
    return replace(
        program,
        functions=tuple(replace(each, body=_one_value(each.body)) for each in program.functions),
    )


def _one_value(body: Body) -> Body:
    """The body of a function that asks one question, as its value."""
    match body:
        case (ir.If(condition, (ir.Return(ir.Const(0)),), ()), ir.Return(ir.Const(1))):
            return (ir.Return(ir.Not(condition)),)
        case (ir.If(condition, (ir.Return(ir.Const(1)),), ()), ir.Return(ir.Const(0))) if is_truth(
            condition
        ):
            return (ir.Return(condition),)
        case _:
            return body


class _Unroller:
    """Writes out the loops of one program."""

    def __init__(self, program: Program) -> None:
        self.tables = dict(program.tables)
        self.functions = {each.name: each for each in program.functions if not each.remembered}
        self.asked: set[str] = set()
        """The functions that are being worked out."""

    def whole(self, body: Body) -> Body:
        """The statements of a function or a lister."""
        changed = self.body(body, {})
        if not any(self._is_short(node) for node in every_part(body)):
            return changed
        reads = names_in(changed)
        return _without(changed, lambda each: each.name not in reads)

    def _is_short(self, node: object) -> bool:
        match node:
            case ir.For(_, ir.Const(low), ir.Const(high), body):
                rounds = high - low
                return (
                    0 < rounds <= _ROUNDS
                    and not _breaks(body)
                    and rounds * sum(1 for _ in every_part(body)) <= _MOST
                )
            case _:
                return False

    def body(self, body: Iterable[Statement], known: _Known) -> Body:
        """Statements, where some names are known."""
        here = dict(known)
        found: list[Statement] = []
        for statement in body:
            more = self._statement(statement, here)
            found += more
            if more and isinstance(more[-1], ir.Return | ir.Fail):
                break
        return tuple(found)

    def _statement(self, statement: Statement, here: dict[str, Value]) -> Body:
        match statement:
            case ir.Assign(name, value):
                known = self.value(value, here)
                here.pop(name, None)
                if isinstance(known, ir.Const):
                    here[name] = known
                return (ir.Assign(name, known),)
            case ir.If(condition, then, otherwise):
                asked = self.value(condition, here)
                if isinstance(asked, ir.Const):
                    return self._on(then if asked.value else otherwise, here)
                branches = self.body(then, here), self.body(otherwise, here)
                self._forget((statement,), here)
                return (ir.If(asked, *branches),)
            case ir.For(name, ir.Const(low), ir.Const(high), inner) if self._is_short(statement):
                found: list[Statement] = []
                for number in range(low, high):
                    here[name] = ir.Const(number)
                    found += self._on(inner, here)
                here.pop(name, None)
                return (*found, ir.Assign(name, ir.Const(high - 1)))
            case _ if hasattr(statement, "body"):
                self._forget((statement,), here)
                loop: Any = statement
                inside = self.body(loop.body, here)
                return (replace(self.value(replace(loop, body=()), here), body=inside),)
            case _:
                if here:
                    self._forget((statement,), here)
                changed: Statement = self.value(statement, here)
                return (changed,)

    def _on(self, body: Body, here: dict[str, Value]) -> Body:
        """Statements after which what is known is known still."""
        found: list[Statement] = []
        for statement in body:
            found += self._statement(statement, here)
        return tuple(found)

    @staticmethod
    def _forget(body: Body, here: dict[str, Value]) -> None:
        for name in assigned(body):
            here.pop(name, None)

    # --------------------------------------------------------------------------------- values

    def value(self, node: Any, known: _Known) -> Any:
        """The same with what is known worked out."""
        return rewritten(substituted(node, known) if known else node, self._worked_out)

    def _worked_out(self, node: Any) -> Any:
        match node:
            case ir.Binary(operator, ir.Const(left), ir.Const(right)) if operator in _RECKONED:
                if operator not in ("==", "!=") and NONE in (left, right):
                    return node
                return ir.Const(int(_RECKONED[operator](left, right)))
            case ir.BitCount(ir.Const(value)) if value >= 0:
                return ir.Const(value.bit_count())
            case ir.Not(ir.Const(value)):
                return ir.Const(int(not value))
            case ir.Both(ir.Const(value), other):
                return other if value else ir.Const(0)
            case ir.Both(ir.Binary("!=", ir.TableLoad() as entry, ir.Const(value)), other) if (
                value == NONE
            ):
                return self._surely(node, entry, other)
            case ir.Either(ir.Const(value), other):
                return ir.Const(1) if value else other
            case ir.Select(ir.Const(value), yes, no):
                return yes if value else no
            case ir.TableLoad(table, ir.Const(at)) if 0 <= at < len(self.tables[table]):
                return ir.Const(self.tables[table][at])
            case ir.Checked(ir.Const(value) as inner, low, high, _) if low <= value <= high:
                return inner
            case ir.Decoded(ir.Const(value) as inner, code, _):
                return ir.Const(NONE) if value == code else inner
            case ir.OrElse(ir.Const(value) as inner, other, _):
                return other if value == NONE else inner
            case ir.Maybe(ir.Const(value) as inner, within, name):
                return inner if value == NONE else self.value(within, {name: inner})
            case ir.Call(name, arguments) if arguments and all(
                isinstance(each, ir.Const) for each in arguments
            ):
                return self._called(node, name, arguments)
            case _:
                return node

    def _surely(self, both: ir.Both, entry: ir.TableLoad, other: Value) -> Value:
        """Two conditions, of which the first says that an entry of a table is not none."""
        entries = [each for each in self.tables[entry.table] if each != NONE]

        def plain(node: Any) -> Any:
            match node:
                case ir.Checked(value, low, high, _) if value == entry and all(
                    low <= each <= high for each in entries
                ):
                    return entry
                case _:
                    return node

        return replace(both, right=rewritten(other, plain))

    def _called(self, node: ir.Call, name: str, arguments: tuple[Value, ...]) -> Value:
        """The value of a function of known numbers, if it depends on nothing else."""
        function = self.functions.get(name)
        if function is None or name in self.asked:
            return node
        self.asked.add(name)
        body = self.body(function.body, dict(zip(function.parameters, arguments, strict=True)))
        self.asked.discard(name)
        match _without(body, lambda each: isinstance(each.value, ir.Const)):
            case (ir.Return(ir.Const() as value),):
                return value
            case _:
                return node


_RECKONED: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "&": int.__and__,
    "|": int.__or__,
    "^": int.__xor__,
    ">>": lambda left, right: left >> right,
    "min": min,
    "max": max,
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


def _breaks(body: Iterable[Statement]) -> bool:
    """Whether statements leave the loop in which they stand."""
    return any(isinstance(node, ir.Break) for node in every_part(body))


def _without(body: Body, needless: Callable[[ir.Assign], bool]) -> Body:
    """Statements without those that only note what is known."""

    def change(statement: Statement) -> Body:
        match statement:
            case ir.Assign(_, ir.Const() | ir.Var()) if needless(statement):
                return ()
            case _:
                return (statement,)

    return inside_out(body, change)

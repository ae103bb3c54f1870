"""What a value is for many members at once, where tables alone know it.

Assumes: tables and lists of a program; names that each have a number in every place.
Does: works a value out for all places side by side.
Leaves behind: a column of numbers; None in the places where the value would fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulerun.compiled import ir
from rulerun.compiled.ir.folding import WORK, Plain
from rulerun.compiled.ir.value import Value

Column = Sequence[int | None]


class Columns:
    """Works out columns of the values of one program."""

    def __init__(
        self,
        tables: Mapping[str, tuple[int, ...]],
        lists: Mapping[str, tuple[tuple[int, ...], ...]],
        plain: Plain,
    ) -> None:
        self.tables = tables
        self.lists = lists
        self.plain = plain

    def of(self, value: Value, given: Mapping[str, Sequence[int]]) -> Column | None:
        """A value in each place; None if it depends on more than tables."""
        match value:
            case ir.Const(number):
                return [number] * len(next(iter(given.values())))
            case ir.Var(name):
                return given.get(name)
            case ir.Binary(word, left, right) if word in WORK:
                return self._reckoned(word, left, right, given)
            case ir.Not(operand):
                held = self.of(operand, given)
                return held and [None if one is None else int(not one) for one in held]
            case ir.Both(left, right):
                return _truths(self._one_of(left, right, ir.Const(0), given))
            case ir.Either(left, right):
                return _truths(self._one_of(left, ir.Const(1), right, given))
            case ir.Select(held, yes, no):
                return self._one_of(held, yes, no, given)
            case ir.TableLoad(table, index):
                entries, places = self.tables[table], self.of(index, given)
                return places and [
                    entries[at] if at is not None and 0 <= at < len(entries) else None
                    for at in places
                ]
            case ir.Checked(inner, low, high, _):
                found = self.of(inner, given)
                return found and [
                    at if at is not None and low <= at <= high else None for at in found
                ]
            case ir.Call():
                return self._called(value, given)
            case _:
                return None

    def _reckoned(
        self, word: str, left: Value, right: Value, given: Mapping[str, Sequence[int]]
    ) -> Column | None:
        one = self.of(left, given)
        other = None if one is None else self.of(right, given)
        if one is None or other is None:
            return None
        work, divides = WORK[word], word in ("//", "%")
        return [
            None if a is None or b is None or (divides and not b) else int(work(a, b))
            for a, b in zip(one, other, strict=True)
        ]

    def _one_of(
        self, held: Value, yes: Value, no: Value, given: Mapping[str, Sequence[int]]
    ) -> Column | None:
        """One of two columns, place by place. What is not asked for may fail."""
        first = self.of(held, given)
        second = None if first is None else self.of(yes, given)
        third = None if second is None else self.of(no, given)
        if first is None or second is None or third is None:
            return None
        return [
            None if a is None else b if a else c
            for a, b, c in zip(first, second, third, strict=True)
        ]

    def _called(self, call: ir.Call, given: Mapping[str, Sequence[int]]) -> Column | None:
        listed = membership(self.plain, call)
        if listed is None:
            value = self.plain.called(call)
            return None if value is None else self.of(value, given)
        table, index, sought = listed
        places, members = self.of(index, given), self.of(sought, given)
        if places is None or members is None:
            return None
        lists = [frozenset(each) for each in self.lists[table]]
        return [
            int(one in lists[at]) if at is not None and 0 <= at < len(lists) else None
            for at, one in zip(places, members, strict=True)
        ]


def _truths(column: Column | None) -> Column | None:
    return column and [None if one is None else int(one != 0) for one in column]


def membership(plain: Plain, call: ir.Call) -> tuple[str, Value, Value] | None:
    """Which list a function looks through for what it is given: the table, the index, what."""
    function = plain.functions.get(call.function)
    match function:
        case ir.Function(
            body=(
                ir.Each(
                    name,
                    table,
                    ir.Var(centre),
                    (
                        ir.If(
                            ir.Binary("==", ir.Var(one), ir.Var(other)), (ir.Return(ir.Const(1)),)
                        ),
                    ),
                ),
                ir.Return(ir.Const(0)),
            )
        ) if name in (one, other):
            sought = other if name == one else one
        case _:
            return None
    given = dict(zip(function.parameters, call.arguments, strict=True))
    if centre not in given or sought not in given:
        return None
    return table, given[centre], given[sought]

"""What is asked of one member after another, asked of all members at once.

Assumes: a loop under which nothing is written; the tables of its program.
Does: makes of a condition on a member a mask: for which members it holds. What a slot of a member
holds is a comparison of all slots; what a slot one step away holds is that comparison, shifted;
what tables say of a member is a constant; what does not depend on the member is asked once.
Leaves behind: masks, and the tables that they need.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.passes import every_part, run_of, variables
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen

WORD = 64
"""Of how many members tables know masks."""
_WIDEST = 512
"""So many members are asked at once at most."""
_FEW_STEPS = 4
"""Sites in so many directions are asked by a shift for each."""
NOTHING = ir.Const(0)

_TESTS: dict[str, Callable[[int, int], bool]] = {
    "==": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}
_SUMS: dict[str, Callable[[int, int], int]] = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
}


@frozen
class Members:
    """The members of a loop: the numbers from 0 up to, but without, `number`."""

    name: str
    number: int
    changing: frozenset[str]
    """The names that have another value for each."""
    signed: bool = True
    """Whether a mask of 64 bits has a sign, as numbers of machines have."""
    asked: bool = False
    """Whether the rules come to the question: for one of them at least it is asked. Else nothing
    in it may fail."""

    @property
    def every(self) -> ir.Const:
        """The mask of all of them."""
        return self.bits(range(self.number))

    def bits(self, places: Iterable[int]) -> ir.Const:
        """The mask of some of them: of 64 bits with a sign, or of more without one."""
        mask = sum(1 << place for place in places)
        return ir.Const(mask - (1 << WORD) if self.signed and mask >> WORD - 1 == 1 else mask)


class Questions:
    """What may be asked in one program; the tables that answers need are added to its own."""

    def __init__(
        self,
        tables: dict[str, tuple[int, ...]],
        sure: set[str],
        runs: Collection[tuple[int, int]] | None = None,
    ) -> None:
        """`sure`: functions that may be asked once instead of often, or though nobody needs it.

        `runs`: of which runs of slots it may be asked at once which hold a value, if not of all:
        base and number. Then a mask may have any number of bits, as numbers of Python have.
        """
        self.tables = tables
        self.sure = sure
        self.runs = runs

    def members(self, name: str, number: int, changing: Iterable[str]) -> Members:
        """The members of a loop."""
        return Members(name, number, frozenset(changing), self.runs is None)

    def may_be_asked(self, base: int, number: int) -> bool:
        """Whether it may be asked of these slots at once which hold a value."""
        return number <= _WIDEST if self.runs is None else (base, number) in self.runs

    @property
    def widest(self) -> int:
        """The most members of which tables know masks."""
        return WORD if self.runs is None else _WIDEST

    def mask_of(
        self, condition: Value, members: Members, among: Iterable[int] | None = None
    ) -> Value | None:
        """For which members a condition holds; None if it cannot be said of all at once.

        `among`: the members that matter, all of them if it is left out. Of the others it may say
        anything: they are not asked, and asking them may fail.
        """
        left = range(members.number) if among is None else among
        if members.name not in variables(condition):
            if not self._is_steady(condition, members):
                return None
            return select(condition, members.every, NOTHING)
        match condition:
            case ir.Not(operand):
                inner = self.mask_of(operand, members, left)
                return None if inner is None else _others(inner, members)
            case ir.Both(one, other):
                return self._of_two(one, other, members, left, both=True)
            case ir.Either(one, other):
                return self._of_two(one, other, members, left, both=False)
            case ir.Binary(operator, one, other) if operator in _TESTS:
                return self._compared(operator, one, other, members, left)
            case _:
                column = self._column(condition, members)
                if column is None or not _all_known(column, left):
                    return None
                return members.bits(at for at, value in enumerate(column) if value)

    def _of_two(
        self, one: Value, other: Value, members: Members, among: Iterable[int], *, both: bool
    ) -> Value | None:
        """The mask of two conditions. What does not depend on the member is asked first."""
        first = self.mask_of(one, members, among)
        if first is None:
            return None
        # The other one is asked of those for whom the first one does not decide.
        rest = among
        if isinstance(first, ir.Const):
            rest = [at for at in among if bool(first.value >> at & 1) is both]
        second = self.mask_of(other, replace(members, asked=False), rest)
        if second is None:
            return None
        if members.name not in variables(one):
            no, yes = (NOTHING, second) if both else (second, members.every)
            return select(one, yes, no)
        return meet(first, second) if both else join(first, second)

    def _compared(
        self, operator: str, one: Value, other: Value, members: Members, among: Iterable[int]
    ) -> Value | None:
        first, second = self._column(one, members), self._column(other, members)
        if first is not None and second is not None:
            if not (_all_known(first, among) and _all_known(second, among)):
                return None
            pairs = enumerate(zip(first, second, strict=True))
            test = _TESTS[operator]
            return members.bits(
                at for at, (a, b) in pairs if a is not None and b is not None and test(a, b)
            )
        if operator not in ("==", "!="):
            return None
        for mine, value in ((one, other), (other, one)):
            if variables(value) & members.changing:
                continue
            if not members.asked and not self._never_fails(value):
                continue
            found = self._equal(mine, value, members, among)
            if found is not None:
                return found if operator == "==" else _others(found, members)
        return None

    def _equal(
        self, mine: Value, value: Value, members: Members, among: Iterable[int]
    ) -> Value | None:
        """For which members what is theirs is a value that is the same for all."""
        match mine:
            case ir.Slot(address) if (base := run_of(address, members.name)) is not None:
                if not self.may_be_asked(base, members.number):
                    return None
                return ir.EqualMask(base, members.number, value)
            case ir.Slot(ir.Binary("+", where, ir.Const(base))) if self.may_be_asked(
                base, members.number
            ):
                return self._elsewhere(where, base, value, members, among)
        column = self._column(mine, members)
        tables = [node.table for node in every_part([mine]) if isinstance(node, ir.TableLoad)]
        if (
            column is None
            or not tables
            or members.number > self.widest
            or not _all_known(column, among)
        ):
            return None
        return self._by_value(tables[0], column, value, members)

    def _elsewhere(
        self, where: Value, base: int, value: Value, members: Members, among: Iterable[int]
    ) -> Value | None:
        """For which members the slot of another one, that tables know, holds a value."""
        column = self._column(where, members)
        if column is None or not _all_known(column, among):
            return None
        steps: dict[int, list[int]] = {}
        for at, there in enumerate(column):
            if there is not None and 0 <= there < members.number:
                steps.setdefault(there - at, []).append(at)
            elif at in among:
                return None
        if len(steps) > _FEW_STEPS:
            return None
        held = ir.EqualMask(base, members.number, value)
        found: Value = NOTHING
        for step, sites in steps.items():
            moved: Value = held
            if step:
                moved = ir.Binary(">>" if step > 0 else "<<", held, ir.Const(abs(step)))
            found = join(found, meet(moved, members.bits(sites)))
        return found

    def _is_steady(self, value: Value, members: Members) -> bool:
        """Whether a value is the same for all members, and may be asked for at any time."""
        return all(
            isinstance(node, ir.Const | ir.Slot | ir.Binary | ir.Not | ir.Both | ir.Either)
            or isinstance(node, ir.Select | ir.TableLoad | ir.EqualMask | ir.BitCount)
            or isinstance(node, ir.CountEqual | ir.SumSlots)
            or (isinstance(node, ir.Var) and node.name not in members.changing)
            or (isinstance(node, ir.Call) and node.function in self.sure)
            for node in every_part([value])
        )

    def _never_fails(self, value: Value) -> bool:
        """Whether a value may be asked for though the rules do not come to it."""
        return not any(
            isinstance(node, ir.Checked)
            or (isinstance(node, ir.Call) and node.function not in self.sure)
            for node in every_part([value])
        )

    def _column(self, value: Value, members: Members) -> Sequence[int | None] | None:
        """What a value is for each member, where tables know it; None for whom it would fail."""
        match value:
            case ir.Const(number):
                return [number] * members.number
            case ir.Var(name) if name == members.name:
                return range(members.number)
            case ir.Binary(operator, left, right) if operator in _SUMS:
                one, other = self._column(left, members), self._column(right, members)
                if one is None or other is None:
                    return None
                work = _SUMS[operator]
                return [
                    None if a is None or b is None else work(a, b)
                    for a, b in zip(one, other, strict=True)
                ]
            case ir.TableLoad(table, index):
                entries, places = self.tables[table], self._column(index, members)
                if places is None:
                    return None
                return [
                    entries[at] if at is not None and 0 <= at < len(entries) else None
                    for at in places
                ]
            case ir.Checked(inner, low, high, _):
                found = self._column(inner, members)
                if found is None:
                    return None
                return [at if at is not None and low <= at <= high else None for at in found]
            case _:
                return None

    def _by_value(
        self, table: str, column: Sequence[int | None], value: Value, members: Members
    ) -> Value:
        """Where a column, of a table, holds a value that is only known when it is asked."""
        known = [entry for entry in column if entry is not None and entry != ir.NONE]
        low, high = min(known, default=0), max(known, default=0)
        masks = tuple(
            members.bits(at for at, entry in enumerate(column) if entry == wanted).value
            for wanted in range(low, high + 1)
        )
        name = beside(table, f"is_{members.number}")
        while self.tables.setdefault(name, masks) != masks:
            name = beside(name, "too")
        inside = ir.Both(
            ir.Binary(">=", value, ir.Const(low)), ir.Binary("<=", value, ir.Const(high))
        )
        index = ir.Binary("-", value, ir.Const(low))
        return ir.Select(inside, ir.TableLoad(name, index), NOTHING)


def _all_known(column: Sequence[int | None], among: Iterable[int]) -> bool:
    return all(column[at] is not None for at in among)


def _others(mask: Value, members: Members) -> Value:
    match mask:
        case ir.Const(value):
            return ir.Const(value ^ members.every.value)
        case ir.Binary("^", inner, every) if every == members.every:
            return inner
        case _:
            return ir.Binary("^", mask, members.every)


def meet(one: Value, other: Value) -> Value:
    """What is in both masks."""
    if isinstance(one, ir.Const) and isinstance(other, ir.Const):
        return ir.Const(one.value & other.value)
    return NOTHING if NOTHING in (one, other) else ir.Binary("&", one, other)


def join(one: Value, other: Value) -> Value:
    """What is in either mask."""
    if isinstance(one, ir.Const) and isinstance(other, ir.Const):
        return ir.Const(one.value | other.value)
    if NOTHING in (one, other):
        return other if one == NOTHING else one
    return ir.Binary("|", one, other)


def select(condition: Value, yes: Value, no: Value) -> Value:
    """One of two masks."""
    if isinstance(condition, ir.Const):
        return yes if condition.value else no
    return yes if yes == no else ir.Select(condition, yes, no)

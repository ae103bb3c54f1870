"""What is asked of one member after another, asked of all members at once.

Assumes: a loop under which nothing is written; the tables of its program.
Does: makes of a condition on a member a mask: for which members it holds. What a slot of a member
holds is a comparison of all slots; what a slot one step away holds is that comparison, shifted;
what tables say of a member is a constant; what does not depend on the member is asked once. A set
is the mask of what is in it. Whether one in the list of a member, as its neighbours, meets a
condition is the mask of that condition, shifted by each step that leads there. What hangs on a
fixed member as well, or on more than the member, `relations` makes a mask of.
Leaves behind: masks, and the tables that they need.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.bitsets import NOTHING, WIDEST, WORD, Members, join, meet, others, select
from rulerun.compiled.ir.columns import Column, Columns
from rulerun.compiled.ir.folding import TESTS, WORK, Plain
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.passes import every_part, run_of, substituted, variables
from rulerun.compiled.ir.relations import Ranges, Relations
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen

_FEW_STEPS = 4
"""Sites in so many directions are asked by a shift for each."""
_MOST_STEPS = 12
"""So many, where one of several is looked for."""
_MOST_VALUES = 1 << 12
"""A table of masks by value has so many entries at most."""
_SMALL = 8
"""What is shifted in so many directions is a value of so many nodes at most."""


class Questions:
    """What may be asked in one program; the tables that answers need are added to its own."""

    def __init__(
        self,
        tables: dict[str, tuple[int, ...]],
        lists: Mapping[str, tuple[tuple[int, ...], ...]],
        functions: Iterable[ir.Function],
        sure: set[str],
        runs: Collection[tuple[int, int]] | None = None,
        ranges: Ranges | None = None,
    ) -> None:
        """`sure`: functions that may be asked once instead of often, or though nobody needs it.

        `runs`: of which runs of slots it may be asked at once which hold a value, if not of all:
        base and number. Then a mask may have any number of bits, as numbers of Python have.
        `ranges`: what slots may hold, if it is asked beside a fixed member as well (`relations`).
        """
        functions = list(functions)
        self.tables = tables
        self.lists = lists
        self.looking = {
            each.name: looks
            for each in functions
            if each.name in sure and (looks := _looking_around(each)) is not None
        }
        self.sure = sure
        self.runs = runs
        self.plain = Plain(functions, tables)
        self.columns = Columns(tables, lists, self.plain)
        self.relations = None
        if ranges is not None:
            given = self.plain, self.columns, ranges, self._table
            self.relations = Relations(*given, self._is_steady, self.mask_of)

    def members(self, name: str, number: int, changing: Iterable[str]) -> Members:
        """The members of a loop."""
        return Members(name, number, frozenset(changing), self.runs is None)

    def may_be_asked(self, base: int, number: int) -> bool:
        """Whether it may be asked of these slots at once which hold a value."""
        return number <= WIDEST if self.runs is None else (base, number) in self.runs

    @property
    def widest(self) -> int:
        """The most members of which tables know masks."""
        return WORD if self.runs is None else WIDEST

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
                condition = self.plain.value(condition)
            if not self._is_steady(condition, members):
                return None
            return select(condition, members.every, NOTHING)
        if self.relations is not None and not isinstance(condition, ir.Binary | ir.Not):
            if (asked := self.relations.asked(condition, members)) is not None:
                return asked
        match condition:
            case ir.Not(operand):
                inner = self.mask_of(operand, members, left)
                return None if inner is None else others(inner, members)
            case ir.Both(one, other):
                return self._of_two(one, other, members, left, both=True)
            case ir.Either(one, other):
                return self._of_two(one, other, members, left, both=False)
            case ir.Select(held, yes, no):
                return self._of_either(held, yes, no, members, left)
            case ir.Binary(operator, one, other) if operator in TESTS:
                found = self._compared(operator, one, other, members, left)
                return found or self._related(condition, members)
            case ir.Binary("&", ir.Binary(">>", held, ir.Var(name)), ir.Const(1)) if (
                name == members.name and self._is_steady(held, members)
            ):
                return meet(held, members.every)
            case ir.Call(function, arguments) if function in self.looking:
                return self._around(self.looking[function], arguments, members)
            case ir.Call() if (value := self._seen_through(condition)) is not None:
                return self.mask_of(value, members, left)
            case _:
                column = self._column(condition, members)
                if column is None or not _all_known(column, left):
                    return None
                return members.bits(at for at, value in enumerate(column) if value)

    def _seen_through(self, call: ir.Call) -> Value | None:
        return None if self.relations is None else self.plain.called(call)

    def _related(self, condition: ir.Binary, members: Members) -> Value | None:
        """The mask of a comparison that hangs on a fixed member as well, or on what a slot holds.

        The same said plainly may be several conditions.
        """
        if self.relations is None:
            return None
        if condition.operator == "==":
            for mine, value in (
                (condition.left, condition.right),
                (condition.right, condition.left),
            ):
                found = self.relations.on_a_line(mine, value, members)
                if found is not None:
                    return found
        plain = self.plain.value(condition)
        found = self.relations.asked(plain, members)
        if found is None and plain != condition:
            return self.mask_of(plain, members)
        return found

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

    def _of_either(
        self, held: Value, yes: Value, no: Value, members: Members, among: Iterable[int]
    ) -> Value | None:
        """The mask of one of two conditions, by a third."""
        first = self.mask_of(held, members, among)
        later = replace(members, asked=False)
        second, third = self.mask_of(yes, later, among), self.mask_of(no, later, among)
        if first is None or second is None or third is None:
            return None
        if members.name not in variables(held):
            return select(held, second, third)
        return join(meet(first, second), meet(others(first, members), third))

    def may_hold(self, condition: Value, members: Members) -> Value | None:
        """A mask beyond which a condition does not hold, where it cannot be said of all at once."""
        match condition:
            case ir.Select(held, yes, no) if members.name in variables(held):
                later = replace(members, asked=False)
                first = self.mask_of(held, members)
                second, third = self.mask_of(yes, later), self.mask_of(no, later)
                if first is None or (second is None) is (third is None):
                    return None
                if second is None:
                    return join(first, third or NOTHING)
                return join(others(first, members), second)
            case _:
                return None

    def _around(
        self, looks: Looking, arguments: tuple[Value, ...], members: Members
    ) -> Value | None:
        """For which members one of those in their list meets a condition."""
        given = dict(zip(looks.parameters, arguments, strict=True))
        if given.pop(looks.centre) != ir.Var(members.name):
            return None
        if not all(self._is_steady(each, members) for each in given.values()):
            return None
        return self.near(looks.table, looks.name, substituted(looks.condition, given), members)

    def near(self, table: str, name: str, condition: Value, members: Members) -> Value | None:
        """For which members one of those in their list, under a name, meets a condition."""
        lists = self.lists[table]
        steps: dict[int, list[int]] = {}
        for at, near in enumerate(lists):
            for there in near:
                steps.setdefault(there - at, []).append(at)
        if len(lists) != members.number or len(steps) > _MOST_STEPS:
            return None
        if any(not 0 <= there < members.number for near in lists for there in near):
            return None
        theirs = replace(members, name=name, changing=members.changing | {name}, asked=False)
        held = self.mask_of(condition, theirs)
        if held is None or len(list(every_part([held]))) > _SMALL:
            return None
        return self._moved(held, steps, members)

    def _moved(self, held: Value, steps: Mapping[int, Sequence[int]], members: Members) -> Value:
        """For which members one that is a step away is held; each step leads from some members."""
        found: Value = NOTHING
        for step, sites in steps.items():
            moved: Value = held
            if step:
                moved = ir.Binary(">>" if step > 0 else "<<", held, ir.Const(abs(step)))
            found = join(found, meet(moved, members.bits(sites)))
        return found

    def sets(self, table: str, index: Value, members: Members) -> Value | None:
        """One list of a table of lists, as the set of what stands in it."""
        lists = self.lists[table]
        if any(len(set(each)) < len(each) for each in lists):
            return None
        if members.number <= self.widest:
            return ir.TableLoad(self._table(table, "set", map(members.bits, lists)), index)
        words = [
            [Members("", WORD, frozenset()).bits(at - low for at in each if 0 <= at - low < WORD)
             for each in lists]
            for low in range(0, members.number, WORD)
        ]  # fmt: skip
        found: Value = NOTHING
        for at, masks in enumerate(words):
            word = ir.TableLoad(self._table(table, f"set{at}", masks), index)
            found = join(found, ir.Binary("<<", word, ir.Const(at * WORD)) if at else word)
        return found

    def _table(self, table: str, word: str, masks: Iterable[ir.Const]) -> str:
        """A table of masks beside another."""
        values = tuple(each.value for each in masks)
        name = beside(table, word)
        while self.tables.setdefault(name, values) != values:
            name = beside(name, "too")
        return name

    def _compared(
        self, operator: str, one: Value, other: Value, members: Members, among: Iterable[int]
    ) -> Value | None:
        first, second = self._column(one, members), self._column(other, members)
        if first is not None and second is not None:
            if not (_all_known(first, among) and _all_known(second, among)):
                return None
            pairs = enumerate(zip(first, second, strict=True))
            test = WORK[operator]
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
                return found if operator == "==" else others(found, members)
        return None

    def _equal(
        self, mine: Value, value: Value, members: Members, among: Iterable[int]
    ) -> Value | None:
        """For which members what is theirs is a value that is the same for all."""
        match mine:
            case ir.Var(name) if name == members.name and self.runs is not None:
                # A number is a member, or none of them.
                inside = ir.Both(
                    ir.Binary(">=", value, NOTHING),
                    ir.Binary("<", value, ir.Const(members.number)),
                )
                return ir.Select(inside, ir.Binary("<<", ir.Const(1), value), NOTHING)
            case ir.Slot(address) if (base := run_of(address, members.name)) is not None:
                if not self.may_be_asked(base, members.number):
                    return None
                return ir.EqualMask(base, members.number, value)
            case ir.Slot(ir.Binary("+", where, ir.Const(base))) if self.may_be_asked(
                base, members.number
            ):
                return self._elsewhere(where, base, value, members, among)
            case ir.TableLoad(table, ir.Binary("+", row, ir.Var(name))) if name == members.name:
                return self._in_row(table, row, value, members)
            case ir.Var(name) if name == members.name and self.relations is not None:
                return self.relations.one(value, members)
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
        return self._moved(ir.EqualMask(base, members.number, value), steps, members)

    def _in_row(self, table: str, row: Value, value: Value, members: Members) -> Value | None:
        """For which members their entry in a row of a table, of one for each, holds a value."""
        entries, number = self.tables[table], members.number
        match row, value:
            case ir.Binary("*", ir.Var(way), ir.Const(wide)), ir.Const(wanted) if (
                way not in members.changing and wide == number <= self.widest
            ):
                rows = (entries[at : at + wide] for at in range(0, len(entries), wide))
                masks = (
                    members.bits(at for at, one in enumerate(each) if one == wanted)
                    for each in rows
                )
                word = "none" if wanted == ir.NONE else f"holds_{wanted}".replace("-", "_")
                return ir.TableLoad(self._table(table, f"{word}_{wide}", masks), ir.Var(way))
            case _:
                return None

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

    def _column(self, value: Value, members: Members) -> Column | None:
        """What a value is for each member, where tables know it; None for whom it would fail."""
        return self.columns.of(value, {members.name: range(members.number)})

    def _by_value(
        self, table: str, column: Sequence[int | None], value: Value, members: Members
    ) -> Value | None:
        """Where a column, of a table, holds a value that is only known when it is asked."""
        known = [entry for entry in column if entry is not None and entry != ir.NONE]
        low, high = min(known, default=0), max(known, default=0)
        if high - low >= _MOST_VALUES:
            return None
        masks = (
            members.bits(at for at, entry in enumerate(column) if entry == wanted)
            for wanted in range(low, high + 1)
        )
        name = self._table(table, f"is_{members.number}", masks)
        inside = ir.Both(
            ir.Binary(">=", value, ir.Const(low)), ir.Binary("<=", value, ir.Const(high))
        )
        index = ir.Binary("-", value, ir.Const(low))
        none = members.bits(at for at, entry in enumerate(column) if entry == ir.NONE)
        is_none = ir.Binary("==", value, ir.Const(ir.NONE))
        return ir.Select(inside, ir.TableLoad(name, index), select(is_none, none, NOTHING))


@frozen
class Looking:
    """A function that tells whether one in the list of a parameter meets a condition."""

    parameters: tuple[str, ...]
    centre: str
    table: str
    name: str
    condition: Value


def _looking_around(function: ir.Function) -> Looking | None:
    """What a function looks for around a parameter, if that is all that it does."""
    match function.body:
        case (
            ir.Each(
                name, table, ir.Var(centre), (ir.If(condition, (ir.Return(ir.Const(1)),), ()),)
            ),
            ir.Return(ir.Const(0)),
        ) if centre in function.parameters and centre not in variables(condition):
            return Looking(function.parameters, centre, table, name, condition)
        case _:
            return None


def _all_known(column: Sequence[int | None], among: Iterable[int]) -> bool:
    return all(column[at] is not None for at in among)

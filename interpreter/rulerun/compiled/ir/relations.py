"""What is asked of members beside a fixed one, asked of all members at once.

Assumes: the members of a loop, under which nothing is written; tables and lists of a program.
Does: makes masks of conditions that hang on more than a table of the member:

* what tables say of two members, as whether a knight goes from one site to the other, is a table of
  masks by the one that is fixed, whichever of the two that is;
* what hangs on the slot of a member, as whether a man of mine stands there, is a comparison for
  each value that the slot may hold;
* whether a site is the first on a line, of those that meet a condition, is the line up to the first
  that does: from a fixed site, or from all sites to a fixed one;
* whether a member is a fixed one is one bit.

Leaves behind: masks, and the tables that they need; None where a mask does not say it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from rulerun.compiled import ir
from rulerun.compiled.ir.bitsets import NOTHING, WORD, Members, join, meet, others, select
from rulerun.compiled.ir.columns import Columns, membership
from rulerun.compiled.ir.folding import TESTS, Plain
from rulerun.compiled.ir.passes import every_part, rewritten, substituted, variables
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen

_MOST_PAIRS = 1 << 12
"""So many pairs of members are worked out at most."""
_MOST_VALUES = 16
"""So many values are asked of a slot at most."""
_SPLITS = 2
"""Of so many conditions that are the same for all it is worked out what is if they hold or not."""
_STORED = ir.Slot | ir.EqualMask | ir.CountEqual | ir.FindEqual | ir.SumSlots | ir.OnTop
_PLAIN = ir.Const | ir.Var | ir.Slot
_ONE = ir.Const(1)
_FIXED, _MEMBER = "fixed", "member"
_BEYOND = 1 << 33
"""What no rule reckons, and no table has."""

Ranges = Mapping[tuple[int, int], tuple[int, int]]
"""By run of slots, its base and number, the least and the most that one of them holds."""


class Relations:
    """What may be asked of members beside a fixed one, in one program."""

    def __init__(
        self,
        plain: Plain,
        columns: Columns,
        ranges: Ranges,
        table: Callable[[str, str, Iterable[ir.Const]], str],
        steady: Callable[[Value, Members], bool],
        mask_of: Callable[[Value, Members], Value | None],
    ) -> None:
        """`table` adds a table of masks beside another; `steady`: a value is the same for all."""
        self.plain = plain
        self.columns = columns
        self.ranges = ranges
        self.table = table
        self.steady = steady
        self.mask_of = mask_of
        self._pairs: dict[tuple[Value, int, int], Value | None] = {}
        self._firsts = {
            each.name: first
            for each in plain.functions.values()
            if (first := _first_of(each)) is not None
        }

    def asked(self, condition: Value, members: Members) -> Value | None:
        """The mask of a condition, by the first of these ways that says it."""
        if members.number > WORD or not members.signed:
            return None
        condition = self.plain.through(condition)
        return self._by_range(condition, members) or self.pairs(condition, members)

    # ---------------------------------------------------------------------------------- pairs

    def pairs(
        self, condition: Value, members: Members, bound: int = _MOST_PAIRS, splits: int = _SPLITS
    ) -> Value | None:
        """The mask of what tables say of the member and one other name."""
        nodes = list(every_part([condition]))
        names = {node.name for node in nodes if isinstance(node, ir.Var)} - {members.name}
        bounds = {each: self._bound(nodes, each) for each in names - members.changing}
        known = {name: found for name, found in bounds.items() if found is not None}
        if len(known) != 1:
            return None
        ((fixed, (many, surely)),) = known.items()
        if surely:
            many = bound = min(many, bound)
        test = self._test(condition, members, {fixed})
        if test is not None:

            def known_(where: Value) -> Value | None:
                found = self.pairs(where, members, bound, splits - 1)
                return found or self.mask_of(where, members)

            return self._either_way(condition, test, members, known_) if splits else None
        if names != {fixed} or any(isinstance(node, _STORED) for node in nodes):
            return None
        return self._worked_out(condition, fixed, many, surely, members)

    def _test(self, value: Value, members: Members, others: set[str]) -> Value | None:
        """The shortest comparison in a value that is the same for all members, and any others."""
        found = [
            node
            for node in every_part([value])
            if isinstance(node, ir.Binary)
            and node.operator in TESTS
            and (names := variables(node)).isdisjoint(others | {members.name})
            and (names or any(isinstance(each, _STORED) for each in every_part([node])))
        ]
        return min(found, key=lambda each: len(list(every_part([each]))), default=None)

    def _either_way(
        self,
        condition: Value,
        test: Value,
        members: Members,
        mask_of: Callable[[Value], Value | None],
    ) -> Value | None:
        """The mask of a condition if a test holds, and if it does not."""
        if not self.steady(test, members):
            return None
        yes, no = (mask_of(self._where(condition, test, ir.Const(truth))) for truth in (1, 0))
        return None if yes is None or no is None else select(test, yes, no)

    def _where(self, condition: Value, test: Value, truth: ir.Const) -> Value:
        """A condition, where a part of it is known."""
        return self.plain.value(rewritten(condition, lambda each: truth if each == test else each))

    def _worked_out(
        self, condition: Value, fixed: str, many: int, surely: bool, members: Members
    ) -> Value | None:
        if many * members.number > _MOST_PAIRS:
            return None
        names = {fixed: ir.Var(_FIXED), members.name: ir.Var(_MEMBER)}
        key = substituted(condition, names), many, members.number
        if key not in self._pairs:
            self._pairs[key] = None
            self._pairs[key] = self._paired(key[0], many, surely, members)
        found = self._pairs[key]
        return None if found is None else substituted(found, {_FIXED: ir.Var(fixed)})

    def _paired(self, condition: Value, many: int, surely: bool, members: Members) -> Value | None:
        """The mask of a condition on a pair, by a table; beyond the table, what is so there."""
        number, rows = members.number, (*range(many), -_BEYOND, ir.NONE, _BEYOND)
        given = {
            _FIXED: [one for one in rows for _ in range(number)],
            _MEMBER: [*range(number)] * len(rows),
        }
        column = self.columns.of(condition, given)
        if column is None:
            return None
        parts = (column[at : at + number] for at in range(0, len(column), number))
        masks = [
            None if None in part else members.bits(at for at, one in enumerate(part) if one)
            for part in parts
        ]
        *_, below, none, other = masks
        known = [each for each in masks[:many] if each is not None]
        if len(known) < many:
            return None
        fixed = ir.Var(_FIXED)
        found: Value = ir.TableLoad(self.table("PAIRS", f"{len(self._pairs)}", known), fixed)
        is_none = ir.Binary("==", fixed, ir.Const(ir.NONE))
        if surely:
            if below is not None or other is not None:
                return None  # the rules look it up only where tables have it
            # Else it fails there, in the table as in the rules.
            return found if none is None else select(is_none, none, found)
        if none is None or other is None:
            return None
        inside = ir.Both(ir.Binary(">=", fixed, NOTHING), ir.Binary("<", fixed, ir.Const(many)))
        return ir.Select(inside, found, select(is_none, none, other))

    def _bound(self, nodes: Sequence[object], name: str) -> tuple[int, bool] | None:
        """Below which number a name lies, and whether it fails beyond; None: nothing says so.

        What is looked up fails there. What is only compared is none of what it is compared with.
        """
        found: list[int] = []
        compared: list[int] = []
        one = ir.Var(name)
        for node in nodes:
            match node:
                case ir.TableLoad(table, index):
                    many = len(self.columns.tables[table])
                    match index:
                        case ir.Var() if index == one:
                            found.append(many)
                        case ir.Binary("+", ir.Const(low), way) if way == one:
                            found.append(many - low)
                        case ir.Binary("+", ir.Binary("*", _, ir.Const(wide)), way) if way == one:
                            found.append(wide)
                case ir.Binary("==" | "!=", ir.TableLoad(table), other) if other == one:
                    entries = self.columns.tables[table]
                    if all(each >= 0 or each == ir.NONE for each in entries):
                        compared.append(max(entries))
                case ir.Call() if (listed := membership(self.plain, node)) is not None:
                    table, index, sought = listed
                    lists = self.columns.lists[table]
                    if index == one:
                        found.append(len(lists))
                    elif sought == one:
                        compared.append(max((max(each, default=0) for each in lists), default=0))
        if found:
            return min(found), True
        if compared and len(compared) == sum(node == one for node in nodes):
            return 1 + max(*compared, 0), False
        return None

    # --------------------------------------------------------------------------------- values

    def _by_range(self, condition: Value, members: Members) -> Value | None:
        """The mask of what hangs on the slot of a member, and on nothing else of it."""
        base = self._only_slot(condition, members)
        if base is None or (bounds := self.ranges.get((base, members.number))) is None:
            return None
        low, high = bounds
        if high - low >= _MOST_VALUES:
            return None
        slot = ir.Slot(ir.Binary("+", ir.Var(members.name), ir.Const(base)))
        groups: dict[Value, list[int]] = {}
        for value in range(low, high + 1):
            where = self._where(condition, slot, ir.Const(value))
            if members.name in variables(where):
                return None
            if not isinstance(where, ir.Const) and not self.steady(where, members):
                return None
            groups.setdefault(where, []).append(value)
        found: Value = NOTHING
        for where, values in groups.items():
            rest = [value for value in range(low, high + 1) if value not in values]
            few = values if len(values) <= len(rest) else rest
            mask: Value = NOTHING
            for value in few:
                mask = join(mask, ir.EqualMask(base, members.number, ir.Const(value)))
            if few is rest:
                mask = others(mask, members)
            found = join(found, select(where, mask, NOTHING))
        return found

    def _only_slot(self, condition: Value, members: Members) -> int | None:
        """Where the run of slots begins of which a condition asks that of the member."""
        bases: set[int] = set()
        slots = uses = 0
        for node in every_part([condition]):
            match node:
                case ir.Slot(ir.Binary("+", ir.Var(name), ir.Const(base))) if name == members.name:
                    bases.add(base)
                    slots += 1
                case ir.Var(name) if name == members.name:
                    uses += 1
        return bases.pop() if len(bases) == 1 and slots == uses else None

    # ---------------------------------------------------------------------------------- lines

    def on_a_line(self, one: Value, sought: Value, members: Members) -> Value | None:
        """Where the first on a line, of the one that is sought and others, is the one sought."""
        if not isinstance(one, ir.Call) or one.function not in self._firsts:
            return None
        if members.number > WORD or not members.signed:
            return None
        first = self._firsts[one.function]
        given = dict(zip(first.parameters, one.arguments, strict=True))
        if given.pop(first.sought) != sought or not isinstance(sought, ir.Var):
            return None
        index = self.plain.value(substituted(first.index, given))
        return self._on_line(first, index, substituted(first.stops, given), sought, members)

    def _on_line(
        self, first: _First, index: Value, stops: Value, sought: ir.Var, members: Members
    ) -> Value | None:
        """The same, on the line with an index."""
        match index:
            case ir.Binary("+", ir.Const(start), ir.Var(name)):
                pass
            case ir.Binary("+", ir.Var(name), ir.Const(start)):
                pass
            case ir.Var(name):
                start = 0
            case _:
                return self._by_index(first, index, stops, sought, members)
        inner = Members(first.name, members.number, members.changing | {first.name})
        if members.name in variables(stops) or (held := self.mask_of(stops, inner)) is None:
            return None
        lines: Lines = self.columns.lists[first.table][start : start + members.number]
        if len(lines) < members.number:
            return None
        if sought.name == members.name and name not in members.changing:
            fixed = name
        elif name == members.name and sought.name not in members.changing:
            back = seen_from(lines)
            if back is None:
                return None
            lines, fixed = back, sought.name
        else:
            return None
        up = _goes_up(lines)
        if up is None:
            return None
        table = self.table(first.table, f"from_{start}", map(members.bits, lines))
        line: Value = ir.TableLoad(table, ir.Var(fixed))
        met = meet(line, held)
        if up:
            return meet(line, ir.Binary("^", met, ir.Binary("-", met, _ONE)))
        last = ir.HighestBit(ir.Binary("|", met, _ONE))
        return meet(line, ir.Binary("<<", ir.Const(-1), last))

    def _by_index(
        self, first: _First, index: Value, stops: Value, sought: ir.Var, members: Members
    ) -> Value | None:
        """The same, where which line it is hangs on what is the same for all."""
        test = self._test(index, members, set())
        if test is None or not any(isinstance(each, ir.Select) for each in every_part([index])):
            return None
        return self._either_way(
            index, test, members, lambda where: self._on_line(first, where, stops, sought, members)
        )

    def one(self, value: Value, members: Members) -> Value | None:
        """Which member is a value that is the same for all."""
        if members.number > WORD or not members.signed or not isinstance(value, _PLAIN):
            return None
        inside = ir.Both(
            ir.Binary(">=", value, NOTHING), ir.Binary("<", value, ir.Const(members.number))
        )
        return ir.Select(inside, ir.Binary("<<", _ONE, value), NOTHING)


@frozen
class _First:
    """A function that gives the first of a list that is a parameter, or at which it stops."""

    parameters: tuple[str, ...]
    sought: str
    name: str
    table: str
    index: Value
    stops: Value


def _first_of(function: ir.Function) -> _First | None:
    match function:
        case ir.Function(
            parameters=parameters,
            body=(
                ir.Each(name, table, index, (ir.If(asked, (ir.Return(ir.Var(found)),), ()),)),
                ir.Return(ir.Const(ir.NONE)),
            ),
        ) if found == name and name not in variables(index):
            pass
        case _:
            return None
    match asked:
        case ir.Either(ir.Binary("==", ir.Var(one), ir.Var(other)), stops) if name in (one, other):
            sought = other if one == name else one
        case ir.Either(stops, ir.Binary("==", ir.Var(one), ir.Var(other))) if name in (one, other):
            sought = other if one == name else one
        case _:
            return None
    if sought not in parameters or sought in variables(stops) | variables(index):
        return None
    return _First(parameters, sought, name, table, index, stops)


Lines = Sequence[Sequence[int]]


def _goes_up(lines: Lines) -> bool | None:
    """Whether every line leads to higher numbers; None if some do and others do not."""
    if all(list(each) == sorted(set(each)) for each in lines):
        return True
    if all(list(each) == sorted(set(each), reverse=True) for each in lines):
        return False
    return None


def seen_from(lines: Lines) -> Lines | None:
    """By member those from whose line it can be met, the nearest first.

    None if what lies between two of them is not the same from both ends.
    """
    number = len(lines)
    between: list[dict[int, Sequence[int]]] = [{} for _ in range(number)]
    for start, line in enumerate(lines):
        for at, there in enumerate(line):
            if not 0 <= there < number:
                return None
            between[there][start] = line[:at]
    back = [sorted(each, key=lambda start: len(each[start])) for each in between]
    for there, line in enumerate(back):
        if any(set(between[there][start]) != set(line[:at]) for at, start in enumerate(line)):
            return None
    return back

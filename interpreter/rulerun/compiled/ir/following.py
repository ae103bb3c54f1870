"""A function asked of all members of a set at once, along every way that it may go.

Assumes: a function that only reads, asked of each member of a set; what is known of boards stands
in tables.
Does: follows the function for all members together. What tables say of each is known here; where
the slots decide how it goes on, those for whom it goes one way are a mask, the others another, and
each way is followed by itself, if anybody goes it. What a slot of each member holds, some steps
away, is the mask of a value, shifted.
Leaves behind: a function of masks to a mask, which depends on nothing else. `Unknown` is raised
where a function does what cannot be followed so, may go wrong, or would be too long.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from rulerun.compiled import ir
from rulerun.compiled.ir.plainer import plainer
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value
from rulerun.compiled.ir.ways_parted import (
    NO,
    YES,
    Column,
    Gone,
    Held,
    Mask,
    Parted,
    Unknown,
    Ways,
    entries_of,
    plain,
)
from rulerun_dsl.source.frozen import frozen

_FEW_STEPS = 4
"""What is asked of a slot elsewhere is asked by so many shifts at most."""
_DEEP = 40
"""So many conditions stand inside one another at most."""
_ROUNDS = 64
_WORK: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "min": min,
    "max": max,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@frozen
class _Lane:
    """What is left of a loop over a list: from one place on."""

    loop: ir.Each
    index: Held
    place: int


_Rest = tuple[Statement | _Lane, ...]


@dataclass
class _Answers:
    """What a function gives: a mask for each value."""

    names: dict[Held, str] = field(default_factory=dict)
    may: dict[Held, int] = field(default_factory=dict)


@frozen
class Followed:
    """A condition followed for all members: a function of masks, and what it is given."""

    parameters: tuple[str, ...]
    arguments: tuple[Value, ...]
    body: Body


@frozen
class Surroundings:
    """What of a program is known: tables, functions that only read, where masks are kept."""

    tables: Mapping[str, tuple[int, ...]]
    lists: Mapping[str, tuple[tuple[int, ...], ...]]
    functions: Mapping[str, ir.Function]
    runs: Collection[tuple[int, int]]


def followed(condition: Value, name: str, number: int, own: Value, known: Surroundings) -> Followed:
    """A condition on each member, of so many, of a set. Raises `Unknown`."""
    follower = _Follower(name, number, known)
    among = follower.given(own)
    answers = _Answers()
    mask = Mask(among, (1 << number) - 1)
    with follower.apart() as block:
        member = Column(tuple(range(number)))
        follower.run((ir.Return(condition),), {name: member}, mask, answers)
    body = tuple(block)
    found: Value = NO
    for held, answer in answers.names.items():
        if not isinstance(held, ir.Const):
            raise Unknown
        body = (ir.Assign(answer, NO), *body)
        if held.value:
            one = ir.Var(answer)
            found = one if found == NO else ir.Binary("|", found, one)
    body = (*body, ir.Return(found))
    parameters = tuple(each.name for each in follower.gave.values())
    return Followed(parameters, tuple(follower.gave), plainer(body))


class _Follower(Parted):
    """Follows one condition."""

    def __init__(self, name: str, number: int, known: Surroundings) -> None:
        super().__init__()
        self.name = name
        self.number = number
        self.known = known
        self.deep = 0
        self.inside: list[str] = []
        """The functions that are being followed."""

    # ---------------------------------------------------------------------------- statements

    def run(self, rest: _Rest, names: dict[str, Held], mask: Mask, answers: _Answers) -> None:
        """Follow statements for some members, until each has an answer."""
        while rest:
            first, *others = rest
            rest = tuple(others)
            match first:
                case ir.Assign(name, value):
                    ways = self.value(value, names, mask)
                    if len(ways) > 1:
                        for way, held in ways:
                            self._apart(rest, {**names, name: held}, way, answers)
                        return
                    names = {**names, name: ways[0][1]}
                case ir.If(condition, then, otherwise):
                    ways = self.truth(condition, names, mask)
                    if len(ways) > 1:
                        for way, held in ways:
                            branch = then if held == YES else otherwise
                            self._apart((*branch, *rest), names, way, answers)
                        return
                    rest = (*(then if ways[0][1] == YES else otherwise), *rest)
                case ir.For(name, low, high, body):
                    rest = (*self._rounds(name, low, high, body, names, mask), *rest)
                case ir.Each(name, _, index, _):
                    ((_, held),) = self._one_way(index, names, mask)
                    rest = (_Lane(first, held, 0), *rest)
                case _Lane() if (idle := self._idle(first, names)) is not None:
                    names = idle
                case _Lane():
                    ended = self._lane(first, names, mask)
                    if len(ended) > 1:
                        for way, held in ended:
                            more = rest if held == NO else self._next(first, rest)
                            entered = self._entered(first, names, way) if held == YES else names
                            self._apart(more, entered, way, answers)
                        return
                    if ended[0][1] == YES:
                        rest, names = self._next(first, rest), self._entered(first, names, mask)
                case ir.Return(value):
                    for way, held in self.value(value, names, mask):
                        self._answer(way, held, answers)
                    return
                case _:
                    raise Unknown
        raise Unknown

    def _apart(self, rest: _Rest, names: dict[str, Held], mask: Mask, answers: _Answers) -> None:
        """Follow statements for some members, if there are any."""
        self.deep += 1
        if self.deep > _DEEP:
            raise Unknown
        with self.apart() as block:
            self.run(rest, names, mask, answers)
        self.deep -= 1
        self.emit(ir.If(mask.value, tuple(block)))

    def _answer(self, mask: Mask, held: Held, answers: _Answers) -> None:
        if held not in answers.names:
            answers.names[held], answers.may[held] = self.fresh(), 0
        name = answers.names[held]
        answers.may[held] |= mask.may
        self.emit(ir.Assign(name, ir.Binary("|", ir.Var(name), mask.value)))

    def _rounds(
        self,
        name: str,
        low: Value,
        high: Value,
        body: Body,
        names: dict[str, Held],
        mask: Mask,
    ) -> Body:
        (_, start), (_, end) = (*self._one_way(low, names, mask), *self._one_way(high, names, mask))
        match start, end:
            case ir.Const(first), ir.Const(last) if last - first <= _ROUNDS and not any(
                isinstance(each, ir.Break) for each in ir.all_statements(body)
            ):
                rounds = ((ir.Assign(name, ir.Const(each)), *body) for each in range(first, last))
                return tuple(statement for each in rounds for statement in each)
            case _:
                raise Unknown

    def _one_way(self, value: Value, names: dict[str, Held], mask: Mask) -> Ways:
        found = self.value(value, names, mask)
        if len(found) > 1:
            raise Unknown
        return found

    def _lists(self, lane: _Lane, mask: Mask) -> list[tuple[int, ...]]:
        """The list of each member of a mask."""
        lists = self.known.lists[lane.loop.table]
        found = entries_of(lane.index, mask)
        if not all(0 <= index < len(lists) for index in found):
            raise Unknown
        return [lists[index] for index in found]

    def _lane(self, lane: _Lane, names: dict[str, Held], mask: Mask) -> Ways:
        """For whom there is something in the list at a place."""
        lists = zip(mask.places, self._lists(lane, mask), strict=True)
        more = sum(1 << at for at, each in lists if len(each) > lane.place)
        return self.sorted_out(mask, more)

    def _idle(self, lane: _Lane, names: dict[str, Held]) -> dict[str, Held] | None:
        """What is known behind a loop that does nothing any more, whatever it comes to."""
        found: dict[str, Held] = {**names, lane.loop.name: Gone()}
        rest = list(lane.loop.body)
        while rest:
            match rest.pop(0):
                case ir.Assign(name, ir.Var(other)) if other in found:
                    found[name] = found[other]
                case ir.If(ir.Var(asked), then, otherwise) if isinstance(
                    held := found.get(asked), ir.Const
                ):
                    rest = [*(then if held.value else otherwise), *rest]
                case _:
                    return None
        gone = {name for name, held in found.items() if isinstance(held, Gone)}
        same = all(held == names.get(name) for name, held in found.items() if name not in gone)
        return found if same else None

    def _entered(self, lane: _Lane, names: dict[str, Held], mask: Mask) -> dict[str, Held]:
        entries = [each[lane.place] for each in self._lists(lane, mask)]
        return {**names, lane.loop.name: self._column(entries, mask)}

    @staticmethod
    def _next(lane: _Lane, rest: _Rest) -> _Rest:
        return (*lane.loop.body, _Lane(lane.loop, lane.index, lane.place + 1), *rest)

    # -------------------------------------------------------------------------------- values

    def truth(self, condition: Value, names: dict[str, Held], mask: Mask) -> Ways:
        """For whom a condition holds: 1 and 0."""
        found: Ways = []
        for way, held in self.value(condition, names, mask):
            match held:
                case Column(entries):
                    yes = sum(1 << at for at in way.places if entries[at])
                    found += self.sorted_out(way, yes)
                case ir.Const(value):
                    found.append((way, YES if value else NO))
                case _:
                    raise Unknown
        return self.joined(mask, found)

    def value(self, value: Value, names: dict[str, Held], mask: Mask) -> Ways:
        """What a value is, for whom."""
        match value:
            case ir.Const():
                return [(mask, value)]
            case ir.Var(name):
                return [(mask, plain(names.get(name, value), mask))]
            case ir.Binary(("==" | "!=") as word, ir.Slot() as slot, other) if not self._is_same(
                slot, names
            ):
                return self._slot(word, slot, other, names, mask)
            case ir.Binary(("==" | "!=") as word, other, ir.Slot() as slot) if not self._is_same(
                slot, names
            ):
                return self._slot(word, slot, other, names, mask)
            case ir.Binary(word, left, right):
                return self._binary(word, left, right, names, mask)
            case ir.Not(operand):
                found = self.truth(operand, names, mask)
                return [(way, NO if held == YES else YES) for way, held in found]
            case ir.Both(left, right):
                return self._either_way(left, right, NO, names, mask)
            case ir.Either(left, right):
                return self._either_way(left, YES, right, names, mask)
            case ir.Select(condition, yes, no):
                return self._either_way(condition, yes, no, names, mask)
            case ir.Checked(inner, low, high, name):
                return self._checked(inner, low, high, names, mask)
            case ir.TableLoad(table, index):
                return self._load(table, index, names, mask)
            case ir.Slot(address):
                ((_, held),) = self._one_way(address, names, mask)
                if isinstance(held, Column | Gone):
                    raise Unknown
                return [(mask, ir.Slot(held))]
            case ir.Call(function, arguments):
                return self._call(function, arguments, names, mask)
            case _:
                raise Unknown

    def _is_same(self, slot: ir.Slot, names: dict[str, Held]) -> bool:
        """Whether a slot is the same one for all, as far as its address shows."""
        waiting: list[object] = [slot.address]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ir.Var) and isinstance(names.get(node.name), Column | ir.Const):
                return False
            if isinstance(node, ir.Checked):
                return False
            waiting += ir.inside(node)
        return True

    def _either_way(
        self, condition: Value, yes: Value, no: Value, names: dict[str, Held], mask: Mask
    ) -> Ways:
        found: Ways = []
        for way, held in self.truth(condition, names, mask):
            found += self.value(yes if held == YES else no, names, way)
        return self.joined(mask, found)

    def _checked(
        self, inner: Value, low: int, high: int, names: dict[str, Held], mask: Mask
    ) -> Ways:
        found = self.value(inner, names, mask)
        for way, held in found:
            if not all(low <= entry <= high for entry in entries_of(held, way)):
                raise Unknown
        return found

    def _load(self, table: str, index: Value, names: dict[str, Held], mask: Mask) -> Ways:
        entries = self.known.tables[table]
        found: Ways = []
        for way, held in self.value(index, names, mask):
            places = entries_of(held, way)
            if not all(0 <= place < len(entries) for place in places):
                raise Unknown
            found.append((way, self._column([entries[place] for place in places], way)))
        return self.joined(mask, found)

    def _binary(
        self, word: str, left: Value, right: Value, names: dict[str, Held], mask: Mask
    ) -> Ways:
        found: Ways = []
        for way, one in self.value(left, names, mask):
            for here, other in self.value(right, names, way):
                found.append((here, self._reckoned(word, one, other, here)))
        return self.joined(mask, found)

    def _reckoned(self, word: str, one: Held, other: Held, mask: Mask) -> Held:
        if isinstance(one, Gone) or isinstance(other, Gone):
            raise Unknown
        if not isinstance(one, Column | ir.Const) or not isinstance(other, Column | ir.Const):
            if isinstance(one, Column) or isinstance(other, Column):
                raise Unknown
            if word in ("//", "%"):
                raise Unknown
            return ir.Binary(word, one, other)
        if word not in _WORK:
            raise Unknown
        work = _WORK[word]
        if isinstance(one, ir.Const) and isinstance(other, ir.Const):
            firsts, seconds = [one.value], [other.value]
        else:
            firsts, seconds = entries_of(one, mask), entries_of(other, mask)
        if word not in ("==", "!=") and (ir.NONE in firsts or ir.NONE in seconds):
            raise Unknown
        try:
            found = [int(work(a, b)) for a, b in zip(firsts, seconds, strict=True)]
        except ZeroDivisionError:
            raise Unknown from None
        return self._column(found, mask)

    def _column(self, entries: list[int], mask: Mask) -> Held:
        """What is known of each member of a mask; one number, where it is the same for all."""
        if entries.count(entries[0]) == len(entries):
            return ir.Const(entries[0])
        column: list[int | None] = [None] * self.number
        for at, entry in zip(mask.places, entries, strict=True):
            column[at] = entry
        return Column(tuple(column))

    def _slot(
        self, word: str, slot: ir.Slot, other: Value, names: dict[str, Held], mask: Mask
    ) -> Ways:
        """For whom a slot of theirs holds a value that is the same for all, or holds it not."""
        ((_, sought),) = self._one_way(other, names, mask)
        if isinstance(sought, Column | Gone):
            raise Unknown
        found: Ways = []
        for way, address in self.value(slot.address, names, mask):
            for where, held in self.parted(way, self._holding(address, sought, way)):
                found.append((where, held if word == "==" else NO if held == YES else YES))
        return self.joined(mask, found)

    def _holding(self, address: Held, sought: Value, mask: Mask) -> Value:
        """The mask of those whose slot holds a value, among members who may be asked."""
        places = entries_of(address, mask)
        first = places[0]
        run = next(
            (
                (base, number)
                for base, number in self.known.runs
                if base <= first < base + number == base + self.number
            ),
            None,
        )
        if run is None:
            raise Unknown
        base, number = run
        steps: dict[int, int] = {}
        for at, place in zip(mask.places, places, strict=True):
            if not base <= place < base + number:
                raise Unknown
            step = place - base - at
            steps[step] = steps.get(step, 0) | 1 << at
        if len(steps) > _FEW_STEPS:
            raise Unknown
        mine = self.given(ir.EqualMask(base, number, sought))
        found: Value = NO
        for step, members in steps.items():
            moved: Value = mine
            if step:
                moved = ir.Binary(">>" if step > 0 else "<<", mine, ir.Const(abs(step)))
            if len(steps) > 1:
                moved = ir.Binary("&", moved, ir.Const(members))
            found = moved if found == NO else ir.Binary("|", found, moved)
        return found

    def _call(
        self, name: str, arguments: tuple[Value, ...], names: dict[str, Held], mask: Mask
    ) -> Ways:
        """What a function gives, for whom."""
        function = self.known.functions.get(name)
        if function is None or name in self.inside:
            raise Unknown
        given: list[tuple[Mask, dict[str, Held]]] = [(mask, {})]
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            given = [
                (here, {**before, parameter: held})
                for way, before in given
                for here, held in self.value(argument, names, way)
            ]
        answers = _Answers()
        self.inside.append(name)
        with self.apart() as block:
            for way, known in given:
                if len(given) > 1:
                    self._apart(function.body, known, way, answers)
                else:
                    self.run(function.body, known, way, answers)
        self.inside.pop()
        if len(answers.names) == 1:
            return [(mask, next(iter(answers.names)))]
        for held in answers.names:
            self.emit(ir.Assign(answers.names[held], NO))
        self.block += block
        return [
            (Mask(ir.Var(each), answers.may[held]), held) for held, each in answers.names.items()
        ]

"""What slots and masks hold, where a name or a number is known that is the same.

Assumes: the statements of one function of the module, in the order in which they are written; the
blocks that others go on at are written there.
Does: notes what was stored in a slot, which name a slot was read into, and which a mask; forgets it
where the slot, or the name, may get another value.
Leaves behind: what `ValueText` writes in place of looking into the list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FRAME
from rulerun.compiled.ir.passes import every_part, names_of, pure_functions, variables
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Statement
from rulerun.compiled.ir.value import Value
from rulerun.compiled.python.queries import is_number
from rulerun.compiled.python.regions import Region, touched
from rulerun_dsl.source.frozen import frozen

_Write = ir.StoreSlot | ir.Add | ir.Fill | ir.Copy
_Span = tuple[bool, int, int]
"""Some slots, from one up to another; whether they are counted from where the frame begins."""


@frozen
class Fact:
    """What is known of a slot or a mask."""

    same: Value
    """A name or a number."""
    names: Set[str]
    """The names on which it depends,"""
    slots: tuple[_Span, ...]
    """and the slots."""


@frozen
class _Effect:
    """What a statement may change."""

    names: frozenset[str]
    writes: tuple[_Write, ...]
    all: bool
    """Whether it may change any slot."""


class Held:
    """What is known where a function is written."""

    def __init__(self, program: Program, regions: tuple[Region, ...]) -> None:
        """Know nothing yet."""
        self.on = program.forwarded
        self.facts: dict[Value, Fact] = {}
        self._names: set[str] = set()
        """All names on which something that was known in this function depends."""
        self._regions = regions
        self._pure = pure_functions(program) if self.on else set()
        self._base, self._size = program.base, program.size
        self._depends: dict[Value, tuple[set[str], tuple[_Span, ...]]] = {}
        self._effects: dict[int, tuple[object, _Effect]] = {}

    def begin(self) -> None:
        """A function begins: nothing is known."""
        self.facts = {}
        self._names.clear()

    def same(self, value: Value) -> Value:
        """A value, or a name or a number that is known to be the same."""
        if self.facts and isinstance(value, ir.Slot | ir.EqualMask):
            fact = self.facts.get(value)
            return value if fact is None else fact.same
        return value

    def forget(self, given: Statement | Value, counted: Collection[str]) -> None:
        """Before something is written: forget what it, or what stands inside it, may change.

        What a statement writes itself it writes when it has read. `counted`: see
        `regions.counting`.
        """
        if not self.facts:
            return
        effect = self._effect(given)
        if effect.all:
            self.facts = {}
            return
        if not effect.names.isdisjoint(self._names):
            self.facts = {
                key: fact for key, fact in self.facts.items() if effect.names.isdisjoint(fact.names)
            }
        for write in effect.writes:
            if write is not given:
                self._written(write, counted)

    def note(self, statement: Statement, loose: set[str], counted: Collection[str]) -> None:
        """After a statement was written: what is known by it. `loose` names may hold a truth."""
        if isinstance(statement, _Write):
            self._written(statement, counted)
        match statement:
            case ir.StoreSlot(address, value) if self.on and _is_fixed(address):
                value = self.same(value)
                if isinstance(value, ir.Var | ir.Const) and is_number(value, loose):
                    self.know(ir.Slot(address), value)
            case ir.Assign(name, ir.Slot() | ir.EqualMask() as value) if (
                self.on and value not in self.facts and name not in variables(value)
            ):
                self.know(value, ir.Var(name))

    def know(self, key: Value, same: Value) -> None:
        """What is looked up is the same as a name or a number."""
        if self.on and _is_looked_up(key):
            known = self._depends.get(key)
            if known is None:
                known = self._depends[key] = variables(key), tuple(self._reads(key))
            names = known[0] | {same.name} if isinstance(same, ir.Var) else known[0]
            self._names |= names
            self.facts[key] = Fact(same, names, known[1])

    # ------------------------------------------------------------------------------- changing

    def _effect(self, given: Statement | Value) -> _Effect:
        known = self._effects.get(id(given))
        if known is None:
            known = self._effects[id(given)] = given, self._looked_at(given)
        return known[1]

    def _looked_at(self, given: Statement | Value) -> _Effect:
        names: set[str] = set()
        writes = []
        everything = False
        for node in every_part([given]):
            match node:
                case ir.Var() | ir.Const() | ir.Slot() | ir.Binary():
                    pass
                case ir.StoreSlot() | ir.Add() | ir.Fill() | ir.Copy():
                    writes.append(node)
                case ir.Call(function):
                    everything = everything or function not in self._pure
                case ir.Suppose():
                    everything = True
                case _:
                    names.update(names_of(node))
        return _Effect(frozenset(names), tuple(writes), everything)

    def _written(self, node: _Write, counted: Collection[str]) -> None:
        if self.facts:
            span = self._span(node, counted)
            for key, fact in list(self.facts.items()):
                if self._meets(fact, span):
                    del self.facts[key]

    def _span(self, node: _Write, counted: Collection[str]) -> _Span:
        """The slots that may be written."""
        address = node.to if isinstance(node, ir.Copy) else node.address
        number = node.number if isinstance(node, ir.Fill | ir.Copy) else 1
        match address:
            case ir.Const(first):
                return False, first, first + number
            case ir.Binary("+", ir.Var(name), ir.Const(first)) if name == FRAME:
                return True, first, first + number
        if number == 1 and touched(self._regions, address, 1, counted):
            # The function that puts it there writes no control stack.
            return False, 0, self._base
        return False, 0, self._size

    def _meets(self, fact: Fact, span: _Span) -> bool:
        framed, first, last = span
        for same, low, high in fact.slots:
            if same == framed:
                if low < last and first < high:
                    return True
            elif (last if same else high) > self._base:
                return True
        return False

    def _reads(self, key: Value) -> Iterator[_Span]:
        """The slots on which something that is looked up depends."""
        for node in every_part([key]):
            match node:
                case ir.Slot(ir.Const(at)):
                    yield False, at, at + 1
                case ir.Slot(ir.Binary("+", _, ir.Const(at))):
                    yield True, at, at + 1
                case ir.EqualMask(base, number):
                    yield False, base, base + number


def _is_fixed(address: Value) -> bool:
    """Whether an address is the same wherever it stands in a function."""
    match address:
        case ir.Const():
            return True
        case ir.Binary("+", ir.Var(name), ir.Const()):
            return name == FRAME
        case _:
            return False


def _is_looked_up(value: Value) -> bool:
    """Whether a value is a slot, or a mask of what one holds."""
    match value:
        case ir.Slot(address):
            return _is_fixed(address)
        case ir.EqualMask(_, _, ir.Slot(address)):
            return _is_fixed(address)
        case ir.EqualMask(_, _, ir.Var()):
            return True
        case _:
            return False

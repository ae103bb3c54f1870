"""What is known where a statement begins: of slots, of names, and of what lies where.

Assumes: nothing.
Does: keeps the numbers that slots and names are known to hold; and, of a number that a name or a
slot holds, what stands in a family of slots for it: that card `c` lies in zone 2, though it is not
known which card that is. Says so of the rows of a lister as well.
Leaves behind: values, for who follows a program (`cloning`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.value import Value

State = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int, int], ...]]
"""What slots hold, by address, and what stands in families: the slot that holds the place in them,
where they begin, what stands there; in order."""
_Contents = Mapping[tuple[Value, int], int]


class Known:
    """What is known at one place; it is changed as statements run."""

    def __init__(
        self,
        slots: Mapping[int, int],
        names: Mapping[str, int] | None = None,
        contents: _Contents | None = None,
    ) -> None:
        """`contents`: by who holds a place and where a family begins, what stands there."""
        self.slots = dict(slots)
        self.names = dict(names or {})
        self.contents = dict(contents or {})

    @classmethod
    def of(cls, state: State) -> Known:
        """What a state says."""
        slots, contents = state
        held: dict[tuple[Value, int], int] = {
            (ir.Slot(ir.Const(at)), base): value for at, base, value in contents
        }
        return cls(dict(slots), None, held)

    def copy(self) -> Known:
        """The same, to be changed by itself."""
        return Known(self.slots, self.names, self.contents)

    def state(self, alive: frozenset[int]) -> State:
        """What is known of slots that are alive."""
        contents = (
            (place.value, base, value)
            for (holder, base), value in self.contents.items()
            if isinstance(holder, ir.Slot) and isinstance(place := holder.address, ir.Const)
        )
        return (
            tuple(sorted(each for each in self.slots.items() if each[0] in alive)),
            tuple(sorted(each for each in contents if each[0] in alive)),
        )

    def all(self) -> tuple[object, ...]:
        """All that is known, as it names a clone of a function."""
        return (
            frozenset(self.slots.items()),
            frozenset(self.names.items()),
            frozenset(self.contents.items()),
        )

    def given(self, parameter: str, value: Value, outside: Known) -> None:
        """A parameter gets a value, of which something is known outside."""
        if isinstance(value, ir.Const):
            self.names[parameter] = value.value
        for (holder, base), content in outside.contents.items():
            if holder == value:
                self.contents[ir.Var(parameter), base] = content

    def content(self, address: Value) -> int | None:
        """What stands at an address that is reckoned, if that is known."""
        match address:
            case ir.Binary("+", holder, ir.Const(base)):
                return self.contents.get((holder, base))
            case _:
                return None

    def name(self, name: str, value: Value) -> None:
        """A name gets a value."""
        self.forget((name,), ())
        if isinstance(value, ir.Const):
            self.names[name] = value.value
        self._holds(ir.Var(name), value)

    def store(self, at: int, value: Value, followed: bool) -> None:
        """A slot that is no part of a family gets a value; `followed`: so it is kept."""
        self.forget((), (at,))
        if followed and isinstance(value, ir.Const):
            self.slots[at] = value.value
        self._holds(ir.Slot(ir.Const(at)), value)

    def _holds(self, holder: Value, value: Value) -> None:
        for (other, base), content in tuple(self.contents.items()):
            if other == value and other != holder:
                self.contents[holder, base] = content

    def forget(self, names: Iterable[str], slots: Iterable[int]) -> None:
        """Nothing is known of these any more."""
        for name in names:
            self.names.pop(name, None)
            self._drop(ir.Var(name))
        for slot in slots:
            self.slots.pop(slot, None)
            self._drop(ir.Slot(ir.Const(slot)))

    def _drop(self, holder: Value) -> None:
        if self.contents:
            self.contents = {key: held for key, held in self.contents.items() if key[0] != holder}

    def both(self, other: Known) -> None:
        """What is known whichever of two ways was taken."""
        self.slots = dict(self.slots.items() & other.slots.items())
        self.names = dict(self.names.items() & other.names.items())
        self.contents = dict(self.contents.items() & other.contents.items())

    def become(self, other: Known) -> None:
        """The same as another."""
        self.slots, self.names, self.contents = other.slots, other.names, other.contents


def contents_of_rows(lister: ir.Lister) -> list[frozenset[tuple[int, int]]]:
    """By column of a lister: what stands in families at the number, by where they begin."""
    given: dict[str, list[Value]] = {}
    pushed: list[tuple[Value, ...]] = []
    for node in every_part(lister.body):
        match node:
            case ir.Assign(name, value):
                given.setdefault(name, []).append(value)
            case ir.EachBit(name, mask):
                given.setdefault(name, []).append(ir.LowestBit(mask))
            case ir.For(name) | ir.Each(name) | ir.EachEqual(name):
                given.setdefault(name, []).append(ir.Const(ir.NONE))
            case ir.EachRow(names):
                for name in names:
                    given.setdefault(name, []).append(ir.Const(ir.NONE))
            case ir.Push(rows, numbers) if rows == FOUND:
                pushed.append(numbers)
    once = {name: values[0] for name, values in given.items() if len(values) == 1}
    found = [[_of_member(number, once) for number in numbers] for numbers in pushed]
    return [frozenset.intersection(*column) for column in zip(*found, strict=True)]


def _of_member(value: Value, once: Mapping[str, Value]) -> frozenset[tuple[int, int]]:
    match value:
        case ir.Var(name) if name in once:
            others = {other: held for other, held in once.items() if other != name}
            return _of_member(once[name], others)
        case ir.NthBit(mask, _) | ir.LowestBit(mask) | ir.HighestBit(mask):
            return _of_all(mask, once)
        case _:
            return frozenset()


def _of_all(mask: Value, once: Mapping[str, Value]) -> frozenset[tuple[int, int]]:
    """What stands in families at each bit of a mask."""
    match mask:
        case ir.EqualMask(base, _, ir.Const(value)):
            return frozenset(((base, value),))
        case ir.Binary("&", left, right):
            return _of_all(left, once) | _of_all(right, once)
        case ir.Var(name) if name in once:
            others = {other: held for other, held in once.items() if other != name}
            return _of_all(once[name], others)
        case _:
            return frozenset()

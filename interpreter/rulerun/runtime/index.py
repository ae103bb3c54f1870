"""The model, looked up: what executors ask of a `Game` again and again, computed once.

Assumes: a checked `Game`.
Does: maps names to tables with addresses, numbers zone instances, and says how a value of a type
is written in a slot.
Leaves behind: `GameIndex`, read by every other module that runs a game. Nothing here reads a state.

Two conventions of `model.Layout` are spelled out here, since everything else depends on them: the
last index of a family runs fastest, and `none` is one less than the lowest value of a type.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from rulerun_dsl.model import (
    Board,
    Game,
    Kind,
    Local,
    State,
    StateVariable,
    Target,
    Variable,
    ZoneFamily,
)
from rulerun_dsl.model.valuetypes import (
    INT_MAX,
    INT_MIN,
    Bool,
    Collection,
    Component,
    Direction,
    Enum,
    Int,
    Multiset,
    Optional,
    Order,
    Player,
    Row,
    SetOf,
    Site,
    Type,
    bare,
)
from rulerun_dsl.source.frozen import frozen


@frozen
class Attribute:
    """A mutable attribute: where its slots begin, and its type."""

    name: str
    base: int
    type: Type


@frozen
class KindTable:
    """A kind of component with its addresses."""

    kind: Kind
    number: int
    class_of: tuple[int, ...]
    """By component, for kinds that have identities."""
    first: tuple[int, ...]
    """By class: its first component."""
    parts: tuple[tuple[int, int], ...]
    """By class: its row and its owner."""
    base: int
    """Where the slots of places begin (identities)."""
    positions: int
    """Where the slots of positions begin; -1 without."""
    attributes: tuple[Attribute, ...]
    zones: tuple[int, ...]
    """The zone instances that may hold it, ascending."""

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)

    def copies_of(self, class_: int) -> range:
        """The components of a class, of a kind that has identities."""
        return range(self.first[class_], self.first[class_] + self.kind.copies[class_])

    @property
    def alike(self) -> bool:
        """Whether some of its components, with identities, are copies of one another."""
        return not self.kind.counted and any(copies > 1 for copies in self.kind.copies)


@frozen
class Instance:
    """One zone: `hand[yarg]`."""

    number: int
    family: ZoneFamily
    kind: KindTable
    indexes: tuple[int, ...]
    owner: int | None
    """Its first index that is a player."""
    ordered: bool
    counts: int
    """For a counted kind: where its slots begin."""
    width: int
    """For a counted kind: how many slots there are."""


@frozen
class VariableTable:
    """A variable with its addresses: `base + sum((index - low) * stride)`."""

    variable: StateVariable
    base: int
    width: int
    """Slots of one instance: 1, or the players of an order."""
    strides: tuple[int, ...]
    owner: int | None
    """Which of its indexes is its player."""

    def instances(self) -> Iterator[tuple[int, ...]]:
        """Every tuple of indexes, in order."""
        shape = zip(self.variable.lows, self.variable.sizes, strict=True)
        return product(*(range(low, low + size) for low, size in shape))

    def address(self, indexes: tuple[int, ...]) -> int:
        """Where the instance with these indexes lies."""
        steps = zip(indexes, self.variable.lows, self.strides, strict=True)
        return self.base + sum((index - low) * stride for index, low, stride in steps)


def strides_of(sizes: tuple[int, ...], width: int = 1) -> tuple[int, ...]:
    """How far apart neighbours in each index are; the last index runs fastest."""
    strides: list[int] = []
    for size in reversed(sizes):
        strides.append(width)
        width *= size
    return tuple(reversed(strides))


def element_of(type_: Type) -> Type:
    """The type of the members of a collection, a set, an order or several."""
    match type_:
        case Collection(element=element) | SetOf(element=element) | Multiset(element=element):
            return element
        case Order():
            return Player()
        case _:
            return type_


class GameIndex:
    """A game with everything that is named in it found."""

    def __init__(self, game: Game) -> None:
        """Look everything up."""
        self.game = game
        self.enumerations = {item.name: item for item in game.enumerations}
        self.boards: dict[str, Board] = {board.name: board for board in game.boards}
        self.families = {family.name: family for family in game.zones}
        self.kinds = {kind.name: self._kind(at, kind) for at, kind in enumerate(game.kinds)}
        self.instances: tuple[Instance, ...] = tuple(self._instances())
        bases = dict(game.layout.variables)
        self.variables = {item.name: self._variable(item, bases) for item in game.variables}

    def _kind(self, number: int, kind: Kind) -> KindTable:
        layout = self.game.layout
        class_of: list[int] = []
        first: list[int] = []
        for class_, copies in enumerate(kind.copies):
            first.append(len(class_of))
            class_of.extend([class_] * copies)
        types = {info.name: info.type for info in kind.attributes}
        zones = (self.families[name] for name in kind.zones)
        return KindTable(
            kind=kind,
            number=number,
            class_of=tuple(class_of),
            first=tuple(first),
            parts=tuple(divmod(class_, kind.owners) for class_ in range(kind.classes)),
            base=dict(layout.places).get(kind.name, -1),
            positions=dict(layout.positions).get(kind.name, -1),
            attributes=tuple(
                Attribute(name, base, types[name])
                for owner, name, base in layout.attributes
                if owner == kind.name
            ),
            zones=tuple(sorted(at for zone in zones for at in zone_range(zone))),
        )

    def _instances(self) -> Iterator[Instance]:
        counts = self.game.layout.counts
        for family in self.game.zones:
            owner = owner_place(family.indexes)
            shape = zip(family.lows, family.sizes, strict=True)
            places = product(*(range(low, low + size) for low, size in shape))
            kind = self.kinds[family.kind].kind
            for number, indexes in enumerate(places, start=family.base):
                yield Instance(
                    number=number,
                    family=family,
                    kind=self.kinds[family.kind],
                    indexes=indexes,
                    owner=None if owner is None else indexes[owner],
                    ordered=family.ordered,
                    counts=counts[number] if number < len(counts) else -1,
                    width=min(family.holds, kind.total) if family.ordered else kind.classes,
                )

    def _variable(self, variable: StateVariable, bases: dict[str, int]) -> VariableTable:
        width = len(self.game.players) if isinstance(bare(variable.type), Order) else 1
        return VariableTable(
            variable=variable,
            base=bases[variable.name],
            width=width,
            strides=strides_of(variable.sizes, width),
            owner=owner_place(variable.indexes),
        )

    # ------------------------------------------------------------------------------- values

    def type_of(self, target: Target) -> Type:
        """The declared type of what is written to."""
        match target:
            case Local(type=type_):
                return type_
            case Variable(name=name):
                return self.variables[name].variable.type
            case State(kind=kind, attribute=attribute):
                return self.kinds[kind].attribute(attribute).type

    def bounds(self, type_: Type) -> tuple[int, int]:
        """The lowest and the highest number that a slot of this type holds."""
        match type_:
            case Bool():
                return 0, 1
            case Int(low=low, high=high):
                return low, high
            case Player() | Order():
                return 0, len(self.game.players) - 1
            case Enum(name=name):
                return 0, len(self.enumerations[name].members) - 1
            case Row(kind=name):
                return 0, len(self.kinds[name].kind.rows) - 1
            case Site(board=name):
                return 0, len(self.boards[name].sites) - 1
            case Direction(board=name):
                return 0, len(self.boards[name].directions) - 1
            case Component(kind=name):
                kind = self.kinds[name].kind
                if kind.counted:
                    return 0, len(self.instances) * kind.classes - 1
                return 0, kind.total - 1
            case SetOf() as set_:
                low, high = self.members(set_)
                return 0, (1 << (high - low + 1)) - 1
            case Optional(inner=inner):
                low, high = self.bounds(inner)
                return low - 1, high
            case Multiset():
                # Its place in the domain of the choice.
                return 0, INT_MAX
            case _:
                return INT_MIN, INT_MAX

    def members(self, type_: SetOf) -> tuple[int, int]:
        """The lowest and the highest value that may be in a set; the lowest is bit 0."""
        return type_.among(self.bounds(type_.element))

    def lowest(self, type_: Type) -> int:
        """The lowest value of a type, none apart."""
        return self.bounds(bare(type_))[0]

    def none_code(self, type_: Type) -> int:
        """How none is written in a slot of this type."""
        return self.lowest(type_) - 1

    def encode(self, type_: Type, value: int | None) -> int:
        """The slot that holds the value."""
        return self.none_code(type_) if value is None else int(value)

    def decode(self, type_: Type, slot: int) -> int | None:
        """The value that a slot holds."""
        if isinstance(type_, Optional) and slot == self.none_code(type_):
            return None
        return slot

    def row_and_owner(self, kind: KindTable, component: int) -> tuple[int, int]:
        """The row of a component, and its owner."""
        if kind.kind.counted:
            return kind.parts[component % len(kind.parts)]
        return kind.parts[kind.class_of[component]]

    def text(self, type_: Type, value: int | None) -> str:
        """A value, as the rules write it."""
        if value is None:
            return "none"
        match bare(type_):
            case Bool():
                return "true" if value else "false"
            case Player():
                return self.game.players[value]
            case Enum(name=name):
                return self.enumerations[name].members[value]
            case Row(kind=name):
                return self.kinds[name].kind.rows[value]
            case Site(board=name):
                return self.boards[name].sites[value]
            case Direction(board=name):
                return self.boards[name].directions[value][0]
            case Component(kind=name):
                kind = self.kinds[name]
                return kind.kind.rows[self.row_and_owner(kind, value)[0]]
            case SetOf(element=element) as set_:
                low, high = self.members(set_)
                inside = (low + bit for bit in range(high - low + 1) if value >> bit & 1)
                return ", ".join(self.text(element, item) for item in inside) or "nothing"
            case _:
                return str(value)


def zone_range(family: ZoneFamily) -> range:
    """The numbers of the instances of a family."""
    return range(family.base, family.base + family.instances)


def owner_place(indexes: tuple[Type, ...]) -> int | None:
    """Which index is the owner: the first that is a player."""
    return next((at for at, type_ in enumerate(indexes) if isinstance(bare(type_), Player)), None)

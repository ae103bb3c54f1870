"""The types of the language: every value is a small whole number of a known, finite type.

How a value is written in the state and in the evaluator:

| type | value |
| --- | --- |
| `Bool` | 0 or 1 |
| `Int(low, high)` | itself |
| `Player` | seat, from 0 |
| `Enum(name)` | place in the declared order, from 0 |
| `Row(kind)` | row of the kind in file order, from 0 |
| `Site(board)` | site in board order, from 0 |
| `Direction(board)` | direction in the board's order, from 0 |
| `Component(kind)` | see `model.Kind`: an identity, or class and zone of a counted one |
| `Order()` | a permutation of the players, one slot each |
| `SetOf(element)` | a set of values of a finite type, as a bit mask |

`none` is Python's `None` in the evaluator; a slot of an `Optional` type writes it as one less
than the type's lowest value. A `Collection` is never stored: it is what `in`, `for` and the
quantifiers range over.
"""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen

INT_MIN = -(2**31)
INT_MAX = 2**31 - 1


@frozen
class Bool:
    """True or false."""

    def __str__(self) -> str:
        return "bool"


@frozen
class Int:
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


ANY_INT = Int(INT_MIN, INT_MAX)
"""`int`: every number of 32 bits."""


@frozen
class Player:
    """One of the players."""

    def __str__(self) -> str:
        return "player"


@frozen
class Enum:
    """A declared enumeration, or the values of an option (`name` is then the option's)."""

    name: str

    def __str__(self) -> str:
        return self.name


@frozen
class Row:
    """The name of a row of a kind (`card kind`)."""

    kind: str

    def __str__(self) -> str:
        return f"{self.kind} kind"


@frozen
class Site:
    """A place of a board."""

    board: str

    def __str__(self) -> str:
        return self.board


@frozen
class Direction:
    """A direction of a board."""

    board: str

    def __str__(self) -> str:
        return "direction"


@frozen
class Component:
    """A component of a kind."""

    kind: str

    def __str__(self) -> str:
        return self.kind


@frozen
class Order:
    """A permutation of the players."""

    def __str__(self) -> str:
        return "order of player"


WORD = 62
"""Members of a set that fit a number of 64 bits, with room to spare."""


@frozen
class SetOf:
    """A set of values of a finite type: all of them, or a part of them as a word holds."""

    element: Scalar
    part: int | None = None
    """Only the values from the `part`-th `WORD` on, as many as that; others are left out."""

    def among(self, bounds: tuple[int, int]) -> tuple[int, int]:
        """The lowest and the highest value it may hold, from those of its elements."""
        low, high = bounds
        if self.part is None:
            return low, high
        first = low + WORD * self.part
        return first, min(high, first + WORD - 1)

    def __str__(self) -> str:
        return f"set of {self.element}"


@frozen
class Multiset:
    """What a choice of several alike components binds: so many of each class of a kind."""

    element: Scalar

    def __str__(self) -> str:
        return f"several {self.element}"


@frozen
class NoneType:
    """The type of `none` alone."""

    def __str__(self) -> str:
        return "none"


@frozen
class Optional:
    """`T or none`."""

    inner: Scalar

    def __str__(self) -> str:
        return f"{self.inner} or none"


@frozen
class Collection:
    """What may be iterated, never stored. `ordered` tells whether first and last mean something."""

    element: Scalar
    ordered: bool

    def __str__(self) -> str:
        return f"several {self.element}"


@frozen
class Zone:
    """A zone (or several of one family) as a place to move to, swap, shuffle or show."""

    kind: str
    name: str
    single: bool
    """One instance (`hand[p]`), not a union (`hand[all]`)."""
    one: bool
    """A zone for one component (`{one: card}`): usable as `card or none`."""

    def __str__(self) -> str:
        return f"zone of {self.kind}"


@frozen
class Fraction:
    """The exact result of `/`, which stands only in `returns`."""

    def __str__(self) -> str:
        return "fraction"


@frozen
class Unknown:
    """The type of an expression that was already reported: agrees with everything."""

    def __str__(self) -> str:
        return "?"


Scalar = (
    Bool
    | Int
    | Player
    | Enum
    | Row
    | Site
    | Direction
    | Component
    | Order
    | SetOf
    | Multiset
    | NoneType
    | Optional
    | Fraction
    | Unknown
)
Type = Scalar | Collection | Zone


def bare(type_: Type) -> Type:
    """The type without `or none`."""
    return type_.inner if isinstance(type_, Optional) else type_


def optional(type_: Scalar) -> Scalar:
    """The type with `or none`, once."""
    if isinstance(type_, (Optional, NoneType, Unknown)):
        return type_
    return Optional(type_)

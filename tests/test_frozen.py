"""`frozen` and `slotted` make what `dataclass(slots=True)` makes, frozen or not."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from rulerun_dsl.source.frozen import frozen, replaced, slotted


@frozen
class OurBase:
    place: int


@frozen
class Ours(OurBase):
    """A value."""

    name: str
    items: tuple[int, ...] = ()
    notes: dict[str, int] = field(default_factory=dict)
    aside: int = field(default=0, repr=False, compare=False)

    @property
    def double(self) -> int:
        return self.place * 2


@dataclass(frozen=True, slots=True)
class TheirBase:
    place: int


@dataclass(frozen=True, slots=True)
class Theirs(TheirBase):
    """A value."""

    name: str
    items: tuple[int, ...] = ()
    notes: dict[str, int] = field(default_factory=dict)
    aside: int = field(default=0, repr=False, compare=False)


@slotted
class OurSum:
    name: str
    total: int = 0
    rows: list[int] = field(default_factory=list)
    aside: int = field(default=0, repr=False, compare=False)


@dataclass(slots=True)
class TheirSum:
    name: str
    total: int = 0
    rows: list[int] = field(default_factory=list)
    aside: int = field(default=0, repr=False, compare=False)


NAMES = ["place", "name", "items", "notes"]
BOTH = pytest.mark.parametrize("made", [Ours, Theirs])


@BOTH
def test_construction(made: Any) -> None:
    one = made(3, "a", (1, 2))
    assert (one.place, one.name, one.items, one.notes) == (3, "a", (1, 2), {})
    assert made(place=3, name="a", items=(1, 2)) == one
    assert made(3, name="a").items == ()
    assert made(3, "a").notes is not made(3, "a").notes
    many: list[tuple[Any, ...]] = [(), (1,), (1, "a", (), {}, 5, 6)]
    for wrong in many:
        with pytest.raises(TypeError):
            made(*wrong)
    with pytest.raises(TypeError):
        made(1, "a", place=2)
    with pytest.raises(TypeError):
        made(1, "a", colour=2)


@BOTH
def test_frozen_and_slotted(made: Any) -> None:
    one = made(3, "a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.place = 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.place
    assert not hasattr(one, "__dict__")


@BOTH
def test_dataclass_tools(made: Any) -> None:
    one: Any = made(3, "a")
    assert dataclasses.is_dataclass(type(one))
    assert [each.name for each in dataclasses.fields(one)] == [*NAMES, "aside"]
    assert dataclasses.replace(one, name="b") == made(3, "b")
    assert dataclasses.asdict(one) == dict(zip([*NAMES, "aside"], [3, "a", (), {}, 0], strict=True))
    assert replaced(one, name="b", items=(1,)) == dataclasses.replace(one, name="b", items=(1,))
    with pytest.raises(TypeError):
        replaced(one, colour=2)
    match one:
        case made(place, name):
            assert (place, name) == (3, "a")
        case _:
            pytest.fail("no match by position")


@BOTH
def test_equality_hash_repr(made: Any) -> None:
    assert made(3, "a") == made(3, "a")
    assert made(3, "a") != made(4, "a")
    assert made(3, "a", aside=1) == made(3, "a", aside=2)
    assert made(3, "a") != (3, "a", (), {})
    assert repr(made(3, "a")) == f"{made.__name__}(place=3, name='a', items=(), notes={{}})"
    base = made.__bases__[0]
    assert hash(base(3)) == hash(base(3))
    assert base(3) != made(3, "a")


@BOTH
def test_copy_and_pickle(made: Any) -> None:
    one = made(3, "a", (1,), {"x": 1})
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.deepcopy(one) == one


@pytest.mark.parametrize("made", [OurSum, TheirSum])
def test_slotted(made: Any) -> None:
    one = made("a")
    one.total += 2
    one.rows.append(5)
    assert one == made("a", 2, [5], 9) and one != made("a", 2) and made("b").rows == []
    assert repr(one) == f"{made.__name__}(name='a', total=2, rows=[5])"
    assert not hasattr(one, "__dict__") and made.__hash__ is None
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
    assert dataclasses.replace(one, name="c") == made("c", 2, [5])
    with pytest.raises(AttributeError):
        one.colour = 1


def test_a_class_of_very_many_fields() -> None:
    names = [f"field{at}" for at in range(150)]
    many: Any = frozen(
        type("Many", (), {"__annotations__": dict.fromkeys(names, "int"), "field149": 7})
    )
    given = {name: at for at, name in enumerate(names[:-1])}
    one = many(**given)
    assert (one.field3, one.field149) == (3, 7) and one == many(**given, field149=7)
    assert one != many(**given, field149=8) and dataclasses.replace(one, field3=4).field3 == 4
    for wrong in ({}, {**given, "colour": 2}):
        with pytest.raises(TypeError):
            many(**wrong)


def test_what_a_class_adds_stays() -> None:
    assert Ours(3, "a").double == 6
    assert Ours.__doc__ == "A value."
    assert Ours.__match_args__ == Theirs.__match_args__

"""`frozen` makes what `dataclass(frozen=True, slots=True)` makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from rulerun_dsl.source.frozen import frozen, replaced


@frozen
class OurBase:
    place: int


@frozen
class Ours(OurBase):
    """A value."""

    name: str
    items: tuple[int, ...] = ()
    notes: dict[str, int] = field(default_factory=dict)

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


BOTH = pytest.mark.parametrize("made", [Ours, Theirs])


@BOTH
def test_construction(made: Any) -> None:
    one = made(3, "a", (1, 2))
    assert (one.place, one.name, one.items, one.notes) == (3, "a", (1, 2), {})
    assert made(place=3, name="a", items=(1, 2)) == one
    assert made(3, name="a").items == ()
    assert made(3, "a").notes is not made(3, "a").notes
    many: list[tuple[Any, ...]] = [(), (1,), (1, "a", (), {}, 5)]
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
    assert [each.name for each in dataclasses.fields(one)] == ["place", "name", "items", "notes"]
    assert dataclasses.replace(one, name="b") == made(3, "b")
    assert dataclasses.asdict(one) == {"place": 3, "name": "a", "items": (), "notes": {}}
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


def test_what_a_class_adds_stays() -> None:
    assert Ours(3, "a").double == 6
    assert Ours.__doc__ == "A value."
    assert Ours.__match_args__ == Theirs.__match_args__

"""A state is a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerun.runtime.state import State

SLOTS = st.lists(st.integers(-(2**40), 2**40))


@given(SLOTS)
def test_a_state_is_read_back_as_it_was(slots):
    state = State(tuple(slots))
    assert State.from_json(state.to_json()) == state
    assert State.from_bytes(state.to_bytes()) == state
    assert hash(State.from_bytes(state.to_bytes())) == hash(state)


@given(SLOTS, SLOTS)
def test_equal_bytes_are_equal_states(one, other):
    left, right = State(tuple(one)), State(tuple(other))
    assert (left.to_bytes() == right.to_bytes()) == (left == right)


def test_small_numbers_take_one_byte():
    assert len(State((0, 1, -1, 63, -64)).to_bytes()) == 6


@pytest.mark.parametrize("data", [b"", b"\x02\x00", b"\x01\x80"])
def test_bytes_that_are_no_state(data):
    with pytest.raises(ValueError, match="state"):
        State.from_bytes(data)


@pytest.mark.parametrize("data", [None, {}, [1.0], [True], ["1"]])
def test_json_that_is_no_state(data):
    with pytest.raises(ValueError, match="whole numbers"):
        State.from_json(data)

"""Looking for garbage of Python's own kind seldom, and leaving the collector as it was."""

from __future__ import annotations

import gc

import pytest

from rulerun.host.collecting import ONCE, seldom_collected


@pytest.fixture(autouse=True)
def collector():
    """The collector as Python has it, and afterwards as the tests have it."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_it_is_looked_seldom_inside_and_as_before_behind():
    with seldom_collected():
        assert gc.get_threshold()[0] == 50_000
        with seldom_collected(ONCE):
            assert gc.get_threshold()[0] == ONCE
            with seldom_collected():
                assert gc.get_threshold()[0] == ONCE, "who looks still less goes on so"
        assert gc.get_threshold()[0] == 50_000
    assert gc.get_threshold() == (700, 10, 10)


def test_what_was_made_inside_is_not_looked_through_at_once():
    looked = []

    def note(phase, info):
        if phase == "stop":
            looked.append(info["generation"])

    gc.callbacks.append(note)
    try:
        with seldom_collected():
            kept = [[each] for each in range(5_000)]
        more = [[each] for each in range(100)]
    finally:
        gc.callbacks.remove(note)
    assert looked == [], "5,000 values were made, and 100 behind"
    assert len(kept) + len(more) == 5_100


def test_garbage_of_inside_is_found_when_all_is_looked_through():
    class Ring(list[object]):
        pass

    def rings():
        return sum(type(each) is Ring for each in gc.get_objects())

    with seldom_collected(ONCE):
        ring = Ring()
        ring.append(ring)
        del ring
    assert rings() == 1
    gc.collect()
    assert rings() == 0

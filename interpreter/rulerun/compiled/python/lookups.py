"""What a module of generated Python looks up among slots by functions that it is given.

Assumes: a list of slots.
Does: finds where something stands.
Leaves behind: numbers, or none.
"""

from __future__ import annotations

from rulerun.compiled import ir


def find(slots: list[int], start: int, stop: int, value: int) -> int:
    """Where a value stands among some slots, from 0; none without."""
    try:
        return slots.index(value, start, stop) - start
    except ValueError:
        return ir.NONE


def top(slots: list[int], start: int, stop: int, positions: int, zone: int) -> int:
    """Which component lies on top of a stack; none without."""
    return _at_position(slots, start, stop, positions, zone, slots[start:stop].count(zone) - 1)


def front(slots: list[int], start: int, stop: int, positions: int, zone: int) -> int:
    """Which component stands at the front of a queue; none without."""
    return _at_position(slots, start, stop, positions, zone, 0)


def mask(slots: list[int], value: int, low: int, high: int, start: int) -> int:
    """Which slots of a region hold a value: none, if no slot may."""
    return slots[value + start] if low <= value <= high else 0


def lowest(mask: int) -> int:
    """The lowest bit of a mask; none without."""
    return (mask & -mask).bit_length() - 1 if mask else ir.NONE


def _at_position(
    slots: list[int], start: int, stop: int, positions: int, zone: int, position: int
) -> int:
    at = start
    try:
        while True:
            at = slots.index(zone, at, stop)
            if slots[at + positions] == position:
                return at - start
            at += 1
    except ValueError:
        return ir.NONE

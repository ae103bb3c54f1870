"""What must be known of machine code to drive it: where things stand, and what its answers mean.

Assumes: nothing.
Does: names the numbers that machine code and its callers agree on.
Leaves behind: a `Plan`, plain numbers that the cache can keep beside the code: who finds both there
needs neither the program that they were made of nor what makes one.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from rulerun_dsl.source.frozen import frozen

FAILED = -(1 << 41)
"""What a function gives that gave the run up."""

SUMS = 5
"""Numbers that are kept of a game while it runs: the first three are told of it."""
DECISIONS, INPUTS, OPTIONS, FALLS, PAUSE = range(SUMS)
"""Decisions, inputs, legal actions; how often luck fell in a row; at how many inputs to pause."""

ENDED, TRUNCATED, ENDLESS, PAUSED, REFUSED, STAYED = range(6)
"""How a call that plays a game ends: at its end, at a decision beyond the bound, at luck without
end, in the middle, to go on from there, or at once, for the action is not legal, or none was to be
taken. Anything else: it was given up."""

STAY = -1
"""In place of an action: the play stays as it is."""


@frozen
class Places:
    """Where things stand behind the slots, in numbers of 64 bits; `offset` in bytes."""

    count: int
    rows: int
    counters: int
    actions: int
    """How often each action was legal, then how often it was taken; only if counted."""
    streams: int
    sums: int
    size: int
    offset: int


@frozen
class Plan:
    """What the callers of machine code know of it."""

    slots: int
    bits: int
    """How wide a slot is."""
    base: int
    """Where the first control stack begins; each is so long, and there are so many."""
    frame: int
    frames: int
    lines: int
    """Of the scoring."""
    counters: int
    """Of coverage."""
    returns: bool
    """Whether working out the returns calls what the reference calls."""
    places: Places
    widths: tuple[tuple[int, int], ...]
    """By instruction, how wide the rows of a question are."""

    @property
    def size(self) -> int:
        """Bytes of the memory of a play."""
        return self.places.offset + 8 * self.places.size

    def data(self) -> list[Any]:
        """The same for JSON."""
        return list(astuple(self))

    @classmethod
    def read(cls, data: list[Any]) -> Plan:
        """Read it again. Data that is none raises `TypeError` or `ValueError`."""
        (*numbers, places, widths) = data
        whole: list[Any] = [*numbers, Places(*places), tuple((at, wide) for at, wide in widths)]
        return cls(*whole)

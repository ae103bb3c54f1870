"""Plays of the builtin type, from any state on.

Assumes: the machine code of a game with the methods of a builtin type.
Does: stands a play at a state by writing its slots, and plays on from where a play stands to the
end, at random, as a batch plays a game from its first rest on.
Leaves behind: plays, and how the end was: who has won, the places, the lines of the score.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from threading import local
from typing import Any

from rulerun.compiled.native.builtin import HEAD
from rulerun.compiled.native.executor import NativePlay
from rulerun.compiled.python.executor import Bailout
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun_dsl.model import Game

_ENOUGH = 1 << 40
"""Inputs that no game has."""
_HEAD_OF_RECORD = 4
"""Numbers of a record before those of the players: how it ended, decisions, inputs, options."""


class _Scratch(local):
    """Where a thread plays on."""

    def __init__(self, machine: NativePlay, numbers: int) -> None:
        self.memory = machine.memory()
        self.record = (ctypes.c_int64 * numbers)()
        self.sums = (ctypes.c_int64 * 1029)()


class Standing:
    """Plays of one game."""

    def __init__(self, game: Game) -> None:
        """Compile the game. Raises `Unsupported`, `Missing` and `Bailout`."""
        self.machine = machine = NativePlay(game, stepped=True)
        self.type = machine.type()
        self.size = machine.program.size
        self.bits = machine.bits
        self._bytes = self.size * self.bits // 8
        self._cell: Any = {16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}[self.bits]
        self._slots: Any = self._cell * self.size
        self._next: Any = machine.function("rr_next", None, ctypes.c_void_p)
        self._together = HEAD + TOGETHER * self.bits // 8
        places, players = machine.places, len(game.players)
        self.width = 2 + machine.program.lines
        widths = {each.at: each.width for each in machine.program.questions}
        self._widest = max(widths.values(), default=1)
        self._count = HEAD + places.offset + 8 * places.count
        self._rows = places.offset + 8 * places.rows
        self._scratch = _Scratch(machine, _HEAD_OF_RECORD + players * self.width)

    def at(self, slots: Sequence[int]) -> Any:
        """A play that stands where these slots say. Raises `Bailout` where they do not fit."""
        if self.bits < 64:
            most = 1 << self.bits - 1
            if not -most <= min(slots) <= max(slots) < most:
                raise Bailout
        play = self.type()
        memory = id(play) + HEAD
        given = self._slots(*slots[: self.size])
        ctypes.memmove(memory, given, ctypes.sizeof(given))
        if not slots[TOGETHER] and not slots[RESULT]:
            base = self.machine.program.base
            self.machine.list(memory, 0, slots[base] - 1)
        self._next(memory)
        return play

    def cells(self, play: Any) -> bytes:
        """The slots of a play, as they stand in memory."""
        return ctypes.string_at(id(play) + HEAD, self._bytes)

    def is_together(self, play: Any) -> bool:
        """Whether a `together` is open."""
        return bool(self._cell.from_address(id(play) + self._together).value)

    def finish(self, play: Any, key: int) -> Sequence[int] | None:
        """Play on at random with the luck of a key of 63 bits; the play stands where it stood.

        For each player: the place, whether they won, the lines of the score. None if the game did
        not come to its end.
        """
        memory = id(play) + HEAD
        many = ctypes.c_int64.from_address(id(play) + self._count).value
        bytes_ = min(self._rows + 8 * many * self._widest, self.machine.size)
        scratch = self._scratch
        record, sums = scratch.record, scratch.sums
        sums[0] = sums[3] = sums[4] = 0
        whole = scratch.memory.whole
        self.machine.batch(whole, memory, bytes_, key, 0, 0, 1, record, 0, sums, _ENOUGH)
        found: Sequence[int] = record[_HEAD_OF_RECORD:]
        return None if sums[4] else found

    def last(self) -> tuple[int, ...]:
        """The slots at the end of what this thread finished last."""
        return tuple(self._scratch.memory.slots)

"""Many plays in machine code.

Assumes: a game that machine code can be made of; numpy, llvmlite.
Does: holds the memories of all plays one behind another, and has them stepped by one call.
Leaves behind: what `stepped_many.Stepped` says.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.lower.spreading import spread
from rulerun.compiled.native.building import draft
from rulerun.compiled.native.many import WHO
from rulerun.compiled.native.plan import ENDED, FAILED, PAUSED, STAYED
from rulerun.executors.stepper import TERMINAL
from rulerun.runtime.rng import begun
from rulerun.vector.encoding import Numbers, states_of
from rulerun.vector.returns import WORKED_OUT, Returns
from rulerun.vector.stepped_many import DRAWN, LEGAL
from rulerun_dsl.model import Game

_CELLS: dict[int, type[np.signedinteger]] = {16: np.int16, 32: np.int32, 64: np.int64}
_LINE = 64
"""Memories begin at such an address, as those of the processor's cache do."""


class NativeMany:
    """Plays in machine code."""

    def __init__(
        self, game: Game, who: NDArray[np.int64], marks: NDArray[np.uint8], same_step: bool
    ) -> None:
        """Make the code; it writes into the arrays. Raises `Unsupported` and `Missing`."""
        self.who, self.marks = who, marks
        self._again = same_step
        self._worth = Returns(game)
        machine = draft(self._worth.lined or game, many=True).play(quick=True)
        self._spread = spread(game)
        self._machine = machine
        plan, many, players = machine.plan, len(who), len(game.players)
        self._begun = machine.begun(players)
        if self._begun[2] == FAILED:
            raise Unsupported("the rules go wrong in the set-up")
        # An odd number of lines: else one slot of all plays would share few sets of the cache.
        self._stride = (-(-plan.size // _LINE) | 1) * _LINE
        whole = np.zeros(many * self._stride + _LINE, dtype=np.uint8)
        skipped = -whole.ctypes.data % _LINE
        self._memory = whole[skipped : skipped + many * self._stride]
        cell = np.dtype(_CELLS[plan.bits])
        self._cells: NDArray[np.signedinteger] = np.ndarray(
            (many, plan.slots), cell, self._memory, 0, (self._stride, cell.itemsize)
        )
        at = plan.places.offset + 8 * (plan.places.sums + WHO)
        self._deciding: NDArray[np.int64] = np.ndarray(
            (many,), np.int64, self._memory, at, (self._stride,)
        )
        self._how = np.zeros(many, dtype=np.int64)
        self._numbers = np.zeros(many, dtype=np.int64)
        self.returns = np.zeros((many, players))
        aside = many if self._worth.unit == WORKED_OUT else 0
        self._ends = np.zeros((aside, plan.slots), dtype=cell)
        self._key = 0
        self._luck = np.zeros(1, dtype=np.uint64)
        self._at = {name: array.ctypes.data for name, array in (
            ("memory", self._memory), ("numbers", self._numbers), ("who", who), ("marks", marks),
            ("returns", self.returns), ("ends", self._ends), ("how", self._how),
            ("luck", self._luck),
        )}  # fmt: skip
        self._bind()
        machine.ripen()

    @property
    def slots(self) -> Numbers:
        """(plays, slots): the memory itself, unless sets take several numbers of it."""
        return self._states(self._cells)

    def _states(self, cells: Numbers) -> Numbers:
        if not self._spread.wide:
            return cells
        return states_of(self._spread.together(row) for row in cells.tolist())

    def _bind(self) -> None:
        number, pointer = ctypes.c_int64, ctypes.c_void_p
        types = (pointer, number, number, pointer, pointer, number, pointer, number, number)
        more = (pointer, pointer, pointer, number, pointer, pointer, number)
        self._step: Any = self._machine.function("rr_step_many", number, *types, *more)
        drawn = (pointer, number, pointer, pointer)
        self._sample: Any = self._machine.function("rr_sample_many", number, *drawn)

    def restart(self, key: int) -> None:
        """Every play is over."""
        self._key = key - (1 << 64) if key >> 63 else key
        self._luck[0] = begun(key, 0, DRAWN)
        self.who[:] = self._deciding[:] = TERMINAL
        self._numbers[:] = np.arange(len(self.who))

    def ended(self) -> NDArray[np.bool_]:
        """By play, whether the last step ended a game."""
        found: NDArray[np.bool_] = self._how == ENDED
        return found

    def drop(self, which: NDArray[np.bool_]) -> None:
        """Some plays are over."""
        self.who[which] = self._deciding[which] = TERMINAL
        self.returns[which] = 0

    def step(self, actions: NDArray[np.int64]) -> int:
        """All plays by one call."""
        if self._machine.ripe():
            self._bind()
        start, bytes_, signal = self._begun
        at = self._at
        wrong: int = self._step(
            at["memory"], self._stride, len(self.who), actions.ctypes.data, at["numbers"],
            self._key, start.whole, bytes_, signal, at["who"], at["marks"], at["returns"],
            self._worth.unit, at["ends"], at["how"], self._again,
        )  # fmt: skip
        if wrong < 0:
            return -1 - wrong
        if self._worth.unit == WORKED_OUT and (ended := self.ended()).any():
            self.returns[ended] = self._worth.of(self._states(self._ends[ended]))
        if wrong:
            gone = np.flatnonzero(~np.isin(self._how, (PAUSED, ENDED, STAYED)))
            raise RuntimeError(
                f"the rules go wrong in play {gone[0]}; `executor='reference'` says where"
            )
        return LEGAL

    def sample(self, out: NDArray[np.int64]) -> None:
        """All plays by one call."""
        at = self._at
        self._sample(at["marks"], len(self.who), at["luck"], out.ctypes.data)

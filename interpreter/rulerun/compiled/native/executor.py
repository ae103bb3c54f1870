"""The native executor: a game compiled by LLVM, where llvmlite is there (`rulerun[native]`).

Assumes: a checked `Game` for which there is a lowering; the package llvmlite.
Does: makes machine code of a game, or takes it from the cache; steps states with it. Several
threads may step with one `NativeExecutor`: each of them has a memory of its own. Single steps gain
little by the best code, so nobody waits for it, and none is made for them.
Leaves behind: the same states, bit for bit, as the reference. What goes wrong is left to it, as by
the python executor.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import local
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.lower.spreading import spread
from rulerun.compiled.native.building import draft
from rulerun.compiled.native.loaded_code import Memory, NativePlay
from rulerun.compiled.native.objects import Missing
from rulerun.compiled.native.plan import FAILED
from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.compiled.python.row_forms import Choices, Listed
from rulerun.runtime.executor import Waiting
from rulerun.runtime.state import State
from rulerun_dsl.model import Game

__all__ = ["Missing", "NativeExecutor"]


class _OfThread(local):
    """The memory in which a thread steps."""

    def __init__(self, machine: NativePlay) -> None:
        self.memory = machine.memory()


class NativeExecutor(PythonExecutor):
    """What runs a game, compiled to machine code."""

    def __init__(self, game: Game, events: bool = True) -> None:
        """Compile the game. Raises `Unsupported` and `Missing`."""
        self._spread = spread(game)
        super().__init__(game, events)
        self._of_thread = _OfThread(self.machine)

    @property
    def _memory(self) -> Memory:
        return self._of_thread.memory

    def _prepared(self, coverage: bool, whole: bool) -> ir.Program:
        drafted = draft(self.game, coverage)
        self.machine = drafted.play(quick=True)
        return drafted.program

    def _load(self, slots: Sequence[int]) -> Any:
        memory, bits = self._memory, self.machine.plan.bits
        given = self._spread.apart(slots)
        if bits < 64 and given:
            most = 1 << bits - 1
            if not -most <= min(given) <= max(given) < most:
                raise Bailout
        memory.slots[:] = list(given)
        return memory.whole

    def _who(self, slots: Sequence[int], frame: int, at: int) -> int:
        found = self.machine.who(self._load(slots), frame, at)
        if found == FAILED:
            return self.reference.waiting(State(tuple(slots)))[0].player
        return int(found)

    def _choices(self, state: State, each: Waiting) -> Choices:
        many = self.machine.list(self._load(state.slots), each.frame, each.instruction)
        if many == FAILED:
            raise Bailout
        return Listed(self._rows_there(many, self.widths[each.instruction]))

    def _rows_there(self, many: int, width: int) -> list[Any]:
        rows = self.machine.plan.places.rows
        whole = self._memory.words[rows : rows + many * width]
        return [tuple(whole[i : i + width]) for i in range(0, many * width, width)]

    def _begun(self) -> State:
        if self.machine.start(self._memory.whole) == FAILED:
            raise Bailout
        return self._state_there()

    def _settled(self, state: State, each: Waiting, row: Any) -> State:
        memory = self._load(state.slots)
        width = self.widths[each.instruction]
        rows = self.machine.plan.places.rows
        self._memory.words[rows : rows + width] = row
        if self.machine.take(memory, each.frame, each.instruction, 0) == FAILED:
            raise Bailout
        return self._state_there()

    def _state_there(self) -> State:
        if self.tidies and self.machine.tidy(self._memory.whole) == FAILED:
            raise Bailout
        return State(self._spread.together(self._memory.slots))

    def _judged(self, state: State) -> list[Any]:
        many = self.machine.judge(self._load(state.slots))
        if many == FAILED:
            raise Bailout
        return self._rows_there(many, 2 + self.program.lines)

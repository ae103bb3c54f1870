"""The native executor: a game compiled by LLVM, where llvmlite is there (`rulerun[native]`).

Assumes: a checked `Game` for which there is a lowering; the package llvmlite.
Does: makes machine code of a game, or takes it from the cache; steps states and plays batches with
it. Python's lock is not held while it runs, so several threads may play batches, or step with one
`NativeExecutor`: each of them has a memory of its own.
Leaves behind: the same states, bit for bit, as the reference. What goes wrong is left to it, as by
the python executor.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from threading import local
from time import perf_counter
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir import passes
from rulerun.compiled.ir.sampling import sampled
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.lower.scoring import counts_returns
from rulerun.compiled.native import builtin
from rulerun.compiled.native.fitting import bounds_of, check, regions_of
from rulerun.compiled.native.intrinsics import ENDED, ENDLESS, TRUNCATED, Places
from rulerun.compiled.native.memory import FAILED, narrowest, target_of
from rulerun.compiled.native.objects import Missing, deposits, library, load
from rulerun.compiled.native.runs import module, places_of
from rulerun.compiled.native.searching import Worth
from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.runtime.batch import Batch, Played, PlayedTable, Tally
from rulerun.runtime.executor import Waiting
from rulerun.runtime.luck_bound import CODE
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.signals import OVER
from rulerun.runtime.state import State
from rulerun_dsl.model import Game

__all__ = ["PASSES", "Missing", "NativeBatch", "NativeExecutor", "NativePlay"]

SLICE = 20_000
"""Inputs that are played before Python is asked whether somebody interrupts: some milliseconds."""

LONGEST_SLICE = 0.2
"""Seconds after which slices become smaller: the inputs of some games take long. Games are the same
whatever the slices."""
_TOLD = {ENDED: "", TRUNCATED: "truncated", ENDLESS: CODE}
"""How a game ended that was not given up."""
_LEFT = 4
"""Which of the sums says how many games did not come to their end."""

PASSES = ("unobserved", "masks", "regions", "sampled", "unshadowed", "pure", "guards")
"""What `NativePlay` can leave out, to measure what it gains or costs."""


class NativePlay:
    """The machine code of one program, and how it is called."""

    def __init__(
        self,
        game: Game,
        coverage: bool = False,
        counted: bool = False,
        whole: bool = False,
        stepped: bool = False,
        without: frozenset[str] = frozenset(),
        worth: Worth | None = None,
    ) -> None:
        """Compile it, or take it from the cache. Raises `Unsupported` and `Missing`.

        `coverage`, `counted`: count instructions, actions. `whole`: only whole games are played.
        `stepped`: with the methods of a builtin type (`builtin`).
        `without`: what to leave out to measure it, of `PASSES`. `worth`: with a tree search
        (`searching`).
        """
        llvm = library()
        self.game = game
        self.program = lower(game, coverage, not whole or "unobserved" in without)
        check(game, self.program)
        actions = game.number_of_actions
        if "masks" not in without:
            self.program = passes.masks(self.program)
        flat: frozenset[str] = frozenset()
        if whole and not counted and "sampled" not in without:
            self.program, flat = sampled(self.program)
        # What players know after a `together` is worked out from the shadow.
        if whole and not without & {"unshadowed", "unobserved"}:
            self.program = passes.unshadowed(self.program)
        regions = regions_of(game) if whole and "regions" not in without else ()
        # Narrow slots are for comparing many at once: where masks are kept, nothing is compared.
        bits = 64 if regions else narrowest(self.program, bounds_of(game))
        target = target_of(
            self.program, "guards" not in without, bits, "pure" not in without, regions
        )
        self.bits = bits
        self.places: Places = places_of(target, actions, counted)
        self.text = module(target, actions, counted, flat, deposits(llvm), worth)
        if stepped:
            places = self.places
            words = {"count": places.count, "rows": places.rows, "sums": places.sums}
            self.text += builtin.text(self.program, places.offset, words, self.size, bits)
        self._engine, self.code, self.from_cache = load(llvm, self.text)
        number = ctypes.c_int64
        pointer = ctypes.c_void_p

        def found(name: str, *types: Any) -> Any:
            address = self._engine.get_function_address(name)
            return ctypes.CFUNCTYPE(number, *types)(address)

        self.start = found("rr_start", pointer)
        self.take = found("rr_take", pointer, number, number, number)
        self.list = found("rr_list", pointer, number, number)
        self.who = found("rr_who", pointer, number, number)
        self.tidy = found("rr_tidy", pointer)
        self.judge = found("rr_judge", pointer)
        self.batch = found(
            "rr_batch",
            *(pointer, pointer, number, number, number, number, number, pointer, number, pointer),
            number,
        )

    @property
    def size(self) -> int:
        """Bytes of the memory of a play."""
        return self.places.offset + 8 * self.places.size

    def function(self, name: str, result: Any, *types: Any) -> Any:
        """A function of the module."""
        return ctypes.CFUNCTYPE(result, *types)(self._engine.get_function_address(name))

    def memory(self) -> Memory:
        """The memory of a play."""
        return Memory(self)

    def type(self) -> type:
        """The builtin type of plays of this game: see `builtin`. Raises `Bailout`."""
        memory = self.memory()
        if self.start(memory.whole) == FAILED:
            raise Bailout
        self.function("rr_next", None, ctypes.c_void_p)(memory.whole)
        begun = bytes(memory.whole)[: self.size]
        slots = self.program.size * self.bits // 8
        return builtin.type_of(self.game.name, self._engine, self.size, slots, begun)


class Memory:
    """The memory of a play: slots, and behind them numbers of 64 bits."""

    def __init__(self, machine: NativePlay) -> None:
        """Nothing but zeros."""
        cell = {16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}[machine.bits]
        places = machine.places
        self.whole = ctypes.create_string_buffer(machine.size)
        self.slots: Any = (cell * machine.program.size).from_buffer(self.whole)
        self.words: Any = (ctypes.c_int64 * places.size).from_buffer(self.whole, places.offset)

    def load(self, slots: Sequence[int], bits: int) -> None:
        """Take a state in. Raises `Bailout` for one that does not fit."""
        if (
            bits < 64
            and slots
            and not (-(1 << bits - 1) <= min(slots) and max(slots) < 1 << bits - 1)
        ):
            raise Bailout
        self.slots[:] = list(slots)


class _OfThread(local):
    """The memory in which a thread steps."""

    def __init__(self, machine: NativePlay) -> None:
        self.memory = machine.memory()


class NativeExecutor(PythonExecutor):
    """What runs a game, compiled to machine code."""

    def __init__(self, game: Game, events: bool = True) -> None:
        """Compile the game. Raises `Unsupported` and `Missing`."""
        super().__init__(game, events)
        self._of_thread = _OfThread(self.machine)

    @property
    def _memory(self) -> Memory:
        return self._of_thread.memory

    def _prepared(self, coverage: bool) -> ir.Program:
        self.machine = NativePlay(self.game, coverage)
        return self.machine.program

    def _load(self, slots: Sequence[int]) -> Any:
        memory = self._memory
        memory.load(slots[: self.program.size], self.machine.bits)
        return memory.whole

    def _who(self, slots: Sequence[int], frame: int, at: int) -> int:
        found = self.machine.who(self._load(slots), frame, at)
        if found == FAILED:
            return self.reference.waiting(State(tuple(slots)))[0].player
        return int(found)

    def _listed(self, state: State, each: Waiting) -> list[Any]:
        many = self.machine.list(self._load(state.slots), each.frame, each.instruction)
        if many == FAILED:
            raise Bailout
        return self._rows_there(many, self.widths[each.instruction])

    def _rows_there(self, many: int, width: int) -> list[Any]:
        rows = self.machine.places.rows
        whole = self._memory.words[rows : rows + many * width]
        return [tuple(whole[i : i + width]) for i in range(0, many * width, width)]

    def _begun(self) -> State:
        if self.machine.start(self._memory.whole) == FAILED:
            raise Bailout
        return self._state_there()

    def _settled(self, state: State, each: Waiting, row: Any) -> State:
        memory = self._load(state.slots)
        width = self.widths[each.instruction]
        rows = self.machine.places.rows
        self._memory.words[rows : rows + width] = row
        if self.machine.take(memory, each.frame, each.instruction, 0) == FAILED:
            raise Bailout
        return self._state_there()

    def _state_there(self) -> State:
        if self._tidies and self.machine.tidy(self._memory.whole) == FAILED:
            raise Bailout
        return State(tuple(self._memory.slots))

    def _judged(self, state: State) -> list[Any]:
        many = self.machine.judge(self._load(state.slots))
        if many == FAILED:
            raise Bailout
        return self._rows_there(many, 2 + self.program.lines)


class NativeBatch:
    """Games by the batch, in machine code; what it gives up is played `again`."""

    def __init__(self, game: Game, again: Batch, without: frozenset[str] = frozenset()) -> None:
        """`again` plays what must be played by the reference; `without`: see `NativePlay`.

        Raises `Unsupported` and `Missing`.
        """
        self.game = game
        self.again = again
        self.without = without
        self._uncounted: NativePlay | None = None
        self._plain: NativePlay | None = None
        self._counting: NativePlay | None = None
        self._started: dict[NativePlay, tuple[Memory, int, int]] = {}
        self._machine(False)

    def _machine(self, counted: bool) -> NativePlay:
        if counted:
            if self._counting is None:
                self._counting = NativePlay(self.game, coverage=True, counted=True, whole=True)
            return self._counting
        if self._plain is None:
            self._plain = NativePlay(self.game, counted=True, whole=True)
        return self._plain

    def _start(self, machine: NativePlay) -> tuple[Memory, int, int]:
        """The memory at the first rest, how many bytes of it matter, and the signal."""
        found = self._started.get(machine)
        if found is None:
            memory = machine.memory()
            signal = machine.start(memory.whole)
            places, program = machine.places, machine.program
            words = places.rows
            if signal != OVER and signal != FAILED and not memory.slots[TOGETHER]:
                at = memory.slots[program.base] - 1
                widths = {each.at: each.width for each in program.questions}
                words += memory.words[places.count] * widths[at]
            elif signal == OVER:
                words += len(self.game.players) * (2 + program.lines)
            found = self._started[machine] = (memory, places.offset + 8 * words, signal)
        return found

    def play(
        self, key: int, first: int, count: int, tally: Tally | None = None
    ) -> Sequence[Played]:
        """Play games of a key, all seats at random: see `rulerun.runtime.batch`."""
        coverage = bool(tally is not None and tally.reached)
        if coverage and not counts_returns(self.game):
            return self.again.play(key, first, count, tally)
        machine = self._machine(coverage)
        start, _, signal = self._start(machine)
        if signal == FAILED:
            return self.again.play(key, first, count, tally)
        players = len(self.game.players)
        width = 2 + machine.program.lines
        step = 4 + players * width
        memory = machine.memory()
        records = (ctypes.c_int64 * (step * count))()
        sums = self._run(machine, memory, key, first, count, records, step)
        numbers = array("q")
        numbers.frombytes(memoryview(records).cast("B"))
        if not sums[_LEFT]:
            games = PlayedTable(numbers, first, players, machine.program.lines)
            if tally is not None:
                self._tally(memory, start, count, machine, tally)
            return games
        doubtful = [at for at in range(count) if numbers[at * step] not in _TOLD]
        if doubtful and tally is not None:
            # What was counted of a game that was given up must not count: the others once more.
            return self._apart(key, first, count, tally, doubtful)
        played: list[Played] = []
        for at in range(count):
            row = numbers[at * step : (at + 1) * step]
            if row[0] == ENDED:
                played += PlayedTable(row, first + at, players, machine.program.lines)
            elif row[0] in _TOLD:
                end = _TOLD[row[0]]
                played.append(Played(first + at, 0, (), (), row[1], row[2], row[3], end))
            else:
                played += self.again.play(key, first + at, 1)
        if tally is not None:
            self._tally(memory, start, count, machine, tally)
        return played

    def _run(
        self,
        machine: NativePlay,
        memory: Memory,
        key: int,
        first: int,
        count: int,
        records: Any,
        step: int,
    ) -> Any:
        """Play games: their sums. Between slices of it Python looks whether it is interrupted."""
        start, size, signal = self._start(machine)
        sums = (ctypes.c_int64 * 1029)()
        sums[0] = signal
        given = memory.whole, start.whole, size, _signed(key), first
        done, slice_ = 0, SLICE
        while done < count:
            begun = perf_counter()
            done = machine.batch(*given, done, count, records, step, sums, slice_)
            if perf_counter() - begun > LONGEST_SLICE and slice_ > 1:
                slice_ = max(slice_ // 8, 1)
        return sums

    def _apart(
        self, key: int, first: int, count: int, tally: Tally, doubtful: list[int]
    ) -> list[Played]:
        """The games between those that are given up, and those by the reference."""
        played: list[Played] = []
        at = 0
        for place in (*doubtful, count):
            if place > at:
                played += self.play(key, first + at, place - at, tally)
            if place < count:
                played += self.again.play(key, first + place, 1, tally)
            at = place + 1
        return played

    def _tally(
        self, memory: Memory, start: Memory, games: int, machine: NativePlay, tally: Tally
    ) -> None:
        places, words = machine.places, memory.words
        actions = self.game.number_of_actions
        found = places.actions
        offered = words[found : found + actions]
        taken = words[found + actions : found + 2 * actions]
        tally.offered[:] = map(int.__add__, tally.offered, offered)
        tally.taken[:] = map(int.__add__, tally.taken, taken)
        if tally.reached:
            first, last = places.counters, places.counters + machine.program.counters
            # Set-up ran once, and counts for every game.
            counts = [
                count + games * begun
                for count, begun in zip(words[first:last], start.words[first:last], strict=True)
            ]
            code, ways = len(self.game.code), len(tally.arms)
            tally.reached[:] = map(int.__add__, tally.reached, counts[:code])
            tally.arms[:] = map(int.__add__, tally.arms, counts[code : code + ways])
            tally.called[:] = map(int.__add__, tally.called, counts[code + ways :])

    def count(self, key: int, first: int, count: int) -> tuple[int, dict[int, int], int, int]:
        """Play games and keep only sums.

        Games that came to their end, how often each set of winners won (bit masks), decisions,
        inputs.
        """
        machine = self._uncounted = self._uncounted or NativePlay(
            self.game, whole=True, without=self.without
        )
        memory = machine.memory()
        width = 2 + machine.program.lines
        record = (ctypes.c_int64 * (4 + len(self.game.players) * width))()
        sums = self._run(machine, memory, key, first, count, record, 0)
        won = {mask: sums[5 + mask] for mask in range(1024) if sums[5 + mask]}
        return count - sums[_LEFT], won, sums[1], sums[2]


def _signed(key: int) -> int:
    return key - (1 << 64) if key >> 63 else key

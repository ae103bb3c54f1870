"""The native executor: a game compiled by LLVM, where llvmlite is there (`rulerun[native]`).

Assumes: a checked `Game` for which there is a lowering; the package llvmlite.
Does: makes machine code of a game, or takes it from the cache; steps states and plays batches with
it. Python's lock is not held while it runs, so threads play at the same time.
Leaves behind: the same states, bit for bit, as the reference. What goes wrong is left to it, as by
the python executor.

The code is kept under the fingerprint of its module, the version of llvmlite and the processor.
"""

from __future__ import annotations

import ctypes
import os
from array import array
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rulerun.batch import Batch, Played, Tally
from rulerun.compiled import ir
from rulerun.compiled.driver import Places, module, places_of
from rulerun.compiled.executor import Compiled, Doubt
from rulerun.compiled.llvm import FAILED, Writer
from rulerun.compiled.lower import lower
from rulerun.compiled.lowering import Unsupported
from rulerun.compiled.python import OVER
from rulerun.executor import Waiting
from rulerun.play import RESULT, TOGETHER
from rulerun.state import State
from rulerun.tables import Tables, bare
from rulerun_dsl import model
from rulerun_dsl.model import Game
from rulerun_dsl.valuetypes import SetOf

_WIDEST = 62
"""Bits of a set that fit a number."""


class Missing(Exception):
    """llvmlite is not installed."""


@cache
def _llvm() -> Any:
    try:
        import llvmlite.binding as binding
    except ImportError as error:
        raise Missing(str(error)) from None
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


class Machine:
    """The machine code of one program, and how it is called."""

    def __init__(
        self, game: Game, coverage: bool = False, counted: bool = False, guards: bool = True
    ) -> None:
        """Compile it, or take it from the cache. Raises `Unsupported` and `Missing`."""
        llvm = _llvm()
        _check_sets(game)
        self.game = game
        self.program = lower(game, coverage)
        if self.program.returns_may_fail:
            raise Unsupported("returns that may be a rule error")
        if len(game.players) > 10:
            raise Unsupported("more than 10 players")
        actions = game.number_of_actions
        self.places: Places = places_of(Writer(self.program), actions, counted)
        self.text = module(self.program, actions, counted, guards)
        self.code, self.from_cache = _object(llvm, self.text)
        empty = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(empty, _target(llvm))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(self.code))
        self._engine.finalize_object()
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
            "rr_batch", pointer, pointer, number, number, number, number, pointer, number, pointer
        )

    def memory(self) -> Any:
        """The memory of a play."""
        return (ctypes.c_int64 * self.places.size)()


def _target(llvm: Any) -> Any:
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )


def _object(llvm: Any, text: str) -> tuple[bytes, bool]:
    """The machine code of a module, and whether it was in the cache."""
    import llvmlite

    key = blake2b(digest_size=16)
    for part in (text, llvmlite.__version__, llvm.get_host_cpu_name(), llvm.get_process_triple()):
        key.update(part.encode())
    kept = None
    where = _cache()
    if where is not None:
        kept = where / f"{key.hexdigest()}.o"
        try:
            return kept.read_bytes(), True
        except OSError:
            pass
    code = _compiled(llvm, text)
    if kept is not None:
        _keep(kept, code)
    return code, False


def _cache() -> Path | None:
    given = os.environ.get("RULERUN_CACHE")
    if given is not None:
        return Path(given) / "native" if given else None
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        base = Path(home) if home else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "rulerun" / "native"


def _keep(path: Path, code: bytes) -> None:
    """Write it whole or not at all; a cache that cannot be written is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_bytes(code)
        draft.replace(path)
    except OSError:
        pass


def _compiled(llvm: Any, text: str) -> bytes:
    target = _target(llvm)
    parsed = llvm.parse_assembly(text)
    parsed.triple = llvm.get_process_triple()
    parsed.data_layout = str(target.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(parsed, builder)
    return bytes(target.emit_object(parsed))


def _check_sets(game: Game) -> None:
    """Sets of more members than a number has bits are left to the python executor."""
    tables = Tables(game)
    types = [variable.type for variable in game.variables]
    types += [each.type for kind in game.kinds for each in kind.attributes]
    types += [each.type for procedure in game.procedures for each in procedure.parameters]
    for node in game.code:
        target = getattr(node, "target", None)
        if isinstance(target, model.Local):
            types.append(target.type)
    for type_ in types:
        inner = bare(type_)
        if isinstance(inner, SetOf):
            low, high = tables.bounds(inner.element)
            if high - low + 1 > _WIDEST:
                raise Unsupported(f"a {inner} of more than {_WIDEST} members")


class Native(Compiled):
    """What runs a game, compiled to machine code."""

    def __init__(self, game: Game, events: bool = True) -> None:
        """Compile the game. Raises `Unsupported` and `Missing`."""
        super().__init__(game, events)
        self._memory = self.machine.memory()

    def _prepared(self, coverage: bool) -> ir.Program:
        self.machine = Machine(self.game, coverage)
        return self.machine.program

    def _load(self, slots: Sequence[int]) -> None:
        self._memory[: len(slots)] = slots

    def _who(self, slots: Sequence[int], frame: int, at: int) -> int:
        self._load(slots)
        found = self.machine.who(self._memory, frame, at)
        if found == FAILED:
            return self.reference.waiting(State(tuple(slots)))[0].player
        return int(found)

    def _listed(self, state: State, each: Waiting) -> list[Any]:
        self._load(state.slots)
        many = self.machine.list(self._memory, each.frame, each.instruction)
        if many == FAILED:
            raise Doubt
        return self._rows_there(each.instruction, many)

    def _rows_there(self, at: int, many: int) -> list[Any]:
        width = self.widths[at]
        rows = self.machine.places.rows
        whole = self._memory[rows : rows + many * width]
        return [tuple(whole[i : i + width]) for i in range(0, many * width, width)]

    def _begun(self) -> State:
        if self.machine.start(self._memory) == FAILED:
            raise Doubt
        return self._state_there()

    def _settled(self, state: State, each: Waiting, row: Any) -> State:
        self._load(state.slots)
        width = self.widths[each.instruction]
        rows = self.machine.places.rows
        self._memory[rows : rows + width] = row
        if self.machine.take(self._memory, each.frame, each.instruction, 0) == FAILED:
            raise Doubt
        return self._state_there()

    def _state_there(self) -> State:
        memory, size = self._memory, self.program.size
        if self._tidies and not memory[RESULT] and self.machine.tidy(memory) == FAILED:
            raise Doubt
        if self._tidies and memory[RESULT]:
            self.machine.tidy(memory)
        return State(tuple(memory[:size]))

    def _judged(self, state: State) -> list[Any]:
        self._load(state.slots)
        many = self.machine.judge(self._memory)
        if many == FAILED:
            raise Doubt
        width = 2 + self.program.lines
        rows = self.machine.places.rows
        whole = self._memory[rows : rows + many * width]
        return [tuple(whole[i : i + width]) for i in range(0, many * width, width)]


class NativeBatch:
    """Games by the batch, in machine code; what it gives up is played `again`."""

    def __init__(self, game: Game, again: Batch, coverage: bool = False) -> None:
        """`again` plays what must be played by the reference. Raises `Unsupported`, `Missing`."""
        self.game = game
        self.again = again
        self._plain: Machine | None = None
        self._counting: Machine | None = None
        self._started: dict[int, tuple[Any, int, int]] = {}
        self._machine(coverage)

    def _machine(self, counted: bool) -> Machine:
        if counted:
            if self._counting is None:
                self._counting = Machine(self.game, coverage=True, counted=True)
            return self._counting
        if self._plain is None:
            self._plain = Machine(self.game, counted=True)
        return self._plain

    def _start(self, machine: Machine) -> tuple[Any, int, int]:
        """The memory at the first rest, how much of it matters, and the signal."""
        found = self._started.get(id(machine))
        if found is None:
            memory = machine.memory()
            signal = machine.start(memory)
            places, program = machine.places, machine.program
            words = places.rows
            if signal != OVER and signal != FAILED and not memory[TOGETHER]:
                at = memory[program.base] - 1
                widths = {each.at: each.width for each in program.questions}
                words += memory[places.count] * widths[at]
            elif signal == OVER:
                words += len(self.game.players) * (2 + program.lines)
            found = self._started[id(machine)] = (memory, words, signal)
        return found

    def play(self, key: int, first: int, count: int, tally: Tally | None = None) -> list[Played]:
        """Play games of a key, all seats at random: see `rulerun.batch`."""
        machine = self._machine(bool(tally is not None and tally.reached))
        start, words, signal = self._start(machine)
        if signal == FAILED:
            return self.again.play(key, first, count, tally)
        places, players = machine.places, len(self.game.players)
        width = 2 + machine.program.lines
        step = 4 + players * width
        memory = machine.memory()
        records = (ctypes.c_int64 * (step * count))()
        sums = (ctypes.c_int64 * 1029)()
        sums[0] = signal
        machine.batch(memory, start, words, _signed(key), first, count, records, step, sums)
        played = list(self._read(records, first, count, step, width, key, tally))
        if tally is not None:
            self._tally(memory, places, machine, tally)
        return played

    def _read(self, records, first, count, step, width, key, tally):  # type: ignore[no-untyped-def]
        numbers = array("q")
        numbers.frombytes(memoryview(records).cast("B"))
        players = range(len(self.game.players))
        starts = [4 + player * width for player in players]
        lines = width > 2
        nothing = ((),) * len(players)
        bits = [1 << player for player in players]
        for number in range(count):
            at = number * step
            row = numbers[at : at + step]
            if row[0] == 0:
                won = 0
                for player in players:
                    if row[starts[player] + 1]:
                        won |= bits[player]
                yield Played(
                    first + number,
                    won,
                    tuple([row[start] for start in starts]),
                    tuple([tuple(row[start + 2 : start + width]) for start in starts])
                    if lines
                    else nothing,
                    row[1],
                    row[2],
                    row[3],
                )
            elif row[0] == 1:
                yield Played(first + number, 0, (), (), row[1], row[2], row[3], "truncated")
            else:
                (again,) = self.again.play(key, first + number, 1, None)
                yield again

    def _tally(self, memory: Any, places: Places, machine: Machine, tally: Tally) -> None:
        actions = self.game.number_of_actions
        found = places.actions
        offered = memory[found : found + actions]
        taken = memory[found + actions : found + 2 * actions]
        tally.offered[:] = map(int.__add__, tally.offered, offered)
        tally.taken[:] = map(int.__add__, tally.taken, taken)
        if tally.reached:
            counts = memory[places.counters : places.counters + machine.program.counters]
            code, ways = len(self.game.code), len(tally.arms)
            tally.reached[:] = map(int.__add__, tally.reached, counts[:code])
            tally.arms[:] = map(int.__add__, tally.arms, counts[code : code + ways])
            tally.called[:] = map(int.__add__, tally.called, counts[code + ways :])

    def count(self, key: int, first: int, count: int) -> tuple[int, dict[int, int], int, int]:
        """Play games and keep only sums: games that came to their end, how often each set of
        winners won (bit masks), decisions, inputs."""
        if self._plain is None or self._plain.places.actions != self._plain.places.streams:
            self._plain = Machine(self.game)
        machine = self._plain
        start, words, signal = self._start(machine)
        memory = machine.memory()
        width = 2 + machine.program.lines
        record = (ctypes.c_int64 * (4 + len(self.game.players) * width))()
        sums = (ctypes.c_int64 * 1029)()
        sums[0] = signal
        machine.batch(memory, start, words, _signed(key), first, count, record, 0, sums)
        won = {mask: sums[5 + mask] for mask in range(1024) if sums[5 + mask]}
        return count - sums[4], won, sums[1], sums[2]


def _signed(key: int) -> int:
    return key - (1 << 64) if key >> 63 else key

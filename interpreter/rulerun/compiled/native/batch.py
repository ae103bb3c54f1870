"""Games by the batch, in machine code.

Assumes: a checked `Game`; the package llvmlite.
Does: plays whole games, all seats at random, as `runtime.batch` lays down. Several threads may play
batches, each a `NativeBatch` of its own. Where many games are to be played it begins with code that
is there at once, and goes on with better code when that is made: games are the same with both.
Leaves behind: columns of games (`PlayedTable`), or sums. What it gives up is played again.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rulerun.compiled.native.loaded_code import Memory, NativePlay, is_kept, recall, remember
from rulerun.compiled.native.objects import Missing
from rulerun.compiled.native.plan import ENDED, ENDLESS, FAILED, TRUNCATED
from rulerun.compiled.native.worth import worth_the_best
from rulerun.runtime.batch import Batch, Expected, Played, PlayedTable, Tally
from rulerun.runtime.luck_bound import CODE
from rulerun_dsl.model import Game

if TYPE_CHECKING:
    from rulerun.compiled.native.building import Draft

__all__ = ["Missing", "NativeBatch", "is_ready"]

SLICE, FIRST_SLICE = 20_000, 64
"""Inputs that are played before Python is asked whether somebody interrupts: some milliseconds. The
first are fewer: nobody knows how long one takes."""

LONGEST_SLICE = 0.2
"""Seconds after which slices become smaller: the inputs of some games take long. Games are the same
whatever the slices."""
_TOLD = {ENDED: "", TRUNCATED: "truncated", ENDLESS: CODE}
"""How a game ended that was not given up."""
_LEFT = 4
"""Which of the sums says how many games did not come to their end."""


_WAYS: dict[str, dict[str, Any]] = {
    "plain": {"counted": True},
    "covered": {"counted": True, "coverage": True},
    "summed": {},
}
"""The modules of a game: what is counted beside what is kept of each game."""


def is_ready(known: str, expected: Expected | None) -> bool:
    """Whether the cache has code of a known game for all that is expected."""
    if expected is None:
        return False
    games = {"covered": expected.covered, "plain": expected.plain}
    return all(is_kept(known, way) for way in games if games[way])


class NativeBatch:
    """Games by the batch, in machine code; what it gives up is played `again`."""

    def __init__(
        self,
        game: Game,
        again: Batch,
        without: frozenset[str] = frozenset(),
        *,
        expected: Expected | None = None,
        known: str = "",
    ) -> None:
        """`again` plays what must be played by the reference.

        `without`: what `count` leaves out, see `building.PASSES`. `expected`: how many games are to
        be played; code is there at once then, and the best is made meanwhile if they are worth it.
        Left out, the best is waited for. `known`: what names the game in the cache, and its rules,
        settings and this copy of rulerun. Raises `Unsupported` and `Missing`.
        """
        self.game = game
        self.again = again
        self._without = without
        self._expected = expected
        self._known = known
        self._machines: dict[str, NativePlay] = {}
        self._started: dict[NativePlay, tuple[Memory, int, int]] = {}
        self._machine("covered" if expected is not None and not expected.plain else "plain")

    def _machine(self, way: str) -> NativePlay:
        found = self._machines.get(way)
        if found is None:
            found = self._machines[way] = self._made(way)
        return found

    def _made(self, way: str) -> NativePlay:
        without = self._without if way == "summed" else frozenset()
        known = "" if without or self._expected is None else self._known

        def drafted() -> Draft:
            from rulerun.compiled.native.building import draft

            return draft(self.game, whole=True, without=without, **_WAYS[way])

        found = recall(known, way, lambda: drafted().text)
        if found is None:
            found = drafted().play(quick=self._expected is not None)
            remember(known, way, found)
        return found

    def _start(self, machine: NativePlay) -> tuple[Memory, int, int]:
        """The memory at the first rest, how many bytes of it matter, and the signal."""
        found = self._started.get(machine)
        if found is None:
            found = self._started[machine] = machine.begun(len(self.game.players))
        return found

    def play(
        self, key: int, first: int, count: int, tally: Tally | None = None
    ) -> Sequence[Played]:
        """Play games of a key, all seats at random: see `rulerun.runtime.batch`."""
        coverage = bool(tally is not None and tally.reached)
        machine = self._machine("covered" if coverage else "plain")
        start, _, signal = self._start(machine)
        if signal == FAILED or (coverage and not machine.plan.returns):
            return self.again.play(key, first, count, tally)
        players = len(self.game.players)
        width = 2 + machine.plan.lines
        step = 4 + players * width
        memory = machine.memory()
        records = (ctypes.c_int64 * (step * count))()
        sums = self._run(machine, memory, key, first, count, records, step)
        numbers = array("q")
        numbers.frombytes(memoryview(records).cast("B"))
        if not sums[_LEFT]:
            games = PlayedTable(numbers, first, players, machine.plan.lines)
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
                played += PlayedTable(row, first + at, players, machine.plan.lines)
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
        done, slice_ = 0, min(FIRST_SLICE, SLICE)
        while done < count:
            begun = perf_counter()
            done = machine.batch(*given, done, count, records, step, sums, slice_)
            if perf_counter() - begun > LONGEST_SLICE:
                slice_ = max(slice_ // 8, 1)
            elif slice_ < SLICE and perf_counter() - begun < LONGEST_SLICE / 16:
                slice_ = min(8 * slice_, SLICE)
            if not machine.tiers.best:
                self._better(machine, done, sums[2])
        return sums

    def _better(self, machine: NativePlay, games: int, inputs: int) -> None:
        """Take better code if there is some; begin to make it if what is to be played is worth it.

        `games` have come to their end after so many `inputs`: the others will be about as long.
        """
        if self._expected is not None:
            covered = machine is self._machines.get("covered")
            wanted = self._expected.covered if covered else self._expected.plain
            if worth_the_best(wanted * inputs // max(1, games)):
                machine.ripen()
        machine.ripe()

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
        places, words = machine.plan.places, memory.words
        actions = self.game.number_of_actions
        found = places.actions
        offered = words[found : found + actions]
        taken = words[found + actions : found + 2 * actions]
        tally.offered[:] = map(int.__add__, tally.offered, offered)
        tally.taken[:] = map(int.__add__, tally.taken, taken)
        if tally.reached:
            first, last = places.counters, places.counters + machine.plan.counters
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
        machine = self._machine("summed")
        memory = machine.memory()
        width = 2 + machine.plan.lines
        record = (ctypes.c_int64 * (4 + len(self.game.players) * width))()
        sums = self._run(machine, memory, key, first, count, record, 0)
        won = {mask: sums[5 + mask] for mask in range(1024) if sums[5 + mask]}
        return count - sums[_LEFT], won, sums[1], sums[2]


def _signed(key: int) -> int:
    return key - (1 << 64) if key >> 63 else key

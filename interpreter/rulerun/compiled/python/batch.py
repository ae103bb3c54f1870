"""Games by the batch, with the functions of a program in Python.

Assumes: a compiled executor.
Does: plays whole games on one list of slots, all seats at random, as `runtime.batch` lays down.
Leaves behind: a `Played` for each game. One that is given up is played again by another batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulerun.compiled.lower.scoring import counts_returns
from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.runtime.batch import Batch, Played, Tally
from rulerun.runtime.luck_bound import CODE, MOST_FALLS
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun.runtime.rng import STEP, TWIST, begun
from rulerun_dsl.model import Game

_WORD = (1 << 64) - 1


class PythonBatch:
    """Batches of one game. Raises `Unsupported` where there is no lowering."""

    def __init__(self, game: Game, again: Batch, quiet: PythonExecutor | None = None) -> None:
        """`again` plays what must be played by the reference.

        `quiet`: an executor that is there already, without events, of this game or of one that
        differs in its bound on decisions alone.
        """
        self.game = game
        self.again = again
        self._quiet = quiet
        self._counting: PythonExecutor | None = None
        self._starts: dict[PythonExecutor, list[Any]] = {}
        self._executor(False)

    def _executor(self, coverage: bool) -> PythonExecutor:
        if coverage:
            self._counting = self._counting or PythonExecutor(self.game, False, coverage=True)
            return self._counting
        self._quiet = self._quiet or PythonExecutor(self.game, False)
        return self._quiet

    def play(
        self, key: int, first: int, count: int, tally: Tally | None = None
    ) -> Sequence[Played]:
        """Play games of a key, all seats at random: see `rulerun.runtime.batch`."""
        coverage = tally is not None and bool(tally.reached)
        if coverage and not counts_returns(self.game):
            return self.again.play(key, first, count, tally)
        executor = self._executor(coverage)
        played: list[Played] = []
        for number in range(first, first + count):
            counters = [0] * executor.program.counters if coverage else None
            noted: list[tuple[list[Any], Any]] | None = None if tally is None else []
            try:
                one = self._game(executor, key, number, counters, noted)
            except Bailout:
                played += self.again.play(key, number, 1, tally)
                continue
            played.append(one)
            if tally is not None:
                self._note(tally, noted or [], counters)
        return played

    def _note(
        self, tally: Tally, noted: list[tuple[list[Any], Any]], counters: list[int] | None
    ) -> None:
        for rows, row in noted:
            for other in rows:
                tally.offered[other[0]] += 1
            tally.taken[row[0]] += 1
        if counters is not None:
            code, ways = len(tally.reached), len(tally.arms)
            parts = counters[:code], counters[code : code + ways], counters[code + ways :]
            for mine, more in zip((tally.reached, tally.arms, tally.called), parts, strict=True):
                mine[:] = map(int.__add__, mine, more)

    def _begin(self, executor: PythonExecutor, counters: list[int] | None) -> list[Any]:
        """The slots at the first rest: the same for every game, since luck has not fallen yet."""
        size = executor.program.size
        if counters is not None:
            slots = executor.slots_of(executor.program.begin)
            slots[size + 1] = counters
            executor.begin(slots)
            return slots
        start = self._starts.get(executor)
        if start is None:
            start = executor.slots_of(executor.program.begin)
            executor.begin(start)
            self._starts[executor] = start
        return start[:]

    def _game(
        self,
        executor: PythonExecutor,
        key: int,
        number: int,
        counters: list[int] | None,
        noted: list[tuple[list[Any], Any]] | None,
    ) -> Played:
        program, code, chances = executor.program, executor.code, executor.chance
        size, base, limit = program.size, program.base, self.game.decisions
        streams = [begun(key, number, stream) for stream in range(1 + program.players)]
        framed, take, whos = program.frames > 1, executor.take, code.who
        decisions = inputs = options = falls = 0
        slots = self._begin(executor, counters)
        while not slots[RESULT]:
            if not slots[TOGETHER]:
                frame, at, rows = 0, slots[base] - 1, slots[size]
                chance = at in chances
                if chance:
                    whose = 0
                else:
                    whose = 1 + (whos[at](slots, base) if framed else whos[at](slots))
            else:
                whose, frame, at = self._next_in_together(executor, slots)
                rows = code.lists[at](slots, base + frame * program.frame)
                chance = whose == 0
            if chance:
                if falls == MOST_FALLS:
                    return Played(number, 0, (), (), decisions, inputs + 1, options, CODE)
                falls += 1
                bound = 0
                for row in rows:
                    bound += row[1]
            else:
                if 0 < limit <= decisions:
                    return Played(number, 0, (), (), decisions, inputs, options, "truncated")
                falls = 0
                bound = len(rows)
                decisions += 1
                options += bound
            inputs += 1
            place = 0
            if bound > 1:
                # A step of wyrand: see `rng.Quick`.
                streams[whose] = state = streams[whose] + STEP & _WORD
                product = state * (state ^ TWIST)
                place = ((product ^ product >> 64) & _WORD) * bound >> 64
            if chance:
                for row in rows:
                    place -= row[1]
                    if place < 0:
                        break
            else:
                row = rows[place]
                if noted is not None:
                    noted.append((rows, row))
            take(slots, frame, at, row)
        verdict = executor.ask(code.judge, slots, 0)
        won = 0
        for player, row in enumerate(verdict):
            if row[1]:
                won |= 1 << player
        return Played(
            number,
            won,
            tuple([row[0] for row in verdict]),
            tuple([row[2:] for row in verdict]),
            decisions,
            inputs,
            options,
        )

    @staticmethod
    def _next_in_together(executor: PythonExecutor, slots: list[Any]) -> tuple[int, int, int]:
        """Whose stream, which frame, which instruction: luck first, then the first player."""
        best: tuple[int, int, int] | None = None
        for frame, at in executor.resting(slots):
            if at in executor.chance:
                return 0, frame, at
            found = (1 + executor.ask(executor.code.who[at], slots, frame), frame, at)
            if best is None or found < best:
                best = found
        if best is None:
            raise Bailout
        return best

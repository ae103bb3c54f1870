"""Games by the batch, with the functions of a program in Python.

Assumes: a compiled executor.
Does: plays whole games on one list of slots, all seats at random, as `runtime.batch` lays down.
Leaves behind: a `Played` for each game. One that is given up is played again by another batch.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from rulerun.compiled.ir.program import Program
from rulerun.compiled.lower.scoring import counts_returns
from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.compiled.python.row_forms import Choices
from rulerun.runtime.batch import Batch, Played, Tally
from rulerun.runtime.luck_bound import CODE, MOST_FALLS
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun.runtime.rng import STEP, TWIST, begun
from rulerun_dsl.model import Game

_WORD = (1 << 64) - 1


class PythonBatch:
    """Batches of one game. Raises `Unsupported` where there is no lowering."""

    def __init__(self, game: Game, again: Batch, without: Set[str] = frozenset()) -> None:
        """`again` plays what must be played by the reference; `without`: see `preparing`."""
        self._without = without
        self.game = game
        self.again = again
        self._quiet: PythonExecutor | None = None
        self._counting: PythonExecutor | None = None
        self._starts: dict[PythonExecutor, list[Any]] = {}
        self._executor(False)

    def _executor(self, coverage: bool) -> PythonExecutor:
        if coverage:
            self._counting = self._counting or PythonExecutor(self.game, False, coverage=True)
            return self._counting
        self._quiet = self._quiet or PythonExecutor(
            self.game, False, whole=True, without=self._without
        )
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
            noted: list[tuple[Choices, Any]] | None = None if tally is None else []
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
        self, tally: Tally, noted: list[tuple[Choices, Any]], counters: list[int] | None
    ) -> None:
        for choices, row in noted:
            for action in choices.ids:
                tally.offered[action] += 1
            tally.taken[row[0]] += 1
        if counters is not None:
            code, ways = len(tally.reached), len(tally.arms)
            parts = counters[:code], counters[code : code + ways], counters[code + ways :]
            for mine, more in zip((tally.reached, tally.arms, tally.called), parts, strict=True):
                mine[:] = map(int.__add__, mine, more)

    def _begin(self, executor: PythonExecutor, counters: list[int] | None) -> list[Any]:
        """The slots at the first rest: the same for every game, since luck has not fallen yet."""
        if counters is not None:
            slots = executor.slots_of(executor.program.begin)
            slots[executor.behind.counters] = counters
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
        noted: list[tuple[Choices, Any]] | None,
    ) -> Played:
        program, code = executor.program, executor.code
        limit, behind = self.game.decisions, executor.behind
        at_choices, at_who = behind.choices, behind.who
        streams = [begun(key, number, stream) for stream in range(1 + program.players)]
        take = code.take
        at = decisions = inputs = options = falls = 0
        slots = self._begin(executor, counters)
        while not slots[RESULT]:
            if not slots[TOGETHER]:
                frame, choices, whose = 0, slots[at_choices], 1 + slots[at_who]
            else:
                who, frame, at = executor.first(slots)
                choices, whose = executor.offered(slots, frame, at), 1 + who
            chance = not whose
            if chance:
                if falls == MOST_FALLS:
                    self._settled(program, slots)
                    return Played(number, 0, (), (), decisions, inputs + 1, options, CODE)
                falls += 1
                bound = sum(choices.weights)
            else:
                if 0 < limit <= decisions:
                    self._settled(program, slots)
                    return Played(number, 0, (), (), decisions, inputs, options, "truncated")
                falls = 0
                bound = choices.many
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
                nth = -1
                for weight in choices.weights:
                    nth += 1
                    place -= weight
                    if place < 0:
                        break
                row = choices.nth(nth)
            else:
                row = choices.nth(place)
                if noted is not None:
                    noted.append((choices, row))
            if frame:
                executor.take(slots, frame, at, row)
            else:
                take(slots, row)
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
    def _settled(program: Program, slots: list[Any]) -> None:
        """Give a game up that is cut off where parts of a `together` are still to come."""
        if program.parts and slots[program.parts]:
            raise Bailout

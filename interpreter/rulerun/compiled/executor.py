"""The python executor: a game compiled to Python functions, behind the protocol of executors.

Assumes: a checked `Game` for which there is a lowering.
Does: steps states and plays batches with the functions of the generated module. Whatever the rules
forbid, and whatever is told to people (events, refusals, the texts of outcomes), comes from the
reference executor, which takes the same input from the same state.
Leaves behind: the same states, bit for bit, as the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulerun.chance import GOLDEN, STEP, STREAMS, TWIST, begun
from rulerun.batch import Played, Tally
from rulerun.compiled import ir
from rulerun.compiled.lower import lower
from rulerun.compiled.python import OPEN, OVER, PART_DONE, REST, source
from rulerun.executor import (
    CHANCE,
    Chance,
    Decision,
    IllegalInput,
    Input,
    Outcome,
    Refusal,
    RuleError,
    Step,
    Verdict,
    Waiting,
)
from rulerun.play import RESULT, TOGETHER
from rulerun.reference import Reference
from rulerun.state import State
from rulerun_dsl.model import Game

_WORD = (1 << 64) - 1


class Doubt(Exception):
    """The run was given up: the reference must say what happened."""


class Disagreement(AssertionError):
    """Two executors do not agree: one of them is wrong."""


def fail() -> Any:
    """Give the run up."""
    raise Doubt


def find(slots: list[int], start: int, stop: int, value: int) -> int:
    """Where a value stands among some slots, from 0; none without."""
    try:
        return slots.index(value, start, stop) - start
    except ValueError:
        return ir.NONE


@dataclass(frozen=True, slots=True)
class Code:
    """The functions of a generated module, by instruction."""

    program: ir.Program
    text: str
    blocks: dict[int, Callable[..., int]]
    lists: dict[int, Callable[..., list[Any]]]
    takes: dict[int, Callable[..., int]]
    who: dict[int, Callable[..., int]]
    parts: dict[int, Callable[..., list[int]]]
    judge: Callable[..., list[Any]]
    tidy: Callable[..., None]
    restart: Callable[..., None]
    chance: frozenset[int]
    togethers: dict[int, ir.Together]


def code_of(program: ir.Program) -> Code:
    """A program as Python functions."""
    text = source(program)
    names: dict[str, Any] = {"NONE": ir.NONE, "fail": fail, "find": find}
    exec(compile(text, f"<{program.name}, compiled>", "exec"), names)
    return Code(
        program=program,
        text=text,
        blocks=names["BLOCKS"],
        lists=names["LISTS"],
        takes=names["TAKES"],
        who=names["WHO"],
        parts=names["PARTS"],
        judge=names["judge"],
        tidy=names["tidy"],
        restart=names["restart"],
        chance=frozenset(each.at for each in program.questions if each.chance),
        togethers={each.at: each for each in program.togethers},
    )


class Compiled:
    """What runs a game, compiled to Python."""

    strict = False
    """Whether a difference from the reference, where both are asked, is an error."""

    def __init__(self, game: Game, events: bool = True) -> None:
        """Compile the game. With `events` every step is told, by the reference."""
        self.game = game
        self.events = events
        self.program = lower(game)
        self.code = code_of(self.program)
        self._reference: Reference | None = None
        self._last: tuple[State | None, list[Any]] = (None, [])
        blocks = len(game.code)
        # No block runs more instructions than there are: so many blocks stay within the bound.
        self._safe = max(0, game.steps // max(1, min(blocks, 40)))
        program = self.program
        self._frame_starts = [
            program.base + frame * program.frame for frame in range(program.frames)
        ]
        self._framed = program.frames > 1
        self._tidies = bool(program.canonical)

    @property
    def reference(self) -> Reference:
        """The reference executor of the same game, made when first needed."""
        if self._reference is None:
            self._reference = Reference(self.game, self.events)
        return self._reference

    # ------------------------------------------------------------------------------- asking

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Whose input is wanted: nobody (over), `CHANCE` alone, or players in seat order."""
        slots = state.slots
        if slots[RESULT]:
            return ()
        found = []
        for frame, at in self._resting(slots):
            if at in self.code.chance:
                return (Waiting(CHANCE, frame, at),)
            found.append(Waiting(self._who(slots, frame, at), frame, at))
        return tuple(sorted(found, key=lambda each: each.player))

    @staticmethod
    def _slots(slots: Sequence[int]) -> list[Any]:
        """The slots, with what stands behind them while rules run: see `python`."""
        return [*slots, None, None, None]

    def _who(self, slots: Sequence[int], frame: int, at: int) -> int:
        try:
            return self._ask(self.code.who[at], self._slots(slots), frame)  # type: ignore[no-any-return]
        except Doubt:
            return self.reference.waiting(State(tuple(slots)))[0].player

    def _ask(self, function: Callable[..., Any], slots: Sequence[int], frame: int) -> Any:
        if self._framed:
            return function(slots, self._frame_starts[frame])
        return function(slots)

    def _resting(self, slots: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The frames that rest, ascending, each with the instruction."""
        starts = self._frame_starts
        if not slots[TOGETHER]:
            yield 0, slots[starts[0]] - 1
            return
        for frame in range(1, len(starts)):
            if slots[starts[frame]]:
                yield frame, slots[starts[frame]] - 1

    def _rows(self, state: State, each: Waiting) -> list[Any]:
        last, rows = self._last
        if last is state:
            return rows
        lister = self.code.lists[each.instruction]
        return self._ask(lister, self._slots(state.slots), each.frame)  # type: ignore[no-any-return]

    def legal(self, state: State, player: int) -> tuple[int, ...]:
        """The action ids that `player` may take now, ascending; () if not asked."""
        for each in self.waiting(state):
            if each.player == player and player != CHANCE:
                try:
                    return tuple([row[0] for row in self._rows(state, each)])
                except Doubt:
                    return self.reference.legal(state, player)
        return ()

    def outcomes(self, state: State) -> tuple[Outcome, ...]:
        """The chance outcomes now possible, by ascending id; () if luck is not asked."""
        return self.reference.outcomes(state)

    def falls(self, state: State) -> list[tuple[int, int]]:
        """The ids of the outcomes now possible with their weights: outcomes without their texts."""
        (each,) = self.waiting(state)
        return [(row[0], row[1]) for row in self._rows(state, each)]

    def refusal(self, state: State, given: Input) -> Refusal | None:
        """Why `given` would be refused now; None if it would not."""
        return self.reference.refusal(state, given)

    def verdict(self, state: State) -> Verdict | None:
        """How the game ended; None while it runs."""
        if not state.slots[RESULT]:
            return None
        if self.game.scoring.returns is not None:
            return self.reference.verdict(state)
        rows = self._ask(self.code.judge, self._slots(state.slots), 0)
        winners = tuple(player for player, row in enumerate(rows) if row[1])
        labels = [line.label for line in self.game.scoring.lines]
        return Verdict(
            winners=winners,
            returns=shares(winners, len(rows)),
            places=tuple(row[0] for row in rows),
            lines=tuple(tuple(zip(labels, map(int, row[2:]), strict=True)) for row in rows),
            totals=tuple(sum(row[2:]) if labels else None for row in rows),
        )

    # ------------------------------------------------------------------------------ running

    def initial(self) -> Step:
        """The state at the first rest, and what happened in set-up until then."""
        slots = self._slots(self.program.begin)
        try:
            self._run(slots, 0, self.program.entry)
        except Doubt:
            return self.reference.initial()
        state = self._state(slots)
        return self._told(state, self.reference.initial()) if self.events else Step(state, ())

    def apply(self, state: State, given: Input) -> Step:
        """The next rest. Raises `IllegalInput` or `RuleError`; `state` is never changed."""
        after = self._after(state, given)
        if after is None:
            return self.reference.apply(state, given)
        return self._told(after, self.reference.apply(state, given)) if self.events else Step(
            after, ()
        )

    def _told(self, state: State, step: Step) -> Step:
        """The step of the reference, which must be the one that was taken."""
        if self.strict and step.state != state:
            raise Disagreement(f"{self.game.name}: the states differ")
        self._last = (None, [])
        return step

    def _after(self, state: State, given: Input) -> State | None:
        """The state after an input; None if the reference must say."""
        wanted = given.outcome if isinstance(given, Chance) else given.action
        who = CHANCE if isinstance(given, Chance) else given.player
        for each in self.waiting(state):
            if each.player != who or (who == CHANCE) != isinstance(given, Chance):
                continue
            try:
                row = next((row for row in self._rows(state, each) if row[0] == wanted), None)
                if row is None:
                    return None
                slots = self._slots(state.slots)
                self._take(slots, each.frame, each.instruction, row)
            except Doubt:
                return None
            return self._state(slots)
        return None

    def _state(self, slots: list[Any]) -> State:
        size = self.program.size
        rows = slots[size]
        kept = rows is not None and not slots[TOGETHER]
        if self._tidies:
            before = slots[:size]
            self._ask(self.code.tidy, slots, 0)
            # Sorted components have other numbers than those that were listed.
            kept = kept and before == slots[:size]
        state = State(tuple(slots[:size]))
        self._last = (state, rows) if kept else (None, [])
        return state

    def _take(self, slots: list[Any], frame: int, at: int, row: Any) -> None:
        """Take a row where a frame rests, and run to the next rest."""
        start = self._frame_starts[frame]
        takes = self.code.takes[at]
        after = takes(slots, start, row) if self._framed else takes(slots, row)
        slots[start] = 0
        self._run(slots, frame, after)

    def _run(self, slots: list[Any], frame: int, at: int) -> None:
        """Run a control stack, and what follows from it, until all rest or the game is over."""
        starts, width = self._frame_starts, self.program.frame
        while True:
            start = starts[frame]
            at = self._until(slots, start, at)
            if slots[RESULT]:
                self._over(slots)
                return
            if at == REST:
                return
            if at == OPEN:
                self._open(slots)
            else:
                slots[start : start + width] = [0] * width
            if any(slots[other] for other in starts[1:]):
                return
            at, frame = self._close(slots), 0

    def _until(self, slots: list[Any], start: int, at: int) -> int:
        blocks = self.code.blocks
        if self._framed:
            for _ in range(self._safe):
                if at < 0:
                    return at
                at = blocks[at](slots, start)
        else:
            for _ in range(self._safe):
                if at < 0:
                    return at
                at = blocks[at](slots)
        raise Doubt

    def _open(self, slots: list[Any]) -> None:
        """Begin the `together` at which the game's stack rests; run each part to its rest."""
        program, starts = self.program, self._frame_starts
        base, width = program.base, program.frame
        at = slots[base] - 1
        node = self.code.togethers[at]
        players = self.code.parts[at](slots, base)
        first, last = program.live
        slots[program.shadow : program.shadow + last - first] = slots[first:last]
        slots[TOGETHER] = 1 + at
        whole = slots[base : base + width]
        for player in players:
            start = starts[1 + player]
            slots[start : start + width] = whole
            slots[start + node.variable] = player
        for player in players:
            start = starts[1 + player]
            slots[start] = 0
            if self._until(slots, start, node.body) == PART_DONE:
                slots[start : start + width] = [0] * width

    def _close(self, slots: list[Any]) -> int:
        """All parts are done: where the game's stack goes on."""
        program = self.program
        at = slots[TOGETHER] - 1
        first, last = program.live
        slots[program.shadow : program.shadow + last - first] = [0] * (last - first)
        slots[TOGETHER] = 0
        slots[program.base] = 0
        return self.code.togethers[at].done

    def _over(self, slots: list[Any]) -> None:
        """The game has ended: nothing is left of control stacks, waiting calls and shadow."""
        program = self.program
        self._ask(self.code.restart, slots, 0)
        slots[program.rest : program.size] = [0] * (program.size - program.rest)
        slots[TOGETHER] = 0
        # Scoring that fails stops the input that ends the game, not whoever asks later.
        self._ask(self.code.judge, slots, 0)
        if program.returns_may_fail:
            try:
                self.reference.verdict(State(tuple(slots[: program.size])))
            except RuleError:
                raise Doubt from None

    # ----------------------------------------------------------------------------- batches

    def play(
        self, key: int, first: int, count: int, tally: Tally | None = None
    ) -> list[Played]:
        """Play games of a key, all seats at random: see `rulerun.batch`."""
        return [self._game(key, number, tally) for number in range(first, first + count)]

    def _game(self, key: int, number: int, tally: Tally | None) -> Played:
        program, code = self.program, self.code
        size, base, starts = program.size, program.base, self._frame_starts
        streams = [0] * (1 + program.players)
        for stream in range(1 + program.players):
            streams[stream] = begun(key, number, stream)
        slots = self._slots(program.begin)
        decisions = inputs = options = 0
        try:
            self._run(slots, 0, program.entry)
            while not slots[RESULT]:
                if not slots[TOGETHER]:
                    frame, at, rows = 0, slots[base] - 1, slots[size]
                    chance = at in code.chance
                    whose = 0 if chance else 1 + self._ask(code.who[at], slots, 0)
                else:
                    whose, frame, at = self._next_in_together(slots)
                    rows = code.lists[at](slots, starts[frame])
                    chance = whose == 0
                if decisions >= program.decisions:
                    return Played(number, 0, (), (), decisions, inputs, options, "truncated")
                many = len(rows)
                inputs += 1
                if chance:
                    bound = 0
                    for row in rows:
                        bound += row[1]
                else:
                    bound = many
                    decisions += 1
                    options += many
                place = 0
                if bound > 1:
                    state = streams[whose] + STEP & _WORD
                    streams[whose] = state
                    product = state * (state ^ TWIST)
                    place = ((product ^ product >> 64) & _WORD) * bound >> 64
                if chance:
                    for row in rows:
                        place -= row[1]
                        if place < 0:
                            break
                else:
                    row = rows[place]
                    if tally is not None:
                        for other in rows:
                            tally.offered[other[0]] += 1
                        tally.taken[row[0]] += 1
                self._take(slots, frame, at, row)
            rows = self._ask(code.judge, slots, 0)
        except Doubt:
            return self._doubtful(key, number, tally)
        won = 0
        for player, row in enumerate(rows):
            if row[1]:
                won |= 1 << player
        return Played(
            number,
            won,
            tuple([row[0] for row in rows]),
            tuple([row[2:] for row in rows]),
            decisions,
            inputs,
            options,
        )

    def _next_in_together(self, slots: list[Any]) -> tuple[int, int, int]:
        """Whose stream, which frame, which instruction: luck first, then the first player."""
        best: tuple[int, int, int] | None = None
        for frame, at in self._resting(slots):
            if at in self.code.chance:
                return 0, frame, at
            found = (1 + self._ask(self.code.who[at], slots, frame), frame, at)
            if best is None or found < best:
                best = found
        if best is None:
            raise Doubt
        return best

    def _doubtful(self, key: int, number: int, tally: Tally | None) -> Played:
        """A game that was given up, played again by the reference."""
        from rulerun.stepping import Stepping

        (played,) = Stepping(self.reference).play(key, number, 1, tally)
        return played


def shares(winners: tuple[int, ...], players: int) -> tuple[Fraction, ...]:
    """Winners share +1, the others -1; 0 if nobody or everybody wins."""
    others = players - len(winners)
    if not winners or not others:
        return (Fraction(0),) * players
    return tuple(
        Fraction(1, len(winners)) if player in winners else Fraction(-1, others)
        for player in range(players)
    )


__all__ = [
    "GOLDEN",
    "OVER",
    "STREAMS",
    "Code",
    "Compiled",
    "Decision",
    "Disagreement",
    "Doubt",
    "IllegalInput",
    "code_of",
]

"""The python executor: a game compiled to Python functions, behind the protocol of executors.

Assumes: a checked `Game` for which there is a lowering.
Does: steps states and plays batches with the functions of the generated module. Whatever the rules
forbid, and whatever is told to people (events, refusals, the texts of outcomes), comes from the
reference executor, which takes the same input from the same state.
Leaves behind: the same states, bit for bit, as the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from fractions import Fraction
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.python.behind import Behind
from rulerun.compiled.python.entries import blocks_of
from rulerun.compiled.python.lookups import find, front, lowest, mask, top
from rulerun.compiled.python.piecemeal import put_piecemeal
from rulerun.compiled.python.preparing import prepared
from rulerun.compiled.python.regions import Region, masks_of
from rulerun.compiled.python.row_forms import (
    NOTHING,
    Choices,
    Listed,
    Masked,
    Mixed,
    Paired,
    Placed,
    bits,
    known,
    noted,
)
from rulerun.compiled.python.source import Writer, source
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Input,
    Outcome,
    Refusal,
    RuleError,
    Step,
    Verdict,
    Waiting,
)
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun.runtime.signals import OVER
from rulerun.runtime.state import State
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen


class Bailout(Exception):
    """The run was given up: the reference must say what happened."""


class Disagreement(AssertionError):
    """Two executors do not agree: one of them is wrong."""


def fail() -> Any:
    """Give the run up."""
    raise Bailout


def some(choices: Choices) -> Choices:
    """Choices, if there are any; else the run is given up."""
    return choices if choices.many else fail()


@frozen
class Code:
    """The functions of a generated module, by instruction."""

    program: ir.Program
    regions: tuple[Region, ...]
    blocks: dict[int, Callable[..., int]]
    lists: dict[int, Callable[..., Choices]]
    takes: dict[int, Callable[..., int]]
    who: dict[int, Callable[..., int]]
    judge: Callable[..., list[Any]]
    tidy: Callable[..., None]
    advance: Callable[..., int]
    take: Callable[[list[Any], Any], bool]


def code_of(
    program: ir.Program,
    regions: Sequence[Region] = (),
    over: Callable[[list[Any]], None] = lambda slots: None,
    brief: bool = False,
) -> Code:
    """A program as Python functions. Masks are kept of `regions`.

    `over` is called when a step has ended the game. `brief`: each function is written when it is
    first called, and nothing is remembered of choices.
    """
    names: dict[str, Any] = {
        "NONE": ir.NONE,
        "fail": fail,
        "find": find,
        "top": top,
        "front": front,
        "mask": mask,
        "masks": lambda slots: masks_of(slots, regions),
        "bits": bits,
        "over": over,
        "known": known,
        "noted": noted,
        "lowest": lowest,
        "some": some,
        "Listed": Listed,
        "Masked": Masked,
        "Mixed": Mixed,
        "Placed": Placed,
        "Paired": Paired,
    }
    if brief:
        put_piecemeal(Writer(program, regions, manners=False), names)
    else:
        exec(compile(source(program, regions), f"<{program.name}, compiled>", "exec"), names)
    return Code(
        program=program,
        regions=tuple(regions),
        blocks=names["BLOCKS"],
        lists=names["LISTS"],
        takes=names["TAKES"],
        who=names["WHO"],
        judge=names["judge"],
        tidy=names["tidy"],
        advance=names["advance"],
        take=names["take"],
    )


class PythonExecutor:
    """What runs a game, compiled to Python."""

    strict = False
    """Whether a difference from the reference, where both are asked, is an error (for tests)."""

    def __init__(
        self,
        game: Game,
        events: bool = True,
        coverage: bool = False,
        whole: bool = False,
        without: Set[str] = frozenset(),
        brief: bool = False,
    ) -> None:
        """Compile the game. With `events` every step is told, by the reference.

        `coverage`: it counts what it does (`run` hands a list of counters), and keeps nothing that
        only observers look at. `whole`: neither does it here, and only whole games are played: its
        states are no states of the game. `without`: what to leave out, of `preparing.PASSES`.
        `brief`: for few inputs, which come to a part of the code: it is made in a fraction of the
        time, without what pays only over many.
        Raises `Unsupported`.
        """
        self.game = game
        self.events = events
        self._without = without
        self.brief = brief
        self.program = self._prepared(coverage, whole)
        program, layout = self.program, game.layout
        self.chance = frozenset(each.at for each in program.questions if each.chance)
        self.widths = {each.at: each.width for each in program.questions}
        self.behind = Behind(program.size, program.frames)
        self._reference: Reference | None = None
        self._last: tuple[State | None, list[Any]] = (None, [])
        """The last state that was made, and the list from which it was."""
        self._given: tuple[Sequence[int] | None, list[Any]] = (None, [])
        """The slots of a state that were asked about last, and the list for them."""
        self._waited: tuple[State | None, tuple[Waiting, ...]] = (None, ())
        """Who is waited for in the state that was asked about last: it is asked about again."""
        self._offered: tuple[State | None, int, Choices] = (None, 0, NOTHING)
        """What may be chosen there, where a frame rests."""
        self._frame_starts = [layout.base + frame * layout.frame for frame in range(program.frames)]
        self._framed = program.frames > 1
        self.tidies = bool(program.canonical)
        """Whether there are copies that nothing tells apart."""
        self.counts = program.evaluations > 0
        """Whether what it evaluates in a step is counted."""

    def _prepared(self, coverage: bool, whole: bool) -> ir.Program:
        """The program of the game, made ready to run."""
        regions: tuple[Region, ...] = ()
        if self.brief:
            program = lower(self.game)
        else:
            program, regions = prepared(self.game, coverage, whole, self._without)
        self.code = code_of(program, regions, self._over, self.brief)
        return program

    @property
    def reference(self) -> Reference:
        """The reference executor of the same game, made when first needed."""
        if self._reference is None:
            self._reference = Reference(self.game, self.events)
        return self._reference

    # ------------------------------------------------------------------------------- asking

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Whose input is wanted: nobody (over), `CHANCE` alone, or players in seat order."""
        known, found = self._waited
        if known is not state:
            found = self._waits(state.slots)
            self._waited = (state, found)
        return found

    def _waits(self, slots: Sequence[int]) -> tuple[Waiting, ...]:
        if slots[RESULT]:
            return ()
        found = []
        for frame, at in self.resting(slots):
            if at in self.chance:
                return (Waiting(CHANCE, frame, at),)
            found.append(Waiting(self._who(slots, frame, at), frame, at))
        return tuple(sorted(found, key=lambda each: each.player))

    def slots_of(self, slots: Sequence[int]) -> list[Any]:
        """The slots, with what stands behind them while rules run. Raises `Bailout`."""
        program = self.program
        found: list[Any] = [*slots, None, None, program.evaluations, blocks_of(program)]
        found += [None] * (2 * program.frames)
        if self.code.regions:
            try:
                found += masks_of(found, self.code.regions)
            except ValueError:
                raise Bailout from None
        return found

    def _list_of(self, slots: Sequence[int]) -> list[Any]:
        """The list for slots about which something is asked: several things are, of one state.

        Who has asked keeps it: what asks changes nothing in it, unless it fails. Raises `Bailout`.
        """
        known, given = self._given
        if known is not slots:
            return self.slots_of(slots)
        self._given = (None, [])
        given[self.behind.left] = self.program.evaluations
        return given

    def _who(self, slots: Sequence[int], frame: int, at: int) -> int:
        try:
            given = self._list_of(slots)
            who = self.asked(given, frame, at)
        except Bailout:
            return self.reference.waiting(State(tuple(slots)))[0].player
        self._given = (slots, given)
        return who

    def ask(self, function: Callable[..., Any], slots: Sequence[int], frame: int) -> Any:
        """The value of a function of the module, where a frame runs."""
        if self._framed:
            return function(slots, self._frame_starts[frame])
        return function(slots)

    def resting(self, slots: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The frames that rest, ascending, each with the instruction."""
        starts = self._frame_starts
        if not slots[TOGETHER]:
            yield 0, slots[starts[0]] - 1
            return
        for frame in range(1, len(starts)):
            if slots[starts[frame]]:
                yield frame, slots[starts[frame]] - 1

    def asked(self, slots: list[Any], frame: int, at: int) -> int:
        """Who decides at a question. Raises `Bailout`."""
        return self.ask(self.code.who[at], slots, frame)  # type: ignore[no-any-return]

    def listed(self, slots: list[Any], frame: int, at: int) -> Choices:
        """What may be chosen, or may fall, where a frame rests. Raises `Bailout`."""
        slots[self.behind.left] = self.program.evaluations
        return self.ask(self.code.lists[at], slots, frame)  # type: ignore[no-any-return]

    def _choices(self, state: State, each: Waiting) -> Choices:
        """What may be chosen, or may fall, where somebody waits. Raises `Bailout`."""
        last, slots = self._last
        if last is state:
            return slots[self.behind.choices]  # type: ignore[no-any-return]
        known, frame, choices = self._offered
        if known is not state or frame != each.frame:
            given = self._list_of(state.slots)
            choices = self.listed(given, each.frame, each.instruction)
            self._given = (state.slots, given)
            self._offered = (state, each.frame, choices)
        return choices

    def legal(self, state: State, player: int) -> tuple[int, ...]:
        """The action ids that `player` may take now, ascending; () if not asked."""
        for each in self.waiting(state):
            if each.player == player and player != CHANCE:
                try:
                    return self._choices(state, each).ids
                except Bailout:
                    return self.reference.legal(state, player)
        return ()

    def outcomes(self, state: State) -> tuple[Outcome, ...]:
        """The chance outcomes now possible, by ascending id; () if luck is not asked."""
        return self.reference.outcomes(state)

    def falls(self, state: State) -> list[tuple[int, int]]:
        """The ids of the outcomes now possible with their weights: outcomes without their texts."""
        (each,) = self.waiting(state)
        choices = self._choices(state, each)
        return list(zip(choices.ids, choices.weights, strict=True))

    def refusal(self, state: State, given: Input) -> Refusal | None:
        """Why `given` would be refused now; None if it would not."""
        return self.reference.refusal(state, given)

    def verdict(self, state: State) -> Verdict | None:
        """How the game ended; None while it runs."""
        if not state.slots[RESULT]:
            return None
        if self.game.scoring.returns is not None:
            return self.reference.verdict(state)
        try:
            rows = self._judged(state)
        except Bailout:
            return self.reference.verdict(state)
        return verdict_of(rows, [line.label for line in self.game.scoring.lines])

    def _judged(self, state: State) -> list[Any]:
        """Rows of (place, 1 if a winner, lines) by player. Raises `Bailout`."""
        return self.ask(self.code.judge, self.slots_of(state.slots), 0)  # type: ignore[no-any-return]

    # ------------------------------------------------------------------------------ running

    def initial(self) -> Step:
        """The state at the first rest, and what happened in set-up until then."""
        try:
            state = self._begun()
        except Bailout:
            return self.reference.initial()
        return self._told(state, self.reference.initial()) if self.events else Step(state, ())

    def _begun(self) -> State:
        """The first state. Raises `Bailout`."""
        slots = self.slots_of(self.program.begin)
        self.begin(slots)
        return self.state_of(slots)

    def apply(self, state: State, given: Input) -> Step:
        """The next rest. Raises `IllegalInput` or `RuleError`; `state` is never changed."""
        after = self._after(state, given)
        if after is None:
            return self.reference.apply(state, given)
        if not self.events:
            return Step(after, ())
        return self._told(after, self.reference.apply(state, given))

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
                row = self._choices(state, each).row(wanted)
                if row is None:
                    return None
                return self._settled(state, each, row)
            except Bailout:
                return None
        return None

    def _settled(self, state: State, each: Waiting, row: Any) -> State:
        """The state after a row was taken. Raises `Bailout`."""
        last, slots = self._last
        slots = slots[:] if last is state else self._list_of(state.slots)
        self.take(slots, each.frame, each.instruction, row)
        return self.state_of(slots)

    def state_of(self, slots: list[Any]) -> State:
        """The state of slots at rest, copies in order."""
        size = self.program.size
        self.tidied(slots)
        kept = slots[self.behind.choices] is not None and not slots[TOGETHER]
        state = State(tuple(slots[:size]))
        self._last = (state, slots) if kept else (None, [])
        return state

    def tidied(self, slots: list[Any]) -> bool:
        """Bring copies that nothing tells apart into order, at rest; whether some were out of it.

        Then they have other numbers than those that were listed.
        """
        if not self.tidies:
            return False
        size, choices = self.program.size, self.behind.choices
        before = slots[:size]
        self.ask(self.code.tidy, slots, 0)
        if before == slots[:size]:
            return False
        slots[choices : choices + self.program.frames] = [None] * self.program.frames
        return True

    def take(self, slots: list[Any], frame: int, at: int, row: Any) -> None:
        """Take a row where a frame rests, and run to the next rest. Raises `Bailout`."""
        start = self._frame_starts[frame]
        if self.counts:
            slots[self.behind.left] = self.program.evaluations
        slots[start] = 0
        if self._framed:
            signal = self.code.advance(slots, start, self.code.takes[at](slots, start, row))
        else:
            signal = self.code.advance(slots, self.code.takes[at](slots, row))
        if signal == OVER:
            self._over(slots)

    def first(self, slots: list[Any]) -> tuple[int, int, int]:
        """Who decides first (luck before all), on which control stack, at which question.

        Raises `Bailout`.
        """
        starts = self._frame_starts
        at_who, best, found = self.behind.who, self.program.players, 0
        for frame in range(1, len(starts)) if slots[TOGETHER] else (0,):
            if slots[starts[frame]]:
                who = slots[at_who + frame]
                if who is None:
                    at = slots[starts[frame]] - 1
                    who = CHANCE if at in self.chance else self.asked(slots, frame, at)
                if who < best:
                    best, found = who, frame
                if who == CHANCE:
                    break
        if best == self.program.players:
            raise Bailout
        return best, found, slots[starts[found]] - 1

    def offered(self, slots: list[Any], frame: int, at: int) -> Choices:
        """What may be chosen, or may fall, where a frame rests: listed when it came to rest.

        Nothing that others do meanwhile changes it. Raises `Bailout`.
        """
        found: Choices | None = slots[self.behind.choices + frame]
        return self.listed(slots, frame, at) if found is None else found

    def begin(self, slots: list[Any]) -> None:
        """Run the set-up of a game. Raises `Bailout`."""
        entry = self.program.entry
        given = (slots, self._frame_starts[0], entry) if self._framed else (slots, entry)
        if self.code.advance(*given) == OVER:
            self._over(slots)

    def _over(self, slots: list[Any]) -> None:
        """The game has ended: returns that fail stop the input that ends it."""
        if self.program.returns_may_fail:
            try:
                self.reference.verdict(State(tuple(slots[: self.program.size])))
            except RuleError:
                raise Bailout from None


def verdict_of(rows: Sequence[Sequence[int]], labels: Sequence[str]) -> Verdict:
    """The verdict that rows of the judge are, where no `returns` are declared."""
    winners = tuple(player for player, row in enumerate(rows) if row[1])
    return Verdict(
        winners=winners,
        returns=shares(winners, len(rows)),
        places=tuple(row[0] for row in rows),
        lines=tuple(tuple(zip(labels, map(int, row[2:]), strict=True)) for row in rows),
        totals=tuple(sum(row[2:]) if labels else None for row in rows),
    )


def shares(winners: tuple[int, ...], players: int) -> tuple[Fraction, ...]:
    """Winners share +1, the others -1; 0 if nobody or everybody wins."""
    others = players - len(winners)
    if not winners or not others:
        return (Fraction(0),) * players
    return tuple(
        Fraction(1, len(winners)) if player in winners else Fraction(-1, others)
        for player in range(players)
    )

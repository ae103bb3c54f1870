"""A play that changes in place: for loops that step from Python and keep no history.

Assumes: a checked `Game`.
Does: the same as an executor, without a `State` for each step: who is asked, what may be chosen,
take it. A copy is independent of its original. Luck without end (`runtime.luck_bound`) is a rule
error.
Leaves behind: nothing but the play itself. The caller draws luck (`weights`) and bounds decisions.

    play = stepper(game)
    while (who := play.who()) != TERMINAL:
        choices = play.legal()
        play.apply(random.choice(choices) if who != CHANCE else fall(choices, play.weights()))
    play.verdict().winners
"""

from __future__ import annotations

from typing import Any, Protocol

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.python.executor import Bailout, PythonExecutor, verdict_of
from rulerun.compiled.python.row_forms import NOTHING, Choices
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Decision,
    Executor,
    IllegalInput,
    Input,
    Outcome,
    Verdict,
)
from rulerun.runtime.luck_bound import MOST_FALLS, endless
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun.runtime.recent import Recent
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun_dsl.model import Game

TERMINAL = -2
"""Nobody is asked: the game is over."""


class Stepper(Protocol):
    """A play that changes in place."""

    def who(self) -> int:
        """The player who decides now (the first, of several), `CHANCE`, or `TERMINAL`."""

    def legal(self) -> tuple[int, ...]:
        """The actions that may be taken now; for luck, the outcomes that may fall; ascending."""

    def weights(self) -> tuple[int, ...]:
        """For luck: how heavy each outcome of `legal` is."""

    def apply(self, choice: int) -> None:
        """Take an action, or let an outcome fall. Raises `IllegalInput` or `RuleError`."""

    def clone(self) -> Stepper:
        """A copy that goes its own way."""

    def state(self) -> State:
        """Where the play stands."""

    def verdict(self) -> Verdict | None:
        """How the game ended; None while it runs."""


def step_at_random(play: Stepper, luck: Stream) -> None:
    """Take any choice, each as likely as any other; luck falls by its weights."""
    choices = play.legal()
    weights = play.weights() if play.who() == CHANCE else (1,) * len(choices)
    play.apply(choices[luck.weighted(weights)])


def stepper(game: Game, name: str = "python") -> Stepper:
    """A play at its first rest, by an executor; by the next best one that can run the game."""
    if name == "native":
        found = native_type(game)
        if found is not None:
            play: Stepper = found()
            return play
    if name != "reference":
        try:
            return PythonStepper(PythonExecutor(game, events=False))
        except Unsupported:
            pass
    return StateStepper(Reference(game, events=False))


def native_type(game: Game) -> type | None:
    """The type of plays of a game as machine code; None if it cannot be had.

    A builtin type with `who`, `legal`, `weights`, `apply` and `clone` (see
    `compiled.native.builtin`), and `state` and `verdict` in Python. What cannot be chosen is a
    `ValueError`; a step that the rules forbid themselves is a `RuntimeError`, and leaves the play
    as it was.
    """
    return _TYPES.of(game)


def _made(game: Game) -> type | None:
    from rulerun.compiled.lower.spreading import spread
    from rulerun.compiled.native.building import draft
    from rulerun.compiled.native.builtin import type_of
    from rulerun.compiled.native.objects import Missing

    try:
        base = type_of(game, draft(game, stepped=True).play())
    except (Missing, Unsupported, Bailout):
        return None
    verdicts, laid = Verdicts(game), spread(game)

    def state(self: Any) -> State:
        """Where the play stands."""
        return State(laid.together(self.slots()))

    def verdict(self: Any) -> Verdict | None:
        """How the game ended; None while it runs."""
        return verdicts.verdict(self)

    return type(game.name, (base,), {"__slots__": (), "state": state, "verdict": verdict})


_TYPES = Recent(_made, 16)
"""The types of the last few games."""


class Verdicts:
    """How plays of one game ended."""

    def __init__(self, game: Game) -> None:
        """Ask nothing yet."""
        self.game = game
        self._reference: Reference | None = None
        self._labels = [line.label for line in game.scoring.lines]

    def verdict(self, play: Any) -> Verdict | None:
        """The verdict on a play of the native type."""
        if play.who() != TERMINAL:
            return None
        if self.game.scoring.returns is not None:
            self._reference = self._reference or Reference(self.game, events=False)
            return self._reference.verdict(play.state())
        numbers = play.judged()
        width = 2 + len(self._labels)
        rows = [numbers[at : at + width] for at in range(0, len(numbers), width)]
        return verdict_of(rows, self._labels)


class StateStepper:
    """A play over any executor."""

    def __init__(self, executor: Executor, state: State | None = None, falls: int = 0) -> None:
        """Begin, or go on from a state, before which luck fell so often in a row."""
        self.executor = executor
        self._state = executor.initial().state if state is None else state
        self._falls = falls

    def who(self) -> int:
        """The player who decides now, `CHANCE`, or `TERMINAL`."""
        waiting = self.executor.waiting(self._state)
        return waiting[0].player if waiting else TERMINAL

    def _outcomes(self) -> tuple[Outcome, ...]:
        return self.executor.outcomes(self._state)

    def legal(self) -> tuple[int, ...]:
        """What may be chosen, or may fall."""
        who = self.who()
        if who == CHANCE:
            return tuple(each.id for each in self._outcomes())
        return self.executor.legal(self._state, who)

    def weights(self) -> tuple[int, ...]:
        """How heavy each outcome is."""
        return tuple(each.weight for each in self._outcomes())

    def apply(self, choice: int) -> None:
        """Take it."""
        who = self.who()
        given: Input = Chance(choice) if who == CHANCE else Decision(who, choice)
        if who == CHANCE and self._falls == MOST_FALLS:
            raise endless(self.executor.game, self._state, self.executor.waiting(self._state)[0])
        self._state = self.executor.apply(self._state, given).state
        self._falls = self._falls + 1 if who == CHANCE else 0

    def clone(self) -> StateStepper:
        """A copy."""
        return StateStepper(self.executor, self._state, self._falls)

    def state(self) -> State:
        """Where the play stands."""
        return self._state

    def verdict(self) -> Verdict | None:
        """How the game ended."""
        return self.executor.verdict(self._state)


class PythonStepper:
    """A play on one list of slots, by the functions of the compiled game.

    A step that is given up has written some slots already. They are not copied before each step,
    since hardly any is: what they were follows from an earlier copy and the rows taken since.
    """

    __slots__ = (
        "_at_choices",
        "_at_who",
        "_choices",
        "_copy",
        "_falls",
        "_part",
        "_since",
        "_slots",
        "_take",
        "_who",
        "executor",
    )

    _who: int
    _choices: Choices
    _part: tuple[int, int] | None
    """Who is asked in a `together`: on which control stack, and at which question."""
    _slots: list[Any]
    _copy: list[Any]
    """The slots as they were earlier, which nobody changes: copies of a play share them."""
    _since: list[Any]
    """The rows taken since."""

    def __init__(self, executor: PythonExecutor, slots: list[Any] | None = None) -> None:
        """Begin, or go on from the slots of another play."""
        self.executor = executor
        self._take = executor.code.take
        self._at_who, self._at_choices = executor.behind.who, executor.behind.choices
        self._falls = 0
        if slots is None:
            try:
                slots = executor.slots_of(executor.program.begin)
                executor.begin(slots)
            except Bailout:
                slots = executor.slots_of(executor.reference.initial().state.slots)
        self._stand(slots)
        self._find()

    @classmethod
    def at(cls, executor: PythonExecutor, state: State) -> PythonStepper:
        """A play that stands at a state."""
        return cls(executor, executor.slots_of(state.slots))

    def _stand(self, slots: list[Any]) -> None:
        """Go on from these slots."""
        self._slots, self._copy, self._since = slots, slots[:], []

    def parts(self) -> int:
        """Which control stacks rest in the `together` that is open (bits); 0 if none is."""
        if not self._slots[TOGETHER]:
            return 0
        return sum(1 << frame for frame, _ in self.executor.resting(self._slots))

    def _find(self) -> None:
        """Who is asked, and what may be chosen, where nothing has been asked yet."""
        slots, executor = self._slots, self.executor
        self._part = None
        if slots[RESULT]:
            self._who, self._choices = TERMINAL, NOTHING
            return
        if not slots[TOGETHER] and slots[self._at_choices] is not None:
            self._who, self._choices = slots[self._at_who], slots[self._at_choices]
            return
        self._who, frame, at = executor.first(slots)
        self._choices = executor.offered(slots, frame, at)
        if frame:
            self._part = frame, at
        else:
            slots[self._at_who], slots[self._at_choices] = self._who, self._choices

    def who(self) -> int:
        """The player who decides now, `CHANCE`, or `TERMINAL`."""
        return self._who

    def legal(self) -> tuple[int, ...]:
        """What may be chosen, or may fall."""
        return self._choices.ids

    def weights(self) -> tuple[int, ...]:
        """How heavy each outcome is."""
        return self._choices.weights

    def apply(self, choice: int) -> None:
        """Take it."""
        row = self._choices.row(choice)
        if row is None:
            self._refused(choice)
            return
        falls = self._falls + 1 if self._who == CHANCE else 0
        if falls > MOST_FALLS:
            state = self.state()
            raise endless(self.executor.game, state, self.executor.waiting(state)[0])
        slots = self._slots
        try:
            if self._part is None and self._take(slots, row):
                self._who, self._choices = slots[self._at_who], slots[self._at_choices]
            else:
                self._go_on(row)
            self._since.append(row)
        except Bailout:
            self._slots = self._before()
            self._refused(choice)
        self._falls = falls

    def _go_on(self, row: Any) -> None:
        """Take a row in a part of a `together`, if it is still to be taken; who is asked then."""
        if self._part is not None:
            self.executor.take(self._slots, *self._part, row)
        self._find()

    def _before(self) -> list[Any]:
        """The slots as they were before the step that is given up."""
        slots = self._copy[:]
        for row in self._since:
            if slots[TOGETHER]:
                _, frame, at = self.executor.first(slots)
                self.executor.take(slots, frame, at, row)
            else:
                self._take(slots, row)
        return slots

    def _refused(self, choice: int) -> None:
        """What the compiled game does not do: the reference says why, or does it."""
        given: Input = Chance(choice) if self._who == CHANCE else Decision(self._who, choice)
        if self._who == TERMINAL:
            refusal = self.executor.refusal(self.state(), given)
            assert refusal is not None
            raise IllegalInput(refusal)
        # Should it refuse, and something else be tried, nothing is gone through twice.
        self._stand(self._slots)
        # What is chosen has the numbers of these slots, be copies in order or not.
        state = State(tuple(self._slots[: self.executor.program.size]))
        after = self.executor.reference.apply(state, given).state
        self._stand(self.executor.slots_of(after.slots))
        self._find()

    def clone(self) -> PythonStepper:
        """A copy."""
        if self._since:
            self._stand(self._slots)
        copy = PythonStepper.__new__(PythonStepper)
        copy.executor, copy._take, copy._slots = self.executor, self._take, self._copy[:]
        copy._copy, copy._since = self._copy, []
        copy._at_who, copy._at_choices = self._at_who, self._at_choices
        copy._who, copy._choices, copy._falls = self._who, self._choices, self._falls
        copy._part = self._part
        return copy

    def state(self) -> State:
        """Where the play stands. What is chosen from then on has the numbers that it has there."""
        if self.executor.tidied(self._slots):
            self._stand(self._slots)
            self._find()
        return self.executor.state_of(self._slots[:])

    def verdict(self) -> Verdict | None:
        """How the game ended."""
        return self.executor.verdict(self.state())

"""Plays that are held against evidence, step by step, until they part from it.

Assumes: evidence, and somebody who decides where the viewer cannot tell what was decided.
Does: runs a play from its beginning, or from a step of another on. The viewer does what they did;
luck and the others do what the evidence tells of them, and where it tells nothing, what `Chooser`
says. The play goes on for as long as each input is legal and the viewer sees what they saw.
Each input that others or luck give has an *address*: how much of the evidence had come by then, who
gives it, and how many they gave since. So the inputs of two plays can be compared even
where one has more of them: a draw with one outcome left is none.
Inside the `together` that is open at the end only the viewer's own part is followed.
Leaves behind a `Trace`: its steps, each with the play as it stood before, and how it ended: held to
the end, or how far it came, and what the viewer would see there too much and too little of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rulerun.executors.make import executor_for
from rulerun.executors.stepper import TERMINAL, stepper
from rulerun.posterior.evidence import Evidence, Looking, Word
from rulerun.posterior.sight_key import Key, Name
from rulerun.runtime import actions
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Decision,
    Executor,
    IllegalInput,
    Input,
    RuleError,
)
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun_dsl.model import MoveSome, Pick, Roll, ShuffleZone

Address = tuple[int, int, int]
LONGEST = 10_000
"""Inputs of a play that are followed, and `FOR_EACH` more for each item of the evidence."""
FOR_EACH = 100
ILLEGAL = (IllegalInput, RuleError, RuntimeError, ValueError)
"""What a step raises that the rules do not allow, whichever executor runs them."""


@dataclass(slots=True)
class Spot:
    """Where a play and its evidence stand."""

    play: Any
    item: int = 0
    last: Key | None = None
    """The last sight."""
    told: int = 0
    own: int = 0
    given: dict[int, int] = field(default_factory=dict)
    """By who gives inputs: how many they gave since the last item."""

    def copy(self) -> Spot:
        """The same, to go another way."""
        spot = Spot(self.play.clone(), self.item, self.last, self.told, self.own)
        spot.given = dict(self.given)
        return spot


@dataclass(frozen=True, slots=True)
class Step:
    """An input of luck or of another player."""

    address: Address
    who: int
    at: int
    choice: int
    options: tuple[int, ...]
    """What it might have been, as far as it is told by itself."""
    weights: tuple[int, ...]
    """How likely each of them is, beside the others."""
    likely: tuple[int, int]
    """How likely the choice is among all that was legal, as a fraction."""
    place: int
    """How many inputs there were before, the viewer's too."""
    spot: Spot | None
    """The play as it stood before, where there was more than one option."""


@dataclass(slots=True)
class Trace:
    """A play held against evidence."""

    steps: list[Step]
    state: State | None = None
    """Where it ended, if it held."""
    came: int = 0
    """How many items, and words that were told, it came to."""
    more: Counter[Name] = field(default_factory=Counter)
    """What the viewer would see too much of where it parted from the evidence."""
    less: Counter[Name] = field(default_factory=Counter)
    """What they would see too little of."""
    amiss: int = 500
    """How much what they would see there differs from what they saw."""
    inputs: list[Input] = field(default_factory=list)
    """Every input, the viewer's too, in order."""

    @property
    def free(self) -> list[int]:
        """The steps that might have gone otherwise."""
        return [at for at, step in enumerate(self.steps) if step.spot is not None]

    @property
    def score(self) -> int:
        """How good it is: how far it came, less what is amiss there."""
        return 1_000 * self.came - min(self.amiss, 999)


class Chooser(Protocol):
    """Who decides what the evidence leaves open."""

    def __call__(
        self, address: Address, at: int, options: tuple[int, ...], weights: tuple[int, ...]
    ) -> int:
        """One of the options; or another number, and the play parts from the evidence."""


class OwnPart:
    """A play inside the `together` that is open at the end: nobody but the viewer moves in it."""

    def __init__(self, executor: Executor, state: State, viewer: int) -> None:
        """Begin where it opened."""
        self._executor = executor
        self._state = state
        self._viewer = viewer

    def who(self) -> int:
        """`CHANCE`, the viewer, or `TERMINAL` once their part is done."""
        waiting = self._executor.waiting(self._state)
        if waiting and waiting[0].player == CHANCE:
            return CHANCE
        mine = any(each.player == self._viewer for each in waiting)
        return self._viewer if mine else TERMINAL

    def legal(self) -> tuple[int, ...]:
        """What may be chosen, or may fall."""
        if self.who() == CHANCE:
            return tuple(each.id for each in self._executor.outcomes(self._state))
        return self._executor.legal(self._state, self._viewer)

    def weights(self) -> tuple[int, ...]:
        """How heavy each outcome is."""
        return tuple(each.weight for each in self._executor.outcomes(self._state))

    def apply(self, choice: int) -> None:
        """Take it."""
        luck = self.who() == CHANCE
        given: Input = Chance(choice) if luck else Decision(self._viewer, choice)
        self._state = self._executor.apply(self._state, given).state

    def clone(self) -> OwnPart:
        """A copy."""
        return OwnPart(self._executor, self._state, self._viewer)

    def state(self) -> State:
        """Where it stands."""
        return self._state


class Replayer:
    """Holds plays against one evidence."""

    def __init__(self, looking: Looking, evidence: Evidence, executor: str = "python") -> None:
        """Run plays by an executor."""
        self.looking = looking
        self.evidence = evidence
        self.game = looking.game
        self.viewer = looking.viewer
        self.telling = looking.telling
        self.runs = 0
        """Plays that were run."""
        self._begin = Spot(stepper(self.game, executor))
        self._executor = executor_for(self.game, executor, events=False)
        self._most = LONGEST + FOR_EACH * len(evidence.items)
        self._luck = frozenset(
            at
            for at, node in enumerate(self.game.code)
            if isinstance(node, Roll | Pick | MoveSome | ShuffleZone)
        )

    def run(self, choose: Chooser, before: Trace | None = None, at: int = 0) -> Trace:
        """A play; from the step `at` of another on, before which it goes like that one."""
        self.runs += 1
        if before is None:
            trace, spot = Trace([]), self._begin.copy()
        else:
            start = before.steps[at].spot
            assert start is not None
            trace, spot = Trace(before.steps[:at]), start.copy()
            trace.inputs = before.inputs[: before.steps[at].place]
        self._follow(trace, spot, choose)
        trace.came = spot.item + spot.told + spot.own
        return trace

    def _follow(self, trace: Trace, spot: Spot, choose: Chooser) -> None:
        items, looking, viewer = self.evidence.items, self.looking, self.viewer
        for _ in range(self._most):
            play = spot.play
            state = play.state()
            slots = state.slots
            together = slots[TOGETHER] != 0
            inner = isinstance(play, OwnPart)
            if not inner and together and spot.item == self.evidence.opened and looking.busy(slots):
                play = spot.play = OwnPart(self._executor, state, viewer)
                inner = True
            who = play.who()
            if who != CHANCE:
                seen = self._look(play, slots, who, together, inner)
                if seen is not None and seen != spot.last:
                    wanted = items[spot.item] if spot.item < len(items) else None
                    if seen != wanted:
                        self._apart(trace, seen, wanted)
                        return
                    spot.last, spot.given = seen, {}
                    spot.item += 1
            if spot.item == len(items) and (
                inner or (not together and (who != CHANCE or self.evidence.luck))
            ):
                trace.state = state
                return
            if who == viewer:
                action = items[spot.item] if spot.item < len(items) else None
                if not isinstance(action, int):
                    return
                if action not in play.legal():
                    trace.less.update(self.telling.names(action))
                    return
                try:
                    play.apply(action)
                except ILLEGAL:
                    return
                trace.inputs.append(Decision(viewer, action))
                spot.item += 1
                spot.given = {}
            elif who == TERMINAL or not self._give(trace, spot, slots, who, together, choose):
                return

    def _look(
        self, play: Any, slots: Sequence[int], who: int, together: bool, inner: bool
    ) -> Key | None:
        looking = self.looking
        if not together:
            legal = play.legal() if who == self.viewer else ()
            at = slots[self.game.layout.base] - 1 if who != TERMINAL else -1
            return looking.outside(slots, who if who >= 0 else -1, at, legal)
        if who == self.viewer:
            return looking.inside(slots, play.legal())
        # While others move in it nothing new is seen: the viewer looks when it is for them.
        return None if looking.busy(slots) and not inner else looking.inside(slots, None)

    def _apart(self, trace: Trace, seen: Key, wanted: object) -> None:
        """Two sights are not the same."""
        if isinstance(wanted, tuple) and len(seen) == len(wanted):
            sight = self.looking.sight
            trace.more, trace.less = sight.differences(seen[4:], wanted[4:])
            trace.amiss = sight.distance(seen, wanted)

    def _give(
        self,
        trace: Trace,
        spot: Spot,
        slots: Sequence[int],
        who: int,
        together: bool,
        choose: Chooser,
    ) -> bool:
        """An input of luck or of another player; whether there is one."""
        play = spot.play
        frame = self._frame(slots, who) if together else 0
        at = slots[self.game.layout.base + frame * self.game.layout.frame] - 1
        legal = play.legal()
        weights = play.weights() if who == CHANCE else (1,) * len(legal)
        options, heavy = legal, weights
        heard = self._heard(slots, who, frame, at)
        word = self._word(spot, frame) if heard else None
        if word is not None:
            rows = [
                row
                for row in zip(legal, weights, strict=True)
                if self._may_be(who, at, row[0], word)
            ]
            if not rows:
                self._missing(trace, who, at, legal, word)
                return False
            options, heavy = (tuple(column) for column in zip(*rows, strict=True))
        count = spot.given.get(who, 0)
        address = spot.item, who, count
        free = spot.copy() if len(options) > 1 else None
        choice = choose(address, at, options, heavy) if free is not None else options[0]
        if choice not in options:
            return False
        likely = heavy[options.index(choice)], sum(weights)
        trace.steps.append(
            Step(address, who, at, choice, options, heavy, likely, len(trace.inputs), free)
        )
        try:
            play.apply(choice)
        except ILLEGAL:
            return False
        trace.inputs.append(Chance(choice) if who == CHANCE else Decision(who, choice))
        spot.given[who] = count + 1
        if heard:
            spot.told, spot.own = spot.told + (not frame), spot.own + bool(frame)
        return True

    def _frame(self, slots: Sequence[int], who: int) -> int:
        """The control stack that is asked inside a `together`."""
        if who != CHANCE:
            return 1 + who
        layout = self.game.layout
        for frame in range(1, 1 + len(self.game.players)):
            if slots[layout.base + frame * layout.frame] - 1 in self._luck:
                return frame
        return 0

    def _heard(self, slots: Sequence[int], who: int, frame: int, at: int) -> bool:
        """Whether the viewer is told of an input by itself."""
        if who != CHANCE:
            return not frame and self.telling.tells(slots, at, who)
        return frame in (0, 1 + self.viewer) and self.telling.hears(slots, frame, at)

    def _word(self, spot: Spot, frame: int) -> Word | None:
        """What the evidence tells next; None behind its end."""
        words, at = (self.evidence.own, spot.own) if frame else (self.evidence.told, spot.told)
        return words[at] if at < len(words) else None

    def _may_be(self, who: int, at: int, choice: int, word: Word) -> bool:
        teller, told = word
        if teller != who:
            return False
        if who == CHANCE:
            return self.telling.fallen(at, choice) == told
        return self.telling.reads_so(choice, str(told))

    def _missing(self, trace: Trace, who: int, at: int, legal: Sequence[int], word: Word) -> None:
        """What was told cannot be: which components it wants, and which are there instead."""
        telling, (teller, told) = self.telling, word
        if teller != who:
            return
        if who == CHANCE:
            drawn = telling.drawn(at)
            if drawn is not None and isinstance(told, tuple) and told[0] == drawn[0].kind.name:
                # It is gone already: who has it has it wrongly.
                trace.more[self.looking.sight.name(drawn[0], told[1])] += 1
            return
        action = actions.parse(self.game, str(told))
        if action is not None:
            trace.less.update(telling.names(action))
        for each in legal:
            trace.more.update(telling.names(each))

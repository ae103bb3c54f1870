"""Law 14: executors agree, at every step of random play.

Assumes a walk, or a table: a setting of a rules file.
Does: gives the inputs of the walk to the reference and to each compiled executor, and compares who
is waiting, what is legal, what may fall, the state after (number by number, and its bytes), the
verdict, which inputs are rule errors and which are refused. Then plays whole games by the batch,
and compares their results and what was counted on the way.
Leaves behind the first difference of each executor, with the rule and the inputs that led there.

A compiled executor may give a step up, and leave it to the reference. Where the reference accepts
the input without an error this is not wrong, but it is slow: more than `GIVEN_UP` of all steps is a
finding. An executor that keeps the rows of its last state is asked twice: of the state that it made
itself, and of an equal one that it has never seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from fractions import Fraction

from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.laws.executors import Rivals
from rulerun.laws.legality import refusable
from rulerun.laws.slots import input_text, place_of, rule, writers
from rulerun.laws.trajectory import Found, Table, Walk, inputs_at, some
from rulerun.runtime import actions
from rulerun.runtime.batch import Played, Tally, arms
from rulerun.runtime.executor import CHANCE, Chance, IllegalInput, Input, RuleError, Waiting
from rulerun.runtime.rng import key_of
from rulerun.runtime.state import State
from rulerun_dsl.model import Game

GIVEN_UP = Fraction(1, 100)
MOST_STATES = 10
"""States of a walk in which inputs beside that of the walk are tried."""
MOST_INPUTS = 8
GAMES = 4
"""Games of a batch."""
MOST_COUNTS = 3
"""Counts that differ and are told one by one."""


def look(walk: Walk) -> Iterator[Found]:
    """Look for the first step of a walk at which an executor differs from the reference."""
    for name, compiled in walk.table.rivals.compiled:
        yield from _Beside(walk, name, compiled).look()


def failing(table: Table) -> Iterator[str]:
    """Look for executors that take a set-up that is a rule error."""
    for name, compiled in table.rivals.compiled:
        try:
            compiled._begun()
        except Bailout:
            continue
        yield f"{name} differs: set-up is taken and should be a rule error"


class _Differs(Exception):
    """The first difference: at which state, and what."""

    def __init__(self, position: int, what: str) -> None:
        super().__init__(what)
        self.at = position
        self.what = what


class _Beside:
    """A compiled executor that walks beside the reference."""

    def __init__(self, walk: Walk, name: str, compiled: PythonExecutor) -> None:
        self.walk = walk
        self.name = name
        self.compiled = compiled
        self.game = walk.game
        self.reference = walk.table.rivals.reference
        self.slots = walk.table.rivals.slots
        self.steps = 0
        self.given_up: list[tuple[int, str]] = []
        """By step that was given up: at which state, and what was given."""

    def look(self) -> Iterator[Found]:
        try:
            self._walked()
        except _Differs as differs:
            yield differs.at, f"{self.name} differs: {differs.what}"
            return
        if len(self.given_up) > GIVEN_UP * self.steps:
            position, what = self.given_up[0]
            yield (
                position,
                f"{self.name} gave up {len(self.given_up)} of {self.steps} steps that the "
                f"reference takes; the first is {what}",
            )

    def _walked(self) -> None:
        walk, reference = self.walk, self.reference
        if walk.before:  # it was cut
            ours = walk.states[0]
            theirs = State(ours.slots)
        else:
            ours = reference.initial().state
            theirs = self._begun(ours)
        picked = set(walk.picked(MOST_STATES, "agreeing"))
        for position in range(len(walk.inputs) + 1):
            self._asked(position, ours, theirs)
            if position in picked:
                # A state that the compiled executor has not made: it keeps no rows of it.
                self._asked(position, ours, State(ours.slots))
                self._tried(position, ours)
            if position == len(walk.inputs):
                return
            given = walk.inputs[position]
            after = self._ours(position, ours, given)
            reached = self._step(position, ours, theirs, given, after)
            if after is None:
                return
            ours, theirs = after, reached

    def _begun(self, ours: State) -> State:
        try:
            theirs = self.compiled._begun()
        except Bailout:
            self.given_up.append((0, "set-up"))
            return State(ours.slots)
        self._same(0, ours, theirs, None, None)
        return theirs

    # ------------------------------------------------------------------------------- asking

    def _asked(self, position: int, ours: State, theirs: State) -> None:
        """Compare all that may be asked of a state."""
        reference, compiled = self.reference, self.compiled
        waiting = reference.waiting(ours)
        self._equal(position, "who is waiting", waiting, compiled.waiting(theirs), waiting)
        for player in range(len(self.game.players)):
            legal, offered = reference.legal(ours, player), compiled.legal(theirs, player)
            if repr(legal) != repr(offered):
                self._differs(position, self._legal(player, legal, offered), waiting)
        if waiting and waiting[0].player == CHANCE:
            falls = [(each.id, each.weight) for each in reference.outcomes(ours)]
            try:
                fallen = compiled.falls(theirs)
            except Bailout:
                self.given_up.append((position, "the listing of outcomes"))
            else:
                self._equal(position, "what may fall (id, weight)", falls, fallen, waiting)
        self._equal(
            position, "the verdict", reference.verdict(ours), compiled.verdict(theirs), waiting
        )

    def _equal(
        self, position: int, what: str, ours: object, theirs: object, waiting: Sequence[Waiting]
    ) -> None:
        # Compared as text: `True` is no number of a state, though Python takes it for 1.
        if repr(ours) != repr(theirs):
            self._differs(position, f"{what} is {theirs!r} and should be {ours!r}", waiting)

    def _legal(self, player: int, ours: Sequence[int], theirs: Sequence[int]) -> str:
        who = self.game.players[player]
        more = [each for each in theirs if each not in ours]
        less = [each for each in ours if each not in theirs]
        parts = []
        if more:
            parts.append(f"{who} may also {self._actions(more)}")
        if less:
            parts.append(f"{who} may not {self._actions(less)}")
        if not parts:
            parts.append(f"the legal actions of {who} are {theirs} and should be {ours}")
        return "; ".join(parts)

    def _actions(self, ids: Sequence[int]) -> str:
        known = range(self.game.number_of_actions)
        texts = [
            f"`{actions.text(self.game, each)}` ({each})" if each in known else f"action {each}"
            for each in ids[:MOST_COUNTS]
        ]
        return ", ".join(texts) + ("" if len(ids) <= MOST_COUNTS else f" and {len(ids)} in all")

    # ------------------------------------------------------------------------------ stepping

    def _ours(self, position: int, state: State, given: Input) -> State | None:
        """What the reference makes of an input; None: it is a rule error."""
        try:
            return self.reference.apply(state, given).state
        except RuleError:
            return None
        except IllegalInput as refused:
            what = f"the reference refuses {self._text(given)}, which was taken: {refused}"
            raise _Differs(position, what) from None

    def _step(
        self, position: int, ours: State, theirs: State, given: Input, after: State | None
    ) -> State:
        """Take a step with the compiled one; where it gives up, the state of the reference."""
        reached = self.compiled._after(theirs, given)
        self.steps += 1
        waiting = self.reference.waiting(ours)
        if after is None:
            if reached is not None:
                text = f"{self._text(given)} is taken and should be a rule error"
                self._differs(position, text, waiting)
            return theirs
        if reached is None:
            self.given_up.append((position, f"{self._text(given)}, {self._answers(waiting)}"))
            return State(after.slots)
        self._same(position + 1, after, reached, ours, given)
        return reached

    def _same(
        self, position: int, ours: State, theirs: State, before: State | None, given: Input | None
    ) -> None:
        """Compare the states after a step."""
        whole = all(type(each) is int for each in theirs.slots)
        if ours == theirs and whole and ours.to_bytes() == theirs.to_bytes():
            return
        step = "set-up" if given is None else self._text(given)
        if ours == theirs:
            raise _Differs(position, f"after {step} the state holds what is no whole number")
        what = f"after {step} {self.slots.differences(ours.slots, theirs.slots)}"
        if before is not None:
            what = f"{what}; {self._answers(self.reference.waiting(before))}"
        if len(ours.slots) == len(theirs.slots):
            pairs = zip(ours.slots, theirs.slots, strict=True)
            first = next(slot for slot, (one, other) in enumerate(pairs) if one != other)
            wrote = writers(self.game, before, given, first)
            if wrote:
                what = f"{what}; {self.slots.name(first)} was written by {self._rules(wrote)}"
        raise _Differs(position, what)

    def _tried(self, position: int, state: State) -> None:
        """Try inputs beside that of the walk: of those that are possible, of others."""
        luck = self.walk.luck("agreeing", position)
        possible = list(inputs_at(self.reference, state))
        for number in some(list(range(len(possible))), self.walk.few(MOST_INPUTS), luck):
            given = possible[number]
            after = self._ours(position, state, given)
            self._step(position, state, State(state.slots), given, after)
        for given in refusable(self.walk, position, most=3):
            self._refused(position, state, given)

    def _refused(self, position: int, state: State, given: Input) -> None:
        """An input that the reference refuses is refused, in the same words."""
        waiting = self.reference.waiting(state)
        refusal = self.reference.refusal(state, given)
        if refusal is None:
            return  # law 3 has something to say of it
        text = input_text(given)
        if self.compiled._after(State(state.slots), given) is not None:
            self._differs(
                position, f"{text} is taken and should be refused ({refusal.code})", waiting
            )
        try:
            self.compiled.apply(State(state.slots), given)
        except IllegalInput as refused:
            self._equal(position, f"the refusal of {text}", refusal, refused.refusal, waiting)

    # --------------------------------------------------------------------------------- words

    def _differs(self, position: int, what: str, waiting: Sequence[Waiting]) -> None:
        answers = self._answers(waiting)
        raise _Differs(position, f"{what}; {answers}" if answers else what)

    def _answers(self, waiting: Sequence[Waiting]) -> str:
        """Where the game rests."""
        places = dict.fromkeys(rule(self.game, each.instruction) for each in waiting)
        return f"at {', '.join(places)}" if places else ""

    def _rules(self, instructions: Sequence[int]) -> str:
        return ", then ".join(dict.fromkeys(rule(self.game, each) for each in instructions[-3:]))

    def _text(self, given: Input) -> str:
        if isinstance(given, Chance):
            return f"chance outcome {given.outcome}"
        who = self.game.players[given.player]
        return f"{who}'s {self._actions([given.action])}"


# ------------------------------------------------------------------------------- by the batch


def batches(table: Table, seed: str, coverage: bool = True) -> Iterator[Found]:
    """Play whole games by the batch: a number of a key is the same game with any executor.

    With `coverage` it is compared as well which rules ran.
    """
    rivals = table.rivals
    if not rivals.many:
        return
    for number in range(table.few(GAMES)):
        found = list(_game(rivals, seed, number, coverage))
        yield from ((None, what) for what in found)
        if found:
            return


def _game(rivals: Rivals, seed: str, number: int, coverage: bool) -> Iterator[str]:
    """Play one game of a key, which may be too much work for the next one."""
    game, key = rivals.bounded, key_of(seed)
    ours = Tally.of(game, coverage)
    wanted = rivals.stepping.play(key, number, 1, ours)
    error = wanted[0].end not in ("", "truncated")
    for name, batch, again in rivals.batches:
        before = len(again.given_up)
        theirs = Tally.of(game, coverage)
        found = batch.play(key, number, 1, theirs)
        what = _first(wanted, found) or _counts(game, ours, theirs)
        if what is None:
            # Without counting other code runs.
            what = _first(wanted, batch.play(key, number, 1))
        if what is None and len(again.given_up) > before and not error:
            what = "a game that comes to its end is given up"
        if what is not None:
            yield f"{name} by the batch differs (game {number} of {seed!r}): {what}"


def _first(wanted: Sequence[Played], played: Sequence[Played]) -> str | None:
    """The first game that is another."""
    for expected, actual in zip(wanted, played, strict=False):
        if repr(expected) != repr(actual):
            names = [
                f"{name} is {getattr(actual, name)!r} and should be {getattr(expected, name)!r}"
                for name in [each.name for each in fields(Played)]
                if repr(getattr(expected, name)) != repr(getattr(actual, name))
            ]
            return f"of game {expected.number} {'; '.join(names)}"
    if len(wanted) != len(played):
        return f"{len(played)} games are played and should be {len(wanted)}"
    return None


def _counts(game: Game, ours: Tally, theirs: Tally) -> str | None:
    """The first counts that are others. How often a function is called is an executor's own."""
    ways = arms(game)

    def action(position: int) -> str:
        return f"`{actions.text(game, position)}` (action {position})"

    def instruction(position: int) -> str:
        return rule(game, position)

    def way(position: int) -> str:
        return f"{rule(game, ways[position].instruction)} to {rule(game, ways[position].to)}"

    def called(position: int) -> str:
        return f"{game.functions[position].name} ({place_of(game.functions[position].body.span)})"

    for what, expected, actual, name in (
        ("was offered", ours.offered, theirs.offered, action),
        ("was taken", ours.taken, theirs.taken, action),
        ("was reached", ours.reached, theirs.reached, instruction),
        ("went on", ours.arms, theirs.arms, way),
        ("was called", list(map(bool, ours.called)), list(map(bool, theirs.called)), called),
    ):
        told = [
            f"{name(position)} {what} {int(got)} times and should be {int(should)}"
            for position, (should, got) in enumerate(zip(expected, actual, strict=True))
            if should != got
        ]
        if told:
            more = len(told) - MOST_COUNTS
            return "; ".join(told[:MOST_COUNTS]) + (
                f"; {more} more counts differ" if more > 0 else ""
            )
    return None

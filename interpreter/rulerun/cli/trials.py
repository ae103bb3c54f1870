"""Random play within a budget, for errors that only play shows.

Assumes: checked games, each of some settings of one rules file.
Does: plays each game several times. The first time is game 0 of `rulerun simulate --seed 0`; in
the others everybody prefers some types of action to others, different ones in each game, which
leads to the corners that even chances avoid (nothing left, everything full). On the way it tries
what was not chosen: of each question the option that was tried least, and a few inputs behind it.
The budget counts inputs, not time, so that every machine finds the same; only where single inputs
of a game take very long the rest of it is given up, and that is said.
Leaves behind the rule errors, each place once, with all the inputs that lead there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rulerun.compiled.python.executor import PythonExecutor
from rulerun.executors.make import executor_within
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor, Input, RuleError
from rulerun.runtime.rng import Quick, key_of
from rulerun.runtime.state import State
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

BUDGET = 7_000
"""Inputs for one rules file, getting its games ready included; of a small game `times` as many."""
SHARE = 2_000
"""Of these, for the game of each number of players."""
REST = 2_000
"""Of what is left then, so many are for variants and options together."""
LESS = 125
"""For each variant and each value of an option, with each number of players."""
SEED = 0

_SMALL = 160
"""As often as its instructions go into this, a small game is played more."""
_MOST_TIMES = 4
_DEEP = 2
"""Inputs behind an option that is tried aside."""
_READY = 4
_LISTED = 8
"""To list so many options or outcomes costs as much as an input."""
_LONGEST = 4
"""One game takes this part of its share at most, so that there are several."""
_TASTES = 4
_ASIDE = 63
"""The stream that decides what is tried aside, and what players like: no seat has it."""


@frozen
class Crash:
    """A rule error in play, with all that leads there."""

    error: RuleError
    game: Game
    number: int
    """Of the game, as `simulate` counts them."""
    inputs: tuple[tuple[str, str], ...]
    """Who (or "" for luck), and the text; the last one fails. Empty: set-up fails."""
    aside: int
    """How many of these are not the game's own, but tried aside."""

    @property
    def plain(self) -> bool:
        """Whether `simulate -n 1` meets it."""
        return not self.number and not self.aside


def times(game: Game) -> int:
    """How many inputs of a game count as one: of a small game several, for they take no longer.

    So an error that one game in twenty meets is found as a rule, where games are short.
    """
    return max(1, min(_MOST_TIMES, _SMALL // max(1, len(game.code))))


def shares(total: int, game: Game, plain: int, beside: int) -> tuple[list[int], list[int]]:
    """How many inputs each setting gets of a budget: `plain` ones, and `beside` with something set.

    Getting a game ready costs one for every few instructions. First come those that are plain, with
    less than their share if that lets all of them in; then those beside in their order, for which a
    part is kept. What a budget has above the usual one goes to those beside too, and, when all have
    their share, to all alike.
    """
    ready = len(game.code) // _READY
    left = total

    def given(count: int, wanted: int) -> list[int]:
        nonlocal left
        found = []
        for _ in range(count):
            share = max(0, min(wanted, left - ready))
            left -= share + ready if share else 0
            found.append(share)
        return found

    more = max(0, total - BUDGET)
    kept = min(REST, total * REST // BUDGET, beside * (LESS + ready))
    left -= kept
    alike = left // plain - ready if plain else 0
    first = given(plain, min(SHARE, alike) if alike >= SHARE // 2 else SHARE)
    left = min(left + kept, REST + more)
    then = given(beside, LESS)
    if more and all(first) and all(then) and plain + beside:
        extra = left // (plain + beside)
        first = [share + extra for share in first]
        then = [share + extra for share in then]
    return first, then


def try_out(
    game: Game, budget: int, patience: Callable[[], bool] = lambda: True
) -> Iterator[Crash]:
    """Play a game until a budget of inputs is spent; rule errors, each place once.

    Gives up where `patience` is at its end.
    """
    trial = _Trial(game, budget, patience)
    seen: dict[tuple[str, str, int, int], Crash] = {}
    number = 0
    while trial.left > 0 and patience():
        for crash in trial.play(number):
            span = crash.error.span
            where = crash.error.code, span.source.name, span.start, span.end
            if where not in seen or (crash.plain and not seen[where].plain):
                seen[where] = crash
        if not trial.begun:
            break
        number += 1
    yield from seen.values()


class _Trial:
    """One game, played again and again."""

    def __init__(self, game: Game, budget: int, patience: Callable[[], bool]) -> None:
        self.game = game
        self.patience = patience
        self.executor: Executor = executor_within(game, budget)
        self.left = budget
        self.longest = max(1, budget // _LONGEST)
        self.tried: Counter[tuple[int, int]] = Counter()
        """By question and action."""
        self.begun = False

    def play(self, number: int) -> Iterator[Crash]:
        """Play one game, as a batch plays it, and look aside."""
        key = key_of(SEED)
        luck, aside = Quick(key, number, 0), Quick(key, number, _ASIDE)
        streams: dict[int, Quick] = {}
        path: list[tuple[State, Input]] = []
        taste = self.taste(aside) if number else None
        bound, decisions = self.game.decisions, 0
        self.left -= 1
        try:
            state = self.executor.initial().state
            self.begun = True
            for _ in range(self.longest):
                waiting = self.executor.waiting(state)
                if not waiting or self.left <= 0 or 0 < bound <= decisions:
                    return
                if not self.patience():
                    return
                who = waiting[0].player
                given: Input
                if who == CHANCE:
                    given = self.falls(state, luck)
                else:
                    legal = self.legal(state, who)
                    stream = streams.setdefault(who, Quick(key, number, 1 + who))
                    given = Decision(who, self.chosen(legal, stream, taste))
                    question = waiting[0].instruction
                    self.tried[question, given.action] += 1
                    others = [action for action in legal if action != given.action]
                    if others:
                        least = min(others, key=lambda each: self.tried[question, each])
                        self.tried[question, least] += 1
                        more = bound - decisions if bound else 1 + _DEEP
                        option = Decision(who, least)
                        yield from self.aside(path, state, option, aside, number, more)
                    decisions += 1
                path.append((state, given))
                self.left -= 1
                state = self.executor.apply(state, given).state
        except RuleError as error:
            yield Crash(error, self.game, number, self.texts(path), 0)

    def aside(
        self,
        path: Sequence[tuple[State, Input]],
        state: State,
        option: Decision,
        luck: Quick,
        number: int,
        more: int,
    ) -> Iterator[Crash]:
        """Try an option that the game does not take, and what comes behind it.

        So many `more` decisions are allowed before the play is broken off.
        """
        beside: list[tuple[State, Input]] = []
        given: Input = option
        try:
            for _ in range(1 + _DEEP):
                more -= isinstance(given, Decision)
                if more < 0:
                    return
                beside.append((state, given))
                self.left -= 1
                state = self.executor.apply(state, given).state
                waiting = self.executor.waiting(state)
                if not waiting or self.left <= 0:
                    return
                who = waiting[0].player
                if who == CHANCE:
                    given = self.falls(state, luck)
                else:
                    legal = self.legal(state, who)
                    given = Decision(who, legal[luck.below(len(legal))])
        except RuleError as error:
            inputs = self.texts([*path, *beside])
            yield Crash(error, self.game, number, inputs, len(beside))

    def taste(self, luck: Quick) -> list[int]:
        """How much the players of a game like each type of action."""
        return [1 << 2 * luck.below(_TASTES) for _ in self.game.actions]

    def chosen(self, legal: Sequence[int], luck: Quick, taste: Sequence[int] | None) -> int:
        if taste is None:
            return legal[luck.below(len(legal))]
        return legal[luck.weighted([taste[actions.split(self.game, each)[0]] for each in legal])]

    def legal(self, state: State, player: int) -> tuple[int, ...]:
        """What a player may do; to list much costs more than to list little."""
        legal = self.executor.legal(state, player)
        self.left -= len(legal) // _LISTED
        return legal

    def falls(self, state: State, luck: Quick) -> Chance:
        if isinstance(self.executor, PythonExecutor):
            pairs = self.executor.falls(state)
        else:
            pairs = [(each.id, each.weight) for each in self.executor.outcomes(state)]
        self.left -= len(pairs) // _LISTED
        return Chance(pairs[luck.weighted([weight for _, weight in pairs])][0])

    def texts(self, path: Sequence[tuple[State, Input]]) -> tuple[tuple[str, str], ...]:
        found = []
        for state, given in path:
            if isinstance(given, Decision):
                found.append(
                    (self.game.players[given.player], actions.text(self.game, given.action))
                )
            else:
                outcomes = self.executor.outcomes(state)
                found.append(("", next(o.text for o in outcomes if o.id == given.outcome)))
        return tuple(found)

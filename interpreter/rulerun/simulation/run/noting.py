"""What is noted of a game while it is played input by input: its choices, and who leads.

Assumes: a checked `Game`, and a game of it that `stepping` goes through.
Does: at each decision notes what was legal and what was taken, for those players whose choices are
to be counted; asks the reference who would have won, had the game been over there. While one
`together` is open, where half of the table may have decided, who led when it opened leads on.
Leaves behind: `stats.choice_sums.Choices` of the games that came to their end.

That all legal actions are one use (two copies of a card, say) is no choice, so it is not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Played
from rulerun.runtime.executor import RuleError
from rulerun.runtime.state import State
from rulerun.simulation.stats.choice_sums import MILLION, Choices, Course, Use, uses_of
from rulerun.views.vantage import opening
from rulerun_dsl.model import Game

MENUS = 4_096
"""Of so many lists of legal actions it is remembered which uses are in them."""


class Watching:
    """Notes one game after the other, and adds them up."""

    def __init__(self, game: Game, seats: Collection[int]) -> None:
        """`seats`: whose choices are counted."""
        self._game = game
        self._players = len(game.players)
        self._seats = frozenset(seats)
        self._uses = uses_of(game)
        self._reference = Reference(game, events=False)
        self.choices = Choices.of(self._players)
        self._course = Course.of(self._players)
        self._menus: dict[tuple[int, ...], tuple[tuple[Use, int], ...]] = {}
        self._opening: tuple[int, ...] = ()
        self._deciding: Counter[int] = Counter()
        """By player, decisions that are not forced since the table last waited for nobody else."""

    def begin(self) -> None:
        """A game begins; one that did not come to its end is forgotten."""
        self._course = Course.of(self._players)
        self._opening = ()
        self._deciding.clear()

    def decided(self, state: State, who: int, legal: Sequence[int], action: int) -> None:
        """A player takes one of the legal actions, in this state."""
        course = self._course
        course.leaders.append(self._leader(state))
        if len(legal) > 1:
            self._deciding[who] += 1
        if who not in self._seats:
            return
        course.decisions[who] += 1
        course.options[who] += len(legal)
        if len(legal) == 1:
            course.forced[who] += 1
            return
        taken = self._uses(action)
        noted = course.uses[who]
        for use, alike in self._to_be_had(tuple(legal)):
            sums = noted.setdefault(use, [0, 0, 0])
            sums[0] += 1
            sums[1] += use in taken
            sums[2] += alike

    def _to_be_had(self, legal: tuple[int, ...]) -> tuple[tuple[Use, int], ...]:
        """The uses that are a choice among these, and how often chance would take each."""
        found = self._menus.get(legal)
        if found is None:
            times = Counter(use for each in legal for use in self._uses(each))
            many = len(legal)
            found = tuple((use, MILLION * of // many) for use, of in times.items() if of < many)
            if len(self._menus) < MENUS:
                self._menus[legal] = found
        return found

    def _leader(self, state: State) -> int:
        key = opening(self._game, state)
        if key and key == self._opening:
            return self._course.leaders[-1]
        self._waited()
        self._opening = key
        try:
            winners = self._reference.judged(state).winners
        except RuleError:
            return -1
        return next(iter(winners)) if len(winners) == 1 else -1

    def _waited(self) -> None:
        """The table has waited for who decided most: in a `together` all decide at one time."""
        self._course.pauses += max(self._deciding.values(), default=0)
        self._deciding.clear()

    def ended(self, played: Played) -> None:
        """The game has come to its end."""
        self._waited()
        self.choices.count(self._course, played.winners)

    def give(self) -> Choices:
        """What was noted since the last time."""
        found, self.choices = self.choices, Choices.of(self._players)
        return found

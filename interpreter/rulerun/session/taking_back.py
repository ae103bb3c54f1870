"""What of a play may be taken back.

Assumes: the inputs of a play that is not over, in order, with what came of each; whose replies go
with what they replied to (`bots`).
Does: looks whether the last decision of a player may be undone. They go back to before it if since
then no other person has decided and nothing was left to chance or revealed. What bots have replied
goes with it; the same luck of theirs is there again.
Leaves behind: the place of that decision, or why it stays:

* *decision*: somebody else has had their turn since. A bot's reply is in the way if it told the
  player anything that was hidden (`undo.gives_away`), or if the player cannot have noticed it;
  any reply is if another person sits here and the game hides something, who could have learnt from
  it. While a `together` is open that is not asked, since it would tell whether others are done:
  what they did is applied again behind it.
* *secret*: the same of a decision that was made in a `together` which has closed since.
* *settled*: a chance outcome since (in an open `together`, one of the player's own block), or
  something that could not be foreseen, which `undo.reveals` decides by what the player saw
  before and after. The two share one answer, since only luck tells whether a draw with one outcome
  left was one.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from rulerun.runtime.executor import Decision, Executor, Input, Step
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun.views.observe import tell
from rulerun.views.recall import TOGETHER_END
from rulerun.views.undo import gives_away, hides, may_be_passed_unseen, reveals
from rulerun_dsl.source.frozen import frozen


class CannotUndo(Exception):
    """A decision stays. `code`: `over`, `nothing`, `decision`, `secret` or `settled`."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the code."""
        super().__init__(message)
        self.code = code


@frozen
class Point:
    """An input of the play as it stands, and what came of it."""

    number: int
    given: Input
    text: str
    frame: int
    """Whose control stack took it: 0, or 1 + player inside a `together`."""
    step: Step

    @property
    def player(self) -> int | None:
        """Who decided; None: luck."""
        return self.given.player if isinstance(self.given, Decision) else None


@frozen
class Past:
    """A play as it stands, and how it came there."""

    executor: Executor
    initial: State
    path: Sequence[Point]
    bots: Set[int]

    @property
    def state(self) -> State:
        """Where the play stands."""
        return self.before(len(self.path))

    @property
    def together_open(self) -> bool:
        """Whether some are still busy in secret."""
        return self.state.slots[TOGETHER] != 0

    def before(self, place: int) -> State:
        """Where the play stood before an input of the path."""
        return self.path[place - 1].step.state if place else self.initial

    def undoable(self, player: int) -> int | CannotUndo:
        """The place on the path of the decision that a player may take back; else why not."""
        mine = [place for place, point in enumerate(self.path) if point.player == player]
        if not mine:
            return CannotUndo("nothing", "There is no decision of yours to take back.")
        place = mine[-1]
        point = self.path[place]
        later = self.path[place + 1 :]
        if self.together_open:
            # What others have done in it is theirs: neither a reason nor a hint.
            if point.frame == 0 or any(_closes(each.step) for each in self.path[place:]):
                return self._passed_by(point)
            later = [each for each in later if each.frame == point.frame]
        elif self._passed_on(player, place):
            return self._passed_by(point)
        elif any(each.player is not None for each in later):
            return place
        if later or self._reveals(place):
            return CannotUndo("settled", "What has happened since cannot be taken back.")
        return place

    def plainly_stays(self, player: int) -> bool:
        """Whether that decision stays, by what the player has been told: the answer tells nothing.

        Quick, since nothing is tried out. Where it does not say so, `undoable` may still.
        """
        mine = [place for place, point in enumerate(self.path) if point.player == player]
        if not mine:
            return True
        point, later = self.path[mine[-1]], self.path[mine[-1] + 1 :]
        if self.together_open:
            if point.frame == 0 or any(_closes(each.step) for each in self.path[mine[-1] :]):
                return True
            later = [each for each in later if each.frame == point.frame]
        elif point.frame:
            return True
        if any(each.player in self.bots for each in later):
            return False
        players = len(self.executor.game.players)
        return any(tell(each.step.events, player, players) for each in later)

    def _passed_by(self, point: Point) -> CannotUndo:
        if point.frame:
            text = "You chose at the same time as others, and all are done: that stays."
            return CannotUndo("secret", text)
        text = "Since then it was somebody else's turn, and that is not taken back."
        return CannotUndo("decision", text)

    def _reveals(self, place: int) -> bool:
        point = self.path[place]
        assert point.player is not None
        return reveals(self.executor, self.before(place), point.given, point.step, point.player)

    def _passed_on(self, player: int, place: int) -> bool:
        """Whether somebody else has had their turn since, or has it, and that must stand."""
        first, *later = self.path[place:]
        decided = any(each.player is not None for each in later)
        others = set(range(self.executor.game.people)) - self.bots - {player}
        if first.frame or (decided and others and hides(self.executor.game)):
            return True
        if may_be_passed_unseen(self.executor, self.state, player):
            return True
        if not decided:
            return False
        if self._reveals(place):
            return True
        for at, each in enumerate(later, start=place + 1):
            given = each.given
            if each.frame or not isinstance(given, Decision) or given.player not in self.bots:
                return True
            if gives_away(self.executor, self.before(at), given, each.step, player):
                return True
        return False


def _closes(step: Step) -> bool:
    return any(event.word == TOGETHER_END for event in step.events)

"""What every executor offers: state in, input in, state out.

At rest a game waits for a decision of one player, for one decision each of several players (inside
a `together`), for a chance outcome, or for nothing (it is over). Nothing but an input changes a
state, and an executor keeps nothing between calls: everything is in the `State`.

Events are what happened, raw: with every secret in them and with who may know what. Only
`views.observe` may hand them on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rulerun.runtime.state import State
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span

if TYPE_CHECKING:
    from fractions import Fraction

CHANCE = -1
"""Who acts when luck does."""


# ------------------------------------------------------------------------------------ inputs


@frozen
class Decision:
    """A player takes an action (its id)."""

    player: int
    action: int


@frozen
class Chance:
    """Luck falls: the id of one of the outcomes now possible."""

    outcome: int


Input = Decision | Chance


# ----------------------------------------------------------------------------------- waiting


@frozen
class Waiting:
    """Someone whose input is wanted: a player, or `CHANCE`.

    `frame` is the control stack that rests (0, or 1 + player inside a `together`), `instruction`
    where; for a chance inside a `together` `frame` tells whose block it is in.
    """

    player: int
    frame: int
    instruction: int


@frozen
class Outcome:
    """A possible chance outcome. Probabilities are `weight` over the sum of the weights."""

    id: int
    weight: int
    text: str


@frozen
class Refusal:
    """Why an input was refused. It tells nothing that the asker may not know.

    `code` is stable: `over`, `not_your_turn`, `unknown_action`, `not_offered` (no option of this
    question has that action), `not_there` (a value is not among those to choose from),
    `condition` (a condition fails), `if_possible` (another option must be preferred), `taken`
    (each once), `hidden` (what fails is not the asker's to know).
    """

    code: str
    message: str
    """A sentence, with the values that made it fail: "needs 2 food, has 1" in kind."""
    span: Span | None = None
    """The condition that failed."""
    values: tuple[tuple[str, str], ...] = ()
    """The names in it as they are written there, with the values that made it fail."""


class IllegalInput(Exception):
    """An input that was refused; the state is as it was."""

    def __init__(self, refusal: Refusal) -> None:
        """Keep the refusal."""
        super().__init__(refusal.message)
        self.refusal = refusal


class RuleError(Exception):
    """The rules did something that they forbid themselves (moved from an empty pile, left a range).

    The state before the input is still good.
    """

    def __init__(self, code: str, message: str, span: Span, chain: tuple[tuple[str, Span], ...]):
        """`chain`: the procedures that led there, innermost first, each with where it stood."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.chain = chain


# ------------------------------------------------------------------------------------ events


@frozen
class Event:
    """Something that happened.

    `audience` is the bit mask of players (bit p; bit `len(players)` is the spectator) who may know
    that it happened; `detail` the mask of those who may know `secret` as well; the others get
    `open`. Both are texts for people and plain JSON data for machines, made from the model alone.
    `block`: inside a `together`, the player whose block it was, else None. Nobody else hears of
    what happens in it but what is said, and that when the block ends; what it has changed is told
    to the others then, as events of that block that their player does not hear. Observers pass all
    these on in player order.
    """

    word: str
    """`phase`, `choose`, `move`, `set`, `roll`, `pick`, `show`, `say`, `swap`, `shuffle`,
    `together_end`, `end`."""
    audience: int
    detail: int
    open: tuple[str, dict[str, object]]
    secret: tuple[str, dict[str, object]]
    block: int | None = None
    maker: int | None = None
    """For `choose`: who decided (is always told)."""


@frozen
class Step:
    """The state after an input and what happened on the way."""

    state: State
    events: tuple[Event, ...]


@frozen
class Verdict:
    """The end of a game.

    `places[p]` is 1 for the best (ties share a place: 1, 1, 1, 4), 0 for those out; without scoring
    winners are at 1 and all others share the next place. `lines[p]` is the breakdown
    people see: (label, value); `totals[p]` its sum, None without one.
    """

    winners: tuple[int, ...]
    returns: tuple[Fraction, ...]
    places: tuple[int, ...]
    lines: tuple[tuple[tuple[str, int], ...], ...]
    totals: tuple[int | None, ...]


class Executor(Protocol):
    """What runs a game."""

    game: Game

    def initial(self) -> Step:
        """The state at the first rest, and what happened in set-up until then."""

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Whose input is wanted: nobody (over), `CHANCE` alone, or players in seat order."""

    def legal(self, state: State, player: int) -> tuple[int, ...]:
        """The action ids that `player` may take now, ascending; () if not asked."""

    def outcomes(self, state: State) -> tuple[Outcome, ...]:
        """The chance outcomes now possible, by ascending id; () if luck is not asked."""

    def apply(self, state: State, given: Input) -> Step:
        """The next rest. Raises `IllegalInput` or `RuleError`; `state` is never changed."""

    def refusal(self, state: State, given: Input) -> Refusal | None:
        """Why `given` would be refused now; None if it would not."""

    def verdict(self, state: State) -> Verdict | None:
        """How the game ended; None while it runs."""

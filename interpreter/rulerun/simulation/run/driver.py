"""A whole run: so many games, or until enough is known, or until somebody interrupts.

Assumes: a task, something that has pieces played, and what a folder holds of the same run.
Does: has what is missing played, keeps each piece as it comes, and adds up pieces in ascending
order, so that the same games decide where to end early however they were shared out.
Leaves behind: an `Outcome`. After an interrupt it holds everything that was played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Protocol, cast

from rulerun.runtime.rng import key_of
from rulerun.simulation.run.ordered import Ordered
from rulerun.simulation.run.pool import Simulating, runner
from rulerun.simulation.run.schedule import Piece, may_end, pieces
from rulerun.simulation.run.seats import Seat, agents_of, watched
from rulerun.simulation.stats.intervals import wilson
from rulerun.simulation.stats.totals import Totals
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

if TYPE_CHECKING:
    from rulerun.runtime.executor import Input
    from rulerun.runtime.state import State
    from rulerun.session.session import Session

FEWEST = 100
"""With fewer games no interval is trusted to be narrow enough."""

Played = Callable[[Iterable[Piece]], Iterator[tuple[Piece, Totals]]]


class Keeper(Protocol):
    """What keeps pieces. See `checkpoint`."""

    def keep(self, piece: Piece, totals: Totals) -> None:
        """Keep a piece that was played."""


@frozen
class Outcome:
    """What a run came to, and why it ended: `games`, `interval` or `interrupted`."""

    totals: Totals
    stopped: str


def simulate(
    game: Game,
    games: int,
    seed: int | str = 0,
    seats: Mapping[int, Seat] | None = None,
    *,
    executor: str = "python",
    jobs: int = 1,
    choices: bool | None = None,
) -> Totals:
    """Play a game `games` times, as `rulerun simulate` does: what they came to.

    `seats` says who plays: the name of an agent (`random`, `first`) or what makes one, again for
    each game; a seat without one is random. With several `jobs`, processes that share the work,
    what makes an agent must be a function or a class of a module. One seed gives one result, with
    any executor and any number of jobs. A rule error ends its game, and is counted; `AgentFault`
    is raised. `choices`: whether to count what was chosen (`Totals.choices`); left out, that of
    those who are not random.
    """
    counted = watched(game, seats or {}, choices)
    task = Simulating(game, executor, tuple((seats or {}).items()), seed, 0, counted, games)
    played, largest = runner(task, executor, games, jobs, cluster=None)
    outcome = run(game, played, games, largest=largest)
    if outcome.stopped == "interrupted":
        raise KeyboardInterrupt
    return outcome.totals


def watch(
    game: Game, number: int, seed: int | str = 0, seats: Mapping[int, Seat] | None = None
) -> Session:
    """Game `number` (from 0) of a simulation once more, in a session that stands at its end.

    Raises the `RuleError` that stopped it.
    """
    from rulerun.reference.executor import Reference
    from rulerun.session.session import Session
    from rulerun.simulation.run.stepping import Stepping

    inputs: list[Input] = []

    def note(state: State, given: Input) -> None:
        inputs.append(given)

    quiet = Reference(game, events=False)
    agents = agents_of(game, seats or {}, "python")
    Stepping(quiet, agents).one(quiet, key_of(seed), number, listener=note)
    session = Session(Reference(game), automatic=False)
    for given in inputs:
        session.give(given)
    return session


def narrow(totals: Totals, until: float) -> bool:
    """Whether every seat's share of wins is known to within `until` to each side."""
    if totals.games < FEWEST or not totals.ended:
        return False
    for player in range(totals.players):
        low, high = wilson(totals.wins(player), totals.ended)
        if high - low >= 2 * until:
            return False
    return True


def run(
    game: Game,
    played: Played,
    wanted: int,
    until: float | None = None,
    *,
    known: Mapping[Piece, Totals] | None = None,
    keeper: Keeper | None = None,
    largest: int = 10_000,
    told: Callable[[int], None] | None = None,
) -> Outcome:
    """Play up to `wanted` games. What is `known` is not played again."""
    sums = _Sums(game, until)
    for piece, totals in (known or {}).items():
        if piece.end <= wanted:
            sums.take(piece, totals)
    if sums.done:
        return Outcome(sums.totals, "interval")
    missing = pieces(wanted, sums.pieces, largest)
    results = cast("closing[Iterator[tuple[Piece, Totals]]]", closing(played(missing)))  # type: ignore[type-var]
    try:
        with results as arriving:
            for piece, totals in arriving:
                if keeper is not None:
                    keeper.keep(piece, totals)
                sums.take(piece, totals)
                if told is not None:
                    told(sums.games)
                if sums.done:
                    return Outcome(sums.totals, "interval")
    except KeyboardInterrupt:
        sums.take_all()
        return Outcome(sums.totals, "interrupted")
    return Outcome(sums.totals, "games")


class _Sums:
    """Pieces in any order, added up in ascending order."""

    def __init__(self, game: Game, until: float | None) -> None:
        self.totals = Totals.of(game)
        self.done = False
        self.games = 0
        """How many are there, those that are not added up yet among them."""
        self.pieces: list[Piece] = []
        self._until = until
        self._ordered = Ordered[Totals]()

    def take(self, piece: Piece, totals: Totals) -> None:
        """Take a piece, and add up what has no gap before it."""
        self.pieces.append(piece)
        self.games += piece.many
        for ready, found in self._ordered.take(piece, totals):
            if self.done:
                return
            self.totals.add(found)
            self.done = (
                self._until is not None and may_end(ready.end) and narrow(self.totals, self._until)
            )

    def take_all(self) -> None:
        """Add up what is there, gap or not."""
        for totals in self._ordered.rest():
            self.totals.add(totals)

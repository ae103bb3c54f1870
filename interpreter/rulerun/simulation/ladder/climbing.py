"""The games of a skill ladder: each rung against the one below, and against the lowest.

Assumes: a checked `Game` for two players or more, names of agents from weak to strong.
Does: in each game one player is of the higher rung, all others are of the lower one; the seat moves
on from game to game. Pairings take turns, so that what was played so far is of all of them alike.
Leaves behind: `Standings`, whole numbers, which add up in any order. A game that did not come to
its end is counted, and measured by nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rulerun.runtime.batch import Batch, Played
from rulerun.runtime.rng import key_of
from rulerun.search.agent_names import SEARCHED
from rulerun.search.iteration_cost import iteration_cost
from rulerun.session.agents import RANDOM
from rulerun.simulation.run.schedule import Piece
from rulerun.simulation.run.seats import agents_of, batch_for
from rulerun.simulation.stats.choice_sums import parts_of
from rulerun.simulation.stats.moments import Moments
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

SEARCHES = (100, 400, 1_600)
"""Iterations of the higher rungs."""
BUDGET = 100_000
"""Plain inputs that a decision of the highest rung costs: of long games all rungs search less."""
LEAST = 8
"""Iterations below which there is no searching."""

Pairing = tuple[int, int]
"""A rung, and a lower one."""


def default_rungs(game: Game) -> tuple[str, ...]:
    """Random, greedy and three searches, each four times as long as the one before."""
    searches = list(SEARCHES)
    while searches[-1] * iteration_cost(game) > BUDGET and searches[0] // 4 >= LEAST:
        searches = [each // 4 for each in searches]
    return (RANDOM, "greedy", *(f"{SEARCHED}:{each}" for each in searches))


def pairings_of(rungs: Sequence[str]) -> tuple[Pairing, ...]:
    """Neighbours, and all against the lowest.

    >>> pairings_of(["random", "greedy", "mcts:100"])
    ((1, 0), (2, 1), (2, 0))
    """
    neighbours = [(rung, rung - 1) for rung in range(1, len(rungs))]
    return (*neighbours, *((rung, 0) for rung in range(2, len(rungs))))


@dataclass(slots=True)
class Match:
    """What the games of one pairing came to."""

    ends: Counter[str] = field(default_factory=Counter)
    """By `Played.end`."""
    won: Moments = field(default_factory=Moments)
    """Of games that came to their end: 1, and the parts of the win that the higher rung had."""
    alike: int = 0
    """Games in which all won, or nobody did."""

    def count(self, played: Played, seat: int, players: int) -> None:
        """Add a game in which the higher rung sat at `seat`."""
        self.ends[played.end] += 1
        if played.end:
            return
        winners = played.winners or (1 << players) - 1
        share = parts_of(players) // winners.bit_count()
        self.won.one(1, share if winners >> seat & 1 else 0)
        self.alike += winners.bit_count() == players

    def add(self, other: Match) -> None:
        """Add what was counted elsewhere."""
        self.ends.update(other.ends)
        self.won.add(other.won)
        self.alike += other.alike


@dataclass(slots=True)
class Standings:
    """What the games of a ladder came to, by pairing."""

    games: int = 0
    matches: dict[Pairing, Match] = field(default_factory=dict)

    def add(self, other: Standings) -> None:
        """Add what was counted elsewhere."""
        self.games += other.games
        for pairing, match in other.matches.items():
            self.matches.setdefault(pairing, Match()).add(match)


@frozen
class Climbing:
    """The task of `ladder`: pieces to standings. Game `i` is of pairing `i` modulo their number."""

    game: Game
    executor: str
    rungs: tuple[str, ...]
    seed: int | str

    @property
    def thinking(self) -> bool:
        """Whether a game takes long."""
        return True

    @property
    def stepped(self) -> bool:
        """Whether somebody decides."""
        return True

    def begin(self) -> Callable[[Piece], Standings]:
        """Make ready to play."""
        game, key = self.game, key_of(self.seed)
        pairings, people = pairings_of(self.rungs), self.game.people
        batches: dict[tuple[Pairing, int], Batch] = {}

        def batch(pairing: Pairing, seat: int) -> Batch:
            known = (pairing, seat)
            if known not in batches:
                high, low = (self.rungs[rung] for rung in pairing)
                seats = {at: high if at == seat else low for at in range(people)}
                agents = agents_of(game, seats, self.executor)
                batches[known] = batch_for(game, self.executor, agents)
            return batches[known]

        def play(piece: Piece) -> Standings:
            found = Standings(piece.many)
            for number in range(piece.first, piece.end):
                turn, which = divmod(number, len(pairings))
                pairing, seat = pairings[which], turn % people
                (played,) = batch(pairing, seat).play(key, turn, 1)
                match = found.matches.setdefault(pairing, Match())
                match.count(played, seat, len(game.players))
            return found

        return play

"""How large a game is, before it is solved.

Assumes: plays, what tells positions apart, what a position hides.
Does: plays games at random. How many ways lead on at each step gives the number of histories (Knuth
1975). How often two of these games meet in the same position after as many steps gives the number
of positions: of N that are as likely, m games find m (m - 1) / 2 N pairs. Where none meet there are
at least about as many as would make one pair likely. Some positions are likelier than others, so
there are rather more. Few games are enough where none meet, and histories are so many that, even if
it did not matter in which order each player did what they did, there would be far too many
positions.
Leaves behind an `Estimate`, and whether anything was hidden on the way. The games are the same each
time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import factorial
from typing import Any

from rulerun.executors.stepper import TERMINAL
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE
from rulerun.runtime.rng import Quick, key_of
from rulerun.search.plays import Plays
from rulerun.search.utility import unpacked
from rulerun.solving.graph import WRONG
from rulerun.solving.hiding import Hiding
from rulerun.solving.positions import Positions
from rulerun.solving.refusals import Unsolvable
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

ROUNDS = ((100, 12), (1_500, 14), (2_000, 60), (2_000, 1_000))
"""Games that are played, and how many steps of each: more only while few positions were found."""
CLEARLY = 100
"""So many times what is allowed is too much, however few games were played."""
INPUTS = 150_000
"""Steps that are taken at most."""
_ENOUGH = 5
"""Pairs that tell something."""
LOOKED = 20
"""Games in which it is looked whether something is hidden."""


@frozen
class Estimate:
    """How large a game seems to be."""

    positions: float
    histories: float
    hidden: bool
    games: int
    steps: int
    """So many of each game were played."""
    whole: bool
    """Whether the games came to their ends."""
    sure: bool = True
    """Whether enough games met wherever there are many histories."""
    apart: float = 0.0
    """Positions after the last steps, if only the order of what each player does makes no
    difference; 0 if two games met there."""


def estimate(game: Game, plays: Plays, positions: Positions, hiding: Hiding, most: int) -> Estimate:
    """Play games at random until there seem to be more than `most` positions, or enough played.

    Raises `Unsolvable` where the rules go wrong.
    """
    start = plays.at(Reference(game, events=False).initial().state)
    found = Estimate(0, 0, False, 0, 0, False)
    for games, steps in ROUNDS:
        try:
            found = _Probes(plays, positions, hiding).run(start, games, steps)
        except WRONG as failure:
            raise Unsolvable(f"the rules of {game.name} go wrong: {failure}") from None
        large = found.histories if found.hidden else found.positions
        if large > most or (found.whole and (found.sure or found.hidden)):
            break
        if found.apart > CLEARLY * most:
            return replace(found, positions=found.apart)
    return found


class _Probes:
    def __init__(self, plays: Plays, positions: Positions, hiding: Hiding) -> None:
        self.plays, self.positions, self.hiding = plays, positions, hiding
        self.players = len(hiding.game.players)
        self.met: list[Counter[bytes]] = []
        self.ways: list[float] = []
        self.hidden = False

    def run(self, start: Any, games: int, steps: int) -> Estimate:
        left, played, whole = INPUTS, 0, True
        for number in range(games):
            luck = Quick(key_of("estimate"), number, 0)
            ended, used = self._play(start.clone(), luck, steps, number < LOOKED)
            whole = whole and ended
            played += 1
            left -= used
            if left <= 0:
                break
        positions = apart = 0.0
        sure = True
        players = self.players
        for step, (met, ways) in enumerate(zip(self.met, self.ways, strict=True)):
            many = met.total()
            if not many:
                continue  # a step in which every game is inside a `together` says nothing
            pairs = sum(each * (each - 1) for each in met.values()) / 2
            if pairs < _ENOUGH and ways / played > many * many / 2:
                sure = False
            positions += min(ways / played, max(len(met), many * (many - 1) / 2 / max(pairs, 1)))
            if pairs:
                apart = 0.0
            else:
                apart = ways / played / factorial(step // players) ** players
        histories = sum(self.ways) / played
        return Estimate(positions, histories, self.hidden, played, steps, whole, sure, apart)

    def _play(self, play: Any, luck: Quick, steps: int, looked: bool) -> tuple[bool, int]:
        """Play one game; whether it came to its end, and the steps it took."""
        plays, many = self.plays, 1.0
        inside = False
        for step in range(steps):
            who = play.who()
            if who == TERMINAL:
                return True, step
            if step == len(self.met):
                self.met.append(Counter())
                self.ways.append(0.0)
            self.ways[step] += many
            cells = plays.cells(play)
            together = who != CHANCE and plays.parts(play) > 0
            if not (together and inside):
                self.met[step][self.positions.key(cells)] += 1
                if looked and who != CHANCE and not self.hidden:
                    state = unpacked(cells, self.positions.layout.size)
                    self.hidden = self.hiding.from_whom(state) is not None
            inside = together and not inside
            choices = play.legal()
            many *= len(choices)
            play.apply(choices[luck.below(len(choices))])
        return play.who() == TERMINAL, steps

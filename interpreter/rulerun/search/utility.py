"""What the end of a game is worth to each player.

Assumes: the verdict on a game, or what machine code says of it.
Does: takes the declared `returns` where there are some; else a share of the win, and a small part
for the margin of points, so that a lost game is not thrown away and a won one is won clearly.
Leaves behind: a number for each player; the more, the better. They are compared within one search.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from rulerun.compiled.lower.scoring import counts_returns
from rulerun.runtime.executor import Verdict
from rulerun.runtime.state import State
from rulerun_dsl.model import Game, valuetypes
from rulerun_dsl.model.game import ScoreLine

MARGIN = 0.1
"""What the largest margin of points seen so far is worth, where a win is worth 1."""


SHORT = 16
"""Bits of a slot where all of them fit."""


def packed(slots: Sequence[int]) -> bytes:
    """Slots as bytes: of 16 bits each if all fit, else of 64."""
    try:
        return array("h", slots).tobytes()
    except OverflowError:
        return array("q", slots).tobytes()


def unpacked(cells: bytes, size: int) -> State:
    """The state of so many slots that was packed."""
    return State(tuple(memoryview(cells).cast("h" if len(cells) == 2 * size else "q")))


def shares(won: Sequence[object]) -> list[Fraction | int]:
    """What a game is worth to each player, by who has won: 1, shared by the winners or by all."""
    winners = sum(map(bool, won))
    if winners == 1:
        return [1 if each else 0 for each in won]
    if winners:
        return [Fraction(1, winners) if each else 0 for each in won]
    return [Fraction(1, len(won))] * len(won)


def lined(game: Game) -> Game | None:
    """The game with its returns as its only line of the score, which is compiled.

    None if it has none, or they may be fractions, which are not.
    """
    scoring = game.scoring
    if scoring.returns is None or isinstance(scoring.returns.type, valuetypes.Fraction):
        return None
    if not counts_returns(game):
        return None
    line = ScoreLine("returns", scoring.returns)
    alone = replace(
        scoring, lines=(line,), best="highest", ties=(), out=None, winner=None, returns=None
    )
    return replace(game, scoring=alone)


class Utility:
    """The worth of ends of one game. It remembers the largest margin."""

    def __init__(self, game: Game) -> None:
        """Read which way points count."""
        scoring = game.scoring
        self.players = len(game.players)
        self.returns = scoring.returns is not None
        best = scoring.best or ("highest" if scoring.lines else None)
        self._sign = {"highest": 1, "lowest": -1, None: 0}[best]
        self._largest = 1.0

    def of_verdict(self, verdict: Verdict | None, lined: bool = False) -> list[float]:
        """By player; a game that did not come to its end is a win for nobody.

        `lined`: the verdict is that on the game that `lined` makes.
        """
        if verdict is None:
            return [0.0 if self.returns else 1 / self.players] * self.players
        if self.returns and not lined:
            return [float(each) for each in verdict.returns]
        won = [player in verdict.winners for player in range(self.players)]
        return self.of_ends(won, [total or 0 for total in verdict.totals])

    def of_ends(self, won: Sequence[object], totals: Sequence[int]) -> list[float]:
        """By who has won, and points (where there are returns, those)."""
        if self.returns:
            return [float(each) for each in totals]
        winners = sum(map(bool, won))
        share = 1 / winners if winners else 0.0
        found = (
            [share if each else 0.0 for each in won] if winners else [1 / self.players] * len(won)
        )
        if not self._sign or self.players < 2:
            return found
        margins = self.ahead(totals)
        self._largest = max(self._largest, *map(abs, margins))
        return [
            share + MARGIN * ahead / self._largest
            for share, ahead in zip(found, margins, strict=True)
        ]

    def ahead(self, totals: Sequence[int]) -> list[float]:
        """By how many points each is ahead of the best of the others."""
        found = []
        for player, total in enumerate(totals):
            others = [self._sign * other for at, other in enumerate(totals) if at != player]
            found.append(float(self._sign * total - max(others, default=0)))
        return found

"""What ends are worth to players, as machine code judges them.

Assumes: a checked `Game`; rows of verdicts.
Does: reads the declared returns in them; else reckons what the winners share.
Leaves behind: numbers, the same that a `Verdict` has as exact fractions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Verdict
from rulerun.runtime.state import State
from rulerun.search.utility import SHARES, has_fractions, lined
from rulerun_dsl.model import Game


class Returns:
    """What ends are worth, of the rows that machine code judges them by."""

    def __init__(self, game: Game) -> None:
        """See how the game says it."""
        self._declared = game.scoring.returns is not None
        self.lined = lined(game)
        """The game that is compiled: its only line of the score are the returns."""
        self._unit = SHARES if has_fractions(game) else 1
        self._exact = Reference(game, events=False) if self._declared and not self.lined else None

    def of(self, ends: NDArray[np.int64], slots: NDArray[np.signedinteger]) -> NDArray[np.float64]:
        """(ends, players), of rows (ends, players, place and win and lines) and states."""
        if self._exact is not None:
            verdicts = (self._exact.verdict(State(tuple(row))) for row in slots.tolist())
            return np.array([returns_of(each) for each in verdicts])
        if self._declared:
            return ends[:, :, 2] / self._unit
        # As the reference has it: winners share 1, the others -1; all or none is 0.
        won = ends[:, :, 1] != 0
        winners = won.sum(axis=1, keepdims=True)
        losers = won.shape[1] - winners
        found = np.where(won, 1 / np.maximum(winners, 1), -1 / np.maximum(losers, 1))
        return np.where((winners == 0) | (losers == 0), 0.0, found)


def returns_of(verdict: Verdict | None) -> list[float]:
    """What the end of a game is worth, by player."""
    assert verdict is not None
    return [float(each) for each in verdict.returns]

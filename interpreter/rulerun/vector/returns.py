"""What ends are worth to players, as machine code judges them.

Assumes: a checked `Game`.
Does: says how the returns are read from what machine code judged, and works out those that it
cannot judge.
Leaves behind: numbers, the same that a `Verdict` has as exact fractions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Verdict
from rulerun.runtime.state import State
from rulerun.search.utility import SHARES, has_fractions, lined
from rulerun.vector.encoding import Numbers
from rulerun_dsl.model import Game

SHARED, WORKED_OUT = 0, -1
"""In place of a unit: winners share 1 and the others -1; or only the reference knows."""


class Returns:
    """What ends are worth."""

    def __init__(self, game: Game) -> None:
        """See how the game says it."""
        self.lined = lined(game)
        """The game that is compiled: its only line of the score are the returns."""
        self.unit = SHARED
        """What a return of 1 is in that line."""
        if self.lined:
            self.unit = SHARES if has_fractions(game) else 1
        elif game.scoring.returns is not None:
            self.unit = WORKED_OUT
        self._exact = Reference(game, events=False) if self.unit == WORKED_OUT else None

    def of(self, slots: Numbers) -> NDArray[np.float64]:
        """(ends, players), of states, by the reference."""
        assert self._exact is not None
        verdicts = (self._exact.verdict(State(tuple(row))) for row in slots.tolist())
        return np.array([returns_of(each) for each in verdicts])


def returns_of(verdict: Verdict | None) -> list[float]:
    """What the end of a game is worth, by player."""
    assert verdict is not None
    return [float(each) for each in verdict.returns]

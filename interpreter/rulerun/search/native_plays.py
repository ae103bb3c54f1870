"""Plays that a search goes along, in machine code.

Assumes: what machine code needs is installed, and can run the game.
Does: as `plays` says. To the end of a game it goes in one call.
Leaves behind: plays of the builtin type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from rulerun.compiled.native.standing import Standing
from rulerun.executors.stepper import TERMINAL, Stepper
from rulerun.reference.executor import Reference
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.search.utility import SHORT, Utility, lined, packed, shares
from rulerun_dsl.model import Game

_ENDINGS = 10_000
"""Kinds of ends whose worth is remembered."""


class NativePlays:
    """Plays in machine code."""

    def __init__(self, game: Game) -> None:
        """Compile the game. Raises `Unsupported`, `Missing` and `Bailout`."""
        made = lined(game)
        self._fractions = made is None and game.scoring.returns is not None
        self._standing = Standing(made or game)
        self._returns = game.scoring.returns is not None
        self._players = range(len(game.players))
        self._width = self._standing.width
        self._reference = Reference(game, events=False)
        self.is_together = self._standing.is_together
        self.cells: Callable[[Any], bytes] = self._standing.cells
        if self._standing.bits != SHORT:
            self.cells = lambda play: packed(play.slots())
        self._endings: dict[tuple[int, ...], Sequence[Fraction | int]] = {}

    def at(self, state: State) -> Stepper:
        """A play that stands at a state."""
        play: Stepper = self._standing.at(state.slots)
        return play

    def ending(self, play: Any) -> Sequence[Fraction | int]:
        """What the end is worth by the rules."""
        if self._fractions:
            verdict = self._reference.verdict(State(play.slots()))
            assert verdict is not None
            return verdict.returns
        row = play.judged()
        found = self._endings.get(row)
        if found is None:
            width = self._width
            if self._returns:
                found = [sum(row[at + 2 : at + width]) for at in range(0, len(row), width)]
            else:
                found = shares([row[at + 1] for at in range(0, len(row), width)])
            if len(self._endings) < _ENDINGS:
                self._endings[row] = found
        return found

    def finish(self, play: Any, luck: Stream, utility: Utility) -> list[float] | None:
        """Play on to the end at random."""
        key = luck.word() >> 1
        if play.who() == TERMINAL:
            return self.worth(play, utility)
        row = self._standing.finish(play, key)
        if row is None:
            return None
        if self._fractions:
            return utility.of_verdict(self._reference.verdict(State(self._standing.last())))
        return self._of_row(row, utility)

    def _of_row(self, row: Any, utility: Utility) -> list[float]:
        width = self._width
        won = [row[player * width + 1] for player in self._players]
        totals = [sum(row[player * width + 2 : (player + 1) * width]) for player in self._players]
        return utility.of_ends(won, totals)

    def worth(self, play: Any, utility: Utility) -> list[float]:
        """What the end is worth."""
        if self._fractions:
            return utility.of_verdict(self._reference.verdict(State(play.slots())))
        return self._of_row(play.judged(), utility)

    def points(self, play: Any, utility: Utility) -> list[float]:
        """By how many points each is ahead."""
        row = play.judged()
        width = self._width
        return utility.ahead(
            [sum(row[player * width + 2 : (player + 1) * width]) for player in self._players]
        )

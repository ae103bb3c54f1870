"""Plays that a search goes along, in machine code; the search of a tree is machine code as well.

Assumes: what machine code needs is installed, and can run the game.
Does: as `plays` says.
Leaves behind: plays of the builtin type; trees that find what `tree_search` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.lower.spreading import spread
from rulerun.compiled.native.standing import Grown, Standing
from rulerun.compiled.native.tree_layout import Worth
from rulerun.executors.stepper import Stepper
from rulerun.reference.executor import Reference
from rulerun.reference.sight_sum import sight_sum
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.search import tree_search
from rulerun.search.shared_sight import is_shared
from rulerun.search.utility import (
    MARGIN,
    SHORT,
    WIN,
    Ends,
    Utility,
    has_fractions,
    lined,
    packed,
    shares,
)
from rulerun.views.undo import hides
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import WORD

_ENDINGS = 10_000
"""Kinds of ends whose worth is remembered."""


class NativePlays:
    """Plays in machine code."""

    def __init__(self, game: Game, known: str = "") -> None:
        """Compile the game. Raises `Unsupported`, `Missing` and `Bailout`.

        `known`: what names the game in the cache.
        """
        made, utility = lined(game), Utility(game)
        if made is None and utility.returns:
            raise Unsupported("returns that only the reference works out")
        self._sums = sight_sum(made or game) if hides(game) else None
        if self._sums is not None and spread(game).wide:
            raise Unsupported(f"what is hidden beside sets of more than {WORD} members")
        self._standing = Standing(
            made or game,
            Worth(
                returns=utility.returns,
                unit=utility.unit,
                sign=utility.sign,
                win=WIN,
                margin=MARGIN,
                scale=tree_search.SCALE,
                exploring=tree_search.EXPLORING,
                seats=tree_search.SEATS,
                together=tree_search.TOGETHER,
                cut=utility.cut,
                sight=self._sums,
            ),
            known,
        )
        self._players = range(len(game.players))
        self.parts = self._standing.parts
        self.cells: Callable[[Any], bytes] = self._standing.cells
        if self._standing.bits != SHORT:
            self.cells = lambda play: packed(self._standing.slots(play))
        self._returns = utility.returns
        self._exact = Reference(game, events=False) if has_fractions(game) else None
        self._endings: dict[tuple[int, ...], Sequence[Fraction | int]] = {}

    def at(self, state: State) -> Stepper:
        """A play that stands at a state."""
        play: Stepper = self._standing.at(state.slots)
        return play

    def ending(self, play: Any) -> Sequence[Fraction | int]:
        """What the end is worth by the rules."""
        if self._exact is not None:
            verdict = self._exact.verdict(State(self._standing.slots(play)))
            assert verdict is not None
            return verdict.returns
        row: tuple[int, ...] = play.judged()
        found = self._endings.get(row)
        if found is None:
            width = self._standing.width
            if self._returns:
                found = self._totals(row)
            else:
                found = shares([row[at + 1] for at in range(0, len(row), width)])
            if len(self._endings) < _ENDINGS:
                self._endings[row] = found
        return found

    def worth(self, play: Any, utility: Utility) -> Ends:
        """What the end is worth."""
        row, width = play.judged(), self._standing.width
        won = [row[player * width + 1] for player in self._players]
        return utility.of_ends(won, self._totals(row))

    def points(self, play: Any, utility: Utility) -> list[int]:
        """By how many points each is ahead."""
        return utility.ahead(self._totals(play.judged()))

    def _totals(self, row: Sequence[int]) -> list[int]:
        width = self._standing.width
        return [sum(row[player * width + 2 : (player + 1) * width]) for player in self._players]

    def searched(
        self,
        worlds: Sequence[Any],
        iterations: int,
        luck: Stream,
        utility: Utility,
        viewer: int,
    ) -> _Grown:
        """A tree grown from worlds."""
        sums, shared = self._sums, False
        if sums is not None:
            slots = [world.slots() for world in worlds]
            shared = is_shared(sums, slots, viewer, len(self._players))
        key = luck.word() >> 1
        grown = self._standing.tree(worlds, iterations, key, viewer if shared else -1)
        return _Grown(grown, utility)


class _Grown:
    """A tree that machine code has grown."""

    def __init__(self, grown: Grown, utility: Utility) -> None:
        self._grown = grown
        self._utility = utility

    def child(self, node: int | None, player: int, action: int) -> int | None:
        """The node behind what a player does at another (None: the root); None: there is none."""
        return self._grown.child(action, player, node)

    def tried(self, node: int | None, player: int, action: int) -> int:
        """How often that was tried."""
        found = self._grown.found(action, player, node)
        return found[0] if found else 0

    def choices(self, viewer: int, legal: Sequence[int]) -> list[tree_search.Choice]:
        """What was found, the best first."""
        grown = self._grown
        ends = grown.low, grown.high
        return tree_search.best_first(
            [
                tree_search.choice(
                    each, tree_search.Tally(*grown.found(each, viewer)), self._utility, *ends
                )
                for each in legal
            ]
        )

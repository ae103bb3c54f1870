"""Players that think, as agents.

Assumes: a checked `Game`, and what an agent is handed for a decision (`Vantage`, luck of its own).
Does: searches worlds that look the same to the player, and takes the best that is found.
Leaves behind: a legal action. What has one legal action costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulerun.executors.stepper import TERMINAL
from rulerun.runtime.executor import CHANCE, IllegalInput, RuleError
from rulerun.runtime.rng import Stream
from rulerun.search.plays import Plays, plays_for
from rulerun.search.tree import Choice, Tree, standing
from rulerun.search.utility import Utility
from rulerun.views.observation import Observation
from rulerun.views.vantage import Vantage
from rulerun_dsl.model import Game

WORLDS = 64
"""The most worlds that one decision looks at."""
GREEDY_WORLDS = 8
"""Worlds in which a greedy player tries each action."""
WIN = 1_000_000
"""What a win is worth to a greedy player, in points."""
MOST_IN_TURN = 200
"""Inputs after which a greedy player looks no further."""


class _Thinking:
    """What all that think have in common."""

    blind = False

    def __init__(self, game: Game, executor: str = "python") -> None:
        """Search with plays of an executor."""
        self.game = game
        self.executor = executor

    @property
    def plays(self) -> Plays:
        """Where plays come from, made when first needed."""
        return plays_for(self.game, self.executor)

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """Without a vantage there is nothing to think about: any action."""
        return legal[luck.below(len(legal))]


class GreedyAgent(_Thinking):
    """Takes what gives the most points at the end of its turn, over a few worlds."""

    def think(self, vantage: Vantage, luck: Stream) -> int:
        """Try each action once in each world."""
        legal = vantage.legal
        if len(legal) == 1:
            return legal[0]
        plays = self.plays
        worlds = standing(plays, vantage.worlds(luck), GREEDY_WORLDS)
        utility = Utility(self.game)
        best: list[int] = []
        most = float("-inf")
        for action in legal:
            worth = 0.0
            for world in worlds:
                worth += _turn(plays, world.clone(), action, vantage.viewer, luck, utility)
            if worth > most:
                best, most = [action], worth
            elif worth == most:
                best.append(action)
        return best[luck.below(len(best))]


class TreeAgent(_Thinking):
    """Takes what a tree search has tried most (`tree`)."""

    def __init__(self, game: Game, iterations: int, executor: str = "python") -> None:
        """Search so many iterations for each decision."""
        super().__init__(game, executor)
        self.iterations = iterations

    def think(self, vantage: Vantage, luck: Stream) -> int:
        """Search, and take the best."""
        if len(vantage.legal) == 1:
            return vantage.legal[0]
        return self.choices(vantage, luck)[0].action

    def choices(self, vantage: Vantage, luck: Stream) -> Sequence[Choice]:
        """What a search finds of each legal action, the best first."""
        most = min(WORLDS, max(1, self.iterations // 4))
        plays = self.plays
        worlds = standing(plays, vantage.worlds(luck), most)
        tree = Tree(plays, luck, Utility(self.game))
        if worlds:
            tree.grow(worlds, self.iterations)
        return tree.choices(vantage.viewer, vantage.legal)


def _turn(
    plays: Plays, play: Any, action: int, viewer: int, luck: Stream, utility: Utility
) -> float:
    """What the player has, after an action and what else they do in their turn."""
    taken = False
    try:
        for _ in range(MOST_IN_TURN):
            who = play.who()
            if who == TERMINAL:
                return WIN * plays.worth(play, utility)[viewer]
            choices = play.legal()
            if who == CHANCE:
                play.apply(choices[luck.weighted(play.weights())])
            elif who == viewer and not taken:
                play.apply(action)
                taken = True
            elif who == viewer or not taken or plays.is_together(play):
                # What else there is to one's turn, and others who decide at the same time.
                play.apply(choices[luck.below(len(choices))])
            else:
                break
        return plays.points(play, utility)[viewer]
    except (IllegalInput, RuleError, RuntimeError):
        return 0.0

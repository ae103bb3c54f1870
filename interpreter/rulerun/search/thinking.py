"""Players that think, as agents.

Assumes: a checked `Game`, and what an agent is handed for a decision (`Vantage`, luck of its own).
Does: searches worlds that look the same to the player, and takes the best that is found.
Leaves behind: a legal action. What has one legal action costs nothing.

What searches is imported when somebody thinks, since agents are made before that.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from rulerun.runtime.executor import CHANCE, IllegalInput, RuleError
from rulerun.runtime.rng import Stream
from rulerun.views.undo import hides
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

if TYPE_CHECKING:
    from rulerun.search.plays import Plays, Searched
    from rulerun.search.tree_search import Choice
    from rulerun.search.utility import Utility
    from rulerun.views.observation import Observation
    from rulerun.views.vantage import Vantage

WORLDS = 64
"""The most worlds that one decision looks at."""
FEW = 32
"""As many it looks at if each is searched four times."""
ITERATIONS = 32
"""More of them only if each is searched so often: dealing one costs as much as some iterations."""
POOL = 32
"""The most worlds that one decision looks at if they are proved."""
POOL_EFFORT = 1_000
"""Replays that finding them may take."""
GREEDY_WORLDS = 8
"""Worlds in which a greedy player tries each action."""
OVER = 1_000
"""How much more an end counts to a greedy player than points do."""
MOST_IN_TURN = 200
"""Inputs after which a greedy player looks no further."""


class GreedyAgent:
    """Takes what gives the most points at the end of its turn, over a few worlds."""

    blind = False

    def __init__(self, game: Game, executor: str = "python", known: str = "") -> None:
        """Look ahead with plays of an executor. `known`: what names the game in the cache."""
        self.game = game
        self.executor = executor
        self.known = known

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """Without worlds there is nothing to look at: any action."""
        return legal[luck.below(len(legal))]

    def think(self, vantage: Vantage, luck: Stream) -> int:
        """Try each action once in each world."""
        legal = vantage.legal
        if len(legal) == 1:
            return legal[0]
        from rulerun.search.plays import plays_for
        from rulerun.search.utility import Utility

        plays = plays_for(self.game, self.executor, known=self.known)
        worlds = _standing(plays, vantage, luck, GREEDY_WORLDS)
        utility = Utility(self.game)
        best: list[int] = []
        most: int | None = None
        for action in legal:
            worth = 0
            for world in worlds:
                worth += _turn(plays, world.clone(), action, vantage.viewer, luck, utility)
            if most is None or worth > most:
                best, most = [action], worth
            elif worth == most:
                best.append(action)
        return best[luck.below(len(best))]


@frozen
class Search:
    """A search of one decision, done."""

    plays: Plays
    worlds: Sequence[Any]
    tree: Searched


class TreeAgent:
    """Takes what a tree search has tried most (`tree_search`)."""

    blind = False

    def __init__(
        self,
        game: Game,
        iterations: int,
        executor: str = "python",
        proved: bool = False,
        known: str = "",
    ) -> None:
        """Search so many iterations for each decision, with plays of an executor.

        `proved`: in worlds that the player's history allows, as far as they are found.
        `known`: what names the game in the cache.
        """
        self.game = game
        self.iterations = iterations
        self.hides = hides(game)
        self.proved = proved and self.hides
        self.executor = executor
        self.known = known

    def prepare(self) -> None:
        """Begin to make the plays."""
        from rulerun.search.plays import prepare

        prepare(self.game, self.executor, self.known)

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """Without worlds there is nothing to search: any action."""
        return legal[luck.below(len(legal))]

    def think(self, vantage: Vantage, luck: Stream) -> int:
        """Search, and take the best."""
        if len(vantage.legal) == 1:
            return vantage.legal[0]
        return self.choices(vantage, luck)[0].action

    def choices(self, vantage: Vantage, luck: Stream) -> Sequence[Choice]:
        """What a search finds of each legal action, the best first."""
        found = self.search(vantage, luck)
        if found is None:
            from rulerun.search.tree_search import Choice

            return [Choice(action, 0, 0.0) for action in vantage.legal]
        return found.tree.choices(vantage.viewer, vantage.legal)

    def search(self, vantage: Vantage, luck: Stream) -> Search | None:
        """Search a decision; None where no world that looks like it was found."""
        from rulerun.search.plays import plays_for
        from rulerun.search.utility import Utility

        few = min(FEW, max(1, self.iterations // 4))
        # Where nothing is hidden there is one world.
        most = min(WORLDS, max(few, self.iterations // ITERATIONS)) if self.hides else 1
        plays = plays_for(self.game, self.executor, self.iterations, self.known)
        worlds: list[Any] = []
        if self.proved:
            from rulerun.posterior.worlds import pool

            many = min(most, POOL)
            runs = "python" if self.executor == "auto" else self.executor
            states = pool(vantage, luck, many, POOL_EFFORT, runs)
            worlds = [plays.at(state) for state in states]
        worlds = worlds or _standing(plays, vantage, luck, most)
        if not worlds:
            return None
        utility = Utility(self.game)
        tree = plays.searched(worlds, self.iterations, luck, utility, vantage.viewer)
        return Search(plays, worlds, tree)


def _standing(plays: Plays, vantage: Vantage, luck: Stream, most: int) -> list[Any]:
    """Plays that stand at so many worlds."""
    return [plays.at(world) for world in islice(vantage.worlds(luck), most)]


def _turn(plays: Plays, play: Any, action: int, viewer: int, luck: Stream, utility: Utility) -> int:
    """What the player has, after an action and what else they do in their turn."""
    from rulerun.executors.stepper import TERMINAL

    taken = False
    try:
        for _ in range(MOST_IN_TURN):
            who = play.who()
            if who == TERMINAL:
                return OVER * plays.worth(play, utility).worth[viewer]
            choices = play.legal()
            if who == CHANCE:
                play.apply(choices[luck.weighted(play.weights())])
            elif who == viewer and not taken:
                play.apply(action)
                taken = True
            elif who == viewer or not taken or plays.parts(play):
                # What else there is to one's turn, and others who decide at the same time.
                play.apply(choices[luck.below(len(choices))])
            else:
                break
        return plays.points(play, utility)[viewer]
    except (IllegalInput, RuleError, RuntimeError):
        return 0

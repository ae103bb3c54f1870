"""Advice: what a player who thinks would do in somebody's place, and why.

Assumes: a session in which a player is asked.
Does: searches as long as the opponent does whom nobody chose, from what that player sees and with
luck of its own, so that neither the true state nor the luck of the game is touched.
Leaves behind: the actions, the best first, how well each came out, and how play is expected to go
on behind the best. That is told only of games that hide nothing from anybody, and no further than
to the next luck: elsewhere it would be of one world, and the true one may be another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rulerun.executors.make import AUTO
from rulerun.executors.stepper import TERMINAL
from rulerun.runtime.executor import CHANCE
from rulerun.runtime.rng import stream
from rulerun.search.agent_names import maker, named, opponent
from rulerun.search.thinking import Search, TreeAgent
from rulerun.search.tree_search import Choice
from rulerun.search.utility import Utility
from rulerun.session.session import Session
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

LONGEST_LINE = 3
"""Steps that are told beyond the action itself."""
ENOUGH = 20
"""So often a step was tried that is expected."""
CLEAR = 2
"""So many times as often as the next best."""


@frozen
class Advice:
    """What was found."""

    choices: Sequence[Choice]
    """The best first. Of the only action there is nothing to find."""
    seeks: Literal["wins", "returns", "points"]
    """What counts: to win; what the rules declare as returns; points, for who plays alone."""
    scored: bool
    """Whether points say how far ahead of the others one is."""
    line: Sequence[tuple[int, int]] = ()
    """Who is expected to do what behind the best action: players and actions."""


def advised(session: Session, player: int) -> Advice:
    """What a player who is asked would do who thinks."""
    game = session.game
    agent = maker(game, named(game, opponent()), AUTO)()
    assert isinstance(agent, TreeAgent)
    vantage = session.vantage(player)
    if len(vantage.legal) == 1:
        return _advice(game, [Choice(vantage.legal[0], 0, 0.0)])
    found = agent.search(vantage, stream("advice", player, len(session.log(player))))
    if found is None:
        return _advice(game, [Choice(action, 0, 0.0) for action in vantage.legal])
    choices = found.tree.choices(player, vantage.legal)
    line: list[tuple[int, int]] = []
    if not agent.hides and not found.plays.parts(found.worlds[0]):
        line = _expected(found, player, choices[0].action)
    return _advice(game, choices, line)


def _advice(game: Game, choices: Sequence[Choice], line: Sequence[tuple[int, int]] = ()) -> Advice:
    utility = Utility(game)
    alone = utility.players == 1
    seeks: Literal["wins", "returns", "points"] = "wins"
    if utility.returns:
        seeks = "returns"
    elif alone and utility.sign:
        seeks = "points"
    return Advice(choices, seeks, bool(utility.sign) and not alone, line)


def _expected(found: Search, player: int, action: int) -> list[tuple[int, int]]:
    """What is expected behind an action, as far as the search has clearly preferred it."""
    steps: list[tuple[int, int]] = []
    plays, tree, play = found.plays, found.tree, found.worlds[0].clone()
    node = tree.child(None, player, action)
    play.apply(action)
    while node is not None and len(steps) < LONGEST_LINE:
        who = play.who()
        if who in (TERMINAL, CHANCE) or plays.parts(play):
            break
        legal = play.legal()
        taken = legal[0]
        if len(legal) > 1:
            tried = sorted((-tree.tried(node, who, each), each) for each in legal)
            (most, taken), (next_, _) = tried[0], tried[1]
            if -most < ENOUGH or most > CLEAR * next_:
                break
            node = tree.child(node, who, taken)
        steps.append((who, taken))
        play.apply(taken)
    return steps

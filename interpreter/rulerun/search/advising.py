"""Advice: what a player who thinks would do in somebody's place.

Assumes: a session in which a player is asked.
Does: searches as long as the opponent does whom nobody chose, from what that player sees and with
luck of its own, so that neither the true state nor the luck of the game is touched.
Leaves behind: the actions, the best first, and how well each came out.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.runtime.rng import stream
from rulerun.search.agent_names import maker, named, opponent
from rulerun.search.plays import AUTO
from rulerun.search.thinking import TreeAgent
from rulerun.search.tree_search import Choice
from rulerun.session.session import Session


def advised(session: Session, player: int) -> Sequence[Choice]:
    """What was found of each action; of the only one there is nothing to find."""
    agent = maker(session.game, named(session.game, opponent()), AUTO)()
    assert isinstance(agent, TreeAgent)
    vantage = session.vantage(player)
    if len(vantage.legal) == 1:
        return [Choice(vantage.legal[0], 0, 0.0)]
    return agent.choices(vantage, stream("advice", player, len(session.log(player))))

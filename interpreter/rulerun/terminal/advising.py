"""Advice to a person: what a player who thinks would do in their place.

Assumes a session in which a person is asked, and the menu of what they may do.
Does: searches as long as the opponent does whom nobody chose, from what that person sees and with
luck of its own, so that neither the true state nor the luck of the game is touched.
Leaves behind lines: the best actions, and how well each came out.
"""

from __future__ import annotations

from rulerun.runtime.rng import stream
from rulerun.search.agent_names import maker, named, opponent
from rulerun.search.plays import AUTO
from rulerun.search.thinking import TreeAgent
from rulerun.session.session import Session
from rulerun.terminal.menu import Menu

SHOWN = 3
"""Actions that are named."""


def advice(session: Session, player: int, menu: Menu) -> list[str]:
    """The lines that tell a player what to do."""
    agent = maker(session.game, named(session.game, opponent()), AUTO)()
    assert isinstance(agent, TreeAgent)
    if len(menu.entries) == 1:
        return ["There is nothing else you could do."]
    luck = stream("advice", player, len(session.log(player)))
    found = agent.choices(session.vantage(player), luck)
    texts = {entry.action.id: entry.text for entry in menu.entries}
    tried = sum(choice.tried for choice in found)
    if not tried:
        return ["There is nothing to say: no world that looks like yours was found."]
    lines = [f"By {tried:,} games that begin as it looks to you, played on:"]
    for choice in found[:SHOWN]:
        if choice.tried:
            lines.append(
                f"  {texts[choice.action]}: {choice.worth:.0%}, tried {choice.tried:,} times"
            )
    lines.append("0% is the worst end that was seen, 100% the best.")
    return lines

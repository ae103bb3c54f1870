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
from rulerun.terminal.formatting import wrap
from rulerun.terminal.menu import Menu
from rulerun.words.language import Language

SHOWN = 3
"""Actions that are named."""


def advice(session: Session, player: int, menu: Menu, speech: Language, width: int) -> list[str]:
    """The lines that tell a player what to do."""
    agent = maker(session.game, named(session.game, opponent()), AUTO)()
    assert isinstance(agent, TreeAgent)
    if len(menu.entries) == 1:
        return [speech.advice_alone]
    luck = stream("advice", player, len(session.log(player)))
    found = agent.choices(session.vantage(player), luck)
    texts = {entry.action.id: entry.text for entry in menu.entries}
    tried = sum(choice.tried for choice in found)
    if not tried:
        return [speech.advice_none]
    lines = wrap(speech.advice_by.format(tried=_number(tried, speech)), width)
    for choice in found[:SHOWN]:
        if choice.tried:
            line = speech.advice_one.format(
                action=texts[choice.action],
                worth=f"{100 * choice.worth:.0f}",
                tried=_number(choice.tried, speech),
            )
            lines += wrap(line, width, first="  ", rest="    ")
    return lines


def _number(number: int, speech: Language) -> str:
    return f"{number:,}".replace(",", speech.thousands)

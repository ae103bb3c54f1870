"""Advice to a person, in sentences.

Assumes: what a search has found of what they may do (`search.advising`), and what that is called.
Does: names the best of it, how well each came out, and whether one of them is better at all.
Leaves behind: sentences, for a screen of text or a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulerun.search.tree_search import Choice
from rulerun.session.session import Session
from rulerun.terminal.formatting import wrap
from rulerun.words.language import Language
from rulerun.words.narration import sentence

SHOWN = 3
"""Actions that are named."""

_ABOUT = 0.03
"""What differs by less is about equal."""

_NOTHING = 0.005
"""What is told as 0%."""


def advice(
    found: Sequence[Choice], texts: Mapping[int, str], speech: Language
) -> tuple[str, list[str]]:
    """A sentence on how it was found, and one on each of the best; `texts` by action."""
    if len(found) == 1:
        return speech.advice_alone, []
    tried = sum(choice.tried for choice in found)
    if not tried:
        return speech.advice_none, []
    shown = [choice for choice in found[:SHOWN] if choice.tried]
    best = [
        speech.advice_one.format(
            action=texts[choice.action],
            worth=f"{100 * choice.worth:.0f}",
            tried=_number(choice.tried, speech),
        )
        for choice in shown
    ]
    how = speech.advice_by.format(tried=_number(tried, speech))
    return how, [*best, sentence(_verdict(shown, texts, speech))]


def searched_for(
    session: Session, player: int, texts: Mapping[int, str], speech: Language, width: int
) -> list[str]:
    """Advice to a player who is asked, as lines of a screen."""
    # Imported when asked for: most games are played without.
    from rulerun.search.advising import advised

    how, best = advice(advised(session, player), texts, speech)
    lines = wrap(how, width)
    for each in best:
        lines += wrap(each, width, first="  ", rest="    ")
    return lines


def _verdict(shown: Sequence[Choice], texts: Mapping[int, str], speech: Language) -> str:
    """What comes of it: which is best, or that several are as good, or that none is any good."""
    top = shown[0].worth
    equal = sum(top - choice.worth < _ABOUT for choice in shown)
    if top < _NOTHING:
        return speech.advice_lost
    if equal == 1:
        return speech.advice_best.format(action=texts[shown[0].action])
    if equal == len(shown):
        return speech.advice_equal
    return speech.advice_equal_first.format(number=equal)


def _number(number: int, speech: Language) -> str:
    return f"{number:,}".replace(",", speech.thousands)

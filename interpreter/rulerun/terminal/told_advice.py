"""Advice to a person, in sentences.

Assumes: what a search has found of what they may do (`search.advising`), and what that is called.
Does: names the best of it, and how well each came out.
Leaves behind: sentences, for a screen of text or a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulerun.search.tree_search import Choice
from rulerun.words.language import Language

SHOWN = 3
"""Actions that are named."""


def advice(
    found: Sequence[Choice], texts: Mapping[int, str], speech: Language
) -> tuple[str, list[str]]:
    """A sentence on how it was found, and one on each of the best; `texts` by action."""
    if len(found) == 1:
        return speech.advice_alone, []
    tried = sum(choice.tried for choice in found)
    if not tried:
        return speech.advice_none, []
    best = [
        speech.advice_one.format(
            action=texts[choice.action],
            worth=f"{100 * choice.worth:.0f}",
            tried=_number(choice.tried, speech),
        )
        for choice in found[:SHOWN]
        if choice.tried
    ]
    return speech.advice_by.format(tried=_number(tried, speech)), best


def _number(number: int, speech: Language) -> str:
    return f"{number:,}".replace(",", speech.thousands)

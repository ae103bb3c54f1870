"""What people call the actions of a game, in lists that are about many of them.

Assumes: the action types of a game.
Does: names a type of action by its name, or, without one, by what is chosen.
Leaves behind: short texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun_dsl.model import Domain
from rulerun_dsl.model.valuetypes import Component, Int


def name_of(name: str, parameters: Sequence[Domain]) -> str:
    """What people call a type of action: its name, or what is chosen."""
    return name or f"({', '.join(map(word_for, parameters)) or 'nothing'})"


def word_for(domain: Domain) -> str:
    """What a parameter is, in a word."""
    inner = domain.element or domain
    match inner.of:
        case Component(kind=kind):
            word = kind
        case Int():
            word = "number"
        case other:
            word = str(other)
    return f"several {word}" if domain.element is not None else word

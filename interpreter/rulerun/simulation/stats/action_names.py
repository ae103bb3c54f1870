"""What people call the actions of a game, in lists that are about many of them.

Assumes: the action types of a game.
Does: names a type of action by its name, or, without one, by what is chosen;
types of one name are told apart by what is chosen.
Leaves behind: short texts.
"""

from __future__ import annotations

from collections import Counter

from rulerun_dsl.model import ActionType, Domain, Game
from rulerun_dsl.model.valuetypes import Component, Int


def names_of(game: Game) -> tuple[str, ...]:
    """What people call each type of action: its name, or what is chosen; of two of a name, both."""
    many = Counter(type_.name for type_ in game.actions)
    return tuple(_name_of(type_, many[type_.name] > 1) for type_ in game.actions)


def _name_of(type_: ActionType, shared: bool) -> str:
    if type_.name and not (shared and type_.parameters):
        return type_.name
    return f"{type_.name}({', '.join(map(word_for, type_.parameters)) or 'nothing'})"


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

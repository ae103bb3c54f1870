"""Choices of several things at once: each thing has a number, and an answer names some of them.

Assumes the legal actions of a question; all but a few choose several members of one collection.
Does: numbers the members, not the choices that can be made of them, of which there may be hundreds.
Leaves behind what to show, and the action that an answer means: `1 3`, `spade 2, heart 5`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rulerun.runtime import actions
from rulerun.views.observation import Action
from rulerun.words.labels import Labels
from rulerun_dsl.source.frozen import frozen

_WORTH_IT = 7
"""So many choices are listed one by one."""

_BETWEEN = re.compile(r"\s*[,+]\s*")


@frozen
class Several:
    """The members that may be chosen, and the choices."""

    name: str
    """Of the action, for who types it; nothing if it has none."""
    texts: tuple[str, ...]
    """The members, as people call them."""
    most: tuple[int, ...]
    """How many of each may be chosen at once."""
    labels: tuple[str, ...]
    """What to type for each member."""
    choices: dict[tuple[int, ...], Action]
    """By members, ascending and as often as they are chosen."""
    sizes: tuple[int, int]
    """How many are chosen at once, at least and at most."""
    nothing: str
    """What the choice of none is called."""

    def items(self) -> list[tuple[str, str]]:
        """The members with their numbers, for a list."""
        nothing = [("0", self.nothing)] if () in self.choices else []
        return nothing + [
            (label, text if most == 1 else f"{text} x{most}")
            for label, text, most in zip(self.labels, self.texts, self.most, strict=True)
        ]

    def find(self, answer: str) -> Action | None:
        """The action that an answer means, if it names members that may be chosen together."""
        rest = answer.casefold().strip()
        if self.name and rest.startswith(self.name.casefold()):
            rest = rest[len(self.name) :].strip(" ()")
        pieces = [each for each in _BETWEEN.split(rest) if each]
        apart = [word for each in pieces for word in each.split()]
        if set(apart) <= set(self.labels):
            pieces = apart
        if rest == "0":
            pieces = []
        found: list[int] = []
        for piece in pieces:
            member = self._member(piece)
            if member is None:
                return None
            found.append(member)
        return self.choices.get(tuple(sorted(found)))

    def _member(self, piece: str) -> int | None:
        if piece in self.labels:
            return self.labels.index(piece)
        plain = " ".join(piece.replace("_", " ").split())
        exact = [at for at, text in enumerate(self.texts) if text.casefold() == plain]
        begins = [at for at, text in enumerate(self.texts) if text.casefold().startswith(plain)]
        each = exact or begins
        return each[0] if len(each) == 1 else None


def several(names: Labels, legal: Sequence[Action]) -> tuple[Several | None, list[Action]]:
    """The choices of several among these actions, if there are many; and the other actions."""
    found: dict[int, list[tuple[Action, tuple[int, ...]]]] = {}
    for action in legal:
        number, places = actions.split(names.game, action.id)
        domains = names.game.actions[number].parameters
        if len(domains) == 1 and domains[0].multisets:
            found.setdefault(number, []).append((action, domains[0].multisets[places[0]]))
    number = max(found, key=lambda each: len(found[each]), default=-1)
    if number < 0 or len(found[number]) < _WORTH_IT:
        return None, list(legal)
    type_ = names.game.actions[number]
    element = type_.parameters[0].element
    assert element is not None, "a choice of several has members"
    most: Counter[int] = Counter()
    for _, chosen in found[number]:
        most |= Counter(chosen)
    members = sorted(most)
    place = {member: at for at, member in enumerate(members)}
    mine = {action.id for action, _ in found[number]}
    others = [action for action in legal if action.id not in mine]
    sizes = [len(chosen) for _, chosen in found[number]]
    return (
        Several(
            name=names.named("action", type_.name) if type_.name else "",
            texts=tuple(names.member(element, member) for member in members),
            most=tuple(most[member] for member in members),
            labels=tuple(str(1 + len(others) + at) for at in range(len(members))),
            choices={
                tuple(sorted(place[member] for member in chosen)): action
                for action, chosen in found[number]
            },
            sizes=(min(sizes), max(sizes)),
            nothing=names.word(actions.NOTHING),
        ),
        others,
    )

"""Whom and what a sentence of the log is about: players, zones with their owners, values.

Assumes names as events give them, such as `hand[yarg]`, and one who reads.
Does: calls the reader `you`, and says whose a zone is.
Leaves behind parts of sentences, and `Sentence`, of which the log is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import field
from typing import Self

from rulerun.runtime.phrases import OTHER, Filling
from rulerun.words.labels import Labels, is_player
from rulerun_dsl.model.valuetypes import Int, Site
from rulerun_dsl.source.frozen import frozen


@frozen
class Sentence:
    """Something that happened."""

    style: str
    text: str
    template: str = field(default="", compare=False)
    """What a sentence of the rules was made of."""
    inside: str = field(default="", compare=False)
    """The text as it goes on behind another sentence."""


class Teller:
    """What a narrator knows of the game and of who reads."""

    def __init__(self, names: Labels, viewer: str) -> None:
        """`viewer`: a player's name, or anything else for who is none."""
        self.names = names
        self.speech = names.speech
        self.viewer = viewer
        self._phase = ""
        self._players = frozenset(names.game.players)
        self._hidden = frozenset(names.game.view.hides)
        self._on_boards = {
            zone.name
            for zone in names.game.zones
            if len(zone.indexes) == 1 and isinstance(zone.indexes[0], Site)
        }
        variables = names.game.variables
        self._of_players = {each.name for each in variables if is_player(each.type)}
        self._numbers = {each.name: each.start for each in variables if isinstance(each.type, Int)}
        self._last: dict[str, int] = {}
        """What was told last of a variable that is a number."""
        self._changed: list[tuple[str, int | None]] = []
        """Of which variables that was told, in order, with what it had been before."""
        self._chosen: list[tuple[str, int]] = []
        """Who has chosen, and how long `_changed` was then."""

    def fork(self) -> Self:
        """Another who has told the same so far, and may go on another way."""
        other = copy(self)
        other._last = dict(self._last)
        other._changed, other._chosen = list(self._changed), list(self._chosen)
        return other

    def _story(self, key: str, values: Mapping[str, Filling]) -> list[Sentence] | None:
        """What the rules tell of a happening in their own words; None if they do not."""
        template = self.names.story.get(key)
        if template is None:
            return None
        text = self.names.story_of(template, values) if template else ""
        inside = self.names.inside(template, text)
        return [Sentence("plain", sentence(text), template, inside)] if text else []

    def _filling(self, player: str) -> Filling:
        if not player:
            return Filling("", OTHER, False)
        return self.names.filling(player, self.viewer)

    def _indexes(self, name: str) -> list[str]:
        rest = name.partition("[")[2]
        return [each.strip() for each in rest.rstrip("]").split(",") if each.strip()]

    def _split(self, name: str) -> tuple[str, str]:
        """`won[yarg]` as what and whose."""
        indexes = self._indexes(name)
        whose = [each for each in indexes if each in self._players]
        others = [self.names.word(each) for each in indexes if each not in self._players]
        label = " ".join([self.names.variable(name.partition("[")[0]), *others])
        return label, f" {self.speech.conjunction} ".join(map(self._who, whose))

    def _who(self, player: str) -> str:
        return self.speech.you if player == self.viewer else self.names.player(player)

    def _all(self, whose: Sequence[str]) -> str:
        everybody = [self._who(each) for each in self.names.game.players]
        if len(everybody) > 2 and sorted(whose) == sorted(everybody):
            return self.speech.everybody
        return self.speech.listed(list(whose))

    def _value(self, name: str, value: str) -> str:
        if value == "none" and name.partition("[")[0] in self._of_players:
            return self.speech.nobody
        return ", ".join(self.names.value_text(each) for each in value.split(", "))

    def _owner(self, label: str) -> str:
        return next((each for each in self._indexes(label) if each in self._players), "")

    def _zone(self, label: str) -> str:
        """A zone without its owner: `line`."""
        family = label.partition("[")[0]
        others = [each for each in self._indexes(label) if each not in self._players]
        name = self.names.zone(family)
        if len(others) == 1 and family in self._on_boards:
            site = self.names.word(others[0])
            return f"{name} {site}" if name.split()[-1] == "on" else f"{name} on {site}"
        return " ".join([name, *map(self.names.word, others)])

    def _place(self, label: str) -> str:
        """A zone with its owner: `Yarg's hand`, `your hand`, `the deck`."""
        if not label:
            return ""
        owner = self._owner(label)
        zone = self._zone(label)
        if not owner and label.startswith("on["):
            return zone.removeprefix("on ")
        if not owner:
            return self.speech.the.format(name=zone)
        if owner == self.viewer:
            return self.speech.your.format(zone=zone)
        return self.speech.whose.format(player=self.names.player(owner), zone=zone)

    def _things(self, kind: str, names: Sequence[str]) -> str:
        ordered = self.names.in_order(kind, names, lambda each: self.names.row(kind, each))
        counted = Counter(self.names.component(kind, name) for name in ordered)
        return self.speech.listed(
            [text if n == 1 else f"{text} x{n}" for text, n in counted.items()]
        )


_SHORT, _LONG = 60, 240
"""How long sentences are that share a line, and how long such a line gets."""


def capital(text: str) -> str:
    """A text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def sentence(text: str, *, begins: bool = True) -> str:
    """A text that ends with a full stop and, where it `begins` a line, with a capital begins.

    >>> sentence("the prince moves")
    'The prince moves.'
    """
    text = capital(text) if begins else text
    return text if text.endswith((".", "!", "?", "…", ":")) else text + "."


def joined(between: str, found: Iterable[Sentence]) -> list[Sentence]:
    """Short sentences of one template on one line: `Ann plays the fox; Bob plays the hare`."""
    told: list[Sentence] = []
    for each in found:
        last = told[-1] if told else Sentence("", "")
        if (
            each.template
            and (each.style, each.template) == (last.style, last.template)
            and max(len(each.text), len(last.inside)) <= _SHORT
            and len(last.text) + len(each.text) <= _LONG
            and last.text.endswith(".")
        ):
            told.pop()
            text = f"{last.text[:-1]}{between}{sentence(each.inside, begins=False)}"
            each = Sentence(each.style, text, each.template, each.inside)
        told.append(each)
    return told


def plain(text: str) -> list[Sentence]:
    """A sentence without a style of its own; of nothing none."""
    return [Sentence("plain", sentence(text))] if text else []


def last(place: str) -> str:
    """The site in the name of a zone on a board."""
    return place.rsplit(" ", 1)[-1]

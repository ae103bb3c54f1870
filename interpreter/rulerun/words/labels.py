"""What actions are called; with them, `Labels` has the name of everything.

Assumes a game, its words in some language, and actions as numbers or as the rules write them.
Does: names an action and what it is about, for menus, the log and sentences.
Leaves behind `Labels`, which front ends ask for every name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache, partial
from typing import TypeVar

from rulerun.runtime import actions
from rulerun.runtime.phrases import (
    OTHER,
    SELF,
    Filling,
    filled,
)
from rulerun.runtime.wording import words
from rulerun.views.observation import Seen
from rulerun.words.components_named import Pieces
from rulerun.words.language import SHIPPED
from rulerun.words.names_of_things import HIDDEN, NOTHING, is_player
from rulerun_dsl.model import NO_TEXT, ActionType, Choose, Domain, Game, Words
from rulerun_dsl.model.valuetypes import (
    Component,
    Enum,
    Int,
    Player,
    Row,
    Site,
    Type,
    bare,
)
from rulerun_dsl.source.safe_text import clean

__all__ = ["HIDDEN", "NOTHING", "Labels", "is_player", "labels_for"]

A = TypeVar("A")

MOST_PARSED = 4_096
"""So many texts of actions are not read again."""


class Labels(Pieces):
    """The names of one game."""

    def __init__(self, game: Game, words: Words | None = None) -> None:
        """Find what the parameters of actions are called."""
        super().__init__(game, words)
        self.unspoken = ""
        """The language asked for, if the game has no texts in it and is told in its own."""
        self._chosen = _names_of_parameters(game)
        self._besides = frozenset(
            game.actions[option.action].base
            for instruction in game.code
            if isinstance(instruction, Choose)
            for option in instruction.options
            if not option.main
        )
        """What is somewhere offered besides something else, or in its place."""
        self._parsed = lru_cache(MOST_PARSED)(partial(actions.parse, game))

    def is_besides(self, base: int) -> bool:
        """Whether what begins at an action is somewhere offered besides what is asked for."""
        return base in self._besides

    def actions_in_order(self, every: Iterable[A], number: Callable[[A], int]) -> list[A]:
        """What is asked for before what goes besides it or ends it; pieces as they are sorted."""

        def place(each: A) -> tuple[int, ...]:
            type_, texts = self.parts(number(each))
            found = [type_.base in self._besides, type_.base]
            for domain, text in zip(type_.parameters, texts, strict=True):
                kind = domain.of.kind if isinstance(domain.of, Component) else ""
                row = None if domain.multisets else self.row_of(kind, text)
                found.append(0 if row is None else self._places.get(kind, {}).get(row[0], 0))
            return tuple(found)

        return sorted(every, key=place) if self._places or self._besides else list(every)

    def action(self, action: int, viewer: str = "") -> str:
        """An action for people: `play prince 7`. A `viewer` who reads it is `you`."""
        type_, _ = self.parts(action)
        name = self._texts.get(f"action {type_.name}", NO_TEXT).name
        if "<" in name:
            values = self._values(action, viewer)
            return clean(filled(name, lambda place: values[int(place) - 1]))
        return f"{self.named('action', type_.name)} {self.action_values(action, viewer)}".strip()

    def action_values(self, action: int, viewer: str = "") -> str:
        """What an action is about: `prince 7`; a number behind others is told with what it is."""
        type_, _ = self.parts(action)
        names = self._chosen.get(actions.split(self.game, action)[0], ())
        told = [each.text for each in self._values(action, viewer)]
        for at, (domain, name) in enumerate(zip(type_.parameters, names, strict=False)):
            if at and isinstance(domain.of, Int):
                told[at] = f"{self.word(name)} {told[at]}"
        return ", ".join(told)

    def _values(self, action: int, viewer: str) -> list[Filling]:
        """What it is about, value by value."""
        type_, values = self.parts(action)
        found = []
        for domain, text in zip(type_.parameters, values, strict=True):
            if isinstance(domain.of, Int) and text.lstrip("-").isdigit():
                found.append(self.filling(int(text), viewer))
            elif isinstance(_one_of(domain), Component):
                found.append(Filling(self._chosen_value(domain, text)))
            else:
                one = (
                    self.speech.you if viewer and text == viewer else self.of_type(domain.of, text)
                )
                found.append(Filling(one, SELF if text == viewer else OTHER))
        return found

    def _chosen_value(self, domain: Domain, text: str) -> str:
        """A value of an action; of several components each is named."""
        of = _one_of(domain)
        if not isinstance(of, Component) or not text:
            return self.of_type(domain.of, text)
        kind = of.kind
        if domain.element is None:
            return self.component(kind, text)
        every = [each.strip() for each in text.split(actions.PLUS.strip())]
        if any(self.row_of(kind, each) is None for each in every):
            return self.word(text)
        return self._several(kind, text)

    def _several(self, kind: str, text: str) -> str:
        """What is chosen together: `2♥ + J♣`; alike dice by what they show, if that is written."""
        found = []
        for each in text.split(actions.PLUS):
            row, rest = self.row_of(kind, each) or ("", "")
            pairs = [part.partition("=")[::2] for part in rest.split()]
            if row and kind in self._formats and all(value for _, value in pairs):
                name = self.component(kind, row)
                said = self._formatted(kind, Seen(row, row, None, tuple(pairs)), name)
                found.append(f"{self.kind(kind)} {said}" if said.isdigit() else said)
            else:
                found.append(self.component(kind, each))
        return actions.PLUS.join(found)

    def parameters(self, action: int) -> tuple[str, tuple[str, ...]]:
        """An action's name and its values; a number is told with what it is: `space 2`."""
        type_, values = self.parts(action)
        template = self._texts.get(f"action {type_.name}", NO_TEXT).name
        if "<" in template:
            # Those that differ in the value with which it ends are told together.
            head, _, last = template.rpartition("<")
            if last != f"{len(values)}>":
                return self.action(action), ("",)
            texts = self._values(action, "")
            head = filled(head, lambda place: texts[int(place) - 1])
            return clean(head.strip()), (texts[-1].text,)
        names = self._chosen.get(actions.split(self.game, action)[0], ())
        told = []
        for at, (domain, text) in enumerate(zip(type_.parameters, values, strict=True)):
            if isinstance(domain.of, Int) and at < len(names):
                told.append(f"{self.word(names[at])} {self.word(text)}")
            else:
                told.append(self._chosen_value(domain, text))
        return self.named("action", type_.name), tuple(told)

    def parts(self, action: int) -> tuple[ActionType, tuple[str, ...]]:
        """An action's type, and its values as the rules write them."""
        number, places = actions.split(self.game, action)
        type_ = self.game.actions[number]
        pairs = zip(type_.parameters, places, strict=True)
        return type_, tuple(domain.texts[place] for domain, place in pairs)

    def action_text(self, text: str, viewer: str = "") -> str:
        """The same, of an action that is given as the rules write it."""
        found = self._parsed(text)
        return clean(words(text)) if found is None else self.action(found, viewer)

    def about_action(self, action: int) -> str:
        """What is written about an action, and about the first thing that it is about."""
        type_, texts = self.parts(action)
        told = [self.about(f"action {type_.name}")]
        for domain, text in zip(type_.parameters, texts, strict=True):
            match domain.of:
                case Component(kind):
                    found = self.row_of(kind, text)
                    about = "" if found is None else self.details(kind, found[0])
                case Enum(name):
                    about = self.about(f"value {name} {text}")
                case Site(board):
                    about = self.about(f"site {board} {text}")
                case _:
                    about = ""
            if about:
                told.append(about)
                break
        return " ".join(filter(None, told))

    def member(self, domain: Domain, place: int) -> str:
        """A member of a choice of several."""
        text = domain.texts[place]
        if isinstance(domain.of, Component):
            return self.component(domain.of.kind, text, alone=True)
        return self.word(text)

    def key_of_choice(self, text: str) -> str:
        """What `story:` calls a choice: the action's name; of one without, what is chosen."""
        name = text.partition("(")[0]
        found = self._parsed(text)
        if found is None:
            # What is hidden is told by its kind: `2 food`.
            number, _, kind = text.partition(" ")
            return kind if number.isdigit() and kind in self.kinds else name
        type_, _ = self.parts(found)
        if type_.name or not type_.parameters:
            return name
        match bare(_one_of(type_.parameters[0])):
            case Component(of) | Row(of) | Site(of) | Enum(of):
                return of
            case Int():
                return "number"
            case Player():
                return "player"
        return name

    def values_text(self, text: str, viewer: str = "") -> str:
        """What an action that is given as the rules write it is about."""
        found = self._parsed(text)
        return clean(words(text)) if found is None else self.action_values(found, viewer)


def labels_for(game: Game, asked: str, words: Words | None = None) -> Labels:
    """The names of a game for who reads a language; `words`: those that the game has in it.

    Without any, all is told in the language of the rules: half of each sentence in either is no use
    to anybody. Only where no table speaks that one are the sentences of the table in the other.
    """
    if words is not None:
        return Labels(game, words)
    own = game.words.language
    if asked in ("", own) or asked not in SHIPPED:
        return Labels(game)
    if own not in SHIPPED:
        return Labels(game, replace(game.words, language=asked))
    found = Labels(game)
    found.unspoken = asked
    return found


def _one_of(domain: Domain) -> Type:
    """What is chosen; of a choice of several, what each of them is."""
    return domain.of if domain.element is None else domain.element.of


def _names_of_parameters(game: Game) -> dict[int, tuple[str, ...]]:
    """By action: what its parameters are called where it is first offered."""
    found: dict[int, tuple[str, ...]] = {}
    for instruction in game.code:
        if isinstance(instruction, Choose):
            for option in instruction.options:
                found.setdefault(option.action, tuple(each.name for each in option.binders))
    return found

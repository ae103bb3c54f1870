"""What the things of a game are called, and its sentences, in the language of who reads.

Assumes a game and its words in some language.
Does: finds the name of a thing by its key, else makes one of its name in the rules; puts values
into sentences, each in the form that goes with it.
Leaves behind clean texts; nothing of the state is seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from rulerun.runtime.phrases import (
    OTHER,
    SELF,
    SEVERAL,
    Filling,
    Plain,
    Said,
    count_form,
    filled,
    is_something,
    one_line,
    places,
)
from rulerun.runtime.wording import person, words
from rulerun.views.observation import Json
from rulerun.words.language import SHIPPED, language
from rulerun_dsl.model import NO_TEXT, Game, Text, Words
from rulerun_dsl.model.valuetypes import (
    Bool,
    Component,
    Direction,
    Enum,
    Int,
    Player,
    Row,
    SetOf,
    Site,
    Type,
    bare,
)
from rulerun_dsl.source.safe_text import clean

HIDDEN = "[?]"
NOTHING = "-"

_BEGINNING = re.compile(r"(?<=[.!?] )[^\W\d_]")
_CALL = re.compile(r"(\w+)(?:\(([^()]*)\))?")
_NAMED = re.compile(r"<=([^<>]*)>")
_PAIR = re.compile(r"([^\W\d]\w*) (-?\d+)")
"""A value of a column with indexes, as it is printed: `farm 2`."""

_NOTHING_THERE = Filling("", OTHER, False)


class Names:
    """The names and sentences of one game."""

    def __init__(self, game: Game, words: Words | None = None) -> None:
        """Take the words of a game.

        `words`: those in another language than that of its rules file.
        """
        self.game = game
        said = words or game.words
        self.speech = language(said.language if said.language in SHIPPED else "en")
        self.title = clean(said.title or game.title)
        self.about_game = clean(said.about)
        self._texts = dict(said.texts)
        self._sentences = dict(said.sentences)
        self.story = dict(game.words.story)
        self.kinds = {kind.name: kind for kind in game.kinds}
        self._flat = self._names_at_large()
        self._put_names_in()
        self._flat = self._names_at_large()

    def _names_at_large(self) -> dict[str, str]:
        """What a name is called where nothing says what it is the name of: the first that fits."""
        found: dict[str, str] = {}
        for group in ("value", "row", "site", "zone", "variable", "kind", "action", "column"):
            for key, text in self._texts.items():
                # The name of an action that holds its values is none of anything else.
                whole = group != "action" or "<" not in text.name
                if text.name and whole and key.startswith(group + " "):
                    found.setdefault(key.rpartition(" ")[2], text.name)
        for board in self.game.boards:
            for name, _, _ in board.directions:
                if name in self.speech.directions:
                    found.setdefault(name, self.speech.directions[name])
        return found

    def _put_names_in(self) -> None:
        """Call what texts name by what it is called."""
        for key, text in self._texts.items():
            parts = [self.with_names(part) for part in (text.name, text.plural, text.about)]
            if parts != [text.name, text.plural, text.about]:
                self._texts[key] = Text(*parts)

    def with_names(self, text: str) -> str:
        """A text in which what it names goes by its words; several are listed."""

        def called(found: re.Match[str]) -> str:
            return self.speech.listed([self.word(each) for each in found[1].split(",")])

        return _NAMED.sub(called, text)

    def named(self, key: str, name: str) -> str:
        """What the thing of that key is called: `zone hand`."""
        text = self._texts.get(f"{key} {name}", NO_TEXT).name
        return _written(text or words(name))

    def has_words(self, key: str) -> bool:
        """Whether somebody wrote what the thing of that key is called."""
        return bool(self._texts.get(key, NO_TEXT).name)

    def about(self, key: str) -> str:
        """What is written about the thing of that key; nothing if nothing is."""
        return _written(self._texts.get(key, NO_TEXT).about)

    def written_about(self, wanted: str) -> list[tuple[str, str]]:
        """What is written about things that are called so, or whose names begin so, with names."""
        plain = wanted.casefold().strip()
        found: list[tuple[str, str]] = []
        exact: list[tuple[str, str]] = []
        for key in self._texts:
            group, _, name = key.rpartition(" ")
            about = self.about(key)
            # Of pieces there is more to tell than what is written.
            if not about or group.startswith("row"):
                continue
            own = filled(self._texts[key].name, lambda _: Filling("…")) or words(name)
            called = clean(own).rstrip(" :")
            told = called, filled(about, lambda _: Filling("…"))
            if plain in (called.casefold(), words(name).casefold()):
                exact.append(told)
            elif called.casefold().startswith(plain):
                found.append(told)
        return list(dict.fromkeys(exact or found))

    def rule_name(self, name: str) -> str:
        """What a call of a function or procedure means, with `<1>` for its first argument."""
        return self._texts.get(f"rule {name}", NO_TEXT).name

    def named_in(self, group: str) -> dict[str, str]:
        """What all of a group that have words are called, by their names in the rules."""
        keys = (key.partition(" ") for key in self._texts)
        return {name: self.named(group, name) for each, _, name in keys if each == group}

    def zone(self, family: str) -> str:
        """A family of zones."""
        return self.named("zone", family)

    def variable(self, family: str) -> str:
        """A family of variables."""
        return self.named("variable", family)

    def line(self, label: str) -> str:
        """A line of the points; what is a variable or a function goes by the words of that."""
        keys = (f"{group} {label}" for group in ("line", "variable", "rule"))
        named = (self._texts.get(key, NO_TEXT).name for key in keys)
        return _written(next((each for each in named if each and "<" not in each), words(label)))

    def kind(self, name: str, many: int = 1) -> str:
        """One component of a kind, or several."""
        return self.counted("kind", name, many)

    def counted(self, key: str, name: str, many: int) -> str:
        """One of the things of that key, or several: of a type, places of a board."""
        text = self._texts.get(f"{key} {name}", NO_TEXT)
        if count_form(many, self.speech.code) == SELF:
            return _written(text.name or words(name))
        return _written(text.plural or _plural(text.name or words(name), self.speech.code))

    def player(self, name: str) -> str:
        """A player: `Yarg`."""
        return _written(self._texts.get(f"player {name}", NO_TEXT).name or person(name))

    def players(self, names: Iterable[str]) -> str:
        """Several players: `Yarg and Applewood`."""
        return self.speech.listed([self.player(name) for name in names])

    def word(self, text: str) -> str:
        """A name of the rules, or a player's, for people."""
        if text in self.game.players:
            return self.player(text)
        return _written(self._flat.get(text) or words(text))

    def said(self, sentence: str, viewer: str = "") -> str:
        """A question, hint or headline; `viewer` is a player's name, or nobody's."""
        if not isinstance(sentence, Said):
            return clean(words(sentence))
        return self.sentence(sentence.template, sentence.values, viewer)

    def sentence(self, template: str, values: Iterable[Plain], viewer: str = "") -> str:
        """A sentence of the rules with its values, in the language of who reads it."""
        known = dict(zip(places(template), values, strict=False))
        whole = self._sentences.get(one_line(template), template)
        said = clean(filled(whole, lambda place: self.filling(known.get(place), viewer)))
        said = self.speech.contracted(said)
        # A value may begin a sentence: `you` does so with a capital.
        return _BEGINNING.sub(lambda found: found[0].upper(), said)

    def inside(self, template: str, said: str) -> str:
        """A sentence as it goes on behind another: small, where a word of its own begins it."""
        whole = self._sentences.get(one_line(template), template)
        small = whole[:1].isalpha() and whole[1:2].islower() and self.speech.code != "de"
        return said[:1].lower() + said[1:] if small else said

    def said_alone(self, text: str) -> str:
        """A sentence of the rules that has no values, in the language of who reads it."""
        return clean(self._sentences.get(one_line(text), text))

    def story_of(self, template: str, values: Mapping[str, Filling]) -> str:
        """A sentence of `story:` with its values, in the language of who reads it."""
        whole = self._sentences.get(one_line(template), template)
        said = filled(whole, lambda place: values.get(place, Filling("", OTHER, False)))
        return self.speech.contracted(clean(said))

    def filling(self, value: Plain, viewer: str = "") -> Filling:
        """A value of a sentence, for who reads it."""
        form = OTHER
        if isinstance(value, str) and value in self.game.players:
            form = SELF if value == viewer else OTHER
            text = self.speech.you if value == viewer else self.player(value)
            return Filling(text, form)
        if isinstance(value, list):
            found = [self.filling(each, viewer) for each in value]
            if len(found) == 1:
                return found[0]
            texts = [each.text for each in found]
            form = SEVERAL if texts else OTHER
            if viewer and viewer in value:
                form = self.speech.with_you
            return Filling(self.speech.listed(texts) or NOTHING, form, bool(texts))
        if isinstance(value, bool):
            return Filling(
                self.speech.yes if value else self.speech.no,
                SELF if value else OTHER,
                something=value,
                decides=True,
            )
        if isinstance(value, int):
            form = count_form(value, self.speech.code)
            return Filling(str(value), form, value != 0)
        if value is None:
            return Filling(self.speech.none, OTHER, False)
        return Filling(self.of_name(str(value)), form, is_something(value))

    def of_name(self, text: str) -> str:
        """A component or value by its name in an event: `prince of yarg`."""
        name, of, owner = text.partition(" of ")
        if of and owner in self.game.players:
            whose = self.of_player(self.player(owner))
            return f"{self.word(name)} {whose}"
        return self.word(text)

    def of_player(self, name: str) -> str:
        """Whose something is, behind it: `of Ann`."""
        return self.speech.contracted(self.speech.round_of.format(owner=name))

    def value_text(self, text: str) -> str:
        """A value as an event has it: a name, a number, or a truth value."""
        truth = {"true": self.speech.yes, "false": self.speech.no, "none": self.speech.none}
        return truth.get(text) or self.word(text)

    def of_type(self, type_: Type, text: str) -> str:
        """A value of a type by the words of that type: others may have a value of that name."""
        match bare(type_):
            case Bool():
                return self.value_text(text)
            case Enum(name) if self.has_words(f"value {name} {text}"):
                return self.named(f"value {name}", text)
            case Site(name) if self.has_words(f"site {name} {text}"):
                return self.named(f"site {name}", text)
        return self.word(text)

    def value(self, plain: Json) -> str:
        """A value of the state."""
        match plain:
            case None:
                return NOTHING
            case bool():
                return self.speech.yes if plain else self.speech.no
            case list():
                return ", ".join(map(self.value, plain)) or NOTHING
            case str():
                return self.word(plain)
            case _:
                return clean(str(plain))

    def constant(self, type_: Type, value: int | None) -> str:
        """A value as the model holds it; nothing for none and for what is false."""
        there = bare(type_)
        if value is None:
            return ""
        if isinstance(there, Bool):
            return self.speech.yes if value else ""
        if isinstance(there, Int):
            return str(value)
        if isinstance(there, SetOf):
            return ", ".join(self._members(there, value))
        texts = self.texts(there)
        return self.of_type(there, texts[value]) if 0 <= value < len(texts) else str(value)

    def _members(self, type_: SetOf, held: int) -> Iterator[str]:
        """The members of a set, of which each is a bit."""
        of = type_.element
        numbers = range(of.low, of.high + 1) if isinstance(of, Int) else ()
        for at, text in enumerate(self.texts(of) or map(str, numbers)):
            if held >> at & 1:
                yield self.of_type(of, text)

    def texts(self, type_: Type) -> tuple[str, ...]:
        """The names of all values of a type that has names."""
        game = self.game
        match bare(type_):
            case Player():
                return game.players
            case Enum(name):
                found = next((each.members for each in game.enumerations if each.name == name), ())
                return found
            case Row(kind) | Component(kind):
                return self.kinds[kind].rows
            case Site(board):
                return next(each.sites for each in game.boards if each.name == board)
            case Direction(board):
                directions = next(each.directions for each in game.boards if each.name == board)
                return tuple(name for name, _, _ in directions)
        return ()


def _written(text: str) -> str:
    """A text without values, in which `<<` is a `<`."""
    return clean(text).replace("<<", "<")


def tidy(text: str) -> str:
    """A rule as it is written, a little more like words."""
    return text.replace("()", "").replace("_", " ")


def _plural(word: str, language: str) -> str:
    """What several are called where nobody wrote it down: by the plain rule of the language.

    >>> [_plural(each, "en") for each in ("card", "firefly", "box", "boys")]
    ['cards', 'fireflies', 'boxes', 'boys']
    """
    if language == "de" or word.endswith("s") or (language == "fr" and word[-1:] in ("x", "z")):
        return word
    if language == "en" and word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    if language == "en" and word.endswith(("x", "ch", "sh", "z")):
        return word + "es"
    return word + "s"


def is_player(type_: Type) -> bool:
    """Whether a type is that of a player, or none."""
    return isinstance(bare(type_), Player)

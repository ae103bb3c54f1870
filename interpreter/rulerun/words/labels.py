"""What things are called: players, cards with what is printed on them, values, sentences.

Assumes a game, its words in some language, and names as observations and events give them: texts of
the rules.
Does: puts them into words for people: those that the rules or their translation have, else the
names themselves. A card is called by its row and its first column that says more than the name does
(`prince 7`); the other columns are shown on request.
Leaves behind clean texts; nothing of the state is seen here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rulerun.runtime import actions
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
from rulerun.views.observation import Json, Seen
from rulerun.words.language import SHIPPED, language
from rulerun_dsl.model import NO_TEXT, ActionType, Choose, Domain, Game, Kind, Text, Words
from rulerun_dsl.model.valuetypes import (
    Bool,
    Component,
    Direction,
    Enum,
    Int,
    Player,
    Row,
    Site,
    Type,
    bare,
)
from rulerun_dsl.source.safe_text import clean

A = TypeVar("A")
T = TypeVar("T")

HIDDEN = "[?]"
NOTHING = "-"

_BEGINNING = re.compile(r"(?<=[.!?] )[^\W\d_]")
_CALL = re.compile(r"(\w+)(?:\(([^()]*)\))?")
_NAMED = re.compile(r"<=([^<>]*)>")
_PAIR = re.compile(r"([^\W\d]\w*) (-?\d+)")
"""A value of a column with indexes, as it is printed: `farm 2`."""

_NOTHING_THERE = Filling("", OTHER, False)


class Labels:
    """The names of one game."""

    def __init__(self, game: Game, words: Words | None = None) -> None:
        """Find the column that each kind of component is called with.

        `words`: those of the game in another language than that of its rules file.
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
        self._zones = frozenset(zone.name for zone in game.zones)
        self._places = {
            kind.name: _sorted_by(kind, columns)
            for name, columns in game.view.sorts
            for kind in [self.kinds[name]]
        }
        self._flat = self._names_at_large()
        self._put_names_in()
        self._flat = self._names_at_large()
        self._name_by_columns()
        self._flat = self._names_at_large()
        self._formats = dict(game.view.formats)
        self._turned = {(name, attribute): glyphs for name, attribute, glyphs in game.view.turned}
        self._main = {
            kind.name: {}
            if kind.name in self._formats or f"rows {kind.name}" in self._texts
            else self._main_column(kind)
            for kind in game.kinds
        }
        self._chosen = _names_of_parameters(game)

    # ------------------------------------------------------------------------- names and texts

    def _names_at_large(self) -> dict[str, str]:
        """What a name is called where nothing says what it is the name of: the first that fits."""
        found: dict[str, str] = {}
        for group in ("value", "row", "site", "zone", "variable", "kind", "action"):
            for key, text in self._texts.items():
                if text.name and key.startswith(group + " "):
                    found.setdefault(key.rpartition(" ")[2], text.name)
        return found

    def _put_names_in(self) -> None:
        """Call what texts name by what it is called."""
        for key, text in self._texts.items():
            parts = [
                _NAMED.sub(lambda found: self.word(found[1]), part)
                for part in (text.name, text.plural, text.about)
            ]
            if parts != [text.name, text.plural, text.about]:
                self._texts[key] = Text(*parts)

    def _name_by_columns(self) -> None:
        """Put into names of rows what stands in their columns, by names of their own or of all."""
        for kind in self.kinds.values():
            every = self._texts.get(f"rows {kind.name}", NO_TEXT).name
            for row in kind.rows:
                key = f"row {kind.name} {row}"
                text = self._texts.get(key, NO_TEXT)
                name = text.name or every
                if "<" not in name + text.plural:
                    continue
                values = self._printed(kind.name, row)

                def value(place: str, values: Mapping[str, Filling] = values) -> Filling:
                    return values.get(place, _NOTHING_THERE)

                self._texts[key] = replace(
                    text, name=filled(name, value), plural=filled(text.plural, value)
                )

    def by_columns(self, kind: str) -> bool:
        """Whether components of this kind are called by their columns: `Q♠`, with no article."""
        return f"rows {kind}" in self._texts

    def in_order(self, kind: str, items: Iterable[T], row: Callable[[T], str]) -> list[T]:
        """What lies together, as the rules want it sorted; `row`: which row each is of."""
        places = self._places.get(kind, {})
        return sorted(items, key=lambda each: places.get(row(each), 0))

    def actions_in_order(self, every: Iterable[A], number: Callable[[A], int]) -> list[A]:
        """Actions as the rules want the components sorted that they are about."""

        def place(each: A) -> tuple[int, ...]:
            type_, texts = self.parts(number(each))
            found = [type_.base]
            for domain, text in zip(type_.parameters, texts, strict=True):
                kind = domain.of.kind if isinstance(domain.of, Component) else ""
                row = None if domain.multisets else self.row_of(kind, text)
                found.append(0 if row is None else self._places.get(kind, {}).get(row[0], 0))
            return tuple(found)

        return sorted(every, key=place) if self._places else list(every)

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

    def rule_name(self, name: str) -> str:
        """What a call of a function or procedure means, with `<1>` for its first argument."""
        return self._texts.get(f"rule {name}", NO_TEXT).name

    def zone(self, family: str) -> str:
        """A family of zones."""
        return self.named("zone", family)

    def variable(self, family: str) -> str:
        """A family of variables."""
        return self.named("variable", family)

    def kind(self, name: str, many: int = 1) -> str:
        """One component of a kind, or several."""
        return self.counted("kind", name, many)

    def counted(self, key: str, name: str, many: int) -> str:
        """One of the things of that key, or several: of a type, places of a board."""
        text = self._texts.get(f"{key} {name}", NO_TEXT)
        if count_form(many, self.speech.code) == SELF:
            return _written(text.name or words(name))
        return _written(text.plural or _plural(text.name or words(name), self.speech.code))

    # ------------------------------------------------------------------------------- players

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

    # ----------------------------------------------------------------------------- sentences

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
        # A value may begin a sentence: `you` does so with a capital.
        return _BEGINNING.sub(lambda found: found[0].upper(), said)

    def said_alone(self, text: str) -> str:
        """A sentence of the rules that has no values, in the language of who reads it."""
        return clean(self._sentences.get(one_line(text), text))

    def story_of(self, template: str, values: Mapping[str, Filling]) -> str:
        """A sentence of `story:` with its values, in the language of who reads it."""
        whole = self._sentences.get(one_line(template), template)
        return clean(filled(whole, lambda place: values.get(place, Filling("", OTHER, False))))

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
            whose = self.speech.round_of.format(owner=self.player(owner))
            return f"{self.word(name)} {whose}"
        return self.word(text)

    # ---------------------------------------------------------------------------- components

    def seen(self, kind: str, component: Seen) -> str:
        """A component as it lies there: `prince 7`, `die (face 4)`."""
        text = self.component(kind, component.text)
        for (name, _), glyphs in self._turned.items():
            if name in (component.row, kind):
                text += f" {''.join(map(clean, dict.fromkeys(glyphs)))}"
        if kind in self._formats:
            return self._formatted(kind, component, text)
        if not component.attributes:
            return text
        marks = self.marks(component)
        return f"{text} ({marks})" if marks else text

    def _formatted(self, kind: str, component: Seen, text: str) -> str:
        """What the rules want written for a component."""
        values = {
            name: each if each.something or each.text != self.speech.none else _NOTHING_THERE
            for name, each in self._printed(kind, component.row).items()
        }
        values["name"] = Filling(text)
        for name, value in component.attributes:
            nothing = value is None or value is False or value == []
            said = "" if nothing else self.value(value)
            number = value if isinstance(value, int) and not isinstance(value, bool) else None
            form = OTHER if number is None else count_form(number, self.speech.code)
            values[name] = Filling(said, form, bool(said) and value != 0)
        format_ = one_line(self._formats[kind])
        whole = self._sentences.get(format_, format_)
        return words(clean(filled(whole, lambda name: values.get(name, _NOTHING_THERE))))

    def marks(self, component: Seen) -> str:
        """What has become of a component: `face 4, tapped`. What is not so is not said."""
        kind = next((each for each in self.kinds if component.row in self.kinds[each].rows), "")
        return ", ".join(
            self.named(f"column {kind}", name) + ("" if value is True else f" {self.value(value)}")
            for name, value in component.attributes
            if value is not None and value is not False and not self._drawn(component, name)
        )

    def _drawn(self, component: Seen, attribute: str) -> bool:
        """Whether a glyph shows the value of an attribute."""
        return any(name == attribute for (row, name) in self._turned if row == component.row)

    def component(self, kind: str, text: str, *, alone: bool = False) -> str:
        """A component by its name in the rules: `prince 7`, `prince 7 of Applewood`.

        `alone`: nothing around it says what kind it is, so a number would not do for a name.
        """
        found = self._row_at_once(kind, text)
        if found is None:
            zone, rest = self._zone_before(text)
            if zone:
                return f"{self.component(kind, rest, alone=alone)} ({zone})"
            return clean(words(text))
        row, tail = found
        whole = self.named(f"row {kind}", row) if row != kind else self.kind(kind)
        if alone and row.isdigit():
            whole = f"{self.kind(kind)} {whole}"
        value = self._main[kind].get(row)
        if value and value not in words(whole).split():
            whole += f" {value}"
        if tail.startswith(" of "):
            return f"{whole} {self.speech.round_of.format(owner=self.word(tail[4:]))}"
        rest = clean(words(tail)).replace("=", " ").strip()
        return f"{whole} {rest}" if rest else whole

    def _zone_before(self, text: str) -> tuple[str, str]:
        """The zone that parts a component from its like, for people, and the rest of its name.

        Where those that lie elsewhere are another choice, it is called `shown roar`.
        """
        label, blank, rest = text.partition(" ")
        family, _, indexes = label.partition("[")
        if not blank or family not in self._zones or not rest:
            return "", text
        others = [self.word(each.strip()) for each in indexes.rstrip("]").split(",") if each]
        return " ".join([self.zone(family), *others]), rest

    def row_of(self, kind: str, text: str) -> tuple[str, str] | None:
        """The row with which a component's name begins, and the rest of the name."""
        return self._row_at_once(kind, text) or self._row_at_once(kind, self._zone_before(text)[1])

    def _row_at_once(self, kind: str, text: str) -> tuple[str, str] | None:
        if kind not in self.kinds:
            return None
        rows = [
            row
            for row in self.kinds[kind].rows
            if text == row or text.startswith((row + " ", row + "("))
        ]
        best = max(rows, key=len, default=None)
        return None if best is None else (best, text[len(best) :])

    def row(self, kind: str, text: str) -> str:
        """The row with which a component's name begins; nothing if none does."""
        found = self.row_of(kind, text)
        return "" if found is None else found[0]

    def details(self, kind: str, row: str) -> str:
        """What is written about a component, else all that is printed on it.

        `value 7, worth 1, raises 0`
        """
        about = clean(self._texts.get(f"row {kind} {row}", NO_TEXT).about)
        if about:
            values = self._printed(kind, row)
            return filled(about, lambda name: values.get(name, _NOTHING_THERE))
        place = self.kinds[kind].rows.index(row)
        told = []
        said = set(places(self._texts.get(f"rows {kind}", NO_TEXT).name))
        for name, type_, column in self.kinds[kind].columns:
            if name in said:
                continue
            text = self.constant(type_, column[place])
            if text and text not in words(row).split():
                label = self.named(f"column {kind}", name)
                told.append(label if text == self.speech.yes else f"{label} {text}")
        for name, texts in self.kinds[kind].printed:
            if texts[place]:
                label = self.named(f"column {kind}", name)
                told.append(f"{label}: {clean(self.rule(texts[place]))}")
        return ", ".join(told)

    def _printed(self, kind: str, row: str) -> dict[str, Filling]:
        """What a text about a row may name: its columns and rules."""
        place = self.kinds[kind].rows.index(row)
        found = {}
        for name, type_, column in self.kinds[kind].columns:
            value = column[place]
            number = value if isinstance(bare(type_), Int) and value is not None else None
            form = OTHER if number is None else count_form(number, self.speech.code)
            text = self._texts.get(f"number {kind}.{name} {number}", NO_TEXT).name
            text = text or self.constant(type_, value)
            if value and isinstance(bare(type_), Bool):
                text = self.named(f"column {kind}", name)
            # A 0 that could have been none is something.
            something = bool(text) and (value != 0 or not isinstance(type_, Int))
            found[name] = Filling(text or self.speech.none, form, something)
        for name, texts in self.kinds[kind].printed:
            found[name] = Filling(self.rule(texts[place]), OTHER, bool(texts[place]))
        return found

    def rule(self, text: str) -> str:
        """A rule of a row, as it is written there, in words where its procedures have some."""
        pairs = [_PAIR.fullmatch(each.strip()) for each in text.split(",")]
        if all(pairs):
            return self.speech.listed([f"{pair[2]} {self.word(pair[1])}" for pair in pairs if pair])
        steps = [each.strip() for each in text.split(";")]
        said = [self._step(each) for each in steps]
        if any(each == _tidy(step) for each, step in zip(said, steps, strict=True)):
            return "; ".join(said)
        return self.speech.listed(said)

    def _step(self, text: str) -> str:
        """One step or condition of a rule: calls that have words, with `and` between."""
        for sign, word in ((" and ", self.speech.conjunction), (" or ", self.speech.alternative)):
            if sign in text:
                return f" {word} ".join(self._step(each) for each in text.split(sign))
        call = _CALL.fullmatch(text)
        said = self.rule_name(call[1]) if call is not None else ""
        if call is None or not said:
            return _tidy(text)
        arguments = [each.strip() for each in (call[2] or "").split(",")]

        def argument(place: str) -> Filling:
            at = int(place) - 1
            given = arguments[at] if at < len(arguments) else ""
            return self.filling(int(given) if given.lstrip("-").isdigit() else given)

        return filled(said, argument)

    def _main_column(self, kind: Kind) -> dict[str, str]:
        """What to add to the name of each row."""
        for _, type_, values in kind.columns:
            if isinstance(bare(type_), Bool) or len(set(values)) < 2:
                continue
            texts = [self.constant(type_, value) for value in values]
            pairs = list(zip(kind.rows, texts, strict=True))
            if not all(text in words(row).split() for row, text in pairs if text):
                return {row: text for row, text in pairs if text}
        return {}

    # ------------------------------------------------------------------------------- actions

    def action(self, action: int, viewer: str = "") -> str:
        """An action for people: `play prince 7`. A `viewer` who reads it is `you`."""
        type_, _ = self.parts(action)
        name = self._texts.get(f"action {type_.name}", NO_TEXT).name
        if "<" in name:
            values = self._values(action, viewer)
            return clean(filled(name, lambda place: values[int(place) - 1]))
        return f"{self.named('action', type_.name)} {self.action_values(action, viewer)}".strip()

    def action_values(self, action: int, viewer: str = "") -> str:
        """What an action is about: `prince 7`."""
        return ", ".join(each.text for each in self._values(action, viewer))

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
                one = self.speech.you if viewer and text == viewer else self.word(text)
                found.append(Filling(one, SELF if text == viewer else OTHER))
        return found

    def _chosen_value(self, domain: Domain, text: str) -> str:
        """A value of an action; of several components each is named."""
        of = _one_of(domain)
        if not isinstance(of, Component) or not text:
            return self.word(text)
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
                said = self._formatted(kind, Seen(row, row, None, tuple(pairs)), row)
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
                told.append(f"{clean(words(names[at])).replace('_', ' ')} {self.word(text)}")
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
        found = actions.parse(self.game, text)
        return clean(words(text)) if found is None else self.action(found, viewer)

    def member(self, domain: Domain, place: int) -> str:
        """A member of a choice of several."""
        text = domain.texts[place]
        if isinstance(domain.of, Component):
            return self.component(domain.of.kind, text, alone=True)
        return self.word(text)

    def key_of_choice(self, text: str) -> str:
        """What `story:` calls a choice: the action's name; of one without, what is chosen."""
        name = text.partition("(")[0]
        found = actions.parse(self.game, text)
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
        found = actions.parse(self.game, text)
        return clean(words(text)) if found is None else self.action_values(found, viewer)

    # -------------------------------------------------------------------------------- values

    def value_text(self, text: str) -> str:
        """A value as an event has it: a name, a number, or a truth value."""
        truth = {"true": self.speech.yes, "false": self.speech.no, "none": self.speech.none}
        return truth.get(text) or self.word(text)

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
        texts = self.texts(there)
        return self.word(texts[value]) if 0 <= value < len(texts) else str(value)

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


def _written(text: str) -> str:
    """A text without values, in which `<<` is a `<`."""
    return clean(text).replace("<<", "<")


def _sorted_by(kind: Kind, columns: Sequence[str]) -> dict[str, int]:
    """By row: its place among the rows when they are sorted by these columns."""
    values = {name: column for name, _, column in kind.columns}

    def key(row: int) -> list[int]:
        return [-1 if (value := values[name][row]) is None else value for name in columns]

    return {kind.rows[row]: at for at, row in enumerate(sorted(range(len(kind.rows)), key=key))}


def _tidy(text: str) -> str:
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

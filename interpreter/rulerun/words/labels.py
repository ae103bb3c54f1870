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
from rulerun_dsl.model import NO_TEXT, ActionType, Choose, Game, Kind, Words
from rulerun_dsl.model.valuetypes import (
    Bool,
    Component,
    Direction,
    Enum,
    Int,
    Multiset,
    Optional,
    Player,
    Row,
    Site,
    Type,
)
from rulerun_dsl.source.safe_text import clean

A = TypeVar("A")
T = TypeVar("T")

HIDDEN = "[?]"
NOTHING = "-"

_NAME = re.compile(r"<([^<>]*)>")
_CALL = re.compile(r"(\w+)(?:\(([^()]*)\))?")
_BRACKETS = re.compile(r"(\[[^\[\]]*\])")


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
        self._places = {
            kind.name: _sorted_by(kind, columns)
            for name, columns in game.view.sorts
            for kind in [self.kinds[name]]
        }
        self._flat = self._names_at_large()
        self._name_by_columns()
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

    def _name_by_columns(self) -> None:
        """Call the rows by their columns of which `words` says so."""
        for kind in self.kinds.values():
            template = self._texts.get(f"rows {kind.name}", NO_TEXT).name
            for row in kind.rows if template else ():
                values = self._printed(kind.name, row)
                name = filled(template, lambda place, of=values: of[place])  # type: ignore[misc]
                key = f"row {kind.name} {row}"
                text = self._texts.get(key, NO_TEXT)
                self._texts[key] = replace(text, name=text.name or name)
                self._flat.setdefault(row, self._texts[key].name)

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
        return clean(text or words(name))

    def has_words(self, key: str) -> bool:
        """Whether somebody wrote what the thing of that key is called."""
        return bool(self._texts.get(key, NO_TEXT).name)

    def about(self, key: str) -> str:
        """What is written about the thing of that key; nothing if nothing is."""
        return clean(self._texts.get(key, NO_TEXT).about)

    def zone(self, family: str) -> str:
        """A family of zones."""
        return self.named("zone", family)

    def variable(self, family: str) -> str:
        """A family of variables."""
        return self.named("variable", family)

    def kind(self, name: str, many: int = 1) -> str:
        """One component of a kind, or several."""
        text = self._texts.get(f"kind {name}", NO_TEXT)
        if count_form(many, self.speech.code) == SELF:
            return clean(text.name or words(name))
        return clean(text.plural or _plural(text.name or words(name)))

    # ------------------------------------------------------------------------------- players

    def player(self, name: str) -> str:
        """A player: `Yarg`."""
        return clean(self._texts.get(f"player {name}", NO_TEXT).name or person(name))

    def players(self, names: Iterable[str]) -> str:
        """Several players: `Yarg and Applewood`."""
        return self.speech.listed([self.player(name) for name in names])

    def word(self, text: str) -> str:
        """A name of the rules, or a player's, for people."""
        if text in self.game.players:
            return self.player(text)
        return clean(self._flat.get(text) or words(text))

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
        return clean(filled(whole, lambda place: self.filling(known.get(place), viewer)))

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
        values = {"name": text}
        values |= {name: self._said(value) for name, value in component.attributes}
        zeros = {name for name, value in component.attributes if value == 0}
        place = self.kinds[kind].rows.index(component.row)
        for name, type_, column in self.kinds[kind].columns:
            text = self.constant(type_, column[place])
            label = self.named(f"column {kind}", name)
            values[name] = label if text == self.speech.yes else text
            if text == "0" and not isinstance(type_, Optional):
                zeros.add(name)
        values |= {name: self.rule(texts[place]) for name, texts in self.kinds[kind].printed}

        def filled(part: str) -> tuple[str, bool]:
            """A part with its values, and whether each of them is something."""
            found = [values.get(name) and name not in zeros for name in _NAME.findall(part)]
            text = _NAME.sub(lambda match: values.get(match[1], ""), part)
            return text, all(found)

        text = ""
        format_ = one_line(self._formats[kind])
        for part in _BRACKETS.split(self._sentences.get(format_, format_)):
            inside, whole = filled(part[1:-1] if part.startswith("[") else part)
            text += inside if whole or not part.startswith("[") else ""
        return words(clean(text))

    def _said(self, value: Json) -> str:
        """A value of an attribute; nothing for what is none or false."""
        return "" if (value in (None, False) and value != 0) or value == [] else self.value(value)

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
        found = self.row_of(kind, text)
        if found is None:
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

    def row_of(self, kind: str, text: str) -> tuple[str, str] | None:
        """The row with which a component's name begins, and the rest of the name."""
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
        about = self.about(f"row {kind} {row}")
        if about:
            values = self._printed(kind, row)
            return filled(about, lambda name: values.get(name, Filling("", OTHER, False)))
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
            number = value if isinstance(_bare(type_), Int) and value is not None else None
            form = OTHER if number is None else count_form(number, self.speech.code)
            text = self._texts.get(f"number {kind}.{name} {number}", NO_TEXT).name
            found[name] = Filling(
                text or self.constant(type_, value) or self.speech.none, form, bool(value)
            )
        for name, texts in self.kinds[kind].printed:
            found[name] = Filling(self.rule(texts[place]), OTHER, bool(texts[place]))
        return found

    def rule(self, text: str) -> str:
        """A rule of a row, as it is written there, in words where its procedures have some."""
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
        said = self._texts.get(f"rule {call[1]}", NO_TEXT).name if call is not None else ""
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
            if isinstance(_bare(type_), Bool) or len(set(values)) < 2:
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
            if isinstance(domain.of, Component) and not domain.multisets:
                found.append(Filling(self.component(domain.of.kind, text)))
            elif isinstance(domain.of, Multiset) and isinstance(domain.of.element, Component):
                found.append(Filling(self._several(domain.of.element.kind, text)))
            elif isinstance(domain.of, Int) and text.lstrip("-").isdigit():
                found.append(self.filling(int(text), viewer))
            else:
                one = self.speech.you if viewer and text == viewer else self.word(text)
                found.append(Filling(one, SELF if text == viewer else OTHER))
        return found

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
            if isinstance(domain.of, Component) and not domain.multisets:
                told.append(self.component(domain.of.kind, text))
            elif isinstance(domain.of, Multiset) and isinstance(domain.of.element, Component):
                told.append(self._several(domain.of.element.kind, text))
            elif isinstance(domain.of, Int) and at < len(names):
                told.append(f"{clean(words(names[at])).replace('_', ' ')} {self.word(text)}")
            else:
                told.append(self.word(text))
        return self.named("action", type_.name), tuple(told)

    def parts(self, action: int) -> tuple[ActionType, tuple[str, ...]]:
        """An action's type, and its values as the rules write them."""
        number, places = actions.split(self.game, action)
        type_ = self.game.actions[number]
        pairs = zip(type_.parameters, places, strict=True)
        return type_, tuple(domain.texts[place] for domain, place in pairs)

    def action_name(self, text: str) -> str:
        """By what `story:` knows an action: its name, else what is chosen (`card`, `number`)."""
        found = actions.parse(self.game, text)
        if found is None:
            return text.partition("(")[0]
        type_, _ = self.parts(found)
        if type_.name or not type_.parameters:
            return type_.name
        chosen = str(type_.parameters[0].of).removeprefix("several ").removesuffix(" kind")
        return chosen if chosen[:1].isalpha() else "number"

    def action_text(self, text: str, viewer: str = "") -> str:
        """The same, of an action that is given as the rules write it."""
        found = actions.parse(self.game, text)
        return clean(words(text)) if found is None else self.action(found, viewer)

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
        bare = _bare(type_)
        if value is None:
            return ""
        if isinstance(bare, Bool):
            return self.speech.yes if value else ""
        if isinstance(bare, Int):
            return str(value)
        texts = self.texts(bare)
        return self.word(texts[value]) if 0 <= value < len(texts) else str(value)

    def texts(self, type_: Type) -> tuple[str, ...]:
        """The names of all values of a type that has names."""
        game = self.game
        match _bare(type_):
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


def _names_of_parameters(game: Game) -> dict[int, tuple[str, ...]]:
    """By action: what its parameters are called where it is first offered."""
    found: dict[int, tuple[str, ...]] = {}
    for instruction in game.code:
        if isinstance(instruction, Choose):
            for option in instruction.options:
                found.setdefault(option.action, tuple(each.name for each in option.binders))
    return found


def _sorted_by(kind: Kind, columns: Sequence[str]) -> dict[str, int]:
    """By row: its place among the rows when they are sorted by these columns."""
    values = {name: column for name, _, column in kind.columns}

    def key(row: int) -> list[int]:
        return [-1 if (value := values[name][row]) is None else value for name in columns]

    return {kind.rows[row]: at for at, row in enumerate(sorted(range(len(kind.rows)), key=key))}


def _tidy(text: str) -> str:
    """A rule as it is written, a little more like words."""
    return text.replace("()", "").replace("_", " ")


def _plural(word: str) -> str:
    return word if word.endswith("s") else word + "s"


def is_player(type_: Type) -> bool:
    """Whether a type is that of a player, or none."""
    return isinstance(_bare(type_), Player)


def _bare(type_: Type) -> Type:
    return type_.inner if isinstance(type_, Optional) else type_

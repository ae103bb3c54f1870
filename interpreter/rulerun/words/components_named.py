"""What components are called: by their rows, by what is printed on them and has become of them.

Assumes a game, its words in some language, and components by name, as observations and events give
them.
Does: calls a card by its row and its first column that says more than the name (`prince 7`), or as
the rules format it; puts what is printed on it, rules included, into words.
Leaves behind clean texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rulerun.runtime.phrases import (
    OTHER,
    Filling,
    count_form,
    filled,
    one_line,
    places,
)
from rulerun.runtime.wording import words
from rulerun.views.observation import Seen
from rulerun.words.names_of_things import Names, tidy
from rulerun_dsl.model import NO_TEXT, Game, Kind, Words
from rulerun_dsl.model.valuetypes import (
    Bool,
    Int,
    bare,
)
from rulerun_dsl.source.safe_text import clean

A = TypeVar("A")
T = TypeVar("T")

_BEGINNING = re.compile(r"(?<=[.!?] )[^\W\d_]")
_CALL = re.compile(r"(\w+)(?:\(([^()]*)\))?")
_CALLED_WITH = re.compile(r"(?<=[(,])[^(),]*\([^()]*\)[^(),]*(?=[),])")
"""An argument that is a call itself: no name that a text could put in."""
_GIVEN = re.compile(r"(\w+)=(\w+)")
_PAIR = re.compile(r"([^\W\d]\w*) (-?\d+)")
"""A value of a column with indexes, as it is printed: `farm 2`."""

_NOTHING_THERE = Filling("", OTHER, False)


class Pieces(Names):
    """The components of one game."""

    def __init__(self, game: Game, words: Words | None = None) -> None:
        """Find the column that each kind of component is called with."""
        super().__init__(game, words)
        self._zones = frozenset(zone.name for zone in game.zones)
        self._places = {
            kind.name: _sorted_by(kind, columns)
            for name, columns in game.view.sorts
            for kind in [self.kinds[name]]
        }
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

    def seen(self, kind: str, component: Seen) -> str:
        """A component as it lies there: `prince 7`, `die (face 4)`."""
        text = self.component(kind, component.text)
        for (name, _), glyphs in self._turned.items():
            if name in (component.row, kind) and "=" not in component.text:
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
            return f"{whole} {self.of_player(self.word(tail[4:]))}"
        tail = _GIVEN.sub(lambda found: self._given(kind, row, found), tail)
        rest = clean(words(tail)).strip()
        return f"{whole} {rest}" if rest else whole

    def _given(self, kind: str, row: str, found: re.Match[str]) -> str:
        """An attribute that tells a component from its like: its glyph, or `turn 0`."""
        glyphs = self._turned.get((row, found[1])) or self._turned.get((kind, found[1]))
        types = {each.name: bare(each.type) for each in self.kinds[kind].attributes}
        type_ = types.get(found[1])
        if glyphs and isinstance(type_, Int) and found[2].isdigit():
            return glyphs[int(found[2]) - type_.low]
        return f"{self.named(f'column {kind}', found[1])} {self.word(found[2])}"

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

    def as_written(self, kind: str) -> set[str]:
        """The columns and rules that a format tells of a component, if there is one that does."""
        return set(places(one_line(self._formats.get(kind, "")))) - {"name"}

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
        if written := self.as_written(kind):
            # It is told as it is written on the table; then what of the rest has words.
            whole = self._formatted(kind, Seen(row, row, None, ()), "")
            name = self.named(f"row {kind}", row)
            rest = whole.removeprefix(name).lstrip(" :").strip()
            told += [] if set(rest.split()) <= set(name.split()) else [rest]
            every = {name for name, _, _ in self.kinds[kind].columns}
            every |= {name for name, _ in self.kinds[kind].printed}
            said |= {
                each for each in every if not self.has_words(f"column {kind} {each}")
            } | written
        for name, type_, column in self.kinds[kind].columns:
            if name in said:
                continue
            text = self.constant(type_, column[place])
            if text and text not in words(row).split():
                label = self.named(f"column {kind}", name)
                told.append(label if text == self.speech.yes else f"{label} {text}")
        for name, texts in self.kinds[kind].printed:
            if texts[place] and name not in said:
                label = self.named(f"column {kind}", name)
                told.append(f"{label}{self.speech.colon} {clean(self.rule(texts[place]))}")
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
        if (named := self._named_values(text)) is not None:
            return named
        steps = [each.strip() for each in text.split(";")]
        said = [self._step(each) for each in steps]
        if any(each == tidy(step) for each, step in zip(said, steps, strict=True)):
            return "; ".join(said)
        return self.speech.listed(said)

    def in_words(self, text: str, values: Mapping[str, str]) -> str:
        """A condition or what is chosen from, in words; nothing if a part of it has none.

        `values`: those of what is named in it; without them nothing is said of that.
        """
        unknown = False

        def argument(found: re.Match[str]) -> str:
            given = values.get(found[0], found[0])
            return given.replace(" ", "_") if "," not in given else found[0]

        def known(place: str) -> Filling:
            nonlocal unknown
            at = int(place) - 1
            given = arguments[at] if at < len(arguments) else ""
            of_the_game = given in self._flat or given in self.game.players
            unknown |= not (of_the_game or given in values or given.lstrip("-").isdigit())
            return Filling(given)

        for part in re.split(r" and | or |;", text):
            call = _CALL.fullmatch(_CALLED_WITH.sub("…", part.strip()))
            if call is None or not self.rule_name(call[1]):
                return ""
            arguments = [each.strip() for each in (call[2] or "").split(",")]
            filled(self.rule_name(call[1]), known)
        told = re.sub(r"(?<=[(, ])[a-z]\w*(?=[,)])", argument, text)
        return "" if unknown else self.rule(told)

    def _named_values(self, text: str) -> str | None:
        """Values of a column with indexes, each by its name: `hunt, mark; a path tile`."""
        parts = [[each.strip() for each in part.split(",")] for part in text.split(";")]
        nothing = {"none": self.speech.none}
        known = {each for part in parts for each in part}
        if not known & self._flat.keys() or not known <= self._flat.keys() | nothing.keys():
            return None
        return self.speech.and_so.join(
            ", ".join(nothing.get(each) or self.word(each) for each in part) for part in parts
        )

    def _step(self, text: str) -> str:
        """One step or condition of a rule: calls that have words, with `and` between."""
        for sign, word in ((" and ", self.speech.conjunction), (" or ", self.speech.alternative)):
            if sign in text:
                return f" {word} ".join(self._step(each) for each in text.split(sign))
        call = _CALL.fullmatch(_CALLED_WITH.sub("…", text))
        said = self.rule_name(call[1]) if call is not None else ""
        if call is None or not said:
            return tidy(text)
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


def _sorted_by(kind: Kind, columns: Sequence[str]) -> dict[str, int]:
    """By row: its place among the rows when they are sorted by these columns."""
    values = {name: column for name, _, column in kind.columns}

    def key(row: int) -> list[int]:
        return [-1 if (value := values[name][row]) is None else value for name in columns]

    return {kind.rows[row]: at for at, row in enumerate(sorted(range(len(kind.rows)), key=key))}

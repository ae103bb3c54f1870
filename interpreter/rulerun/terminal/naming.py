"""What things are called: players, cards with what is printed on them, values.

Assumes a game and names as observations and events give them: texts of the rules.
Does: puts them into words for people. A card is called by its row and its first column that says
more than the name does (`prince 7`); the other columns are shown on request.
Leaves behind clean texts; nothing of the state is seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rulerun.runtime import actions
from rulerun.runtime.wording import person, words
from rulerun.terminal.formatting import listed
from rulerun.views.observation import Json, Seen
from rulerun_dsl.model import ActionType, Choose, Game, Kind
from rulerun_dsl.model.valuetypes import (
    Bool,
    Component,
    Direction,
    Enum,
    Int,
    Optional,
    Player,
    Row,
    Site,
    Type,
    bare,
)
from rulerun_dsl.source.safe_text import clean

HIDDEN = "[?]"
NOTHING = "-"

_NAME = re.compile(r"<([^<>]*)>")
_BRACKETS = re.compile(r"(\[[^\[\]]*\])")


class Labels:
    """The names of one game."""

    def __init__(self, game: Game) -> None:
        """Find the column that each kind of component is called with."""
        self.game = game
        self.kinds = {kind.name: kind for kind in game.kinds}
        self._formats = dict(game.view.formats)
        self._turned = {(name, attribute): glyphs for name, attribute, glyphs in game.view.turned}
        self._main = {
            kind.name: {} if kind.name in self._formats else self._main_column(kind)
            for kind in game.kinds
        }
        self._chosen = _names_of_parameters(game)

    # ------------------------------------------------------------------------------- players

    def player(self, name: str) -> str:
        """A player: `Yarg`."""
        return clean(person(name))

    def players(self, names: Iterable[str]) -> str:
        """Several players: `Yarg and Applewood`."""
        return listed([self.player(name) for name in names])

    def word(self, text: str) -> str:
        """A name of the rules, or a player's, for people."""
        return self.player(text) if text in self.game.players else clean(words(text))

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
            values[name] = name if text == "yes" else text
            if text == "0" and not isinstance(type_, Optional):
                zeros.add(name)
        values |= {name: _tidy(texts[place]) for name, texts in self.kinds[kind].printed}

        def filled(part: str) -> tuple[str, bool]:
            """A part with its values, and whether each of them is something."""
            found = [values.get(name) and name not in zeros for name in _NAME.findall(part)]
            text = _NAME.sub(lambda match: values.get(match[1], ""), part)
            return text, all(found)

        text = ""
        for part in _BRACKETS.split(self._formats[kind]):
            inside, whole = filled(part[1:-1] if part.startswith("[") else part)
            text += inside if whole or not part.startswith("[") else ""
        return words(clean(text))

    def _said(self, value: Json) -> str:
        """A value of an attribute; nothing for what is none or false."""
        return "" if (value in (None, False) and value != 0) or value == [] else self.value(value)

    def marks(self, component: Seen) -> str:
        """What has become of a component: `face 4, tapped`. What is not so is not said."""
        return ", ".join(
            clean(words(name)) if value is True else f"{clean(words(name))} {self.value(value)}"
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
        whole = clean(words(row))
        if alone and row.isdigit():
            whole = f"{clean(words(kind))} {whole}"
        value = self._main[kind].get(row)
        if value and value not in words(whole).split():
            whole += f" {value}"
        if tail.startswith(" of "):
            return f"{whole} of {self.word(tail[4:])}"
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

    def details(self, kind: str, row: str) -> str:
        """All that is printed on a component: `value 7, worth 1, raises 0`."""
        place = self.kinds[kind].rows.index(row)
        told = []
        for name, type_, values in self.kinds[kind].columns:
            text = self.constant(type_, values[place])
            if text and text not in words(row).split():
                told.append(clean(words(name)) if text == "yes" else f"{clean(words(name))} {text}")
        for name, texts in self.kinds[kind].printed:
            if texts[place]:
                told.append(clean(f"{words(name)}: {_tidy(texts[place])}"))
        return ", ".join(told)

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

    def action(self, action: int) -> str:
        """An action for people: `play prince 7`."""
        type_, _ = self.parts(action)
        return f"{clean(words(type_.name))} {self.action_values(action)}".strip()

    def action_values(self, action: int) -> str:
        """What an action is about: `prince 7`."""
        type_, values = self.parts(action)
        texts = [
            self.component(domain.of.kind, text)
            if isinstance(domain.of, Component) and not domain.multisets
            else self.word(text)
            for domain, text in zip(type_.parameters, values, strict=True)
        ]
        return ", ".join(texts)

    def parameters(self, action: int) -> tuple[str, tuple[str, ...]]:
        """An action's name and its values; a number is told with what it is: `space 2`."""
        type_, values = self.parts(action)
        names = self._chosen.get(actions.split(self.game, action)[0], ())
        told = []
        for at, (domain, text) in enumerate(zip(type_.parameters, values, strict=True)):
            if isinstance(domain.of, Component) and not domain.multisets:
                told.append(self.component(domain.of.kind, text))
            elif isinstance(domain.of, Int) and at < len(names):
                told.append(f"{clean(words(names[at])).replace('_', ' ')} {self.word(text)}")
            else:
                told.append(self.word(text))
        return clean(words(type_.name)), tuple(told)

    def parts(self, action: int) -> tuple[ActionType, tuple[str, ...]]:
        """An action's type, and its values as the rules write them."""
        number, places = actions.split(self.game, action)
        type_ = self.game.actions[number]
        pairs = zip(type_.parameters, places, strict=True)
        return type_, tuple(domain.texts[place] for domain, place in pairs)

    def action_text(self, text: str) -> str:
        """The same, of an action that is given as the rules write it."""
        found = actions.parse(self.game, text)
        return clean(words(text)) if found is None else self.action(found)

    # -------------------------------------------------------------------------------- values

    def value(self, plain: Json) -> str:
        """A value of the state."""
        match plain:
            case None:
                return NOTHING
            case bool():
                return "yes" if plain else "no"
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
            return "yes" if value else ""
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


def _names_of_parameters(game: Game) -> dict[int, tuple[str, ...]]:
    """By action: what its parameters are called where it is first offered."""
    found: dict[int, tuple[str, ...]] = {}
    for instruction in game.code:
        if isinstance(instruction, Choose):
            for option in instruction.options:
                found.setdefault(option.action, tuple(each.name for each in option.binders))
    return found


def _tidy(text: str) -> str:
    """A rule as it is written, a little more like words."""
    return text.replace("()", "").replace("_", " ")


def is_player(type_: Type) -> bool:
    """Whether a type is that of a player, or none."""
    return isinstance(bare(type_), Player)

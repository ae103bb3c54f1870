"""Signs and colours: how a name of the rules looks on a board.

Assumes the hints of a rules file (`view:`), which are checked.
Does: finds the glyph and the colour of a piece or value, and makes short texts for what has none.
Players have a colour of their own unless the rules give them one.
Leaves behind signs: a short text, its colour, and what it stands for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from rulerun.views.observation import Json, Seen, SeenVariable, SeenZone
from rulerun.words.labels import Labels
from rulerun_dsl.diagnostics.render import columns_of
from rulerun_dsl.model import Kind
from rulerun_dsl.model.valuetypes import Component, Enum, Int, Row, Type, bare
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean

BACK = "?"
"""A piece whose face is not seen."""

_FOR_PLAYERS = ("green", "magenta", "cyan", "yellow", "blue", "red", "white")


@frozen
class Sign:
    """A short text on a board."""

    text: str
    meaning: str = ""
    """For the legend; nothing if it speaks for itself."""
    colour: str = ""
    strong: bool = False
    every: str = ""
    """All signs with this meaning, for the legend."""
    icon: str = ""
    """The picture that may stand for the text."""


class Glyphs:
    """The signs of one game."""

    def __init__(self, names: Labels, icons: Collection[str] = ()) -> None:
        """Take the hints of the game, and give each player a colour; `icons`: what has pictures."""
        self.names = names
        self._icons = icons
        view = names.game.view
        self.glyphs = {name: clean(text) for name, text in view.glyphs}
        self.colours = dict(view.colours)
        self._turned = {
            name: (attribute, [clean(text) for text in signs])
            for name, attribute, signs in view.turned
        }
        self._signs: dict[tuple[str, int], dict[str, Sign]] = {}
        """By kind and room."""
        taken = set(self.colours.values())
        free = sorted(_FOR_PLAYERS, key=lambda each: each in taken)
        for at, player in enumerate(names.game.players):
            self.colours.setdefault(player, free[at % len(free)])

    def glyph(self, *keys: str) -> str:
        """The glyph of the first of these that has one."""
        return next((self.glyphs[key] for key in keys if key in self.glyphs), "")

    def icon(self, *keys: str) -> str:
        """The first of these that has a picture."""
        return next((key for key in keys if key in self._icons), "")

    def colour(self, *keys: str | None) -> str:
        """The colour of the first of these that has one."""
        return next((self.colours[key] for key in keys if key in self.colours), "")

    # ---------------------------------------------------------------------------------- pieces

    def piece(self, kind: str, seen: Seen) -> str:
        """A piece by its name on a board: `white king`."""
        # A kind without rows has one of its own name.
        alone = seen.row == kind
        name = self.names.kind(kind) if alone else self.names.named(f"row {kind}", seen.row)
        if seen.owner is None or seen.text == seen.row:
            return name
        # A kind without rows is called by its owner alone.
        owner = self.names.word(seen.owner)
        return owner if seen.row == kind else f"{owner} {name}"

    def possible(self, kind: Kind) -> Iterator[Seen]:
        """Every piece of a kind."""
        owners = () if kind.owner is None else self.names.texts(kind.owner)
        for row in kind.rows:
            for owner in owners or (None,):
                yield Seen(f"{row} of {owner}" if owner else row, row, owner)

    def signs_of(self, kind: Kind, room: int) -> Mapping[str, Sign]:
        """The sign of each piece of a kind, by its name on a board."""
        key = kind.name, room
        if key not in self._signs:
            self._signs[key] = self._made(kind, room)
        return self._signs[key]

    def _made(self, kind: Kind, room: int) -> dict[str, Sign]:
        every = {self.piece(kind.name, each): each for each in self.possible(kind)}
        given = {text: found for text, each in every.items() if (found := self._given(kind, each))}
        short = codes(every, room, given)
        return {
            text: Sign(
                short[text],
                text if short[text] != text else "",
                self.colour(f"{each.owner} {each.row}", each.row, each.owner, kind.name),
                each.owner is not None,
                icon=self.icon(f"{each.owner} {each.row}", each.row, kind.name),
            )
            for text, each in every.items()
        }

    def _given(self, kind: Kind, seen: Seen) -> str:
        """The glyph of a piece, if there is one: its own, or that of what it is and whose."""
        if seen.owner is None:
            return self.glyph(seen.row, kind.name)
        if pair := self.glyph(f"{seen.owner} {seen.row}"):
            return pair
        own, owner = self.glyph(seen.row, kind.name), self.glyph(seen.owner)
        if not own:
            return owner if len(kind.rows) == 1 else ""
        return own + (owner or self._initials(kind)[self.names.word(seen.owner)])

    def _initials(self, kind: Kind) -> dict[str, str]:
        assert kind.owner is not None
        return codes(map(self.names.word, self.names.texts(kind.owner)), 2)

    def of_actions(self, actions: Iterable[int]) -> dict[int, str]:
        """The glyphs of what actions name, by action, where one names one thing that has a glyph.

        Where all have the same glyph it tells nothing.
        """
        found = {each: sign for each in actions if (sign := self._of_action(each))}
        return found if len(found) == 1 or len(set(found.values())) > 1 else {}

    def _of_action(self, action: int) -> str:
        type_, texts = self.names.parts(action)
        if len(texts) != 1 or type_.parameters[0].element is not None:
            return ""
        text = texts[0]
        match bare(type_.parameters[0].of):
            case Component(kind) | Row(kind) if found := self.names.row_of(kind, text):
                row, rest = found
                if turned := self._turned.get(row) or self._turned.get(kind):
                    # How it lies is part of its name where that tells it from others.
                    sign = "" if "=" in rest else "".join(dict.fromkeys(turned[1]))
                else:
                    sign = self.glyph(row, kind)
            case Enum():
                sign = self.glyph(text)
            case _:
                sign = ""
        return "" if sign in self.names.action(action).split() else sign

    def marks(self, seen: Seen) -> list[Sign]:
        """What has become of a piece, as far as that has a glyph."""
        return [
            Sign(self.glyphs[name], self.names.word(name), self.colour(name))
            for name, value in seen.attributes
            if value is True and name in self.glyphs
        ]

    def unmarked(self, seen: Seen) -> Seen:
        """The same piece without what its signs say."""
        turned = self._turned.get(seen.row, ("", []))[0]
        rest = tuple(
            each
            for each in seen.attributes
            if (each[1] is not True or each[0] not in self.glyphs) and each[0] != turned
        )
        return Seen(seen.text, seen.row, seen.owner, rest)

    def zone(self, zone: SeenZone, kind: Kind, room: int) -> list[tuple[Sign, ...]]:
        """What lies on a site: each sign once, with how many there are; last what is hidden."""
        signs = self.signs_of(kind, room)
        shown = zone.components if zone.components is not None else zone.known
        counted: dict[tuple[Sign, ...], int] = {}
        for each in shown:
            sign = self._as_it_lies(kind, each, signs[self.piece(kind.name, each)])
            whole = (sign, *self.marks(each))
            counted[whole] = counted.get(whole, 0) + 1
        found = [
            whole if count == 1 else (*whole, number(whole[-1], count))
            for whole, count in counted.items()
        ]
        if zone.components is None and zone.count != 0:
            glyph, colour = self.glyph(kind.name), self.colour(kind.name)
            back = [Sign(glyph, self.names.kind(kind.name), colour)] if glyph else []
            back.append(Sign(BACK, self.names.speech.hidden, colour))
            left = (zone.count or 1 + len(zone.known)) - len(zone.known)
            if not left:
                return found
            found.append((*back, number(back[-1], left)) if left > 1 else tuple(back))
        return found

    def _as_it_lies(self, kind: Kind, seen: Seen, sign: Sign) -> Sign:
        """The sign of a piece that has one for each value of an attribute."""
        key = seen.row if seen.row in self._turned else kind.name
        if key not in self._turned:
            return sign
        name, signs = self._turned[key]
        type_ = next(each.type for each in kind.attributes if each.name == name)
        lies = dict(seen.attributes)
        if name not in lies:
            # It is known, not seen: how it lies is not.
            return sign
        value = lies[name]
        if isinstance(value, bool):
            place = int(value)
        elif isinstance(value, int):
            place = value - type_.low if isinstance(type_, Int) else value
        else:
            texts = self.names.texts(type_)
            place = texts.index(value) if value in texts else 0
        every = "".join(dict.fromkeys(signs))
        name = self.piece(kind.name, seen)
        return Sign(signs[place], name, sign.colour, sign.strong, every)

    # ---------------------------------------------------------------------------------- values

    def value(self, type_: Type, value: Json, room: int) -> Sign | None:
        """A value of a variable, or none for what is nothing."""
        if value in (None, False):
            return None
        if value is True:
            return Sign("x")
        if not isinstance(value, str):
            return Sign(self.names.value(value))
        every = self.names.texts(type_)
        known = {self.names.word(each): self.glyphs[each] for each in every if each in self.glyphs}
        text = self.names.word(value)
        short = codes([*map(self.names.word, every), text], room, known)[text]
        owned = value in self.names.game.players
        meaning = text if short != text else ""
        return Sign(short, meaning, self.colour(value), owned, icon=self.icon(value))

    def variable(self, variable: SeenVariable, type_: Type, room: int) -> list[Sign]:
        """A variable of a site, on a map: what it is, and its value."""
        sign = self.value(type_, variable.value, room)
        if sign is None:
            return []
        name, glyph = self.names.variable(variable.family), self.glyph(variable.family)
        colour = self.colour(variable.family)
        if variable.value is True:
            return [Sign(glyph or name, name if glyph else "", colour)]
        return [Sign(glyph or f"{name} ", name if glyph else "", colour), sign]


def number(before: Sign, count: int) -> Sign:
    """How many there are, behind a sign."""
    return Sign(f"×{count}" if before.text[-1:].isdigit() else str(count), "", before.colour)


def legend(signs: Iterable[Sign]) -> list[str]:
    """What the signs mean, each once."""
    return list(
        dict.fromkeys(
            f"{sign.every or sign.text} {sign.meaning}"
            for sign in signs
            if sign.meaning and not sign.text.endswith(sign.meaning)
        )
    )


def codes(
    texts: Iterable[str], room: int, glyphs: Mapping[str, str] | None = None
) -> dict[str, str]:
    """A short text for each, all different: the text itself if all fit in `room` columns.

    >>> codes(["white man", "white king", "black man"], 3)
    {'white man': 'wm', 'white king': 'wk', 'black man': 'bm'}
    """
    glyphs = glyphs or {}
    every = list(dict.fromkeys(texts))
    whole = max(map(columns_of, every), default=0) <= room
    taken: set[str] = set()
    found: dict[str, str] = {}
    for text in every:
        if text in glyphs:
            code = glyphs[text]
        elif whole or columns_of(text) <= 2:
            code = text
        else:
            code = next(each for each in _candidates(text) if each not in taken)
        taken.add(code)
        found[text] = code
    return found


def _candidates(text: str) -> Iterable[str]:
    words = text.split()
    if len(words) > 1:
        yield "".join(word[0] for word in words)
    letters = "".join(words)
    for length in range(1, len(letters) + 1):
        yield letters[:length]
    number = 1
    while True:
        number += 1
        yield f"{letters}{number}"

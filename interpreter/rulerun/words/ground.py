"""What is printed on the sites of boards, in signs.

Assumes a game with hints for screens (`view: shows`), which are checked.
Leaves behind the signs and the colour of each site.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulerun.words.labels import Labels
from rulerun.words.signs import Glyphs, Sign
from rulerun_dsl.model import Board
from rulerun_dsl.model.valuetypes import Bool, Int, Type, bare


class Ground:
    """The boards of one game, as they are printed."""

    def __init__(self, names: Labels, glyphs: Glyphs) -> None:
        """Take names and glyphs."""
        self.names = names
        self.glyphs = glyphs

    def signs(self, board: Board, place: int, *, coloured: bool = True) -> Iterable[Sign]:
        """What `shows:` of a site has a sign. Without colours those that are one are words."""
        for name, type_, value in self._shown(board, place):
            text = self.names.constant(type_, value)
            if not text:
                continue
            key = self._key(name, type_, value)
            glyph, colour = self.glyphs.glyph(key), self.glyphs.colour(key)
            if glyph:
                column = f"column {board.name}"
                meaning = self.names.named(column, name) if key == name else self.names.word(key)
                # A glyph of a column of numbers says which number it is of them.
                number = text if isinstance(bare(type_), Int) else ""
                yield Sign(glyph + number, meaning, colour, every=glyph if number else "")
            elif not self._has_signs(type_) and not (colour and coloured):
                yield Sign(f" {text}", "", colour)

    def colour(self, board: Board, place: int) -> str:
        """The colour of a site: that of the first value of `shows:` that has one."""
        keys = [
            self._key(name, type_, value)
            for name, type_, value in self._shown(board, place)
            if self.names.constant(type_, value)
        ]
        return self.glyphs.colour(*keys)

    def _shown(self, board: Board, place: int) -> Iterable[tuple[str, Type, int | None]]:
        for name, column, type_, values in self.names.game.view.shows:
            if name == board.name:
                yield column, type_, values[place]

    def _key(self, column: str, type_: Type, value: int | None) -> str:
        """What to look a value up by: its own name, or its column's."""
        there = bare(type_)
        texts = self.names.texts(there)
        return column if isinstance(there, Bool) or not texts else texts[value or 0]

    def _has_signs(self, type_: Type) -> bool:
        """Whether a value of a type has a glyph: then one without has none on purpose."""
        return any(text in self.glyphs.glyphs for text in self.names.texts(type_))

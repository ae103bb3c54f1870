"""What stands on the sides of cells, in signs: walls, doors, ways out, roads.

Assumes a game whose `view: sides` says which board is the sides of which grid, and an observation.
The site in row r and column c of that board is a side where r + c is odd: of the cell in row R and
column C the north side is in row 2R - 1 and column 2C, the west side in row 2R and column 2C - 1.
Leaves behind a `Side` for each on which something stands, for whatever draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulerun.views.observation import SeenVariable, SeenZone
from rulerun.words.ground import Ground
from rulerun.words.labels import Labels
from rulerun.words.signs import Glyphs, Sign
from rulerun_dsl.source.frozen import frozen

Thing = SeenZone | SeenVariable


@frozen
class Side:
    """A side of a cell, or of two, and what stands there."""

    row: int
    column: int
    """Of the board of sides, which has twice as many as that of the cells, and one."""
    signs: tuple[Sign, ...]
    """None where it is a stroke: what is true and has no glyph."""

    @property
    def level(self) -> bool:
        """Whether it lies between a cell and the one below."""
        return self.row % 2 == 1


class Sides:
    """The sides of the boards of one game."""

    def __init__(self, names: Labels, glyphs: Glyphs, ground: Ground) -> None:
        """Know which board is the sides of which."""
        self.names = names
        self.glyphs = glyphs
        self.ground = ground
        game = names.game
        boards = {board.name: board for board in game.boards}
        self._boards = [(boards[name], cells) for name, cells in game.view.sides]
        self._variables = {variable.name: variable for variable in game.variables}
        self.of = dict(game.view.sides)
        """By the name of a board of sides: that of the cells."""

    def on(
        self, cells: str, owner: str, things: Sequence[Thing] = (), *, coloured: bool = True
    ) -> list[Side]:
        """What stands on the sides of a board, as it is drawn of one owner or of nobody.

        `things` lie on boards of sides; those of other owners are left out.
        """
        found = []
        players = self.names.game.players
        for board, of in self._boards:
            if of != cells:
                continue
            lying: dict[str, list[Thing]] = {}
            for thing in things:
                whose = [text for text in thing.indexes if text in players]
                site = next((text for text in thing.indexes if text in board.sites), None)
                if site is not None and (not whose or owner in whose):
                    lying.setdefault(site, []).append(thing)
            for place, site in enumerate(board.sites):
                signs = [*self.ground.signs(board, place, coloured=coloured)]
                inside = [self._signs(thing) for thing in lying.get(site, ())]
                signs += [sign for each in inside for sign in each or ()]
                if signs or None in inside:
                    found.append(Side(board.rows[place], board.columns[place], tuple(signs)))
        return found

    def _signs(self, thing: Thing) -> Iterable[Sign] | None:
        """What is drawn for a thing; none for a stroke."""
        if isinstance(thing, SeenZone):
            kind = self.names.kinds[thing.kind]
            return [sign for each in self.glyphs.zone(thing, kind, 1) for sign in each]
        type_ = self._variables[thing.family].type
        if thing.value is True:
            glyph = self.glyphs.glyph(thing.family)
            name, colour = self.names.variable(thing.family), self.glyphs.colour(thing.family)
            return [Sign(glyph, name, colour)] if glyph else None
        sign = self.glyphs.value(type_, thing.value, 1)
        return [] if sign is None else [sign]

"""Boards as a browser draws them: where each site is, what touches it, what lies there.

Assumes an observation, and boards with rows and columns, with a map in `view:`, or round ones.
Does: gives each site a place on a plane: of a grid its row and column, of a hex board the same
slanted, on a map where its name stands, on a ring or a graph without a map on a circle.
Leaves behind plain data; lengths are in cells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rulerun.views.observation import Observation, SeenVariable, SeenZone
from rulerun.web.clicking import Keys
from rulerun.web.kept import Kept
from rulerun.words.ground import Ground
from rulerun.words.labels import Labels
from rulerun.words.sides import Side, Sides
from rulerun.words.signs import Glyphs, Sign
from rulerun_dsl.model import Board, Map
from rulerun_dsl.model.valuetypes import Player, Site, Type

Data = dict[str, object]
Thing = SeenZone | SeenVariable

_ROUND = ("ring", "graph")
_WIDE = 0.14
"""How far a column of a map is, in cells."""
_HIGH = 1.05
"""How far a line of a map is."""
_ROOM = 3
MOST_CELLS = 16_384
"""So many looks of sites are kept."""


class Boards:
    """The boards of one game."""

    def __init__(self, names: Labels, glyphs: Glyphs, keys: Keys) -> None:
        """Lay out each board once."""
        self.names = names
        self.glyphs = glyphs
        self.keys = keys
        self.ground = Ground(names, glyphs)
        self.sides = Sides(names, glyphs, self.ground)
        game = names.game
        self._zones = {family.name: family for family in game.zones}
        self._variables = {variable.name: variable for variable in game.variables}
        maps = {each.board: each for each in game.view.maps}
        self._boards = {
            board.name: board
            for board in game.boards
            if board.name in maps or board.shape in ("grid", "hex", *_ROUND)
        }
        self._places = {name: places(board, maps.get(name)) for name, board in self._boards.items()}
        self._mapped = maps.keys()
        self._cells: Kept[Data] = Kept(MOST_CELLS)
        self._drawings: dict[str, tuple[str, str, str] | None] = {}
        """By the name of a zone or variable: where it is drawn, if it is."""

    def holds(self, types: Sequence[Type]) -> bool:
        """Whether what has these indexes is drawn on a board."""
        return self._board(types) is not None

    def _board(self, types: Sequence[Type]) -> Board | None:
        found = [type_.board for type_ in types if isinstance(type_, Site)]
        return self._boards.get(found[0]) if len(found) == 1 else None

    def drawn(self, seen: Observation, hidden: frozenset[str]) -> list[Data]:
        """All boards on which something lies, or could."""
        groups: dict[tuple[str, str, str], list[Thing]] = {}
        things: list[Thing] = [*seen.variables, *seen.zones]
        for thing in things:
            group = self._drawn_in(thing)
            if group is not None and thing.family not in hidden:
                groups.setdefault(group, []).append(thing)
        drawn_as_grids = {board for board, _, _ in groups if board not in self._mapped}
        lying = {
            group: things
            for group, things in groups.items()
            if self.sides.of.get(group[0]) in drawn_as_grids
        }
        on_sides = [each for things in lying.values() for each in things]
        drawings = [
            (board, caption, self._draw(self._boards[board], owner, caption, things, on_sides))
            for (board, owner, caption), things in groups.items()
            if (board, owner, caption) not in lying
        ]
        # Of several drawings of one board those are left out on which nothing lies; but where one
        # player has a board, the others have theirs.
        full = {(board, caption) for board, caption, drawing in drawings if _anything(drawing)}
        lain_on = {board for board, _ in full}
        return [
            drawing
            for board, caption, drawing in drawings
            if (board, caption) in full or board not in lain_on
        ]

    def _types(self, thing: Thing) -> tuple[Type, ...]:
        families = self._zones if isinstance(thing, SeenZone) else self._variables
        return tuple(families[thing.family].indexes)

    def _drawn_in(self, thing: Thing) -> tuple[str, str, str] | None:
        if thing.name not in self._drawings:
            types = self._types(thing)
            board = self._board(types)
            found = None if board is None else self._group(board, thing, types)
            self._drawings[thing.name] = found
        return self._drawings[thing.name]

    def _group(self, board: Board, thing: Thing, types: Sequence[Type]) -> tuple[str, str, str]:
        """Which drawing a thing belongs to: a board, whose, and what it is called."""
        if board.name in self._mapped or board.shape in _ROUND:
            return board.name, "", ""
        rest = [
            text
            for type_, text in zip(types, thing.indexes, strict=True)
            if not (isinstance(type_, Site) and type_.board == board.name)
        ]
        owner = next((each for each in rest if each in self.names.game.players), "")
        others = [self.names.word(each) for each in rest if each != owner]
        is_zone = isinstance(thing, SeenZone)
        name = (self.names.zone if is_zone else self.names.variable)(thing.family)
        # What belongs to nobody lies on the board itself.
        return board.name, owner, " ".join([name, *others]) if owner or others else ""

    def _whose(self, thing: Thing) -> str:
        """The player to whom a thing belongs; nobody: ""."""
        pairs = zip(self._types(thing), thing.indexes, strict=True)
        return next((text for type_, text in pairs if isinstance(type_, Player)), "")

    def _draw(
        self,
        board: Board,
        owner: str,
        caption: str,
        things: Sequence[Thing],
        on_sides: Sequence[Thing],
    ) -> Data:
        spots, edges = self._places[board.name]
        on: dict[str, list[Thing]] = {site: [] for site in board.sites}
        for thing in things:
            on[next(text for text in thing.indexes if text in on)].append(thing)
        shape = "map" if board.name in self._mapped or board.shape in _ROUND else board.shape
        return {
            "name": board.name,
            "title": caption,
            "owner": owner,
            "shape": shape,
            "edges": edges if shape == "map" else [],
            "sides": [_side(each) for each in self.sides.on(board.name, owner, on_sides)]
            if shape == "grid"
            else [],
            "cells": [
                self._cell(board, owner, place, spots[place], tuple(on[site]))
                for place, site in enumerate(board.sites)
            ],
        }

    def _cell(
        self,
        board: Board,
        owner: str,
        place: int,
        spot: tuple[float, float],
        on: tuple[Thing, ...],
    ) -> Data:
        return self._cells.of(
            (board.name, owner, place),
            on,
            lambda *on: self._new_cell(board, owner, place, spot, on),
        )

    def _new_cell(
        self, board: Board, owner: str, place: int, spot: tuple[float, float], on: Sequence[Thing]
    ) -> Data:
        site = board.sites[place]
        keys = self.keys.site(board.name, site, owner)
        for thing in on:
            if isinstance(thing, SeenZone):
                for each in thing.components or ():
                    keys += self.keys.component(thing.kind, each, thing.family, self._whose(thing))
        named = f"site {board.name} {site}"
        return {
            "site": self.names.word(site),
            "x": spot[0],
            "y": spot[1],
            "keys": list(dict.fromkeys(keys)),
            "colour": self.ground.colour(board, place),
            "printed": [_sign(each) for each in self.ground.signs(board, place)],
            "things": [
                [_sign(sign) for sign in signs] for thing in on for signs in self._signs(thing)
            ],
            "about": self.names.about(named),
            "told": [text for thing in on for text in self._told(thing)],
        }

    def _signs(self, thing: Thing) -> list[tuple[Sign, ...]]:
        others = self._others(thing)
        if isinstance(thing, SeenZone):
            found = self.glyphs.zone(thing, self.names.kinds[thing.kind], _ROOM)
            return [(*others, *each) for each in found]
        type_ = self._variables[thing.family].type
        board = self._board(self._types(thing))
        if board is not None and board.shape in ("grid", "hex") and board.name not in self._mapped:
            sign = self.glyphs.value(type_, thing.value, _ROOM)
            return [] if sign is None else [(sign,)]
        signs = self.glyphs.variable(thing, type_, _ROOM)
        return [(*others, *signs)] if signs else []

    def _others(self, thing: Thing) -> tuple[Sign, ...]:
        """Whose it is, where several players' things share a drawing."""
        board = self._board(self._types(thing))
        if board is None or not (board.name in self._mapped or board.shape in _ROUND):
            return ()
        return tuple(
            Sign(
                f"{self.glyphs.glyph(text) or self.names.word(text)}:",
                "",
                self.glyphs.colour(text),
            )
            for text in thing.indexes
            if text not in board.sites
        )

    def _told(self, thing: Thing) -> list[str]:
        """What lies there in words, for who hovers over it and for who hears the page."""
        if isinstance(thing, SeenVariable):
            if thing.value in (None, False, 0, []):
                return []
            return [f"{self.names.variable(thing.family)}: {self.names.value(thing.value)}"]
        if thing.components is None:
            many = "" if thing.count is None else f" ×{thing.count}"
            return [f"{self.names.kind(thing.kind)}{many}"] if thing.count != 0 else []
        return [self.names.seen(thing.kind, each) for each in thing.components]


def _anything(drawing: Data) -> bool:
    """Whether anything lies on a board as it is drawn."""
    cells = drawing["cells"]
    assert isinstance(cells, list)
    return any(each["things"] for each in cells)


def _side(side: Side) -> Mapping[str, object]:
    """What stands on a side, and where: half a cell from the middle of one."""
    return {
        "x": side.column / 2,
        "y": side.row / 2,
        "level": side.level,
        "signs": [_sign(each) for each in side.signs],
    }


def _sign(sign: Sign) -> Mapping[str, object]:
    shown = {"text": sign.text.strip(), "meaning": sign.meaning, "colour": sign.colour}
    return {**shown, "icon": sign.icon} if sign.icon else shown


def places(
    board: Board, drawn: Map | None
) -> tuple[list[tuple[float, float]], list[tuple[int, int]]]:
    """Where each site is, and which touch, each pair once."""
    edges = [
        (at, other)
        for at, others in enumerate(board.neighbours)
        for other in others
        if at < other or at not in board.neighbours[other]
    ]
    if drawn is not None:
        return _on_map(board, drawn), edges
    if board.shape == "hex":
        pairs = zip(board.rows, board.columns, strict=True)
        return [(column + row / 2, row * math.sqrt(3) / 2) for row, column in pairs], edges
    if board.shape == "grid":
        return [(float(x), float(y)) for y, x in zip(board.rows, board.columns, strict=True)], edges
    many = len(board.sites)
    radius = max(1.5, many * 1.3 / (2 * math.pi))
    angles = [2 * math.pi * at / many - math.pi / 2 for at in range(many)]
    return [(radius * math.cos(each), radius * math.sin(each)) for each in angles], edges


def _on_map(board: Board, drawn: Map) -> list[tuple[float, float]]:
    """Where the names of the sites stand; what a map has no place for comes below it."""
    found: dict[str, tuple[float, float]] = {}
    for line, pieces in enumerate(drawn.lines):
        column = 0
        for piece in pieces:
            if piece.site is not None:
                wide = len(piece.site)
                found.setdefault(piece.site, ((column + wide / 2) * _WIDE, line * _HIGH))
            column += len(piece.text)
    below = len(drawn.lines) * _HIGH
    return [found.get(site, (at * 1.2, below)) for at, site in enumerate(board.sites)]

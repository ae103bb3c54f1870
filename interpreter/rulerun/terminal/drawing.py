"""What lies on boards, drawn: on the maps of the rules file, else as grids and hexes.

Assumes the zones and variables of an observation that have one site among their indexes.
Does: gathers everything on a site into its cell of the map. Without a map that fits, each family
on a grid has a picture of its own, and what is too wide for the screen is listed.
Leaves behind blocks of lines, and lists for the lower part of the screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field

from rulerun.terminal.board_grids import DRAWN, EMPTY, draw
from rulerun.terminal.formatting import Paint, flow, width_of
from rulerun.terminal.maps import Cell, draw_map, signs_in, width_of_map
from rulerun.views.observation import Observation, SeenVariable, SeenZone
from rulerun.words.ground import Ground
from rulerun.words.labels import HIDDEN, NOTHING, Labels
from rulerun.words.sides import Side, Sides
from rulerun.words.signs import Glyphs, Sign, legend
from rulerun_dsl.model import Board, StateVariable, ZoneFamily
from rulerun_dsl.model.valuetypes import Site, Type
from rulerun_dsl.source.frozen import slotted

Thing = SeenZone | SeenVariable

_WIDEST_CELL = 3
_NARROWEST_NOTES = 24
_MOST_NOTES = 3
"""Lines of a legend below a picture; what takes more has the width of the screen."""


@slotted
class Drawn:
    """Pictures, and what had to be listed: a label and items."""

    blocks: list[list[str]] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    """Whose each picture is; nothing where it is everybody's."""
    notes: list[str] = field(default_factory=list)
    """What the signs of several pictures mean."""
    lists: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)


class Drawer:
    """Draws the boards of one game."""

    def __init__(self, names: Labels, width: int, paint: Paint) -> None:
        """Take the maps that fit the screen."""
        self.names = names
        self.width = width
        self.paint = paint
        self.glyphs = Glyphs(names)
        self.ground = Ground(names, self.glyphs)
        self.sides = Sides(names, self.glyphs, self.ground)
        game = names.game
        self._zones = {family.name: family for family in game.zones}
        self._variables = {variable.name: variable for variable in game.variables}
        self._boards = {board.name: board for board in game.boards}
        self._maps = {each.board: each for each in game.view.maps if width_of_map(each) <= width}

    def board(self, types: Sequence[Type]) -> Board | None:
        """The board to draw a family on, if just one of its indexes is a site of such a board."""
        boards = [self._boards[type_.board] for type_ in types if isinstance(type_, Site)]
        drawn = [board for board in boards if board.name in self._maps or board.shape in DRAWN]
        return drawn[0] if len(drawn) == 1 else None

    def draws_sides(self, board: str) -> bool:
        """Whether a board is drawn on the sides of the cells of another."""
        return board in self.sides.of and self.sides.of[board] not in self._maps

    def draw(
        self,
        board: Board,
        things: Sequence[Thing],
        seen: Observation,
        on_sides: Sequence[Thing] = (),
    ) -> Drawn:
        """All that is on a board. `on_sides`: what is on boards of sides."""
        found = Drawn()
        if board.name in self._maps:
            found.blocks.append(self._map(board, things, seen))
            found.owners.append("")
            return found
        families: dict[str, list[Thing]] = {}
        for thing in things:
            families.setdefault(self._caption(board, thing), []).append(thing)
        used = {members[0].family for members in families.values() if self._anything(members)}
        # Of several boards of one family those are left out on which nothing lies.
        drawn = {
            caption: members
            for caption, members in families.items()
            if members[0].family not in used or self._anything(members)
        }
        signs: list[Sign] = []
        players = self.names.game.players
        for caption, members in drawn.items():
            owner = next((each for each in members[0].indexes if each in players), "")
            sides = self.sides.on(board.name, owner, on_sides, coloured=self.paint.on)
            signs += self._grid(found, board, caption, members, sides, alone=len(drawn) == 1)
        if notes := [*legend(signs), *self._abouts(drawn.values())]:
            found.notes += notes
        return found

    def _abouts(self, drawn: Iterable[Sequence[Thing]]) -> Iterable[str]:
        """What is written about the zones that are drawn, each once."""
        families = {
            members[0].family: members[0] for members in drawn if isinstance(members[0], SeenZone)
        }
        for family in families:
            if about := self.names.about(f"zone {family}"):
                yield f"{self.names.zone(family)}{self.names.speech.colon} {about}"

    def _anything(self, things: Sequence[Thing]) -> bool:
        return any(self._cell(thing, _WIDEST_CELL) for thing in things)

    # ----------------------------------------------------------------------------------- maps

    def _map(self, board: Board, things: Sequence[Thing], seen: Observation) -> list[str]:
        groups: dict[str, list[tuple[Sign, ...]]] = {site: [] for site in board.sites}
        texts: dict[str, list[str]] = {site: [] for site in board.sites}
        for thing in things:
            site = self._site(board, thing)
            inside = self._inside(thing)
            if inside:
                others = self._others(board, thing)
                groups[site] += [(*others, *each) for each in inside]
                texts[site] += self._told(thing, others)
        wanted = self._wanted(board, seen)
        cells = {
            site: Cell(
                Sign(site, colour=self.ground.colour(board, place)),
                tuple(self._printed(board, place)),
                tuple(groups[site]),
                site in wanted,
            )
            for place, site in enumerate(board.sites)
        }
        drawn = draw_map(self._maps[board.name], cells, self.width, self.paint)
        assert drawn is not None, "maps that do not fit were left out"
        lines, short = drawn
        for site in short:
            lines += flow(texts[site], self.width, first=f"{site}: ", rest="  ", gap=", ")
        notes = flow(legend(signs_in(list(cells.values()))), self.width)
        return [*lines, *map(self.paint.faint, notes)]

    def _inside(self, thing: Thing) -> list[tuple[Sign, ...]]:
        if isinstance(thing, SeenZone):
            return self.glyphs.zone(thing, self.names.kinds[thing.kind], _WIDEST_CELL)
        signs = self.glyphs.variable(thing, self._variables[thing.family].type, _WIDEST_CELL)
        return [tuple(signs)] if signs else []

    def _others(self, board: Board, thing: Thing) -> tuple[Sign, ...]:
        """The indexes beside the site: `P1:`."""
        others = [text for text in thing.indexes if text not in board.sites]
        return tuple(
            Sign(
                (self.glyphs.glyph(text) or self.names.word(text)) + ":",
                "",
                self.glyphs.colour(text),
            )
            for text in others
        )

    def _told(self, thing: Thing, others: tuple[Sign, ...]) -> list[str]:
        """The same in words, for what has no room."""
        lead = "".join(f"{sign.text} " for sign in others)
        if isinstance(thing, SeenVariable):
            return [f"{lead}{self.names.variable(thing.family)} {self.names.value(thing.value)}"]
        if thing.components is None:
            kind = self.names.kind(thing.kind)
            return [f"{lead}{kind} {HIDDEN}" + (f" x{thing.count}" if thing.count else "")]
        counted = Counter(self.names.seen(thing.kind, each) for each in thing.components)
        return [lead + (text if n == 1 else f"{text} x{n}") for text, n in counted.items()]

    def _printed(self, board: Board, place: int) -> Iterable[Sign]:
        return self.ground.signs(board, place, coloured=self.paint.on)

    def to_choose(self, seen: Observation) -> bool:
        """Whether a place on a board is to be chosen."""
        return any(self._wanted(board, seen) for board in self.names.game.boards)

    def _wanted(self, board: Board, seen: Observation) -> frozenset[str]:
        """The sites that are to be chosen from."""
        found: set[str] = set()
        for action in seen.actions:
            type_, texts = self.names.parts(action.id)
            for domain, text in zip(type_.parameters, texts, strict=True):
                if isinstance(domain.of, Site) and domain.of.board == board.name:
                    found.add(text)
        return frozenset(found)

    # ---------------------------------------------------------------------------------- grids

    def _grid(
        self,
        found: Drawn,
        board: Board,
        caption: str,
        things: Sequence[Thing],
        sides: Sequence[Side],
        *,
        alone: bool,
    ) -> list[Sign]:
        """A picture of one family, or a list if the board is too wide; the signs on it.

        `alone`: what they mean stands below it.
        """
        room = max(1, min(_WIDEST_CELL, (self.width - 4) // max(1, len(set(board.columns))) - 1))
        signs = {self._site(board, thing): self._cell(thing, room) for thing in things}
        printed = {
            site: [
                each
                for each in self.ground.signs(board, place, coloured=self.paint.on)
                if each.meaning
            ]
            for place, site in enumerate(board.sites)
            if not signs.get(site)
        }
        cells = {
            site: self._painted(inside) or EMPTY for site, inside in {**signs, **printed}.items()
        }
        along = {(each.row, each.column): self._painted(each.signs).strip() for each in sides}
        lines = draw(board, cells, self.width, along)
        if lines is None:
            items = tuple(
                f"{site} {' '.join(sign.meaning or sign.text for sign in inside)}"
                for site, inside in signs.items()
                if inside
            )
            found.lists.append((caption, items or (NOTHING,)))
            return []
        every = (*signs.values(), *printed.values(), *(each.signs for each in sides))
        shown = [sign for inside in every for sign in inside]
        room = max(_NARROWEST_NOTES, max(map(width_of, lines)))
        notes = legend(shown)
        alone = alone and len(flow(notes, room, gap=", ")) <= _MOST_NOTES
        notes = notes if alone else []
        notes += [
            f"{self._site(board, thing)} {self.names.seen(thing.kind, each)}"
            for thing in things
            if isinstance(thing, SeenZone)
            for each in map(self.glyphs.unmarked, thing.components or ())
            if self.names.marks(each)
        ]
        below = flow(notes, room, gap=", ")
        found.blocks.append([self.paint.faint(caption), *lines, *(below if notes else [])])
        players = [each for each in things[0].indexes if each in self.names.game.players]
        found.owners.append(players[0] if players else "")
        return [] if alone else shown

    def _painted(self, signs: Iterable[Sign]) -> str:
        return "".join(self.paint.sign(each.text, each.colour) for each in signs)

    def _cell(self, thing: Thing, room: int) -> list[Sign]:
        if isinstance(thing, SeenZone):
            kind = self.names.kinds[thing.kind]
            return [sign for each in self.glyphs.zone(thing, kind, room) for sign in each]
        sign = self.glyphs.value(self._variables[thing.family].type, thing.value, room)
        return [] if sign is None else [sign]

    # ---------------------------------------------------------------------------------- parts

    def _site(self, board: Board, thing: Thing) -> str:
        return next(text for text in thing.indexes if text in board.sites)

    def _family(self, thing: Thing) -> StateVariable | ZoneFamily:
        return (self._zones if isinstance(thing, SeenZone) else self._variables)[thing.family]

    def _caption(self, board: Board, thing: Thing) -> str:
        pairs = zip(self._family(thing).indexes, thing.indexes, strict=True)
        rest = [
            self.names.word(text)
            for type_, text in pairs
            if not (isinstance(type_, Site) and type_.board == board.name)
        ]
        group = self.names.zone if isinstance(thing, SeenZone) else self.names.variable
        return " ".join([group(thing.family), *rest])

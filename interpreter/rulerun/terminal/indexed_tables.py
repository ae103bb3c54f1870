"""Small tables: what lies at places that have two indexes, or that players have one of each.

Assumes an observation, and the hints of the rules (`view: beside`), which are checked.
Does: makes rows of the first index and columns of the second. What the rules want to see together
with a family of zones stands in its cells, behind its rows, or in columns of its own. Zeros, empty
zones, and rows and columns of nothing else are left out.
Leaves behind lines; a chart that is too wide for the screen is told row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from rulerun.runtime.phrases import as_written
from rulerun.terminal.board_grids import EMPTY
from rulerun.terminal.formatting import MORE, Paint, flow, pad, width_of, wrap
from rulerun.views.observation import Json, Observation, Seen, SeenVariable, SeenZone
from rulerun.words.labels import NOTHING, Labels
from rulerun.words.signs import Glyphs, Sign, legend
from rulerun_dsl.model import Beside
from rulerun_dsl.model.valuetypes import Player, Type
from rulerun_dsl.source.frozen import slotted

_ROOM = 3
"""Columns of a piece without a glyph."""

_STROKE = " / "
"""Between what two families have in one place."""

ASIDE = ""
"""The column of what stands in a row and at none of its places."""


@slotted
class Chart:
    """A table that is being filled. The parts of a cell are painted texts."""

    caption: str
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    cells: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    signs: list[Sign] = field(default_factory=list)
    """For the legend."""
    painted: dict[str, str] = field(default_factory=dict)
    """Rows whose name is in colour."""
    kept: bool = False
    """Rows are shown with nothing in them as well."""
    about: str = ""
    """What is written about it, below."""
    aside: list[str] = field(default_factory=list)
    """What stands in a row and at none of its places: the head of the last column."""
    colon: str = ":"
    """What stands behind a name, in the language of the people."""

    def put(self, row: str, column: str, *texts: str) -> None:
        """Add to a cell; a row or column that is new comes last."""
        for names, name in ((self.rows, row), (self.columns, column)):
            if name not in names:
                names.append(name)
        self.cells.setdefault((row, column), []).extend(text for text in texts if text)

    def put_aside(self, row: str, name: str, text: str) -> None:
        """Add what stands in a row and at none of its places; `name` is what it is."""
        self.put(row, ASIDE, text)
        if name not in self.aside:
            self.aside.append(name)

    def head(self, column: str) -> str:
        """What stands above a column."""
        return ", ".join(self.aside) if column == ASIDE else column

    def _shortened(self, room: int) -> str:
        """The head of what stands aside, in so many columns."""
        for kept in range(len(self.aside) - 1, 0, -1):
            text = ", ".join([*self.aside[:kept], MORE])
            if width_of(text) <= room:
                return text
        return MORE

    def turn(self) -> None:
        """Make columns of the rows if that takes fewer lines."""
        used = [place for place, parts in self.cells.items() if parts]
        if len({row for row, _ in used}) > len({column for _, column in used}):
            self.rows, self.columns = self.columns, self.rows
            self.cells = {(column, row): parts for (row, column), parts in self.cells.items()}

    def lines(self, width: int, paint: Paint) -> list[str]:
        """The table, or, if that is too wide, its rows as lists; nothing if nothing is in it."""
        filled = {place: " ".join(parts) for place, parts in self.cells.items() if parts}
        rows = [row for row in self.rows if self.kept or any(row == place[0] for place in filled)]
        columns = [each for each in self.columns if any(place[1] == each for place in filled)]
        if not filled and not (self.kept and rows):
            return []
        side = max(width_of(self.caption), *(width_of(row) for row in rows))
        heads = {column: self.head(column) for column in columns}
        wide = {
            column: max(
                width_of(heads[column]), *(width_of(filled.get((row, column), "")) for row in rows)
            )
            for column in columns
        }
        spare = width - side - sum(2 + each for each in wide.values())
        if spare < 0 and ASIDE in heads:
            # The head of what stands aside names as much of it as there is room for.
            least = max(width_of(filled.get((row, ASIDE), "")) for row in rows)
            wide[ASIDE] = max(least, wide[ASIDE] + spare)
            heads[ASIDE] = self._shortened(wide[ASIDE])
        head = paint.faint(pad(self.caption, side))
        across = side + sum(2 + each for each in wide.values())
        # Below a table that others may stand beside, notes are hardly wider than it is.
        room = max(across, width * 2 // 3) if across <= width * 3 // 4 else width
        notes = flow([*legend(self.signs), *([self.about] if self.about else [])], room, whole=0)
        notes = [paint.faint(each) for each in notes if each]
        if across > width:
            return [head.rstrip(), *self._listed(filled, rows, columns, width), *notes]
        lines = self._heads([(heads[column], wide[column]) for column in columns], side, paint)
        for row in rows:
            texts = [
                pad(filled.get((row, column), EMPTY if column != ASIDE else ""), wide[column])
                for column in columns
            ]
            lines.append("  ".join([self._name(row, side), *texts]).rstrip())
        return lines + notes

    def _heads(self, heads: Sequence[tuple[str, int]], side: int, paint: Paint) -> list[str]:
        """What stands above the columns, each with its width; what is too long on several lines."""
        every = [wrap(text, wide) if text else [] for text, wide in heads]
        tall = max(1, *map(len, every), 0)
        lines = []
        for at in range(tall):
            # Short ones stand on the last line.
            texts = [["", *each][max(0, at - tall + len(each) + 1)] for each in every]
            above = "  ".join(pad(text, wide) for text, (_, wide) in zip(texts, heads, strict=True))
            first = pad(self.caption if at + 1 == tall else "", side)
            lines.append(paint.faint(f"{first}  {above}".rstrip()))
        return lines

    def _name(self, row: str, side: int) -> str:
        return pad(row, side).replace(row, self.painted.get(row, row), 1)

    def _listed(
        self,
        filled: Mapping[tuple[str, str], str],
        rows: Sequence[str],
        columns: Sequence[str],
        width: int,
    ) -> Iterable[str]:
        side = max(map(width_of, rows))
        for row in rows:
            items = [
                f"{column}{self.colon} {filled[row, column]}" if column else filled[row, column]
                for column in columns
                if (row, column) in filled
            ]
            if side > width // 2:
                # Rows with long names have their values behind them.
                name, *more = wrap(self._name(row, 0), width, rest="  ")
                yield from (name, *more)
                yield from (flow(items, width, first="    ", rest="    ") if items else ())
                continue
            if not items:
                yield self._name(row, 0)
                continue
            first, *more = flow(items, width, first=" " * (side + 2), rest=" " * (side + 4))
            yield f"{self._name(row, side)}  {first[side + 2 :]}"
            yield from more


class Charter:
    """Makes the charts of one game."""

    def __init__(self, names: Labels, glyphs: Glyphs, paint: Paint) -> None:
        """Know how families belong together."""
        self.names = names
        self.glyphs = glyphs
        self.paint = paint
        game = names.game
        self._zones = {family.name: family for family in game.zones}
        self._variables = {variable.name: variable for variable in game.variables}
        self._beside = dict(game.view.beside)
        self.together = frozenset(
            name
            for family, every in game.view.beside
            for each in every
            for name in (family, *each.families)
        )
        """Families that are shown in a chart because the rules say so."""

    def charted(self, family: str, types: Sequence[Type]) -> bool:
        """Whether a family makes a table: of two indexes, at most one of them a player."""
        players = sum(isinstance(type_, Player) for type_ in types)
        return len(types) == 2 and players < 2 and family not in self.together

    # --------------------------------------------------------------------------- of one family

    def charts(
        self, families: Iterable[Sequence[SeenZone | SeenVariable]], titles: Mapping[str, str]
    ) -> list[Chart]:
        """Tables of families. Zones of one kind that have the same places are one table."""
        together: dict[object, list[Sequence[SeenZone | SeenVariable]]] = {}
        for things in families:
            first = things[0]
            alike: object = first.family
            if isinstance(first, SeenZone):
                alike = first.kind, tuple(map(repr, self._types(first)))
            together.setdefault(alike, []).append(things)
        return [self.chart(each, titles) for each in together.values()]

    def chart(
        self, families: Sequence[Sequence[SeenZone | SeenVariable]], titles: Mapping[str, str]
    ) -> Chart:
        """A table of families, the players' rows in the order of `titles`.

        What is in a place of the second family stands there behind a stroke.
        """
        types = self._types(families[0][0])
        caption = _STROKE.join(self._called(things[0]) for things in families)
        found = Chart(caption, colon=self.names.speech.colon)
        found.rows += titles.values() if isinstance(types[0], Player) else ()
        places: dict[tuple[str, str], list[str]] = {}
        for at, things in enumerate(families):
            for thing in things:
                pairs = list(zip(types, thing.indexes, strict=True))
                if isinstance(types[1], Player):
                    pairs.reverse()
                row, column = (
                    titles.get(text, text) if isinstance(type_, Player) else self.names.word(text)
                    for type_, text in pairs
                )
                texts = self._texts(found, thing)
                named = isinstance(thing, SeenZone) and thing.components is not None
                text = ", ".join(_said_once(texts)) if named else " ".join(texts)
                cell = places.setdefault((row, column), [""] * len(families))
                cell[at] = text
        for (row, column), cell in places.items():
            last = max((at for at, text in enumerate(cell) if text), default=-1)
            found.put(row, column, _STROKE.join(text or NOTHING for text in cell[: last + 1]))
        # What one has of several is read along a row: everybody has one.
        something = any(map(any, places.values()))
        found.kept = isinstance(types[0], Player) and len(families) > 1 and something
        if not isinstance(types[0], Player):
            found.turn()
        for player, title in titles.items():
            colour = self.glyphs.colour(player)
            found.painted[title] = self.paint.sign(title, colour, strong=True)
        return found

    def _texts(
        self, chart: Chart, thing: SeenZone | SeenVariable, *, short: bool = False
    ) -> list[str]:
        """What is in a zone, or a value that is something. `short`: by signs."""
        if isinstance(thing, SeenVariable):
            if thing.value in (None, False, 0) or thing.value == []:
                return []
            return [self.names.speech.yes if thing.value is True else self.names.value(thing.value)]
        if thing.components is not None and not short:
            return [self.names.seen(thing.kind, each) for each in thing.components]
        signs = self.glyphs.zone(thing, self.names.kinds[thing.kind], _ROOM)
        chart.signs += [sign for each in signs for sign in each]
        return [
            "".join(self.paint.sign(sign.text, sign.colour, strong=sign.strong) for sign in each)
            for each in signs
        ]

    # ------------------------------------------------------------------------ of what is beside

    def beside(self, seen: Observation) -> list[Chart]:
        """The tables that the rules ask for."""
        found = []
        for family, every in self._beside.items():
            zones = [zone for zone in seen.zones if zone.family == family]
            if zones:
                found.append(self._together(seen, zones, every))
        return found

    def _together(
        self, seen: Observation, zones: Sequence[SeenZone], every: Sequence[Beside]
    ) -> Chart:
        family = zones[0].family
        types = self._zones[family].indexes
        about = self.names.about(f"zone {family}")
        chart = Chart(self.names.zone(family), about=about, colon=self.names.speech.colon)
        places: dict[tuple[str, ...], tuple[str, str]] = {}
        if not types:
            return self._pieces_together(seen, zones, every, chart)
        for zone in zones:
            row, *rest = self._places(types, zone.indexes)
            where = self.names.word(row), " ".join(map(self.names.word, rest))
            places[row, *rest] = where
            chart.put(*where, *self._own(chart, zone))
        rows = {place[0]: where[0] for place, where in places.items()}
        for each in every:
            things: list[SeenZone | SeenVariable] = [*seen.zones, *seen.variables]
            for thing in things:
                if thing.family == each.families[0]:
                    self._put(chart, seen, zones, places, rows, each, thing)
        return chart

    def _pieces_together(
        self, seen: Observation, zones: Sequence[SeenZone], every: Sequence[Beside], chart: Chart
    ) -> Chart:
        """Of a zone without places: a row for each piece, and what belongs to it."""
        chart.kept = True
        things: list[SeenZone | SeenVariable] = [*seen.zones, *seen.variables]
        for zone, piece in _pieces(zones):
            row = self.names.seen(zone.kind, piece)
            chart.rows.append(row)
            for each in every:
                for thing in things:
                    if thing.family != each.families[0]:
                        continue
                    types = self._types(thing)
                    if each.how == "piece" and self._places(types, thing.indexes)[0] in (
                        piece.row,
                        piece.text,
                    ):
                        column = self._whose(thing) or self._called(thing)
                        chart.put(row, column, *self._texts(chart, thing, short=True))
                    elif (
                        each.how == "on"
                        and isinstance(thing, SeenVariable)
                        and thing.value in (piece.row, piece.text)
                    ):
                        chart.put_aside(row, self._what(each), self._mark(chart, each, thing))
        return chart

    def _types(self, thing: SeenZone | SeenVariable) -> Sequence[Type]:
        known = self._zones if isinstance(thing, SeenZone) else self._variables
        return known[thing.family].indexes

    def _whose(self, thing: SeenZone | SeenVariable) -> str:
        """The players among the indexes of a thing."""
        pairs = zip(self._types(thing), thing.indexes, strict=True)
        return " ".join(
            self.names.player(text) for type_, text in pairs if isinstance(type_, Player)
        )

    def _called(self, thing: SeenZone | SeenVariable) -> str:
        if isinstance(thing, SeenZone):
            return self.names.zone(thing.family)
        return self.names.variable(thing.family)

    def _own(self, chart: Chart, zone: SeenZone) -> list[str]:
        if zone.components is None:
            return self._texts(chart, zone)
        return [self.names.seen(zone.kind, each) for each in zone.components]

    def _put(
        self,
        chart: Chart,
        seen: Observation,
        zones: Sequence[SeenZone],
        places: Mapping[tuple[str, ...], tuple[str, str]],
        rows: Mapping[str, str],
        beside: Beside,
        thing: SeenZone | SeenVariable,
    ) -> None:
        """Show one thing where it belongs."""
        types = self._types(thing)
        own = self._zones[zones[0].family].indexes
        indexes = self._places(types, thing.indexes)
        match beside.how:
            case "piece":
                for zone, piece in _pieces(zones):
                    if indexes[0] in (piece.row, piece.text):
                        where = places[tuple(self._places(own, zone.indexes))]
                        chart.put(*where, *self._texts(chart, thing, short=True))
            case "place" if tuple(indexes) in places:
                chart.put(*places[tuple(indexes)], *self._texts(chart, thing, short=True))
            case "line" if indexes[0] in rows:
                whose = [self._whose(thing)] if self._whose(thing) else []
                column = " ".join([*map(self.names.word, indexes[1:]), *whose])
                column = column or self._called(thing)
                chart.put(rows[indexes[0]], column, *self._texts(chart, thing))
            case "on" if isinstance(thing, SeenVariable):
                for zone, piece in _pieces(zones):
                    if thing.value in (piece.row, piece.text):
                        where = places[tuple(self._places(own, zone.indexes))]
                        chart.put(*where, self._mark(chart, beside, thing))
            case "row" if isinstance(thing, SeenVariable) and thing.value in rows:
                row = rows[str(thing.value)]
                chart.put_aside(row, self._what(beside), self._mark(chart, beside, thing))
            case "at" if isinstance(thing, SeenVariable):
                place = self._told(seen, beside, thing)
                if place in places:
                    chart.put(*places[place], self._mark(chart, beside, thing))
                elif place and place[0] in rows:
                    row = rows[place[0]]
                    chart.put_aside(row, self._what(beside), self._mark(chart, beside, thing))

    def _told(self, seen: Observation, beside: Beside, first: SeenVariable) -> tuple[str, ...]:
        """The place that variables of one owner tell together; empty if one tells none."""
        values: list[Json] = [
            variable.value
            for family in beside.families
            for variable in seen.variables
            if variable.family == family and variable.indexes == first.indexes
        ]
        if len(values) < len(beside.families) or values[0] is None:
            return ()
        return tuple(as_written(value) for value in values)

    def _what(self, beside: Beside) -> str:
        """What a variable places, as people call it."""
        family = beside.families[0]
        if self.names.has_words(f"variable {family}"):
            return self.names.variable(family)
        return self.names.word(_in_common(beside.families) or family)

    def _mark(self, chart: Chart, beside: Beside, variable: SeenVariable) -> str:
        """The sign of what a variable places: its glyph, and whose or which it is."""
        family, name = beside.families[0], self._what(beside)
        glyph = self.glyphs.glyph(family)
        which = [self.names.word(text) for text in variable.indexes]
        colour = self.glyphs.colour(*variable.indexes, family)
        if glyph:
            chart.signs.append(Sign(glyph, name))
        text = glyph + " ".join(which) if which else glyph or name
        return self.paint.sign(text, colour, strong=True)

    def _places(self, types: Sequence[Type], texts: Sequence[str]) -> list[str]:
        """The indexes but players."""
        pairs = zip(types, texts, strict=True)
        return [text for type_, text in pairs if not isinstance(type_, Player)]


def _said_once(texts: Sequence[str]) -> list[str]:
    """Names that differ in their last word, with what they have in common once.

    >>> _said_once(["tile 1", "tile 2", "blank tile"])
    ['tile 1', '2', 'blank tile']
    """
    heads = ["", *(text.rpartition(" ")[0] for text in texts)]
    return [
        text.rpartition(" ")[2] if head and head == before else text
        for text, head, before in zip(texts, heads[1:], heads, strict=False)
    ]


def _in_common(families: Sequence[str]) -> str:
    """The words with which several names begin: `fox` of `fox_in` and `fox_at`."""
    same = []
    for each in zip(*(family.split("_") for family in families), strict=False):
        if len(set(each)) > 1:
            break
        same.append(each[0])
    return "_".join(same)


def _pieces(zones: Sequence[SeenZone]) -> Iterable[tuple[SeenZone, Seen]]:
    """All that is seen to lie in zones."""
    return [(zone, piece) for zone in zones for piece in zone.components or ()]

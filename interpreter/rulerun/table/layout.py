"""The table as one person sees it: an observation, laid out to be read.

Assumes an observation, which holds nothing that its viewer may not see, and its game.
Does: sorts what is seen by whose it is. Everybody's values and zones come first, boards are drawn,
then a small table has the values of each player, then come the players' zones, the viewer's last,
next to the prompt. A zone that is empty and always was is left out, hidden things are counted.
Leaves behind lines that fit the width asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rulerun.events import words
from rulerun.observation import Observation, Seen, SeenVariable, SeenZone, Told
from rulerun.table.boards import DRAWN, EMPTY, beside, codes, draw
from rulerun.table.naming import HIDDEN, NOTHING, Names, is_player
from rulerun.table.text import Paint, clean, clip, flow, pad, table, width_of
from rulerun_dsl.model import Board, StateVariable, ZoneFamily
from rulerun_dsl.valuetypes import Player, Site, Type

_LONGEST_NAME = 16
_WIDEST_CELL = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the lower part: whose, what, and the things there."""

    owner: str
    label: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """What lies on a board: a text for each site."""

    board: Board
    caption: str
    cells: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass
class _Sorted:
    """What is seen, sorted by how it is shown."""

    lines: list[Line] = field(default_factory=list)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of the table of players: column, player, value."""
    shared: list[str] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)


class Layout:
    """Lays out the observations of one game."""

    def __init__(self, names: Names, width: int, paint: Paint) -> None:
        """Know the families of zones and variables."""
        self.names = names
        self.width = width
        self.paint = paint
        game = names.game
        self._zones = {family.name: family for family in game.zones}
        self._variables = {variable.name: variable for variable in game.variables}
        self._boards = {board.name: board for board in game.boards}
        glyphs = game.view.get("glyphs")
        self._glyphs = (
            {str(key): clean(str(value)) for key, value in glyphs.items()}
            if isinstance(glyphs, dict)
            else {}
        )

    def lines(self, seen: Observation, told: Iterable[Told] = ()) -> list[str]:
        """The table. `told` is what the viewer has heard so far: zones in use are shown empty."""
        found = self._sort(seen, _touched(told))
        blocks = [
            beside([self._drawn(each) for each in found.drawings], self.width),
            self._shared(found.shared),
            self._table(found.columns, seen),
            self._owned(found.lines, seen),
        ]
        lines: list[str] = []
        for block in blocks:
            if block and lines:
                lines.append("")
            lines += block
        return lines

    # ------------------------------------------------------------------------------- sorting

    def _sort(self, seen: Observation, touched: frozenset[str]) -> _Sorted:
        found = _Sorted()
        on_boards: dict[tuple[str, str], list[SeenZone | SeenVariable]] = {}
        for variable in seen.variables:
            family = self._variables[variable.family]
            if (board := self._board(family.indexes)) is not None:
                caption = self._caption(family, variable.indexes)
                on_boards.setdefault((board.name, caption), []).append(variable)
                continue
            self._sort_variable(found, family, variable)
        used = {
            zone.family
            for zone in seen.zones
            if zone.count is None or zone.count or zone.family in touched
        }
        for zone in seen.zones:
            zones = self._zones[zone.family]
            if (board := self._board(zones.indexes)) is not None:
                caption = self._caption(zones, zone.indexes)
                on_boards.setdefault((board.name, caption), []).append(zone)
            elif zone.family in used:
                self._sort_zone(found, zones, zone)
        for (name, caption), things in on_boards.items():
            self._sort_board(found, self._boards[name], caption, things)
        return found

    def _sort_zone(self, found: _Sorted, family: ZoneFamily, zone: SeenZone) -> None:
        """A line for a zone; zones that differ in more than their owner share one."""
        owner, rest = self._indexes(family.indexes, zone.indexes)
        label, contents = clean(words(zone.family)), self._contents(zone)
        if not rest:
            found.lines.append(Line(owner, label, contents))
            return
        place = next(
            (
                at
                for at, each in enumerate(found.lines)
                if (each.owner, each.label) == (owner, label)
            ),
            None,
        )
        if place is None:
            place = len(found.lines)
            found.lines.append(Line(owner, label, (NOTHING,)))
        if contents != (NOTHING,):
            before = [each for each in found.lines[place].items if each != NOTHING]
            item = f"{' '.join(rest)}: {', '.join(contents)}"
            found.lines[place] = Line(owner, label, (*before, item))

    def _sort_variable(self, found: _Sorted, family: StateVariable, variable: SeenVariable) -> None:
        owner, rest = self._indexes(family.indexes, variable.indexes)
        name = clean(words(variable.family))
        value = self._value(family, variable)
        if owner:
            column = found.columns.setdefault(" ".join([name, *rest]), {})
            column[owner] = value
        elif not family.indexes:
            found.shared.append(f"{name} {value}")
        else:
            item = f"{' '.join(rest)} {value}"
            last = found.lines[-1] if found.lines else None
            if last is not None and (last.owner, last.label) == ("", name):
                found.lines[-1] = Line("", name, (*last.items, item))
            else:
                found.lines.append(Line("", name, (item,)))

    def _value(self, family: StateVariable, variable: SeenVariable) -> str:
        if variable.value is None and is_player(family.type):
            return "nobody"
        return self.names.value(variable.value)

    def _indexes(self, types: Sequence[Type], texts: Sequence[str]) -> tuple[str, list[str]]:
        """Whose it is ("": nobody's), and the other indexes as words."""
        owner = ""
        rest = []
        for type_, text in zip(types, texts, strict=True):
            if isinstance(type_, Player) and not owner:
                owner = text
            else:
                rest.append(self.names.word(text))
        return owner, rest

    def _board(self, types: Sequence[Type]) -> Board | None:
        """The board to draw a family on: one index is a site of a grid or a hex board."""
        boards = [self._boards[type_.board] for type_ in types if isinstance(type_, Site)]
        drawn = [board for board in boards if board.shape in DRAWN]
        return drawn[0] if len(drawn) == 1 else None

    def _caption(self, family: StateVariable | ZoneFamily, texts: Sequence[str]) -> str:
        pairs = zip(family.indexes, texts, strict=True)
        rest = [
            self.names.word(text)
            for type_, text in pairs
            if not (isinstance(type_, Site) and self._boards[type_.board].shape in DRAWN)
        ]
        return " ".join([clean(words(family.name)), *rest])

    # --------------------------------------------------------------------------------- zones

    def _contents(self, zone: SeenZone) -> tuple[str, ...]:
        """What lies in a zone, as far as it is seen."""
        if zone.components is None:
            count = f" x{zone.count}" if zone.count is not None else ""
            known = _counted(self.names.seen(zone.kind, each) for each in zone.known)
            if zone.count == 0:
                return (NOTHING,)
            hidden = f"{HIDDEN}{count}"
            return (hidden, f"(known: {', '.join(known)})") if known else (hidden,)
        texts = [self.names.seen(zone.kind, each) for each in zone.components]
        if not texts:
            return (NOTHING,)
        if zone.order in ("stack", "queue") and len(texts) > 1:
            word = "top" if zone.order == "stack" else "next"
            return (f"{word}: {texts[0]}", *texts[1:])
        if zone.order in ("stack", "queue"):
            return tuple(texts)
        return tuple(_counted(texts))

    # -------------------------------------------------------------------------------- boards

    def _sort_board(
        self,
        found: _Sorted,
        board: Board,
        caption: str,
        things: Sequence[SeenZone | SeenVariable],
    ) -> None:
        """A drawing, or a list if the board is too wide to be drawn."""
        whole: dict[str, list[str]] = {}
        notes: list[str] = []
        for thing in things:
            site = next(text for text in thing.indexes if text in board.sites)
            if isinstance(thing, SeenVariable):
                whole[site] = [] if thing.value in (None, False) else [self._marked(thing)]
                continue
            whole[site] = self._pieces(thing)
            notes += [
                f"{site} {self.names.seen(thing.kind, each)}"
                for each in thing.components or ()
                if self.names.marks(each)
            ]
        room = max(1, min(_WIDEST_CELL, (self.width - 4) // max(1, len(set(board.columns))) - 1))
        present = list(dict.fromkeys(text for texts in whole.values() for text in texts))
        possible = [text for text in [*self._possible(things[0]), *present] if not _counts(text)]
        short = codes(possible, room, self._short_glyphs(possible))
        cells = {
            site: "".join(short.get(text, text) for text in texts) or EMPTY
            for site, texts in whole.items()
        }
        if draw(board, cells, self.width) is None:
            items = tuple(f"{site} {', '.join(texts)}" for site, texts in whole.items() if texts)
            found.lines.append(Line("", caption, items or (NOTHING,)))
            return
        legend = [f"{short[text]} {text}" for text in present if short.get(text, text) != text]
        found.drawings.append(Drawing(board, caption, cells, (*legend, *notes)))

    def _marked(self, variable: SeenVariable) -> str:
        return "x" if variable.value is True else self.names.value(variable.value)

    def _pieces(self, zone: SeenZone) -> list[str]:
        """The texts of what lies on a site; one followed by how many if there are several."""
        if zone.components is None:
            several = "" if zone.count in (1, None) else str(zone.count)
            return [] if zone.count == 0 else ["?" + several]
        counted = Counter(self._piece(zone.kind, each) for each in zone.components)
        found = []
        for text, count in counted.items():
            found += [text] if count == 1 else [text, str(count)]
        return found

    def _piece(self, kind: str, seen: Seen) -> str:
        """A piece on a board: `white king`."""
        name = clean(words(seen.row))
        owned = seen.owner is not None and seen.text != seen.row
        if not owned or seen.owner is None:
            return name
        # A kind without rows is called by its owner alone.
        owner = self.names.word(seen.owner)
        return owner if seen.row == kind else f"{owner} {name}"

    def _possible(self, thing: SeenZone | SeenVariable) -> list[str]:
        """Everything that a cell may hold, so that its short text never changes."""
        if isinstance(thing, SeenVariable):
            type_ = self._variables[thing.family].type
            return [self.names.word(text) for text in self.names.texts(type_)]
        kind = self.names.kinds[thing.kind]
        owners = () if kind.owner is None else self.names.texts(kind.owner)
        seen = [
            Seen(f"{row} of {owner}" if owner else row, row, owner)
            for row in kind.rows
            for owner in (owners or (None,))
        ]
        return [self._piece(thing.kind, each) for each in seen]

    def _short_glyphs(self, texts: Iterable[str]) -> dict[str, str]:
        """The short texts that the rules file wants (`view: {glyphs: …}`)."""
        known = {self.names.word(key): value for key, value in self._glyphs.items()}
        return {text: known[text] for text in texts if text in known}

    def _drawn(self, drawing: Drawing) -> list[str]:
        lines = draw(drawing.board, drawing.cells, self.width) or []
        head = [self.paint.faint(drawing.caption)] if self.paint.on else [drawing.caption]
        notes = flow(drawing.notes, max(24, max(map(width_of, lines))), gap=", ")
        return [*head, *lines, *(notes if drawing.notes else [])]

    # --------------------------------------------------------------------------------- blocks

    def _shared(self, items: Sequence[str]) -> list[str]:
        return flow(items, self.width, gap="   ") if items else []

    def _title(self, player: str, viewer: str) -> str:
        name = self.names.player(player)
        return f"{name} (you)" if player == viewer else name

    def _order(self, seen: Observation) -> list[str]:
        """The players round the table; the viewer last."""
        players = list(self.names.game.players)
        if seen.name not in players:
            return players
        at = players.index(seen.name)
        return players[at + 1 :] + players[: at + 1]

    def _table(self, columns: Mapping[str, Mapping[str, str]], seen: Observation) -> list[str]:
        """The values of each player: a row each, or, if that is shorter, a column each."""
        if not columns:
            return []
        titles = {player: self._title(player, seen.name) for player in self._order(seen)}
        rows = [["", *columns]]
        for player, title in titles.items():
            rows.append([title, *(values.get(player, "?") for values in columns.values())])
        mine = titles.get(seen.name)
        return [
            self.paint.mine(line) if mine and line.startswith(mine) else line
            for line in table(rows, self.width)
        ]

    def _owned(self, lines: Sequence[Line], seen: Observation) -> list[str]:
        """The zones: everybody's, then each player's."""
        order = ["", *self._order(seen)]
        names = {owner: self._title(owner, seen.name) if owner else "" for owner in order}
        ordered = sorted(lines, key=lambda line: order.index(line.owner))
        if not any(line.owner for line in ordered):
            side = 0
        else:
            side = 2 + min(_LONGEST_NAME, max(width_of(names[line.owner]) for line in ordered))
        label = 2 + max((width_of(line.label) for line in ordered), default=0)
        label = min(label, self.width // 3)
        shown: list[str] = []
        last = None
        for line in ordered:
            name = names[line.owner] if line.owner != last else ""
            last = line.owner
            head = pad(clip(name, side - 2 if side else 0), side)
            gap = ", " if line.items[0].startswith(("top: ", "next: ")) else "   "
            room = self.width - side
            first = pad(clip(line.label, label - 1), label)
            body = flow(line.items, room, first=first, rest=" " * label, gap=gap)
            mine = line.owner == seen.name
            if name:
                head = self.paint.mine(head) if mine else self.paint.strong(head)
            shown += [head + body[0], *(" " * side + each for each in body[1:])]
        return [line.rstrip() for line in shown]


def _counted(texts: Iterable[str]) -> list[str]:
    """Equal texts once, with how many there are."""
    counted = Counter(texts).items()
    return [text if count == 1 else f"{text} x{count}" for text, count in counted]


def _touched(told: Iterable[Told]) -> frozenset[str]:
    """The families of zones that something was moved in or out of."""
    found: set[str] = set()
    for each in told:
        source, target = each.what.get("from"), each.what.get("to")
        if isinstance(source, str) and isinstance(target, str) and source != target:
            found |= {source.split("[")[0], target.split("[")[0]}
    return frozenset(found)


def _counts(text: str) -> bool:
    """Whether a text is a number of pieces, or of hidden ones."""
    return text.lstrip("?").isdigit() or text == "?"

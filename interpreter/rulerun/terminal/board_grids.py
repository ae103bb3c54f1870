"""Grids and hexes, drawn.

Assumes a board whose sites have rows and columns (row 1 is the top), and a short text for each
cell. A hex board is a parallelogram: each row stands half a cell further right than the one above.
Leaves behind lines. What does not fit on a screen is not drawn (`draw` gives None): the layout then
lists it instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

from rulerun.terminal.formatting import pad, width_of
from rulerun_dsl.model import Board

EMPTY = "."
LEVEL, UPRIGHT = "─", "│"
"""A side on which something stands that has no sign."""

DRAWN = ("grid", "hex")

_CHESS = re.compile(r"([a-z]+)(\d+)")
_PLAIN = re.compile(r"r\d+c\d+")


def draw(
    board: Board,
    cells: Mapping[str, str],
    room: int,
    sides: Mapping[tuple[int, int], str] | None = None,
) -> list[str] | None:
    """A board with a text in each of its sites; None if it is wider than `room`.

    `sides`: texts on sides of cells, by row and column of a board of sides (see `words.sides`); an
    empty one is a stroke.
    """
    lines = _grid(board, cells, sides or {}) if board.shape == "grid" else _hex(board, cells)
    return None if max(map(width_of, lines), default=0) > room else lines


def _grid(
    board: Board, cells: Mapping[str, str], sides: Mapping[tuple[int, int], str]
) -> list[str]:
    columns = sorted(set(board.columns))
    across, down = _labels(board, columns)
    along = [text for (row, _), text in sides.items() if row % 2]
    texts = (*cells.values(), *across.values(), *along)
    wide = max([1, *map(width_of, texts)])
    gap = "  " if wide == 1 else " "
    side = max(map(width_of, down.values()), default=1)
    places = {
        (row, column): site
        for site, row, column in zip(board.sites, board.rows, board.columns, strict=True)
    }

    upright = [2 * column - 1 for column in columns] + [2 * column + 1 for column in columns[-1:]]
    room = {
        column: max(
            (width_of(text) or 1 for (_, at), text in sides.items() if at == column), default=0
        )
        for column in upright
    }

    def parted(row: int, column: int, gap: str) -> str:
        """What parts two cells: a gap, or the room for what stands on sides in this column."""
        text = sides.get((row, column))
        stands = "" if text is None else text or UPRIGHT
        return f" {pad(stands, room[column])} " if room[column] else gap

    def line(label: str, texts: Iterable[str], row: int = 0) -> str:
        gaps = [
            parted(row, upright[0], "")[1:],
            *(parted(row, each, gap) for each in upright[1:-1]),
        ]
        whole = "".join(before + text for before, text in zip(gaps, texts, strict=True))
        return f"{pad(label, side, right=True)}  {whole}{parted(row, upright[-1], '')}".rstrip()

    def level(row: int) -> list[str]:
        found = [sides.get((row, 2 * column)) for column in columns]
        texts = ("" if each is None else each or LEVEL * wide for each in found)
        stands = any(each is not None for each in found)
        return [line("", (pad(each, wide) for each in texts))] if stands else []

    lines = [line("", (pad(across[column], wide) for column in columns))]
    for row in sorted(set(board.rows)):
        sites = (places.get((row, column)) for column in columns)
        inside = (pad("" if site is None else cells.get(site, EMPTY), wide) for site in sites)
        lines += [*level(2 * row - 1), line(down[row], inside, 2 * row)]
    return lines + level(2 * max(board.rows) + 1)


def _labels(board: Board, columns: list[int]) -> tuple[dict[int, str], dict[int, str]]:
    """What to call columns and rows: as the names of the sites do."""
    across = {column: str(column) for column in columns}
    down = {row: str(row) for row in board.rows}
    named = [_CHESS.fullmatch(site) for site in board.sites]
    if all(named) and not all(map(_PLAIN.fullmatch, board.sites)):
        for match, row, column in zip(named, board.rows, board.columns, strict=True):
            assert match is not None
            across[column], down[row] = match[1], match[2]
    return across, down


def _hex(board: Board, cells: Mapping[str, str]) -> list[str]:
    wide = max([1, *map(width_of, cells.values())])
    pitch = wide + 1 + (wide + 1) % 2
    rows: dict[int, list[tuple[int, str]]] = {}
    for site, row, column in zip(board.sites, board.rows, board.columns, strict=True):
        rows.setdefault(row, []).append((column, site))
    starts = {row: row * pitch // 2 + min(rows[row])[0] * pitch for row in rows}
    left = min(starts.values(), default=0)
    side = max((width_of(min(sites)[1]) for sites in rows.values()), default=0)
    lines = []
    for row in sorted(rows):
        sites = dict(rows[row])
        span = range(min(sites), max(sites) + 1)
        texts = (
            pad(cells.get(sites[column], EMPTY) if column in sites else "", pitch)
            for column in span
        )
        first, last = sites[span[0]], sites[span[-1]]
        body = " " * (starts[row] - left) + "".join(texts).rstrip()
        lines.append(f"{pad(first, side)}  {body}  {last}")
    return lines


_FEW = 5
"""Blocks of which all orders are tried."""

_GAP = 4
"""Columns between two blocks."""


class Shelves:
    """Where the blocks of a table stand, time after time.

    A block has as much room as it ever needed, so that it keeps its place when it shrinks and when
    those before it do.
    """

    def __init__(self, width: int) -> None:
        """Nothing has stood there yet. `width`: that of the screen."""
        self.width = width
        self._kept: dict[str, tuple[int, int]] = {}
        """The most columns and lines of each block, of those tables that were shown."""
        self._sizes: dict[str, tuple[int, int]] = {}
        """The same with the table that was set last."""
        self._order: tuple[str, ...] = ()
        """In which order its blocks were set."""
        self._kept_order: tuple[str, ...] = ()

    def set(self, blocks: Mapping[str, list[str]]) -> list[str]:
        """The lines of all blocks, each by its name: beside one another, one below another.

        A block stands in the first row that has room for it beside the others, or below one of
        them where the row hardly grows; else in a row of its own. The first one stands first, and
        the others in the order that takes the fewest lines; once that is found it is kept.
        """
        self._sizes = dict(self._kept)
        for name, lines in blocks.items():
            wide, high = self._kept.get(name, (0, 0))
            self._sizes[name] = max(wide, *map(width_of, lines)), max(high, len(lines))
        if not blocks:
            return []
        there = [each for each in self._kept_order if each in blocks]
        first, *others = [*there, *(each for each in blocks if each not in there)]
        if there or len(others) > _FEW:
            self._order = (first, *others)
        else:
            orders = [(first, *order) for order in permutations(others)]
            self._order = min(orders, key=lambda order: sum(map(self._tall, self._rows(order))))
        rows = self._rows(self._order)
        return [
            line
            for row in rows
            for line in _side_by_side(
                [[line for name in column for line in blocks[name]] for column in row],
                [self._wide(column) for column in row],
            )
        ]

    def _rows(self, names: Iterable[str]) -> list[list[list[str]]]:
        """Columns of blocks in rows."""
        rows: list[list[list[str]]] = []
        for name in names:
            for row in rows:
                if self._put(row, name):
                    break
            else:
                rows.append([[name]])
        return rows

    def keep(self) -> None:
        """The table that was set last is shown."""
        self._kept, self._kept_order = self._sizes, self._order

    def _put(self, row: list[list[str]], name: str) -> bool:
        """Put a block into a row, if there is room."""
        wide, high = self._sizes[name]
        used = sum(map(self._wide, row)) + _GAP * (len(row) - 1)
        if used + _GAP + wide <= self.width:
            row.append([name])
            return True
        tall = self._tall(row)
        for column in row:
            grows = max(0, wide - self._wide(column))
            if used + grows <= self.width and self._high(column) + high <= tall + high * 2 // 3:
                column.append(name)
                return True
        return False

    def _tall(self, row: Iterable[Iterable[str]]) -> int:
        return max(map(self._high, row))

    def _wide(self, column: Iterable[str]) -> int:
        return max(self._sizes[name][0] for name in column)

    def _high(self, column: Iterable[str]) -> int:
        return sum(self._sizes[name][1] for name in column)


def _side_by_side(columns: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    return [
        (" " * _GAP)
        .join(
            pad(column[at] if at < len(column) else "", wide)
            for column, wide in zip(columns, widths, strict=True)
        )
        .rstrip()
        for at in range(max(map(len, columns)))
    ]

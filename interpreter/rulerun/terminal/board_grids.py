"""Grids and hexes, drawn.

Assumes a board whose sites have rows and columns (row 1 is the top), and a short text for each
cell. A hex board is a parallelogram: each row stands half a cell further right than the one above.
Leaves behind lines. What does not fit on a screen is not drawn (`draw` gives None): the layout then
lists it instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rulerun.terminal.formatting import pad, width_of
from rulerun_dsl.model import Board

EMPTY = "."
DRAWN = ("grid", "hex")

_CHESS = re.compile(r"([a-z]+)(\d+)")
_PLAIN = re.compile(r"r\d+c\d+")


def draw(board: Board, cells: Mapping[str, str], room: int) -> list[str] | None:
    """A board with a text in each of its sites; None if it is wider than `room`."""
    lines = _grid(board, cells) if board.shape == "grid" else _hex(board, cells)
    return None if max(map(width_of, lines), default=0) > room else lines


def _grid(board: Board, cells: Mapping[str, str]) -> list[str]:
    columns = sorted(set(board.columns))
    across, down = _labels(board, columns)
    wide = max([1, *map(width_of, cells.values()), *map(width_of, across.values())])
    gap = "  " if wide == 1 else " "
    side = max(map(width_of, down.values()), default=1)
    places = {
        (row, column): site
        for site, row, column in zip(board.sites, board.rows, board.columns, strict=True)
    }

    def line(label: str, texts: Iterable[str]) -> str:
        return (pad(label, side, right=True) + "  " + gap.join(texts)).rstrip()

    lines = [line("", (pad(across[column], wide) for column in columns))]
    for row in sorted(set(board.rows)):
        sites = (places.get((row, column)) for column in columns)
        texts = (pad("" if site is None else cells.get(site, EMPTY), wide) for site in sites)
        lines.append(line(down[row], texts))
    return lines


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


def beside(
    blocks: list[list[str]], room: int, gap: int = 4, *, first_fit: bool = False
) -> list[str]:
    """Set blocks of lines beside one another as long as they fit, then below.

    `first_fit`: in the first row that has room for it, so that a block may come before others.
    """
    rows: list[list[list[str]]] = []
    used: list[int] = []
    for block in blocks:
        wide = max(map(width_of, block), default=0)
        for at in range(0 if first_fit else max(0, len(rows) - 1), len(rows)):
            if used[at] + gap + wide <= room:
                rows[at].append(block)
                used[at] += gap + wide
                break
        else:
            rows.append([block])
            used.append(wide)
    return [line for row in rows for line in _side_by_side(row, gap)]


def _side_by_side(blocks: list[list[str]], gap: int) -> list[str]:
    widths = [max(map(width_of, block)) for block in blocks]
    height = max(map(len, blocks))
    return [
        (" " * gap)
        .join(
            pad(block[at] if at < len(block) else "", wide)
            for block, wide in zip(blocks, widths, strict=True)
        )
        .rstrip()
        for at in range(height)
    ]

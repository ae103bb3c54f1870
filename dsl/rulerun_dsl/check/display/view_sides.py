"""`view: sides`: a board whose sites are the sides of the cells of another.

Assumes: declarations that can be asked for.
Does: checks that both are grids, and that each site of the one lies on a side of a cell: in a row
and a column of which one is even and one is odd, with a cell on one hand of it or on both.
Leaves behind: the name of the board of cells, for a `View`.
"""

from __future__ import annotations

from rulerun_dsl.check.display import view_hints
from rulerun_dsl.check.env import board_sites, directions
from rulerun_dsl.check.env.world import World
from rulerun_dsl.yaml.nodes import Entry, Scalar

_HELP = (
    "north of the cell in row r and column c is row 2 * r - 1 and column 2 * c, "
    "and west of it row 2 * r and column 2 * c - 1"
)


def cells_of(world: World, entry: Entry) -> str | None:
    """The board whose cells have these sides."""
    value = entry.value
    if not isinstance(value, Scalar):
        return None
    for each in (entry.key, value):
        if not view_hints.is_board(world, each):
            return None
        if directions.board_decl(world, each.text).shape != "grid":
            world.report(
                "RR0409",
                f"`{each.text}` is no grid, and only cells of a grid have sides",
                each.span,
            )
            return None
    cells = set(board_sites.cells(world, value.text))
    sides = board_sites.cells(world, entry.key.text)
    names = board_sites.site_names(world, entry.key.text)
    for name, (row, column) in zip(names, sides, strict=True):
        if cells.isdisjoint(_beside(row, column)):
            world.report(
                "RR0409",
                f"`{name}` of `{entry.key.text}` is no side of a cell of `{value.text}`",
                entry.key.span,
                help=_HELP,
            )
            return None
    return value.text


def _beside(row: int, column: int) -> set[tuple[int, int]]:
    """Where the cells are that have this side."""
    if row % 2 == column % 2:
        return set()
    if row % 2:
        return {((row - 1) // 2, column // 2), ((row + 1) // 2, column // 2)}
    return {(row // 2, (column - 1) // 2), (row // 2, (column + 1) // 2)}

"""Boards: their sites, their columns and how they touch.

Shapes: `grid` and `hex` (rows and columns, `only:` a condition, `remove:`), `list` (rows of sites
with columns and `links`), `ring` and `line` (sites in a row, by `rows:` or `size:`). Row 1 is the
top. A hex board is a parallelogram: each row stands half a cell further right than the one above.
"""

from __future__ import annotations

from itertools import pairwise

from rulerun_dsl import model as m
from rulerun_dsl.check.env import board_sites, directions, facts, tabular
from rulerun_dsl.check.env.records import ColumnFacts, RowsFacts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.yaml.nodes import Mapping, Sequence


def check_keys(world: World, decl: declarations.BoardDecl) -> None:
    """Report keys that mean nothing on a board of this shape."""
    idle = ["only", "regions"] + (["size"] if decl.rows or decl.shape == "list" else [])
    if decl.shape in ("grid", "hex"):
        idle = ["size", "remove"] + (["directions"] if decl.shape == "hex" else [])
    for entry in decl.node.entries:
        if entry.key.text in idle:
            why = f"on a {decl.shape} board"
            if entry.key.text == "size" and decl.rows:
                why = "beside `rows:`"
            world.report("RR0409", f"`{entry.key.text}:` means nothing {why}", entry.key.span)


def sites(world: World, board: str) -> RowsFacts:
    """The sites of a board with their columns."""
    return world.fact("sites", board, lambda: site_facts(world, board), RowsFacts((), {}))


def site_facts(world: World, board: str) -> RowsFacts:
    """The sites with their columns (`row` and `column` of a grid among them)."""
    decl = directions.board_decl(world, board)
    check_keys(world, decl)
    names = board_sites.site_names(world, board)
    found: dict[str, ColumnFacts] = {}
    if decl.shape in ("grid", "hex"):
        places = board_sites.cells(world, board)
        for which, name in enumerate(("row", "column")):
            values = tuple(cell[which] for cell in places)
            type_ = t.Int(min(values, default=1), max(values, default=1))
            found[name] = ColumnFacts(name, type_, (), values, decl.at.span)
        found.update(tabular.columns(world, decl.columns, (), board, len(names)))
        regions = decl.node.get("regions")
        for entry in regions.entries if isinstance(regions, Mapping) else ():
            if entry.key.text in found:
                world.report(
                    "RR0403",
                    f"`{board}` has a column `{entry.key.text}` already",
                    entry.key.span,
                )
                continue
            condition = board_sites.expression(entry.value)
            if facts.too_many_of(world, [len(places)], entry.key.text, entry.key.span, "sites"):
                break
            if condition is not None:
                values = tuple(int(each) for each in board_sites.holding(world, condition, places))
                found[entry.key.text] = ColumnFacts(
                    entry.key.text, t.Bool(), (), values, entry.key.span
                )
    else:
        there = frozenset(names)
        kept = tuple(row for row in decl.rows if row.name in there)
        found.update(tabular.columns(world, decl.columns, kept, board, len(names)))
    return RowsFacts(names, found)


def regions_of(world: World, board: str) -> tuple[str, ...]:
    """The names of a board's regions."""
    if directions.board_decl(world, board).shape not in ("grid", "hex"):
        return ()
    node = directions.board_decl(world, board).node.get("regions")
    return node.keys() if isinstance(node, Mapping) else ()


def board(world: World, name: str) -> m.Board:
    """The board as the model has it."""
    nothing = m.Board(name, "list", (), (), (), (), (), ())
    return world.fact("board", name, lambda: model_board(world, name), nothing)


def model_board(world: World, board: str) -> m.Board:
    """Make the board: where its steps lead, which sites touch."""
    decl = directions.board_decl(world, board)
    names = board_sites.site_names(world, board)
    steps = directions.steps_of(decl)
    if decl.shape in ("grid", "hex"):
        places = board_sites.cells(world, board)
        index = {cell: number for number, cell in enumerate(places)}
        go = tuple(
            tuple(index.get((row + down, column + right)) for row, column in places)
            for _, down, right in steps
        )
        rows = tuple(row for row, _ in places)
        columns = tuple(column for _, column in places)
    else:
        count = len(names)
        rows, columns = (1,) * count, tuple(range(1, count + 1))
        go = tuple(
            tuple(
                (site + right) % count
                if decl.shape == "ring"
                else (site + right if 0 <= site + right < count else None)
                for site in range(count)
            )
            for _, _, right in steps
        )
    touching: list[set[int]] = [set() for _ in names]
    for table in go:
        for site, other in enumerate(table):
            if other is not None and other != site:
                touching[site].add(other)
    add_links(world, decl, names, touching)
    return m.Board(
        board,
        decl.shape,
        names,
        rows,
        columns,
        steps,
        go,
        tuple(tuple(sorted(each)) for each in touching),
    )


def add_links(
    world: World, decl: declarations.BoardDecl, names: tuple[str, ...], touching: list[set[int]]
) -> None:
    """Add what `links:` says: `along` a column, a `ring` or a `line` of sites."""
    node = decl.node.get("links")
    everything = board_sites.places_of((row.name for row in decl.rows) if decl.rows else names)
    place = {name: number for number, name in enumerate(names)}

    def join(left: str, right: str) -> None:
        if left in place and right in place and left != right:
            touching[place[left]].add(place[right])
            touching[place[right]].add(place[left])

    for item in node.items if isinstance(node, Sequence) else ():
        if not isinstance(item, Mapping) or not board_sites.applies(world, item):
            continue
        if along := directions.text_at(item, "along"):
            column = sites(world, decl.at.name).columns.get(along)
            if column is None:
                known = sites(world, decl.at.name).columns
                at = item.get("along") or item
                world.unknown(along, at.span, f"column of `{decl.at.name}`", known)
                continue
            world.read_column(column.span)
            for site, other in enumerate(column.values):
                if other is not None:
                    join(names[site], names[other])
        for word in ("ring", "line"):
            if item.get(word) is not None:
                chain = board_sites.span_of_sites(world, item.get(word), everything)
                for left, right in pairwise(chain):
                    join(left, right)
                if word == "ring" and len(chain) > 2:
                    join(chain[-1], chain[0])

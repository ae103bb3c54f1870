"""Boards: their sites, their columns and how they touch.

Shapes: `grid` and `hex` (rows and columns, `only:` a condition, `remove:`), `list` (rows of sites
with columns and `links`), `ring` and `line` (sites in a row, by `rows:` or `size:`). Row 1 is the
top. A hex board is a parallelogram: each row stands half a cell further right than the one above.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Mapping_
from collections.abc import Sequence as Sequence_
from itertools import islice, pairwise, product

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts, tabular
from rulerun_dsl.check.env.constants import value_of
from rulerun_dsl.check.env.world import ColumnFacts, RowsFacts, World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.parse import parse_test
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

_ORTHOGONAL = (("north", -1, 0), ("east", 0, 1), ("south", 1, 0), ("west", 0, -1))
_DIAGONAL = (
    ("north_west", -1, -1),
    ("north_east", -1, 1),
    ("south_west", 1, -1),
    ("south_east", 1, 1),
)
_HEX = (
    ("north_west", -1, 0),
    ("north_east", -1, 1),
    ("west", 0, -1),
    ("east", 0, 1),
    ("south_west", 1, -1),
    ("south_east", 1, 0),
)
_ALL = (
    ("north_west", -1, -1),
    ("north", -1, 0),
    ("north_east", -1, 1),
    ("west", 0, -1),
    ("east", 0, 1),
    ("south_west", 1, -1),
    ("south", 1, 0),
    ("south_east", 1, 1),
)


def _text(node: Mapping, key: str) -> str:
    value = node.get(key)
    return value.text if isinstance(value, Scalar) else ""


def directions_of(decl: declarations.BoardDecl) -> tuple[tuple[str, int, int], ...]:
    """The directions of a board: name, rows, columns of one step."""
    if decl.shape == "hex":
        return _HEX
    if decl.shape in ("ring", "line"):
        return (("forward", 0, 1), ("back", 0, -1))
    if decl.shape != "grid":
        return ()
    return {"orthogonal": _ORTHOGONAL, "diagonal": _DIAGONAL}.get(
        _text(decl.node, "directions"), _ALL
    )


def expression(node: Node | None) -> s.Expression | None:
    """Parse an expression of a board; what the parser says was said when the outline was made."""
    return parse_test(node)[0] if isinstance(node, Scalar) else None


def cells(world: World, board: str) -> tuple[tuple[int, int], ...]:
    """Row and column of every site of a grid or hex board, in order."""

    def make() -> tuple[tuple[int, int], ...]:
        decl = facts.board_decl(world, board)
        sizes = []
        for key in ("rows", "columns"):
            node = expression(decl.node.get(key))
            value = facts.constant(world, node, None) if node is not None else None
            if value is None or not 1 <= value <= 100:
                if node is None or value is not None:
                    world.report(
                        "RR0503",
                        f"a {decl.shape} board needs `{key}:` from 1 to 100",
                        node.span if node is not None else decl.at.span,
                    )
                return ()
            sizes.append(value)
        if facts.too_many_of(world, sizes, board, decl.at.span, "sites"):
            return ()
        found = list(product(range(1, sizes[0] + 1), range(1, sizes[1] + 1)))
        only = expression(decl.node.get("only"))
        if only is not None:
            kept = holding(world, only, found)
            found = [cell for cell, holds in zip(found, kept, strict=True) if holds]
            if not found:
                world.report("RR0503", f"`only:` leaves `{board}` no site", only.span)
        return tuple(found)

    return world.fact("cells", board, make, ())


def holding(
    world: World, condition: s.Expression, places: Sequence_[tuple[int, int]]
) -> list[bool]:
    """For which of some cells a condition over `row` and `column` holds."""
    numbers = {name: world.register() for name in ("row", "column")}
    names: dict[str, m.Expression] = {
        name: m.Register(t.Int(1, 100), condition.span, number) for name, number in numbers.items()
    }
    before = len(world.diagnostics)
    with world.deciding():
        checked = world.elaborate(world, condition, t.Bool(), names)
        if len(world.diagnostics) > before or world.has_given_up:
            return [True] * len(places)
        values = [
            value_of(world, checked, {numbers["row"]: row, numbers["column"]: column})
            for row, column in places
        ]
    if any(not isinstance(value, int) for value in values):
        world.report(
            "RR0504",
            f"`{condition.span.text}` must be known before play begins",
            condition.span,
            help="use `row`, `column`, numbers, options and constants",
        )
        return [True] * len(places)
    return [value == 1 for value in values]


def site_names(world: World, board: str) -> tuple[str, ...]:
    """The names of the sites."""
    decl = facts.board_decl(world, board)
    if decl.shape in ("grid", "hex"):
        chess = _text(decl.node, "names") == "chess"
        places = cells(world, board)
        lowest = max((row for row, _ in places), default=0)
        if chess:
            return tuple(f"{_letters(column)}{lowest - row + 1}" for row, column in places)
        return tuple(f"r{row}c{column}" for row, column in places)
    if not decl.rows:
        size = expression(decl.node.get("size"))
        if size is None and _text(decl.node, "shape") in ("", decl.shape):
            world.report(
                "RR0503",
                f"`{board}` has no sites",
                decl.at.span,
                help="name them under `rows:`, or say how many there are: `size: 12`",
            )
        count = facts.constant(world, size, t.Int(1, 1000)) if size is not None else 0
        if facts.too_many_of(world, [count or 0], board, decl.at.span, "sites"):
            return ()
        return tuple(f"{board}_{number + 1}" for number in range(min(count or 0, 1000)))
    tabular.check_names(world, [(row.name, row.span) for row in decl.rows])
    removed = removed_names(world, decl)
    return tuple(row.name for row in decl.rows if row.name not in removed)


def _letters(column: int) -> str:
    return (
        chr(96 + column)
        if column <= 26
        else _letters((column - 1) // 26) + _letters((column - 1) % 26 + 1)
    )


def removed_names(world: World, decl: declarations.BoardDecl) -> frozenset[str]:
    """The sites that `remove:` takes away under the settings."""
    names = places_of(row.name for row in decl.rows)
    gone: set[str] = set()
    node = decl.node.get("remove")
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping) and applies(world, item):
            gone.update(span_of_sites(world, item.get("sites"), names))
    return frozenset(gone)


def removed_from(world: World, name: str) -> str | None:
    """The board that `remove:` takes a site of this name away from."""
    nothing: list[str] = []
    removing = world.fact(
        "removing",
        "remove",
        lambda: [
            each
            for each in world.by_kind["board"]
            if facts.board_decl(world, each).node.get("remove") is not None
        ],
        nothing,
    )
    return next((each for each in removing if is_removed(world, each, name)), None)


def is_removed(world: World, board: str, name: str) -> bool:
    """Is a name that of a site that `remove:` takes away under the settings."""

    def make() -> frozenset[str]:
        return removed_names(world, facts.board_decl(world, board))

    nothing: frozenset[str] = frozenset()
    return name in world.fact("removed", board, make, nothing)


def applies(world: World, item: Mapping) -> bool:
    """Does the `when:` of a link or removal hold."""
    when = expression(item.get("when"))
    return when is None or facts.constant(world, when, t.Bool()) == 1


def places_of(names: Iterable[str]) -> dict[str, int]:
    """The places of names in their order; of a name that stands twice, the first."""
    found: dict[str, int] = {}
    for place, name in enumerate(names):
        found.setdefault(name, place)
    return found


def span_of_sites(world: World, node: Node | None, names: Mapping_[str, int]) -> list[str]:
    """The sites, of these in their order, that `O1..O9` or `[O12, O1]` names."""
    texts: list[Scalar] = []
    if isinstance(node, Scalar):
        texts = [node]
    elif isinstance(node, Sequence):
        texts = [item for item in node.items if isinstance(item, Scalar)]
    found: list[str] = []
    for scalar in texts:
        ends = [part.strip() for part in scalar.text.split("..")]
        unknown = [part for part in ends if part not in names]
        if unknown or len(ends) > 2:
            world.unknown(unknown[0] if unknown else scalar.text, scalar.span, "site", names)
            continue
        if ends[0] == ends[-1]:
            found.append(ends[0])
            continue
        first, last = names[ends[0]], names[ends[-1]]
        if facts.too_many_of(world, [max(last - first, 0)], scalar.text, scalar.span, "sites"):
            continue
        found.extend(islice(names, first, last + 1))
    return found


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


def site_facts(world: World, board: str) -> RowsFacts:
    """The sites with their columns (`row` and `column` of a grid among them)."""
    decl = facts.board_decl(world, board)
    check_keys(world, decl)
    names = facts.site_names(world, board)
    found: dict[str, ColumnFacts] = {}
    if decl.shape in ("grid", "hex"):
        places = cells(world, board)
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
            condition = expression(entry.value)
            if facts.too_many_of(world, [len(places)], entry.key.text, entry.key.span, "sites"):
                break
            if condition is not None:
                values = tuple(int(each) for each in holding(world, condition, places))
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
    if facts.board_decl(world, board).shape not in ("grid", "hex"):
        return ()
    node = facts.board_decl(world, board).node.get("regions")
    return node.keys() if isinstance(node, Mapping) else ()


def board(world: World, name: str) -> m.Board:
    """The board as the model has it."""
    nothing = m.Board(name, "list", (), (), (), (), (), ())
    return world.fact("board", name, lambda: model_board(world, name), nothing)


def model_board(world: World, board: str) -> m.Board:
    """Make the board: where its steps lead, which sites touch."""
    decl = facts.board_decl(world, board)
    names = facts.site_names(world, board)
    steps = directions_of(decl)
    if decl.shape in ("grid", "hex"):
        places = cells(world, board)
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
    everything = places_of((row.name for row in decl.rows) if decl.rows else names)
    place = {name: number for number, name in enumerate(names)}

    def join(left: str, right: str) -> None:
        if left in place and right in place and left != right:
            touching[place[left]].add(place[right])
            touching[place[right]].add(place[left])

    for item in node.items if isinstance(node, Sequence) else ():
        if not isinstance(item, Mapping) or not applies(world, item):
            continue
        if along := _text(item, "along"):
            column = facts.sites(world, decl.at.name).columns.get(along)
            if column is None:
                known = facts.sites(world, decl.at.name).columns
                at = item.get("along") or item
                world.unknown(along, at.span, f"column of `{decl.at.name}`", known)
                continue
            world.read_column(column.span)
            for site, other in enumerate(column.values):
                if other is not None:
                    join(names[site], names[other])
        for word in ("ring", "line"):
            if item.get(word) is not None:
                chain = span_of_sites(world, item.get(word), everything)
                for left, right in pairwise(chain):
                    join(left, right)
                if word == "ring" and len(chain) > 2:
                    join(chain[-1], chain[0])

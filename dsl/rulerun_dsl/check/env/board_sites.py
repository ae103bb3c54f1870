"""Which sites a board has: the cells of a grid, rows by their names, and those taken away.

Assumes: declared boards; what `only:`, `size:` and `remove:` say is constant.
Does: lists the sites in their order, `remove:` and `only:` applied.
Leaves behind: names, which columns and rows of other declarations may hold; `boards` adds columns
and links.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Mapping_
from collections.abc import Sequence as Sequence_
from itertools import islice, product

from rulerun_dsl.check.env import directions, facts
from rulerun_dsl.check.env.by_row import values_by_row
from rulerun_dsl.check.env.records import ColumnFacts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.parse import parse_test
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


def expression(node: Node | None) -> s.Expression | None:
    """Parse an expression of a board; what the parser says was said when the outline was made."""
    return parse_test(node)[0] if isinstance(node, Scalar) else None


def cells(world: World, board: str) -> tuple[tuple[int, int], ...]:
    """Row and column of every site of a grid or hex board, in order."""

    def make() -> tuple[tuple[int, int], ...]:
        decl = directions.board_decl(world, board)
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
    columns = {
        name: ColumnFacts(
            name, t.Int(1, 100), (), tuple(each[place] for each in places), condition.span
        )
        for place, name in enumerate(("row", "column"))
    }
    names = [f"r{row}c{column}" for row, column in places]
    help = "use `row`, `column`, numbers, options and constants"
    found = values_by_row(world, condition, t.Bool(), columns, names, help)
    return [True] * len(places) if found is None else [value == 1 for value in found]


def site_names(world: World, board: str) -> tuple[str, ...]:
    """The names of a board's sites, without asking for their columns."""
    return world.fact("site names", board, lambda: _site_names(world, board), ())


def _site_names(world: World, board: str) -> tuple[str, ...]:
    decl = directions.board_decl(world, board)
    if decl.shape in ("grid", "hex"):
        chess = directions.text_at(decl.node, "names") == "chess"
        places = cells(world, board)
        lowest = max((row for row, _ in places), default=0)
        if chess:
            return tuple(f"{_letters(column)}{lowest - row + 1}" for row, column in places)
        return tuple(f"r{row}c{column}" for row, column in places)
    if not decl.rows:
        size = expression(decl.node.get("size"))
        if size is None and directions.text_at(decl.node, "shape") in ("", decl.shape):
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
    facts.check_names(world, [(row.name, row.span) for row in decl.rows])
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
    nothing: dict[str, list[str]] = {}
    removing = world.fact("removing", "remove", lambda: _rows_that_may_go(world), nothing)
    return next((each for each in removing.get(name, ()) if is_removed(world, each, name)), None)


def _rows_that_may_go(world: World) -> dict[str, list[str]]:
    """By the name of a row: the boards that have it and `remove:` something."""
    found: dict[str, list[str]] = {}
    for board in world.by_kind["board"]:
        decl = directions.board_decl(world, board)
        if decl.node.get("remove") is not None:
            for row in decl.rows:
                found.setdefault(row.name, []).append(board)
    return found


def is_removed(world: World, board: str, name: str) -> bool:
    """Is a name that of a site that `remove:` takes away under the settings."""

    def make() -> frozenset[str]:
        return removed_names(world, directions.board_decl(world, board))

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

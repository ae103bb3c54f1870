"""The directions of boards: the ways that lead from a site, by the shape of its board.

They stand in the declaration of a board alone, whatever its sites are.
"""

from __future__ import annotations

from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.yaml.nodes import Mapping, Scalar

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


def board_decl(world: World, board: str) -> declarations.BoardDecl:
    """The declaration of a board."""
    return world.by_kind["board"][board]  # type: ignore[return-value]


def text_at(node: Mapping, key: str) -> str:
    """The text under a key of a board; empty if there is none."""
    value = node.get(key)
    return value.text if isinstance(value, Scalar) else ""


def steps_of(decl: declarations.BoardDecl) -> tuple[tuple[str, int, int], ...]:
    """The directions of a board: name, rows, columns of one step."""
    if decl.shape == "hex":
        return _HEX
    if decl.shape in ("ring", "line"):
        return (("forward", 0, 1), ("back", 0, -1))
    if decl.shape != "grid":
        return ()
    return {"orthogonal": _ORTHOGONAL, "diagonal": _DIAGONAL}.get(
        text_at(decl.node, "directions"), _ALL
    )


def names(world: World, board: str) -> tuple[str, ...]:
    """The names of a board's directions."""
    return tuple(name for name, _, _ in steps_of(board_decl(world, board)))


def opposites(world: World, board: str) -> tuple[int, ...]:
    """For each direction of a board, the place of the one that leads back."""
    steps = [(rows, columns) for _, rows, columns in steps_of(board_decl(world, board))]
    return tuple(steps.index((-rows, -columns)) for rows, columns in steps)


def type_of(world: World, board: str) -> t.Direction:
    """The type of a board's directions: boards that have the same ones share it."""
    return t.Direction(first_with(world).get(names(world, board), board))


def first_with(world: World) -> dict[tuple[str, ...], str]:
    """For all directions that boards have: the first board that has these."""

    def make() -> dict[tuple[str, ...], str]:
        found: dict[tuple[str, ...], str] = {}
        for board in world.by_kind["board"]:
            found.setdefault(names(world, board), board)
        return found

    return world.fact("boards", "direction", make, {})

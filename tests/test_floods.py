"""Sets of the sites of a board as one number, however wide, and searches over them as floods.

Boards around the widths at which something changes: 62, 63 and 64 sites, two words, and more than
one number holds. Machine code plays the games of the reference on each.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from tests.playing import game_of
from tests.rulesets import read
from tests.same_games import same_games

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.lower.lower import lower
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import ruleset_path

needs_native = pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite is not installed")

BOARDS = {
    ("hex", "num_rows", "num_cols"): [(3, 3), (6, 10), (7, 9), (8, 8), (5, 13), (9, 15)],
    ("connect_four", "rows", "columns"): [(7, 8), (7, 9), (8, 8), (9, 9)],
}
SETTINGS = [(*names, *sizes) for names, boards in BOARDS.items() for sizes in boards]

RULES = """
rulerun: 1
game: flooded
players: [a, b]
boards:
  cell: {{shape: {shape}, rows: {rows}, columns: {columns}}}
state:
  visible: all
  stone[cell]: player or none
  far: 0..99999
  home: cell or none
  many: 0..99999
phases:
  play:
    turns: you in players
    until: count(s in cell if stone[s] is not none) == min({rows} * {columns}, 40)
    do:
      - choose: s in cell if stone[s] is none
      - stone[s] = you
      - home = s if home is none
      - far += distance(home, s) otherwise 0
      - many += count(t in reach(s, u in cell if stone[u] == you))
      - many += count(t in reach(those(u in cell if stone[u] == you), u in cell if open(u, you)))
functions:
  open(cell u, player p): stone[u] != opponent(p)
scoring:
  points(player p): far + many if p is a else count(s in cell if stone[s] == p)
"""


@needs_native
@pytest.mark.parametrize(("name", "down", "across", "rows", "columns"), SETTINGS)
def test_boards_of_all_widths(name: str, down: str, across: str, rows: int, columns: int) -> None:
    options = {down: str(rows), across: str(columns)}
    game, _ = read(ruleset_path(name)).game(options=options)
    assert game is not None
    same_games(game, 4)


def flooded(rows: int, columns: int, shape: str = "grid") -> Game:
    text = RULES.format(rows=rows, columns=columns, shape=shape)
    return game_of(text)


@needs_native
@pytest.mark.parametrize(
    ("rows", "columns", "shape"),
    [
        (1, 2, "grid"),
        (4, 4, "grid"),
        (7, 9, "grid"),
        (8, 8, "grid"),
        (5, 13, "grid"),
        (10, 20, "grid"),
        (8, 8, "hex"),
        (23, 23, "grid"),
    ],
)
def test_what_can_be_reached_and_how_far_it_is(rows: int, columns: int, shape: str) -> None:
    same_games(flooded(rows, columns, shape), 2)


def nodes_of(game: Game, any_size: bool) -> list[object]:
    program = lower(game, any_size=any_size)
    return [node for each in program.functions for node in every_part(each.body)]


def test_only_machine_code_floods_and_only_what_it_holds_as_one_number() -> None:
    small, huge = flooded(8, 8), flooded(23, 23)
    for game, any_size, floods in (
        (small, False, True),
        (small, True, False),
        (huge, False, False),
    ):
        queues = [
            node
            for node in nodes_of(game, any_size)
            if isinstance(node, ir.NewRows) and node.name.startswith("queue")
        ]
        assert bool(queues) is not floods
    wide = {node.many for node in nodes_of(small, False) if isinstance(node, ir.NewBits)}
    assert wide == {64}
    assert not any(isinstance(node, ir.NewBits) for node in nodes_of(huge, False))

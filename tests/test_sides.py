"""Walls, doors and ways out: what stands on the sides of cells, as screens draw it."""

import pytest
from tests.test_table import begin, written

from rulerun.session.session import Session
from rulerun.terminal.board_grids import draw
from rulerun.terminal.formatting import Paint
from rulerun.terminal.layout import Layout
from rulerun.web.scene import Stage
from rulerun.words.labels import Labels
from rulerun_dsl.load import load

MAZE = """
rulerun: 1
game: maze
players: 2

boards:
  cell: {shape: grid, rows: 2, columns: 3, directions: orthogonal}
  edge: {shape: grid, rows: 5, columns: 7, only: (row + column) % 2 == 1}

components:
  rat: {each: player, start: hole}
  door: {copies: 3, start: box}

zones:
  visible: all
  hole: {of: rat}
  rats[cell]: {of: rat}
  box: {of: door}
  door_on[edge]: {one: door}

tables:
  way_out[edge]: {type: 1..2 or none, rows: {r1c2: 1, r5c6: 2, else: none}}

state:
  visible: all
  wall[edge]: bool
  days: 0..6

setup:
  - wall[r2c3] = true
  - wall[r3c4] = true
  - wall[r4c7] = true
  - wall[r2c1] = true
  - move 1 from box to door_on[r4c5]
  - move rat of P1 to rats[r1c1]
  - move rat of P2 to rats[r2c3]

phases:
  play:
    turns: you in players
    until: days == 6
    do:
      - choose: c in neighbours(the where(rat of you)) if is_open(the where(rat of you), c)
        ask: Where do you run?
        else: pass
      - move rat of you to rats[c] if c is not none
      - days += 1

functions:
  between(cell a, cell b): the edge(a.row + b.row, a.column + b.column)
  is_open(cell a, cell b): not wall[between(a, b)]
  is_out(player p): any(way_out[e] is not none and touches(e, the where(rat of p)) for e in edge)
  touches(edge e, cell c): abs(e.row - 2 * c.row) + abs(e.column - 2 * c.column) == 1

scoring:
  winner: those(p in players if is_out(p))

view:
  sides: {edge: cell}
  shows: {edge: way_out}
  glyphs: {way_out: ∩, door: ▯}
"""


def maze(text: str = MAZE) -> Session:
    return begin(written(text), 1)


def board_of(session: Session, width: int = 80) -> list[str]:
    layout = Layout(Labels(session.game), width, Paint(), None)
    lines = layout.lines(session.observation(0), session.log(0))
    return lines[lines.index("rats") + 1 :][:7]


def test_walls_doors_and_ways_out_stand_between_cells():
    assert board_of(maze()) == [
        "     1    2    3",
        "     ∩1",
        "1  │ P1 │ .    .",
        "          ──",
        "2    .    .  ▯ P2 │",
        "               ∩2",
        "∩ way out, ▯ door",
    ]


def test_a_glyph_stands_for_what_is_true():
    lines = board_of(maze(MAZE.replace("door: ▯", "door: ▯, wall: '#'")))
    assert lines[2] == "1  # P1 # .    ." and "# wall" in lines[6]


def test_without_sides_the_board_is_as_it_was():
    board = next(each for each in maze().game.boards if each.name == "cell")
    plain = ["   1  2  3", "1  a  .  .", "2  .  .  ."]
    assert draw(board, {"r1c1": "a"}, 80) == draw(board, {"r1c1": "a"}, 80, {}) == plain


def test_where_nothing_says_so_the_sides_are_a_board_of_their_own():
    session = maze(MAZE.replace("  sides: {edge: cell}\n", ""))
    lines = Layout(Labels(session.game), 80, Paint(), None).lines(session.observation(0))
    assert any("rats" in line and "wall" in line for line in lines[:2]), "three pictures"


def test_a_browser_gets_the_sides_of_each_drawing():
    session = maze()
    scene = Stage(Labels(session.game)).scene(session.observation(0), ())
    boards = scene["boards"]
    assert isinstance(boards, list) and [each["name"] for each in boards] == ["cell"]
    sides = {
        (each["x"], each["y"]): (each["level"], "".join(sign["text"] for sign in each["signs"]))
        for each in boards[0]["sides"]
    }
    assert sides[1.0, 0.5] == (True, "∩1"), "north of r1c1"
    assert sides[2.5, 2.0] == (False, "▯"), "between r2c2 and r2c3"
    assert sides[2.0, 1.5] == (True, ""), "a wall has no sign"
    assert len(sides) == 7


OWNED = (
    MAZE.replace("  wall[edge]: bool\n", "  wall[player, edge]: bool\n  been[player, cell]: bool\n")
    .replace("- wall[", "- wall[P1, ")
    .replace("  - move rat of P1", "  - been[all, r1c2] = true\n  - move rat of P1")
    .replace("not wall[between(a, b)]", "not wall[you, between(a, b)] and not been[you, b]")
    .replace("is_open(cell a", "is_open(player you, cell a")
)


def test_what_is_of_a_player_stands_on_that_players_drawing():
    session = maze(OWNED)
    lines = Layout(Labels(session.game), 120, Paint(), None).lines(session.observation(0))
    assert "been P1" in lines[0] and "been P2" in lines[0] and "rats" in lines[0]
    board = "\n".join(lines[:8])
    assert board.count("∩1") == 3 and board.count("▯") == 3, "what is nobody's stands on each"
    assert board.count("│") == 3 and board.count("──") == 1, "the walls are those of P1 alone"


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("{edge: cell}\n  shows", "{edge: sell}\n  shows", "RR0402"),
        ("{edge: cell}\n  shows", "{wall: cell}\n  shows", "RR0409"),
        ("{edge: cell}\n  shows", "{cell: edge}\n  shows", "RR0409"),
        (", columns: 7, only", ", columns: 9, only", "RR0409"),
        (" only: (row + column) % 2 == 1", "", "RR0409"),
        ("way_out: ∩", "way_in: ∩", "RR0402"),
    ],
)
def test_what_is_no_side_is_told(before, after, code):
    assert before in MAZE
    loaded, found = load(MAZE.replace(before, after, 1).encode(), "rules.yaml")
    more = loaded.game()[1] if loaded is not None else ()
    assert code in [each.code for each in (*found, *more)]

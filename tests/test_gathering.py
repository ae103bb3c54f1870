"""Whether a member is among what a function comes across, asked of all members at once.

Which loops gather, and which must not; machine code and Python play the games of the reference on
boards around the widths at which something changes: 62, 63 and 64 sites, two words, and more than
is gathered.
"""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest
from tests.playing import game_of
from tests.same_games import same_games

from rulerun.compiled import ir
from rulerun.compiled.ir.gathering import gathered
from rulerun.compiled.ir.inlining import inlined
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.printing import printed
from rulerun.compiled.lower.lower import lower
from rulerun_dsl.model import Game

needs_native = pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite is not installed")

GAMES = 12
RULES = """
rulerun: 1
game: gathered
players: [a, b]
boards:
  square: {{shape: {shape}, rows: {rows}, columns: {columns}}}
state:
  visible: all
  man[square]: player or none
  aim: square
  turns: 0..40
setup:
  - aim = square(2, 2)
  - man[square(1, 2)] = a
  - man[square(3, 3)] = b
phases:
  play:
    turns: you in players
    until: turns == 24
    do:
      - choose: s in square if {asked}
        else: end game won by opponent(you)
      - man[s] = you if turns % 3 != 2
      - aim = s
      - turns += 1
functions:
  meets(square f, square g): {meets}
  is_beyond(square f, 0..9 n): any(k == n for k in 1..80 if k > f.row and k % 3 == 0)
scoring:
  points(player p): >-
    count(s in square if man[s] == p) + count(s in square if meets(aim, s))
    + count(n in 0..9 if is_beyond(aim, n))
"""
ASKED = {
    # What is asked of each site; whether the answer is gathered.
    "meets(aim, s)": True,
    "meets(aim, s) and s.row != turns": True,
    "meets(s, aim)": False,
    "s.row != turns and meets(aim, s)": False,
}
MEETS = {
    # What a function comes across; whether it can be gathered.
    "any(t == g for d in direction for t in ray(f, d) while man[t] is none)": True,
    "any(g == t for t in neighbours(f) for u in neighbours(t) if man[u] is none and t != u)": True,
    "any(man[t] is none and t == g for d in direction for t in ray(f, d))": True,
    "any(go(t, d) == g for d in direction for t in ray(f, d) if man[t] is none)": False,
    "any(t == g or man[t] is a for t in neighbours(f))": False,
    "any(t == g and f != g for t in neighbours(f))": False,
    "count(t in neighbours(f) if t == g) > 0": False,
    # It may go wrong where it would have stopped.
    "any(12 // count(u in square if u != f) >= 0 and t == g for t in neighbours(f))": False,
}
SIGHT = next(iter(MEETS))
BOARDS = [("grid", 4, 5), ("hex", 6, 10), ("grid", 7, 9), ("grid", 8, 8), ("hex", 5, 13)]
LARGE = [("grid", 9, 15), ("grid", 20, 26)]


def gathering(asked: str, meets: str, board: tuple[str, int, int] = BOARDS[0]) -> Game:
    shape, rows, columns = board
    text = RULES.format(asked=asked, meets=meets, shape=shape, rows=rows, columns=columns)
    return game_of(text)


def gathers(game: Game) -> bool:
    """Whether the sites of the question are gathered."""
    program = gathered(inlined(lower(game)))
    name = next(each.lister for each in program.questions if not each.chance)
    lister = next(each for each in program.listers if each.name == name)
    return any(
        isinstance(node, ir.Assign | ir.NewBits) and node.name.endswith("__met")
        for node in every_part(lister.body)
    )


@pytest.mark.parametrize("asked", ASKED)
def test_what_is_asked_first_of_each_site_is_gathered(asked: str) -> None:
    game = gathering(asked, SIGHT)
    assert gathers(game) is ASKED[asked]
    same_games(game, GAMES, native=False)


@pytest.mark.parametrize("meets", MEETS)
def test_a_function_that_compares_what_it_comes_across_gathers_it(meets: str) -> None:
    game = gathering("meets(aim, s)", meets)
    assert gathers(game) is MEETS[meets]
    same_games(game, GAMES, native=MEETS[meets])


@pytest.mark.parametrize("board", BOARDS)
def test_sites_are_gathered_on_boards_of_all_widths(board: tuple[str, int, int]) -> None:
    game = gathering("meets(aim, s)", SIGHT, board)
    assert gathers(game)
    same_games(game, GAMES)


@pytest.mark.slow
@pytest.mark.parametrize("board", LARGE)
def test_sites_are_gathered_on_large_boards(board: tuple[str, int, int]) -> None:
    game = gathering("meets(aim, s)", SIGHT, board)
    assert gathers(game) is (board[1] * board[2] <= 512)
    same_games(game, GAMES)


def test_what_is_no_member_is_left_out() -> None:
    """`is_beyond` comes across numbers that are none of those it is asked for."""
    text = printed(gathered(inlined(lower(gathering("meets(aim, s)", SIGHT)))))
    assert re.search(r"\(\w+ >= 0\) and \(\w+ < 10\)", text)

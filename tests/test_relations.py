"""What is asked of members beside a fixed one: which conditions become masks, and which must not.

That the games are the same is held against the reference for each of them.
"""

from __future__ import annotations

import pytest
from tests.playing import game_of
from tests.same_games import same_games

from rulerun.compiled import ir
from rulerun.compiled.ir.inlining import inlined
from rulerun.compiled.ir.masks import masks
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.relations import seen_from
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.native.fitting import ranges_of
from rulerun_dsl.model import Game

RULES = """
rulerun: 1
game: related
players: [a, b]
boards:
  square: {{shape: {shape}, rows: {rows}, columns: {columns}}}
types:
  sort: [walker, runner, jumper]
  man:
    has: {{side: player, sort: sort}}
    rows:
      a_walker: [a, walker]
      a_runner: [a, runner]
      a_jumper: [a, jumper]
      b_walker: [b, walker]
      b_runner: [b, runner]
      b_jumper: [b, jumper]
state:
  visible: all
  on[square]: man or none
  last: square or none
  turns: 0..40
setup:
  - on[s] = man_of(a, s) for s in square if s.row == 1
  - on[s] = man_of(b, s) for s in square if s.row == {rows}
phases:
  play:
    turns: you in players
    until: turns == 30
    do:
      - choose:
          move(square f, square t):
            when: "{condition}"
            do:
              - last = f
              - on[t] = on[f]
              - on[f] = none if t != f
        else: pass
      - turns += 1
functions:
  man_of(player p, square s): the first(m in man if m.side == p and m.sort == {sorts})
scoring:
  points(player p): count(s in square if on[s] is not none and on[s].side == p)
"""
GAMES = 20
SORTS = "(walker if s.column % 3 == 0 else runner if s.column % 3 == 1 else jumper)"
MINE = "on[f] is not none and on[f].side == you and "
THEIRS = "on[s] is not none and on[s].side != you and "
ASKED = {
    # A condition on two sites, and whether it is asked of all of the second ones at once.
    "t in neighbours(f)": True,
    "f in neighbours(t)": True,
    "abs(f.row - t.row) * abs(f.column - t.column) == 2": True,
    "max(abs(f.row - t.row), abs(f.column - t.column)) == 2": True,
    "(f.row + t.column) % 3 == 1 and f != t": True,
    # What the player, or the man who moves, makes of it.
    "t.row - f.row == (1 if you is a else -1) and (on[t] is none or on[t].side != you)": True,
    "(t in neighbours(f) if on[f].sort is walker else f.row == t.row and f != t)": True,
    "on[t] is none and (t.row == f.row or on[f].sort in (runner, jumper) and f != t)": True,
    "(on[t] is none or on[t].sort is not walker) and t.row == f.row and t != f": True,
    # One site.
    "(t == last or on[t] is none and t.row == f.row)": True,
    # Lines.
    "any(first(s in ray(f, d) if s == t or on[s] is not none) == t for d in direction)": True,
    "first(s in ray(f, east) if on[s] is not none or t == s) == t": True,
    "first(s in ray(f, (east if turns > 9 else north)) if s == t or on[s] is not none) == t": True,
    "any(first(s in ray(f, d) if s == t or on[s] is not none and on[s].side == you) == t"
    " for d in direction if on[f].sort is runner)": True,
    # A sum of what is not the same for all, and a line that is not followed to its end.
    "f.row + t.row == turns": False,
    "any(first(s in ray(f, d) if s == t or on[s] is not none and s.row > t.row) == t"
    " for d in direction)": False,
    "t in neighbours(f) and any(x in neighbours(t) and on[x] is none and x in neighbours(y)"
    " for x in square for y in square if y == last)": False,
}


def related(condition: str, shape: str = "grid", rows: int = 5, columns: int = 5) -> Game:
    text = RULES.format(
        condition=MINE + condition, shape=shape, rows=rows, columns=columns, sorts=SORTS
    )
    return game_of(text)


def one_by_one(program: Program) -> bool:
    """Whether it is asked of one second site after another, or of one after another once more."""
    (lister,) = (each for each in program.listers if each.name != "judge")
    loops = [node for node in every_part(lister.body) if isinstance(node, ir.For | ir.EachBit)]
    (inner,) = (each for each in loops if not any(one in loops for one in every_part(each.body)))
    return isinstance(inner, ir.For) or isinstance(inner.body[0], ir.If)


@pytest.mark.parametrize("condition", ASKED)
def test_what_is_asked_beside_a_fixed_site_is_asked_at_once(condition: str) -> None:
    game = related(condition)
    plain = inlined(lower(game))
    assert one_by_one(masks(plain))
    assert one_by_one(masks(plain, ranges=ranges_of(game))) is not ASKED[condition]
    same_games(game, GAMES)


ATTACKS = {
    # From all sites to a fixed one.
    "t in neighbours(s)": True,
    "abs(s.row - t.row) + abs(s.column - t.column) == 3": True,
    "any(first(x in ray(s, d) if x == t or on[x] is not none) == t for d in direction)": True,
    "(t in neighbours(s) if on[s].sort is walker else"
    " first(x in ray(s, west) if x == t or on[x] is not none) == t)": True,
    "s.row + t.row == turns": False,
}


def attacked(condition: str, shape: str = "grid", rows: int = 5, columns: int = 5) -> Game:
    whole = f"t in neighbours(f) and not any({THEIRS}{condition} for s in square)"
    return related(whole, shape, rows, columns)


def loops(program: Program) -> bool:
    """Whether the function that looks for an attack asks one site after another."""
    (function,) = (each for each in program.functions if "for s in square" in each.about)
    return any(isinstance(node, ir.For | ir.EachBit) for node in every_part(function.body))


@pytest.mark.parametrize("condition", ATTACKS)
def test_what_is_asked_of_all_sites_about_a_fixed_one_is_asked_at_once(condition: str) -> None:
    game = attacked(condition)
    plain = inlined(lower(game))
    assert loops(masks(plain))
    assert loops(masks(plain, ranges=ranges_of(game))) is not ATTACKS[condition]
    same_games(game, GAMES)


@pytest.mark.parametrize(
    ("shape", "rows", "columns", "fits"),
    [("grid", 8, 8, True), ("hex", 7, 9, True), ("grid", 4, 16, True), ("grid", 9, 8, False)],
)
def test_boards_of_all_widths(shape: str, rows: int, columns: int, fits: bool) -> None:
    """The last of 64 sites is the sign of a number; rays of all directions end at the edge."""
    for condition in list(ATTACKS)[1:3]:
        game = attacked(condition, shape, rows, columns)
        assert loops(masks(inlined(lower(game)), ranges=ranges_of(game))) is not fits
        same_games(game, GAMES)


def test_a_line_is_seen_from_its_other_end_if_the_same_lies_between() -> None:
    assert seen_from([[1, 2], [2], []]) == [[], [0], [1, 0]]
    assert seen_from([[2], [2], []]) is None, "nothing lies between 0 and 2, but 1 is nearer"
    assert seen_from([[2, 1], [], []]) is None, "2 lies between 0 and 1, and does not see 1"
    assert seen_from([[3], [], []]) is None, "another board"


FIXED = """
rulerun: 1
game: fixed
players: [a, b]
boards:
  square: {{shape: grid, rows: 5, columns: 5}}
tables:
  slope[square]: {{rows: {{r1c1: -2, r2c2: -1, r3c3: 3, else: 0}}}}
  place[0..4]: {{rows: [3, 1, 4, 0, 2]}}
state:
  visible: all
  on[square]: player or none
  met[player]: 0..4000
phases:
  play:
    turns: you in players
    until: count(s in square if on[s] is none) < 5
    do:
      - choose: s in square if on[s] is none
      - on[s] = you
      - met += {met}
functions:
  meets({given}): any({condition} and on[t] is none for t in square)
scoring:
  points(player p): met[p] + slope[r1c1] + place[1]
"""
MAYBE_NONE = "square or none x"
NONE_OF_THEM = {
    # A condition on a site beside a fixed one that may be none, or beside a number too high.
    "(go(t, east) == x or go(t, north) == x and t.row > 1)": MAYBE_NONE,
    "(x is none and t.row > 3 or x is not none and x in neighbours(t))": MAYBE_NONE,
    "(x is none or x.row != t.row and x.column + t.column > 3)": MAYBE_NONE,
    "go(t, east) == x": MAYBE_NONE,
    "(t.row == x or t.column == x)": "0..9 x",
    "not (t.row == x or t.column == x)": "0..9 x",
    "(slope[t] == x or t.row == x)": "-2..9 x",
    "(slope[t] != x and t.row != x)": "-3..9 x",
    # Rules that look up what the table has.
    "(t.row == x or x in 0..4 and place[x] == t.column)": "-2..9 x",
    "(t.row == x or x <= 4 and place[x] == t.column)": "0..9 x",
    "(t.row == x + 3 or x >= 0 and place[x] == t.column)": "-2..4 x",
}


@pytest.mark.parametrize("condition", NONE_OF_THEM)
def test_what_is_fixed_may_be_none_of_what_tables_know(condition: str) -> None:
    """No game is given up for it, and none is not unlike none."""
    given = NONE_OF_THEM[condition]
    numbers = f"n in {given[:-2]} if meets(n)"
    asked = "d in direction if meets(go(s, d))" if given == MAYBE_NONE else numbers
    text = FIXED.format(met=f"count({asked})", given=given, condition=condition)
    same_games(game_of(text), GAMES)

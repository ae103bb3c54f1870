"""What is asked around sites, and of sets of them, asked of all at once.

Whether one of the neighbours meets a condition, how many of them do, what is in a set that is
given, what stands on a constant board alone: on boards around the widths at which something
changes. Compiled executors play the games of the reference on each.
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
from rulerun.compiled.ir.stopping import stopping
from rulerun.compiled.ir.tabling import tabled
from rulerun.compiled.lower.lower import lower
from rulerun_dsl.model import Game

GAMES = 8
RULES = """
rulerun: 1
game: around
players: [a, b]
boards:
  cell: {{shape: {shape}, rows: {rows}, columns: {columns}}}
state:
  visible: all
  stone[cell]: player or none
  sums: 0..99999
phases:
  play:
    turns: you in players
    until: count(s in cell if stone[s] is not none) >= min({rows} * {columns}, 44)
    do:
      - choose: s in cell if stone[s] is none and (any(stone[t] is none for t in neighbours(s)) or s.row % 2 == 0)
        else: end game won by opponent(you)
      - stone[s] = you
      - sums += value(s, you)
functions:
  value(cell s, player p): >-
    {asked} + s.row + (1 if p is a else 0)
scoring:
  points(player p): sums if p is a else count(s in cell if stone[s] == p)
"""  # noqa: E501
MORE = {
    # A question, and the functions that it needs.
    "count(t in cell if stone[t] == p and is_corner(t))": (
        "is_corner(cell s): count(neighbours(s)) == min(count(neighbours(t)) for t in cell)",
    ),
    "count(t in chain(s)) + (7 if breathes(s) else 0)": (
        "chain(cell s): those(t in reach(s, u in cell if stone[u] == stone[s]))",
        "breathes(cell s): any(stone[u] is none for t in chain(s) for u in neighbours(t))",
    ),
    "count(t in cell if any(stone[u] == p for u in neighbours(t)))": (),
    "count(t in cell if not is_near(t, p) and is_near(t, opponent(p)))": (
        "is_near(cell s, player p): any(stone[u] == p and u.row > 1 for u in neighbours(s))",
    ),
    "count(t in neighbours(s) if stone[t] == p) + count(neighbours(s))": (),
    "sum(1 for d in direction for e in direction if index(d) < index(e) and is_met(p, d, e))": (
        "is_met(player p, direction d, direction e): "
        "any(lies(s, d, e) for s in cell if stone[s] == p)",
        "lies(cell s, direction d, direction e): go(s, d) is none and go(s, e) is none",
    ),
}
GIVEN = {
    # Of a set that is given, which must not have more than 62 members.
    "sided(those(t in reach(s, u in cell if stone[u] == p)))": (
        "sided(set of cell chain): >-\n"
        "    sum(1 for d in direction for e in direction if index(d) < index(e)\n"
        "        and any(lies(s, d, e) for s in chain)) + count(s in chain if is_rim(s))",
        "lies(cell s, direction d, direction e): "
        "is_rim(s) and go(s, d) is none and go(s, e) is none",
        "is_rim(cell s): count(neighbours(s)) < 6",
    ),
    "ringed(those(t in reach(s, u in cell if stone[u] == p)))": (
        "ringed(set of cell chain):\n"
        "    - let set of cell outside = reach(those(s in cell if s.row == 1 and s not in chain), "
        "s in cell if s not in chain)\n"
        "    - count(s in cell if (count(t in neighbours(s) if t in chain) > 2 if s in chain "
        "else s in outside))",
    ),
}
SMALL = [("grid", 4, 5), ("hex", 6, 7), ("grid", 6, 10)]
WIDE = [("grid", 7, 9), ("hex", 8, 8), ("grid", 8, 8), ("hex", 5, 13), ("grid", 9, 15)]


def around(asked: str, board: tuple[str, int, int]) -> Game:
    shape, rows, columns = board
    text = RULES.format(asked=asked, shape=shape, rows=rows, columns=columns)
    more = {**MORE, **GIVEN}[asked]
    text = text.replace("scoring:", "".join(f"  {each}\n" for each in more) + "scoring:")
    return game_of(text)


@pytest.mark.parametrize("asked", [*MORE, *GIVEN])
def test_what_is_asked_around_sites(asked: str) -> None:
    same_games(around(asked, SMALL[1]), GAMES)


@pytest.mark.slow
@pytest.mark.parametrize("board", [*SMALL, *WIDE])
@pytest.mark.parametrize("asked", MORE)
def test_what_is_asked_around_sites_of_all_boards(asked: str, board: tuple[str, int, int]) -> None:
    same_games(around(asked, board), GAMES)


@pytest.mark.parametrize("board", WIDE[2:4])
def test_a_group_and_its_liberties_on_wide_boards(board: tuple[str, int, int]) -> None:
    same_games(around(list(MORE)[1], board), GAMES)


@pytest.mark.slow
@pytest.mark.parametrize("board", SMALL)
@pytest.mark.parametrize("asked", GIVEN)
def test_what_is_asked_of_a_set(asked: str, board: tuple[str, int, int]) -> None:
    same_games(around(asked, board), GAMES)


# ---------------------------------------------------------------------- which loops are left over


def program_of(asked: str, board: tuple[str, int, int] = SMALL[1]) -> Program:
    program = masks(inlined(tabled(lower(around(asked, board), any_size=False))))
    return stopping(program)


def loops(program: Program, name: str) -> int:
    """How many loops are left in the functions of a name, but for those of searches."""
    kinds = ir.For | ir.Each | ir.EachBit | ir.EachEqual
    return sum(
        isinstance(node, kinds)
        for each in program.functions
        if each.about.startswith(name)
        for node in every_part(each.body)
    )


@pytest.mark.parametrize("asked", [*list(MORE)[1:5], *GIVEN])
def test_no_loop_is_left(asked: str) -> None:
    """But where what is asked of each must be asked of it: of those alone of whom it may hold."""
    program = program_of(asked)
    ringed = asked.startswith("ringed")
    names = ("count(", "any(", "reach(", "chain", "breathes", "sided", "is_met")
    assert sum(loops(program, each) for each in names) == ringed


def test_a_search_stops_when_it_has_met_what_it_looks_for() -> None:
    def stops(board: tuple[str, int, int]) -> bool:
        return any(
            isinstance(node, ir.While) and isinstance(node.body[0], ir.If)
            for each in program_of(list(MORE)[1], board).functions
            for node in every_part(each.body)
        )

    assert stops(("grid", 9, 9))
    assert not stops(SMALL[1]), "there it is a function of its own, which is remembered"


TWO_SLOTS = """
rulerun: 1
game: two_slots
players: [a, b]
boards:
  cell: {shape: grid, rows: 4, columns: 5}
state:
  visible: all
  stone[cell]: player or none
  shadow[cell]: player or none
  sums: 0..9999
phases:
  play:
    turns: you in players
    until: count(s in cell if stone[s] is none) < 4
    do:
      - choose: s in cell if stone[s] is none
      - stone[s] = you
      - shadow[go(s, south)] = opponent(you) if go(s, south) is not none
      - sums += count(u in cell if is_met(u) and u.row > 1)
functions:
  is_met(cell s): any(stone[t] == shadow[t] for t in neighbours(s))
scoring:
  points(player p): sums + count(s in cell if shadow[s] == p)
"""


def test_two_slots_of_one_neighbour_are_compared_with_each_other() -> None:
    """Neither of them is the same for all."""
    same_games(game_of(TWO_SLOTS), GAMES)

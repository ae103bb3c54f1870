"""What a loop asks of each site, followed for all of them at once: what becomes so, what must not.

That the games are the same is held against the reference for each of them.
"""

from __future__ import annotations

import pytest
from tests.playing import game_of
from tests.same_games import same_games

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.python.preparing import prepared
from rulerun_dsl.model import Game

RULES = """
rulerun: 1
game: followed
players: [a, b]
boards:
  square: {{shape: {shape}, rows: {rows}, columns: {columns}}}
state:
  visible: all
  piece[square]: player or none
  turns: 0..40
setup:
  - piece[square(2, 2)] = a
  - piece[square(3, 3)] = b
phases:
  play:
    turns: you in players
    until: turns == 24
    do:
      - choose:
          put(square s):
            when: piece[s] is none and ({condition})
            do: piece[s] = you
          take(square s):
            when: piece[s] == opponent(you) and ({condition})
            do: piece[s] = none
          pass: pass
      - turns += 1
{functions}
scoring:
  points(player p): count(s in square if piece[s] == p)
"""
FUNCTIONS = {
    "run": "run(player p, square s, direction d): count(t in ray(s, d) while piece[t] == p)",
    "encloses": """encloses(player p, square s, direction d):
    - let n = run(opponent(p), s, d)
    - let end = go(s, d, n + 1)
    - n if end is not none and piece[end] == p else 0""",
    "is_free": "is_free(square s, direction d): go(s, d) is not none and piece[go(s, d)] is none",
    "across": "across(player p, square s): "
    "piece[square(s.row, 1 if s.column > 2 else s.column + 2)] == p",
    "back": "back(square s, direction d): go(s, d, -1) is not none and piece[go(s, d, -1)] is a",
}
CONDITIONS = {
    # As one reads it, and whether all sites are asked at once by a function.
    "any(encloses(you, s, d) > 0 for d in direction)": True,
    # They would go too many ways.
    "sum(encloses(you, s, d) for d in direction) > 1": False,
    "any(run(you, s, d) == 2 for d in direction)": True,
    "count(d in direction if run(opponent(you), s, d) > 0) > 1": False,
    "any(is_free(s, d) and not back(s, d) for d in direction)": True,
    # Sites ask others that are not all equally far away.
    "across(you, s)": True,
    "any(run(you, s, d) > turns for d in direction)": False,
    "any(run(you, s, d) > 0 for d in direction) and 12 // (turns + 1) > 0": False,
}
BOARDS = [("grid", 4, 4), ("grid", 5, 9), ("hex", 5, 5), ("grid", 9, 9)]
GAMES = 8


def followed(condition: str, board: tuple[str, int, int]) -> Game:
    shape, rows, columns = board
    used = {name for name in FUNCTIONS if name in condition}
    used |= {"run"} if "encloses" in used else set()
    texts = [text for name, text in FUNCTIONS.items() if name in used]
    functions = "\n  ".join(["functions:" if used else "", *texts])
    text = RULES.format(
        condition=condition, functions=functions, shape=shape, rows=rows, columns=columns
    )
    return game_of(text)


def follows(game: Game) -> bool:
    """Whether a function asks all sites at once."""
    program, _ = prepared(game, whole=True)
    made = {each.name for each in program.functions if each.kept and "__hold" in each.name}
    parts = [node for each in program.listers for node in every_part(each.body)]
    calls = {node.function for node in parts if isinstance(node, ir.Call)}
    return bool(made & calls)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_are_followed_for_all_sites(condition: str) -> None:
    game = followed(condition, ("grid", 5, 5))
    assert follows(game) is CONDITIONS[condition]
    same_games(game, GAMES)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: "-".join(map(str, board)))
def test_conditions_are_followed_on_all_boards(board: tuple[str, int, int]) -> None:
    game = followed(next(iter(CONDITIONS)), board)
    assert follows(game)
    same_games(game, GAMES)


def test_of_two_conditions_the_first_is_asked_of_all_sites() -> None:
    group = "count(reach(s, t in square if piece[t] == piece[s])) > 2"
    game = followed(f"any(piece[t] == you for t in neighbours(s)) or {group}", ("grid", 5, 5))
    names = {
        node.name
        for each in prepared(game, whole=True)[0].listers
        for node in every_part(each.body)
        if isinstance(node, ir.Assign)
    }
    assert any(name.endswith("__passing") for name in names)
    same_games(game, GAMES)


def test_the_first_along_a_ray_is_the_nearest() -> None:
    """A list that goes down is no set, of which the lowest is the first."""
    seen = "piece[the first(t in ray(s, d) if piece[t] is not none)] == you"
    some = "any(piece[t] is not none for t in ray(s, d))"
    same_games(followed(f"any({some} and {seen} for d in direction)", ("grid", 5, 5)), GAMES)

"""What is asked of many members at once, as masks: which loops become some, and which must not.

That the games are the same is held against the reference for each of them.
"""

from __future__ import annotations

import dataclasses

import pytest
from tests.playing import game_of
from tests.rulesets import game_named
from tests.same_games import same_games

from rulerun.compiled import ir
from rulerun.compiled.ir.inlining import inlined
from rulerun.compiled.ir.masks import masks
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.site_ways import ways_of
from rulerun.compiled.lower.lower import lower
from rulerun_dsl.model import Game

RULES = """
rulerun: 1
game: masked
players: [a, b]
types:
  suit: [red, blue, green]
components:
  card: {{has: {{rank: 1..4, suit: suit}}, rows: every rank and suit, start: deck}}
zones:
  deck: {{of: card, order: random, visible: none}}
  hand[player]: {{of: card, visible: owner}}
  table[player]: {{one: card, visible: all}}
  gone[player]: {{of: card, visible: all}}
state:
  visible: all
  led: suit or none
  step: 0..6
setup: move 6 from deck to hand[p] for p in players
phases:
  play:
    turns: you in players
    until: all(empty(hand[p]) for p in players)
    do:
      - choose: {choice}
      - move table[you] to gone[you] if table[you] is not none
      - move c to table[you]
      - led = c.suit if led is none
      - led = none if all(table[p] is not none for p in players)
      - step = min(step + 1, 6)
{functions}
scoring:
  points(player p): sum(c.rank for c in gone[p] if c.suit is red)
"""
FUNCTIONS = {
    "is_last": "is_last(card c): c.rank == 4 and c.suit is green",
    "is_first_trick": "is_first_trick: empty(gone[all])",
}
ONE_LINE = """
          c in hand
        if_possible:
          - {condition}
          - c.rank != step
"""
CONDITIONS = {
    # As one reads it, and whether all cards can be asked at once.
    "led is none or c.suit == led": True,
    "not is_first_trick or not is_last(c)": True,
    "c.suit is not red or step > 2 or all(d.suit is red for d in hand)": True,
    "c.rank > count(d in hand if d.suit == c.suit)": False,
    "any(d.suit == c.suit and d.rank > c.rank for d in hand)": False,
}


GAMES = 20


def narrowed(choice: str) -> Game:
    used = [f"  {text}" for name, text in FUNCTIONS.items() if name in choice]
    functions = "\n".join(["functions:", *used] if used else [])
    text = RULES.format(choice=choice, functions=functions)
    return game_of(text)


def narrows_rows(game: Game) -> bool:
    """Whether rows are narrowed after they are made."""
    program = masks(inlined(lower(game)))
    return any(
        isinstance(node, ir.Swap) for each in program.listers for node in every_part(each.body)
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_options_of_one_name_are_narrowed_as_a_mask(condition: str) -> None:
    game = narrowed(ONE_LINE.format(condition=condition))
    assert narrows_rows(game) is not CONDITIONS[condition]
    same_games(game, GAMES)


def test_options_of_several_names_or_lines_are_narrowed_as_rows() -> None:
    assert not narrows_rows(game_named("hearts"))
    assert narrows_rows(game_named("backgammon"))


# ------------------------------------------------------------------------- pairs of site and way

MOVES = """
rulerun: 1
game: moved
players: [a, b]
boards:
  square: {{shape: {shape}, rows: {rows}, columns: {columns}}}
state:
  visible: all
  piece[square]: player or none
  turns: 0..40
setup:
  - piece[s] = a for s in square if s.row <= 2
  - piece[s] = b for s in square if s.row > {rows} - 2
phases:
  play:
    turns: you in players
    until: turns == 30
    do:
      - choose:
          step(square s, direction d):
            when: "{condition}"
            do:
              - piece[go(s, d)] = you if go(s, d) is not none
              - piece[s] = none
        else: pass
      - turns += 1
scoring:
  points(player p): count(s in square if piece[s] == p)
"""
GUARD = "go(s, d) is not none and "
MOVED = {
    # A condition, and whether it is asked of all sites at once.
    "piece[s] == you and " + GUARD + "piece[go(s, d)] is none": True,
    "piece[s] == you and " + GUARD + "piece[go(s, d)] != you and d.rows != 0": True,
    "piece[s] == you and (go(s, d) is none or piece[go(s, d)] == opponent(you))": True,
    "piece[s] == you and not (" + GUARD + "piece[go(s, d)] == you)": True,
    "piece[s] == you and "
    + GUARD
    + "(piece[go(s, d)] is none or turns > 9 and d.columns == 0)": True,
    "piece[s] == you and " + GUARD + "any(piece[t] is none for t in neighbours(go(s, d)))": False,
}


def moved(condition: str, shape: str, rows: int, columns: int) -> Game:
    text = MOVES.format(condition=condition, shape=shape, rows=rows, columns=columns)
    return game_of(text)


def asks_by_way(game: Game) -> bool:
    return any(
        isinstance(node, ir.EachBit) and ways_of(node) is not None
        for each in masks(inlined(lower(game))).listers
        for node in every_part(each.body)
    )


@pytest.mark.parametrize("condition", MOVED)
def test_pairs_of_site_and_way_are_asked_way_by_way(condition: str) -> None:
    game = moved(condition, "grid", 5, 4)
    assert asks_by_way(game) is MOVED[condition]
    same_games(game, GAMES)


@pytest.mark.parametrize(
    ("shape", "rows", "columns", "fits"),
    [("grid", 8, 8, True), ("hex", 7, 9, True), ("grid", 4, 16, True), ("grid", 9, 9, False)],
)
def test_pairs_on_boards_of_all_widths(shape: str, rows: int, columns: int, fits: bool) -> None:
    game = moved(next(iter(MOVED)), shape, rows, columns)
    assert asks_by_way(game) is fits
    same_games(game, GAMES)


def test_of_cards_that_are_alike_the_first_is_found_in_a_mask() -> None:
    """Brave Rats has two cards of each rank; the loop that leaves one out is none any more."""
    program = lower(game_named("brave_rats"))
    name = next(each.lister for each in program.questions if not each.chance)

    def compares(changed: Program) -> bool:
        lister = next(each for each in changed.listers if each.name == name)
        return any(
            isinstance(node, ir.Binary) and node.operator == "!="
            for node in every_part(lister.body)
        )

    assert compares(program)
    assert not compares(masks(program))
    # A table that says the same of cards apart from one another tells nothing of neighbours.
    tables = tuple((table, values[::-1]) for table, values in program.tables)
    assert compares(masks(dataclasses.replace(program, tables=tables)))


@pytest.mark.parametrize(("players", "cards"), [(5, 13), (9, 8), (10, 13)])
def test_of_more_cards_that_are_alike_than_a_word_has_bits(players: int, cards: int) -> None:
    same_games(game_named("goofspiel", players, num_cards=str(cards)), GAMES)


# --------------------------------------------------------------------------------- lines of sites

LINES = """
rulerun: 1
game: lines
players: [a, b]
boards:
  square: {{shape: grid, rows: 4, columns: 4}}
state:
  visible: all
  on[square]: player or none
  met[player]: 0..400
phases:
  play:
    turns: you in players
    until: all(on[s] is not none for s in square)
    do:
      - choose: s in square if on[s] is none
      - on[s] = you
      - met += count(d in direction if {condition})
scoring:
  points(player p): met[p]
"""


@pytest.mark.parametrize(
    "condition",
    [
        "first(t in ray(s, d) if on[t] is not none) == first(t in square if on[t] is not none)",
        "last(t in ray(s, d) if on[t] == you) == last(t in square if on[t] == you)",
        "any(on[t] == you for t in ray(s, d))",
    ],
)
def test_which_one_a_list_comes_to_first_hangs_on_its_order(condition: str) -> None:
    """A ray to the north leads to lower numbers, one to the south to higher ones."""
    same_games(game_of(LINES.format(condition=condition)), GAMES)


WORTH = """
rulerun: 1
game: worth
players: [a, b]
types:
  gem:
    has: {{worth: 0..{most}}}
    rows: {{pebble: [1], pearl: [500], crown: [{most}]}}
state:
  visible: all
  own[gem]: player or none
  last: 0..{most}
  turns: 0..6
phases:
  play:
    turns: you in players
    until: turns == 6
    do:
      - choose: g in gem
      - own[g] = you
      - last = g.worth
      - turns += 1
scoring:
  points(player p): count(g in gem if own[g] == p and g.worth == last)
"""


@pytest.mark.parametrize(("most", "told"), [(900, True), (100_000, False)])
def test_a_table_by_value_is_no_longer_than_is_sensible(most: int, told: bool) -> None:
    game = game_of(WORTH.format(most=most))
    changed = masks(inlined(lower(game)))
    assert any(len(values) == most for _, values in changed.tables) is told
    same_games(game, GAMES)


ROWS = """
rulerun: 1
game: rows
players: [a, b]
state:
  visible: all
  level[0..2, 0..3]: 0..3
  sunk[player]: 0..9
  turns: 0..9
phases:
  play:
    turns: you in players
    until: turns == 9
    do:
      - choose:
          lift(0..3 k):
            when: level[0, k] == 0
            do: level[0, k] = 1
          sink(0..2 i):
            when: level[i, 0] == 0
            do: level[i, 0] = 2; sunk += 1
          pass: pass
      - turns += 1
scoring:
  points(player p): sunk[p]
"""


def test_a_column_is_not_asked_of_the_mask_of_a_row() -> None:
    """It begins where the row does, and goes on behind it."""
    same_games(game_of(ROWS), GAMES)

"""What is asked of many members at once, as masks: which loops become some, and which must not.

That the games are the same is held against the reference for each of them.
"""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec

import pytest
from tests.rulesets import game_named

from rulerun.compiled import ir
from rulerun.compiled.ir.inlining import inlined
from rulerun.compiled.ir.masks import masks
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.lower.lower import lower
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Expected
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.load import load
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


def game_of(choice: str) -> Game:
    used = [f"  {text}" for name, text in FUNCTIONS.items() if name in choice]
    functions = "\n".join(["functions:", *used] if used else [])
    text = RULES.format(choice=choice, functions=functions)
    loaded, found = load(text.encode(), "masked.yaml")
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, [str(each) for each in found]
    return game


def narrows_rows(game: Game) -> bool:
    """Whether rows are narrowed after they are made."""
    program = masks(inlined(lower(game)))
    return any(
        isinstance(node, ir.Swap) for each in program.listers for node in every_part(each.body)
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_options_of_one_name_are_narrowed_as_a_mask(condition: str) -> None:
    game = game_of(ONE_LINE.format(condition=condition))
    assert narrows_rows(game) is not CONDITIONS[condition]
    agrees(game)


def test_options_of_several_names_or_lines_are_narrowed_as_rows() -> None:
    assert not narrows_rows(game_named("hearts"))
    assert narrows_rows(game_named("backgammon"))


def agrees(game: Game) -> None:
    """Machine code plays the games of the reference."""
    if find_spec("llvmlite") is None:
        pytest.skip("llvmlite is not installed")
    from rulerun.compiled.native.batch import NativeBatch

    again = Stepping(Reference(game, events=False))
    batch = NativeBatch(game, again, expected=Expected(60, 0))
    plays = again.play(key_of(7), 0, 60)
    assert batch.play(key_of(7), 0, 60) == plays
    games, won, decisions, inputs = batch.count(key_of(7), 0, 60)
    assert (games, won) == (len(plays), Counter(each.winners for each in plays))
    assert (decisions, inputs) == (
        sum(each.decisions for each in plays),
        sum(each.inputs for each in plays),
    )

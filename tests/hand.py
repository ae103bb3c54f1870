"""A small game with something of everything that must be hidden, as text.

Two players, six cards. Each is dealt two of four cards from a pile; two more lie in a face-down
well whose order stands. Both lay a card in secret. Then P1 may keep (a point), peek (the top card
of the well is turned up), or guess (a point if P2 holds `a`: a rule that reads what P1 can't see).
Then P2 rolls a secret number or passes, and the game is over; most points win.
"""

from __future__ import annotations

from dataclasses import replace

from tests.playing import game_of

from rulerun_dsl.model import Game

HAND = """
rulerun: 1
game: by_hand
title: By hand
players: [P1, P2]
options:
  stakes: {type: 1..3, default: 1}
components:
  card: {rows: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}}, start: well}
zones:
  hand[player]: {of: card, visible: owner}
  table[player]: {of: card, visible: all}
  pile: {of: card, order: random, visible: none}
  well: {of: card, order: stack, visible: none, count: none}
state:
  score[player]: {type: 0..9, visible: all}
  secret[player]: {type: 0..3, visible: owner}
setup:
  - move 4 from well to pile
phases:
  dealing:
    do:
      - move 2 from pile to hand[P1]
      - move 2 from pile to hand[P2]
  laying:
    do:
      - together: you in players
        do:
          - choose: {lay(c in hand): move c to table}
            ask: Which card do you lay?
      - choose:
          keep: score[P1] += stakes
          peek: move the first(well) to table[P1]
          guess: score[P1] += 1 if any(c is a for c in hand[P2])
        by: P1
        ask: You hold <count(hand[P1])> and a secret <secret[P1]>.
      - choose:
          roll: roll secret[P2]
          pass: pass
        by: P2
        visible: all
scoring:
  points(player p): score[p]
"""


def hand_game(
    *changes: tuple[str, str], decisions: int = 100, fingerprint: str = "by hand"
) -> Game:
    """The game, with pieces of its text replaced."""
    text = HAND
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return replace(game_of(text), decisions=decisions, fingerprint=fingerprint)


TEN_POINTS = ("score[P1] += stakes", "score[P1] += stakes + 3 + 3 * count(table[all])")
"""P1 takes ten points where nine is the most."""
THREE = (
    ("players: [P1, P2]", "players: [P1, P2, P3]"),
    ("move 4 from well", "move 6 from well"),
    ("hand[P2]\n  laying", "hand[P2]\n      - move 2 from pile to hand[P3]\n  laying"),
)


def three_players() -> Game:
    """The same for three, who only lay cards: each is dealt two of six."""
    return hand_game(*THREE)

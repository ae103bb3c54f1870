"""Who is told what."""

from __future__ import annotations

import pytest
from tests.executors import executor_of
from tests.playing import game_of, rats

pytestmark = pytest.mark.executors

RULES = """
rulerun: 1
game: told
players: [yarg, applewood]
components:
  card: {rows: {spy: {}}, start: START}
zones:
  hand[player]: {of: card, visible: owner}
  deck: {of: card, visible: none}
  dark: {of: card, visible: none, count: none}
  gone: {of: card, visible: none, count: none}
state:
  open: {type: 0..9, visible: all}
  own[player]: {type: 0..9, visible: owner}
  unseen: {type: 0..9, visible: none}
setup:
  - STEPS
scoring:
  points(player p): open + own[p] + unseen + count(hand[p] + deck + dark + gone)
"""


def told(*steps, start="deck"):
    text = RULES.replace("START", start).replace("STEPS", "\n  - ".join(steps))
    return executor_of(game_of(text)).initial().events


def test_a_move_is_told_to_who_sees_either_end():
    events = told("move 1 from deck to hand[applewood]", "move 1 from hand[applewood] to gone")
    moves = [event for event in events if event.word == "move"]
    assert [(event.audience, event.detail) for event in moves] == [(0b111, 0b010)] * 2
    assert moves[0].open[0] == "a card moves from the deck to Applewood's hand"
    assert moves[0].secret[0] == "the spy moves from the deck to Applewood's hand"
    assert "component" not in moves[0].open[1]


def test_nobody_hears_of_what_nobody_can_count():
    events = told("move 1 from dark to gone", start="dark")
    assert [event.word for event in events] == ["end"]


def test_a_change_is_told_to_who_sees_the_variable():
    events = told("open = 3", "own[applewood] = 3", "unseen = 3", "open = 3")
    assert [(each.secret[0], each.detail) for each in events[:-1]] == [
        ("open is 3", 0b111),
        ("own[applewood] is 3", 0b010),
    ]


def test_say_names_a_component_as_each_sees_it():
    said = told("move 1 from deck to hand[yarg]", "say: <applewood> fears the <the card>.")[1]
    assert (said.open[0], said.secret[0]) == (
        "applewood fears the card.",
        "applewood fears the spy.",
    )
    assert (said.audience, said.detail) == (0b111, 0b001)


def test_nobody_needs_to_listen():
    quiet = executor_of(rats(), events=False)
    loud = executor_of(rats())
    assert quiet.initial().events == ()
    assert quiet.initial().state == loud.initial().state

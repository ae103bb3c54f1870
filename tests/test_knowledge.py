"""Without slots for what players know, nothing is kept.

What each knows of what they do not see is said as text: `conformance/run/knowledge.cases.yaml`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.executors import executor_of, reference_of
from tests.playing import game_of

pytestmark = pytest.mark.executors

SHOWN = """
rulerun: 1
game: shown
players: [yarg, applewood]
components:
  card: {rows: {spy: {copies: 2}, prince: {copies: 2}}, start: box}
zones:
  box: {of: card, visible: none}
  hand[player]: {of: card, visible: owner}
setup:
  - move all box to hand[yarg]
phases:
  play:
    do:
      - show hand[yarg] to applewood
"""


@pytest.mark.parametrize("slots", [True, False])
def test_without_slots_nothing_is_kept(slots):
    game = game_of(SHOWN)
    assert game.layout.known
    if not slots:
        game = replace(game, layout=replace(game.layout, known=()))
    executor = executor_of(game)
    state = executor.initial().state
    machine = reference_of(executor).machine
    known = machine.knowledge.known(state.slots, machine.tables.kinds["card"], 1)
    assert sum(known.values()) == (4 if slots else 0)

"""What a viewer knows of hidden components follows from what they saw and were told.

Every play of a small game is walked (of those that wait at once, the first seat goes first). Where
a viewer did, heard and saw the same in two plays, and the declarations show them the same now, what
they are given must be the same: also what they know of components that they do not see.
Without slots for it nothing is kept.

What each knows in which case is said as text: `conformance/run/knowledge.cases.yaml`.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.executors import executor_of, reference_of
from tests.playing import game_of

from rulerun.laws.declared_sight import Sight
from rulerun.laws.trajectory import inputs_at
from rulerun.runtime.executor import CHANCE, Executor, Step
from rulerun.views.observe import SPECTATOR, observe
from rulerun.views.recall import Recall

pytestmark = pytest.mark.executors

HEAD = """\
rulerun: 1
game: small
players: 2
"""

SHOWN = """
components:
  gem: {rows: {red: {copies: 2}, blue: {copies: 2}}, start: pile}
zones:
  pile: {of: gem, order: random, visible: none}
  safe[player]: {of: gem, visible: "all if shown[owner] else owner"}
  hand[player]: {of: gem, visible: owner}
state:
  visible: all
  shown[player]: bool
setup:
  - move 2 from pile to safe[p] for p in players
phases:
  play:
    - together: you in players
      do:
        - choose:
            take(gem in safe): move gem to hand
            leave: pass
        - choose:
            show: shown = true
            wait: pass
        - move all safe to hand
"""
"""What is shown in a `together`, and goes away before its end."""

HIDDEN = """
components:
  mask: {KIND}
zones:
  shelf: {of: mask, order: random, visible: none}
  face[player]: {of: mask, visible: all}
  bag[player]: {of: mask, visible: owner}
  trunk[player]: {of: mask, visible: owner}
state:
  visible: all
setup:
  - for: p in players
    do:
      - move 1 from shelf to bag[p]
      - show bag[p] to all
      - move 1 from shelf to face[p]
phases:
  play:
    do:
      - together: you in players
        do:
          - choose:
              doff(mask in face): move mask to bag
              don(mask in bag): move mask to face
          - choose:
              hide(mask in bag): move mask to trunk
              don(mask in bag): move mask to face
              wait: pass
      - for: p in players
        do:
          - move all face[p] to bag[p]
      - TEAR
"""
"""Two hidden zones of a player: what went from one to the other, nobody else can tell."""

ALONE = HIDDEN.replace("  trunk[player]: {of: mask, visible: owner}\n", "").replace(
    "              hide(mask in bag): move mask to trunk\n", ""
)
"""One hidden zone: what comes from where all see it is known there."""

PLAYED = """
components:
  mask: {KIND}
zones:
  shelf: {of: mask, order: random, visible: none}
  bag[player]: {of: mask, visible: owner}
  face[player]: {of: mask, visible: all}
state:
  visible: all
setup:
  - move 1 from shelf to bag[p] for p in players
  - show bag[p] to all for p in players
  - move 1 from shelf to bag[p] for p in players
phases:
  play:
    do:
      - for: p in players
        do:
          - choose:
              don(mask in bag[p]): move mask to face[p]
            by: p
      - TEAR
"""
"""Of two alike, one was shown: which of them is laid down does not tell that the other is there."""

COUNTED = "rows: {wolf: {copies: 2}, hare: {copies: 2}}, start: shelf"
MARKED = "state: {torn: bool = false}, rows: {wolf: {copies: 2}, hare: {copies: 2}}, start: shelf"


def of_kind(rules: str, kind: str) -> str:
    """The rules with masks of a kind, with identities if they can be torn."""
    tear = "c.torn = true for c in mask" if kind == MARKED else "pass"
    return rules.replace("KIND", kind).replace("TEAR", tear)


def rest(
    executor: Executor, step: Step, recalls: list[Recall]
) -> Iterator[tuple[Step, list[Recall]]]:
    """Every position at which luck does not decide, with what each viewer has been given."""
    waiting = executor.waiting(step.state)
    if not waiting or waiting[0].player != CHANCE:
        yield step, recalls
    if not waiting:
        return
    first = [one for one in inputs_at(executor, step.state) if _who(one) == waiting[0].player]
    for given in first:
        onward = executor.apply(step.state, given)
        yield from rest(
            executor, onward, [each.extended(executor, given, onward) for each in recalls]
        )


def _who(given: object) -> int:
    return getattr(given, "player", CHANCE)


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        (SHOWN, 0),
        (of_kind(HIDDEN, COUNTED), 2),
        (of_kind(HIDDEN, MARKED), 2),
        (of_kind(ALONE, COUNTED), 2),
        (of_kind(ALONE, MARKED), 2),
        (of_kind(PLAYED, COUNTED), 1),
        (of_kind(PLAYED, MARKED), 1),
    ],
    ids=[
        "shown",
        "hidden-counted",
        "hidden-marked",
        "alone-counted",
        "alone-marked",
        "played-counted",
        "played-marked",
    ],
)
def test_what_is_known_follows_from_what_was_told(rules, most):
    game = game_of(HEAD + rules)
    executor = executor_of(game)
    sight = Sight(game)
    initial = executor.initial()
    viewers = (*range(len(game.players)), SPECTATOR)
    given: dict[object, str] = {}
    known = set()
    for step, recalls in rest(
        executor, initial, [Recall.begin(executor, initial, viewer) for viewer in viewers]
    ):
        for viewer, recall in zip(viewers, recalls, strict=True):
            seen = observe(executor, step.state, viewer).data()
            known.add(_known(seen))
            seen.pop("result")
            items = tuple(each for each in recall.known.items[:-1])
            key = viewer, items, sight.view(step.state.slots, viewer)
            text = json.dumps(seen, sort_keys=True)
            assert given.setdefault(key, text) == text, items
    assert max(known) == most


def _known(seen: dict[str, Any]) -> int:
    """Of how many components in one zone that they do not see the viewer knows."""
    return max(len(zone.get("known", ())) for zone in seen["zones"].values())


DEALT = """
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
    game = game_of(DEALT)
    assert game.layout.known
    if not slots:
        game = replace(game, layout=replace(game.layout, known=()))
    executor = executor_of(game)
    state = executor.initial().state
    machine = reference_of(executor).machine
    known = machine.knowledge.known(state.slots, machine.tables.kinds["card"], 1)
    assert sum(known.values()) == (4 if slots else 0)

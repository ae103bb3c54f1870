"""Playing small games by text, and looking at what came of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.executors import reference_of

from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision, Event, Executor
from rulerun.runtime.state import State
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.load import load_game
from rulerun_dsl.model import Game

RATS = """
rulerun: 1
game: rats
players: [yarg, applewood]
components:
  card: {each: player, rows: {spy: {}, prince: {}}, start: hand}
zones:
  hand[player]: {of: card, visible: owner}
  line[player]: {of: card, order: stack, visible: all}
state: {visible: all, "won[player]": 0..2}
phases:
  rounds:
    until: all(empty(hand[p]) for p in players)
    do:
      - together: you in players
        do:
          - choose: {play(c in hand): move c to line}
      - won[p] += 1 for p in players if first(line[p]) is prince
scoring:
  points(player p): {rounds: "won[p]"}
"""
"""Two players with a hand each; both lay a card in secret; a prince wins a round."""


@cache
def game_of(text: str) -> Game:
    """The game of rules as text."""
    game, found = load_game(text.encode(), None)
    assert game is not None and not has_errors(found), [each.message for each in found]
    return game


def rats() -> Game:
    return game_of(RATS)


def play(executor: Executor, *given: Any) -> State:
    """Give inputs one after another: actions by text, outcomes by text."""
    state = executor.initial().state
    for one in given:
        state = executor.apply(state, read(executor, state, one)).state
    return state


def read(executor: Executor, state: State, text: str) -> Any:
    """The input that a text means now."""
    waiting = executor.waiting(state)
    if waiting[0].player == CHANCE:
        return next(Chance(one.id) for one in executor.outcomes(state) if one.text == text)
    name, _, action = text.rpartition(": ")
    player = executor.game.players.index(name) if name else waiting[0].player
    types = actions.asked(executor.game, waiting, player)
    found = actions.parse(executor.game, action, types)
    assert found is not None
    return Decision(player, found)


def legal(executor: Executor, state: State, player: int | None = None) -> list[str]:
    """The texts of what is legal for who is asked."""
    who = executor.waiting(state)[0].player if player is None else player
    return [actions.text(executor.game, action) for action in executor.legal(state, who)]


def texts(events: tuple[Event, ...]) -> list[str]:
    return [event.secret[0] for event in events]


def value(executor: Executor, state: State, name: str, at: int = 0) -> int:
    """A variable's slot."""
    return state.slots[dict(executor.game.layout.variables)[name] + at]


def zone(executor: Executor, state: State, name: str, at: int = 0) -> list[str]:
    """What lies in a zone, by row."""
    machine = reference_of(executor).machine
    family = machine.tables.families[name]
    kind = machine.tables.kinds[family.kind]
    found = machine.components.members(state.slots, family.base + at)
    return [machine.log.component(kind, one, whose=False) for one in found]

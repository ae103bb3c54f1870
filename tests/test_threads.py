"""One executor, several threads: each gets the answers of its own state.

What two threads share is planted with a barrier: both stand at the worst place at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, BrokenBarrierError
from typing import Any, TypeVar

import pytest
from tests.rulesets import game_named

from rulerun.compiled.python.executor import PythonExecutor
from rulerun.reference.choices import Question
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Decision, Executor
from rulerun.runtime.recent import Recent
from rulerun.runtime.state import State
from rulerun.views.observe import observe
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

Answer = TypeVar("Answer")


def made(name: str, game: Game) -> Executor:
    if name == "reference":
        return Reference(game, events=False)
    if name == "python":
        return PythonExecutor(game, events=False)
    pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    from rulerun.compiled.native.executor import NativeExecutor

    return NativeExecutor(game, events=False)


def states_of(game: Game, many: int) -> list[State]:
    """The first states of a play in which everybody takes the first action."""
    executor = Reference(game, events=False)
    states = [executor.initial().state]
    while len(states) < many:
        who = executor.waiting(states[-1])[0].player
        action = executor.legal(states[-1], who)[0]
        states.append(executor.apply(states[-1], Decision(who, action)).state)
    return states


def at_once(asked: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """The answers of several threads that begin at the same time."""
    with ThreadPoolExecutor(len(asked)) as pool:
        return [each.result() for each in [pool.submit(one) for one in asked]]


def meeting(patch: pytest.MonkeyPatch, where: Any, name: str, after: bool) -> None:
    """Let two threads meet whenever they call a method: before it, or when it is done."""
    original, barrier = getattr(where, name), Barrier(2)

    def both(*given: Any) -> Any:
        found = original(*given) if after else None
        try:
            barrier.wait(timeout=2)
        except BrokenBarrierError:
            barrier.reset()
        return found if after else original(*given)

    patch.setattr(where, name, both)


def successors(executor: Executor, state: State) -> list[tuple[int, ...]]:
    who = executor.waiting(state)[0].player
    legal = executor.legal(state, who)
    return [executor.apply(state, Decision(who, each)).state.slots for each in legal]


@pytest.mark.parametrize("name", ["reference", "python", "native"])
def test_threads_share_an_executor(name):
    game = game_named("tic_tac_toe")
    states = states_of(game, 5)
    wanted = [successors(Reference(game, events=False), each) for each in states]
    executor = made(name, game)

    def several(state: State) -> list[list[tuple[int, ...]]]:
        return [successors(executor, state) for _ in range(20)]

    asked = [partial(several, each) for each in states]
    assert at_once(asked) == [[each] * 20 for each in wanted]


def test_the_memory_of_a_native_executor_is_a_threads_own(monkeypatch):
    game = game_named("tic_tac_toe")
    executor = made("native", game)
    states = states_of(game, 4)[1::2]
    wanted = [successors(Reference(game, events=False), each)[-1] for each in states]
    meeting(monkeypatch, executor, "_load", after=True)

    def last(state: State) -> tuple[int, ...]:
        return executor.apply(state, Decision(1, game.number_of_actions - 1)).state.slots

    assert at_once([partial(last, each) for each in states]) == wanted


REACHES = """
rulerun: 1
game: reaches
players: 2
boards:
  land: {shape: grid, rows: 1, columns: 3}
state:
  visible: all
  open[land]: bool
  moves: 0..9
functions:
  joined(land s): s in reach(land(1, 1), v in land if open[v])
setup:
  - open[land(1, 1)] = true
phases:
  play:
    turns: you in players
    until: moves == 9
    do:
      - choose:
          dig(s in land): open[s] = true
          visit(s in land if joined(s)): pass
      - moves += 1
scoring:
  points(player p): moves
"""


def test_what_a_search_has_found_is_a_threads_own(monkeypatch):
    loaded, found = load(REACHES.encode())
    assert loaded is not None, found
    game, _ = loaded.game()
    assert game is not None
    executor = Reference(game, events=False)
    start = executor.initial().state
    dig = executor.legal(start, 0)[1]
    other = executor.apply(start, Decision(0, dig)).state
    asked = [(start, 0), (other, 1)]
    wanted = [executor.legal(State(state.slots), who) for state, who in asked]
    assert wanted[0] != wanted[1]
    meeting(monkeypatch, Question, "_listed", after=False)
    answers = at_once([partial(executor.legal, State(state.slots), who) for state, who in asked])
    assert answers == wanted


def test_what_is_kept_of_games_is_of_that_game():
    """Two threads that make it at a time do not get each other's."""
    barrier = Barrier(2)

    def make(game: Game) -> str:
        barrier.wait(timeout=10)
        return game.name

    kept = Recent(make, 1)
    games = [game_named("tic_tac_toe"), game_named("connect_four")]
    assert at_once([partial(kept.of, each) for each in games]) == [
        "tic_tac_toe",
        "connect_four",
    ]


def test_threads_look_at_several_games():
    games = [game_named(name) for name in ("tic_tac_toe", "connect_four", "kuhn_poker")]
    states = [Reference(game, events=False).initial().state for game in games]

    def look(game: Game, state: State) -> list[str]:
        return [observe(Reference(game), State(state.slots), 0).text() for _ in range(10)]

    wanted = [look(*each) for each in zip(games, states, strict=True)]
    pairs = list(zip(games, states, strict=True))
    assert at_once([partial(look, *pair) for pair in pairs]) == wanted

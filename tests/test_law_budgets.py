"""The laws count their work: what is beyond their budget is not looked at, and that is said."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.playing import game_of
from tests.rulesets import read

from rulerun import laws
from rulerun.laws import Missed, check_laws, trajectory
from rulerun.laws.executors import Rivals
from rulerun.laws.known_steps import Remembering
from rulerun.reference.executor import Reference
from rulerun.reference.metering import Measured, Meter, Spent
from rulerun.runtime.batch import Tally
from rulerun_dsl.source.resources import shipped

TIC_TAC_TOE = shipped("rulesets") / "classics" / "tic_tac_toe.yaml"
LAWS = [2, 3, 8]
GATHERING = """
  rulerun: 1
  game: gathering
  players: [a, b]
  state: {visible: all, total: 0..100}
  setup:
    - total = sum(weight(n) for n in 1..5)
  phases:
    play:
      turns: you in players
      until: total == 0
      do:
        - choose: {less: {do: total = 0}, more: {do: total = 1}}
  functions:
    weight(int n): n
"""


def missed(path, **given) -> Missed:
    found = Missed()
    list(check_laws(read(path), missed=found, **given))
    return found


def test_a_small_game_is_looked_at_whole() -> None:
    found = missed(TIC_TAC_TOE, games=1, laws=[1, 2, 3, 5, 8, 9])
    assert not found.anything
    assert list(found.told()) == []


def test_a_play_may_be_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectory, "MOST_WORK", 100)
    found = missed(TIC_TAC_TOE, games=1, laws=[1])
    assert (found.plays, found.broken_off) == (1, 1)
    assert list(found.told()) == ["1 of 1 plays were broken off"]


def test_a_law_may_leave_a_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "OF_A_CHECK", 300)
    found = missed(TIC_TAC_TOE, games=2, laws=[1, 3, 12])
    assert found.partly[3] == 2
    assert found.partly[12] == 0
    assert "of 2 plays these laws looked at a part only: " in "; ".join(found.told())


def test_plays_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "WORK", 1000)
    found = missed(TIC_TAC_TOE, games=6, laws=[3])
    assert found.unplayed == Counter({"2 players": 5})
    assert found.as_data()["unplayed"] == {"2 players": 5}
    assert list(found.told()) == ["5 of 6 plays were not played (`2 players`)"]


def test_the_count_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "OF_A_CHECK", 500)
    assert missed(TIC_TAC_TOE, games=2, laws=LAWS) == missed(TIC_TAC_TOE, games=2, laws=LAWS)


def test_what_rules_evaluate_is_counted() -> None:
    game, meter = game_of(GATHERING), Meter()
    executor = Measured(game, meter)
    step = executor.initial()
    assert step == Reference(game).initial()
    few = meter.used
    assert few >= 5  # so many members
    with pytest.raises(Spent), meter.within(3):
        executor.initial()
    assert executor.initial() == step


def test_what_was_done_is_remembered() -> None:
    game, meter = game_of(GATHERING), Meter()
    executor = Measured(game, meter)
    state = executor.initial().state
    waiting = executor.waiting(state)
    remembering = Remembering(executor)
    assert remembering.waiting(state) == waiting
    assert remembering.legal(state, 0) == executor.legal(state, 0)
    before = meter.used
    assert remembering.waiting(state) is remembering.waiting(state)
    assert meter.used == before


def test_what_a_batch_counted_before_its_work_was_spent_is_forgotten() -> None:
    game, meter = game_of(GATHERING), Meter()
    stepping = Rivals(game, (), meter).stepping
    whole = Tally.of(game, True)
    stepping.play(1, 0, 1, whole)
    with pytest.raises(Spent), meter.within(8):
        stepping.play(1, 0, 1, Tally.of(game, True))
    again = Tally.of(game, True)
    stepping.play(1, 0, 1, again)
    assert again.reached == whole.reached

"""Which executor runs many games, where nobody names one."""

from __future__ import annotations

import pytest
from tests.playing import game_of

from rulerun.cli.common import BEST, LONG, WORTH_MACHINE_CODE, what_runs
from rulerun.search import plays
from rulerun_dsl.model import Game

COUNT = """
rulerun: 1
game: count
players: 2
state:
  visible: all
  told[player]: 0..40
phases:
  play:
    turns: you in players
    do:
      - choose: n in 1..9
      - told += n
      - end game if told >= 20
scoring:
  points(player p): told[p]
"""


@pytest.fixture
def game() -> Game:
    return game_of(COUNT)


def test_machine_code_is_taken_where_it_pays(game):
    pytest.importorskip("llvmlite")
    enough = WORTH_MACHINE_CODE * len(game.code)
    assert what_runs(game, BEST, enough - 1, stepped=False) == "python"
    assert what_runs(game, BEST, enough, stepped=False) == "native"
    assert what_runs(game, BEST, enough, stepped=True) == "python"


def test_without_llvmlite_a_long_run_says_what_would_be_quicker(game, monkeypatch, capsys):
    monkeypatch.setattr(plays, "find_spec", lambda name: None)
    enough = WORTH_MACHINE_CODE * len(game.code)
    assert what_runs(game, BEST, enough, stepped=False) == "python"
    assert capsys.readouterr().err == ""
    assert what_runs(game, BEST, LONG * enough, stepped=False) == "python"
    assert "pip install 'rulerun[native]'" in capsys.readouterr().err


def test_who_is_named_runs(game):
    assert what_runs(game, "reference", 1_000_000, stepped=False) == "reference"

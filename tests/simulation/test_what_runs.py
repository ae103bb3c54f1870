"""Which executor runs many games, where nobody names one."""

from __future__ import annotations

from importlib import util

import pytest
from tests.playing import game_of

from rulerun.cli import main
from rulerun.cli.common import BEST, LONG, what_runs
from rulerun.compiled.native.worth import MACHINE_CODE
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
    enough = -(-MACHINE_CODE // len(game.code))
    assert what_runs(game, BEST, enough - 1, stepped=False) == "python"
    assert what_runs(game, BEST, enough, stepped=False) == "native"
    assert what_runs(game, BEST, enough, stepped=True) == "python"


def test_without_llvmlite_a_long_run_says_what_would_be_quicker(game, monkeypatch, capsys):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    enough = -(-MACHINE_CODE // len(game.code))
    assert what_runs(game, BEST, enough, stepped=False) == "python"
    assert capsys.readouterr().err == ""
    assert what_runs(game, BEST, LONG * enough, stepped=False) == "python"
    assert "pip install 'rulerun[native]'" in capsys.readouterr().err


def test_who_is_named_runs(game):
    assert what_runs(game, "reference", 1_000_000, stepped=False) == "reference"


@pytest.mark.parametrize(
    ("given", "stepped"),
    [
        ([], False),
        (["--seat", "all=random"], False),
        (["--seat", "all=first"], True),
        (["--choices"], True),
    ],
)
def test_whom_machine_code_serves(given, stepped, monkeypatch):
    """Who is random by default decides no more than who is called so."""
    from rulerun.cli import simulate

    asked = []

    def noted(game, executor, games, stepped, ready):
        asked.append(stepped)
        return "python"

    monkeypatch.setattr(simulate, "what_runs", noted)
    assert main(["simulate", "pig", "-n", "1", "--no-coverage", *given]) == 0
    assert asked == [stepped]

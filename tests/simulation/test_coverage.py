"""What never ran is told once, by its line, and the same whatever counts it."""

from pathlib import Path

import pytest
from tests.simulation.test_stepping import KEY

from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Tally
from rulerun.simulation.run.seats import EXECUTORS, batch_for
from rulerun.simulation.run.stepping import Stepping
from rulerun.simulation.stats.coverage import coverage
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.load import load, load_game

RULES = """
rulerun: 1
game: rare
players: 2
state:
  visible: all
  coins[player]: 0..9
  die: 1..6
phases:
  play:
    turns: you in players
    until: any(coins[p] >= 3 for p in players)
    do:
      - roll die
      - choose:
          take:
            hint: twice as many are <bonus(you)>
            do:
              - coins = min(9, coins + 1)
          wait: pass
        ask: What do you do?
      - if: lucky(you)
        then:
          - coins = min(9, coins + 1)
      - coins = tripled if coins == 9
functions:
  bonus(player p): coins[p] * 2
  lucky(player p): die == 6 and coins[p] < 3
  tripled: min(9, die * 3)
scoring:
  points(player p): coins[p]
"""


@pytest.fixture
def found(tmp_path):
    path = Path(tmp_path, "rare.yaml")
    path.write_text(RULES, encoding="utf-8")
    loaded, wrong = load(path)
    assert loaded is not None, render_text(wrong)
    game, wrong = loaded.game()
    assert game is not None, render_text(wrong)
    tally = Tally.of(game, coverage=True)
    Stepping(Reference(game, events=False)).play(KEY, 0, 30, tally)
    return coverage(game, tally, 30)


def test_statements(found):
    never = [(each["line"], each["source"]) for each in found["statements"]["never"]]
    assert never == [(25, "- coins = tripled if coins == 9")]
    assert found["statements"]["files"] == [
        {
            "file": "rare.yaml",
            "of": found["statements"]["of"],
            "ran": found["statements"]["of"] - 1,
        }
    ]


def test_ways(found):
    # That a statement never ran is said already, and so is the way to it.
    assert all(each["line"] != 25 for each in found["ways"]["never"])
    assert found["ways"]["taken"] < found["ways"]["of"]


def test_functions(found):
    """`bonus` is for people; `lucky` is a conjunction, which executors take apart."""
    assert found["functions"]["of"] == 2
    assert [each["name"] for each in found["functions"]["never"]] == ["tripled"]


RETURNED = Path(__file__).parents[1] / "laws" / "returned.yaml"


@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_only_returns_call_is_counted(executor):
    """By every executor; what only viewers ask is no rule that ran."""
    game, wrong = load_game(RETURNED)
    assert game is not None, render_text(wrong)
    tally = Tally.of(game, coverage=True)
    batch_for(game, executor).play(KEY, 0, 30, tally)
    called = {one.name for one, many in zip(game.functions, tally.called, strict=True) if many}
    assert called == {"lost", "share", "good"}
    assert coverage(game, tally, 30)["functions"] == {"of": 3, "evaluated": 3, "never": []}

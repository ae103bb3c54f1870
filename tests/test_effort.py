"""What an expression may cost is known beforehand; beyond a bound it is counted while rules run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.executors import executor_of

from rulerun.analysis import effort
from rulerun.analysis.effort import MOST_UNCOUNTED, Effort
from rulerun.runtime.executor import RuleError
from rulerun.runtime.faults import diagnostic
from rulerun_dsl.load import load
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import shipped

pytestmark = pytest.mark.executors


def doubling(levels: int) -> Game:
    """A chain of functions, each of which asks the one before twice."""
    chain = "\n".join(f"  f{at}: f{at - 1} or f{at - 1}" for at in range(1, levels))
    text = f"""
rulerun: 1
game: doubling
players: 2
limits: {{steps: 1000}}
state:
  visible: all
  n: 0..9
functions:
  f0: n > 5
{chain}
setup: n = 1 if f{levels - 1} else 2
"""
    loaded, found = load(text.encode())
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    return game


def test_an_expression_that_takes_for_ever_is_a_rule_error():
    with pytest.raises(RuleError) as caught:
        executor_of(doubling(41)).initial()
    assert caught.value.message == "more than 100 long evaluations without a decision"
    assert " or f" in caught.value.span.text
    assert diagnostic(caught.value).code == "RR0913"


def test_one_that_does_not_is_none():
    assert executor_of(doubling(12)).initial().state.slots


def counting(setup: str, function: str, steps: int) -> Game:
    """Members that are cheap to go through, in a game in which they are counted."""
    text = f"""
rulerun: 1
game: counting
players: 2
limits: {{steps: {steps}}}
boards:
  point: {{shape: grid, rows: 1, columns: 60}}
state:
  visible: all
  n: 0..9
functions:
  square: count(y in 1..1000 if n > 5 and count(z in 1..1000 if n > z) > 0)
  late: count(x in 1..1000 if n > 5 and count(y in 1..1000 if square > x) > 0) > 0
  {function}
setup: n = 1 if {setup} else 2
"""
    loaded, found = load(text.encode())
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    assert Effort(game).counted
    return game


SOME = "some: those(s in point if n < 5 or late)"
REACHED = "reached: reach(r1c1, s in point if n < 5 or late)"
ONWARD = "onward(point s): go(s, east) if n < 5 or late else none"


@pytest.mark.parametrize(
    ("setup", "function"),
    [
        ("any(s is r1c1 for s in some)", SOME),
        ("r1c1 in some", SOME),
        ("not all(s is not r1c1 for s in some)", SOME),
        ("first(s in some) is r1c1", SOME),
        ("r1c1 in reached", REACHED),
        ("(distance(r1c1, r1c2 by onward) otherwise 0) == 1", ONWARD),
    ],
)
def test_what_stands_behind_the_member_that_decides_is_counted(setup, function):
    with pytest.raises(RuleError) as caught:
        executor_of(counting(setup, function, 500)).initial()
    assert caught.value.message == "more than 50 long evaluations without a decision"
    assert executor_of(counting(setup, function, 1000)).initial().state.slots


@pytest.mark.once
def test_the_bound_is_the_number_of_parts():
    made = Effort(doubling(4))
    assert [made.function(at) for at in range(4)] == [3, 9, 21, 45]
    assert not made.counted
    assert Effort(doubling(41)).counted


@pytest.mark.once
def test_no_shipped_game_is_counted():
    """So none of them pays for it."""
    for path in sorted(Path(str(shipped("rulesets"))).rglob("*.yaml")):
        if path.name.endswith(".test.yaml") or path.parent.name == "ruse":
            continue
        loaded, _ = load(path)
        assert loaded is not None
        game, _ = loaded.game()
        assert game is not None
        assert max(Effort(game)._bounds()) < MOST_UNCOUNTED, path.name


@pytest.mark.once
def test_what_may_be_counted_is_declared():
    assert effort.effort_of(doubling(3)).budget == 100

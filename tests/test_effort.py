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


@pytest.mark.once
def test_the_bound_is_the_number_of_parts():
    made = Effort(doubling(4))
    assert [made.function(at) for at in range(4)] == [3, 9, 21, 45]
    assert not made.counted
    assert Effort(doubling(41)).counted


@pytest.mark.once
def test_only_gin_rummy_is_counted_of_what_is_shipped():
    """So no other pays for it. Gin rummy looks for the best three of all melds."""
    counted = []
    for path in sorted(Path(str(shipped("rulesets"))).rglob("*.yaml")):
        if path.name.endswith(".test.yaml") or path.parent.name == "ruse":
            continue
        loaded, _ = load(path)
        assert loaded is not None
        game, _ = loaded.game()
        assert game is not None
        if max(Effort(game)._bounds()) >= MOST_UNCOUNTED:
            counted.append(path.stem)
    assert counted == ["gin_rummy"]


@pytest.mark.once
def test_what_may_be_counted_is_declared():
    assert effort.effort_of(doubling(3)).budget == 100

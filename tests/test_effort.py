"""What an expression may cost is known beforehand; beyond a bound it is counted while rules run."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from tests.executors import executor_of
from tests.rulesets import SHIPPED, read

from rulerun.analysis import effort
from rulerun.analysis.effort import MOST_UNCOUNTED, Effort
from rulerun.compiled.lower.conditions import levels
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Decision, RuleError
from rulerun.runtime.faults import diagnostic
from rulerun.runtime.index import GameIndex
from rulerun.views.observe import observe
from rulerun.views.questions import HIDDEN
from rulerun_dsl import model as m
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

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


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_an_expression_that_takes_for_ever_is_a_rule_error():
    with pytest.raises(RuleError) as caught:
        executor_of(doubling(41)).initial()
    assert caught.value.message == "more than 100 long evaluations without a decision"
    assert " or f" in caught.value.span.text
    assert diagnostic(caught.value).code == "RR0913"


def test_one_that_does_not_is_none():
    assert executor_of(doubling(12)).initial().state.slots


SHOWN = """
rulerun: 1
game: shown
players: 2
limits: {steps: 1000}
state:
  visible: all
  n: 0..9
functions:
  heavy(): sum(1 for a in 0..30 for b in 0..30 if a + b == n)
phases:
  go:
    turns: you in players
    until: n == 9 or heavy() > 990
    do:
      - choose:
          take(1..9 k):
            HINT
            do: n = k
VIEW
"""
HINT = "hint: costs <heavy()>"
HEADLINE = "view:\n  headline: there are <heavy() + heavy()>"


def shown(hint: str, headline: str) -> Game:
    loaded, found = load(SHOWN.replace("HINT", hint).replace("VIEW", headline).encode())
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    return game


@pytest.mark.once
def test_what_is_shown_to_people_is_bounded_too(monkeypatch):
    plain = max(Effort(shown("when: n >= 0", ""))._bounds())
    for hint, headline in ((HINT, ""), ("when: n >= 0", HEADLINE)):
        monkeypatch.setattr(effort, "MOST_UNCOUNTED", plain)
        assert Effort(shown(hint, headline)).counted
    inside = Effort(shown(HINT, ""))
    # A hint is worked out for each member of its line.
    assert max(inside._bounds()) > 9 * inside.function(0)


@pytest.mark.once
def test_all_hints_of_a_question_share_what_may_be_counted(monkeypatch):
    state = Reference(shown(HINT, "")).initial().state
    monkeypatch.setattr(effort, "MOST_UNCOUNTED", 100)
    monkeypatch.setattr(effort, "GRAIN", 10)
    game = shown(HINT, "")
    executor = Reference(game)
    counted = 0

    def called(frame: FrameType, event: str, _: object) -> None:
        nonlocal counted
        counted += event == "call" and frame.f_code.co_name == "count"

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        seen = observe(executor, state, 0)
    finally:
        sys.setprofile(before)
    assert [each.hint for each in seen.actions] == [f"costs {HIDDEN}"] * 9
    budget = effort.effort_of(game).budget
    assert budget <= counted <= budget + 3 * len(seen.actions)


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
    for path in SHIPPED:
        game, _ = read(path).game()
        assert game is not None
        assert max(Effort(game)._bounds()) < MOST_UNCOUNTED, path.name


@pytest.mark.once
def test_what_may_be_counted_is_declared():
    assert effort.effort_of(doubling(3)).budget == 100


FEW = """
rulerun: 1
game: few
players: 2
limits: {steps: 50000}
state:
  visible: all
  n: 0..9999
functions:
  both(1..9999 a, 1..9999 b): a == n and b == n
setup: n = 5000
phases:
  play:
    for: you in players
    do:
      - choose:
          pair(a in 1..3, b in 1..3 if both(a, b) and a < 9): pass
          over: n = 1 if WORD
"""


def few(word: str = "n == 2") -> Game:
    loaded, found = load(FEW.replace("WORD", word).encode())
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    return game


LONG = "any(both(a, b) for a in 1..3000 for b in 1..3000 for c in 1..3000)"


def test_conditions_are_asked_where_the_rules_say_if_they_are_counted():
    """Asked as soon as may be, `a == n` would leave 3,000 members to come to."""
    game = few(LONG)
    executor = executor_of(game)
    start = executor.initial().state
    (over,) = executor.legal(start, 0)
    with pytest.raises(RuleError) as caught:
        executor.apply(start, Decision(0, over))
    assert caught.value.message == "more than 5000 long evaluations without a decision"


@pytest.mark.once
def test_what_is_not_counted_is_asked_as_early_as_may_be():
    """The reference comes to all pairs, a compiled executor to the first of them."""
    assert not Effort(few()).counted
    for exact in (False, True):
        game = few(LONG) if exact else few()
        (question,) = [each for each in game.code if isinstance(each, m.Choose)]
        line = question.options[0]
        sources = [binder.source for binder in line.binders]
        registers = [binder.register for binder in line.binders]
        asked = levels(GameIndex(game), registers, sources, [line.conditions], not exact)
        assert [len(each) for each in asked] == ([0, 0, 2] if exact else [0, 1, 2])

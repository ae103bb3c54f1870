"""What a step of an executor is, beside what a scenario can ask for.

Refusals by their code, control stacks and queues that are left empty, rule errors with the way the
rules got there, events of a `together`, alike components that are sorted. What the rules do is said
as text: `conformance/run`.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.executors import executor_of, reference_of
from tests.playing import game_of, legal, play, rats, read, value, zone

from rulerun.runtime.executor import Chance, Decision, Executor, IllegalInput, RuleError
from rulerun.runtime.state import State

pytestmark = pytest.mark.executors


def test_a_together_is_played_in_any_order():
    executor = executor_of(rats())
    one = play(executor, "yarg: play(spy)", "applewood: play(prince)")
    other = play(executor, "applewood: play(prince)", "yarg: play(spy)")
    assert one == other
    assert zone(executor, one, "line", 1) == ["prince"]
    assert value(executor, one, "won", 1) == 1


def test_a_waiting_player_learns_nothing():
    executor = executor_of(rats())
    start = executor.initial().state
    seen = {
        (tuple(executor.waiting(state)[:1]), tuple(legal(executor, state, 1)))
        for card in ("spy", "prince")
        for state in [executor.apply(start, read(executor, start, f"yarg: play({card})")).state]
    }
    assert len(seen) == 1


def test_the_game_runs_to_its_verdict():
    executor = executor_of(rats())
    end = play(
        executor,
        "yarg: play(prince)",
        "applewood: play(spy)",
        "yarg: play(spy)",
        "applewood: play(prince)",
    )
    assert executor.waiting(end) == ()
    verdict = executor.verdict(end)
    assert verdict is not None
    assert verdict.places == (1, 1)
    assert verdict.lines[0] == (("rounds", 1),)
    assert verdict.returns == (Fraction(0), Fraction(0))
    assert all(type(slot) is int for slot in end.slots), "no bool in a state"
    layout = executor.game.layout
    assert not any(end.slots[layout.base :]), "nothing is left of the control stacks"


def test_what_is_not_legal_is_refused_and_changes_nothing():
    executor = executor_of(rats())
    state = play(executor, "yarg: play(spy)", "applewood: play(spy)")
    before = state.to_bytes()
    for action, code in ((0, "not_there"), (99, "unknown_action")):
        with pytest.raises(IllegalInput) as caught:
            executor.apply(state, Decision(0, action))
        assert caught.value.refusal.code == code
    with pytest.raises(IllegalInput):
        executor.apply(state, Chance(0))
    assert state.to_bytes() == before
    once = executor.apply(state, read(executor, state, "yarg: play(prince)")).state
    refusal = executor.refusal(once, Decision(0, 1))
    assert refusal is not None
    assert refusal.code == "not_your_turn"


# ------------------------------------------------------------------------------ procedures

NESTED = """
rulerun: 1
game: nested
players: [yarg, applewood]
state:
  visible: all
  notes: 0..99
  power: {type: 0..9, start: 2, during: outer}
setup:
  - outer(1)
  - notes += 1
phases:
  play:
    do:
      - choose: {go: pass}
        by: yarg
procedures:
  outer(0..8 x):
    - power = 7
    - inner(x)
    - inner(x + 1)
    - notes += power
  inner(0..9 i):
    - let 0..9 held = i + 1 if i < 9 else 0
    - INNER
    - notes += held
"""


def nested(inner: str) -> Executor:
    """`outer` calls `inner` twice; a variable lives during `outer`."""
    return executor_of(game_of(NESTED.replace("INNER", inner)))


def test_stop_of_an_outer_procedure_leaves_all_on_the_way():
    executor = nested("stop outer if i == 2")
    state = executor.initial().state
    assert value(executor, state, "notes") == 2 + 1
    assert value(executor, state, "power") == 2, "back at its start"
    assert not any(state.slots[executor.game.layout.base + 1 :])


def test_a_rule_error_says_how_the_rules_got_there():
    with pytest.raises(RuleError) as caught:
        nested("power += i * 2").initial()
    assert caught.value.code == "range"
    assert caught.value.message == "power would be 13; it is 0..9"
    assert [(name, where.text) for name, where in caught.value.chain][:2] == [
        ("inner", "power += i * 2"),
        ("outer (body)", "inner(x + 1)"),
    ]


def test_the_end_comes_at_once():
    executor = nested("end game won by yarg if i == 2")
    state = executor.initial().state
    assert executor.waiting(state) == ()
    assert value(executor, state, "notes") == 2, "what came before it"
    assert value(executor, state, "power") == 2
    verdict = executor.verdict(state)
    assert verdict is not None
    assert (verdict.winners, verdict.places) == ((0,), (1, 2))
    assert verdict.returns == (Fraction(1), Fraction(-1))
    assert executor.refusal(state, Decision(0, 0)) is not None


CYCLE = """
rulerun: 1
game: cycle
players: 2
state: {visible: all, notes: 0..99999999}
setup:
  - gain(3)
phases:
  play:
    do: notes += 1
procedures:
  gain(0..9 n):
    queued: HOLDS
    do:
      - notes = notes * 10 + n
      - bonus(n)
  bonus(0..9 m):
    - if: m > 1
      then:
        - gain(m - 1)
        - gain(m - 1)
"""


def test_calls_in_a_cycle_leave_an_empty_queue():
    executor = executor_of(game_of(CYCLE.replace("HOLDS", "4")))
    end = executor.initial().state
    assert value(executor, end, "notes") == 3221111 + 1
    assert not any(end.slots[executor.game.layout.queue :])


def test_more_calls_than_may_wait_are_a_rule_error():
    with pytest.raises(RuleError) as caught:
        executor_of(game_of(CYCLE.replace("HOLDS", "2"))).initial()
    assert caught.value.code == "queue_full"
    assert [name for name, _ in caught.value.chain][:2] == ["bonus", "gain"]


LOOP = """
rulerun: 1
game: loop
players: 2
state: {visible: all, some: set of 0..7, notes: 0..99999}
setup:
  - some += i for i in (1, 2, 3, 5)
phases:
  play:
    do:
      - for: x in some
        do:
          - notes = notes * 10 + x
          - some -= x + 1 if x < 7
          - some += 0
"""


def test_what_leaves_is_skipped_what_enters_behind_is_not_visited_and_all_slots_are_cleared():
    executor = executor_of(game_of(LOOP))
    end = executor.initial().state
    assert value(executor, end, "notes") == 135
    assert not any(end.slots[executor.game.layout.base :])


# --------------------------------------------------------------------------------- together

ROLLED = """
rulerun: 1
game: rolled
players: [yarg, applewood]
state:
  die[player]: {type: 1..2, visible: owner}
phases:
  play:
    do:
      - together: you in players
        do:
          - roll die
          - choose: {keep: pass}
scoring:
  points(player p): die[p]
"""


def test_luck_in_a_together_comes_first_lowest_seat_first():
    executor = executor_of(game_of(ROLLED))
    state = executor.initial().state
    assert executor.waiting(state)[0].frame == 1
    state = play(executor, "2")
    assert executor.waiting(state)[0].frame == 2
    state = play(executor, "2", "1")
    assert [each.player for each in executor.waiting(state)] == [0, 1]
    one = play(executor, "2", "1", "yarg: keep", "applewood: keep")
    assert one == play(executor, "2", "1", "applewood: keep", "yarg: keep")
    assert executor.waiting(one) == ()


def test_events_of_a_block_are_marked():
    executor = executor_of(rats())
    state = executor.initial().state
    step = executor.apply(state, read(executor, state, "yarg: play(spy)"))
    assert [(event.word, event.block) for event in step.events] == [("choose", 0), ("move", 0)]
    assert step.events[0].audience == 1
    step = executor.apply(step.state, read(executor, step.state, "applewood: play(spy)"))
    told = [(event.word, event.block, event.audience) for event in step.events[:5]]
    assert told == [
        ("choose", 1, 0b010),
        ("move", 1, 0b010),
        # What each part has changed is told to the others when all are done.
        ("move", 0, 0b110),
        ("move", 1, 0b101),
        ("together_end", None, 0b111),
    ]


# ------------------------------------------------------------------------------ equal states

DICE = """
rulerun: 1
game: dice
players: [yarg, applewood]
components:
  die: {state: {face: 1..6 = 1}, copies: 3, start: pool}
zones:
  visible: all
  pool: {of: die}
  bag: {of: die}
phases:
  play:
    do:
      - turn()
      - choose: {again: pass, away: move all pool to bag}
        by: yarg
procedures:
  turn():
    - choose: d in pool
      by: yarg
    - d.face = 6
    - ask() if HELD
    - d.face = 5 if HELD
  ask():
    - choose: {on: pass}
      by: yarg
"""
"""Three alike dice with faces; the first of them is turned over."""


def faces(executor: Executor, state: State) -> list[int]:
    base = reference_of(executor).machine.tables.kinds["die"].attributes[0].base
    return list(state.slots[base : base + 3])


def test_copies_are_sorted_at_rest_unless_one_is_held():
    executor = executor_of(game_of(DICE.replace("HELD", "empty(pool)")))
    assert faces(executor, play(executor, "die face=1")) == [1, 1, 6]
    executor = executor_of(game_of(DICE.replace("HELD", "not empty(pool)")))
    state = play(executor, "die face=1")
    assert faces(executor, state) == [6, 1, 1], "its name still stands for it"
    assert faces(executor, play(executor, "die face=1", "on")) == [1, 1, 5]

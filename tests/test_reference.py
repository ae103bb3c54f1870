"""The reference executor on small games put together by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.building import (
    FALSE,
    Builder,
    add,
    cmp,
    num,
    span,
    values,
)
from tests.executors import executor_of, reference_of
from tests.playing import legal, play, rats, read, value, zone

from rulerun.runtime.executor import Chance, Decision, Executor, IllegalInput, RuleError
from rulerun.runtime.state import State
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Bool,
    Component,
    Int,
    Order,
    Player,
    SetOf,
)

pytestmark = pytest.mark.executors

YOU = num(0, Player())


def test_a_together_is_played_in_any_order():
    executor = executor_of(rats().game())
    one = play(executor, "yarg: play(spy)", "applewood: play(prince)")
    other = play(executor, "applewood: play(prince)", "yarg: play(spy)")
    assert one == other
    assert zone(executor, one, "line", 1) == ["prince"]
    assert value(executor, one, "won", 1) == 1


def test_a_waiting_player_learns_nothing():
    executor = executor_of(rats().game())
    start = executor.initial().state
    seen = {
        (tuple(executor.waiting(state)[:1]), tuple(legal(executor, state, 1)))
        for card in ("spy", "prince")
        for state in [executor.apply(start, read(executor, start, f"yarg: play({card})")).state]
    }
    assert len(seen) == 1


def test_the_game_runs_to_its_verdict():
    executor = executor_of(rats().game())
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
    layout = executor.game.layout
    assert not any(end.slots[layout.base :]), "nothing is left of the control stacks"


def test_what_is_not_legal_is_refused_and_changes_nothing():
    executor = executor_of(rats().game())
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


# ---------------------------------------------------------------------------------- stores


def test_a_value_out_of_range_is_a_rule_error_and_the_state_before_is_kept():
    b = Builder()
    b.variable("chips", Int(0, 5), 1)
    pay = b.action("pay")
    b.label("ask")
    b.choose(num(0, Player()), b.option(pay, "paid"))
    b.label("paid")
    b.store(b.var("chips"), num(1), "-=")
    b.jump("ask")
    executor = executor_of(b.game())
    state = play(executor, "pay")
    with pytest.raises(RuleError) as caught:
        executor.apply(state, Decision(0, 0))
    assert caught.value.code == "range"
    assert caught.value.message == "chips would be -1; it is 0..5"
    assert [name for name, _ in caught.value.chain] == ["game"]
    assert executor.legal(state, 0) == (0,)


def test_a_declared_clamp_stops_above():
    b = Builder()
    b.variable("chips", Int(0, 5), 4)
    b.do(model.Store(span("chips += 3"), b.var("chips"), "+=", num(3), True))
    executor = executor_of(b.game())
    assert value(executor, executor.initial().state, "chips") == 5


def test_all_of_a_family_is_stored_with_one_value():
    b = Builder()
    b.variable("safe", Bool(), 1, per_player=True)
    b.variable("seen", SetOf(Int(1, 5)), 0)
    b.store(b.var("safe", None), FALSE)
    b.store(b.var("seen"), num(3), "+=")
    b.store(b.var("seen"), num(5), "+=")
    b.store(b.var("seen"), num(3), "-=")
    executor = executor_of(b.game())
    end = executor.initial().state
    assert (value(executor, end, "safe"), value(executor, end, "safe", 1)) == (0, 0)
    assert value(executor, end, "seen") == 0b10000
    assert all(type(slot) is int for slot in end.slots), "no bool in a state"


def test_an_order_is_sorted_stably():
    b = Builder("a", "b", "c")
    b.variable("order", Order(), [2, 0, 1])
    b.variable("won", Int(0, 9), [1, 5, 1], per_player=True)
    p = b.register(Player())
    b.do(model.SortBy(span("sort"), b.var("order"), p.index, (b.var("won", p),)))
    executor = executor_of(b.game())
    end = executor.initial().state
    assert [value(executor, end, "order", at) for at in range(3)] == [1, 2, 0]


# ------------------------------------------------------------------------------ procedures


def test_arguments_results_and_cleared_slots():
    b = Builder()
    b.variable("best", Int(0, 99), 0)
    x = b.local("x", Int(0, 9), "double")
    double = b.procedure("double", [x], Int(0, 18))
    b.do(model.Call(span("best = double(4)"), double, (num(4),), b.var("best")))
    b.jump("over")
    b.label("double")
    b.do(model.GiveValue(span("give x + x"), double, add(x, x)))
    b.label("over")
    executor = executor_of(b.game())
    end = executor.initial().state
    assert value(executor, end, "best") == 8
    assert not any(end.slots[executor.game.layout.base :])


def test_an_argument_out_of_range_is_a_rule_error():
    b = Builder()
    x = b.local("x", Int(0, 9), "pay")
    pay = b.procedure("pay", [x])
    b.do(model.Call(span("pay(10)"), pay, (num(10),), None))
    b.label("pay")
    with pytest.raises(RuleError) as caught:
        executor_of(b.game()).initial()
    assert caught.value.message == "pay: x would be 10; it is 0..9"


def nested(inner: Any) -> Builder:
    """`game` calls `outer`, which calls `inner`; a variable lives during `outer`."""
    b = Builder()
    b.variable("notes", Int(0, 10**6), 0)
    b.variable("power", Int(0, 9), 2, during="outer")
    outer = b.procedure("outer")
    deep = b.procedure("inner")
    ask = b.action("go")
    b.do(model.Call(span("outer()"), outer, (), None))
    b.store(b.var("notes"), num(1), "+=")
    b.choose(num(0, Player()), b.option(ask, "asked"))
    b.label("asked")
    b.jump("over")
    b.label("outer")
    b.store(b.var("power"), num(7))
    b.do(model.Call(span("inner()"), deep, (), None))
    b.store(b.var("notes"), num(10), "+=")
    b.do(model.Return(span("}"), outer))
    b.label("inner")
    inner(b, outer, deep)
    b.do(model.Return(span("}"), deep))
    b.label("over")
    return b


def test_stop_of_an_outer_procedure_leaves_all_on_the_way():
    executor = executor_of(
        nested(lambda b, outer, _: b.do(model.StopTo(span("stop outer"), outer))).game()
    )
    state = executor.initial().state
    assert value(executor, state, "notes") == 1
    assert value(executor, state, "power") == 2, "back at its start"
    layout = executor.game.layout
    assert not any(state.slots[layout.base + 1 :])


def test_a_rule_error_says_how_the_rules_got_there():
    bad = nested(lambda b, _, __: b.store(b.var("power"), num(10)))
    with pytest.raises(RuleError) as caught:
        executor_of(bad.game()).initial()
    assert [(name, where.text) for name, where in caught.value.chain] == [
        ("inner", "power = 10"),
        ("outer", "inner()"),
        ("game", "outer()"),
    ]


def test_the_end_comes_at_once():
    def end(b: Builder, outer: int, deep: int) -> None:
        b.do(model.EndGame(span("end game won by yarg"), num(0, Player())))

    executor = executor_of(nested(end).game())
    state = executor.initial().state
    assert executor.waiting(state) == ()
    assert value(executor, state, "notes") == 0
    assert value(executor, state, "power") == 2
    verdict = executor.verdict(state)
    assert verdict is not None
    assert (verdict.winners, verdict.places) == ((0,), (1, 2))
    assert verdict.returns == (Fraction(1), Fraction(-1))
    assert executor.refusal(state, Decision(0, 0)) is not None


def test_too_many_steps_are_a_rule_error():
    b = Builder()
    b.steps = 50
    b.label("top")
    b.jump("top")
    with pytest.raises(RuleError) as caught:
        executor_of(b.game()).initial()
    assert caught.value.code == "steps"


def cycle(first: int, limit: int = 3) -> Builder:
    """`gain(n)` notes n and calls `bonus(n)`, which queues gains of n - 1, twice."""
    b = Builder()
    b.variable("notes", Int(0, 2 * 10**9), 0)
    n = b.local("n", Int(0, 9), "gain")
    m = b.local("m", Int(0, 9), "bonus")
    gain = b.procedure("gain", [n], queued=limit)
    bonus = b.procedure("bonus", [m])
    b.do(model.Call(span("gain"), gain, (num(first),), None))
    b.do(model.Drain(span("drain"), (gain,)))
    b.store(b.var("notes"), add(b.var("notes"), num(10), "*"))
    b.jump("over")
    b.label("gain")
    b.store(b.var("notes"), add(add(b.var("notes"), num(10), "*"), n))
    b.do(model.Call(span("bonus(n)"), bonus, (n,), None))
    b.do(model.Return(span("}"), gain))
    b.label("bonus")
    b.unless(cmp(m, ">", num(1)), "none")
    for _ in range(2):
        b.do(model.Queue(span("gain(n - 1)"), gain, (add(m, num(1), "-"),)))
    b.label("none")
    b.do(model.Return(span("}"), bonus))
    b.label("over")
    return b


def test_calls_in_a_cycle_wait_their_turn():
    executor = executor_of(cycle(3, limit=4).game())
    end = executor.initial().state
    assert value(executor, end, "notes") == 32211110
    layout = executor.game.layout
    assert not any(end.slots[layout.queue :])


def test_more_calls_than_may_wait_are_a_rule_error():
    with pytest.raises(RuleError) as caught:
        executor_of(cycle(3, limit=2).game()).initial()
    assert caught.value.code == "queue_full"
    assert [name for name, _ in caught.value.chain] == ["bonus", "gain", "game"]


# --------------------------------------------------------------------------------- together


def test_luck_in_a_together_comes_first_lowest_seat_first():
    b = Builder()
    b.variable("die", Int(1, 2), 1, per_player=True, visible="owner")
    you = b.local("you", Player())
    keep = b.action("keep")
    b.together(you, "body", "done")
    b.label("body")
    b.do(model.Roll(span("roll"), b.var("die", you), b.register().index, None, None))
    b.choose(you, b.option(keep, "kept"))
    b.label("kept")
    b.together_end("done")
    b.label("done")
    executor = executor_of(b.game())
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
    executor = executor_of(rats().game())
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


def test_a_together_of_nobody_goes_on():
    b = Builder()
    b.variable("x", Int(0, 9), 0)
    you = b.local("you", Player())
    nobody = values(num(1), num(0), Player())
    b.do(model.TogetherStart(span("together"), nobody, you, "body", "done"))  # type: ignore[arg-type]
    b.label("body")
    b.together_end("done")
    b.label("done")
    b.store(b.var("x"), num(5))
    executor = executor_of(b.game())
    assert value(executor, executor.initial().state, "x") == 5


# ------------------------------------------------------------------------------ equal states


def dice(held: bool) -> Builder:
    """Three alike dice with faces; the second is turned over."""
    b = Builder()
    b.kind("die", ["d"], copies=3, zones=["pool", "bag"], state=[("face", Int(1, 6), 1)])
    b.zone("pool", "die", start=[(0, 0, 3)])
    b.zone("bag", "die")
    go = b.action("go")
    d = b.local("d", Component("die"))
    b.store(d, num(1, Component("die")))
    b.store(model.State(Int(1, 6), span("d.face"), "die", "face", d), num(6))
    if not held:
        b.do(model.Clear(span("}"), (d.offset,)))
    b.choose(YOU, b.option(go, "on"))
    b.label("on")
    if held:
        b.store(model.State(Int(1, 6), span("d.face"), "die", "face", d), num(5))
    return b


def faces(executor: Executor, state: State) -> list[int]:
    base = reference_of(executor).machine.tables.kinds["die"].attributes[0].base
    return list(state.slots[base : base + 3])


def test_copies_are_sorted_at_rest_unless_one_is_held():
    executor = executor_of(dice(held=False).game())
    assert faces(executor, executor.initial().state) == [1, 1, 6]
    executor = executor_of(dice(held=True).game())
    state = executor.initial().state
    assert faces(executor, state) == [1, 6, 1]
    assert faces(executor, play(executor, "go")) == [1, 1, 5], "the name still means the same die"

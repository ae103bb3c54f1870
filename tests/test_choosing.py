"""What can be chosen, and why something is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.building import (
    Builder,
    cmp,
    every,
    num,
    quantifier,
    reg,
    span,
)
from tests.executors import executor_of
from tests.playing import legal, play, rats, value, zone

from rulerun.runtime import actions
from rulerun.runtime.executor import Decision, Executor, RuleError
from rulerun.runtime.state import State
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Collection,
    Component,
    Int,
    Multiset,
    Player,
)

pytestmark = pytest.mark.executors

# -------------------------------------------------------------------------------- decisions


def hand(*zones: str) -> Builder:
    b = Builder()
    b.kind("card", ["one", "two", "three"], copies=2, counted=True, zones=["hand", "pile", *zones])
    b.zone("hand", "card", True, visible="owner", start=[(0, 0, 2), (0, 1, 1), (0, 2, 1)])
    b.zone("pile", "card", start=[(0, 1, 1), (0, 2, 1)])
    b.variable("chips", Int(0, 9), 1)
    b.variable("secret", Int(0, 9), 1, visible="none")
    return b


YOU = num(0, Player())


def test_equal_options_are_one_and_ids_ascend():
    b = hand()
    play_ = b.action("play", b.domain("card"))
    quit_ = b.action("quit")
    c = b.binder("c", b.members("hand", YOU), Component("card"))
    b.choose(YOU, b.option(quit_, "over"), b.option(play_, "played", [c]))
    b.label("played")
    b.move(c.local, b.at("pile"))
    b.label("over")
    executor = executor_of(b.game())
    state = executor.initial().state
    assert legal(executor, state) == ["play(one)", "play(two)", "play(three)", "quit"]
    assert executor.legal(state, 1) == ()
    end = play(executor, "play(one)")
    assert zone(executor, end, "hand") == ["one", "two", "three"]
    assert zone(executor, end, "pile") == ["one", "two", "three"]


def picky(*conditions: Any, narrowing: Any = (), **more: Any) -> Executor:
    """A choice of a card from hand under conditions that read `c`."""
    b = hand()
    play_ = b.action("play", b.domain("card"))
    pass_ = b.action("pass")
    c = b.binder("c", b.members("hand", YOU), Component("card"))
    card = reg(c.register, Component("card"), "c")
    row = b.row(card, "card")
    options = [b.option(play_, "over", [c], [make(b, row) for make in conditions])]
    if more.pop("passing", False):
        options.append(b.option(pass_, "over", main=False))
    b.choose(YOU, *options, narrowing=tuple(make(b, row) for make in narrowing), **more)
    b.label("over")
    return executor_of(b.game())


def why(executor: Executor, text: str) -> tuple[str, str]:
    state = executor.initial().state
    action = actions.parse(executor.game, text)
    assert action is not None
    refusal = executor.refusal(state, Decision(0, action))
    assert refusal is not None
    return refusal.code, refusal.message


def test_a_refusal_names_the_condition_and_its_values():
    executor = picky(
        lambda b, row: every(cmp(row, ">", num(0)), cmp(b.var("chips"), ">", num(3))), passing=True
    )
    assert legal(executor, executor.initial().state) == ["pass"]
    assert why(executor, "play(one)") == ("condition", "needs `c.kind > 0`: c.kind is one")
    assert why(executor, "play(two)") == ("condition", "needs `chips > 3`: chips is 1")


def test_a_refusal_tells_no_secret():
    executor = picky(lambda b, row: cmp(row, "<", b.var("secret")))
    assert legal(executor, executor.initial().state) == ["play(one)"]
    assert why(executor, "play(two)") == ("hidden", "that is not possible now")


def test_a_secret_hides_only_the_part_that_reads_it():
    executor = picky(lambda b, row: every(cmp(row, "<", b.var("secret")), cmp(row, "!=", num(1))))
    assert why(executor, "play(two)") == ("condition", "needs `c.kind != 1`: c.kind is two")
    assert why(executor, "play(three)") == ("hidden", "that is not possible now")


def test_if_possible_narrows_unless_nothing_is_left():
    big = lambda b, row: cmp(row, ">", num(0))  # noqa: E731
    nothing = lambda b, row: cmp(row, ">", num(5))  # noqa: E731
    executor = picky(narrowing=[nothing, big])
    assert legal(executor, executor.initial().state) == ["play(two)", "play(three)"]
    code, message = why(executor, "play(one)")
    assert code == "if_possible"
    assert "c.kind > 0" in message


def test_nothing_to_choose():
    never = lambda b, row: cmp(row, ">", num(5))  # noqa: E731
    with pytest.raises(RuleError) as caught:
        picky(never).initial()
    assert caught.value.code == "no_option"
    end = picky(never, otherwise="over").initial().state
    assert end.slots[0] == 1
    executor = picky(never, passing=True)
    assert legal(executor, executor.initial().state) == ["pass"]


def test_a_forced_choice_is_taken():
    only = lambda b, row: cmp(row, "==", num(1))  # noqa: E731
    assert picky(only, forced=True).initial().state.slots[0] == 1
    assert picky(only).initial().state.slots[0] == 0


def test_each_once():
    b = Builder()
    a, c, done = b.action("a"), b.action("c"), b.action("done")
    taken = b.local("taken", Int(0, 3)).offset
    b.label("top")
    b.choose(
        YOU,
        b.option(a, "top", once=0),
        b.option(c, "top", once=1),
        b.option(done, "over", main=False),
        taken=taken,
        otherwise="over",
    )
    b.label("over")
    b.do(model.Clear(span("}"), (taken,)))
    executor = executor_of(b.game())
    state = play(executor, "a")
    assert legal(executor, state) == ["c", "done"]
    refusal = executor.refusal(state, Decision(0, 0))
    assert refusal is not None
    assert refusal.code == "taken"
    assert executor.waiting(play(executor, "a", "c")) == ()


def test_a_choice_of_several():
    b = hand()
    single = b.domain("card")
    sets = ((0,), (1,), (2,), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    names = [" + ".join(single.texts[each] for each in one) for one in sets]
    several = model.Domain(
        Multiset(Component("card")), 0, len(sets), tuple(names), multisets=sets, element=single
    )
    drop = b.action("drop", several)
    source = b.members("hand", YOU)
    c = b.binder("c", source, Component("card"), low=num(1), high=num(2))
    b.variable("many", Int(0, 9), 0)
    b.choose(YOU, b.option(drop, "dropped", [c]))
    b.label("dropped")
    cards = model.Unpacked(Collection(Component("card"), False), span("c"), c.local)
    b.do(model.MoveAll(span("move c"), b.register().index, cards, None, b.at("pile")))
    b.store(b.var("many"), quantifier("count", b.register().index, cards))
    executor = executor_of(b.game())
    offered = legal(executor, executor.initial().state)
    assert offered == [
        f"drop({name})" for name in names if name not in ("two + two", "three + three")
    ]
    end = play(executor, "drop(one + one)")
    assert zone(executor, end, "hand") == ["two", "three"]
    assert zone(executor, end, "pile") == ["one", "one", "two", "three"]
    assert value(executor, end, "many") == 2


def test_asking_changes_nothing():
    executor = executor_of(rats().game())
    state = executor.initial().state
    before = state.to_bytes()
    for _ in range(2):
        executor.legal(state, 0)
        executor.outcomes(state)
        executor.waiting(state)
        executor.refusal(state, Decision(0, 0))
        assert executor.verdict(state) is None
    assert state.to_bytes() == before


def test_applying_leaves_the_state_as_it_was():
    executor = executor_of(rats().game())
    generator = random.Random(7)
    state = executor.initial().state
    while waiting := executor.waiting(state):
        before = state.to_bytes()
        asked = generator.choice(waiting)
        found = {
            executor.apply(state, Decision(asked.player, one)).state
            for one in executor.legal(state, asked.player)
        }
        again = executor_of(executor.game)
        for one in executor.legal(state, asked.player):
            assert again.apply(State.from_bytes(before), Decision(asked.player, one)).state in found
        assert state.to_bytes() == before
        state = sorted(found, key=lambda each: each.slots)[-1]

"""Who is told what."""

from __future__ import annotations

import pytest
from tests.building import (
    Builder,
    num,
    span,
)
from tests.executors import executor_of
from tests.playing import rats

from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Component,
    Int,
    Player,
)

pytestmark = pytest.mark.executors

# ----------------------------------------------------------------------------------- events


def test_a_move_is_told_to_who_sees_either_end():
    b = Builder()
    b.kind("card", ["spy"], zones=["hand", "deck", "gone"])
    b.zone("hand", "card", True, visible="owner")
    b.zone("deck", "card", visible="none", count="all", start=[(0, 0, 1)])
    b.zone("gone", "card", visible="none", count="none")
    b.draw(num(1), [b.at("deck")], b.at("hand", num(1, Player())))
    b.draw(num(1), [b.at("hand", num(1, Player()))], b.at("gone"))
    executor = executor_of(b.game())
    moves = [event for event in executor.initial().events if event.word == "move"]
    assert [(event.audience, event.detail) for event in moves] == [(0b111, 0b010)] * 2
    assert moves[0].open[0] == "a card moves from the deck to Applewood's hand"
    assert moves[0].secret[0] == "the spy moves from the deck to Applewood's hand"
    assert "component" not in moves[0].open[1]


def test_nobody_hears_of_what_nobody_can_count():
    b = Builder()
    b.kind("card", ["spy"], zones=["deck", "gone"])
    b.zone("deck", "card", visible="none", count="none", start=[(0, 0, 1)])
    b.zone("gone", "card", visible="none", count="none")
    b.draw(num(1), [b.at("deck")], b.at("gone"))
    assert [event.word for event in executor_of(b.game()).initial().events] == ["end"]


def test_a_change_is_told_to_who_sees_the_variable():
    b = Builder()
    b.variable("open", Int(0, 9), 0)
    b.variable("own", Int(0, 9), 0, per_player=True, visible="owner")
    b.variable("dark", Int(0, 9), 0, visible="none")
    for target in (b.var("open"), b.var("own", num(1, Player())), b.var("dark"), b.var("open")):
        b.store(target, num(3))
    events = executor_of(b.game()).initial().events
    assert [(each.secret[0], each.detail) for each in events[:-1]] == [
        ("open is 3", 0b111),
        ("own[applewood] is 3", 0b010),
    ]


def test_say_names_a_component_as_each_sees_it():
    b = Builder()
    b.kind("card", ["spy"], zones=["hand"])
    b.zone("hand", "card", True, visible="owner", start=[(0, 0, 1)])
    c = num(0, Component("card"))
    b.do(model.Say(span("say"), (num(1, Player()), " fears the ", c)))
    said = executor_of(b.game()).initial().events[0]
    assert (said.open[0], said.secret[0]) == ("applewood fears the card", "applewood fears the spy")
    assert (said.audience, said.detail) == (0b111, 0b001)


def test_nobody_needs_to_listen():
    quiet = executor_of(rats().game(), events=False)
    loud = executor_of(rats().game())
    assert quiet.initial().events == ()
    assert quiet.initial().state == loud.initial().state

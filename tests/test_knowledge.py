"""What players know of what they do not see: never invented, forgotten in doubt."""

from __future__ import annotations

from typing import Any

import pytest
from tests.building import Builder, num, span
from tests.executors import executor_of, reference_of
from tests.playing import zone

from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import Bool, Player

pytestmark = pytest.mark.executors

YARG, APPLEWOOD = num(0, Player()), num(1, Player())


def cards(counted: bool) -> Builder:
    b = Builder()
    b.kind("card", ["spy", "prince"], 2, counted, zones=["hand", "deck", "bag", "coming"])
    b.known = ("card",)
    b.zone("hand", "card", True, visible="owner", start=[(0, 0, 1), (0, 1, 1)])
    b.zone("deck", "card", order="stack", visible="none", start=[(0, 0, 1), (0, 1, 1)])
    b.zone("bag", "card", order="random", visible="none")
    b.zone("coming", "card", visible="none")
    return b


def move_all(b: Builder, source: Any, to: Any) -> None:
    b.do(model.MoveAll(span("move all"), b.register().index, source, None, to))


def known(b: Builder) -> list[list[str]]:
    """What each player knows at the end, as "row in zone"."""
    executor = executor_of(b.game())
    slots = executor.initial().state.slots
    machine = reference_of(executor).machine
    kind = machine.tables.kinds["card"]
    found = []
    for player in range(2):
        counter = machine.knowledge.known(slots, kind, player)
        found.append(
            sorted(
                f"{machine.log.component(kind, one)} in "
                f"{machine.components.label(machine.components.zone_of(slots, kind, one))}"
                for one in counter.elements()
            )
        )
    return found


@pytest.fixture(params=[False, True], ids=["identities", "counted"])
def b(request):
    return cards(request.param)


def show(b: Builder, source: Any, player: Any) -> None:
    b.do(model.ShowTo(span("show"), source, player))


def test_nothing_is_known_at_first(b):
    assert known(b) == [[], []]


def test_what_is_shown_is_known_to_whom_it_is_shown(b):
    show(b, b.members("hand", YARG), APPLEWOOD)
    assert known(b) == [[], ["prince in hand[yarg]", "spy in hand[yarg]"]]


def test_what_goes_where_it_cannot_be_seen_is_still_known(b):
    move_all(b, b.members("hand", YARG), b.at("hand", APPLEWOOD))
    assert known(b) == [["prince in hand[applewood]", "spy in hand[applewood]"], []]


def test_a_random_zone_forgets(b):
    show(b, b.members("hand", YARG), None)
    move_all(b, b.members("hand", YARG), b.at("bag"))
    assert known(b) == [[], []]


def test_what_may_have_left_unseen_is_forgotten(b):
    show(b, b.members("deck"), YARG)
    b.draw(num(1), [b.at("deck")], b.at("hand", APPLEWOOD))
    assert known(b) == [[], []]


def test_who_sees_it_arrive_knows_what_is_left(b):
    show(b, b.members("deck"), YARG)
    b.draw(num(1), [b.at("deck")], b.at("hand", YARG))
    assert known(b) == [["prince in deck"], []]


def test_a_shuffle_forgets():
    b = cards(True)
    show(b, b.members("deck"), None)
    left = b.local("left", Player()).offset
    move_all(b, b.members("hand", YARG), b.at("hand", APPLEWOOD))
    b.do(model.ShuffleZone(span("shuffle"), b.at("deck"), left))
    executor = executor_of(b.game())
    state = executor.initial().state
    kind = reference_of(executor).machine.tables.kinds["card"]
    assert sum(reference_of(executor).machine.knowledge.known(state.slots, kind, 1).values()) == 0
    assert len(zone(executor, state, "deck")) == 2


def test_swapped_zones_are_known_to_who_saw_them(b):
    b.do(model.SwapZones(span("swap"), b.at("hand", YARG), b.at("hand", APPLEWOOD)))
    assert known(b) == [["prince in hand[applewood]", "spy in hand[applewood]"], []]


def test_what_is_known_goes_along_with_all_that_lies_there(b):
    show(b, b.members("deck"), YARG)
    move_all(b, b.members("deck"), b.at("hand", APPLEWOOD))
    assert known(b) == [["prince in hand[applewood]", "spy in hand[applewood]"], []]


def test_what_goes_round_hidden_is_known_to_who_passed_it_on(b):
    move_all(b, b.members("hand", YARG), b.at("coming"))
    move_all(b, b.members("coming"), b.at("hand", APPLEWOOD))
    assert known(b) == [["prince in hand[applewood]", "spy in hand[applewood]"], []]


def test_of_what_goes_where_something_lies_each_is_still_known(b):
    show(b, b.members("hand", YARG), APPLEWOOD)
    show(b, b.members("deck"), APPLEWOOD)
    move_all(b, b.members("deck"), b.at("hand", YARG))
    assert known(b)[1] == ["prince in hand[yarg]"] * 2 + ["spy in hand[yarg]"] * 2


def test_who_does_not_know_which_ones_go_forgets(b):
    show(b, b.members("deck"), YARG)
    some = model.MoveAll(
        span("move all"),
        b.register().index,
        b.members("deck"),
        model.Literal(Bool(), span("true"), 1),
        b.at("hand", APPLEWOOD),
    )
    b.do(some)
    assert known(b) == [[], []]


def test_what_goes_along_into_a_random_zone_is_forgotten(b):
    show(b, b.members("deck"), YARG)
    move_all(b, b.members("deck"), b.at("bag"))
    assert known(b) == [[], []]


def test_what_was_known_of_swapped_zones_is_known_where_it_is_now(b):
    show(b, b.members("deck"), YARG)
    b.do(model.SwapZones(span("swap"), b.at("deck"), b.at("hand", APPLEWOOD)))
    assert known(b) == [["prince in hand[applewood]", "spy in hand[applewood]"], []]


def test_without_slots_nothing_is_kept():
    b = cards(False)
    b.known = ()
    show(b, b.members("hand", YARG), APPLEWOOD)
    assert known(b) == [[], []]

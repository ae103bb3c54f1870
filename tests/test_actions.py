"""Actions as ids, texts and sentences."""

from __future__ import annotations

import pytest
from tests.building import Builder

from rulerun.runtime import actions
from rulerun_dsl.model import Domain
from rulerun_dsl.model.valuetypes import Component, Int, Multiset


@pytest.fixture
def game():
    b = Builder()
    b.kind("card", ["spy", "old_prince"], zones=["hand"])
    b.zone("hand", "card", start=[(0, 0, 1), (0, 1, 1)])
    b.action("play", b.domain("card"))
    b.action("bid", b.numbers(1, 3), b.numbers(-1, 1))
    b.action("pass")
    b.action("", b.numbers(5, 6))
    food = Domain(
        Multiset(Component("card")),
        0,
        3,
        ("nothing", "spy", "spy + old_prince"),
        multisets=((), (0,), (0, 1)),
        element=b.domain("card"),
    )
    b.action("eat", food, b.numbers(0, 1))
    return b.game()


def test_every_id_has_a_text_that_leads_back(game):
    assert game.number_of_actions == 2 + 9 + 1 + 2 + 6
    texts = [actions.text(game, action) for action in range(game.number_of_actions)]
    assert len(set(texts)) == len(texts)
    for action, text in enumerate(texts):
        assert actions.parse(game, text) == action
        assert actions.parse(game, f"  {text.upper().replace('(', ' ( ')} ") == action
        number, places = actions.split(game, action)
        assert actions.join(game, number, places) == action


@pytest.mark.parametrize(
    "text",
    [
        "eat(old_prince + spy, 1)",
        "eat(old_prince+spy,1)",
        "EAT( Old_Prince +spy , 1)",
        "eat(spy + old_prince, 1)",
    ],
)
def test_a_choice_of_several_is_written_in_any_order(game, text):
    assert actions.parse(game, text) == 19


@pytest.mark.parametrize(
    "text",
    ["eat(old_prince, 1)", "eat(spy + spy, 1)", "eat(spy +, 1)", "eat(+ spy, 1)", "eat(+, 1)"],
)
def test_what_is_no_choice_of_several(game, text):
    assert actions.parse(game, text) is None


def test_a_choice_of_none(game):
    action = actions.parse(game, "eat( Nothing,0)")
    assert action is not None
    assert actions.text(game, action) == "eat(nothing, 0)"


def test_texts(game):
    assert actions.text(game, 1) == "play(old_prince)"
    assert actions.text(game, 2) == "bid(1, -1)"
    assert actions.text(game, 11) == "pass"
    assert actions.text(game, 12) == "5"
    assert actions.text(game, 19) == "eat(spy + old_prince, 1)"
    assert actions.sentence(game, 1) == "play old prince"
    assert actions.sentence(game, 12) == "5"


@pytest.mark.parametrize("text", ["", "play", "play()", "play(king)", "bid(1)", "bid(1,2,3)", "7"])
def test_what_no_action_is_called(game, text):
    assert actions.parse(game, text) is None


def test_an_id_out_of_range_is_a_mistake_of_the_caller(game):
    with pytest.raises(ValueError, match=r"0\.\.19"):
        actions.split(game, 20)


def test_suggestions(game):
    assert actions.suggestions(game, "play(prince)")[0] == "play(old_prince)"
    assert actions.suggestions(game, "pas", among=[2, 11]) == ["pass"]


def test_numbers_below_zero_are_numbered_from_their_lowest(game):
    number, places = actions.split(game, 2)
    assert game.actions[number].parameters[1].of == Int(-1, 1)
    assert places == (0, 0)

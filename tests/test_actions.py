"""Actions as ids, texts and sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.playing import game_of

from rulerun.runtime import actions
from rulerun_dsl.model import ActionType, Domain
from rulerun_dsl.model.valuetypes import Component, Int, Multiset

RULES = """
rulerun: 1
game: named
players: 2
components:
  card: {rows: {spy: {}, old_prince: {}}, start: hand}
zones:
  hand: {of: card, visible: all}
phases:
  play:
    do:
      - choose:
          play(c in hand): move c to hand
          bid(1..3 a, -1..1 b): pass
          pass: pass
        by: P1
      - choose: k in 5..6
        by: P1
"""


@pytest.fixture
def game():
    """The rules, and an action with a choice of several that is not its only parameter."""
    made = game_of(RULES)
    assert [(each.name, each.size) for each in made.actions] == [
        ("play", 2),
        ("bid", 9),
        ("pass", 1),
        ("", 2),
    ]
    food = Domain(
        Multiset(Component("card")),
        0,
        3,
        ("nothing", "spy", "spy + old_prince"),
        multisets=((), (0,), (0, 1)),
        element=made.actions[0].parameters[0],
    )
    numbers = Domain(Int(0, 1), 0, 2, ("0", "1"))
    return replace(made, actions=(*made.actions, ActionType("eat", (food, numbers), 14, 6)))


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

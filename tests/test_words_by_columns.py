"""What people read: names by columns, sorted pieces, stories, sentences with values in them.

A small game of cards is played to its second decision, and read as one of its players does.
"""

from __future__ import annotations

from functools import cache

import pytest

from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.session.session import Session
from rulerun.terminal.menu import Menu
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game

RULES = """
rulerun: 1
game: tricks
players: [ann, bob]
types:
  suit: [clubs, hearts]
components:
  card:
    has: {rank: 9..11, suit: suit}
    rules: {when_laid: block}
    start: hand_of
    each: player
    rows:
      a: {rank: 11, suit: clubs, when_laid: pass}
      b:
        rank: 9
        suit: hearts
        when_laid:
          - choose: {tell(card kind k): pass}
            visible: all
      c: {rank: 9, suit: clubs, when_laid: pass}
zones:
  visible: all
  hand_of[player]: {of: card, visible: owner}
  table[player]: {of: card}
state:
  visible: all
  best[player]: 0..40
  high: bool
phases:
  play:
    do:
      - for: you in players
        do:
          - choose: c in hand_of
            ask: Which card?
          - move c to table
          - c.when_laid() if you is bob and best > 20
          - best = c.rank
          - high = best > 10 and c.suit is clubs
      - say: "In front: <all_highest(p in players by best[p])>[<high>, with a jack]."
      - for: you in players
        do:
          - say: "<you>[r|'s] best is <best> [point|points]."
      - choose:
          raise(1..3 total): pass
          look(player p): pass
        by: ann
        visible: all
scoring:
  points(player p): best[p]
view:
  sorts: {card: [suit, rank]}
words:
  components:
    card:
      rows: <rank><suit>
      has: {rank: {rows: {11: J}}}
  types: {suit: {rows: {clubs: ♣, hearts: ♥}}}
  actions: {raise: raise to <total>, look: look at <p>, tell: tell of <k>}
story:
  moves:
    hand_of to table: <owner> [play|plays] <list>.
  values: {best: silent, high: silent}
  choices: {card: silent}
"""


@cache
def loaded_of(text: str) -> Loaded:
    loaded, found = load(text.encode(), "tricks.yaml")
    assert loaded is not None, found
    return loaded


def game_of(text: str = RULES) -> Game:
    game, found = loaded_of(text).game()
    assert game is not None, found
    return game


def played(*cards: str, text: str = RULES) -> Session:
    session = Session(Reference(game_of(text)), {}, 1)
    for player, card in enumerate(cards):
        session.submit(player, card)
        session.advance()
    return session


def told(session: Session, viewer: int) -> list[str]:
    names = Labels(session.game)
    name = session.game.players[viewer]
    found = Narrator(names, name).tell(session.log(viewer))
    return [each.text for each in found if each.style != "phase"]


def test_rows_are_called_by_their_columns():
    names = Labels(game_of())
    assert [names.component("card", row) for row in "abc"] == ["J♣", "9♥", "9♣"]
    # What the name says is not said again.
    assert names.details("card", "a") == "when laid: pass"


def test_cards_are_sorted_in_menus():
    session = Session(Reference(game_of()), {}, 1)
    menu = Menu(Labels(session.game), session.observation(0).actions)
    assert [(each.label, each.text) for each in menu.entries] == [
        # Ranks are numbers, so what is typed for the list are letters.
        ("a", "9♣"),
        ("b", "J♣"),
        ("c", "9♥"),
    ]


def test_an_action_has_its_values_in_its_name():
    session = played("a", "c")
    menu = Menu(Labels(session.game), session.observation(0).actions)
    assert [each.text for each in menu.entries][:4] == [
        "raise to 1",
        "raise to 2",
        "raise to 3",
        "look at Ann",
    ]
    assert (menu.entries[0].head, menu.entries[0].tail) == ("raise to", "1")
    look = actions.parse(session.game, "look(bob)")
    assert look is not None
    assert Labels(session.game).action(look, "bob") == "look at you"


def test_an_option_of_a_row_has_a_name_as_well():
    names = Labels(game_of())
    tell = actions.parse(names.game, "tell(b)")
    assert tell is not None
    assert names.action(tell) == "tell of 9♥"


@pytest.mark.parametrize(
    ("cards", "viewer", "said"),
    [
        (
            ("a", "c"),
            0,
            [
                "You play J♣; Bob plays 9♣.",
                "In front: you.",
                "Your best is 11 points; Bob's best is 9 points.",
            ],
        ),
        (
            ("c", "b"),
            1,
            [
                "Ann plays 9♣; you play 9♥.",
                "In front: Ann and you.",
                "Ann's best is 9 points; your best is 9 points.",
            ],
        ),
        (
            ("a", "a"),
            1,
            [
                "Ann plays J♣; you play J♣.",
                "In front: Ann and you, with a jack.",
                "Ann's best is 11 points; your best is 11 points.",
            ],
        ),
    ],
)
def test_what_happens_is_told_as_the_rules_say(cards, viewer, said):
    assert told(played(*cards), viewer) == said


def test_long_sentences_have_lines_of_their_own():
    longer = RULES.replace(
        "best is <best>", "best card of this evening, and of all evenings, is <best>"
    )
    assert len(told(played("a", "c", text=longer), 0)) == 4


def test_several_dice_are_told_in_one_sentence(tmp_path):
    dice = """
rulerun: 1
game: dice
players: [ann, bob]
components:
  die: {copies: 3, state: {face: 1..6}, start: cup}
zones:
  cup: {of: die, visible: all}
setup:
  - roll d.face for d in cup
phases:
  play:
    do:
      - choose: 2..2 d in cup
        by: ann
view:
  formats: {die: <face>}
words:
  components: {die: {name: die, plural: dice}}
"""
    session = Session(Reference(game_of(dice)), {}, 1)
    session.advance()
    (said,) = told(session, 0)
    assert said.startswith("Face of 3 dice is now ")
    menu = Menu(Labels(session.game), session.observation(0).actions)
    assert all(each.text.startswith("die ") and " + die " in each.text for each in menu.entries)


def test_what_is_only_told_in_a_row_changes_no_fingerprint():
    here = "          - choose: {tell"
    more = RULES.replace(here, "          - say: A nine of hearts.\n" + here)
    assert more != RULES
    assert loaded_of(RULES).fingerprint == loaded_of(more).fingerprint
    one = RULES.replace(
        "11, suit: clubs, when_laid: pass", "11, suit: clubs, when_laid: [{say: Clubs.}, pass]"
    )
    assert loaded_of(RULES).fingerprint == loaded_of(one).fingerprint
    other = RULES.replace(
        "11, suit: clubs, when_laid: pass", "11, suit: clubs, when_laid: [best = 9]"
    )
    assert loaded_of(RULES).fingerprint != loaded_of(other).fingerprint


@pytest.mark.parametrize(
    ("there", "wrong", "code"),
    [
        ("sorts: {card: [suit, rank]}", "sorts: {card: [suit, size]}", "RR0402"),
        ("sorts: {card: [suit, rank]}", "sorts: {cards: suit}", "RR0402"),
        ("rows: <rank><suit>", "rows: <rank><colour>", "RR0402"),
        ("suit: {rows: {clubs: ♣, hearts: ♥}}", "suit: {rows: <rank>}", "RR0409"),
        ("raise to <total>", "raise to <all>", "RR0402"),
        ("choices: {card: silent}", "choices: {cart: silent}", "RR0402"),
    ],
)
def test_what_is_no_name_is_found(there, wrong, code):
    assert there in RULES
    loaded, found = load(RULES.replace(there, wrong).encode(), "tricks.yaml")
    codes = [each.code for each in found]
    if loaded is not None:
        codes += [each.code for each in loaded.game()[1]]
    assert code in codes

"""What is told follows from what each viewer sees before and after, and from what is declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision
from rulerun.session.session import Session
from rulerun.views.observe import SPECTATOR
from rulerun_dsl.load import load

HERE = Path(__file__).parent / "laws"


def session_of(text: str, tmp_path: Path) -> Session:
    """A session of a ruleset; luck falls on the first outcome."""
    path = tmp_path / "told.yaml"
    path.write_text(text, encoding="utf-8")
    return session_at(path)


def session_at(path: Path) -> Session:
    loaded, found = load(path)
    assert loaded is not None, [each.message for each in found]
    game, found = loaded.game()
    assert game is not None, [each.message for each in found]
    session = Session(Reference(game), automatic=False)
    settle(session)
    return session


def settle(session: Session) -> None:
    while session.waiting and session.waiting[0].player == CHANCE:
        session.give(Chance(session.executor.outcomes(session.state)[0].id))


def given(session: Session, *inputs: str) -> Session:
    """Decisions as `P1 text`, with the luck between them."""
    for each in inputs:
        who, _, text = each.partition(" ")
        action = actions.parse(session.game, text)
        assert action is not None, text
        session.give(Decision(session.game.players.index(who), action))
        settle(session)
    return session


def told(session: Session, viewer: int, *words: str) -> list[str]:
    """The texts that a viewer was told, of some kinds of events."""
    words = words or ("move", "set", "say", "show", "roll")
    return [each.text for each in session.log(viewer) if each.word in words]


# ---------------------------------------------------------------------------- one statement


def test_what_is_gathered_is_told_zone_by_zone():
    session = given(session_at(HERE / "gathered.yaml"), "P1 lay")
    mine = [f"the {each} moves from P1's hand to the crib" for each in ("one", "two", "three")]
    theirs = ["a card moves from P2's hand to the crib"] * 3
    assert told(session, 0, "move")[6:] == mine + theirs
    assert told(session, SPECTATOR, "move")[6:] == [
        f"a card moves from {each}'s hand to the crib" for each in ("P1", "P2") for _ in range(3)
    ]


@pytest.mark.parametrize("action", ["turn", "take"])
def test_a_hidden_pile_is_told_by_what_is_in_it(action):
    """Not in the order in which it lay."""
    one, other = session_at(HERE / "turned_over.yaml"), session_at(HERE / "turned_over.yaml")
    other = Session(other.executor, automatic=False)
    while other.waiting[0].player == CHANCE:
        other.give(Chance(other.executor.outcomes(other.state)[-1].id))
    for session in (one, other):
        given(session, f"P1 {action}")
    wanted = {"turn": ["one", "two", "three", "four"], "take": ["two", "three", "four"]}[action]
    moves = [
        [each.what["component"] for each in session.log(1) if each.what.get("from") == "pile"]
        for session in (one, other)
    ]
    assert moves[0] == wanted
    assert moves[1] == [["one", "two", "three", "four"], ["one", "two", "three"]][action == "take"]


def test_where_something_goes_is_told_to_who_sees_how_much_is_there():
    session = given(session_at(HERE / "sent_away.yaml"), "P1 send(one, east)")
    assert told(session, 0, "move")[-1] == "the one leaves P1's hand"
    assert told(session, 1, "move")[-1] == "a card leaves P1's hand"
    assert session.log(1)[-1].what == {"kind": "card", "from": "hand[P1]"}


def test_a_mark_on_what_is_hidden_is_told_as_it_is_seen():
    session = given(session_at(HERE / "marked.yaml"), "P1 one", "P1 two")
    assert told(session, 0, "set") == ["mark[P1] is one", "mark[P1] is two"]
    # That it lies on another card now is nothing that P2 sees.
    assert told(session, 1, "set") == ["mark[P1] is card"]


def test_a_show_is_told_to_whom_it_is_shown():
    session = session_at(HERE / "spies_shown.yaml")
    assert told(session, 0, "show") == ["spy shown to P1"]
    assert told(session, 1, "show") == ["spy shown to P2"]
    assert told(session, 2, "show") == told(session, SPECTATOR, "show") == []


def test_what_is_shown_to_all_is_told_to_all(tmp_path):
    text = (HERE / "spies_shown.yaml").read_text(encoding="utf-8")
    at = text.index("  - show")
    line = "  - show mine[P1] to all\n"
    session = session_of(text[:at] + line + text[text.index("\nphases") :], tmp_path)
    for viewer in (0, 1, 2, SPECTATOR):
        assert told(session, viewer, "show") == ["spy shown to All"]


# ------------------------------------------------------------------------------- a together


def test_the_order_of_what_was_done_in_secret_is_not_told():
    one = given(session_at(HERE / "plan_order.yaml"), "P2 eat", "P2 rut", "P1 eat", "P1 rut")
    other = given(session_at(HERE / "plan_order.yaml"), "P1 eat", "P1 rut", "P2 rut", "P2 eat")
    assert one.log(0) == other.log(0)
    assert told(one, 0)[-2:] == [
        "a tile moves from P2's tray to P2's plan eat",
        "a tile moves from P2's tray to P2's plan rut",
    ]


def test_what_came_and_went_in_secret_is_not_told():
    one = given(session_at(HERE / "set_twice.yaml"), "P1 1", "P1 1", "P2 1", "P2 3")
    other = given(session_at(HERE / "set_twice.yaml"), "P1 1", "P1 1", "P2 3", "P2 1")
    assert one.log(0) == other.log(0)
    assert told(one, 0) == ["bid[P1] is 1", "bid[P1] is 2", "bid[P2] is 4"]
    assert told(one, SPECTATOR) == ["bid[P1] is 2", "bid[P2] is 4"]


def test_rolls_in_secret_are_told_by_what_lies_there_then():
    session = Session(session_at(HERE / "rerolled.yaml").executor, automatic=False)
    session.give(Chance(2))
    session.give(Chance(3))
    given(session, "P2 again", "P1 keep")
    assert told(session, 1, "roll") == ["die[P2] is 4", "die[P2] is 1"]
    # P2's is 1 again, as it was before.
    assert told(session, 0) == ["die[P1] is 3"]
    assert told(session, 1, "set") == ["die[P1] is 3"]


SECRET = """\
rulerun: 1
game: secret
players: 2

types:
  place: [here, there]

components:
  card:
    each: player
    state: {turned: bool}
    rows: {ace: {}, king: {}, queen: {}}
    start: hand

zones:
  hand[player]: {of: card, visible: HAND}
  spare[player]: {of: card, visible: none, count: SPARE}
  table[player, place]: {of: card, visible: all}

phases:
  day:
    do:
      - together: you in players
        do:
          - choose:
              lay(c in hand, s in place): move c to table[s]
              keep(c in hand): move c to spare
              fetch(c in hand):
                - move c to spare
                - move d to hand for d in spare
              nothing: pass
          - say: <you> says so.
          - choose:
              turn(c in table[all]): c.turned = true
              push(c in table[all]): move c to table[there]
              take(c in table[all]): move c to hand
              leave: pass
      - choose:
          stop: pass
        by: P1

scoring:
  points(player p): 0
"""


def secret(tmp_path: Path, *inputs: str, hand: str = "owner", spare: str = "all") -> Session:
    text = SECRET.replace("HAND", hand).replace("SPARE", spare)
    return given(session_of(text, tmp_path), *inputs, "P1 nothing", "P1 leave")


@pytest.mark.parametrize(
    ("inputs", "wanted"),
    [
        (["lay(ace, here)", "leave"], ["the ace moves from P2's hand to P2's table here"]),
        (["keep(ace)", "leave"], ["a card moves from P2's hand to P2's spare"]),
        (
            ["lay(king, here)", "push(king)"],
            ["the king moves from P2's hand to P2's table there"],
        ),
        (["lay(king, here)", "take(king)"], []),
        (["lay(king, there)", "turn(king)"], ["the king moves from P2's hand to P2's table there"]),
        (["fetch(king)", "leave"], []),
        (["nothing", "leave"], []),
    ],
)
def test_a_move_in_secret_is_told_by_its_ends(tmp_path, inputs, wanted):
    session = secret(tmp_path, *(f"P2 {each}" for each in inputs))
    said = ["P1 says so.", *wanted, "P2 says so."]
    assert sorted(told(session, 0)) == sorted(said)
    assert sorted(told(session, SPECTATOR)) == sorted(said)
    # P2 heard of each thing when they did it, and hears of it no more.
    assert len(told(session, 1, "choose")) == 2
    assert told(session, 1)[-1] == "P1 says so."


def test_what_was_said_in_secret_comes_before_what_has_changed(tmp_path):
    session = secret(tmp_path, "P2 lay(ace, here)", "P2 leave")
    assert told(session, SPECTATOR) == [
        "P1 says so.",
        "P2 says so.",
        "the ace moves from P2's hand to P2's table here",
    ]


def test_where_what_came_from_is_not_sure_is_not_told(tmp_path):
    """Of the spare cards P1 sees not even how many: the ace may have come from there."""
    session = secret(tmp_path, "P2 lay(ace, here)", "P2 leave", spare="none")
    assert told(session, 0, "move") == [
        "a card leaves P2's hand",
        "the ace comes to P2's table here",
    ]
    session = secret(tmp_path, "P2 keep(ace)", "P2 leave", spare="none")
    assert told(session, 0, "move") == ["a card leaves P2's hand"]


def test_what_leaves_an_open_zone_is_named(tmp_path):
    session = secret(tmp_path, "P2 keep(ace)", "P2 leave", hand="all")
    assert told(session, 0, "move") == ["the ace moves from P2's hand to P2's spare"]
    session = secret(tmp_path, "P2 lay(ace, here)", "P2 take(ace)", hand="all")
    assert told(session, 0, "move") == []


def test_what_is_turned_in_secret_is_told_where_it_is_seen(tmp_path):
    session = secret(tmp_path, "P2 lay(ace, here)", "P2 turn(ace)", hand="all")
    assert told(session, 0, "move", "set") == [
        "the ace moves from P2's hand to P2's table here",
        "turned of the ace of P2 is true",
    ]


def test_what_was_said_and_taken_back_is_not_told(tmp_path):
    session = session_of(SECRET.replace("HAND", "owner").replace("SPARE", "all"), tmp_path)
    given(session, "P2 lay(ace, here)")
    session.undo(1)
    given(session, "P2 nothing", "P2 leave", "P1 nothing", "P1 leave")
    assert told(session, 0) == ["P1 says so.", "P2 says so."]

"""Answers at a table: what is typed, which of some was meant, why not, the end of a log."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.rulesets import game_named

from rulerun import Reference, Session
from rulerun.search.advising import Advice, advised
from rulerun.search.tree_search import Choice
from rulerun.terminal.commands import Commands
from rulerun.terminal.eliminating import told_by_counting
from rulerun.terminal.formatting import Paint
from rulerun.terminal.hearing import Hearing
from rulerun.terminal.meant import Answering
from rulerun.terminal.menu import Menu
from rulerun.terminal.save import Keeper
from rulerun.terminal.screen import Screen
from rulerun.terminal.sitting import Sitting
from rulerun.terminal.told_advice import advice
from rulerun.terminal.why_not import Reasons
from rulerun.web.scene import Stage
from rulerun.words.labels import Labels
from rulerun.words.language import language
from rulerun.words.outcomes import reasons, standings
from rulerun_dsl.load import load_game
from rulerun_dsl.model import SPECTATOR
from rulerun_dsl.model.words import Words

TILES = """
rulerun: 1
game: tiles
players: 2
components:
  tile: {each: player, rows: [one, two, ex], start: tray}
zones:
  tray[player]: {of: tile, visible: owner}
  used[player]: {of: tile, visible: all}
state:
  visible: all
  level: 0..9 = 3
phases:
  play:
    turns: you in players
    until: all(empty(tray[p]) for p in players)
    do:
      - choose:
          lay(t in tray): move t to used
          bid(1..9 n):
            when: n > level and n < 5
            do: level = n
        ask: Which tile?
scoring:
  winner: first(players)
words:
  components: {tile: {rows: {one: tile 1, two: tile 2, ex: tile X}}}
  actions: {lay: lay}
"""


@pytest.fixture
def tiles(tmp_path: Path) -> Session:
    path = tmp_path / "tiles.yaml"
    path.write_text(TILES, encoding="utf-8")
    game, found = load_game(path)
    assert game is not None, found
    return Session(Reference(game))


def table(session: Session) -> tuple[Answering, Menu]:
    names = Labels(session.game)
    answering = Answering(session, Commands(names.speech), Reasons(session, names))
    return answering, Menu(names, session.observation(session.asked[0]).actions)


def texts(menu: Menu, action: int | None) -> list[str]:
    return [each.text for each in menu.entries if each.action.id == action]


def test_where_numbers_stand_in_the_words_letters_are_typed(tiles):
    answering, menu = table(tiles)
    assert [each.label for each in menu.entries][:4] == ["a", "b", "c", "d"]
    assert texts(menu, answering.meant(0, "2", menu).action) == ["lay tile 2"]
    assert texts(menu, answering.meant(0, "b", menu).action) == ["lay tile 2"]
    assert answering.meant(0, "7", menu).action is None


PLACES = """
rulerun: 1
game: places
players: 1
visible: all
components:
  cub: {rows: [first, second], start: den}
zones:
  den: {of: cub}
state: {at: 0..9}
phases:
  play:
    turns: you in players
    until: at == 9
    do:
      - choose: [river, summit]
      - choose: cub in den
actions:
  river(1..3 space): {do: at = space}
  summit(1..2 space): {do: at = space}
words:
  components: {cub: {rows: {first: 1st cub, second: 2nd cub}}}
  actions: {river: "to the river, space <space>", summit: "up a mountain, space <space>"}
"""


def test_a_number_that_stands_in_several_answers_is_asked_about(tmp_path):
    path = tmp_path / "places.yaml"
    path.write_text(PLACES, encoding="utf-8")
    game, found = load_game(path)
    assert game is not None, found
    session = Session(Reference(game))
    answering, menu = table(session)
    assert [each.label for each in menu.entries] == ["a", "b", "c", "d", "e"], "an article is free"
    asked = answering.meant(0, "1", menu)
    assert asked.refused == ("Do you mean to the river, space 1 (a) or up a mountain, space 1 (d)?")
    assert texts(menu, answering.meant(0, "mountain", menu).action) == ["up a mountain, space 1"]
    assert texts(menu, answering.meant(0, "3", menu).action) == ["to the river, space 3"]
    session.submit(0, menu.entries[0].action.id)
    _, menu = table(session)
    assert [each.label for each in menu.entries] == ["a", "b"], "no number beside an ordinal"


def test_which_of_some_was_meant_is_answered_among_these(tiles):
    answering, menu = table(tiles)
    assert answering.meant(0, "tile", menu).refused.startswith("Do you mean lay tile 1 (a), ")
    assert texts(menu, answering.meant(0, "x", menu).action) == ["lay tile X"]
    # Asked anew, the same letter is that of the list.
    assert answering.meant(0, "x", menu).action is not None
    answering.meant(0, "tile", menu)
    assert texts(menu, answering.meant(0, "1", menu).action) == ["lay tile 1"]


def test_yes_means_what_was_near(tiles):
    answering, menu = table(tiles)
    assert answering.meant(0, "lya tile x", menu).refused == "Do you mean lay tile X?"
    assert texts(menu, answering.meant(0, "yes", menu).action) == ["lay tile X"]
    assert answering.meant(0, "yes", menu).action is None


def test_accents_need_not_be_typed():
    assert Commands(language("fr")).parse("regles prince") == ("rules", "prince")
    assert Commands(language("de")).parse("zuruck") == ("undo", "")


def test_why_not_is_told_in_words_and_runs_as_such(tiles):
    names = Labels(tiles.game)
    offered = [each.id for each in tiles.observation(0).actions]
    told = dict(Reasons(tiles, names).refused(0, offered))
    assert told == {
        "bid 1..3": "the rules do not let you now (level 3)",
        "bid 5..9": "the rules do not let you now",
    }


@pytest.mark.parametrize("name", ["texas_holdem", "hearts", "love_letter", "tic_tac_toe"])
def test_what_you_cannot_do_shows_no_code(name):
    session = Session(Reference(game_named(name)), seed=5)
    names = Labels(session.game)
    for _ in range(40):
        if session.over:
            break
        player = session.asked[0]
        actions = [each.id for each in session.observation(player).actions]
        for what, why in Reasons(session, names).refused(player, actions):
            assert not set("`=<>()[]") & set(why.partition(" (")[0]), (what, why)
        session.submit(player, actions[len(actions) // 2])


def test_the_log_shows_its_end_where_there_is_little_room():
    session = Session(Reference(game_named("tic_tac_toe")))
    for _ in range(5):
        session.submit(session.asked[0], session.observation(session.asked[0]).actions[0].id)
    hearing = Hearing(session, Labels(session.game), 20, Paint())
    whole = hearing.story(0)
    assert hearing.story(0, len(whole)) == whole
    last = hearing.story(0, 3)
    assert last[1:] == whole[-2:] and last[0] == f"… {len(whole) - 2} lines before: `log all`"


@pytest.mark.parametrize(
    ("worths", "said"),
    [
        ((0.5, 0.49, 0.48), "These are about equal."),
        ((0.5, 0.49, 0.3), "The first 2 are about equal."),
        (
            (0.9, 0.4, 0.3),
            "Lay is clearly the best: it wins 90 of 100 tries; the next best, wait, 40.",
        ),
        ((0.55, 0.5, 0.45), "That is not enough to tell them apart."),
        ((0.001, 0.0, 0.0), "However you go on, it looks lost."),
    ],
)
def test_advice_says_what_comes_of_it(worths, said):
    found = [Choice(at, 100, worth, round(100 * worth)) for at, worth in enumerate(worths)]
    assert told(found)[-1] == said
    assert told(found)[0] == f"lay: wins {round(100 * worths[0])} of 100 tries"


def told(found, *, seeks="wins", scored=False, line=(), lang="en"):
    """Advice in sentences."""
    names = Labels(game_named("tic_tac_toe"), Words(language=lang))
    said = {0: "lay", 1: "wait", 2: "pass"}
    return advice(Advice(found, seeks, scored, line), said, names, ("x", "o"))[1]


@pytest.mark.parametrize(
    ("best", "other", "how", "said"),
    [
        (
            Choice(0, 400, 0.5, 0, 400),
            Choice(1, 400, 0.1, 0, 80),
            {},
            "Lay is clearly the best: it loses 0 of 100 tries; the next best, wait, 80.",
        ),
        (
            Choice(0, 400, 0.9, 200, 0, 4.25),
            Choice(1, 400, 0.8, 200, 0, -1.25),
            {"scored": True},
            "Lay is clearly the best: it ends 5.5 points better on average than the next best,"
            " wait.",
        ),
        (
            Choice(0, 400, 0.9, gain=12.0),
            Choice(1, 400, 0.5, gain=9.25),
            {"seeks": "returns"},
            "Lay is clearly the best: it brings 12 on average; the next best, wait, 9.2.",
        ),
    ],
)
def test_advice_gives_the_reason(best, other, how, said):
    assert told([best, other], **how)[-1] == said


def test_advice_says_how_each_came_out():
    drawn, ahead = Choice(0, 1200, 0.5, 400, 300, 2.04), Choice(1, 40, 0.4, 16, 0, -3.5)
    assert told([drawn, ahead], scored=True)[:2] == [
        "lay: wins 400 and draws 300 of 1,200 tries, on average 2 points ahead",
        "wait: wins 16 of 40 tries, on average 3.5 points behind",
    ]
    brings = told([drawn, ahead], seeks="points", lang="de")
    assert brings[1] == "wait: bringt im Mittel -3,5, in 40 Versuchen"


def test_advice_says_how_play_is_expected_to_go_on():
    session = Session(Reference(game_named("tic_tac_toe")))
    # Two of three stand in a row on both sides: who does not win now is about to lose.
    for answer in ("r1c1", "r2c1", "r1c2", "r3c3"):
        session.submit(session.asked[0], answer)
    names = Labels(session.game)
    found = advised(session, session.asked[0])
    win = session.action(session.asked[0], "r1c3")
    assert found.choices[0].action == win and not found.line, "the game is over there"
    best = [Choice(0, 100, 0.5, 50), Choice(1, 100, 0.5, 50)]
    steps = [(1, found.choices[1].action), (0, found.choices[2].action)]
    one, two = (names.action(each.action) for each in found.choices[1:3])
    assert told(best, line=steps)[-1] == f"After lay it expects: O {one}, X {two}."


def test_the_line_that_is_expected_is_told_where_nothing_is_hidden():
    session = Session(Reference(game_named("tic_tac_toe")))
    # X threatens two rows, of which O closes neither: the line is what the rules leave.
    for answer in ("r1c1", "r3c2", "r2c2"):
        session.submit(session.asked[0], answer)
    found = advised(session, session.asked[0])
    assert found.line and found.line[0][0] == 0, "X goes on where O has closed one row"
    hidden = Session(Reference(game_named("brave_rats")), seed=3)
    assert not advised(hidden, hidden.asked[0]).line


def test_what_alone_is_hidden_is_known_by_counting():
    session = Session(Reference(game_named("brave_rats")), seed=3)
    for _ in range(6):
        player = session.asked[0]
        session.submit(player, session.observation(player).actions[0].id)
    seen = session.observation(0)
    other = "hand[applewood]"
    before = next(each for each in seen.zones if each.name == other)
    after = next(each for each in told_by_counting(session.game, seen.zones) if each.name == other)
    assert not before.known and len(after.known) == after.count == before.count
    laid = next(each for each in seen.zones if each.name == "line[applewood]")
    assert not {one.row for one in after.known} & {one.row for one in laid.components or ()}
    # In a browser the same is shown, and to who looks on, for whom two hands are hidden, nothing.
    hands = [_hand_in_a_browser(session, viewer) for viewer in (0, SPECTATOR)]
    assert sorted(each["text"].lower() for each in hands[0]["cards"]) == sorted(
        Labels(session.game).seen("card", one) for one in after.known
    )
    assert (hands[0]["closed"], hands[0]["hidden"]) == (True, 0)
    assert not any(each["keys"] for each in hands[0]["cards"]), "nobody chooses from it"
    assert (hands[1]["closed"], hands[1]["hidden"], hands[1]["cards"]) == (False, after.count, [])


def _hand_in_a_browser(session: Session, viewer: int) -> Any:
    """What a viewer is shown of Applewood's hand."""
    scene: Any = Stage(Labels(session.game)).scene(session.observation(viewer), ())
    player = next(each for each in scene["players"] if each["id"] == "applewood")
    return next(each for each in player["zones"] if each["label"] == "hand")


def test_two_hidden_zones_tell_nothing():
    session = Session(Reference(game_named("love_letter")), seed=3)
    seen = session.observation(0)
    assert told_by_counting(session.game, seen.zones) == list(seen.zones)


def test_who_is_out_is_told_why():
    game = game_named("antler_island")
    names = Labels(game)
    out = SimpleNamespace(player="P3", place=0, total=0)
    won = SimpleNamespace(player="P1", place=1, total=5)
    told = reasons(cast(Any, [won, out]), names)
    assert told == ["P3 (out): Who has won no fight has no points and cannot win."]
    assert not reasons(cast(Any, [won]), names)


def test_who_stands_behind_with_as_many_points_is_told_why():
    names = Labels(game_named("antler_island"))
    totals = ((1, 5), (2, 5), (3, 4)), ((1, 5), (1, 5), (3, 4))
    tied, shared = (
        [SimpleNamespace(player=f"P{at}", place=place, total=total) for at, (place, total) in found]
        for found in (enumerate(each, 1) for each in totals)
    )
    (why,) = reasons(cast(Any, tied), names)
    assert why.startswith("Between equal points")
    assert not reasons(cast(Any, shared), names)


def test_a_score_is_told_once():
    session = Session(Reference(game_named("hearts")), seed=1)
    while not session.over:
        player = session.asked[0]
        session.submit(player, session.observation(player).actions[0].id)
    head, *_ = standings(session.observation(0).result or (), Labels(session.game))
    assert head == ["", "place", "points"]


def test_what_is_typed_when_the_game_is_over_is_told_so(tiles):
    out = io.StringIO()
    keeper = Keeper(tiles.game, {}, 0)
    Sitting(tiles, Screen(io.StringIO(), out, width=80), keeper, lambda _: None).after("tile 1")
    assert out.getvalue() == "The game is over.\n"

"""What people read of choices that have no name, of what lies in two zones, and of an end."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest
from tests.playing import game_of as game_from

from rulerun.reference.executor import Reference
from rulerun.runtime.wording import words as plain
from rulerun.session.session import Session
from rulerun.terminal.commands import Commands
from rulerun.terminal.ending import ending
from rulerun.terminal.explaining import Explainer
from rulerun.terminal.formatting import Paint
from rulerun.terminal.layout import Layout
from rulerun.terminal.meant import Answering
from rulerun.terminal.menu import Menu
from rulerun.terminal.save import Keeper
from rulerun.terminal.screen import Screen
from rulerun.terminal.sitting import Sitting
from rulerun.terminal.why_not import Reasons
from rulerun.views.observation import Standing
from rulerun.words import outcomes
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game
from rulerun_dsl.translations import files_of_texts, translation

BURROW = """\
rulerun: 1
game: burrow
players: [ann, bob]
visible: all

options:
  feasts: {type: bool, default: false}

types:
  task: [dig, rest]

boards:
  den:
    has: {wet: bool = false}
    rows: {top: {}, deep: [true]}
    links: [{line: [top, deep]}]

components:
  nut: {has: {worth: 1..2}, rows: {hazel: 1, walnut: 2}, copies: 4, start: heap}
  mole: {each: player, start: away}

zones:
  heap: {of: nut}
  bag[player]: {of: nut}
  cheek[player]: {of: nut, visible: owner}
  away: {of: mole}
  moles[den]: {of: mole}

state:
  days: 0..3

setup:
  - move mole of p to moles[top] for p in players
  - move 1 n in heap if n is hazel to bag[p] for p in players
  - move 1 n in heap if n is hazel to cheek[p] for p in players

phases:
  play:
    turns: you in players
    until: days == 2
    do:
      - choose: t in task
        ask: "<you> [have|has] a day: what for?"
      - choose: n in bag + cheek if n is hazel
        ask: Which nut do you eat?
      - move n to heap
      - choose: 1..2 found in heap
        ask: What do you take home?
      - move found to cheek
      - choose: s in den
        ask: Where do you sleep?
      - move mole of you to moles[s]
      - move up to 1 m in heap if m is hazel and not s.wet to bag
      - choose: {snore: days += 1, dream: days += 1}
        ask: How do you sleep?

scoring:
  points(player p):
    worth: sum(n.worth for n in bag[p] + cheek[p])

chapter feasts:
  when: feasts
  scoring:
    points(player p):
      best of all: 1

view:
  headline: "<first(players)> [wake|wakes] first."
  maps:
    den: top --------- deep ---------
  shows: {den: wet}
  hides: days
  glyphs: {wet: "~", mole: m}

words:
  types: {task: {rows: {dig: {name: dig a hole, about: Earth flies.}}}}
  actions: {dream: {about: Of nuts.}}
  boards: {den: {rows: {deep: {name: deep, about: It is dark.}}, has: {wet: puddle}}}
  components: {mole: {name: digger}}
  scoring: {best of all: the best}

story:
  choices:
    task: "<player> [go|goes] to <what>."
    nut: silent
    den: <player> [sleep|sleeps] in <what>.
  moves:
    bag to heap: silent
    cheek to heap: silent
    heap to bag: silent
    heap to cheek: silent
    moles to moles: silent
  values: {days: "<value> [day|days] now."}
"""

FRENCH = """\
texts: burrow
language: fr
options: {feasts: {name: festins}}
types: {task: {rows: {dig: {name: creuser, about: La terre vole.}, rest: dormir}}}
boards: {den: {rows: {top: haut, deep: {name: fond, about: Il y fait noir.}}, has: {wet: flaque}}}
components:
  nut: {name: noix, rows: {hazel: noisette, walnut: grosse noix}}
  mole: taupe
zones: {heap: tas, bag: sac, cheek: joue, away: dehors, moles: taupes}
state: {days: jours}
phases: {play: jeu}
actions: {snore: ronfler, dream: {name: rêver, about: De noix.}}
scoring: {worth: valeur, best of all: la meilleure}
sentences:
  "<you> [have|has] a day: what for?": "<you> [avez|a] un jour : pour quoi ?"
  Which nut do you eat?: Quelle noix mangez-vous ?
  What do you take home?: Qu'emportez-vous ?
  Where do you sleep?: Où dormez-vous ?
  How do you sleep?: Comment ?
  "<first(players)> [wake|wakes] first.": "<first(players)> [vous réveillez|se réveille] d'abord."
  "<player> [go|goes] to <what>.": "<player> [allez|va] <what>."
  <player> [sleep|sleeps] in <what>.: <player> [dormez|dort] au <what>.
  "<value> [day|days] now.": "<value> [jour|jours]."
"""


@pytest.fixture
def burrow(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "burrow.fr.yaml").write_text(FRENCH, encoding="utf-8")
    (tmp_path / "burrow.yaml").write_text(BURROW, encoding="utf-8")
    return tmp_path / "burrow.yaml"


def game_of(path: Path, **options: str) -> Game:
    loaded, found = load(path)
    assert loaded is not None, found
    game, found = loaded.game(2, options)
    assert game is not None, found
    return game


def made(path: Path) -> tuple[Loaded, Game]:
    loaded, _ = load(path)
    assert loaded is not None
    game, _ = loaded.game(2)
    assert game is not None
    return loaded, game


def session_of(game: Game, *typed: str) -> Session:
    session = Session(Reference(game), {}, 1, automatic=False)
    session.advance()
    for answer in typed:
        session.submit(session.asked[0], answer)
        session.advance()
    return session


def offered(session: Session, names: Labels) -> list[str]:
    player = session.asked[0]
    return [each.text for each in Menu(names, session.observation(player).actions).entries]


# ------------------------------------------------------------------------------------- stories


def test_a_choice_without_a_name_is_told_by_what_is_chosen(burrow):
    game = game_of(burrow)
    session = session_of(game, "dig", "bag hazel", "hazel + walnut", "deep")

    def told(viewer: str) -> list[str]:
        log = session.log(game.players.index(viewer))
        return [
            each.text for each in Narrator(Labels(game), viewer).tell(log) if each.style == "plain"
        ]

    assert told("ann")[-2:] == ["You go to dig a hole.", "You sleep in deep."]
    # What was chosen is hidden from the other, and told by its kind: that is silent as well.
    assert told("bob")[-2:] == ["Ann goes to dig a hole.", "Ann sleeps in deep."]


def test_a_story_tells_of_a_value_that_no_screen_shows(burrow):
    game = game_of(burrow)
    session = session_of(game, "dig", "bag hazel", "walnut", "deep", "snore")
    told = Narrator(Labels(game), "ann").tell(session.log(0))
    assert [each.text for each in told][-1] == "1 day now."
    assert "days" not in "\n".join(
        Layout(Labels(game), 80, Paint(False)).lines(session.observation(0))
    )


@pytest.mark.parametrize("name", ["tusk", "days", "bag"])
def test_a_choice_is_told_by_no_other_name(burrow, name):
    burrow.write_text(BURROW.replace("    nut: silent", f"    {name}: silent"), encoding="utf-8")
    loaded, found = load(burrow)
    found = found if loaded is None else loaded.game(2)[1]
    assert [each.code for each in found] == ["RR0402"]


# --------------------------------------------------------------------------------------- names


def test_what_lies_in_two_zones_is_told_apart_by_their_names(burrow):
    loaded, game = made(burrow)
    session = session_of(game, "dig")
    assert offered(session, Labels(game)) == ["hazel 1 (bag)", "hazel 1 (cheek)"]
    words, found, missing = translation(loaded, game, files_of_texts(burrow)["fr"])
    assert not found
    assert not missing, "a kind without rows needs no name for its one row"
    assert offered(session, Labels(game, words)) == ["noisette 1 (sac)", "noisette 1 (joue)"]


def test_several_things_are_named_each(burrow):
    loaded, game = made(burrow)
    session = session_of(game, "dig", "bag hazel")
    words, _, _ = translation(loaded, game, files_of_texts(burrow)["fr"])
    assert "noisette 1 + grosse noix 2" in offered(session, Labels(game, words))


def test_signs_of_a_map_have_the_names_of_their_kind_and_column(burrow):
    game = game_of(burrow)
    layout = Layout(Labels(game), 80, Paint(False))
    lines = layout.lines(session_of(game).observation(0))
    assert "~ puddle" in "\n".join(lines)
    assert lines[0] == "You wake first."
    assert layout.lines(session_of(game).observation(1))[0] == "Ann wakes first."


# -------------------------------------------------------------------------------------- asking


def explained(session: Session, names: Labels) -> list[str]:
    player = session.asked[0]
    menu = Menu(names, session.observation(player).actions)
    return Explainer(session, names, 80, Paint(False)).all(player, menu)


def test_help_tells_what_is_written_about_values_and_sites(burrow):
    game = game_of(burrow)
    names = Labels(game)
    assert explained(session_of(game), names) == [
        "You can:",
        "  1 dig a hole: Earth flies.",
        "  2 rest",
    ], "other questions are not told of"
    at_night = session_of(game, "dig", "bag hazel", "walnut")
    assert "  2 deep: It is dark." in explained(at_night, names)


def test_help_tells_what_is_written_about_an_action(burrow):
    game = game_of(burrow)
    asleep = session_of(game, "dig", "bag hazel", "walnut", "top")
    assert explained(asleep, Labels(game))[:3] == ["You can:", "  1 snore", "  2 dream: Of nuts."]


def sitting(session: Session) -> tuple[Sitting, io.StringIO]:
    """A table at which nobody answers."""
    out = io.StringIO()
    keeper = Keeper(session.game, {}, 0)
    return Sitting(session, Screen(io.StringIO(), out, width=80), keeper, lambda text: None), out


def test_a_question_speaks_to_who_is_asked(burrow):
    table, out = sitting(session_of(game_of(burrow)))
    table.play()
    assert "\nYou have a day: what for?\n" in out.getvalue()


# ------------------------------------------------------------------------------------- the end


def standings(*lines: tuple[str, int]) -> list[Standing]:
    total = sum(value for _, value in lines)
    return [
        Standing("ann", 1, True, "1/2", total, lines),
        Standing("bob", 2, False, "-1/2", total, lines),
    ]


def test_an_end_leaves_out_what_a_module_would_count(burrow):
    result = standings(("worth", 3), ("best of all", 1))
    lines = ending(result, Labels(game_of(burrow)), 80, Paint(False))
    assert lines[2].split() == ["place", "worth"]
    assert "1/2" not in "\n".join(lines), "what a place is worth to an agent"


def test_a_line_of_points_with_blanks_has_its_name(burrow):
    text = BURROW.replace("      best of all: 1\n", "      best of all: count(bag[p])\n")
    burrow.write_text(text, encoding="utf-8")
    result = standings(("worth", 3), ("best of all", 1))
    lines = ending(result, Labels(game_of(burrow, feasts="true")), 80, Paint(False))
    assert lines[2].split("  ")[-2:] == ["the best", "total"]


def test_returns_that_the_rules_name_are_told(burrow):
    text = BURROW.replace(
        "chapter feasts:", "  returns(player p): points(p) / 2\n\nchapter feasts:"
    )
    burrow.write_text(text, encoding="utf-8")
    lines = ending(standings(("worth", 3)), Labels(game_of(burrow)), 80, Paint(False))
    assert lines[2].split() == ["place", "worth", "result"]
    assert plain("1/2") in lines[3]


def test_who_is_asked_by_name_is_you_in_the_question(tmp_path):
    path = tmp_path / "dare.yaml"
    path.write_text(DARE, encoding="utf-8")
    table, out = sitting(session_of(game_of(path)))
    table.play()
    assert "\nAnn dares you, who have 5 coins. Do you accept?\n" in out.getvalue()


DARE = """\
rulerun: 1
game: dare
players: [ann, bob]
visible: all
state:
  coins[player]: {type: 0..9, start: 2}
setup:
  - coins[bob] = 5
phases:
  play:
    for: you in players
    do:
      - let dares = you
      - choose: {accept: coins += 1, refuse: pass}
        by: next(you)
        ask: <dares> dares <you>, who [have|has] <coins> [coin|coins]. Do you accept?
scoring:
  points(player p): coins[p]
"""


HUTS = """\
rulerun: 1
game: huts
players: 2
visible: all
components:
  hut:
    has: {cost: 1..9}
    rules: {fits: bool}
    rows:
      tent: {cost: 1, fits: is_rich(1)}
      tower: {cost: 2, fits: is_rich(9) and is_tall}
    start: site
  stick: {rows: {oak: {}, ash: {}}, start: woods}
zones:
  site: {of: hut}
  town: {of: hut}
  woods: {of: stick}
  bag: {of: stick}
state:
  coins[player]: 0..9 = 3
phases:
  play:
    turns: you in players
    until: empty(site)
    do:
      - choose: [build, burn, sell]
        or: wait
functions:
  is_rich(1..9 n): coins >= n
  is_tall: count(town) > 1
  has_sold: coins > 5
actions:
  build(h in site):
    when: h.fits()
    do: coins -= h.cost; move h to town
  burn(s in bag): move s to woods
  sell():
    when: has_sold
    do: coins -= 1
scoring:
  points(player p): coins[p]
words:
  actions: {build: {name: build, about: A roof.}, wait: {name: wait for the rain}}
  rules: {is_rich: "<n> [coin|coins]", has_sold: more than you have}
view:
  formats: {hut: "<name> for <cost>"}
"""


def test_help_says_in_words_what_a_row_needs_and_not_what_lies_elsewhere(tmp_path):
    path = tmp_path / "huts.yaml"
    path.write_text(HUTS, encoding="utf-8")
    game = game_of(path)
    names = Labels(game)
    assert explained(session_of(game), names) == [
        "You can:",
        "  1 build tent: A roof. for 1",
        "  2 wait for the rain",
        "You cannot:",
        "  build tower: you need 9 coins",
        "  sell: you need more than you have",
    ]
    session = session_of(game)
    menu = Menu(names, session.observation(0).actions)
    answering = Answering(session, Commands(names.speech), Reasons(session, names))
    for typed, why in {
        "sell": "you need more than you have",
        "Build tow": "you need 9 coins",
        "build": "",
        "fly": "there is no action `fly`",
    }.items():
        refused = answering.meant(0, typed, menu).refused
        assert refused.startswith(f"No: {why}. ") if why else not refused, (typed, refused)
    assert [each.text for each in menu.find("rain")] == ["wait for the rain"]
    assert menu.find("ain") == []


def test_a_command_with_which_an_answer_begins_is_asked_about(tmp_path):
    path = tmp_path / "huts.yaml"
    path.write_text(HUTS.replace("wait for the rain", "undo all this"), encoding="utf-8")
    out, game = io.StringIO(), game_of(path)
    screen = Screen(io.StringIO("undo\n"), out, width=80)
    Sitting(session_of(game), screen, Keeper(game, {}, 0), lambda text: None).play()
    assert "Do you mean undo all this (2) or :undo?" in out.getvalue()


POOREST = """
rulerun: 1
game: poorest
players: 3
state:
  visible: all
  coins_left[player]: 0..9 = 3
phases:
  play:
    for: you in players
    do: coins_left = seat(you)
scoring:
  winner: lowest coins_left
words:
  state: {coins_left: coins}
"""


def test_the_score_that_decides_is_called_as_people_call_it():
    def head(rules: str) -> list[str]:
        session = Session(Reference(game_from(rules)), {}, 1)
        session.advance()
        result = session.observation(0).result
        assert result is not None
        return outcomes.standings(result, Labels(session.game))[0]

    assert head(POOREST) == ["", "place", "coins"]
    by_rule = POOREST.replace("lowest coins_left", "lowest worth").replace(
        "words:", "functions:\n  worth(player p): coins_left[p]\nwords:\n  rules: {worth: riches}"
    )
    assert head(by_rule) == ["", "place", "riches"]
    assert head(by_rule.replace("worth: riches", 'worth: "riches of <p>"'))[2] == "worth"


AISLES = """
rulerun: 1
game: aisles
players: 2
boards:
  aisle: {shape: grid, rows: 9, columns: 9}
state:
  visible: all
  here: aisle or none
  shouts: 0..9
actions:
  shout(): {in: asides, do: shouts += 1}
  look_round(): {in: asides, do: pass}
  walk(aisle to): here = to
  jump(aisle to): {when: to.row == 1, do: here = to}
phases:
  play:
    turns: you in players
    until: shouts > 3
    do:
      - choose: [walk, jump]
        also: [asides]
        or: stand_still
        ask: Where to?
"""


def test_what_there_is_much_of_leaves_room_for_the_rest_and_the_main_thing_comes_first():
    session = Session(Reference(game_from(AISLES)), {}, 1)
    session.advance()
    names = Labels(session.game)
    menu = Menu(names, session.observation(0).actions)
    texts = [entry.text for entry in menu.shown]
    assert texts[0] == "walk r1c1" and texts[81] == "jump r1c1"
    assert sorted(texts[90:]) == ["look round", "shout", "stand still"]
    for rows in (5, 6, 12):
        lines = menu.lines(40, Paint(), rows)
        assert len(lines) <= rows + 1 and "more" in lines[-1]
        shown = "\n".join(lines)
        for some in ("walk", "jump", "shout", "look round", "stand still"):
            assert some in shown, (rows, some, lines)


def test_directions_are_called_as_the_language_of_the_table_calls_them():
    game = game_from(AISLES.replace("columns: 9}", "columns: 9, directions: diagonal}"))
    said = {
        code: Labels(game, dataclasses.replace(game.words, language=code)).word("north_west")
        for code in ("en", "fr", "de")
    }
    assert said == {"en": "north west", "fr": "nord-ouest", "de": "Nordwesten"}


def test_a_value_that_is_called_as_an_action_has_not_the_values_of_the_action():
    words = "view: {headline: <last>}\nwords:\n  actions: {walk: walk to <to>, jump: leap}\n"
    rules = AISLES.replace(
        "  shouts: 0..9", "  shouts: 0..9\n  last: deed\ntypes: {deed: [walk, jump]}"
    )
    game = game_from(
        rules.replace("do: here = to\n  jump", "do: here = to; last = walk\n  jump") + words
    )
    names = Labels(game)
    assert (names.word("walk"), names.word("jump")) == ("walk", "leap")

"""What a person sees of a game with much on the table: Ruse, and the hints for it."""

import functools
import io
import random
import re

import pytest
from tests.playing import game_of as game_from
from tests.rulesets import game_named, read
from tests.test_table import begin, written

from rulerun.reference.executor import Reference
from rulerun.session.session import Session
from rulerun.terminal.explaining import Explainer
from rulerun.terminal.formatting import Paint, width_of, wrap
from rulerun.terminal.layout import Layout
from rulerun.terminal.menu import MOST_ROWS, Menu
from rulerun.terminal.save import Keeper
from rulerun.terminal.screen import Screen
from rulerun.terminal.sitting import Sitting
from rulerun.views.observation import Observation
from rulerun.words.labels import Labels
from rulerun_dsl.model import SPECTATOR, Game
from rulerun_dsl.source.resources import ruleset_path

# ------------------------------------------------------------------------------------------- Ruse


@functools.cache
def ruse(players: int, level: int = 0) -> Game:
    path = ruleset_path("ruse")
    assert path is not None
    game, found = read(path).game(players, {"vixen_level": str(level)})
    assert game is not None, found
    return game


def until(session: Session, text: str, least: int = 0) -> Observation:
    """Random decisions until a question that contains `text` has some answers."""
    chosen = random.Random(5)
    for count in range(4000):
        player = session.asked[0]
        if count >= least:
            seen = session.observation(player)
            if text in (seen.question or "") and len(seen.actions) > 3:
                return seen
        session.submit(player, chosen.choice(session.executor.legal(session.state, player)))
    raise AssertionError(f"nobody is asked {text}")


@functools.cache
def reached(players: int, level: int, text: str, least: int) -> tuple[Session, Observation]:
    """A session of Ruse at such a question. Nobody plays it further."""
    session = begin(ruse(players, level), 5)
    return session, until(session, text, least)


def screen(session: Session, seen: Observation, width: int = 100, height: int = 40) -> list[str]:
    names = Labels(session.game)
    layout = Layout(names, width, Paint(), height)
    menu = Menu(names, seen.actions, layout.glyphs)
    question = wrap(names.said(seen.question or ""), width)
    fewest = menu.fewest(width)
    around = len(question) + 1
    table = layout.lines(seen, session.log(seen.viewer), fewest + around)
    rows = max(fewest, min(MOST_ROWS, height - len(table) - around - 2))
    return [*table, "", *question, *menu.lines(width, Paint(), rows)]


SCREENS = {
    "setup": (2, 0, "resource", 0),
    "placing": (2, 0, "Where do you send your", 60),
    "tile": (2, 0, "What does your fox do", 60),
    "den": (2, 0, "quarters", 20),
    "solo": (1, 1, "Where do you send your", 30),
    "four": (4, 0, "Where do you send your", 90),
}


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "which",
    # For each number of players and level the game is made anew.
    [
        pytest.param(which, marks=[pytest.mark.slow] if which not in ("setup", "placing") else [])
        for which in SCREENS
    ],
)
def test_ruse(golden, which):
    session, seen = reached(*SCREENS[which])
    lines = screen(session, seen)
    assert max(map(width_of, lines)) <= 100
    if SCREENS[which][0] == 2:
        assert len(lines) <= 39
    golden(f"table/ruse.{which}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("width", [40, 64, 80, 100])
def test_ruse_fits_any_width(width):
    session, _ = reached(*SCREENS["placing"])
    for viewer in (0, 1, SPECTATOR):
        for height in (24, 40, 200):
            lines = screen(session, session.observation(viewer), width, height)
            assert max(map(width_of, lines)) <= width


def test_a_spectator_reads_no_hand(golden):
    session, seen = reached(*SCREENS["placing"])
    hand = seen.zone(f"hand[{seen.name}]")
    assert hand is not None and hand.components
    others = "\n".join(screen(session, session.observation(SPECTATOR)))
    assert not any(f"{card.row} " in others for card in hand.components)


# ------------------------------------------------------------------------------------------ hints

SHOP = """
rulerun: 1
game: shop
players: 2
types:
  land: [hill, shore]
components:
  good:
    has: {price: 0..3, toll: 0..2 or none = none}
    rules: {gives: block}
    rows:
      wool: {price: 1, toll: 0, gives: coins += 1; step += 1}
      silk: {price: 3}
    state: {turn: 0..3}
    start: stall
  flag: {each: player, start: flags}
zones:
  visible: all
  stall: {of: good}
  flags[player]: {of: flag}
  good_at[land, 1..2]: {one: good}
  flag_on[good kind]: {one: flag}
  secret[land, 1..2]: {one: good, visible: none}
  heap[land]: {of: flag}
state:
  visible: all
  coins[player]: 0..99 = 4
  land_of[player]: land or none
  step_of[player]: 0..2
  step: 0..9
  storm: land or none
  luck: good kind or none
  share[player, land]: 0..9
setup:
  - move every g in stall if g is wool to good_at[hill, 2]
  - g.turn = 1 for g in good_at[hill, 2]
  - land_of[P1] = hill; step_of[P1] = 2; land_of[P2] = shore; storm = shore; luck = wool
  - share[P1, shore] = 2
  - move flag of P1 to flag_on[wool]; move every g in stall to secret[hill, 2]
  - move flag of P2 to heap[hill]
phases:
  play:
    for: you in players
    do:
      - choose: [sell]
        or: wait
actions:
  sell(land where, 1..3 price):
    hint: "[brings <price - 1> ]in <storm>; <10 // (price - 2)>"
    do:
      - coins += price
      - for: g in good_at[where, all]
        do: g.gives(); coins += g.price + (g.toll otherwise 0) if coins < 50
scoring:
  points(player p): coins[p]
view:
  headline: "Step <step>[ (<step>)][, storm at <storm>]"
  beside:
    good_at: [flag_on, secret, heap, storm, luck, [land_of, step_of]]
  formats: {good: "<name>: [for <price>][ toll <toll>][, gives <gives>]"}
  glyphs: {wool: {turn: [w, W, "ww", "WW"]}, luck: "*"}
"""


def shop() -> Session:
    return begin(written(SHOP), 1)


def test_what_is_beside_a_family_stands_where_it_belongs():
    session = shop()
    lines = screen(session, session.observation(0), height=100)
    start = next(at for at, line in enumerate(lines) if line.startswith("good at"))
    assert lines[0] == "Step 0, storm at shore"
    own = "wool wWwwWW: for 1 toll 0, gives coins += 1; step += 1"
    cells = [re.split("  +", line) for line in lines[start : start + 4]]
    assert cells == [
        ["good at", "2", "heap", "storm, …"],
        ["hill", f"{own} P1 s * P1", "flag of P2"],
        ["shore", ".", ".", "storm P2"],
        ["s silk", "* luck"],
    ]
    assert not lines[start - 1], "a head that has no room names what fits"


def test_a_hint_stands_behind_its_option():
    session = shop()
    hints = [action.hint for action in session.observation(0).actions]
    assert hints[:3] == ["in shore; -10", "brings 1 in shore; …", "brings 2 in shore; 10"]
    assert hints[-1] == ""
    assert "brings 1 in shore" not in session.observation(1).text()
    data = session.observation(0).data()
    assert isinstance(data["actions"], list)
    assert ["hint" in each for each in data["actions"] if isinstance(each, dict)][-1] is False


def test_options_that_differ_in_one_value_share_a_line():
    session = shop()
    menu = Menu(Labels(session.game), session.observation(0).actions)
    lines = menu.lines(100, Paint())
    heads = [line.strip().split("  ")[0] for line in lines]
    assert heads == [
        "sell hill",
        "c price 3 (brings 2 in shore; 10)",
        "sell shore",
        heads[1].replace("c", "f", 1),
        "g wait",
    ]
    # The prices are numbers: what stands before them is a letter.
    assert menu.find("sell hill 2")[0].label == "b"
    assert {each.label for each in menu.find("2")} == {"b", "e"}
    assert menu.lines(100, Paint(), 2)[-1].startswith("  … and 5 more")


@pytest.mark.parametrize("rows", range(2, 5))
def test_what_is_left_out_of_a_long_list_is_counted(rows):
    names = [f"{one}{two}" for one in "bcdfg" for two in ("an", "el", "it", "op", "ur", "yx")]
    goods = [f"{one}arrow" for one in "bcdfghjklm"]
    actions = "\n          ".join(f"{each}: n = 1" for each in names)
    rules = f"""
        rulerun: 1
        game: stall
        players: 1
        types:
          good: [{", ".join(goods)}]
        state: {{visible: all, n: 0..9}}
        actions:
          sell(good g): n = 1 if g is barrow else 2
          {actions}
        phases:
          trade:
            until: n > 0
            do:
              - choose: [{", ".join([*names, "sell"])}]
                by: player(0)
    """
    session = begin(written(rules), 1)
    menu = Menu(Labels(session.game), session.observation(0).actions)
    *lines, last = menu.lines(30, Paint(), rows)
    shown = sum(len(re.findall(r"(?<!\S)\d+ \w", line)) for line in lines)
    assert f" {len(names) + len(goods) - shown} more" in last


DICE = """
rulerun: 1
game: rolling
players: 2
visible: all
components:
  stone:
    rows: [smooth, rough, odd]
    state: {turn: 0..1}
    start: heap
zones:
  heap: {of: stone}
  row[player]: {of: stone}
state: {rounds: 0..9}
phases:
  play:
    turns: you in players
    until: rounds == 9
    do:
      - rounds += 1
      - choose:
          take(s in heap): s.turn = 1; move s to row
          wander(1..9 far, 1..3 high): pass
        also: [sing, shout, jump, hop, rest]
      - choose: s in row
        else: pass
        ask: Which of yours?
actions:
  sing: {do: pass}
  shout: {do: pass}
  jump: {do: pass}
  hop: {do: pass}
  rest: {do: pass}
view:
  glyphs: {smooth: ○, rough: {turn: [▲, ▼]}}
scoring: {winner: none}
"""


def test_what_names_a_piece_shows_how_it_is_drawn():
    session = begin(written(DICE), 1)
    names = Labels(session.game)
    layout = Layout(names, 100, Paint(), 40)
    menu = Menu(names, session.observation(0).actions, layout.glyphs)
    text = "\n".join(menu.lines(100, Paint()))
    assert "a smooth ○" in text and "rough ▲▼" in text
    assert "odd  " in text or "odd\n" in text, "without a glyph nothing stands there"
    assert menu.find("take smooth"), "it is no part of what is typed"
    assert menu.find("take smooth")[0].text == "take smooth"


def test_where_answers_are_numbers_nothing_stands_before_any():
    session = begin(game_named("shut_the_box"), 3)
    menu = Menu(Labels(session.game), session.observation(0).actions)
    starts = {len(line) - len(line.lstrip()) for line in menu.lines(40, Paint())}
    assert starts == {2}, "`8` and `1 + 7` begin in one column"
    assert [each.text for each in menu.find("8")] == ["8"]


def test_rare_answers_leave_room_for_what_is_asked():
    session = begin(written(DICE), 1)
    menu = Menu(Labels(session.game), session.observation(0).actions)
    assert len(menu.lines(60, Paint(), None)) > 8
    few = menu.lines(60, Paint(), 6)
    assert "more" in few[-1] and len(few) <= 7
    text = "\n".join(few)
    assert text.count("wander") >= 3 and "take" in text


def test_answers_move_together_before_any_is_left_out():
    session, seen = reached(*SCREENS["placing"])
    menu = Menu(Labels(session.game), seen.actions)
    whole = menu.lines(100, Paint())
    fewest = menu.fewest(100)
    assert fewest < len(whole)
    told = "\n".join(menu.lines(100, Paint(), fewest))
    assert all(re.search(rf"\b{entry.label} ", told) for entry in menu.shown)
    assert re.search(r"space  a \d  b \d", told), "what is typed for a number is none"


def test_an_automaton_does_not_sit_at_the_screen():
    out = io.StringIO()
    session = begin(ruse(1, 1), 5)
    keeper = Keeper(session.game, {}, 0)
    Sitting(session, Screen(io.StringIO(), out, width=100), keeper, lambda text: None).play()
    assert "The others look away" not in out.getvalue()
    assert "--- P1 ---" not in out.getvalue()


def test_what_tells_twins_apart_stands_apart():
    names = Labels(ruse(2))
    assert names.component("path_tile", "curve turn=0") == "curve └"
    assert names.component("path_tile", "curve turn=1") == "curve ┌"
    assert names.component("territory_tile", "food_1 used_by=none") == "food used by none"


def test_what_is_written_about_a_zone_stands_below_its_boards():
    game = game_from(
        """
rulerun: 1
game: patches
players: 2
boards: {patch: {shape: grid, rows: 2, columns: 2}}
components: {bean: {copies: 4, start: sack}}
zones:
  sack: {of: bean, visible: all}
  bed[player, patch]: {one: bean, visible: all}
phases:
  play:
    turns: you in players
    until: empty(sack)
    do:
      - choose: p in patch if bed[p] is none
        forced: take
        else: end game
      - move 1 from sack to bed[p]
words:
  zones: {bed: {name: bed, about: the gate is at the left}}
"""
    )
    session = Session(Reference(game), {}, 1)
    session.advance()
    lines = screen(session, session.observation(0), height=40)
    assert sum("bed: the gate is at the left" in line for line in lines) == 1


def test_a_word_that_is_no_piece_points_to_the_rules():
    session = begin(written(DICE), 1)
    names = Labels(session.game)

    def book(width: int, wanted: str) -> list[str]:
        return ["You wander."] if "wander" in wanted else []

    explainer = Explainer(session, names, 80, Paint(), book)
    assert explainer.components("wander")[-1] == "The rules tell of it: `rules wander`."
    assert explainer.components("smooth") == ["smooth"], "a piece answers for itself"
    assert explainer.components("plough") == ["Nothing here is called plough."]
    alone = Explainer(session, names, 80, Paint())
    assert alone.components("wander") == ["Nothing here is called wander."]
    menu = Menu(names, session.observation(0).actions)
    assert explainer.one(0, "wandering", menu)[-1].endswith("`rules wandering`.")


LONG = """
rulerun: 1
game: long_answers
players: 2
visible: all
components: {cub: {copies: 1, rows: [first, second, third], state: {age: 0..9}, start: den}}
zones: {den: {of: cub}}
state: {rounds: 0..9}
phases:
  play:
    turns: you in players
    until: rounds == 9
    do:
      - rounds += 1
      - choose: [grow, swap]
        also: [sing]
        done: enough
        times: any
actions:
  grow(c in den):
    when: c.age < 9
    hint: to the place behind the others, costs a great deal of food, brings <c.age> at the end
    do: c.age += 1
  swap(c in den): {do: c.age = 0}
  sing: {do: pass}
scoring: {winner: none}
"""


@pytest.mark.parametrize("rows", [3, 4, 5, 6, 7])
def test_what_is_cut_is_counted_and_never_half_an_answer(rows):
    session = begin(written(LONG), 1)
    menu = Menu(Labels(session.game), session.observation(0).actions)
    whole, few = menu.lines(60, Paint(), None), menu.lines(60, Paint(), rows)
    assert len(whole) > 7 and len(few) <= rows
    shown = [each for each in menu.shown if re.search(rf"(^|\s){each.label} ", "\n".join(few[:-1]))]
    told = re.search(r"and (\d+) more", few[-1])
    assert told and int(told[1]) == len(menu.shown) - len(shown) > 0
    assert "enough" in "\n".join(few), "the way out is never hidden"
    grown = "\n".join(few)
    assert grown.count("place behind") == grown.count("the end"), "each answer is whole"


def test_a_number_that_is_the_same_in_all_answers_is_left_out():
    session = begin(written(DECIDED), 5)
    menu = Menu(Labels(session.game), session.observation(0).actions)
    assert [each.text for each in menu.entries] == ["r1c1", "r1c2"]
    session.submit(0, "r1c2, 1")
    turned = Menu(Labels(session.game), session.observation(0).actions)
    assert [each.text for each in turned.entries] == ["r1c1, turn 1", "r1c1, turn 2"]


DECIDED = """
rulerun: 1
game: decided
players: 1
visible: all
boards:
  cell: {shape: grid, rows: 1, columns: 2, directions: orthogonal}
state:
  done: 0..3
phases:
  play:
    until: done == 2
    turns: you in players
    do:
      - choose: s in cell, turn in 1..2 if (done == 0 and turn == 1 or done == 1 and s is r1c1)
        ask: Where?
      - done += 1
"""


def test_zones_with_the_same_places_are_one_table_below_the_board():
    session = begin(written(PLANNED), 5)
    layout = Layout(Labels(session.game), 44, Paint(), 16)
    first = layout.lines(session.observation(0), session.log(0), 3)
    at = next(at for at, line in enumerate(first) if line.startswith("plan / done"))
    # Who has done nothing stands in a row of theirs all the same.
    assert [re.split(" {2,}", line) for line in first[at : at + 3]] == [
        ["plan / done", "go", "rest"],
        ["P2", "m 2, 3", "."],
        ["P1 (you)", "m 3 / m 1", "- / m 2"],
    ]
    # What stands on the board is another now; it stands above the table as before.
    session.submit(0, "there")
    later = layout.lines(session.observation(1), session.log(1), 3)
    places = [
        [at for at, line in enumerate(each) if line.startswith(start)]
        for each in (first, later)
        for start in ("here", "plan / done")
    ]
    assert places[:2] == places[2:] and places[0] < places[1]


PLANNED = """
rulerun: 1
game: planned
players: 2
visible: all
types:
  deed: [go, rest]
boards:
  place: {rows: [here, there], links: [{line: [here, there]}]}
components:
  marker: {each: player, rows: [m_1, m_2, m_3], start: tray}
  stone: {copies: 9, start: heap}
zones:
  tray[player]: {of: marker}
  heap: {of: stone}
  lying[place]: {of: stone}
  plan[player, deed]: {of: marker}
  done[player, deed]: {of: marker}
state:
  turns_left: 0..4 = 4
setup:
  - for: you in players
    do:
      - move every m in tray if m is m_3 to plan[go]
      - cases:
          you is P1:
            - move every m in tray if m is m_1 to done[go]
            - move every m in tray if m is m_2 to done[rest]
          else: move every m in tray if m is m_2 to plan[go]
phases:
  play:
    turns: you in players
    until: turns_left == 0
    do:
      - turns_left -= 1
      - choose: s in place
        ask: Where?
      - move 1 from heap to lying[s]
view:
  maps: {place: here ------------ there}
words:
  components: {marker: {rows: {m_1: m 1, m_2: m 2, m_3: m 3}}}
"""

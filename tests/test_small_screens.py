"""What a table shows, what it leaves out on a small screen, and texts with values in them."""

from __future__ import annotations

import functools

from tests.test_table import begin, written

from rulerun.session.session import Session
from rulerun.terminal.formatting import Paint, flow, width_of
from rulerun.terminal.layout import Layout
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator
from rulerun_dsl.load import load

RULES = """
rulerun: 1
game: burrow
title: The burrow
players: 2
visible: all
types:
  gift:
    has: {food: 0..9 = 0}
    rows: {little: {food: 1}, much: {food: 3}}
  land: [hill, shore]
boards:
  cell: {shape: grid, rows: 2, columns: 2, directions: orthogonal}
tables:
  gives[cell]: {type: gift or none, rows: {r1c1: little, r1c2: none, r2c1: much, r2c2: none}}
components:
  tile: {has: {bonus: 0..5}, rows: {t1: {bonus: 1}, t2: {bonus: 4}}, copies: 4, start: heap}
  goal: {has: {need: 1..9}, rows: {g1: {need: 2}, g2: {need: 3}}, start: goals}
  stone: {each: player, copies: 3, start: stones}
  die: {each: player, state: {face: 1..6}, start: cup}
zones:
  heap: {of: tile, order: random, visible: none}
  goals: {of: goal}
  stones[player]: {of: stone}
  cup[player]: {of: die}
  dug[player, cell]: {one: tile}
  sign[land, 1..2]: {one: tile}
state:
  food[player]: 0..99
  place_on[player, goal]: 0..4
  path[player, land]: 0..9
  asleep[player]: bool
  rounds: 0..9
setup:
  - move 1 from heap to sign[l, n] for l in land for n in 1..2
phases:
  play:
    until: rounds == 9
    phases:
      rolling:
        do:
          - rounds += 1
          - roll d.face for d in die
      digging:
        turns: you in players
        do:
          - choose: s in cell if dug[s] is none
            ask: Where do you dig?
          - move 1 from heap to dug[s] if not empty(heap)
          - food += gives[s].food otherwise 0
          - food += (the dug[s]).bonus if dug[s] is not none
          - choose: n in 1..3
            ask: How far do you go?
          - path[hill] = n
          - asleep = false
          - place_on[the lowest(g in goals by g.need)] = n if n == 3
scoring:
  points(player p): {food: "food[p] + count(stones[p])", rest: "1 if asleep[p] else 0"}
view:
  shows: {cell: gives}
  glyphs: {little: +, much: "#"}
  beside: {sign: path, goals: place_on}
  spares: stones
words:
  types: {gift: {rows: {little: "<this.food> [crumb|crumbs]", much: "<this.food> [crumb|crumbs]"}}}
  components:
    tile: {rows: {t1: "tunnel of <bonus>", t2: "tunnel of <bonus>"}}
    goal: {rows: {g1: {name: two, about: "Needs <need> [cell|cells], <gives[r1c1]>."}}}
  zones: {sign: {name: signs, about: They tell the way.}}
story:
  phases: {rolling: silent, digging: Into the ground}
  moves: {heap to dug: "<owner> [dig|digs] <what>."}
  values:
    die.face: "<owner> [see|sees] <value> [point|points]."
    food: silent
    path: silent
    rounds: silent
  choices: {cell: silent, number: "<player> [go|goes] <what>."}
"""


@functools.cache
def played(decisions: int = 4) -> Session:
    session = begin(written(RULES), 3)
    for _ in range(decisions):
        player = session.asked[0]
        legal = session.executor.legal(session.state, player)
        session.submit(player, legal[-1])
    return session


def table(height: int | None, *, whole: bool = False, width: int = 80) -> list[str]:
    session = played()
    layout = Layout(Labels(session.game), width, Paint(), height)
    return layout.lines(session.observation(0), session.log(0), 8, whole=whole)


def test_a_table_by_a_board_stands_on_its_empty_cells():
    text = "\n".join(table(None))
    # Both have dug at r2c2, where nothing is given.
    assert text.count("1  +   .") == 2 and "2  #   to" in text
    assert text.count("+ 1 crumb  # 3 crumbs") == 1, "one legend for both boards"


def test_pieces_and_players_stand_in_a_chart():
    lines = table(None)
    at = next(at for at, line in enumerate(lines) if line.startswith("goals"))
    assert [line.split() for line in lines[at : at + 3]] == [
        ["goals", "P1", "P2"],
        ["two", "2", "3", "3"],
        ["g2", "3", ".", "."],
    ]
    assert lines[0].endswith("P1  P2") and lines[1].endswith("3   3")
    assert lines[3].endswith("They tell the way.")


def test_what_nobody_has_is_no_column():
    text = "\n".join(table(None))
    assert "food" in text and "asleep" not in text and "path" not in text


def left_out(lines: list[str]) -> list[str]:
    said = " ".join(lines).partition("Left out here: ")[2].partition(" (`look`")[0]
    return [each for each in said.replace(" and ", ", ").split(", ") if each]


def test_a_small_screen_says_what_it_leaves_out():
    assert left_out(table(None)) == []
    found = [left_out(table(height, width=40)) for height in range(12, 40)]
    steps = [each for at, each in enumerate(found) if at == 0 or each != found[at - 1]]
    # The taller the screen, the less is left out; what can be spared is so first.
    assert steps[-1] == [] and steps[0] == ["dug P2", "stones", "what signs mean"]
    assert steps[1:-1] == [["stones", "what signs mean"], ["stones"]]
    assert left_out(table(12, width=30)) == ["the rest of P2", *steps[0]]
    # A legend is never gone without a word, and grows shorter before it goes.
    for height in range(12, 40):
        told = "\n".join(table(height, width=40))
        explained = "+ 1 crumb  # 3 crumbs" in told and "They tell the way." in told
        cut = "  …" in told
        assert (cut or not explained) == ("what signs mean" in left_out(table(height, width=40)))
    for height in range(12, 40):
        shown = "\n".join(table(height, width=40)).replace(
            "Left out here: the rest of P2, dug P2", ""
        )
        assert ("dug P2\n" in shown) != ("dug P2" in left_out(table(height, width=40)))
        assert left_out(table(height, whole=True, width=40)) == []


def test_an_item_keeps_room_for_what_stands_behind_it():
    lines = flow(["ten columns", "x"], 11, gap=", ")
    assert all(width_of(line) <= 11 for line in lines)


def test_texts_have_forms_values_and_names():
    names = Labels(written(RULES))
    assert names.word("little") == "1 crumb" and names.word("much") == "3 crumbs"
    assert names.component("tile", "t2") == "tunnel of 4"
    assert names.details("goal", "g1") == "Needs 2 cells, 1 crumb."


def test_the_story_has_attributes_headings_and_numbers():
    session = played()
    names = Labels(session.game)
    told = Narrator(names, "P1").tell(session.log(0))
    texts = [each.text for each in told]
    assert any(each.startswith("You see ") and "point" in each for each in texts)
    assert "Into the ground" in [each.text for each in told if each.style == "phase"]
    assert not any("olling" in each for each in texts)
    assert any("go 3" in each or "goes 3" in each for each in texts)


def codes(before: str, after: str) -> list[str]:
    assert before in RULES
    _, found = load(RULES.replace(before, after).encode(), "rules.yaml")
    loaded, _ = load(RULES.replace(before, after).encode(), "rules.yaml")
    more = loaded.game(2)[1] if loaded is not None else []
    return [each.code for each in (*found, *more)]


def test_what_is_wrong_in_them_is_found():
    assert codes("", "") == []
    assert "RR0402" in codes("die.face:", "die.fase:")
    assert "RR0402" in codes("{rolling: silent", "{roling: silent")
    assert "RR0402" in codes("spares: stones", "spares: stone_s")
    assert "RR0402" in codes("spares: stones", "spares: stones\n  forgets: [stones, dug_]")
    assert "RR0402" in codes("spares: stones", "spares: stones\n  forgets: rounds"), "a variable"
    assert "RR0402" in codes("shows: {cell: gives}", "shows: {cell: gifts}")
    assert "RR0402" in codes("<this.food>", "<this.fod>")

"""`view:` at the terminal table: maps that are true, cells, glyphs, colours, what is hidden."""

import pytest
from tests.rulesets import game_named, read
from tests.test_table import begin, lines_of, written

from rulerun.session.session import Session
from rulerun.terminal.formatting import Paint, width_of
from rulerun.terminal.layout import Layout
from rulerun.words.labels import Labels
from rulerun_dsl.model import SPECTATOR, Board, Game, Map
from rulerun_dsl.model.canonical_json import digest
from rulerun_dsl.source.resources import ruleset_path

ISLAND = {
    "three": (3, {}),
    "joined": (3, {"three_player_coast": "joined"}),
    "four": (4, {}),
}


def island(which: str) -> Game:
    path = ruleset_path("antler_island")
    assert path is not None
    players, options = ISLAND[which]
    game, found = read(path).game(players, options)
    assert game is not None, found
    return game


def played(game: Game, decisions: int) -> Session:
    """A session some random decisions later."""
    session = begin(game, 11, bots=dict.fromkeys(game.players[1:], "random"))
    for at in range(decisions):
        player = session.asked[0]
        actions = session.observation(player).actions
        session.submit(player, actions[at * 7 % len(actions)].id)
    return session


# ------------------------------------------------------------------------------ maps that are true

ENDS = {
    "─": "ew", "│": "ns", "┌": "es", "┐": "sw", "└": "en", "┘": "nw",
    "├": "ens", "┤": "nsw", "┬": "esw", "┴": "enw", "┼": "ensw",
}  # fmt: skip
STEPS = {"n": (-1, 0), "s": (1, 0), "e": (0, 1), "w": (0, -1)}
BACK = {"n": "s", "s": "n", "e": "w", "w": "e"}


def links_drawn(drawn: Map) -> set[frozenset[str]]:
    """The pairs of sites that the strokes of a map link: a stroke that forks links all its ends."""
    strokes: dict[tuple[int, int], str] = {}
    names: dict[tuple[int, int], str] = {}
    for row, pieces in enumerate(drawn.lines):
        column = 0
        for piece in pieces:
            for at, character in enumerate(piece.text):
                if piece.site is not None and at < len(piece.site):
                    names[row, column + at] = piece.site
                elif character in ENDS:
                    strokes[row, column + at] = character
            column += len(piece.text)
    found: set[frozenset[str]] = set()
    waiting = set(strokes)
    while waiting:
        group, ends = [waiting.pop()], set[str]()
        while group:
            place = group.pop()
            for way in ENDS[strokes[place]]:
                step = STEPS[way]
                there = place[0] + step[0], place[1] + step[1]
                if way in "ew" and there not in names and there not in strokes:
                    # A blank may part a name from its stroke.
                    there = there[0], there[1] + step[1]
                if there in names:
                    ends.add(names[there])
                    continue
                assert BACK[way] in ENDS.get(strokes.get(there, ""), ""), (place, way)
                if there in waiting:
                    waiting.discard(there)
                    group.append(there)
        found |= {frozenset((one, other)) for one in ends for other in ends if one != other}
    return found


def links_of(board: Board) -> set[frozenset[str]]:
    return {
        frozenset((site, board.sites[other]))
        for site, others in zip(board.sites, board.neighbours, strict=True)
        for other in others
    }


@pytest.mark.parametrize("which", ISLAND)
def test_the_island_is_drawn_as_it_is_linked(which):
    game = island(which)
    (drawn,) = game.view.maps
    (board,) = game.boards
    assert links_drawn(drawn) == links_of(board)


@pytest.mark.parametrize("which", ISLAND)
def test_the_island(golden, which):
    session = played(island(which), 23)
    golden(f"table/antler_island.{which}.txt", "\n".join(lines_of(session, 0)) + "\n")


def test_the_island_on_a_small_screen(golden):
    game = island("four")
    session = played(game, 23)
    layout = Layout(Labels(game), 80, Paint(True), 24)
    lines = layout.lines(session.observation(0), session.log(0))
    assert max(map(width_of, lines)) <= 80
    assert len(lines) <= 20
    golden("table/antler_island.small.txt", "\n".join(lines).replace("\x1b", "␛") + "\n")


@pytest.mark.parametrize("width", [40, 65, 72, 80, 100])
def test_the_island_fits_any_width(width):
    session = played(island("four"), 23)
    for viewer in (0, 1, SPECTATOR):
        lines = lines_of(session, viewer, width)
        assert max(map(width_of, lines)) <= width
        assert any("┬" in line for line in lines) == (width >= 71)
        assert any(line.strip().startswith("stags") for line in lines) == (width < 71)


# ------------------------------------------------------------------------------------------ cells

PAPER = """
rulerun: 1
game: paper
players: [ann, bob]
types:
  land: [moor, wood]
boards:
  place:
    has: {land: land, well: bool = false}
    rows: {north: [moor], south: [wood, true]}
    links:
      - {line: [north, south]}
components:
  cow: {copies: 30, start: byre}
  card:
    rows: {wolf: {}, lamb: {}}
    start: pile
  man: {each: player, copies: 2, state: {armed: bool}, start: home}
zones:
  visible: all
  byre: {of: cow}
  cows[place]: {of: cow}
  pile: {of: card, visible: none}
  cards[place]: {of: card, visible: none}
  home[player]: {of: man}
  men[place]: {of: man}
state:
  visible: all
  owner_of[place]: player or none
  grain[place, player]: 0..9
setup:
  - move 12 from byre to cows[north]
  - move 1 from byre to cows[south]
  - move all pile to cards[south]
  - move 1 from home[p] to men[north] for p in players
  - for: m in men[north]
    do: m.armed = true
  - owner_of[south] = bob
  - grain[south, ann] = 3
phases:
  play:
    do:
      - choose: s in place
        by: ann
      - grain[s, ann] += 1 if s.land is wood and s.well
      - owner_of[s] = none
"""

PAPER_VIEW = """
view:
  maps:
    place: |
      north ---------------- south
      "the north"
  shows: {place: [land, well]}
  glyphs: {moor: m, well: o, cow: C, card: "#", armed: "!", grain: g}
  colours: {moor: yellow, bob: red}
"""


def paper(view: str = PAPER_VIEW, width: int = 80) -> list[str]:
    return lines_of(begin(written(PAPER + view)), 0, width)


def test_what_lies_on_a_map():
    assert paper()[:4] == [
        "northm C12 Ann! Bob! - southo owner of Bob Ann:g3 C #?2",
        " the north",
        "m moor  o well  C cow  ! armed  g grain  # card  ? hidden",
        "",
    ]


def test_what_has_no_room_is_told_below():
    lines = paper(width=34)
    assert lines[0] == "northm C12 Ann! Bob! - southo…"
    assert lines[2:4] == ["south: owner of Bob, Ann: grain 3,", "  cow, card [?] x2"]


def test_a_value_without_signs_is_written_out():
    plain = PAPER_VIEW.replace("moor: m, ", "").replace("moor: yellow, ", "")
    assert paper(plain)[0].startswith("north moor C12")


def test_a_set_is_written_out_by_its_members():
    text = """
rulerun: 1
game: stops
players: 2
boards:
  stop:
    has:
      bus: set of stop
      days: set of 2..4
    rows: {east: [[west, south], [3, 4]], west: [[], []], south: [[], [2]]}
state:
  visible: all
  seen[stop]: bool
phases:
  play:
    do:
      - choose: s in east.bus
        by: P1
      - seen[s] = true if 3 in s.days
view:
  maps:
    stop: |
      east ------------------------ west ------ south
  shows: {stop: [bus, days]}
"""
    first = lines_of(begin(written(text)), 0, 80)[0]
    assert first == "east west, south 3, 4 ------- west ------ south 2"


def test_without_a_map_it_is_listed():
    lines = paper("")
    assert "           cards     south: [?] x2" in lines
    assert any("cows" in line for line in paper(width=40)) is False
    assert any("cows" in line for line in paper(width=25)) is True


def test_hidden_zones_are_not_shown():
    assert "home" in " ".join(paper())
    assert "home" not in " ".join(paper(PAPER_VIEW + "  hides: [home, owner_of]\n"))
    assert "owner" not in " ".join(paper(PAPER_VIEW + "  hides: [home, owner_of]\n"))


def test_colours_and_what_may_be_chosen():
    session = begin(written(PAPER + PAPER_VIEW))
    layout = Layout(Labels(session.game), 80, Paint(True))
    line = layout.lines(session.observation(0))[0]
    assert "\x1b[1;7;33mnorth\x1b[0m" in line
    assert "\x1b[1;31mBob\x1b[0m" in line
    watching = layout.lines(session.observation(1))[0]
    assert "\x1b[1;33mnorth\x1b[0m" in watching


def test_hints_are_no_part_of_the_rules():
    one, other = written(PAPER), written(PAPER + PAPER_VIEW)
    chapter = "\nchapter more:\n  when: count(players) == 2\n  view: {glyphs: {wood: w}}\n"
    more = written(PAPER + PAPER_VIEW + chapter)
    assert one.fingerprint == other.fingerprint == more.fingerprint
    assert digest(one) == digest(other) == digest(more)
    assert ("wood", "w") in more.view.glyphs


def test_the_zones_of_a_module_that_is_off_are_not_shown():
    for advanced in ("false", "true"):
        game = game_named("antler_island", 3, advanced_cubes=advanced)
        assert ("cubes" in game.view.hides) == (advanced == "false")

"""The terminal table: what it draws, what it tells, what it understands."""

import dataclasses
import io
import os
import re
import select
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from tests.rulesets import game_named

import rulerun
import rulerun_dsl
from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import Chance
from rulerun.session.agents import FirstAgent, RandomAgent
from rulerun.session.session import Session
from rulerun.terminal.board_grids import Shelves
from rulerun.terminal.ending import ending
from rulerun.terminal.formatting import (
    Paint,
    clip,
    flow,
    in_columns,
    pad,
    table,
    width_of,
    wrap,
)
from rulerun.terminal.layout import Layout
from rulerun.terminal.menu import Menu
from rulerun.terminal.save import Keeper
from rulerun.terminal.screen import Screen
from rulerun.terminal.script import read_script
from rulerun.terminal.sitting import Sitting
from rulerun.views.observation import Action, Told
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator
from rulerun.words.signs import codes
from rulerun_dsl.load import load
from rulerun_dsl.model import NO_WORDS, SPECTATOR, Game
from rulerun_dsl.source.resources import ruleset_path
from rulerun_dsl.source.safe_text import clean

EVERYTHING = """
rulerun: 1
game: everything
title: 王様 and everything
players: [ann, bob, cem]
types:
  season: [spring, autumn]
boards:
  field: {shape: grid, rows: 3, columns: 3, names: chess}
  comb: {shape: hex, rows: 3, columns: 3}
components:
  card:
    has: {value: 1..3, suit: season}
    rows:
      王子: {value: 3, suit: spring}
      jester: {value: 1, suit: autumn}
    copies: 7
    start: deck
  man:
    each: player
    start: box
    copies: 2
    state: {king: bool = false}
  die:
    start: cup
    state: {face: 1..6}
zones:
  deck: {of: card, order: stack, visible: none}
  hand[player]: {of: card, visible: owner}
  slot[player, season]: {of: card, visible: owner}
  line: {of: card, order: queue, visible: all}
  gone: {of: card, visible: none, count: none}
  box[player]: {of: man, visible: all}
  on[field]: {of: man, visible: all}
  cup: {of: die, visible: all}
state:
  visible: all
  price[season]: 0..9 = 4
  mark[comb]: player or none
  plan[player, season]: bool
  secret[player]: {type: 0..3 = 2, visible: owner}
  leader: player or none
setup:
  - move 2 from deck to hand[p] for p in players
  - move 1 from deck to slot[p, spring] for p in players
  - move 2 from deck to line
  - for: p in players
    do: move 1 from box[p] to on[first(s in field if empty(on[s]))]
phases:
  play:
    repeat: 2
    do:
      - roll d.face for d in cup
      - turns: you in players
        until: mark[first(comb)] is ann and leader is cem
        do:
          - choose:
              place(comb s): mark[s] = you
              plan(season s): plan[s] = true
            ask: What do you do?
          - leader = you
          - say: <you> has done it.
scoring:
  points(player p):
    cards: sum(c.value for c in hand[p] if c.suit is spring)
    plans: sum(price[s] for s in season if plan[p, s]) + secret[p]
    kings: count(m in man if m.king and m.owner == p) + sum(d.face for d in cup) + count(gone)
"""


@cache
def written(text: str, name: str = "rules.yaml") -> Game:
    loaded, found = load(text.encode(), name)
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    return game


def begin(
    game: Game,
    seed: int = 7,
    *,
    automatic: bool = True,
    bots: dict[str, str] | None = None,
) -> Session:
    agents = {"random": RandomAgent, "first": FirstAgent}
    seats = {game.players.index(name): agents[bot]() for name, bot in (bots or {}).items()}
    return Session(Reference(game), seats, seed, automatic=automatic)


def lines_of(session: Session, viewer: int, width: int = 80) -> list[str]:
    names = Labels(session.game)
    layout = Layout(names, width, Paint())
    return layout.lines(session.observation(viewer), session.log(viewer))


def sit(session: Session, typed: str, *, width: int = 80) -> tuple[int, str, str]:
    """Play with these lines typed; the exit code, the screen, the complaints."""
    output = io.StringIO()
    said: list[str] = []
    screen = Screen(io.StringIO(typed), output, width=width)
    keeper = Keeper(session.game, {}, session.seed)
    session.record_with(keeper)
    session.advance()
    code = Sitting(session, screen, keeper, said.append).play()
    return code, output.getvalue(), "\n".join(said)


# ------------------------------------------------------------------------------------------ text


def test_width_counts_columns():
    assert width_of("王子 7") == 6
    assert width_of("e\u0301") == 1
    assert pad("王", 4) == "王  "
    assert pad("7", 3, right=True) == "  7"
    assert clip("王子王子", 5) == "王子…"


def test_what_steers_a_terminal_is_shown():
    assert clean("a\x1b[31mb\nc") == "a␛[31mb c"


@pytest.mark.parametrize("width", [12, 20, 33, 80])
def test_lines_fit(width):
    text = "The 王子 goes from Applewood's hand to a_very_long_word_that_fits_nowhere_at_all."
    for line in [
        *wrap(text, width, first="* ", rest="  "),
        *flow(text.split(), width, first="hand  ", rest="      ", gap=", "),
        *in_columns(text.split(), width),
    ]:
        assert width_of(line) <= width


def test_flow_keeps_every_item():
    items = [f"item{number}" for number in range(30)]
    joined = " ".join(flow(items, 30, first="x ", rest="  ", gap=", "))
    assert re.findall(r"item\d+", joined) == items


def test_columns_are_read_downwards():
    assert in_columns(["1 a", "2 b", "3 c"], 12) == ["  1 a   3 c", "  2 b"]


def test_a_table_is_parted_where_it_is_too_wide():
    rows = [["", "first", "second"], ["ann", "1", "2"], ["bob", "3", "4"], ["cem", "5", "6"]]
    assert (
        table(rows, 14)
        == [
            "     first",
            "ann      1",
            "bob      3",
            "cem      5",
            "     second",
            "ann       2",
            "bob       4",
            "cem       6",
        ]
        or max(map(width_of, table(rows, 14))) <= 14
    )


def test_codes_are_short_and_different():
    texts = ["white man", "white king", "black man", "white", "wolf"]
    found = codes(texts, 2)
    assert len(set(found.values())) == len(texts)
    assert codes(["x", "o"], 1) == {"x": "x", "o": "o"}
    assert codes(["wolf"], 1, {"wolf": "🐺"}) == {"wolf": "🐺"}


def test_blocks_stand_side_by_side():
    first = {"first": ["ab", "c"], "second": ["d"]}
    assert Shelves(20).set(first) == ["ab    d", "c"]
    assert Shelves(3).set({"first": ["ab"], "second": ["d"]}) == ["ab", "d"]


def test_a_block_stands_below_one_beside_a_taller_one():
    blocks = {"board": ["#" * 9] * 6, "goals": ["goals", "one"], "tracks": ["t" * 20] * 3}
    assert Shelves(40).set(blocks) == [
        "#########    goals",
        "#########    one",
        "#########    tttttttttttttttttttt",
        "#########    tttttttttttttttttttt",
        "#########    tttttttttttttttttttt",
        "#########",
    ]


def test_a_block_keeps_its_place():
    shelves = Shelves(20)
    assert shelves.set({"first": ["a" * 9], "second": ["b"]}) == ["aaaaaaaaa    b"]
    # Once it was too wide, what was beside it stays below.
    shelves.set({"first": ["a" * 18], "second": ["b"]})
    shelves.keep()
    assert shelves.set({"first": ["a" * 9], "second": ["b"]}) == ["aaaaaaaaa", "b"]
    assert shelves.set({"first": ["a"], "second": ["b"]}) == ["a", "b"]


# ---------------------------------------------------------------------------------------- layout


def everything() -> Session:
    session = begin(written(EVERYTHING))
    session.submit(0, "place(r1c2)")
    session.submit(1, "plan(autumn)")
    return session


@pytest.mark.parametrize(("viewer", "name"), [(0, "ann"), (2, "cem"), (SPECTATOR, "spectator")])
def test_everything_is_laid_out(golden, viewer, name):
    lines = lines_of(everything(), viewer)
    golden(f"table/everything.{name}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("width", [40, 60, 100])
def test_it_fits_any_width(width):
    for viewer in (0, 1, 2, SPECTATOR):
        for line in lines_of(everything(), viewer, width):
            assert width_of(line) <= width, line


def test_a_board_too_wide_is_listed():
    lines = lines_of(begin(game_named("tic_tac_toe")), 0, 9)
    assert lines == ["b… -"]


def test_only_zones_in_use_are_shown():
    session = begin(game_named("brave_rats"))
    assert not [line for line in lines_of(session, 0) if "pile" in line or "line" in line]
    session = begin(game_named("brave_rats", hand_size="3"))
    assert [line for line in lines_of(session, 0) if "pile" in line]


def test_the_viewer_is_last():
    lines = lines_of(begin(game_named("brave_rats")), 0)
    heads = [line.split()[0] for line in lines if line.startswith(("Applewood", "Yarg"))]
    assert heads[-2:] == ["Applewood", "Yarg"]


def test_what_was_chosen_in_secret_is_not_drawn():
    screens = []
    for card in ("prince", "spy"):
        session = begin(game_named("brave_rats"))
        session.submit(0, card)
        screens.append(lines_of(session, 1))
    assert screens[0] == screens[1]


def test_glyphs_of_the_rules_file():
    path = ruleset_path("tic_tac_toe")
    assert path is not None
    text = path.read_text(encoding="utf-8") + "\nview: {glyphs: {x: ╳, o: ◯}}\n"
    session = begin(written(text))
    session.submit(0, "r2c2")
    assert lines_of(session, 0)[3].split() == ["2", ".", "╳", "."]


# --------------------------------------------------------------------------------------- telling


def told(word: str, **what: object) -> Told:
    return Told(word, "as the rules say it", what)


def tell(*events: Told, viewer: str = "yarg") -> list[str]:
    """Brave Rats as the narrator tells it of itself: its own words are left out."""
    game = game_named("brave_rats")
    view = dataclasses.replace(game.view, hides=())
    plain = dataclasses.replace(game, words=NO_WORDS, view=view)
    return [each.text for each in Narrator(Labels(plain), viewer).tell(events)]


def move(component: str | None, source: str, target: str) -> Told:
    what: dict[str, object] = {"kind": "card", "from": source, "to": target}
    return told("move", **what, **({"component": component} if component else {}))


def test_moves_are_told_to_the_viewer():
    assert tell(move("prince", "hand[yarg]", "line[yarg]")) == [
        "The prince 7 goes from your hand to your line."
    ]
    assert tell(move(None, "pile[applewood]", "hand[applewood]")) == [
        "A card goes from Applewood's pile to their hand."
    ]
    assert tell(move(None, "pack", "packet[yarg]"), move(None, "pack", "packet[yarg]")) == [
        "2 cards go from the pack to your packet."
    ]
    assert tell(move("spy", "pack", "pack")) == []


REFILLS = """
rulerun: 1
game: refills
players: [ann, bob]
components:
  card: {rows: {a: {copies: 2}, b: {}, c: {}, d: {}, e: {}}, start: discard}
zones:
  deck: {of: card, visible: none, refill: discard, %s}
  discard: {of: card, visible: all}
  hand[player]: {of: card, visible: owner}
phases:
  play:
    for: you in players
    do:
      - choose: {draw: pass, wait: pass}
      - move all hand[p] to discard for p in players
      - move 4 from deck to hand
"""


@pytest.mark.parametrize("order", ["order: random", "order: stack, reshuffle: true"])
def test_a_pile_that_runs_out_in_the_middle_of_a_move_is_refilled_in_one_sentence(order):
    session = begin(written(REFILLS % order))
    session.advance()
    for player in (0, 1):
        session.submit(player, "draw")
        session.advance()
    narrator = Narrator(Labels(session.game), "bob")
    said = [each.text for each in narrator.tell(session.log(1))]
    began = said.index("You choose draw.")
    shuffled = ["The deck is shuffled."] * ("stack" in order)
    drawn = r"2 cards go from the deck to your hand: .*"
    refilled = r"4 cards go from the discard to the deck: .*"
    wanted = [r"4 cards go from Ann's hand to the discard: .*", drawn, refilled, *shuffled, drawn]
    assert len(said[began + 1 :]) == len(wanted)
    assert all(re.fullmatch(*each) for each in zip(wanted, said[began + 1 :], strict=True)), said


def test_a_card_that_is_played_is_told_once():
    choice = told("choose", player="yarg", action="prince")
    assert tell(choice, move("prince", "hand[yarg]", "line[yarg]")) == [
        "The prince 7 goes from your hand to your line."
    ]
    assert tell(choice, viewer="applewood") == ["Yarg chooses prince 7."]


def test_values_are_gathered():
    events = [
        told("set", name="won[yarg]", value="1"),
        told("set", name="bonus[yarg]", value="0"),
        told("set", name="bonus[applewood]", value="0"),
        told("set", name="spying", value="none"),
        told("set", name="won[yarg]", value="2"),
    ]
    assert tell(*events) == [
        "Bonus is now 0 for you and Applewood; spying is now nobody; won is now 2 for you."
    ]


def test_phases_are_told_when_they_change():
    match = told("phase", phase="the_match", path=["the_match"])
    battle = told("phase", phase="battle", path=["the_match", "battle"])
    assert tell(match, battle, battle) == ["as the rules say it"]


def test_other_events():
    assert tell(told("roll", name="die", value="4")) == ["4 is rolled (die)."]
    assert tell(told("pick", name="opener", value="yarg")) == ["Yarg is drawn by lot (opener)."]
    show = told("show", kind="card", count=1, to=["yarg"], components=["spy"], zones=["pack"])
    assert tell(show) == ["Spy 2 shown to you."]
    assert tell(told("something new")) == ["As the rules say it."]
    assert tell(told("undo", player="yarg", action="prince")) == ["You take back prince 7."]


# ------------------------------------------------------------------------------------------ menu


def menu(name: str, *texts: str) -> Menu:
    game = game_named(name)
    found = []
    for text in texts:
        action = actions.parse(game, text)
        assert action is not None
        found.append(Action(action, text, actions.sentence(game, action)))
    return Menu(Labels(game), found)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("b", ["princess"]),
        # A number in the words is no label: that is a letter then.
        ("2", ["spy"]),
        ("7", ["prince"]),
        ("prince", ["prince"]),
        ("Prince 7", ["prince"]),
        ("princ", ["prince", "princess"]),
        ("S", ["spy"]),
        ("x", []),
        ("", []),
        ("9", []),
    ],
)
def test_answers_are_understood(answer, texts):
    found = menu("brave_rats", "prince", "princess", "spy").find(answer)
    assert [entry.action.text for entry in found] == texts


def test_numbers_name_themselves():
    bids = menu("goofspiel", "3", "5", "13")
    assert [entry.label for entry in bids.entries] == ["3", "5", "13"]
    assert [entry.action.text for entry in bids.find("3")] == ["3"]
    assert not bids.find("1")


def test_a_long_list_is_cut():
    moves = menu("tic_tac_toe", *(f"r{row}c{column}" for row in "123" for column in "123"))
    lines = moves.lines(14, Paint(), rows=2)
    assert len(lines) == 3
    assert lines[-1].startswith("  … and ")
    assert len(moves.lines(14, Paint(), None)) == 9


# --------------------------------------------------------------------------------------- sitting

TRANSCRIPTS = {
    "brave_rats": ("brave_rats", {"applewood": "random"}, "?\na\nspy\nlog\nundo\nfoo\nmus\n"),
    "hot_seat": ("brave_rats", {}, "prince\nhelp\ncards\nmusician\n? prince\nundo\nlook\n"),
    "tic_tac_toe": ("tic_tac_toe", {}, "r2c2\n1\nundo\nundo x\n2\nr3c3\nr1\nlist\nr1c3\n4\n7\n"),
    "pig": ("pig", {"P2": "first"}, "roll\nroll\nstop\n?\n"),
    "kuhn_poker": ("kuhn_poker", {"P2": "random"}, "bet\n"),
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts(golden, name):
    ruleset, bots, typed = TRANSCRIPTS[name]
    code, screen, said = sit(begin(game_named(ruleset), bots=bots), typed)
    golden(f"table/{name}.txt", f"{screen}\n[{code}] {said}\n")
    assert "\x1b" not in screen
    for line in screen.splitlines():
        assert width_of(line) <= 80, line


def test_hot_seat_shows_nobody_what_is_not_theirs():
    """All that is written after the hand-over is the same whatever the first has chosen."""
    parts = []
    for card in ("prince", "spy"):
        _, screen, _ = sit(begin(game_named("brave_rats")), f"{card}\n?\nlog\nlook\nundo\n")
        parts.append(screen.split("---------- Applewood ----------")[1])
    assert parts[0] == parts[1]
    assert "prince" in parts[0]


def test_an_open_game_needs_no_hand_over():
    _, screen, _ = sit(begin(game_named("tic_tac_toe")), "r1c1\nr1c2\n")
    assert "----------" not in screen


def test_the_input_ends():
    code, _, said = sit(begin(game_named("brave_rats"), bots={"applewood": "random"}), "prince\n")
    assert code == 2
    assert "the input ended" in said
    assert "--record" in said


def test_save_and_quit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = begin(game_named("brave_rats"), automatic=False, bots={"applewood": "random"})
    code, screen, _ = sit(session, "prince\nsave\nsave here.jsonl\nspy\nsave here.jsonl\nquit\n")
    assert code == 0
    assert "rulerun play --resume brave_rats-1.jsonl" in screen
    assert Path("brave_rats-1.jsonl").read_bytes().count(b"\n") == 4
    # From there on it is kept in the second file.
    assert Path("here.jsonl").read_bytes().count(b"\n") > 4


def test_a_file_that_exists_is_not_overwritten(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("mine")
    _, screen, _ = sit(begin(game_named("tic_tac_toe")), f"save {path}\nquit\n")
    assert "there is such a file already" in " ".join(screen.split())
    assert path.read_text() == "mine"


def test_an_action_may_be_called_like_a_command():
    rules = """
rulerun: 1
game: names
title: Names
players: [a, b]
state: {visible: all, n: 0..9}
phases:
  play:
    turns: you in players
    until: n > 3
    do:
      - choose:
          quit: n += 1
          logs: n += 2
"""
    session = begin(written(rules), bots={"b": "first"})
    code, screen, _ = sit(session, "quit\nlog\n:quit\n")
    assert code == 0
    assert session.decisions == 2
    assert "You choose quit." in screen


def test_a_rule_error_changes_nothing():
    rules = """
rulerun: 1
game: fails
title: Fails
players: [a, b]
state: {visible: all, n: 0..3}
phases:
  play:
    turns: you in players
    until: n == 3
    do:
      - choose:
          more: n += 2
          less: n -= 1
"""
    session = begin(written(rules, "fails.yaml"))
    code, screen, said = sit(session, "less\nmore\nmore\nquit\n")
    assert code == 0
    assert session.decisions == 1
    assert said.count("fails.yaml") >= 2
    assert "nothing has changed" in screen


def test_the_colours_go_where_a_terminal_is():
    output = io.StringIO()
    session = begin(game_named("brave_rats"), bots={"applewood": "random"})
    screen = Screen(io.StringIO("prince\n"), output, color=True)
    Sitting(session, screen, Keeper(session.game, {}, 7), lambda text: None).play()
    painted = output.getvalue()
    _, plain, _ = sit(begin(game_named("brave_rats"), bots={"applewood": "random"}), "prince\n")
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted).split() == plain.split()


# ---------------------------------------------------------------------------------------- script


def test_scripts_are_read():
    game = game_named("brave_rats")
    script = read_script("\ufeff# all\n prince # mine\n\napplewood: spy\nchance: 4\n", game)
    assert [(each.line, each.by, each.text) for each in script] == [
        (2, None, "prince"),
        (4, "applewood", "spy"),
        (5, "chance", "4"),
    ]


# -------------------------------------------------------------------------------------- terminal


@dataclasses.dataclass
class Terminal:
    """A terminal, as the program that runs on it knows it, from the other side."""

    keyboard: int
    process: subprocess.Popen[bytes]
    shown: str = ""
    """All that was written, with what moves the cursor."""

    def until(self, text: str) -> str:
        """Wait until a text is written; all that was written since the last time."""
        seen = ""
        while text not in seen:
            ready, _, _ = select.select([self.keyboard], [], [], 30)
            assert ready, seen
            seen += os.read(self.keyboard, 65536).decode("utf-8", "replace")
        self.shown += seen
        return seen

    def type(self, text: str, until: str) -> str:
        os.write(self.keyboard, text.encode() + b"\n")
        return self.until(until)

    def end(self) -> str:
        """Wait until it is over; what was still written."""
        seen = b""
        with suppress(OSError):
            while select.select([self.keyboard], [], [], 30)[0]:
                if not (part := os.read(self.keyboard, 65536)):
                    break
                seen += part
        self.shown += seen.decode("utf-8", "replace")
        return seen.decode("utf-8", "replace")

    def interrupt(self) -> str:
        """Press Ctrl-C, and again if it came before the program began to wait for a line.

        Python notes a signal and looks at the note when a wait is over: one that comes between
        the prompt and the wait is seen at the next key.
        """
        for _ in range(30):
            self.process.send_signal(signal.SIGINT)
            if select.select([self.keyboard], [], [], 1)[0]:
                break
        return self.end()

    @property
    def standing(self) -> str:
        """What stands on the screen, or has scrolled away and can be read."""
        return self.shown.rpartition(CLEAR)[2]


CLEAR = "\x1b[H\x1b[2J\x1b[3J"
HANDED = "Applewood, press Enter: "


@pytest.fixture
def terminal():
    """`brave_rats` for two at one terminal."""
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")
    keyboard, screen = pty.openpty()
    roots = {str(Path(package.__file__ or "").parent.parent) for package in (rulerun, rulerun_dsl)}
    environment = {
        **{key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")},
        "PYTHONPATH": os.pathsep.join(sorted(roots)),
        "TERM": "xterm-256color",
    }
    arguments = ["play", "brave_rats", "--seat", "all=human", "--seed", "7"]
    with subprocess.Popen(
        [sys.executable, "-m", "rulerun", *arguments],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=environment,
        close_fds=True,
        start_new_session=True,
    ) as process:
        os.close(screen)
        yield Terminal(keyboard, process)
        process.kill()
    os.close(keyboard)


def test_a_terminal_is_cleared_between_two_people(terminal):
    terminal.until("Yarg, press Enter: ")
    assert CLEAR in terminal.type("", "Yarg> ")
    assert "prince 7" in terminal.standing
    terminal.type("prince", HANDED)
    assert "prince" not in terminal.standing
    terminal.type("", "Applewood> ")
    assert "prince 7 goes" not in terminal.standing
    terminal.type("quit", "not saved")
    terminal.type("quit", CLEAR)
    terminal.end()
    assert terminal.standing.strip() == ""
    assert terminal.process.wait(30) == 0


def test_only_an_empty_line_hands_over(terminal):
    """Nothing else that is typed there shows what is the next player's, nor what was the last's."""
    terminal.until("Yarg, press Enter: ")
    for typed in ("help", "undo", "prince", "1", "?", "log", "look", "list", "cards", " ", ":undo"):
        terminal.type(typed, "Yarg, press Enter: ")
        assert "prince 7" not in terminal.standing, typed
    terminal.type("", "Yarg> ")
    terminal.type("prince", HANDED)
    for typed in ("help", "?", "prince", "1", "log", "look", "quit", "undo yarg now"):
        if typed.startswith("undo"):
            # Taken back: it is for Yarg to look again, and for nobody else.
            terminal.type(typed, "Yarg, press Enter: ")
        else:
            terminal.type(typed, "press Enter: ")
        assert "prince 7" not in terminal.standing, typed
    terminal.type("", "Yarg> ")
    assert "prince 7" in terminal.standing


def test_who_takes_back_for_another_does_not_see_their_hand(terminal):
    terminal.until("Yarg, press Enter: ")
    terminal.type("", "Yarg> ")
    terminal.type("prince", HANDED)
    terminal.type("", "Applewood> ")
    terminal.type("undo yarg", "Yarg, press Enter: ")
    assert "prince" not in terminal.standing


def test_what_was_typed_before_the_hand_over_does_not_hand_over(terminal):
    terminal.until("Yarg, press Enter: ")
    terminal.type("", "Yarg> ")
    terminal.type("prince\n\n", HANDED)
    assert not select.select([terminal.keyboard], [], [], 1)[0]
    assert "prince" not in terminal.standing


def test_an_interrupt_leaves_no_hand_on_the_screen(terminal):
    terminal.until("Yarg, press Enter: ")
    terminal.type("", "Yarg> ")
    assert "interrupted" in terminal.interrupt()
    assert "prince" not in terminal.standing
    assert terminal.process.wait(30) == 130


def test_chance_is_drawn_from_the_seed():
    """A play at the table is the same play as any other of its seed."""
    first, second = begin(game_named("pig"), seed=11), begin(game_named("pig"), seed=11)
    sit(first, "roll\n" * 5)
    for _ in range(5):
        second.submit(second.asked[0], "roll")
    drawn = [point.text for point in first.history if isinstance(point.given, Chance)]
    assert drawn == [point.text for point in second.history if isinstance(point.given, Chance)]


KNOWN = """
rulerun: 1
game: pile
players: [ann, bob]
components:
  tree: {rows: {oak: {}, elm: {copies: 3}, fir: {}}, start: box}
zones:
  box: {of: tree, visible: all}
  pile: {of: tree, order: stack, visible: none}
setup:
  - move every t in box if t is elm to pile
  - move t to pile for t in box
phases:
  play:
    do:
      - choose:
          stop: pass
        by: ann
"""


def test_what_is_known_of_a_pile_is_said_by_its_places() -> None:
    text = " ".join(lines_of(begin(written(KNOWN)), 0))
    assert "pile fir on top oak 2nd elm 3rd elm 4th elm 5th (from memory)" in " ".join(text.split())


def test_what_people_are_to_remember_is_not_said() -> None:
    text = " ".join(lines_of(begin(written(KNOWN + "view: {forgets: pile}\n")), 0))
    assert "[?] x5" in text and "known" not in text


ALONE = """
rulerun: 1
game: alone
players: [ann, bob]
state: {visible: all, n: 0..9}
phases:
  play:
    do:
      - {choose: {open: n = 1}, by: ann}
      - {choose: {left: n = 2, right: n = 3}, by: ann}
"""


@pytest.mark.parametrize("typed", ["open", "op"])
def test_the_answer_to_a_question_that_was_not_asked_is_none_to_the_next(typed) -> None:
    session = begin(written(ALONE), bots={"bob": "first"})
    code, screen, said = sit(session, f"{typed}\nright\n")
    assert code == 0 and not said
    assert "(Only open is possible.)" in screen
    assert "open was the only one possible and is done. This is the next question." in screen
    assert [each.value for each in session.observation(0).variables] == [3]


def test_what_is_gone_is_refused_by_the_name_of_the_zone() -> None:
    session = begin(game_named("brave_rats"), bots={"applewood": "first"})
    _, screen, _ = sit(session, "general\ngeneral\n? general\n")
    assert "No: that is not in your hand. (`?` says what you can do.)" in screen
    assert "general 6: that is not in your hand" in screen


RACE = """
rulerun: 1
game: race
players: [ann, bob, cem]
state:
  visible: all
  run[player]: 0..9
phases:
  play:
    do:
      - run[ann] = 2; run[bob] = 9; run[cem] = 5
scoring:
  points(player p): run[p]
  winner: bob
"""


@pytest.mark.parametrize(
    ("winner", "places"),
    [("bob", ["Bob 1 9", "Cem 2 5", "Ann 3 2"]), ("cem", ["Ann 2", "Bob 9", "Cem 5"])],
)
def test_who_wins_by_a_rule_of_its_own_leaves_the_others_their_points(winner, places) -> None:
    """Where points cannot have decided who wins, nobody has a place by them."""
    session = begin(written(RACE.replace("winner: bob", f"winner: {winner}")))
    result = session.observation(SPECTATOR).result
    assert result is not None
    rows = ending(result, Labels(session.game), 80, Paint())
    assert [" ".join(row.split()) for row in rows[-3:]] == places

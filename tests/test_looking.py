"""What somebody at a terminal is shown, and when: nothing scrolls away unseen."""

from __future__ import annotations

import io
import itertools
import random

import pytest
from tests.rulesets import game_named
from tests.test_charts import ruse, until
from tests.test_table import begin

from rulerun.session.session import Session
from rulerun.terminal.formatting import Paint
from rulerun.terminal.layout import Layout
from rulerun.terminal.looking import Looking
from rulerun.terminal.save import Keeper
from rulerun.terminal.screen import Screen
from rulerun.terminal.sitting import Sitting
from rulerun.words.labels import Labels
from rulerun_dsl.model import Game

WAITS = ("Enter: the table. ", "Enter: the question. ", "back to the game. ", "Or your answer: ")


class Tty(io.StringIO):
    """A terminal, as far as a screen can tell."""

    def isatty(self) -> bool:
        return True


class Keyboard(Tty):
    """Somebody who types. What was written since the last answer is a view."""

    def __init__(self, out: Tty, answers: list[str]) -> None:
        super().__init__()
        self.out = out
        self.answers = answers
        self.views: list[list[str]] = []
        self.waits: tuple[str, ...] = WAITS

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # as StringIO
        written = self.out.getvalue()
        self.out.truncate(0)
        self.out.seek(0)
        self.views.append(written.split("\n"))
        if written.endswith(self.waits):
            return "\n"
        return f"{self.answers.pop(0)}\n" if self.answers else ""


def sat(
    monkeypatch,
    game: Game,
    answers: list[str],
    rows: int,
    bots: dict[str, str],
    waits: tuple[str, ...] = WAITS,
) -> list[list[str]]:
    """What stood on a screen of so many rows before each answer."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", str(rows))
    out = Tty()
    keyboard = Keyboard(out, answers)
    keyboard.waits = waits
    screen = Screen(keyboard, out)
    session = begin(game, 5, bots=bots)
    screen.say("Title", "  help")
    Sitting(session, screen, Keeper(game, {}, 0), lambda _: None).play()
    return keyboard.views


@pytest.mark.parametrize("rows", [24, 40])
def test_nothing_scrolls_away_unseen(monkeypatch, rows):
    chosen = random.Random(rows)
    words = ["look", "?", "list", "rules dice", "cards", "log"]
    answers = [
        chosen.choice(["1", "2", "3", "a", "b", "d", chosen.choice(words)]) for _ in range(150)
    ]
    views = sat(monkeypatch, ruse(2), answers, rows, {"P2": "random"})
    assert len(views) > 150
    assert max(map(len, views)) <= rows


def test_what_is_typed_below_the_first_answers_is_the_answer(monkeypatch):
    views = sat(monkeypatch, ruse(2), ["1", "d", "1"], 8, {"P2": "random"}, WAITS[:3])
    asked = next(at for at, each in enumerate(views) if each[-1].endswith(WAITS[3]))
    assert any("1 " in line for line in views[asked])
    told = "\n".join(views[asked + 1])
    assert "P1> d\n" in told and "* You send the 5 to the forest." in told


def test_the_table_is_shown_once_a_turn(monkeypatch):
    """In the middle of a turn what was told is enough; a place to choose needs the board."""
    views = sat(monkeypatch, ruse(2), ["1", "a"] * 60, 40, {"P2": "random"})
    told = ["\n".join(each) for each in views if each[-1] == "P1> "]
    for text in told:
        shown = "common objectives" in text
        if "You roll a" in text or "Where do you lay" in text:
            assert shown, text
        if "How many spaces" in text:
            assert not shown, text
    assert sum("How many spaces" in text for text in told) > 1


def test_the_table_is_shown_at_each_turn_against_an_automaton(monkeypatch):
    """Nobody else decides there; a round that begins has it as well."""
    views = sat(monkeypatch, ruse(1, 1), ["1", "a"] * 40, 40, {})
    told = ["\n".join(each) for each in views if each[-1] == "P1> "]
    asked = [text for text in told if "Where do you send" in text and "Do you mean" not in text]
    shown = ["common objectives" in text for text in asked]
    # But where something else was asked in the same turn, for the number of destiny.
    assert sum(shown) > 5
    assert all(
        "You roll a" not in text for text, table in zip(asked, shown, strict=True) if not table
    )


def test_a_short_table_is_shown_at_each_question(monkeypatch):
    game = game_named("tic_tac_toe")
    views = sat(monkeypatch, game, ["r1c1", "r1c2", "r1c3"], 40, {})
    assert all(any("1  " in line for line in each) for each in views[:3])


def test_the_table_comes_again_when_much_was_told_or_others_decided(monkeypatch):
    monkeypatch.setenv("LINES", "40")
    session = begin(ruse(2), 5)
    until(session, "How many spaces")
    player = session.asked[0]
    screen = Screen(Tty(), Tty(), width=100)
    looking = Looking(session, screen, Layout(Labels(session.game), 100, Paint(), 40))
    assert looking.due(player, 4)
    assert looking.due(player, 4) == []
    assert looking.due(1 - player, 4) and looking.due(player, 4)
    looking.hear(20)
    assert looking.due(player, 4) == []
    looking.hear(1)
    assert looking.due(player, 4)
    looking.forget()
    assert looking.due(player, 4)


def screens_of(session: Session, layout: Layout, count: int) -> list[list[str]]:
    """Tables for the first player, in the course of a play."""
    chosen = random.Random(2)
    found = []
    for _ in range(count):
        if not session.asked:
            break
        player = session.asked[0]
        if player == 0:
            found.append(layout.lines(session.observation(0), session.log(0)))
        session.submit(player, chosen.choice(session.executor.legal(session.state, player)))
    return found


def test_the_form_stays():
    """What was left out once stays out, and what stands beside something goes on to do so."""
    session = begin(ruse(2), 5)
    layout = Layout(Labels(session.game), 100, Paint(), 40)
    tables = screens_of(session, layout, 200)
    left = [
        " ".join(each).partition("Left out here: ")[2].partition(" (`look`")[0] for each in tables
    ]
    left = [each.replace(" and ", ", ") for each in left]
    beside = [each[1].split("  ")[0] for each in tables]
    assert set(beside) == {"den P1"}
    for before, now in itertools.pairwise(left):
        assert {*before.split(", ")} - {""} <= {*now.split(", ")}


def test_a_question_that_needs_more_room_shortens_the_table_this_once():
    session = begin(ruse(2), 5)
    until(session, "Where do you send")
    layout = Layout(Labels(session.game), 100, Paint(), 40)
    seen, log = session.observation(0), session.log(0)
    usual = layout.lines(seen, log, 4)
    short = layout.lines(seen, log, 14)
    assert len(short) <= 40 - 14 - 2 < len(usual)
    assert "den P2  " in "\n".join(usual) and "den P2  " not in "\n".join(short)
    assert layout.lines(seen, log, 4) == usual


def test_what_a_rival_has_stays_in_sight():
    """With two players at 100 columns and 40 rows, whatever has been done."""
    session = begin(ruse(2), 5)
    layout = Layout(Labels(session.game), 100, Paint(), 40)
    for each in screens_of(session, layout, 200):
        text = "\n".join(each)
        if "Before the first" in text:
            continue
        assert "den P2  " in text and "\nP2  " in text
        assert text.count("cubs (value/space)") == 2
        assert "objectives done" not in text or "(else -" not in text.partition("done: ")[2][:9]


def test_leaving_is_warned_of_again_when_the_game_has_gone_on(monkeypatch):
    answers = ["1", "quit", "1", "quit", "quit", "1"]
    views = sat(monkeypatch, game_named("tic_tac_toe"), answers, 40, {"o": "random"})
    warned = ["not saved" in "\n".join(view) for view in views]
    assert answers == ["1"], "the second of two leaves"
    assert warned == [False, False, True, False, True]

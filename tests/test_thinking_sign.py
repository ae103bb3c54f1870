"""Who waits for a bot sees that it thinks, and nothing of that stays."""

from __future__ import annotations

import io
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.rulesets import game_named

from rulerun.reference.executor import Reference
from rulerun.runtime.rng import Stream
from rulerun.session.session import Session
from rulerun.terminal.save import Keeper
from rulerun.terminal.screen import Screen
from rulerun.terminal.sitting import Sitting
from rulerun.views.observation import Observation
from rulerun_dsl.model import Game


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


class Slow:
    """A bot that thinks until its sign has been seen, or for a test that fails, long enough."""

    blind = False

    def __init__(self, out: io.StringIO, waits: bool) -> None:
        self.out, self.waits = out, waits
        self.seen: list[str] = []

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        until = monotonic() + 30
        before = len(self.out.getvalue())
        while self.waits and "thinking" not in self.out.getvalue()[before:]:
            assert monotonic() < until, "there is no sign"
            sleep(0.01)
        self.seen.append(self.out.getvalue()[before:])
        return legal[0]


def sat(game: Game, out: io.StringIO, answers: str, path: Path | None = None) -> list[str]:
    """What was written while the bot of the second player thought."""
    bot = Slow(out, out.isatty())
    screen = Screen(io.StringIO(answers), out)
    keeper = Keeper(game, {}, 0)
    if path is not None:
        keeper.save(path)
    session = Session(Reference(game), {1: bot}, 0, keeper, automatic=False)
    Sitting(session, screen, keeper, lambda _: None).play()
    keeper.close()
    return bot.seen


def test_a_terminal_says_who_thinks_and_wipes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    out = Tty()
    seen = sat(game_named("tic_tac_toe"), out, "1\n")
    assert seen and all(each.endswith("\r\x1b[KO is thinking …") for each in seen)
    assert out.getvalue().count("\r\x1b[K") == 2 * len(seen), "each is wiped"


def test_a_terminal_without_codes_has_it_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out = Tty()
    sat(game_named("tic_tac_toe"), out, "1\n")
    sign = "O is thinking …"
    assert f"\r{sign}\r{' ' * len(sign)}\r" in out.getvalue()
    assert "\x1b" not in out.getvalue()


def test_a_pipe_and_a_record_have_nothing_of_it(tmp_path: Path) -> None:
    out = io.StringIO()
    path = tmp_path / "game.jsonl"
    assert sat(game_named("tic_tac_toe"), out, "1\n2\n", path)
    assert "thinking" not in out.getvalue() and "\r" not in out.getvalue()
    assert "think" not in path.read_text(encoding="utf-8")


def test_inside_a_together_nobody_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    seen = sat(game_named("brave_rats"), Tty(), "1\n")
    assert seen and all(each.endswith("\r\x1b[KThe others are thinking …") for each in seen)

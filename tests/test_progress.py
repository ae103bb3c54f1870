"""The bar on a terminal: how far it has come, and how long the rest takes."""

from __future__ import annotations

import io
import sys
import time

import pytest

from rulerun.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def terminal_of(patch: pytest.MonkeyPatch) -> Terminal:
    """Standard error, from now on: what a fixture sets is pytest's again in the test."""
    terminal = Terminal()
    patch.setattr(sys, "stderr", terminal)
    return terminal


def shown(terminal: Terminal) -> str:
    return terminal.getvalue().rpartition("\r")[2].partition("] ")[2].rstrip()


def test_it_says_how_long_the_rest_takes(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    bar = Progress(200, "games")
    bar.at(1, 200, "games")
    assert terminal.getvalue() == ""
    clock.now += 0.5
    bar.at(5, 200, "games")
    assert shown(terminal) == "5/200 games"
    clock.now += 9.5
    bar.at(20, 200, "games")
    assert shown(terminal) == "20/200, 1 min 30 s left: games"
    clock.now += 1
    bar.at(200, 200, "games")
    assert shown(terminal) == "200/200 games"


def test_nothing_follows_from_what_was_there_before(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = terminal_of(monkeypatch)
    bar = Progress(200, "games")
    bar.begin(100)
    clock.now += 10
    bar.at(110, 200, "games")
    assert shown(terminal) == "110/200, 1 min 30 s left: games"


def test_what_begins_anew_is_told_by_itself(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    bar = Progress(10, "positions")
    clock.now += 100
    bar.at(10, 10, "positions")
    bar.at(0, 50, "rounds")
    clock.now += 10
    bar.at(10, 50, "rounds")
    assert shown(terminal) == "10/50, 40 s left: rounds"


def test_only_a_terminal_is_told(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    bar = Progress(10, "games")
    clock.now += 100
    bar.at(5, 10, "games")
    assert plain.getvalue() == ""

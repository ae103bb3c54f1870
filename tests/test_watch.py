"""`rulerun watch`: what is told of a rules file, and what of it has changed."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from rulerun.cli import main
from rulerun.cli import watch as module
from rulerun.cli.watch import Look, look, told


@pytest.fixture
def game(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "raid", "--kind", "dice", "--players", "2"]) == 0
    capsys.readouterr()
    return Path("raid.yaml")


def lines(now: Look, before: Look | None = None) -> list[str]:
    return list(told(now, before, color=False))[1:]


def test_a_look_says_what_is_so(game):
    now = look(game, None, 20)
    said = lines(now)
    assert said[0] == "scenarios: 2 passed, 0 failed"
    assert [line.split("  ")[-2].strip() for line in said[1:]] == [
        "decisions",
        "P1 wins",
        "P2 wins",
    ]
    assert lines(now, now) == said, "what is the same was not otherwise"
    assert now.files == (Path("raid.yaml"), Path("raid.test.yaml"))


def test_a_changed_rule_is_seen_in_scenarios_and_games(game):
    before = look(game, None, 30)
    text = game.read_text(encoding="utf-8")
    game.write_text(text.replace("default: 20", "default: 40").replace("face == 1", "face == 3"))
    now = look(game, None, 30)
    said = lines(now, before)
    assert "  fails now: ONE" in said
    assert any("decisions" in line and "(was " in line for line in said)
    assert "  passes again: ONE" in lines(before, now)


def test_a_broken_file_is_told_and_the_games_before_are_kept(game):
    before = look(game, None, 10)
    game.write_text(game.read_text(encoding="utf-8").replace("reset loot", "reset lot"))
    now = look(game, None, 10)
    said = lines(now, before)
    assert "did you mean `loot`?" in said[0] and not now.numbers


def test_it_waits_for_the_file(game, monkeypatch):
    monkeypatch.setattr(module, "_EACH", 0.01)
    waiting = threading.Thread(target=module.wait, args=((game,),), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    later = time.time() + 5
    os.utime(game, (later, later))
    waiting.join(20)
    assert not waiting.is_alive()

"""`rulerun watch`: what is told of a rules file, and what of it has changed."""

from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path

import pytest

from rulerun.cli import main
from rulerun.cli import watch as module
from rulerun.cli.watch import Look, look, told
from rulerun_dsl import load as loading


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    monkeypatch.setenv("RULERUN_CACHE", "off")


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


def test_the_rules_of_a_look_are_read_once(game, monkeypatch):
    read = []
    whole = loading.read_document

    def noted(source):
        read.append(source)
        return whole(source)

    monkeypatch.setattr(loading, "read_document", noted)
    assert look(game, None, 20).scenarios
    assert [source.name for source in read] == ["raid.yaml"]


def test_scenarios_are_run_by_the_rules_that_they_name(game):
    other = game.with_name("other.yaml")
    other.write_text(game.read_text(encoding="utf-8").replace("face == 1", "face == 3"))
    scenarios = game.with_name("raid.test.yaml")
    said = scenarios.read_text(encoding="utf-8")
    scenarios.write_text("ruleset: other.yaml\n" + said, encoding="utf-8")
    assert look(game, None, 0).scenarios == {"ONE": False, "TWO": False}


BROKEN = """\
rulerun: 1
game: broken
players: 2
state:
  visible: all
  score[player]: 0..5
phases:
  play:
    turns: you in players
    until: any(score[p] == 9 for p in players)
    do:
      - choose:
          take: score += 1
          wait: score += 0
scoring:
  points(player p): score[p]
"""


def test_games_that_break_off_are_told_as_validate_and_simulate_tell_them(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    path = Path("broken.yaml")
    path.write_text(BROKEN, encoding="utf-8")
    now = look(path, None, 20)
    said = "\n".join(told(now, None, color=False))
    assert "1 error, 1 warning" in said and "no problems" not in said
    assert "error[RR0904]: score would be 6" in said and "take: score += 1\n   |  " in said
    assert "warning[RR0724]" in said and "= help: widen the range" in said
    assert "20 games stopped by a rule error" in said
    assert "RR0904 in 20 games: score would be 6; it is 0..5" in said
    assert "to see it: rulerun simulate broken.yaml -n 1" in said
    assert "Rules that did not run, in 20 games" in said
    assert "broken.yaml:10: `any(score[p] == 9 for p in players)` was never true" in said
    assert "wins" not in said and "games that end by" not in said, "none of them ended"
    assert not list(tmp_path.glob("*.jsonl")), "it writes nothing down"
    main(["simulate", "broken.yaml", "-n", "20"])
    assert (
        "written down in broken-range-0.jsonl; to see it: rulerun replay" in capsys.readouterr().out
    )
    assert (tmp_path / "broken-range-0.jsonl").exists()


def test_games_that_ended_are_counted_without_those_that_did_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("broken.yaml")
    path.write_text(BROKEN.replace("== 9", "== 5").replace("+= 0", "-= 1"), encoding="utf-8")
    now = look(path, None, 40)
    stopped = re.search(r"^  failed +(\d+) games? stopped", now.odd, re.MULTILINE)
    assert stopped is not None and 0 < int(stopped[1]) < 40 and now.numbers


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

"""`rulerun new`: each template is a game that is right, plays to its end, and passes its tests."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from rulerun.cli import main
from rulerun.cli.new import KINDS
from rulerun.reference.executor import Reference
from rulerun.scenario.runner import run_scenarios
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator
from rulerun_dsl.load import load
from rulerun_dsl.model import SPECTATOR
from rulerun_dsl.source.resources import shipped


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_every_kind_has_its_template():
    folder = shipped("rulesets") / "templates"
    names = {path.name.partition(".")[0] for path in folder.glob("*.yaml.in")}
    assert names == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_game_is_right(kind, capsys):
    assert main(["new", "night_fair", "--kind", kind]) == 0
    assert "rulerun play night_fair.yaml" in capsys.readouterr().out
    text = Path("night_fair.yaml").read_text(encoding="utf-8")
    assert "game: night_fair\ntitle: Night fair\n" in text
    assert not {"GAME", "TITLE", "PLAYERS"} & set(text.split())
    assert main(["validate", "--strict", "--play", "0", "night_fair.yaml"]) == 0
    capsys.readouterr()
    results = run_scenarios(Path("night_fair.test.yaml"))
    assert main(["fmt", "--check", "night_fair.yaml", "night_fair.test.yaml"]) == 0
    assert len(results) == 2 and not any(each.diagnostics for each in results)
    loaded, _ = load(Path("night_fair.yaml"))
    assert loaded is not None and "\nkind: " in text
    low, high = loaded.outline.player_range
    for count in (low, high):
        game, found = loaded.game(count)
        assert game is not None and not found
        seats = {player: RandomAgent() for player in range(count)}
        for seed in range(3):
            session = Session(Reference(game), seats, seed)
            assert session.over and session.fault is None and not session.truncated
            told = " ".join(
                each.text for each in Narrator(Labels(game), "").tell(session.log(SPECTATOR))
            )
            # A sentence that nobody wrote is a clumsy one.
            assert told and not re.search(r" is now | goes? from | choose", told), told


def test_an_answer_says_once_what_is_printed(monkeypatch, capsys):
    """A hint with what a format shows anyway would say it twice: `ruby (red 4): (red 4)`."""
    assert main(["new", "fair", "--kind", "cards"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("?\nquit\nquit\n"))
    assert main(["play", "fair.yaml", "--seed", "3", "--seat", "P2=random"]) == 0
    answers = re.findall(r"^  \d take (\w+) (.*)$", capsys.readouterr().out, re.M)
    assert answers and all(said.count(")") == said.count("take") + 1 for _, said in answers)


@pytest.mark.parametrize(
    ("kind", "players"), [("cards", "6"), ("dice", "1..20"), ("board", "6"), ("simultaneous", "20")]
)
def test_how_many_play_can_be_said(kind, players):
    assert main(["new", "fair", "--kind", kind, "--players", players]) == 0
    assert f"\nplayers: {players}\n" in Path("fair.yaml").read_text(encoding="utf-8")
    assert main(["validate", "--play", "2000", "fair.yaml"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_of_a_new_game_is_tried(kind, capsys):
    """Who begins is not told of settings that random play did not get to."""
    assert main(["new", "fair", "--kind", kind]) == 0
    capsys.readouterr()
    assert main(["validate", "fair.yaml"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("no problems found")


def test_nothing_is_written_over(capsys):
    Path("fair.yaml").write_text("mine", encoding="utf-8")
    assert main(["new", "fair"]) == 2
    assert "there is a file `fair.yaml` already" in capsys.readouterr().err
    assert Path("fair.yaml").read_text(encoding="utf-8") == "mine"
    assert not Path("fair.test.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["night fair"], "such as `night_fair`"),
        (["3"], "such as `my_game`"),
        (["../fair"], "such as `fair`"),
        (["fair", "--players", "0..4"], "a number from 1 to 6"),
        (["fair", "--kind", "dice", "--players", "many"], "a number from 1 to 20"),
        (["fair", "--kind", "chess"], "cards"),
    ],
)
def test_what_is_no_name_or_number(arguments, said, capsys):
    assert main(["new", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(Path().iterdir())

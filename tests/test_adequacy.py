"""How much of the rules scenarios hold: what they reach, which changes they notice."""

from __future__ import annotations

import json

import pytest

from rulerun.cli import main

RULES = """\
rulerun: 1
game: raid
players: 2
options:
  goal: {type: 1..30, default: 3}
  lucky: {type: bool, default: false}
components:
  card:
    has: {value: 1..9}
    rows: {thief: 2, baron: 5}
    start: deck
zones:
  deck: {of: card, visible: all}
  hand[player]: {of: card, visible: all}
state:
  visible: all
  gold[player]: 0..30
setup:
  - move thief to hand[P1]
  - move baron to hand[P2]
phases:
  play:
    turns: you in players
    until: any(gold[p] >= goal for p in players)
    do:
      - choose:
          rob:
            when: not rich(you)
            do: gold += worth(you)
          rest: pass
      - gold += 1 if lucky
functions:
  worth(player p): sum(c.value for c in hand[p])
  rich(player p): gold[p] > 20
scoring:
  points(player p): gold[p]
"""

SCENARIOS = """\
scenarios:
  - id: ROB-1
    title: A thief robs two
    do:
      - P1: rob
    expect:
      - gold[P1] == 2
  - id: ROB-2
    title: The baron ends it
    given: {"gold[P1]": 1}
    enter: play
    do:
      - P1: rob
    waiting: []
"""


@pytest.fixture
def raid(tmp_path, monkeypatch, capsys):
    """Run the command in a folder with a game."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raid.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "raid.test.yaml").write_text(SCENARIOS, encoding="utf-8")

    def run(*arguments):
        code = main(["test", "raid.yaml", *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_coverage_names_what_no_scenario_reaches(raid):
    code, out, _ = raid("--coverage")
    assert code == 0
    assert out.splitlines()[0] == "raid.test.yaml: 2 passed"
    assert "  raid.yaml:30: `rest` was never chosen" in out
    assert "never ran" not in out, "it is in no game of theirs"


def test_set_up_counts_for_what_begins_behind_it(raid):
    _, out, _ = raid("--coverage", "-k", "ROB-2")
    assert "move thief" not in out
    assert "raid.yaml" in out


def test_coverage_as_data_is_the_same_by_several_processes(raid):
    told = json.loads(raid("--coverage", "--format", "json")[1])
    (file,) = told["files"]
    assert file["passed"] == 2
    assert file["coverage"]["functions"] == {"of": 2, "evaluated": 2, "never": []}
    assert json.loads(raid("--coverage", "--format", "json", "--jobs", 2)[1]) == told


def test_what_is_refused_is_refused_for_the_same_reason_where_rules_are_counted(raid, tmp_path):
    text = """\
  - id: RICH
    given: {"gold[P1]": 21}
    options: {goal: 30}
    enter: play
    do:
      - refuse: {P1: rob, because: rich}
"""
    path = tmp_path / "raid.test.yaml"
    path.write_text(SCENARIOS + text, encoding="utf-8")
    assert raid()[0] == raid("--coverage")[0] == 0


def test_annotations_have_no_place_for_coverage(raid):
    code, _, err = raid("--coverage", "--format", "junit")
    assert code == 2 and "--format text or json" in err


def test_what_failed_last_time_runs_alone(raid, tmp_path, monkeypatch):
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "kept"))
    assert "nothing failed in the last run" in raid("--last-failed")[2]
    path = tmp_path / "raid.test.yaml"
    path.write_text(SCENARIOS.replace("== 2", "== 3"), encoding="utf-8")
    assert raid()[0] == 1
    assert raid("--last-failed")[2] == "0 passed, 1 failed, in 1 files\n"
    path.write_text(SCENARIOS, encoding="utf-8")
    assert raid("--last-failed")[2] == "1 passed, 0 failed, in 1 files\n"
    assert "2 passed" in raid("--last-failed")[2]


def test_several_processes_find_the_same(raid, tmp_path):
    (tmp_path / "raid.test.yaml").write_text(SCENARIOS.replace("== 2", "== 3"), encoding="utf-8")
    assert raid("--jobs", 1) == raid("--jobs", 2)
    assert raid("--jobs", 2)[0] == 1


def test_results_go_to_a_file(raid, tmp_path):
    code, out, err = raid("--format", "json", "--output", "found.json", "--quiet")
    assert (code, out, err) == (0, "", "")
    assert json.loads((tmp_path / "found.json").read_text("utf-8"))["files"][0]["passed"] == 2
    code, _, err = raid("--output", tmp_path / "no" / "such")
    assert code == 2 and "cannot be written" in err


def test_watching_runs_again_when_a_file_was_saved(raid, tmp_path, monkeypatch):
    from rulerun.cli import watch

    seen = []

    def saved(files):
        seen.append([each.name for each in files])
        if len(seen) == 2:
            raise KeyboardInterrupt
        (tmp_path / "raid.yaml").write_text(RULES.replace("thief: 2", "thief: 3"), "utf-8")

    monkeypatch.setattr(watch, "wait", saved)
    code, out, _ = raid("--watch")
    assert code == 130
    assert seen[0] == ["raid.test.yaml", "raid.yaml"]
    assert out.startswith("raid.test.yaml: 2 passed\n") and "1 passed, 1 failed" in out

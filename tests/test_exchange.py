"""Findings in the formats of other programs, what a project says of itself, and baselines."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from rulerun.cli import main
from rulerun_dsl.diagnostics.exchange import fingerprints
from rulerun_dsl.load import load

WRONG = """rulerun: 1
game: lucky
players: 2
state:
  visible: all
  score[player]: 0..20
phases:
  play:
    turns: you in players
    until: any(scores[p] >= 20 for p in players)
    do: score += 1
scoring:
  winner: all_highest(p in players by scores[p])
"""
RIGHT = WRONG.replace("scores", "score")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    (tmp_path / ".git").mkdir()
    (tmp_path / "rulesets").mkdir()
    (tmp_path / "rulesets" / "lucky.yaml").write_text(WRONG, encoding="utf-8")
    return tmp_path


def validate(*arguments: str) -> int:
    return main(["validate", "--play", "0", *arguments])


def findings(text: str):
    loaded, found = load(text.encode(), "lucky.yaml")
    return found if loaded is None else loaded.game()[1]


def test_sarif(capsys):
    assert validate("--format", "sarif") == 1
    run = json.loads(capsys.readouterr().out)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["RR0402"]
    assert "## Why" in rules[0]["help"]["markdown"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "rulesets/lucky.yaml"
        region = place["region"]
        line = WRONG.splitlines()[region["startLine"] - 1]
        assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "scores"
        (fix,) = result["fixes"]
        (change,) = fix["artifactChanges"]
        assert change["artifactLocation"] == place["artifactLocation"]
        assert change["replacements"] == [
            {"deletedRegion": region, "insertedContent": {"text": "score"}}
        ]
        assert fix["properties"] == {"safe": True} and fix["description"]["text"]
    marks = {each["partialFingerprints"]["rulerun/v1"] for each in run["results"]}
    assert len(marks) == len(run["results"]) == 2


def test_gitlab(capsys):
    assert validate("--format", "gitlab") == 1
    found = json.loads(capsys.readouterr().out)
    assert {each["severity"] for each in found} == {"major"}
    assert {each["location"]["path"] for each in found} == {"rulesets/lucky.yaml"}
    assert len({each["fingerprint"] for each in found}) == 2


def test_junit(capsys):
    Path("rulesets/right.yaml").write_text(RIGHT.replace("lucky", "right"), encoding="utf-8")
    assert validate("--format", "junit") == 1
    suite = ElementTree.fromstring(capsys.readouterr().out)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = {case.get("name"): case for case in suite}
    assert len(cases["rulesets/lucky.yaml"]) == 2 and not len(cases["rulesets/right.yaml"])
    assert "did you mean `score`?" in (cases["rulesets/lucky.yaml"][0].text or "")


def test_github_is_found_by_itself(monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert validate() == 1
    assert capsys.readouterr().out.startswith("::error title=RR0402")
    assert validate("--format", "text") == 1
    assert capsys.readouterr().out.startswith("error[RR0402]")


def test_a_fingerprint_stays_when_lines_move():
    path = str
    before = fingerprints(findings(WRONG), path)
    after = fingerprints(findings("# a comment\n\n" + WRONG), path)
    assert before == after and len(set(before)) == len(before)
    other = fingerprints(findings(WRONG.replace(">= 20", ">= 19")), path)
    assert before[0] != other[0] and before[1] == other[1]


def test_output_quiet_and_statistics(capsys):
    assert validate("--output", "found.json", "--format", "json", "--statistics", "-q") == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err == (
        "    2 RR0402 A name is declared nowhere\n    2 to mend by `rulerun fix`\n"
    )
    assert len(json.loads(Path("found.json").read_text(encoding="utf-8"))["diagnostics"]) == 2
    assert validate("--output", "no/such/folder.json") == 2


def test_a_baseline_knows_what_was_there(capsys):
    assert validate("--write-baseline", "known.json") == 0, "all that is found is known now"
    assert validate("--baseline", "known.json") == 0
    assert "(2 known before)" in capsys.readouterr().err
    path = Path("rulesets/lucky.yaml")
    path.write_text(WRONG.replace("do: score", "do: scroe"), encoding="utf-8")
    assert validate("--baseline", "known.json") == 1
    assert capsys.readouterr().out.count("error[") == 1
    Path("known.json").write_text("{}", encoding="utf-8")
    assert validate("--baseline", "known.json") == 2
    assert "is no baseline" in capsys.readouterr().err


def test_what_is_no_rules_file_is_no_error(capsys):
    Path("rulesets/workflow.yml").write_text("on: [push]\njobs: {}\n", encoding="utf-8")
    Path("rulesets/lucky.yaml").write_text(RIGHT, encoding="utf-8")
    assert validate("rulesets") == 0
    assert "no rules, so not looked at: rulesets/workflow.yml" in capsys.readouterr().err
    assert validate("rulesets/workflow.yml") == 1, "what is named is looked at"
    Path("rulesets/odd.yaml").write_text("rulerum: 1\nplayers: 2\n", encoding="utf-8")
    assert validate("rulesets") == 1, "a head that is misspelt is no way out"


@pytest.mark.parametrize("name", ["rulerun.toml", "pyproject.toml"])
def test_a_project_says_what_counts(name, capsys):
    head = "[tool.rulerun]\n" if name == "pyproject.toml" else ""
    table = "[tool.rulerun." if head else "["
    Path("drafts").mkdir()
    Path("drafts/odd.yaml").write_text(WRONG, encoding="utf-8")
    text = f'{head}paths = ["drafts", "rulesets"]\nexclude = ["drafts/"]\n'
    text += f'{table}severity]\nRR0402 = "warning"\n'
    Path(name).write_text(text, encoding="utf-8")
    assert validate() == 0
    said = capsys.readouterr()
    assert said.out.count("warning[RR0402]") == 2 and "drafts" not in said.out
    assert validate("drafts/odd.yaml", "--strict") == 1, "what is named is looked at"
    capsys.readouterr()
    Path(name).write_text(f'{text}{table}ignore]\n"rulesets/*" = ["RR0402"]\n', encoding="utf-8")
    assert validate() == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("path = []", "did you mean `paths`?"),
        ("paths = 3", "takes a list of texts"),
        ("[severity]\nRR9999 = 'off'", "there is no finding `RR9999`"),
        ("[severity]\nRR0402 = 'loud'", "error, warning, info or off"),
        ("[ignore]\n'a' = ['RR1']", "there is no finding `RR1`"),
        ("baseline = []", "takes the name of a file"),
        ("paths = [", "cannot be read"),
        ("severity = 3", "takes names with values"),
    ],
)
def test_what_a_project_cannot_say(text, said, capsys):
    Path("rulerun.toml").write_text(text, encoding="utf-8")
    assert validate() == 2
    assert said in capsys.readouterr().err

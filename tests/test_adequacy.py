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


def test_a_line_of_two_statements_that_never_ran_is_named_once(raid, tmp_path):
    moves = "rest:\n            do: move 1 from hand[p] to deck for p in players"
    rules = RULES.replace("rest: pass", moves)
    (tmp_path / "raid.yaml").write_text(rules, encoding="utf-8")
    _, out, _ = raid("--coverage", "-k", "ROB-2")
    named = [line for line in out.splitlines() if "never ran" in line]
    assert len(named) == len(set(named)) == 1


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
    assert raid("--last-failed")[2] == "0 passed, 1 failed, in 1 file\n"
    path.write_text(SCENARIOS, encoding="utf-8")
    assert raid("--last-failed")[2] == "1 passed, 0 failed, in 1 file\n"
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


# ------------------------------------------------------------------------- what nobody notices


def unnoticed(out):
    return [line.partition(": nobody")[0] for line in out.splitlines() if ": nobody" in line]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def kept(shared, monkeypatch):
    """What one of these tests has found another one need not find."""
    monkeypatch.setenv("RULERUN_CACHE", str(shared))


def test_changes_that_nobody_notices_are_named(raid, kept):
    code, out, _ = raid("--mutate")
    found = unnoticed(out)
    assert code == 1
    assert "raid.yaml:34:29: number `20`, written `21`" in found
    assert "raid.yaml:10:29: number `5`, written `6`" in found
    assert not [line for line in found if line.startswith("raid.yaml:10:19")], "ROB-1 pins it"
    assert not [line for line in found if "number `3`" in line], "ROB-2 pins the goal"
    assert "  condition  4 of 5" in out


def test_a_scenario_more_pins_a_number(raid, tmp_path, monkeypatch):
    """And of what nobody noticed before only that scenario is run: the rest stands."""
    from rulerun.scenario.runner import Runner

    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "kept"))
    first = unnoticed(raid("--mutate", "--jobs", 1)[1])
    ran = []
    real = Runner.ran

    def noted(self, one):
        ran.append(one.id)
        return real(self, one)

    monkeypatch.setattr(Runner, "ran", noted)
    assert unnoticed(raid("--mutate", "--jobs", 1)[1]) == first and ran == []
    more = """\
  - id: RICH
    given: {"gold[P1]": 21}
    options: {goal: 30}
    enter: play
    do:
      - refuse: {P1: rob, because: rich}
  - id: NOT-RICH
    given: {"gold[P1]": 20}
    options: {goal: 30}
    enter: play
    do:
      - P1: rob
    expect:
      - gold[P1] == 22
"""
    (tmp_path / "raid.test.yaml").write_text(SCENARIOS + more, encoding="utf-8")
    found = unnoticed(raid("--mutate", "--jobs", 1)[1])
    assert set(ran) == {"RICH", "NOT-RICH"}
    pinned = set(first) - set(found)
    assert "raid.yaml:34:27: condition `>`, written `>=`" in pinned
    assert "raid.yaml:34:29: number `20`, written `21`" in pinned
    assert set(found) < set(first)


def test_several_processes_notice_the_same_and_data_say_it(raid, kept, monkeypatch):
    asked = ("--mutate", "--format", "json", "--sample", 6, "--jobs")
    told = json.loads(raid(*asked, 1)[1])
    monkeypatch.setenv("RULERUN_CACHE", "off")
    assert told == json.loads(raid(*asked, 2)[1])
    (file,) = told["files"]
    assert (file["tried"] + file["no_game"], file["file"]) == (6, "raid.test.yaml")
    assert len(file["unnoticed"]) == file["tried"] - file["noticed"] > 0
    assert {"kind", "file", "line", "old", "new", "scenarios"} < set(file["unnoticed"][0])


def test_a_sample_is_drawn_by_its_seed(raid, kept):
    def chosen(*arguments):
        data = json.loads(raid("--mutate", "--format", "json", "--sample", 6, *arguments)[1])
        return data["files"][0]

    assert chosen() == chosen("--seed", 0)
    assert chosen()["tried"] + chosen()["no_game"] == 6
    assert chosen("--seed", 1) != chosen("--seed", 2)


@pytest.mark.parametrize(
    ("rules", "scenarios"),
    [
        (RULES, SCENARIOS.replace("== 2", "== 3")),
        (RULES.replace("thief: 2", "thief: oh"), SCENARIOS),
        (RULES, SCENARIOS.replace("scenarios:", "scenario:")),
    ],
)
def test_what_fails_already_is_no_measure(raid, tmp_path, rules, scenarios):
    (tmp_path / "raid.yaml").write_text(rules, encoding="utf-8")
    (tmp_path / "raid.test.yaml").write_text(scenarios, encoding="utf-8")
    code, out, err = raid("--mutate")
    assert (code, out) == (1, "") and "must pass first" in err


def test_what_does_not_go_together_is_wrong_usage(raid):
    for wrong in (["--mutate", "-k", "x"], ["--mutate", "--coverage"], ["--sample", 3]):
        code, _, err = raid(*wrong)
        assert code == 2 and "--mutate" in err


def test_a_change_that_makes_no_game_does_not_count(raid, tmp_path):
    """What begins with nothing cannot be `1..30`; what costs one more can cost that."""
    from rulerun.adequacy.changes import changes_of
    from rulerun.adequacy.noticing import Noticing, Try
    from rulerun_dsl.load import load

    priced = RULES.replace("has: {value: 1..9}", "has: {value: 1..9, price: 0..9 = 0}")
    priced = priced.replace("sum(c.value for", "sum(c.value - c.price for")
    priced = priced.replace("gold[player]: 0..30", "gold[player]: 0..30 = 0")
    (tmp_path / "raid.yaml").write_text(priced, encoding="utf-8")
    loaded, _ = load(tmp_path / "raid.yaml")
    assert loaded is not None
    changes = [each for each in changes_of(loaded) if each.old == "0"]
    (lowest,) = (each for each in changes if (each.about, each.kind) == ("gold", "range"))
    (price,) = (each for each in changes if each.about == "card")
    tried = Noticing(tmp_path / "raid.test.yaml").begin()
    assert tried(Try(lowest, (0, 1))).new is None
    verdict = tried(Try(price, (0, 1)))
    assert (verdict.new, verdict.noticed) == ("1", 0)


def test_what_is_only_told_is_left_out(tmp_path):
    from rulerun.adequacy.changes import changes_of
    from rulerun_dsl.load import load

    text = RULES.replace(
        "      - gold += 1 if lucky\n",
        "      - if: gold > 9\n        then: {say: 12 is much.}\n"
        "      - gold += 1 if gold not in 4..6\n",
    )
    (tmp_path / "raid.yaml").write_text(text, encoding="utf-8")
    loaded, found = load(tmp_path / "raid.yaml")
    assert loaded is not None and not found
    changes = [(each.kind, each.old, each.new[0]) for each in changes_of(loaded)]
    assert ("number", "9", "10") not in changes and not [c for c in changes if c[1] == "12"]
    assert ("condition", "not in", "in") in changes
    assert ("number", "4", "5") in changes
    assert not [each for each in changes if each[1] == "in"], "what is gone through"


def test_how_wide_a_column_is_is_left_out_unless_its_rows_are_made_of_it(tmp_path):
    """What rows and tables say stands there as it is; what play comes to does not."""
    from rulerun.adequacy.changes import changes_of
    from rulerun_dsl.load import load

    coin = "  coin:\n    has: {worth: 1..2}\n    rows: every worth\n    start: purse\n"
    text = RULES.replace("    start: deck\n", "    start: deck\n" + coin)
    text = text.replace("zones:\n", "zones:\n  purse: {of: coin, visible: all}\n")
    text = text.replace("setup:\n", "tables:\n  toll[1..2]: {type: 0..7, rows: [3, 4]}\nsetup:\n")
    text = text.replace("sum(c.value for", "toll[1] + sum(c.value for")
    (tmp_path / "raid.yaml").write_text(text, encoding="utf-8")
    loaded, found = load(tmp_path / "raid.yaml")
    assert loaded is not None and not found
    ranges = {(each.about, each.old) for each in changes_of(loaded) if each.kind == "range"}
    assert not {("card", "1"), ("card", "9"), ("toll", "0"), ("toll", "7")} & ranges
    assert {("coin", "1"), ("coin", "2"), ("gold", "0"), ("gold", "30"), ("toll", "2")} <= ranges


MODULE = """\
module: tax
when: lucky
visible: all
state: {taxed: 0..9 = 4}
after worth_more():
  - taxed = tithe(you)
functions:
  tithe(player p): 5 if gold[p] > 0 else 6
"""


def test_what_a_module_says_is_tried_where_the_module_is(raid, tmp_path, kept):
    """Only a change of its `when:` may matter to the others."""
    (tmp_path / "tax.yaml").write_text(MODULE, encoding="utf-8")
    rules = RULES.replace("components:", "files: [tax.yaml]\ncomponents:", 1).replace(
        "functions:", "procedures:\n  worth_more(): gold += 0\nfunctions:", 1
    )
    rules = rules.replace("gold += worth(you)", "gold += worth(you); worth_more()")
    (tmp_path / "raid.yaml").write_text(rules, encoding="utf-8")
    more = "  - id: TAX\n    options: {lucky: true}\n    do:\n      - P1: rob\n"
    (tmp_path / "raid.test.yaml").write_text(SCENARIOS + more, encoding="utf-8")
    (file,) = json.loads(raid("--mutate", "--format", "json")[1])["files"]
    of = [each for each in file["unnoticed"] if each["file"] == "tax.yaml"]
    assert {(each["old"], each["scenarios"]) for each in of} >= {("4", 1), ("5", 1), ("6", 1)}
    assert [each["scenarios"] for each in of if each["line"] == 2] == [3]


def test_who_stops_it_is_told_what_was_found_until_then(raid, tmp_path, monkeypatch):
    from rulerun.adequacy.noticing import run_noticed as real

    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "kept"))
    every = json.loads(raid("--mutate", "--format", "json", "--jobs", 1)[1])["files"][0]
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "anew"))

    def stopped(*arguments):
        for number, each in enumerate(real(*arguments)):
            if number == 9:
                raise KeyboardInterrupt
            yield each

    monkeypatch.setattr("rulerun.cli.mutation.run_noticed", stopped)
    code, out, err = raid("--mutate", "--jobs", 1)
    left = every["tried"] + every["no_game"] - 9
    assert code == 130 and f"stopped with {left} changes left" in err
    assert f"{left} of {left + 9} were not tried" in out and unnoticed(out)
    monkeypatch.setattr("rulerun.cli.mutation.run_noticed", real)
    (file,) = json.loads(raid("--mutate", "--format", "json", "--jobs", 1)[1])["files"]
    assert (file, file["left"]) == (every, 0)

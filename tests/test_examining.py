"""What `rulerun validate` and `rulerun test` look at beside the file that is named."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.rulesets import game_named

from rulerun.cli import main, trials
from rulerun.cli.group import COMMANDS
from rulerun.cli.trials import try_out
from rulerun.executors import make
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.load import load_game

PAGES = Path(__file__).parent.parent / "docs" / "reference" / "diagnostics"

PARENT = """
rulerun: 1
game: demo
players: 2
files: [parts/frost.yaml]
options:
  winter: {type: bool, default: false}
state:
  visible: all
  coins[player]: 0..9
phases:
  play:
    for: you in players
    do:
      - choose:
          take: coins += 1
          give(player p, 1..3 n):
            when: p != you
            do: coins[p] += n
          wait: pass
scoring:
  points(player p): coins[p]
"""
ALONE = re.sub(r"^(files|options):.*\n(  winter.*\n)?", "", PARENT, flags=re.MULTILINE)
MODULE = """
module: frost
when: winter
setup:
  - coins[all] = 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RULERUN_CACHE", "off")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    write(tmp_path / "demo.yaml", PARENT)
    write(tmp_path / "parts" / "frost.yaml", MODULE)
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    def run(*arguments):
        code = main([str(each) for each in arguments])
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def scenarios(folder, *items, name="demo.test.yaml", head=""):
    lines = "".join(f"  - {{id: S{at}, {item}}}\n" for at, item in enumerate(items))
    return write(folder / name, f"{head}scenarios:\n{lines}")


# ------------------------------------------------------------------------------------------ modules


@pytest.mark.parametrize("where", [".", "parts"])
def test_a_module_is_checked_through_the_rules_that_list_it(run, folder, monkeypatch, where):
    write(folder / "parts" / "frost.yaml", MODULE.replace("coins", "coinz"))
    monkeypatch.chdir(folder / where)
    (folder / ".git").mkdir()
    code, out, err = run("validate", "frost.yaml" if where == "parts" else "parts/frost.yaml")
    assert code == 1
    assert "there is no variable `coinz`" in out and "frost.yaml:5" in out
    assert err.startswith("1 ruleset, 1 module file")


def test_a_module_that_is_right_is_green_with_its_rules(run):
    assert run("validate", "parts/frost.yaml")[:2] == (0, "")


def test_what_is_known_of_a_module_alone_is_said(run, folder):
    write(folder / "demo.yaml", ALONE)
    code, out, err = run("validate", "parts/frost.yaml")
    assert code == 0 and "RR0802" in out and "only the shape" in out
    assert "no problems" not in err
    assert run("validate", "--strict", "parts/frost.yaml")[0] == 1


def test_a_module_alone_answers_that_it_is(run, folder):
    write(folder / "demo.yaml", ALONE)
    answered = MODULE.replace("frost\n", "frost  # rulerun: ignore[RR0802] a part of many games\n")
    write(folder / "parts" / "frost.yaml", answered)
    assert run("validate", "--strict", "parts/frost.yaml")[:2] == (0, "")
    reasonless = MODULE.replace("frost\n", "frost  # rulerun: ignore[RR0802]\n")
    write(folder / "parts" / "frost.yaml", reasonless)
    out = run("validate", "parts/frost.yaml")[1]
    assert "RR0802" in out and "RR0722" in out


def test_rules_above_the_repository_are_not_looked_at(run, folder, monkeypatch):
    (folder / "parts" / ".git").mkdir()
    assert "RR0802" in run("validate", "parts/frost.yaml")[1]


def test_a_folder_examines_nothing_twice(run):
    code, out, err = run("validate", ".")
    assert (code, out) == (0, "")
    assert err.startswith("1 ruleset, 1 module file (")


# ---------------------------------------------------------------------------------------- scenarios


@pytest.mark.parametrize(
    ("comment", "code", "said"),
    [
        ("", 1, ["RR0125"]),
        ("  # rulerun: ignore[RR0125] it is a title", 0, []),
        ("  # rulerun: ignore[RR0125, RR0117] it is a title", 1, ["RR0723"]),
        ("  # rulerun: ignore[RR0125]", 1, ["RR0125", "RR0722"]),
    ],
)
def test_a_comment_answers_in_scenarios_too(run, folder, comment, code, said):
    path = write(
        folder / "demo.test.yaml",
        f"scenarios:\n  - id: S0\n    title: 017{comment}\n"
        "    players: 2\n    expect: ['coins[P1] == 0']\n",
    )
    done, out, _ = run("validate", "--strict", path)
    assert re.findall(r"warning\[(RR\d+)\]", out) == said and done == code
    if not said:
        assert run("test", path)[0] == 0


NAMES = [
    ("do: [{P3: take}]", "no player `P3`"),
    ("do: [{P1: tkae}]", "did you mean `take`?"),
    ("do: [{P1: 'give(2, P2)'}]", "did you mean `give(P2, 2)`?"),
    ("do: [{refuse: {P1: 'give(2, P2)'}}]", "did you mean `give(P2, 2)`?"),
    ("do: [{refuse: {P1: 'give(P2)'}}]", "did you mean `give(P2, 1)`?"),
    ("do: [{refuse: {P1: 'give(P3, 2)'}}]", "did you mean `give(P1, 2)`?"),
    ("do: [{refuse: {P1: 'give(P2, 2'}}]", "did you mean `give(P2, 2)`?"),
    ("do: [{refuse: {P1: ''}}]", "there are `take`"),
    ("do: [{refuse: {P1: coins}}]", "no action of the game"),
    ("do: [{chance: snake}]", "nothing that can fall has `snake` in it"),
    ("given: {coinz: 2}", "did you mean `coins`?"),
    ("given: {'coins[P1]': 12}", "12 is not in 0..9"),
    ("enter: paly", "did you mean `play`?"),
    ("enter: {phase: play, yuo: P1}", "did you mean `you`?"),
    ("expect: ['coinz[P1] == 2']", "did you mean `coins`?"),
    ("expect: ['coins[P1]']", "RR0501"),
    ("expect: ['coins[P1] ==']", "RR03"),
    ("expect: {'coins[P3]': 2}", "P3"),
    ("do: [{expect: ['coins[P4] == 1']}]", "P4"),
    ("waiting: [P9]", "no player `P9`"),
    ("legal: {P1: [take, wiat]}", "did you mean `wait`?"),
    ("legal: {P0: [take]}", "no player `P0`"),
    ("sees: {P1: {'coinz[P1]': 0}}", "did you mean `coins`?"),
    ("sees: {spectato: {'coins[P1]': 0}}", "did you mean `spectator`?"),
    ("sees: {P1: {'coins[P1]': 44}}", "44 is not in 0..9"),
    ("outcome: {winners: [P5]}", "no player `P5`"),
    ("outcome: {points: {P5: 1}}", "no player `P5`"),
    ("players: 7", "2 players, not 7"),
    ("options: {wnter: true}", "did you mean `winter`?"),
    ("options: {winter: maybe}", "`maybe` is no value"),
    ("variants: [cold]", "no variant `cold`"),
]


@pytest.mark.parametrize("command", ["validate", "test"])
@pytest.mark.parametrize(("item", "said"), NAMES)
def test_names_in_scenarios_are_looked_up(run, folder, command, item, said):
    path = scenarios(folder, item)
    code, out, _ = run(command, path.name)
    assert code == 1
    assert said in out
    assert out.count("error[") == 1


@pytest.mark.parametrize("command", ["validate", "test"])
@pytest.mark.parametrize(("switches", "left"), [(13, 0), (20, 7)])
def test_settings_that_nobody_looks_at_for_an_action_are_said(run, folder, command, switches, left):
    """Besides the switches there are `winter`, the default, and the default for two players."""
    options = "".join(f"  s{at}: {{type: bool, default: false}}\n" for at in range(switches))
    read = " and ".join(f"not s{at}" for at in range(switches))
    rules = PARENT.replace("state:\n", f"{options}state:\n", 1)
    write(folder / "demo.yaml", rules.replace("wait: pass", f"wait: {{when: {read}, do: pass}}"))
    path = scenarios(folder, "do: [{refuse: {P1: coins}}]")
    code, out, _ = run(command, path.name)
    assert code == 1 and "RR1023" in out
    said = f"not checked: whether `coins` is an action in {left} of {left + 16} other settings"
    assert (said in out) is (left > 0)
    assert out.count("error[") == 1 + (left > 0)


def test_what_is_right_in_scenarios_is_green(run, folder):
    scenarios(
        folder,
        "given: {'coins[all]': 3}, enter: {phase: play, you: P2}, do: [{P2: 'give( P1 , 2 )'}]",
        "do: [{refuse: {P2: take}}, {P1: take}], legal: {P2: [take, wait]}, waiting: [P2]",
        "sees: {spectator: {'coins[P1]': 0}}, options: {winter: true}, expect: ['coins[P1] == 2']",
        "error: {because: for 2}, players: 7",
    )
    assert run("validate", "demo.test.yaml")[0] == 0


def test_scenarios_of_broken_rules_are_not_green(run, folder):
    scenarios(folder, "do: [{P1: take}]")
    write(folder / "demo.yaml", PARENT.replace("coins += 1", "coinz += 1"))
    code, out, _ = run("validate", "demo.test.yaml")
    assert code == 1 and "RR1021" in out
    # Beside the rules themselves the cause is said once.
    code, out, _ = run("validate", ".")
    assert code == 1 and "RR1021" not in out and "`coinz`" in out


def test_an_action_of_the_same_rules_in_another_setting_may_be_refused(run, folder):
    text = PARENT.replace("players: 2", "players: 2..3")
    write(folder / "demo.yaml", text)
    scenarios(folder, "do: [{refuse: {P1: 'give(P3, 2)'}}]")
    assert run("test", "demo.test.yaml")[0] == 0


def test_dependents_are_followed(run, folder):
    scenarios(folder, "do: [{P1: tkae}]")
    scenarios(folder, "do: [{P2: wait}]", name="more.test.yaml", head="ruleset: demo.yaml\n")
    scenarios(folder, "do: [{P2: wait}]", name="other.test.yaml")
    for name in ("demo.yaml", "parts/frost.yaml"):
        assert run("validate", name)[0] == 0
        code, out, err = run("validate", "--dependents", name)
        assert code == 1 and "did you mean `take`?" in out
        assert "2 files of scenarios" in err
        code, out, err = run("test", "--dependents", name)
        assert code == 1 and "in 2 files" in err
    write(folder / "alone.yaml", ALONE)
    assert run("test", "--dependents", "alone.yaml")[0] == 0


def test_annotations_are_relative_to_the_repository(run, folder, monkeypatch):
    (folder / ".git").mkdir()
    (folder / "rules").mkdir()
    write(folder / "rules" / "demo.yaml", ALONE)
    path = scenarios(folder / "rules", "do: [{P1: take}]", "expect: ['coins[P1] == 3']")
    monkeypatch.chdir(folder / "rules")
    code, out, _ = run("test", path.name, "--format", "github")
    assert code == 1
    assert re.match(r"::error title=RR1025 .*file=rules/demo.test.yaml,line=3,.*::S1: ", out)
    scenarios(folder / "rules", "do: [{P1: tkae}]")
    for command in ("validate", "test"):
        out = run(command, path.name, "--format", "github")[1]
        assert ",file=rules/demo.test.yaml,line=2," in out
    out = run("test", path.name, "--format", "junit")[1]
    (case,) = ElementTree.fromstring(out.encode())[0]
    assert (case.get("file"), case.get("line")) == ("rules/demo.test.yaml", "2")


# --------------------------------------------------------------------------------------------- play

LEAD = """
rulerun: 1
game: trap
players: 2
state:
  visible: all
  coins[player]: 0..9 = 2
  held: 0..9
phases:
  play:
    turns: you in players
    until: held == 9
    do:
      - choose:
          earn(1..5 n): coins = min(coins + n, 9)
          pay:
            when: coins > 0
            do: coins -= 1; coins -= 1
          hold: held += 1
scoring:
  points(player p): coins[p]
"""


def test_an_option_that_leads_into_a_rule_error_is_found(run, folder):
    write(folder / "trap.yaml", LEAD)
    code, out, err = run("validate", "trap.yaml")
    assert code == 1
    assert "error[RR0904]" in out and "trap.yaml:18" in out and "found in play" in out
    code, out, err = run("validate", "trap.yaml", "--play", 0)
    assert (code, out) == (0, "")
    assert "none played" in err


def test_the_game_is_shown_again(run, folder):
    write(folder / "trap.yaml", LEAD)
    assert run("validate", "trap.yaml", "--records", "kept")[0] == 1
    (record,) = (folder / "kept").iterdir()
    code, out, err = run("replay", record, "--rules", "trap.yaml")
    assert code == 1
    assert "RR0904" in out + err


def test_the_same_is_found_again():
    game, _ = load_game(LEAD.encode())
    assert game is not None

    def found():
        return [(each.error.message, each.inputs) for each in try_out(game, 1_000)]

    assert found() == found() != []


def test_what_was_not_played_is_named(run, folder):
    text = LEAD.replace("coins > 0", "coins > 1").replace("players: 2", "players: 2..9")
    write(folder / "many.yaml", text)
    code, _, err = run("validate", "many.yaml", "--play", 4_200)
    assert code == 0
    assert "not played: `--players 5`, `--players 6`, `--players 7` and 2 more" in err
    data = json.loads(run("validate", "many.yaml", "--play", 4_200, "--format", "json")[1])
    assert len(data["examined"]["not_played"]["many.yaml"]) == 5


def test_a_play_that_never_ends_is_bounded():
    text = LEAD.replace("held: 0..9", "held: 0..9\n  die: 1..6").replace(
        "hold: held += 1",
        "hold:\n            do:\n              - repeat: 9999999\n                do: [roll die]",
    )
    game, found = load_game(text.encode())
    assert game is not None, render_text(found)
    assert isinstance(list(try_out(game, 2_000)), list)


RARE = """\
rulerun: 1
game: rare
players: 2
state:
  visible: all
  coins[player]: 0..99
  luck: 1..150
phases:
  turns:
    turns: you in players
    until: coins[P1] == 12
    do:
      - choose:
          one: coins += 1
          two: coins += 1
  end:
    do:
      - roll luck
      - coins[P1] += 90 if luck == 1
scoring:
  points(player p): coins[p]
"""


def test_what_few_short_games_meet_is_found(run, folder, monkeypatch):
    write(folder / "rare.yaml", RARE)
    code, out, _ = run("validate", "rare.yaml")
    assert code == 1 and "error[RR0904]" in out and "rare.yaml:19" in out
    monkeypatch.setattr(trials, "_MOST_TIMES", 1)
    assert run("validate", "rare.yaml")[0] == 0, "a large game is played less"


def test_the_budget_is_one_number():
    from rulerun.cli import examining

    assert examining.DEFAULT_PLAY == trials.BUDGET


# -------------------------------------------------------------------------------------------- pages


@pytest.mark.skipif(not PAGES.is_dir(), reason="the pages are not in the wheel")
@pytest.mark.parametrize(
    ("code", "switches"), [("RR0802", []), ("RR0803", ["--deep", "--games", "2"])]
)
def test_the_pages_of_what_validate_finds(run, folder, golden, code, switches):
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    avoid, prefer = re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    write(folder / "rules.yaml", avoid)
    found = run("validate", "rules.yaml", *switches)[1]
    assert re.findall(r"\[(RR\d{4})\]", found) == [code]
    golden(f"diagnostics/{code}.txt", found)
    write(folder / "rules.yaml", prefer)
    assert run("validate", "rules.yaml", *switches)[1] == ""


def test_laws_are_told_once_each(run, folder):
    text = LEAD.replace("coins > 0", "coins > 1") + "always: {few: held < 2, less: held < 3}\n"
    write(folder / "many.yaml", text)
    code, out, err = run("validate", "many.yaml", "--deep", "--games", 3, "--play", 0)
    assert code == 1
    assert out.count("error[RR0803]") == 2
    assert "many.yaml:22" in out and "times, first with" in out
    assert "no problems found" not in err


# ------------------------------------------------------------------------- what green may not mean


def test_a_finding_that_was_told_before_is_no_green(run, folder, monkeypatch):
    """Two rules files list one broken module: neither is remembered as right."""
    monkeypatch.setenv("RULERUN_CACHE", str(folder / "cache"))
    write(folder / "parts" / "frost.yaml", MODULE.replace("coins", "coin"))
    write(folder / "other.yaml", PARENT.replace("game: demo", "game: other"))
    assert run("validate", "demo.yaml", "other.yaml", "--play", 0)[0] == 1
    for name in ("demo.yaml", "other.yaml"):
        assert run("validate", name, "--play", 0)[0] == 1


def test_a_file_that_changes_while_it_is_checked_is_not_remembered(run, folder, monkeypatch):
    monkeypatch.setenv("RULERUN_CACHE", str(folder / "cache"))
    from rulerun.cli import examining

    check = examining.Report.check

    def changing(report, loaded, name):
        check(report, loaded, name)
        write(folder / "demo.yaml", PARENT + "nonsense: 1\n")

    monkeypatch.setattr(examining.Report, "check", changing)
    assert run("validate", "demo.yaml", "--play", 0)[0] == 0
    monkeypatch.undo()
    monkeypatch.setenv("RULERUN_CACHE", str(folder / "cache"))
    monkeypatch.chdir(folder)
    assert run("validate", "demo.yaml", "--play", 0)[0] == 1


def test_what_is_tried_aside_keeps_to_the_bound_on_decisions(run, folder):
    text = LEAD.replace("players: 2", "players: 2\nlimits: {decisions: 1}")
    write(folder / "short.yaml", text)
    game, _ = load_game(folder / "short.yaml")
    assert game is not None
    decisions = [sum(who != "" for who, _ in crash.inputs) for crash in try_out(game, 1_000)]
    assert all(many <= 1 for many in decisions)


def test_an_answer_in_a_shared_module_may_be_another_s(run, folder):
    deck = """
module: deck
components:
  card: {rows: {ant: {}, bee: {}}, start: deck}
zones:
  visible: none
  # rulerun: ignore[RR0724] only the long game gets there
  deck: {of: card}
setup: shuffle_in()
procedures:
  shuffle_in(): move 1 from deck to deck
"""
    write(folder / "parts" / "frost.yaml", deck)
    rules = PARENT.replace("options:\n  winter: {type: bool, default: false}\n", "")
    write(folder / "demo.yaml", rules)
    alone = run("validate", "demo.yaml", "--play", 0)
    assert "RR0723" in "".join(map(str, alone))
    write(folder / "other.yaml", rules.replace("game: demo", "game: other"))
    both = run("validate", "demo.yaml", "--play", 0)
    assert "RR0723" not in "".join(map(str, both))


def test_a_list_of_files_that_is_none_is_no_bug(run, folder):
    write(folder / "demo.yaml", PARENT.replace("[parts/frost.yaml]", "parts/frost.yaml"))
    code, _, _ = run("validate", "parts/frost.yaml", "--play", 0)
    assert code in (0, 1)


def test_a_rule_error_in_what_is_expected_is_told(run, folder):
    item = """
  - id: S1
    expect: {"coins[P2]": 5 // (coins[P1] - coins[P1])}"""
    write(folder / "demo.test.yaml", f"scenarios:{item}\n")
    code, out, err = run("test", "demo.test.yaml")
    assert code == 1, (out, err)


def test_a_module_whose_rules_do_not_parse_is_not_alone(run, folder):
    write(folder / "demo.yaml", PARENT.replace("game: demo", 'game: "demo'))
    code, out, _ = run("validate", "parts/frost.yaml", "--play", 0)
    assert code == 1
    assert "RR0802" not in out and "demo.yaml" in out


def test_a_module_may_begin_with_a_byte_order_mark(run, folder):
    (folder / "parts" / "frost.yaml").write_bytes(b"\xef\xbb\xbf" + MODULE.strip().encode())
    assert run("validate", "parts/frost.yaml", "--play", 0)[0] == 0


def test_scenarios_beside_wrong_rules_are_counted_and_the_error_is_said_once(run, folder):
    texts = ["do: [{P1: take}]"] * 4
    scenarios(folder, *texts)
    write(folder / "demo.yaml", PARENT.replace("coins += 1", "coinz += 1"))
    code, out, _ = run("validate", "demo.test.yaml")
    assert code == 1 and out.count("RR1021") == 1 and "4 scenarios are not checked" in out
    code, out, err = run("validate", ".")
    assert code == 1 and out.count("`coinz`") == 1
    assert "not checked: 4 scenarios, whose rules have errors" in err


# ------------------------------------------------------------------------------ places in modules

HARM = """
module: frost
procedures:
  harm():
    - coins[P1] = 9 // coins[P2]
"""
MAIN = PARENT.replace("options:\n  winter: {type: bool, default: false}\n", "")


@pytest.mark.parametrize(
    ("rules", "module", "line"),
    [
        (MAIN.replace("wait: pass", "wait: harm()"), HARM, 5),
        (MAIN.replace("phases:", "setup:\n  - harm()\nphases:"), HARM, 5),
        (MAIN, "\nmodule: frost\nalways:\n  few: coins[P1] < 1\n", 4),
    ],
)
def test_a_broken_law_of_a_module_stands_in_the_module(run, folder, rules, module, line):
    write(folder / "demo.yaml", rules)
    write(folder / "parts" / "frost.yaml", module)
    code, out, _ = run("validate", "demo.yaml", "--deep", "--games", 2, "--play", 0)
    assert code == 1
    places = re.findall(r"error\[RR0803\].*\n *--> (\S+?):(\d+):", out)
    assert {(Path(one).as_posix(), int(at)) for one, at in places} == {("parts/frost.yaml", line)}


@pytest.mark.parametrize(
    ("where", "name"), [(".", "demo.yaml"), ("parts", "../demo.yaml"), ("parts", None)]
)
def test_simulate_names_the_folder_of_a_module(run, folder, monkeypatch, where, name):
    write(folder / "demo.yaml", MAIN.replace("wait: pass", "wait: harm()"))
    write(folder / "parts" / "frost.yaml", HARM.replace("9 // coins[P2]", "coins[P2]"))
    monkeypatch.chdir(folder / where)
    name = name or folder / "demo.yaml"
    found = json.loads(run("simulate", name, "-n", 3, "--jobs", 1, "--format", "json")[1])
    files = [each["file"] for each in found["coverage"]["statements"]["files"]]
    assert files == ["demo.yaml", "parts/frost.yaml"]


# ----------------------------------------------------------------- settings with more players

FAR = LEAD.replace(
    "players: 2\n", "players: 2..5\noptions:\n  wild: {type: bool, default: false}\n"
)
FAR = FAR.replace("when: coins > 0", "when: coins > 2 or wild and count(players) == 5")
FAR = FAR.replace("coins -= 1; coins -= 1", "coins -= 3")


def test_an_option_with_one_number_of_players_is_played(run, folder):
    write(folder / "far.yaml", FAR)
    code, out, err = run("validate", "far.yaml")
    assert code == 1 and "error[RR0904]" in out
    assert "--players 5 --set wild=true" in out
    write(folder / "far.yaml", FAR.replace("wild and count(players) == 5", "wild and coins > 2"))
    code, out, err = run("validate", "far.yaml")
    assert (code, out) == (0, "")
    assert "not played" not in err


def test_what_a_setting_is_not_played_with_is_named(run, folder):
    text = FAR.replace("wild and count(players) == 5", "wild and coins > 2")
    write(folder / "far.yaml", text.replace("2..5", "2..19"))
    data = json.loads(run("validate", "far.yaml", "--play", 50_000, "--format", "json")[1])
    assert data["examined"]["not_played"] == {}
    code, _, err = run("validate", "far.yaml")
    assert code == 0
    assert re.search(r"not played: `--players \d+`.* and \d\d more", err)


def test_a_larger_budget_buys_games_for_every_setting():
    game, _ = load_game(LEAD.encode())
    assert game is not None
    usual, beside = trials.shares(trials.BUDGET, game, 2, 6)
    assert usual == [trials.SHARE] * 2 and beside == [trials.LESS] * 6
    more, rest = trials.shares(4 * trials.BUDGET, game, 2, 6)
    assert all(many > few for many, few in zip([*more, *rest], [*usual, *beside], strict=True))
    ready = len(game.code) // 4
    assert sum(more) + sum(rest) + 8 * ready <= 4 * trials.BUDGET
    assert trials.shares(trials.BUDGET, game, 2, 60)[1].count(0) > 40
    assert min(trials.shares(4 * trials.BUDGET, game, 2, 60)[1]) >= trials.LESS


# ---------------------------------------------------------------------------- the page of commands

CLI = PAGES.parent / "cli.md"
SHARED = {"--players", "--variant", "--set", "--executor", "--color", "--help"}
"""What the page says of all commands at once, or what the table may leave to that."""


@pytest.mark.skipif(not PAGES.is_dir(), reason="the pages are not in the wheel")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_of_a_command_has_its_options(name):
    module, attribute, _ = COMMANDS[name]
    command = getattr(import_module(f"rulerun.cli.{module}"), attribute)
    taken = [
        {*each.opts, *each.secondary_opts} for each in command.params if each.opts[0][0] == "-"
    ]
    text = CLI.read_text(encoding="utf-8")
    section = re.search(rf"^## rulerun {name}\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    assert section is not None
    rows = re.findall(r"^\| (`-[^|]*)\|", section[1], re.MULTILINE)
    listed = {word for row in rows for word in re.findall(r"`(--?[\w-]+)", row)}
    assert listed <= set().union(*taken, SHARED)
    missing = [each for each in taken if not each & (listed | SHARED)]
    assert missing == []


# -------------------------------------------------------------------------------- very full folders


def test_a_folder_with_too_many_files_is_no_green(run, folder, monkeypatch):
    for number in range(5):
        write(folder / f"a{number}.yaml", ALONE)
    scenarios(folder, "do: [{P1: tkae}]")
    assert run("validate", "parts/frost.yaml", "--play", 0)[0] == 0
    assert run("validate", "demo.yaml", "--play", 0, "--dependents")[0] == 1
    monkeypatch.setattr("rulerun.cli.belonging.MOST_FILES", 3)
    for arguments in (("parts/frost.yaml",), ("demo.yaml", "--dependents")):
        code, out, _ = run("validate", *arguments, "--play", 0)
        assert code == 1
        assert "RR0149" in out and "4 files of `.`" in out
    code, _, err = run("test", "demo.yaml", "--dependents")
    assert code == 2 and "too many to look at" in err


@pytest.mark.parametrize("name", ["pig", "love_letter", "leduc_poker", "brave_rats"])
def test_trials_go_the_same_way_compiled_or_not(name, monkeypatch):
    """Few inputs are played by what is made soonest: the more there are, the more is compiled."""
    game = game_named(name)
    kinds: list[bool | None] = []
    paths: list[Any] = []
    for compiling, passes in ((10**6, 10**6), (0, 10**6), (0, 0)):
        monkeypatch.setattr(make, "_COMPILING", compiling)
        monkeypatch.setattr(make, "_PASSES", passes)
        trial = trials._Trial(game, 400, lambda: True)
        kinds.append(getattr(trial.executor, "brief", None))
        made: list[Any] = []
        apply = trial.executor.apply
        monkeypatch.setattr(
            trial.executor, "apply", lambda *each, a=apply, m=made: m.append(each[1]) or a(*each)
        )
        for number in range(3):
            assert list(trial.play(number)) == []
        paths.append((made, trial.left))
    assert kinds == [None, True, False]
    assert paths[0] == paths[1] == paths[2] and len(paths[0][0]) > 30

"""The commands, from a command line to exit code, output and complaints."""

import io
import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import rulerun
import rulerun_dsl
from rulerun.cli import main
from rulerun.cli.group import COMMANDS
from rulerun.laws.recording import summed
from rulerun_dsl.diagnostics.diagnostic import CATALOGUE
from rulerun_dsl.source.resources import shipped

ENVIRONMENT = {
    **{name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")},
    "PYTHONPATH": os.pathsep.join(
        str(Path(package.__file__ or "").parent.parent) for package in (rulerun, rulerun_dsl)
    ),
}

KEEPS_NOTHING = {"PYTHONDONTWRITEBYTECODE": "1"}
"""For a process whose files may not grow: Python would leave half a compiled module for others."""

SMALL = """
rulerun: 1
game: small
title: Small
players: [a, b]
options:
  most: {type: 1..3, default: 2, about: How far.}
variants:
  long: {about: Longer., most: 3}
state: {visible: all, n: 0..most}
phases:
  play:
    turns: you in players
    until: n == most
    do:
      - choose:
          more: n += 1
          wait: pass
"""


class Ran:
    """What a command line came to."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object, typed: str = "") -> Ran:
        stdin = io.TextIOWrapper(io.BytesIO(typed.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        code = main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


def spawn(*arguments: str, typed: str = "", more: dict[str, str] | None = None, **keywords):
    return subprocess.run(
        [sys.executable, "-m", "rulerun", *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        env={**ENVIRONMENT, **(more or {})},
        timeout=60,
        **keywords,
    )


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------- the group


def test_help_lists_every_command(run):
    done = run("--help")
    assert done.code == 0
    for name, (_, _, about) in COMMANDS.items():
        assert f"  {name} " in done.out
        assert about in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run, name):
    done = run(name, "--help")
    assert done.code == 0
    assert f"rulerun {name}" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("chek", "validate"), ("check", "validate"), ("plya", "play"), ("Play", "play"), ("xyz", "")],
)
def test_a_misspelt_command(run, typed, meant):
    done = run(typed)
    assert done.code == 2
    assert f"no command `{typed}`" in done.err
    assert (f"Did you mean `{meant}`?" in done.err) is bool(meant)


@pytest.mark.parametrize(
    "arguments", [["play"], ["play", "brave_rats", "--sead", "3"], ["validate", "--format", "x"]]
)
def test_wrong_usage(run, arguments):
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Usage: rulerun" in done.err


def test_version_inside_the_group(run):
    assert run("--color", "never", "--version").out == f"rulerun {rulerun.__version__}\n"


def test_help_imports_no_command():
    code = (
        "import sys; from rulerun.cli import main; main(['--help']); "
        "print([m for m in sys.modules if m.startswith(('rulerun_dsl.', 'lark', 'yaml'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "['rulerun_dsl.source', 'rulerun_dsl.source.safe_text']"


# ------------------------------------------------------------------------------------------ play


RANDOM = ("--seat", "applewood=random")


def test_play_to_the_end(run):
    done = run("play", "brave_rats.yaml", *RANDOM, "--seed", 7, typed="a\n" * 8)
    assert done.code == 0
    assert done.out.startswith("Brave Rats\n  seats    Yarg (you), Applewood (a bot, random)\n")
    assert "--seed 7" in done.out
    assert done.out.splitlines()[-1].endswith(("wins!", "win!", "draw."))
    assert done.err == ""


def test_a_play_is_repeated_by_its_seed(run):
    first = run("play", "brave_rats", *RANDOM, typed="a\n" * 8)
    seed = first.out.split("--seed ")[1].split(")")[0]
    assert run("play", "brave_rats", *RANDOM, "--seed", seed, typed="a\n" * 8).out == first.out


def test_the_input_may_end(run):
    done = run("play", "brave_rats", *RANDOM, "--seed", 7, typed="1\n")
    assert done.code == 2
    assert "the input ended before the game" in done.err


def test_bots_play_alone(run):
    done = run("play", "tic_tac_toe", "--seat", "x=random", "--seat", "o=first", "--seed", "3")
    assert done.code == 0
    assert "X (a bot, random), O (a bot, first)" in done.out


def test_the_others_are_bots(run):
    done = run("play", "brave_rats", "--seat", "Applewood=human", typed="prince\n")
    assert "Yarg (a bot, normal), Applewood (you)" in done.out


def test_options_are_shown_where_they_differ(run, small):
    assert "options" not in run("play", small).out
    done = run("play", small, "--variant", "long")
    assert "  options  long, most 3\n" in done.out
    done = run("play", small, "--variant", "long", "--set", "most=1")
    assert "  options  long, most 1\n" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere.yaml"], 2, "no file `nowhere.yaml`"),
        (["nothing_like_it"], 2, "`rulerun list` has those"),
        (["brave_rat"], 2, "did you mean `brave_rats`?"),
        (["."], 2, "is a folder"),
        (["brave_rats", "--players", "5"], 2, "RR0413"),
        (["brave_rats", "--variant", "draf"], 2, "did you mean `draft`?"),
        (["brave_rats", "--set", "target=99"], 2, "it can be: 1..8"),
        (["brave_rats", "--set", "target"], 2, "option=value"),
        (["brave_rats", "--set", "draft=true", "--set", "at_random=true"], 1, "RR0710"),
        (["brave_rats", "--seat", "yarg"], 2, "PLAYER=WHO"),
        (["brave_rats", "--seat", "yarg=robot"], 2, "there are random, first, greedy, easy"),
        (["brave_rats", "--seat", "yrag=human"], 2, "did you mean yarg?"),
        (["brave_rats", "--script", "nothing"], 2, "cannot be read"),
        (["--resume", "nothing"], 2, "RR1001"),
        (["--resume", "x", "--seed", "3"], 2, "those of the record"),
        (["brave_rats", "--record", "no/such/folder"], 2, "cannot be written"),
    ],
)
def test_what_cannot_be_played(run, arguments, code, said):
    done = run("play", *arguments)
    assert done.code == code
    assert said in done.err
    assert done.out == ""


def test_a_file_is_named_with_its_ending(run, tmp_path):
    (tmp_path / "fireflies.yaml").write_text(SMALL)
    done = run("play", "fireflies")
    assert done.code == 2
    assert "did you mean `fireflies.yaml`?" in done.err


def test_a_wrong_rules_file_is_not_played(run, tmp_path):
    (tmp_path / "bad.yaml").write_text(SMALL.replace("wait: pass", "wait: psas"))
    done = run("play", "bad.yaml")
    assert done.code == 1
    assert "bad.yaml:" in done.err


# ------------------------------------------------------------------------------ record and resume


def test_record_and_resume(run, tmp_path):
    whole = run("play", "brave_rats", *RANDOM, "--seed", 7, typed="a\n" * 8)
    first = run("play", "brave_rats", *RANDOM, "--seed", 7, "--record", "a.jsonl", typed="a\na\n")
    assert first.code == 2
    assert "rulerun play --resume a.jsonl" in first.err
    second = run("play", "--resume", "a.jsonl", typed="a\n" * 8)
    assert second.code == 0
    assert second.out.splitlines()[-3] == whole.out.splitlines()[-1]
    assert run("replay", "a.jsonl", "--verify").code == 0
    again = run("play", "--resume", "a.jsonl")
    assert again.code == 0
    assert whole.out.splitlines()[-1] in again.out


def test_a_record_is_not_overwritten(run, tmp_path):
    (tmp_path / "a.jsonl").write_text("mine")
    done = run("play", "brave_rats", *RANDOM, "--record", "a.jsonl")
    assert done.code == 2
    assert "--resume a.jsonl" in done.err
    assert (tmp_path / "a.jsonl").read_text() == "mine"


def test_a_torn_record_goes_on(run, tmp_path):
    run(
        "play",
        "tic_tac_toe",
        "--seat",
        "o=random",
        "--seed",
        7,
        "--record",
        "a.jsonl",
        typed="1\n1\n",
    )
    path = tmp_path / "a.jsonl"
    content = path.read_bytes()
    path.write_bytes(content + b'{"n": 5, "by": "x", "act')
    done = run("play", "--resume", "a.jsonl", typed="1\n")
    assert "RR1002" in done.err
    assert path.read_bytes().startswith(content + b'{"n": 5, "by": "x", "action"')
    assert run("replay", "a.jsonl", "--verify").code == 0


def test_a_record_without_its_last_line_end_goes_on(run, tmp_path):
    run(
        "play",
        "tic_tac_toe",
        "--seat",
        "o=random",
        "--seed",
        7,
        "--record",
        "a.jsonl",
        typed="1\n1\n",
    )
    path = tmp_path / "a.jsonl"
    content = path.read_bytes()
    for other in ("a.jsonl", "b.jsonl"):
        path.write_bytes(content[:-1])
        arguments = [] if other == "a.jsonl" else ["--record", other]
        run("play", "--resume", "a.jsonl", *arguments, typed="1\n")
        assert (tmp_path / other).read_bytes().startswith(content + b'{"n": 5')
        assert run("replay", other, "--verify").code == 0


def test_an_edited_record_is_left_alone(run, tmp_path):
    run(
        "play",
        "tic_tac_toe",
        "--seat",
        "o=random",
        "--seed",
        7,
        "--record",
        "a.jsonl",
        typed="1\n1\n",
    )
    path = tmp_path / "a.jsonl"
    edited = path.read_bytes().replace(b'"n": 2', b'"n": 9')
    path.write_bytes(edited)
    assert run("play", "--resume", "a.jsonl", typed="1\n").code == 2
    assert path.read_bytes() == edited


def test_resume_under_other_rules(run, small, tmp_path):
    run("play", small, "--record", "a.jsonl", "--seat", "all=human", typed="more\n")
    done = run("play", "--resume", "a.jsonl")
    assert done.code == 2
    assert "write `rulerun play FILE --resume a.jsonl`" in done.err
    assert run("play", small, "--resume", "a.jsonl").code == 2
    small.write_text(SMALL.replace("n += 1", "n += 2 - 1"), encoding="utf-8")
    done = run("play", small, "--resume", "a.jsonl")
    assert done.code == 1
    assert "RR1006" in done.err


WELL = """
rulerun: 1
game: well
players: 1..2
constraints:
  - {never: count(people) == 1 and not ogre, say: Alone you play against the ogre.}
options:
  ogre: {type: bool, default: false, assumed: nobody knows}
types:
  sip:
    has: {size: 1..3}
    rows: {small: {size: 1}, large: {size: 3, assumed: it looks so}}
state: {visible: all, "drunk[player]": 0..30}
phases:
  drinking:
    repeat: 2
    do: drink() for you in players
procedures:
  drink():
    - choose: s in sip
    - drunk += s.size
scoring:
  points(player p): drunk[p]
chapter the_ogre:
  when: ogre
  automa: grum
  instead for grum:
    drink(): drunk += 2
"""


@pytest.fixture
def well(tmp_path):
    (tmp_path / "well.yaml").write_text(WELL, encoding="utf-8")
    return "well.yaml"


def test_an_automa_has_no_seat_and_its_game_is_resumed_and_replayed(run, well):
    done = run("play", well, "--set", "ogre=true", "--record", "a.jsonl", typed="small\n")
    assert "seats    P1 (you)\n" in done.out
    done = run("play", well, "--resume", "a.jsonl", typed="large\n")
    assert (done.code, "grum" in done.out.casefold()) == (0, True)
    assert run("replay", "a.jsonl", "--rules", well, "--verify").code == 0
    done = run("play", well, "--set", "ogre=true", "--seat", "grum=human")
    assert (done.code, "grum is an automa" in done.err) == (2, True)


def test_a_play_begins_with_the_fewest_players_that_are_allowed(run, well):
    assert "P1 (you), P2 (a bot, normal)" in run("play", well, typed="small\nlarge\n").out
    assert run("play", well, "--players", "1").code == 1


def test_assumptions_are_listed_with_their_rows_and_files(run, well):
    shown = run("show", "--assumptions", well).out
    assert re.search(r"ogre +nobody knows \(well.yaml, line 8\)", shown)
    assert re.search(r"sip large +it looks so \(well.yaml, line 12\)", shown)


def test_resume_keeps_options_and_seats(run, small):
    run("play", small, "--variant", "long", "--seat", "all=human", "--record", "a.jsonl")
    done = run("play", small, "--resume", "a.jsonl", "--seat", "b=first")
    assert "  options  most 3\n" in done.out
    assert "A (you), B (a bot, first)" in done.out


# ---------------------------------------------------------------------------------------- scripts


def test_undo_takes_back_what_the_bot_has_replied(run):
    """Again and again, in the record as well, and after going on with it."""
    begun = ("play", "tic_tac_toe", "--seat", "o=random", "--seed", "7", "--record", "a.jsonl")
    played = run(*begun, typed="r1c1\nundo\nr1c1\nr3c3\nundo\nundo\nundo\nr2c2\nquit\n")
    assert played.out.count("You take back r1c1 and what was done since.") == 2
    assert "There is no decision of yours to take back." in played.out
    assert run("replay", "a.jsonl", "--verify").code == 0
    again = run("play", "--resume", "a.jsonl", typed="undo\nr1c1\nquit\n")
    assert "You take back r2c2 and what was done since." in again.out
    assert run("replay", "a.jsonl", "--verify").code == 0
    told = run("replay", "a.jsonl", "--as", "o").out
    assert "X takes back a decision and what was done since." in told


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "script.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_script_plays_both_sides(run, tmp_path):
    lines = "# the rats\nprince\napplewood: princess  # charmed\n"
    done = run("play", "brave_rats", *RANDOM, "--script", script(tmp_path, lines))
    assert done.code == 0
    assert done.out.splitlines()[-1] == "Applewood wins!"


def test_a_script_from_a_pipe(run):
    lines = "yarg: princess\napplewood: prince\n"
    done = run("play", "brave_rats", *RANDOM, "--script", "-", "--record", "a.jsonl", typed=lines)
    assert done.code == 0
    assert "You win!" in done.out
    assert run("replay", "a.jsonl", "--verify").code == 0


def test_a_script_decides_luck(run, tmp_path):
    lines = "P1: roll\nchance: 4\nstop\nP2: roll\nchance: 1\n"
    done = run("play", "pig", "--seat", "all=human", "--script", script(tmp_path, lines))
    assert done.code == 2
    assert "rolls 4" in done.out
    assert "it is for P1 to decide" in done.err


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("prince\nprince\nprince\n", "script.txt:2: `prince` of Yarg is refused"),
        ("nothing\n", "script.txt:1: `nothing` of Yarg is refused"),
        ("chance: 4\n", "script.txt:1: chance `4` is refused: it is for Yarg"),
        ("princess\napplewood: prince\nspy\n", "script.txt:3: `spy` of Yarg is refused"),
    ],
)
def test_an_illegal_line_ends_a_script(run, tmp_path, lines, said):
    done = run("play", "brave_rats", *RANDOM, "--seed", 3, "--script", script(tmp_path, lines))
    assert done.code == 1
    assert said in done.err


def test_an_outcome_that_cannot_be(run, tmp_path):
    done = run(
        "play", "pig", "--seat", "p2=random", "--script", script(tmp_path, "roll\nchance: 7\n")
    )
    assert done.code == 1
    assert "it can only be 1, 2, 3, 4, 5 or 6" in done.err


# --------------------------------------------------------------------------------------- validate


def test_validate_a_right_file(run, small):
    done = run("validate", small)
    assert (done.code, done.out) == (0, "")
    # Two players, one variant, and the values 1 (3 is the variant's).
    assert done.err == "1 ruleset (3 settings): no problems found\n"


def test_validate_the_shipped_rulesets(run, monkeypatch):
    monkeypatch.chdir(shipped("rulesets").parent)
    pig = "rulesets/classics/pig"  # `.ci/run` validates all of them
    done = run("validate", f"{pig}.yaml", f"{pig}.test.yaml")
    assert (done.code, done.out) == (0, "")


def test_a_mistake_of_one_setting_is_found_once(run, tmp_path):
    text = SMALL.replace("0..most", "most..2")
    (tmp_path / "bad.yaml").write_text(text)
    done = run("validate", "bad.yaml", "--format", "json")
    found = json.loads(done.out)
    assert done.code == 1
    assert len(found["diagnostics"]) == 1
    assert found["diagnostics"][0]["help"].endswith("found with --variant long")


def test_constraints_are_no_findings(run, tmp_path):
    text = SMALL + "constraints:\n  - {never: most == 1, say: Too short.}\n"
    (tmp_path / "fine.yaml").write_text(text)
    assert run("validate", "fine.yaml").code == 0
    (tmp_path / "never.yaml").write_text(text.replace("most == 1", "most > 0"))
    done = run("validate", "never.yaml")
    assert done.code == 1
    assert "Too short." in done.out


def test_validate_formats(run, tmp_path):
    (tmp_path / "bad.yaml").write_text(SMALL.replace("until:", "untli:"))
    text = run("validate", "bad.yaml")
    assert text.code == 1
    assert "did you mean `until`?" in text.out
    github = run("validate", "--format", "github", "bad.yaml")
    assert github.code == 1
    assert github.out.startswith("::error title=RR0201 unknown-key,file=bad.yaml,line=")
    data = json.loads(run("validate", "bad.yaml", "--format", "json").out)
    assert data["schema_version"] == 1
    assert data["examined"]["files"] == ["bad.yaml"]
    assert data["diagnostics"][0]["code"] == "RR0201"


def test_validate_standard_input(run):
    done = run("validate", "-", typed=SMALL)
    assert done.code == 0
    done = run("validate", "-", typed=SMALL.replace("pass", "psas"))
    assert done.code == 1
    assert "<stdin>:" in done.out


def test_validate_scenarios(run, small, tmp_path):
    path = tmp_path / "small.test.yaml"
    path.write_text("scenarios:\n  - id: S1\n    title: It works\n    doo: []\n")
    done = run("validate", tmp_path)
    assert done.code == 1
    assert "small.test.yaml:4" in done.out
    assert "1 ruleset, 1 file of scenarios" in done.err


def test_validate_modules(run, tmp_path):
    (tmp_path / "main.yaml").write_text(SMALL + "files: [extra.yaml]\n")
    (tmp_path / "extra.yaml").write_text("module: extra\nfunctions:\n  f: 1\n")
    done = run("validate", tmp_path)
    assert "1 ruleset, 1 module file" in done.err


@pytest.mark.parametrize("arguments", [[], ["nowhere"], ["empty"]])
def test_nothing_to_validate(run, tmp_path, arguments):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "readme.txt").write_text("no rules")
    done = run("validate", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rulerun: there is n")


@pytest.mark.parametrize("command", ["validate", "test"])
def test_without_the_folder_rulesets_it_is_said_what_to_write(run, command):
    ran = run(command)
    assert ran.code == 2 and "say which files or folders, `.` for this one" in ran.err


def test_the_folder_rulesets_is_the_default(run, tmp_path):
    (tmp_path / "rulesets" / "below").mkdir(parents=True)
    (tmp_path / "rulesets" / "below" / "small.yaml").write_text(SMALL)
    (tmp_path / "rulesets" / ".hidden.yaml").write_text("nothing")
    assert run("validate").err.startswith("1 ruleset ")


def test_strict_lists_what_is_unproved(run, tmp_path):
    text = """
rulerun: 1
game: loose
title: Loose
players: [a, b]
state:
  visible: all
  leader: player or none
  won[player]: 0..5
phases:
  play:
    turns: you in players
    until: won[a] == 5
    do:
      - choose:
          lead: leader = you
          win: won[leader] += 1
"""
    (tmp_path / "loose.yaml").write_text(text)
    assert run("validate", "loose.yaml", "--play", 0).out == ""
    done = run("validate", "loose.yaml", "--strict", "--play", 0)
    assert done.code == 0
    assert "RR0801" in done.out
    # Play shows that it is not only unproved.
    assert "RR0901" in run("validate", "loose.yaml").out


@pytest.mark.parametrize(
    ("arguments", "variable", "colored"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours(run, monkeypatch, tmp_path, arguments, variable, colored):
    (tmp_path / "bad.yaml").write_text(SMALL.replace("until:", "untli:"))
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("validate", "bad.yaml", *arguments).out) is colored


def test_deep(run, small):
    done = run("validate", small, "--deep", "--games", 1)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith("; no broken laws\n")


@pytest.mark.parametrize("option", ["--games", "--seed"])
def test_what_only_the_laws_take_wants_deep(run, small, option):
    done = run("validate", small, option, 3)
    assert done.code == 2
    assert f"{option} says how the laws are tested: write --deep with it" in done.err


def test_a_broken_law(run, tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL + "always: {few: n < 1}\n")
    done = run("validate", "small.yaml", "--deep", "--games", 1)
    assert done.code == 1
    assert "few" in done.out
    data = json.loads(run("validate", "small.yaml", "--deep", "--games", 1, "--format", "json").out)
    assert data["laws"][0]["file"] == "small.yaml"
    assert set(data["laws"][0]["inputs"]) <= {"a: more", "a: wait", "b: more", "b: wait"}
    done = run("validate", "small.yaml", "--deep", "--games", 1, "--format", "github")
    assert re.match("::error title=RR0803 broken-law,file=small.yaml,line=[0-9]+,", done.out)
    assert "no problems found" not in done.err


# ------------------------------------------------------------------------------------------- test


SCENARIOS = """
scenarios:
  - id: S1
    title: One more
    do: [{a: more}]
    expect: [n == 1]
  - id: S2
    title: Two
    do: [{a: more}]
    expect: [n == 2]
"""


@pytest.fixture
def scenarios(small):
    path = small.with_name("small.test.yaml")
    path.write_text(SCENARIOS, encoding="utf-8")
    return path


def test_scenarios_run(run, scenarios):
    done = run("test", scenarios.name)
    assert done.code == 1
    assert "FAILED small.test.yaml S2: Two" in done.out
    assert "small.test.yaml: 1 passed, 1 failed" in done.out
    assert done.err == "1 passed, 1 failed, in 1 file\n"


@pytest.mark.parametrize("name", ["small.yaml", "."])
def test_scenarios_beside_a_rules_file(run, scenarios, name):
    assert run("test", name).code == 1


def test_scenarios_are_chosen(run, scenarios):
    assert run("test", ".", "-k", "one more").code == 0
    assert run("test", ".", "-k", "s2").code == 1
    done = run("test", ".", "-k", "nothing")
    assert done.code == 5
    assert "there is no scenario" in done.err
    # Whole words: one id may begin with another.
    scenarios.write_text(SCENARIOS.replace("S1", "B-1").replace("S2", "B-10"), encoding="utf-8")
    assert run("test", ".", "-k", "b-1").code == 0
    assert run("test", ".", "-k", "b-10", "-k", "b-1").code == 1
    assert run("test", ".", "-k", "w").code == 5


def test_scenarios_as_data(run, scenarios):
    data = json.loads(run("test", ".", "--format", "json").out)
    assert [each["passed"] for each in data["files"][0]["scenarios"]] == [True, False]
    root = ElementTree.fromstring(run("test", ".", "--format", "junit").out.encode())
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite[1][0].tag == "failure"


@pytest.mark.parametrize("comment", ["# rulerun: ignore RR0101", "# rulerun: ignore[RR0120] so"])
def test_a_warning_fails_no_scenario(run, scenarios, comment):
    scenarios.write_text(scenarios.read_text(encoding="utf-8") + comment, encoding="utf-8")
    done = run("test", ".", "-k", "s1")
    assert (done.code, done.err) == (0, "1 passed, 0 failed, in 1 file\n")
    assert "warning[RR072" in done.out and "FAILED" not in done.out
    assert "::warning title=RR072" in run("test", ".", "-k", "s1", "--format", "github").out
    suite = ElementTree.fromstring(run("test", ".", "--format", "junit").out.encode())[0]
    assert (suite.get("tests"), suite.get("failures"), len(suite)) == ("2", "1", 2)
    assert run("validate", scenarios.name, "--strict", "--play", 0).code == 1


def test_no_scenarios(run, small):
    assert run("test", ".").code == 5
    assert run("test", "small.yaml").code == 2


# ----------------------------------------------------------------------------------------- replay


@pytest.fixture
def record(run):
    typed = "prince\nspy\nmusician\n"
    run("play", "brave_rats", *RANDOM, "--seed", 7, "--record", "a.jsonl", typed=typed)
    return "a.jsonl"


def test_replay_tells_it(run, record):
    done = run("replay", record)
    assert done.code == 0
    assert "* Yarg plays the prince 7; Applewood plays the musician 0." in done.out
    assert "hand  prince" not in done.out
    mine = run("replay", record, "--as", "Yarg")
    assert "* You play the prince 7; Applewood plays the musician 0." in mine.out


def test_replay_stops(run, record):
    done = run("replay", record, "--to", 2, "--as", "applewood")
    assert done.code == 0
    assert "spy 2 goes" not in done.out
    data = json.loads(run("replay", record, "--to", 2, "--format", "json").out)
    assert [each[0] for each in data["told"]].count("together_end") == 1
    assert data["over"] is False


def test_before_all_have_decided_nobody_is_told(run, record):
    """The first input of a secret decision is not told to the other, replayed or not."""
    done = run("replay", record, "--to", 1, "--as", "yarg", "--format", "json")
    assert [each[0] for each in json.loads(done.out)["told"]].count("choose") == 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_before_all_have_decided_nobody_can_count(run, record, form):
    """One byte more would tell a player whether the other has decided."""
    told = [
        run("replay", record, "--to", upto, "--as", "yarg", "--format", form).out for upto in (0, 1)
    ]
    assert told[0] == told[1]


def test_replay_names_the_difference(run, record, tmp_path):
    path = tmp_path / record
    path.write_text(path.read_text().replace('"action": "spy"', '"action": "prince"'))
    done = run("replay", record, "--verify")
    assert done.code == 1
    assert "RR1010" in done.err
    path.write_bytes(b"".join(summed(path.read_bytes().splitlines(keepends=True))))
    done = run("replay", record, "--verify")
    assert done.code == 1
    assert "RR1007" in done.err


def test_a_verdict_as_data(run, record, tmp_path):
    def verdict(code: int) -> Any:
        done = run("replay", record, "--verify", "--format", "json")
        assert (done.code, done.err) == (code, "")
        return json.loads(done.out)

    assert verdict(0) == {
        "schema_version": 1,
        "fits": True,
        "format": 2,
        "inputs": 6,
        "ended": "over",
        "diagnostics": [],
    }
    path = tmp_path / record
    path.write_text(path.read_text().replace('"action": "spy"', '"action": "prince"'))
    path.write_bytes(b"".join(summed(path.read_bytes().splitlines(keepends=True))))
    wrong = verdict(1)
    assert (wrong["fits"], wrong["inputs"]) == (False, 3)
    assert [each["code"] for each in wrong["diagnostics"]] == ["RR1007"]
    path.write_text("{")
    assert [each["code"] for each in verdict(2)["diagnostics"]] == ["RR1003"]


def test_a_game_that_was_checked_is_not_checked_again(run, record, monkeypatch, tmp_path):
    """As `play` does; `show` reads the file for what stands only there."""
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "cache"))
    commands = (
        ["replay", record, "--verify"],
        ["play", "--resume", record, "--script", os.devnull],
        ["show", "brave_rats"],
        ["show", "brave_rats", "--actions"],
        ["show", "brave_rats", "--assumptions"],
    )
    first = [run(*command) for command in commands]

    def checked(*arguments: object) -> None:
        raise AssertionError("it is checked again")

    monkeypatch.setattr("rulerun_dsl.load.generate", checked)
    again = [run(*command) for command in commands]
    assert [(each.code, each.out) for each in again] == [(each.code, each.out) for each in first]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nothing"], 2, "RR1001"),
        (["a.jsonl", "--as", "yrag"], 2, "did you mean yarg?"),
        (["a.jsonl", "--rules", "pig"], 1, "RR1011"),
    ],
)
def test_what_cannot_be_replayed(run, record, arguments, code, said):
    done = run("replay", *arguments)
    assert done.code == code
    assert said in done.err


# ------------------------------------------------------------------------------------------- rules


def test_rules_in_each_format(run, small):
    assert run("rules", small).out.startswith("Small: the rules\n====")
    assert run("rules", small, "--format", "md").out.startswith("# Small: the rules\n")
    page = run("rules", small, "--format", "html").out
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")


def test_rules_of_the_game_that_is_asked_for(run, small):
    assert "until the n is 2" in run("rules", small).out
    assert "until the n is 3" in run("rules", small, "--variant", "long").out
    assert "until the n is 1" in run("rules", small, "--set", "most=1").out
    german = run("rules", small, "--lang", "de")
    assert "keine deutschen Texte" in german.out and "until the n is 2" in german.out
    assert german.err == ""


def test_rules_in_a_file(run, small, tmp_path):
    done = run("rules", small, "--format", "md", "--output", tmp_path / "small.md")
    assert (done.code, done.out) == (0, "")
    assert "small.md" in done.err
    assert (tmp_path / "small.md").read_text(encoding="utf-8").startswith("# Small")
    done = run("rules", small, "--output", tmp_path / "no" / "small.txt")
    assert done.code == 2
    assert "cannot be written" in done.err


@pytest.mark.parametrize(
    "arguments", [["nothing"], ["small.yaml", "--lang", "xx"], ["small.yaml", "--variant", "no"]]
)
def test_rules_of_what_is_not_there(run, small, arguments):
    assert run("rules", *arguments).code == 2


def test_rules_at_the_table(run, small):
    typed = "rules\nrules the end\nrules wolves\nquit\n"
    done = run("play", small, "--set", "most=1", typed=typed)
    assert "until the n is 1" in done.out
    assert done.out.count("THE END, AND WHO WINS\n---") == 2
    assert "The rules say nothing of wolves." in done.out


# --------------------------------------------------------------------------- show, schema, explain


def test_show(run):
    done = run("show", "brave_rats")
    assert done.code == 0
    for text in ("target", "draft", "prince", "hand[player]", "battle", "Actions: 8", "BR-Q01"):
        assert text in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_show_as_data(run):
    data = json.loads(run("show", "brave_rats", "--format", "json", "--variant", "fast_rat").out)
    assert data["schema_version"] == 1
    assert data["players"] == {"least": 2, "most": 2, "names": ["yarg", "applewood"]}
    assert data["options"][0]["value"] == "3"
    assert data["actions"]["total"] == 8
    assert [each["phase"] for each in data["flow"][0]["phases"]] == [
        "preparation",
        "battle",
        "result",
    ]


def test_show_a_part(run):
    done = run("show", "brave_rats", "--assumptions")
    assert "BR-Q01" in done.out
    assert "prince " not in done.out
    assert run("show", "pig", "--actions").out.splitlines()[0].startswith("Actions: 2")
    assert "none" in run("show", "pig", "--assumptions").out


@pytest.mark.parametrize("name", ["ruleset", "scenario", "record"])
def test_schema(run, name):
    assert "$schema" in json.loads(run("schema", name).out)


def test_schema_of_rulesets_is_the_default(run):
    assert run("schema").out == run("schema", "ruleset").out
    assert run("schema", "nothing").code == 2


@pytest.mark.parametrize("code", ["RR0101", "rr0101", "101", "yaml-syntax", "yaml_syntax"])
def test_explain(run, code):
    done = run("explain", code)
    assert done.code == 0
    assert done.out.startswith("# RR0101")


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_is_explained(run, code):
    assert run("explain", code).out.startswith(f"# {code}")


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("there is no name `scores`", "RR0402"),
        ("error[RR0601]: nothing says who sees the zone `hand`", "RR0601"),
        ("nothing says who sees the zone `hand`", "RR0601"),
        ("whose `hand`? no `you` is bound here", "RR0405"),
        ("two comparisons are chained", "RR0315"),
    ],
)
def test_a_message_is_explained(run, message, code):
    assert f"# {code} " in run("explain", message).out


def test_a_word_is_explained(run):
    said = run("explain", "refill").out
    assert "a key of a zone" in said and "RR0720" in said
    said = run("explain", "count").out
    assert "`count(S)`" in said and "a key of a zone" in said
    assert "As a step of a rule: write `roll die`" in run("explain", "roll").out
    said = run("explain", "hand").out
    assert "whose pages speak of it" in said and "\n- RR0603 What is legal" in said
    done = run("explain", "refil")
    assert done.code == 2 and "did you mean `refill`?" in done.err
    assert run("explain", "a word of nobody at all").code == 2


_TAUGHT = (
    *("ties", "points", "you", "owner", "none", "is", "otherwise", "random", "up to", "+="),
    *("say", "kind", "pass", "given", "do", "enter", "expect", "sees", "waiting", "outcome"),
    *("refuse", "chance"),
)


@pytest.mark.parametrize("word", _TAUGHT)
def test_a_word_of_the_tutorial_has_a_meaning(run, word):
    done = run("explain", *word.split())
    assert done.code == 0 and done.out.startswith(f"# {word}\n\n- "), done.err


def test_what_words_mean_is_from_the_pages_and_schemas(run):
    assert "- Scoring: `ties(player p)`: what decides between equal" in run("explain", "ties").out
    assert "`move up to N from Y to Z`: N, or as many as there are" in run("explain", "up to").out
    assert "- Statements: `pass`: nothing happens" in run("explain", "pass").out
    assert "*kind* says what it is" in run("explain", "kind").out
    assert "As a key of a scenario: Laid over the state" in run("explain", "given").out


@pytest.mark.parametrize(
    ("word", "mine", "others"),
    [
        ("for", "RR0322", "RR0102"),
        ("together", "RR0605", "RR0710"),
        ("refill", "RR0720", "RR0102"),
    ],
)
def test_a_word_has_the_findings_about_it_and_no_others(run, word, mine, others):
    """`for` and `together` are words of English as well."""
    said = run("explain", word).out
    assert f"- {mine} " in said and f"- {others} " not in said
    assert "RR0" not in run("explain", "one").out


def test_what_is_the_same_in_several_places_is_said_once(run):
    for word in ("refill", "visible", "until", "do"):
        said = [each.partition(": ")[2] for each in run("explain", word).out.splitlines()]
        meant = [each for each in said if each]
        assert meant and len(meant) == len(set(meant))
    assert "- As a key of a zone for one and of a zone: " in run("explain", "refill").out


def test_a_word_of_rulebooks_is_explained_by_games(run):
    shown = run("explain", "trick").out
    assert "`rulerun list --shows trick`" in shown
    assert "- trick with trump: bridge, euchre" in shown
    assert "No word of the language" not in run("explain", "refill").out


def test_how_one_declares_is_explained(run):
    assert "`leader: player = P1`" in run("explain", "state").out
    assert "`trump: suit` under `state:`" in run("explain", "declare").out


def test_what_was_found_in_a_file_is_explained(run, tmp_path):
    """Of one code, of a message, of all; a file that is right has nothing to explain."""
    file = tmp_path / "lucky.yaml"
    file.write_text(SLIPS, encoding="utf-8")
    for what in ("RR0402", "there is no name `pints`"):
        done = run("explain", what, file)
        assert done.code == 0 and done.out.startswith("error[RR0402]: there is no name `pints`\n")
        assert "lucky.yaml:10:12" in done.out and "\n\n# RR0402 " in done.out
        assert "RR0314" not in done.out.partition("# RR0402")[0]
    said = run("explain", file).out
    assert said.index("# RR0402 ") < said.index("error[RR0314]") < said.index("# RR0314 ")
    assert "RR0101 is not found there\n\n# RR0101 " in run("explain", "RR0101", file).out
    done = run("explain", "a word of nobody at all", file)
    assert (
        done.code == 2 and "there is no finding and no word `a word of nobody at all`" in done.err
    )
    file.write_text(
        SLIPS.replace("pints", "die").replace("do: roll die if die = 6", "do: roll die"),
        encoding="utf-8",
    )
    assert "nothing was found that could be explained" in run("explain", file).out
    done = run("explain", "RR0402", tmp_path / "gone.yaml")
    assert done.code == 2 and "there is no file" in done.err


SLIPS = """\
rulerun: 1
game: lucky
players: 2
state:
  visible: all
  die: 1..6
phases:
  play:
    turns: you in players
    until: pints == 6
    do: roll die if die = 6
"""


@pytest.mark.parametrize(
    ("code", "meant"), [("RR9999", ""), ("unknwon-name", "unknown-name"), ("../RR9101", "")]
)
def test_unknown_codes(run, code, meant):
    done = run("explain", code)
    assert (done.code, done.out) == (2, "")
    assert meant in done.err


# -------------------------------------------------------------------------------- the hard exits


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["schema"], ["show", "pig"], ["play", "pig"]])
def test_a_full_disk(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rulerun", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=ENVIRONMENT,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "rulerun: standard output takes no more: no space left on device\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pipe to close")
@pytest.mark.parametrize("arguments", [["schema"], ["play", "pig", "--seat", "all=random"]])
def test_a_reader_that_goes_away(arguments):
    with subprocess.Popen(
        [sys.executable, "-m", "rulerun", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_a_record_that_cannot_grow_keeps_what_was_played(tmp_path):
    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    arguments = ["play", "tic_tac_toe", "--record", "a.jsonl", "--seed", "7"]
    typed = "1\n" * 9
    done = spawn(*arguments, typed=typed, more=KEEPS_NOTHING, cwd=tmp_path, preexec_fn=limit)
    if done.returncode == 0:
        limit_reached = (tmp_path / "a.jsonl").stat().st_size >= 600
        assert not limit_reached
        pytest.skip("the whole play fits")
    assert done.returncode == 2
    assert "nothing is lost but this input" in done.stderr
    again = spawn("play", "--resume", "a.jsonl", typed="1\n" * 9, cwd=tmp_path)
    assert again.returncode == 0
    assert spawn("replay", "a.jsonl", "--verify", cwd=tmp_path).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupt_loses_nothing(tmp_path):
    import signal
    import time

    path = tmp_path / "a.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "rulerun", "play", "tic_tac_toe", "--record", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=ENVIRONMENT,
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write("1\n")
        process.stdin.flush()
        for _ in range(600):
            if path.exists() and path.read_bytes().count(b"\n") == 3:
                break
            time.sleep(0.05)
        for _ in range(60):
            # One that comes just before the program waits for a line is seen at the next.
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)
                break
        assert process.returncode == 130
        assert "rulerun play --resume" in process.stderr.read()
    assert path.read_bytes().count(b"\n") == 3


# ------------------------------------------------------------------------- choices of several

MARKET = """
rulerun: 1
game: market
title: Market
players: [ann, bob]
components:
  ware: {rows: {wool: {}, old_ore: {}, salt: {}}, copies: 2, start: stall}
zones:
  visible: all
  stall: {of: ware}
  cart: {of: ware}
phases:
  main:
    do:
      - choose: 2..3 w in stall, k in 1..2 if k == 1
        by: ann
      - move w to cart
"""

ORDERS = ("salt + old_ore + salt", "old_ore+salt +salt", "Salt + salt + Old_Ore")


@pytest.fixture
def market(tmp_path):
    (tmp_path / "market.yaml").write_text(MARKET, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("goods", ORDERS)
def test_a_choice_of_several_is_written_in_any_order(run, market, goods):
    """In scenarios, scripts, records and at the table alike."""
    scenario = f"""
scenarios:
  - id: taken
    do:
      - refuse: {{ann: "{goods}, 2", because: "k == 1"}}
      - ann: "{goods}, 1"
    expect: [count(cart) == 3]
  - id: legal
    given: {{stall: [wool, salt]}}
    legal: {{ann: ["wool + salt, 1"]}}
  - id: turned
    given: {{stall: [wool, salt]}}
    legal: {{ann: ["salt + wool, 1"]}}
"""
    (market / "market.test.yaml").write_text(scenario, encoding="utf-8")
    tested = run("test", "market.yaml")
    assert tested.code == 0, tested.out
    seats = ("--seat", "all=human", "--seed", "1")
    texts = (f"{goods}, 1", f" {goods.replace('_', ' ')} ,1")
    for number, text in enumerate(texts):
        played = run(
            "play", "market.yaml", *seats, "--record", f"{number}.jsonl", typed=f"{text}\n"
        )
        assert played.code == 0, played.out
        assert '"action": "old_ore + salt + salt, 1"' in Path(f"{number}.jsonl").read_text()
    script = run("play", "market.yaml", *seats, "--script", "-", typed=f"ann: {texts[0]}\n")
    assert script.code == 0, script.err
    changed = Path("0.jsonl").read_text().replace("old_ore + salt + salt", goods)
    Path("changed.jsonl").write_bytes(b"".join(summed(changed.encode().splitlines(keepends=True))))
    assert run("replay", "changed.jsonl", "--rules", "market.yaml", "--verify").code == 0


def test_a_refused_choice_of_several_is_refused_for_its_reason(run, market):
    typed = "salt + wool, 2\nwool + salt, 2\nsalt + gold, 1\nquit\n"
    seats = ("--seat", "all=human", "--seed", "1")
    told = run("play", "market.yaml", *seats, typed=typed).out.splitlines()
    said = [line for line in told if line.startswith("No: ")]
    assert len(said) == 2 and said[0] == said[1]
    assert any(line.startswith("Do you mean ") for line in told)


def test_public_names_are_there():
    for name in rulerun.__all__:
        assert getattr(rulerun, name) is not None
    assert set(rulerun.__all__) <= set(dir(rulerun))


def test_the_list_of_games_is_in_the_language_asked_for(run, monkeypatch):
    def titles(*arguments: str) -> dict[str, str]:
        ran = run("list", "--format", "json", *arguments)
        assert ran.code == 0
        return {each["name"]: each["title"] for each in json.loads(ran.out)["games"]}

    plain, french = titles(), titles("--lang", "fr")
    assert plain["antler_island"] == "Antler Island"
    assert french["antler_island"] == "L'île de la Ramure"
    assert french["hearts"] == plain["hearts"], "it has no texts in French"
    monkeypatch.setenv("RULERUN_LANG", "fr")
    assert titles() == french


def test_the_heads_of_the_list_are_in_the_language_asked_for(run):
    def heads(*arguments):
        return run("list", *arguments).out.splitlines()[0].split()

    assert heads() == ["name", "players", "minutes"]
    assert heads("--lang", "fr") == ["nom", "joueurs", "minutes"]
    assert heads("--lang", "de") == ["Name", "Spieler", "Minuten"]
    assert heads("--lang", "xx") == heads(), "what no table speaks is listed in English"


def test_a_game_without_texts_is_told_in_one_language(run):
    arguments = ("play", "no_thanks", "--seat", "all=random", "--seed", "3")
    plain, french = run(*arguments), run(*arguments, "--lang", "fr")
    assert french.out == plain.out, "the log, the table and the end are those of the rules"
    assert french.err.count("pas de textes en français") == 1 and not plain.err
    told = run("play", "brave_rats", *arguments[2:], "--lang", "fr")
    assert "joue" in told.out and not told.err, "it has texts in French"


def test_copies_of_rules_beside_tables_are_not_taken_for_rules(run, tmp_path, monkeypatch):
    """What `serve` keeps lies in the folder where one works."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(SMALL, encoding="utf-8")
    kept = tmp_path / "rulerun-tables" / "rules" / "0123"
    kept.mkdir(parents=True)
    (kept / "old.yaml").write_text("game: old", encoding="utf-8")
    assert run("validate", ".").code == 1
    (tmp_path / "rulerun-tables" / "tables.sqlite").touch()
    assert run("validate", ".").code == 0


def test_a_save_is_resumed_in_its_language(run):
    arguments = ("--seed", 7, "--record", "a.jsonl", "--lang", "fr")
    begun = run("play", "brave_rats", *RANDOM, *arguments, typed="a\n")
    assert "rulerun play --resume a.jsonl --lang fr" in begun.err
    again = run("play", "--resume", "a.jsonl")
    assert "rulerun play --resume a.jsonl\n" in again.err, "in the language of the rules"


def test_options_go_by_their_names_in_the_language_asked_for(run):
    french = ("rules", "chasse_en_folie", "--lang", "fr")
    by_name = run(*french, "--set", "Valeur du pavillon=4 par braconnier")
    by_key = run(*french, "--set", "lodge_bonus=per_hunter")
    assert by_name.code == 0 and by_name.out == by_key.out
    assert "4 par braconnier (votre choix)" in by_name.out
    truth = run(*french, "--set", "interdiction mangee=non")
    assert truth.out == run(*french, "--set", "zone_ban_is_carrot=false").out
    rats = ("rules", "brave_rats", "--lang", "fr")
    variant = run(*rats, "--variant", "rat rapide")
    assert variant.code == 0 and variant.out == run(*rats, "--variant", "fast_rat").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "pavillon=4"], "il n'y a pas d'option « pavillon »"),
        (["--set", "pavillon=4"], "valeur du pavillon (lodge_bonus)"),
        (["--set", "zone_ban_blocks=peut"], "« peut » n'est pas une valeur de l'option"),
        (["--set", "zone_ban_blocks=peut"], "il y a : oui (true), non (false)"),
    ],
)
def test_what_is_no_option_is_refused_in_the_language_asked_for(run, arguments, said):
    done = run("rules", "chasse_en_folie", "--lang", "fr", *arguments)
    assert done.code == 2 and said in done.err
    plain = run("rules", "chasse_en_folie", *arguments)
    assert plain.code == 2 and "RR0412" in plain.err


def test_rules_name_what_is_typed_for_options(run):
    book = run("rules", "antler_island", "--lang", "de").out
    assert "`--variant de`" in book and "`--set advanced_cubes=true|false`" in book
    assert "--variant" not in run("rules", "antler_island", "--format", "md").out

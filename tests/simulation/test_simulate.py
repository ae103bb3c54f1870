"""`rulerun simulate`, from a command line to a report."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rulerun
import rulerun_dsl
from rulerun.cli import main
from rulerun.simulation.run.checkpoint import CHUNKS
from rulerun.simulation.run.pool import Simulating, run_here
from rulerun.simulation.run.schedule import Piece
from rulerun.simulation.run.seats import EXECUTORS
from rulerun_dsl.load import load_game

RACE = """
rulerun: 1
game: race
title: Race <to> three
players: 2..3
options:
  risky: {type: bool, default: false, about: Whether one may fall off the end.}
state:
  visible: all
  score[player]: 0..3
  die: 1..6
phases:
  play:
    turns: you in players
    until: any(score[p] >= 3 for p in players)
    do:
      - roll die
      - choose:
          keep: score += 1
          risk: score = (score + 2 if risky else min(score + 2, 3))
        ask: Keep or risk?
      - score = idle if never
functions:
  never: die == 7
  idle: min(die, 3)
scoring:
  points(player p): score[p]
"""


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    Path("race.yaml").write_text(RACE, encoding="utf-8")

    def run(*arguments):
        code = main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def simulated(run, *arguments):
    code, out, err = run("simulate", "race.yaml", *arguments, "--format", "json")
    assert code in (0, 1), err
    return json.loads(out)


# --------------------------------------------------------------------------------- what it says


def test_text(run):
    code, out, err = run("simulate", "race.yaml", "-n", "120")
    assert (code, err) == (0, "")
    assert out.startswith("Race <to> three: 120 games, seed 0\n  seats  P1 (random), P2 (random)\n")
    assert re.search(r"P1 +\d+ +\d+\.\d % +\d+\.\d to \d+\.\d % +more than fair", out)
    assert "functions      1 of 2 (50.0 %)" in out
    assert "race.yaml:22: - score = idle if never" in out
    assert "idle" in out


def test_where_nobody_can_win_no_share_is_fair(run):
    Path("race.yaml").write_text(RACE.partition("scoring:")[0], encoding="utf-8")
    out = run("simulate", "race.yaml", "-n", "5")[1]
    assert "Wins, of 5 games that came to their end: nobody won\n" in out
    assert "`scoring:`, or `end game won by …`" in out and "fair share" not in out


def test_sums_agree(run):
    found = simulated(run, "-n", "60", "--players", "3")
    wins = found["wins"]
    assert found["games"]["played"] == found["games"]["ended"] == wins["of"] == 60
    assert sum(each["count"] for each in wins["winners"]) == 60
    for seat in wins["seats"]:
        assert seat["low"] <= seat["share"] <= seat["high"]
        assert sum(each["count"] for each in seat["places"]) == 60
    taken = sum(each["taken"] for each in found["actions"]["names"])
    assert taken == found["branching"]["decisions"]
    for seat in found["scores"]["seats"]:
        assert sum(many for _, many in seat["total"]["histogram"]) == 60
        assert seat["total"] == seat["lines"][0]["value"]


def test_the_same_whatever_plays_it(run):
    one = run("simulate", "race.yaml", "-n", "160", "--format", "json")
    for arguments in (
        ("--jobs", "2"),
        ("--executor", "python", "--jobs", "1"),
        ("--executor", "native"),
        ("--out", "kept"),
        ("--seed", "0"),
        ("--seat", "all=random"),
    ):
        assert run("simulate", "race.yaml", "-n", "160", "--format", "json", *arguments) == one
    assert run("simulate", "race.yaml", "-n", "160", "--format", "json", "--seed", "1") != one


def test_until_known_closely_enough(run):
    found = simulated(run, "-n", "9000", "--until-ci", "0.05")
    assert found["games"]["stopped"] == "interval"
    assert found["games"]["played"] < 1_000
    widths = [seat["high"] - seat["low"] for seat in found["wins"]["seats"]]
    assert max(widths) < 0.1
    assert simulated(run, "-n", "9000", "--until-ci", "0.05", "--jobs", "2") == found


def test_agents(run):
    found = simulated(run, "-n", "30", "--seat", "p1=first", "--no-coverage")
    assert [seat["agent"] for seat in found["seats"]] == ["first", "random"]
    assert "coverage" not in found
    assert found["wins"]["seats"][1]["share"] > 0.5


def test_coverage_of_all_games(run):
    assert simulated(run, "-n", "1010", "--jobs", "1")["coverage"]["games"] == 1_000
    assert simulated(run, "-n", "1010", "--coverage", "--jobs", "1")["coverage"]["games"] == 1_010


def test_csv(run):
    code, out, _ = run("simulate", "race.yaml", "-n", "20", "--format", "csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["about"] for row in rows} >= {"games", "wins", "score", "length", "coverage"}
    (played,) = [row["value"] for row in rows if row["what"] == "played"]
    assert played == "20"


class Page(HTMLParser):
    """What stands in a page."""

    EMPTY = ("meta", "circle", "line", "br")

    def __init__(self):
        super().__init__()
        self.open = []
        self.tags = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(path):
    page = Page()
    page.feed(Path(path).read_text(encoding="utf-8"))
    page.close()
    assert page.open == []
    return page


def test_page(run):
    assert run("simulate", "race.yaml", "-n", "30", "--html", "page.html")[0] == 0
    page = read("page.html")
    names = [tag for tag, _ in page.tags]
    assert "script" not in names and "link" not in names and "img" not in names
    assert not any({"src", "href"} & attributes.keys() for _, attributes in page.tags)
    assert "http" not in Path("page.html").read_text(encoding="utf-8")
    assert "Race <to> three" in page.text
    pictures = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(pictures) == 4
    assert all(each["role"] == "img" and each["aria-label"] for each in pictures)
    assert names.count("caption") == names.count("table") > 5
    assert all(each.get("scope") for tag, each in page.tags if tag == "th")


# ------------------------------------------------------------------------------- what goes wrong


def test_rule_errors_are_recorded(run):
    code, out, err = run("simulate", "race.yaml", "-n", "80", "--set", "risky=true")
    assert (code, err) == (1, "")
    shown = re.search(r"rulerun (replay (race-range-\d+\.jsonl) --rules race\.yaml)", out)
    assert shown is not None
    assert "RR0904 in" in out and "race.yaml:20:" in out
    code, _, err = run(*shown[1].split())
    assert code == 1
    assert "leads to a rule error: score would be 4; it is 0..3" in err
    found = simulated(run, "-n", "80", "--set", "risky=true", "--out", "kept")
    assert Path("kept", found["errors"][0]["record"]).read_bytes() == Path(shown[2]).read_bytes()
    assert found["games"]["failed"] == found["errors"][0]["count"] > 0
    # Again, over the record that is there; but nobody's file is overwritten.
    assert run("simulate", "race.yaml", "-n", "80", "--set", "risky=true")[0] == 1
    Path(shown[2]).write_text("mine")
    code, _, err = run("simulate", "race.yaml", "-n", "80", "--set", "risky=true")
    assert code == 2 and "there is another file of that name" in err
    assert Path(shown[2]).read_text() == "mine"


def test_games_that_do_not_end(run):
    endless = RACE.replace("  die: 1..6\n", "  die: 1..6\nlimits: {decisions: 2}\n", 1)
    Path("endless.yaml").write_text(endless, encoding="utf-8")
    code, out, _ = run("simulate", "endless.yaml", "-n", "20")
    assert code == 0
    assert "truncated  " in out and "limit of 2 decisions" in out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("simulate", "rase.yaml"), 2, "there is no file `rase.yaml`"),
        (("simulate", "race.yaml", "--seat", "P1=greedy:3"), 2, "there is no agent greedy:3"),
        (("simulate", "race.yaml", "--seat", "P1=firs"), 2, "did you mean first?"),
        (("simulate", "race.yaml", "--seat", "P9=first"), 2, "there are P1, P2"),
        (("simulate", "race.yaml", "--seat", "P1"), 2, "write it as NAME=AGENT"),
        (("simulate", "race.yaml", "-n", "0"), 2, "0 is not in the range"),
        (("simulate", "race.yaml", "--until-ci", "0"), 2, "--until-ci"),
        (("simulate", "race.yaml", "--set", "risky"), 2, "write it as option=value"),
        (("simulate", "race.yaml", "--set", "speed=1"), 2, "speed"),
        (("simulate", "race.yaml", "--players", "9"), 2, "settings"),
        (("simulate", "race.yaml", "--executor", "quick"), 2, "reference"),
        (("simulate", "race.yaml", "--html", "no/page.html"), 2, "there is no folder `no`"),
        (("simulate", "race.yaml", "--html", "."), 2, "is a folder"),
        (("simulate", "race.yaml", "--out", "race.yaml"), 2, "`race.yaml`"),
        (("simulate", "race.yaml", "--out", "."), 2, "name a folder of its own"),
        (("simulate",), 2, "Missing argument"),
    ],
)
def test_bad_input_is_one_message(run, arguments, code, words):
    found, out, err = run(*arguments)
    assert found in (code, 1)
    assert words in err
    assert out == "" and "Traceback" not in err


def test_a_cluster_needs_its_package(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, out, err = run("simulate", "race.yaml", "--cluster", "tcp://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert "pip install 'rulerun[dist]'" in err


# --------------------------------------------------------------------------- killed, interrupted

PACKAGES = [str(Path(each.__file__ or "").parent.parent) for each in (rulerun, rulerun_dsl)]


def begin(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "rulerun", "simulate", "race.yaml", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(PACKAGES)},
    )


def wait_for_lines(path, lines):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.01)
    raise AssertionError("nothing was kept")


@pytest.mark.slow_in_ci
@pytest.mark.skipif(os.name == "nt", reason="there are no such signals on Windows")
@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_killed_and_interrupted_it_goes_on(run, jobs):
    whole = simulated(run, "-n", "3000")
    # In machine code all would be over before the signal comes.
    options = ("-n", "3000", "--out", "kept", "--jobs", jobs, "--executor", "python")
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        before = Path("kept", CHUNKS)
        lines = before.read_bytes().count(b"\n") if before.exists() else 0
        process = begin(*options)
        wait_for_lines(Path("kept", CHUNKS), lines + 3)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert process.returncode == code
        if number == signal.SIGINT:
            assert b"interrupted: this is what was played" in out
            assert err == b"interrupted\n"
    assert simulated(run, *options) == whole


class Own:
    """An agent of somebody's own: the last legal action."""

    blind = False

    def choose(self, seen, legal, luck):
        return legal[-1]


SEATS = {
    "random": {},
    "first": {0: "first", 1: "first"},
    "mixed": {1: "first"},
    "own": {0: Own},
    "greedy": {0: "greedy"},
    "mcts": {0: "mcts:20", 1: "easy:10"},
}


@pytest.mark.parametrize("seats", SEATS.values(), ids=SEATS)
def test_whoever_plays_is_counted_alike(seats):
    """Executors, seats, coverage: a number of a seed is the same game, and counted the same."""
    game, found = load_game(RACE.encode())
    assert game is not None, found
    totals = []
    for executor in EXECUTORS:
        for covered in (0, 12):
            task = Simulating(game, executor, tuple(seats.items()), 0, covered)
            ((_, one),) = run_here(task, [Piece(0, 20)])
            totals.append((covered, one.data()))
    first = dict(totals)
    assert first[12]["covered"] == 12 and first[0]["covered"] == 0
    assert [data == first[covered] for covered, data in totals] == [True] * 2 * len(EXECUTORS)


@pytest.mark.parametrize("executor", ["reference", "python", "native"])
def test_seats_and_coverage_in_several_processes(run, executor):
    given = ("-n", "40", "--seat", "P1=first", "--coverage", "--format", "json")
    one = run("simulate", "race.yaml", *given, "--jobs", "1")
    assert one[0] in (0, 1), one[2]
    assert run("simulate", "race.yaml", *given, "--jobs", "2", "--executor", executor) == one

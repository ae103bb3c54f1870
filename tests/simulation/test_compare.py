"""`rulerun compare`: paired differences, and what cannot be told."""

import json
import math
import statistics
from pathlib import Path

import pytest
from tests.rulesets import game_named
from tests.simulation.test_simulate import RACE, read, run  # noqa: F401
from tests.simulation.test_stepping import KEY
from tests.simulation.test_totals import table_of

from rulerun.compiled.python.batch import PythonBatch
from rulerun.reference.executor import Reference
from rulerun.runtime.rng import key_of
from rulerun.session.agents import FirstAgent
from rulerun.simulation.compare.differences import comparison
from rulerun.simulation.compare.findings import sentence
from rulerun.simulation.compare.paired import Comparing, Pairs, blocks
from rulerun.simulation.compare.pairing import run_pairs
from rulerun.simulation.run.pool import run_here
from rulerun.simulation.run.schedule import Piece, may_end, pieces
from rulerun.simulation.run.stepping import Stepping
from rulerun.simulation.stats.intervals import Z

SHORT, LONG = game_named("pig", winscore="15"), game_named("pig", winscore="25")
RANDOM = ((0, "random"), (1, "random"))


def compared(task, games=60, largest=100):
    play, sums = task.begin(), Pairs()
    for piece in pieces(games, largest=largest):
        sums.add(play(piece))
    return comparison(task, ["short", "long"], sums, "games")


def by_hand(game, games=60, agents=None):
    return Stepping(Reference(game, events=False), agents).play(key_of(3), 0, games)


def found(result, about, of=""):
    (each,) = [e for e in result["differences"] if (e["about"], e["of"]) == (about, of)]
    return each


@pytest.fixture(scope="module")
def result():
    return compared(Comparing((SHORT, LONG), "reference", RANDOM, 3))


def test_differences_are_those_of_pairs(result):
    ones, others = by_hand(SHORT), by_hand(LONG)
    more = [two.decisions - one.decisions for one, two in zip(ones, others, strict=True)]
    length = found(result, "length")
    reach = Z * statistics.stdev(more) / math.sqrt(len(more))
    assert length["difference"] == pytest.approx(statistics.mean(more), abs=1e-5)
    assert length["low"] == pytest.approx(statistics.mean(more) - reach, abs=1e-5)
    assert length["told"]
    wins = [(two.winners & 1) - (one.winners & 1) for one, two in zip(ones, others, strict=True)]
    assert found(result, "wins", "P1")["difference"] == pytest.approx(
        statistics.mean(wins), abs=1e-5
    )


def test_branching_is_a_ratio_of_sums(result):
    ones, others = by_hand(SHORT), by_hand(LONG)

    def ratio(played):
        return sum(each.options for each in played) / sum(each.decisions for each in played)

    each = found(result, "branching")
    assert each["a"] == pytest.approx(ratio(ones), abs=1e-5)
    assert each["b"] == pytest.approx(ratio(others), abs=1e-5)
    # The interval against the jackknife, which needs no formula.
    differences = [
        ratio(others[:at] + others[at + 1 :]) - ratio(ones[:at] + ones[at + 1 :])
        for at in range(len(ones))
    ]
    middle = statistics.mean(differences)
    spread = sum((each - middle) ** 2 for each in differences) * (len(ones) - 1) / len(ones)
    reach = (each["high"] - each["low"]) / 2
    assert reach == pytest.approx(Z * math.sqrt(spread), rel=0.15)


def test_pieces_make_no_difference(result):
    task = Comparing((SHORT, LONG), "reference", RANDOM, 3)
    assert compared(task, largest=5) == result


def test_blocks_end_at_the_same_games():
    whole = [block for piece in pieces(3_000, largest=10_000) for block in blocks(piece)]
    assert whole == [block for piece in pieces(3_000, largest=100) for block in blocks(piece)]
    assert whole[-1] == Piece(2_950, 50)


def test_what_cannot_be_told_is_said(result):
    for each in result["differences"]:
        if not each["told"] and not each["same"]:
            assert each["low"] <= 0 <= each["high"]
            assert each["smaller"]["size"] < each["shown"]
            assert each["smaller"]["games"] >= 60


def test_the_same_game_is_the_same_in_every_pair():
    result = compared(Comparing((SHORT, SHORT), "reference", RANDOM, 3), 20)
    assert all(each["same"] and not each["told"] for each in result["differences"])
    assert all(each["same"] for each in result["actions"])


def test_agents_that_differ_change_seats():
    task = Comparing((SHORT, LONG), "reference", ((0, "first"), (1, "random")), 3)
    assert task.swapped
    result = compared(task, 40)
    wins = 0
    for number in range(40):
        seat = number % 2
        stepping = Stepping(Reference(SHORT, events=False), {seat: FirstAgent})
        (played,) = stepping.play(key_of(3), number, 1)
        wins += played.winners >> seat & 1
    assert found(result, "agent", "first (named for P1)")["a"] == pytest.approx(wins / 40)
    assert compared(task, 40, largest=5) == result


# ------------------------------------------------------------------------------------ the command


def test_text(run):  # noqa: F811
    code, out, err = run(
        "compare", "pig", "--set", "winscore=15", "--against", "winscore=30", "-n", "80"
    )
    assert (code, err) == (0, "")
    assert "A      pig, winscore 15" in out and "B      pig, winscore 30" in out
    assert "Games are longer in B, by " in out
    assert "no difference can be told with 80 games; " in out


def test_json_and_page_whatever_plays_it(run):  # noqa: F811
    arguments = ("compare", "pig", "--set", "winscore=15", "--against", "winscore=16", "-n", "40")
    one = run(*arguments, "--format", "json")
    assert run(*arguments, "--format", "json", "--jobs", "2", "--html", "page.html") == one
    assert json.loads(one[1])["kind"] == "comparison"
    page = read("page.html")
    assert "What can be told" in page.text
    assert "http" not in Path("page.html").read_text(encoding="utf-8")


def test_two_files(run):  # noqa: F811
    text = RACE.replace("keep: score += 1", "save: score += 1")
    Path("other.yaml").write_text(text, encoding="utf-8")
    code, out, _ = run("compare", "race.yaml", "other.yaml", "-n", "30")
    assert code == 0
    assert "Only A knows: keep" in out and "Only B knows: save" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pig",), "both sides are the same: name another FILE"),
        (("pig", "--against", "winscore=100"), "both sides are the same game"),
        (("pig", "race.yaml", "--players", "5"), "settings"),
        (("pig", "antler_island"), "3"),
        (("pig", "--against", "winscor=9"), "winscore"),
        (("pig", "--against-variant", "long"), "long"),
    ],
)
def test_bad_input_is_one_message(run, arguments, words):  # noqa: F811
    code, out, err = run("compare", *arguments)
    assert code in (1, 2) and out == ""
    assert words in err and "Traceback" not in err


def test_how_many_games_would_tell_what_was_seen(result):
    """The same arithmetic as for a round difference, of the one that was seen."""
    assert all(each["needed"] is None for each in result["differences"])
    result = compared(Comparing((SHORT, game_named("pig", winscore="18")), "python", RANDOM, 3))
    seen = [each for each in result["differences"] if not each["told"] and each["difference"]]
    assert seen
    for each in seen:
        size, smaller = abs(each["difference"]), each["smaller"]
        expected = smaller["games"] * (smaller["size"] / size) ** 2
        assert each["needed"] == pytest.approx(expected, rel=0.15, abs=2)
        assert f"{each['needed']:,} games would tell" in sentence(each, 60)


def test_ends_where_it_is_known_closely_enough(run):  # noqa: F811
    narrow = ("compare", "race.yaml", "--against", "risky=true", "-n", "4000", "--until-ci", "0.1")
    one = run(*narrow, "--format", "json", "--jobs", "1")
    found = json.loads(one[1])
    assert found["pairs"]["stopped"] == "interval"
    assert 100 <= found["pairs"]["played"] < 4_000
    wins = [each for each in found["differences"] if each["about"] == "wins"]
    assert all((each["high"] - each["low"]) / 2 <= 0.1 for each in wins[:2])
    assert run(*narrow, "--format", "json", "--jobs", "2") == one


def test_ends_at_the_same_pair_however_it_is_cut():
    task = Comparing((SHORT, LONG), "python", RANDOM, 3)

    def here(missing):
        yield from run_here(task, missing)

    def backwards(missing):
        yield from reversed(list(run_here(task, list(missing))))

    one, stopped = run_pairs(here, 600, 0.1, largest=100)
    assert stopped == "interval" and may_end(one.games)
    for played, largest in ((here, 3), (backwards, 5)):
        other, stopped = run_pairs(played, 600, 0.1, largest=largest)
        assert (other.games, other.wins, stopped) == (one.games, one.wins, "interval")


@pytest.mark.parametrize("name", ["sushi_go", "hearts", "goofspiel"])
def test_a_table_of_games_is_paired_like_the_games(name):
    game = game_named(name)
    batch = PythonBatch(game, Stepping(Reference(game, events=False)))
    sides = [batch.play(KEY, first, 20) for first in (0, 20)]
    tables = [table_of(game, played) for played in sides]
    by_game, by_column = Pairs(), Pairs()
    by_game.count(sides[0], sides[1], 0, 0)
    by_column.count(tables[0], tables[1], 0, 0)
    assert by_column == by_game
    mixed = Pairs()
    mixed.count(tables[0], sides[1], 0, 0)
    assert mixed == by_game


def test_pairs_of_players_that_think_are_blocks():
    task = Comparing((SHORT, LONG), "python", ((0, "greedy"), (1, "greedy")), 3)
    assert task.thinking
    play, sums = task.begin(), Pairs()
    for first in range(4):
        sums.add(play(Piece(first, 1)))
    assert (sums.games, sums.blocks) == (4, 4)
    assert sums == play(Piece(0, 4))

"""Sums come out the same in whatever order and pieces they are added up."""

import json
import random
from array import array
from itertools import pairwise

import pytest
from tests.rulesets import game_named
from tests.simulation.test_stepping import KEY

from rulerun.compiled.python.batch import PythonBatch
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Played, PlayedTable, Tally
from rulerun.simulation.run.schedule import Piece, may_end, pieces
from rulerun.simulation.run.stepping import Stepping
from rulerun.simulation.stats.totals import EXAMPLES, Totals


def totals_of(game, first, many, coverage=True):
    stepping = Stepping(Reference(game, events=False))
    totals, tally = Totals.of(game, coverage), Tally.of(game, coverage)
    totals.count(stepping.play(KEY, first, many, tally), tally)
    return totals


def table_of(game, played):
    """The games from number 3 on, as machine code leaves them."""
    numbers = array("q")
    for each in played:
        numbers.extend((0, each.decisions, each.inputs, each.options))
        for player, (place, values) in enumerate(zip(each.places, each.lines, strict=True)):
            numbers.extend((place, each.winners >> player & 1, *values))
    return PlayedTable(numbers, 3, len(game.players), len(game.scoring.lines))


@pytest.fixture(scope="module")
def game():
    return game_named("sushi_go", players=3)


@pytest.fixture(scope="module")
def data(game):
    """What four games leave. Nobody changes it."""
    return totals_of(game, 0, 4).data()


def test_pieces_add_up_in_any_order(game):
    whole = totals_of(game, 0, 12)
    parts = [totals_of(game, first, 3) for first in (0, 3, 6, 9)]
    for seed in range(5):
        random.Random(seed).shuffle(parts)
        sums = Totals.of(game)
        for part in parts:
            sums.add(part)
        assert sums.data() == whole.data()


def test_coverage_of_some_games_adds_to_games_without(game):
    sums = Totals.of(game)
    sums.add(totals_of(game, 0, 3))
    sums.add(totals_of(game, 3, 3, coverage=False))
    assert (sums.games, sums.covered) == (6, 3)
    assert sums.tally.reached == totals_of(game, 0, 3).tally.reached
    assert sums.tally.taken == totals_of(game, 0, 6).tally.taken


def test_data_is_read_again(game):
    totals = totals_of(game, 0, 4)
    data = json.loads(json.dumps(totals.data()))
    assert Totals.read(game, data) == totals


@pytest.mark.parametrize(
    "harm",
    [
        {"games": 5},
        {"games": "4"},
        {"games": True},
        {"ends": {"": 3}},
        {"counts": []},
        {"taken": [[100_000, 1]]},
        {"offered": [[0, 1.5]]},
    ],
)
def test_data_that_is_none_is_refused(game, data, harm):
    with pytest.raises((ValueError, LookupError, TypeError)):
        Totals.read(game, {**data, **harm})


def test_scores_are_the_same_by_rows_and_by_columns(game):
    """A few different scores often, or many different ones: the same sums."""
    rows = [((1, 2), (3, 4), (5, 6)), ((0, 0), (1, 1), (2, 2))]
    often = Totals.of(game)
    often.lines = 2
    often.parts = [[type(often.winners)() for _ in range(2)] for _ in range(3)]
    seldom = Totals.of(game)
    seldom.lines, seldom.parts = 2, [[type(often.winners)() for _ in range(2)] for _ in range(3)]
    played = [Played(number, 1, (1, 2, 3), rows[number % 2], 1, 1, 1) for number in range(40)]
    often.count(played, Tally.of(game))
    for each in played:
        seldom.count([each], Tally.of(game))
    assert often.scores == seldom.scores
    assert often.parts == seldom.parts
    assert often.scores[2] == {11: 20, 4: 20}


@pytest.mark.parametrize(
    "name", ["sushi_go", "hearts", "goofspiel"], ids=["lines", "one line", "no lines"]
)
def test_a_table_of_games_is_counted_like_the_games(name):
    game = game_named(name)
    tally = Tally.of(game)
    played = PythonBatch(game, Stepping(Reference(game, events=False))).play(KEY, 3, 40, tally)
    table = table_of(game, played)
    assert table == played and list(table) == played
    assert (table[-1], table[2:5]) == (played[-1], played[2:5])
    by_game, by_column = Totals.of(game), Totals.of(game)
    by_game.count(played, tally)
    by_column.count(table, tally)
    assert by_column == by_game
    nothing = PlayedTable(array("q"), 0, len(game.players), len(game.scoring.lines))
    by_column.count(nothing, Tally.of(game))
    assert by_column == by_game


def test_the_first_games_that_failed_are_kept(game):
    totals = Totals.of(game)
    for number in (9, 2, 7, 4, 3):
        totals.count([Played(number, 0, (), (), 1, 1, 1, "range")], Tally.of(game))
    assert totals.examples == {"range": [2, 3, 4]}
    assert len(totals.examples["range"]) == EXAMPLES
    assert (totals.ended, totals.ends["range"]) == (0, 5)


# ------------------------------------------------------------------------------------- pieces


@pytest.mark.parametrize("wanted", [1, 5, 99, 1_234, 25_017])
@pytest.mark.parametrize("largest", [1, 30, 100, 10_000])
def test_pieces_are_all_games_once(wanted, largest):
    found = list(pieces(wanted, largest=largest))
    assert found[0].first == 0 and found[-1].end == wanted
    assert all(one.end == two.first for one, two in pairwise(found))
    assert all(0 < each.many <= largest for each in found)
    # No piece goes on behind a place where a run may end.
    assert not any(may_end(game) for each in found for game in range(each.first + 1, each.end))


def test_only_what_is_missing_is_played():
    done = [Piece(10, 5), Piece(200, 25), Piece(0, 5)]
    found = list(pieces(300, done))
    games = [game for each in (*found, *done) for game in range(each.first, each.end)]
    assert sorted(games) == list(range(300))

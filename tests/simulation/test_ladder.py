"""`rulerun ladder`: pairings, one scale for all rungs, and what is said of luck and skill."""

import json
import math
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.playing import game_of as rules_of
from tests.rulesets import game_named
from tests.simulation.test_simulate import read, run  # noqa: F401

from rulerun.cli.progress import Progress
from rulerun.cli.simulate import Rate
from rulerun.reference.executor import Reference
from rulerun.runtime.rng import key_of
from rulerun.search.iteration_cost import iteration_cost
from rulerun.session.agents import FirstAgent
from rulerun.simulation.ladder.climbing import (
    BUDGET,
    Climbing,
    Match,
    Standings,
    default_rungs,
    pairings_of,
)
from rulerun.simulation.ladder.luck_or_skill import ladder
from rulerun.simulation.ladder.ratings import Met, natural_logarithm, ratings
from rulerun.simulation.run.schedule import Piece, pieces
from rulerun.simulation.run.stepping import Stepping

RACE = game_named("pig", winscore="20")


def elo(odds):
    return 400 * math.log10(odds)


# ---------------------------------------------------------------------------------------- ratings


def test_logarithms():
    for value in (1e-9, 0.3, 1.0, 2.0, 10.0, 12345.678):
        assert natural_logarithm(value) == pytest.approx(math.log(value), abs=1e-12)


def test_two_kinds_are_their_odds():
    """A drawn game is added, so three wins of four become 3.5 of 5."""
    zero, one = ratings(2, [Met(1, 0, (1, 1), 4, 3)])
    assert (zero.points, zero.reach) == (0, 0)
    assert one.points == pytest.approx(elo(3.5 / 1.5))
    information = 5 * 0.7 * 0.3
    assert one.reach == pytest.approx(1.959964 * 400 / math.log(10) / math.sqrt(information))


def test_one_among_three_others_is_as_strong_at_a_quarter():
    for games, won in ((100, 25), (1_000, 250)):
        assert ratings(2, [Met(1, 0, (1, 3), games, won)])[1].points == pytest.approx(0, abs=1e-6)
    assert ratings(2, [Met(1, 0, (1, 3), 1_000, 500)])[1].points == pytest.approx(elo(3), abs=2)


def test_strengths_are_found_again():
    """Wins as often as the model has it: the ratings that went in come out."""
    true = [0, 150, 400, 520]
    met = []
    for one, other in pairings_of(["a", "b", "c", "d"]):
        odds = 10 ** ((true[one] - true[other]) / 400)
        met.append(Met(one, other, (1, 2), 100_000, 100_000 * odds / (odds + 2)))
    found = ratings(4, met)
    assert [each.points for each in found] == pytest.approx(true, abs=2)


def test_the_likelihood_is_greatest_there():
    met = [Met(1, 0, (1, 1), 30, 20), Met(2, 1, (1, 1), 30, 17.5), Met(2, 0, (1, 1), 30, 29)]
    found = [each.points for each in ratings(3, met)]

    def likelihood(points):
        total = 0.0
        for each in met:
            share = 1 / (1 + 10 ** ((points[each.other] - points[each.one]) / 400))
            won, games = each.won + 0.5, each.games + 1
            total += won * math.log(share) + (games - won) * math.log(1 - share)
        return total

    best = likelihood(found)
    for at in (1, 2):
        for by in (-3, 3):
            moved = [*found]
            moved[at] += by
            assert likelihood(moved) < best


def test_who_always_wins_is_not_infinitely_strong():
    found = ratings(2, [Met(1, 0, (1, 1), 50, 50)])
    assert 600 < found[1].points < 1_000


# --------------------------------------------------------------------------------------- climbing


def test_pairings():
    assert pairings_of(["a", "b"]) == ((1, 0),)
    assert pairings_of(["a", "b", "c", "d"]) == ((1, 0), (2, 1), (3, 2), (2, 0), (3, 0))


def test_rungs_are_fewer_iterations_where_games_are_long():
    assert default_rungs(RACE)[2:] == ("mcts:100", "mcts:400", "mcts:1600")
    game = game_named("hearts")
    iterations = [int(each.partition(":")[2]) for each in default_rungs(game)[2:]]
    assert iterations[2] * iteration_cost(game) <= BUDGET or iterations[0] < 32
    assert [iterations[1] // iterations[0], iterations[2] // iterations[1]] == [4, 4]


def climbed(task, games, largest=1):
    play, sums = task.begin(), Standings()
    for piece in pieces(games, largest=largest):
        sums.add(play(piece))
    return sums


def test_seats_move_on_and_pairings_take_turns():
    """Against games played by hand: game `i` of a pairing has the higher rung at seat `i`."""
    game = game_named("pig", players=3, winscore="20")
    task = Climbing(game, "reference", ("random", "first"), 4)
    sums = climbed(task, 6)
    parts = 0
    for number in range(6):
        agents = {number % 3: FirstAgent}
        (played,) = Stepping(Reference(game, events=False), agents).play(key_of(4), number, 1)
        if played.winners >> number % 3 & 1:
            parts += 6 // played.winners.bit_count()
    assert sums.matches[1, 0].won.b == parts
    three = Climbing(RACE, "reference", ("random", "first", "greedy"), 4)
    found = climbed(three, 7)
    assert {pair: match.ends.total() for pair, match in found.matches.items()} == {
        (1, 0): 3,
        (2, 1): 2,
        (2, 0): 2,
    }


def test_pieces_make_no_difference():
    task = Climbing(RACE, "python", ("random", "first", "greedy"), 4)
    one, other = climbed(task, 20), climbed(task, 20, largest=5)
    assert ladder(task, one, "games") == ladder(task, other, "games")


# ---------------------------------------------------------------------------------------- verdicts


def standings(shares, games=400, alike=0):
    """As if the higher rung had won such shares of its games, by pairing."""
    found = Standings()
    for pair, share in shares.items():
        match = Match(Counter({"": games}), alike=alike)
        for number in range(games):
            match.won.one(1, 2 if number < share * games else 0)
        found.matches[pair] = match
        found.games += games
    return found


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.5, 0.5, 0.5), "Luck, as far as can be told: "),
        ((0.58, 0.5, 0.6), "More luck than skill: mcts:9 wins 60.0 % against random players"),
        ((0.7, 0.6, 0.8), "More skill than luck: mcts:9 wins 80.0 %"),
        ((0.8, 0.7, 0.97), "Skill: mcts:9 wins 97.0 %"),
    ],
)
def test_luck_or_skill(shares, words):
    task = Climbing(RACE, "python", ("random", "greedy", "mcts:9"), 0)
    pairs = dict(zip(pairings_of(task.rungs), shares, strict=True))
    found = ladder(task, standings(pairs), "games")
    assert found["verdict"][0].startswith(words)
    points = [each["points"] for each in found["ratings"]]
    assert points == sorted(points)


def test_what_the_steps_say():
    task = Climbing(RACE, "python", ("random", "greedy", "mcts:9"), 0)

    def said(*shares):
        pairs = dict(zip(pairings_of(task.rungs), shares, strict=True))
        return ladder(task, standings(pairs), "games")["verdict"][1:]

    assert said(0.7, 0.6, 0.8) == [
        "Better than the rung below: greedy, mcts:9.",
        "The top rung still wins more than the one below: there may be more to find.",
    ]
    assert said(0.7, 0.51, 0.8) == [
        "Better than the rung below: greedy.",
        "Not told from the rung below by so many games: mcts:9.",
        "The top rung gains nothing on the one below that so many games could show.",
    ]
    assert said(0.7, 0.4, 0.8) == [
        "Better than the rung below: greedy.",
        "Worse than the rung below: mcts:9.",
    ]


def test_what_cannot_be_told_is_said():
    task = Climbing(RACE, "python", ("random", "greedy"), 0)
    assert ladder(task, Standings(), "games")["verdict"][0].startswith("Nothing can be told")
    assert ladder(task, Standings(), "games")["ratings"] is None
    together = standings({(1, 0): 0.5}, alike=400)
    assert "All won or lost together" in ladder(task, together, "games")["verdict"][0]


def test_odds_at_a_larger_table():
    """Half of the games against three others is three of four against one."""
    game = game_named("sushi_go", players=4)
    task = Climbing(game, "python", ("random", "greedy"), 0)
    sums = Standings(100)
    match = Match(Counter({"": 100}))
    for number in range(100):
        match.won.one(1, 12 * (number % 2))
    sums.matches[1, 0] = match
    found = ladder(task, sums, "games")
    (pairing,) = found["pairings"]
    assert (pairing["share"], pairing["against_one"]["share"]) == (0.5, 0.75)
    assert found["fair"] == 0.25
    assert "greedy, at a table of 4, has the odds of one who wins 75.0 %" in found["verdict"][0]


# ------------------------------------------------------------------------------------ the command

FEW = ("-n", "3", "--rungs", "random,first,greedy")


def test_the_same_whatever_plays_it(run):  # noqa: F811
    one = run("ladder", "race.yaml", *FEW, "--format", "json", "--jobs", "1")
    assert one[0] == 0 and json.loads(one[1])["kind"] == "ladder"
    assert run("ladder", "race.yaml", *FEW, "--format", "json", "--jobs", "2") == one
    code, out, _ = run("ladder", "race.yaml", *FEW, "--jobs", "1", "--html", "page.html")
    assert code == 0
    assert out.startswith("Race <to> three: skill ladder, 3 games of each pairing, seed 0\n")
    assert "  greedy against random" in out and "Luck or skill\n  " in out
    assert "Luck or skill" in read("page.html").text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--rungs", "random"), "name two agents or more"),
        (("--rungs", "random,random"), "each once"),
        (("--rungs", "random,gredy"), "did you mean greedy?"),
        (("--rungs", "random,mcts"), "write how many iterations"),
    ],
)
def test_rungs_that_are_none_are_refused(run, arguments, words):  # noqa: F811
    code, out, err = run("ladder", "race.yaml", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_one_player_has_nobody_to_beat(run):  # noqa: F811
    text = """
rulerun: 1
game: alone
players: 1
state:
  visible: all
  done: bool
phases:
  play:
    turns: you in players
    until: done
    do:
      - choose: {stop: done = true, go: done = true}
        ask: Now?
scoring:
  winner: players
"""
    assert rules_of(text).people == 1
    Path("alone.yaml").write_text(text)
    code, _, err = run("ladder", "alone.yaml")
    assert code == 2
    assert "somebody has to be beaten" in err


# ---------------------------------------------------------------------------- how long it will take


def told(monkeypatch, capsys, seconds, wanted, **more):
    """What is said while games end at such seconds."""
    bar = Progress(wanted, "games")
    clock = iter([0.0, *seconds])
    with monkeypatch.context() as patch:
        patch.setattr(bar, "at", lambda *said: None)
        patch.setattr(bar, "begin", lambda done: None)
        patch.setattr(time, "monotonic", lambda: next(clock))
        rate = Rate(0, wanted, bar, **more)
        for number in range(1, len(seconds) + 1):
            rate.tell(number)
    return capsys.readouterr().err


def test_how_long_it_takes_is_said_once(monkeypatch, capsys):
    # Workers begin for 5 seconds, then a game is a second.
    said = told(monkeypatch, capsys, [5, 6, 7, 8, 9], 100, aloud=True)
    assert said == (
        "about 1 min 37 s more for the other 97 games, as fast as the first went; Ctrl-C shows "
        "what was played until then\n"
    )
    # What is over soon is not worth saying, nor is it where nobody thinks.
    assert told(monkeypatch, capsys, [5, 6, 7, 8, 9], 12, aloud=True) == ""
    assert told(monkeypatch, capsys, [5, 6, 7, 8, 9], 100) == ""
    # A first game of a minute says enough by itself.
    assert told(monkeypatch, capsys, [90, 181], 10, aloud=True).startswith("about 13 min 30 s more")
    # A ladder waits for a whole round of its pairings.
    said = told(monkeypatch, capsys, [1, 1.1, 1.2, 9, 9.1, 9.2, 17], 303, aloud=True, least=3)
    assert "for the other 299 games" in said


def test_games_of_pairings_are_seeds_of_their_own():
    """Another seed gives other games; the same gives the same."""
    one, again, other = (
        climbed(Climbing(RACE, "python", ("random", "greedy"), seed), 12) for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_a_piece_may_begin_anywhere():
    play = Climbing(RACE, "python", ("random", "first", "greedy"), 1).begin()
    whole = Standings()
    for number in (3, 0, 2, 1):
        whole.add(play(Piece(number, 1)))
    assert whole == play(Piece(0, 4))

"""What was chosen, what was won with it and who led: counted by hand, and told by intervals."""

import csv
import io
import json
import math
import random
import re
import statistics
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.playing import game_of as rules_of
from tests.rulesets import game_named
from tests.simulation.test_simulate import read, run, simulated  # noqa: F401
from tests.simulation.test_stepping import KEY

from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Decision
from rulerun.session.agents import FirstAgent
from rulerun.simulation.run.checkpoint import Folder, Unkept, identity
from rulerun.simulation.run.noting import Watching
from rulerun.simulation.run.seats import watched
from rulerun.simulation.run.stepping import Stepping
from rulerun.simulation.stats import chosen
from rulerun.simulation.stats.choice_sums import (
    MILLION,
    Choices,
    Course,
    Use,
    Used,
    parts_of,
    uses_of,
)
from rulerun.simulation.stats.clustered import difference_of, share_of
from rulerun.simulation.stats.intervals import Z, wilson
from rulerun.simulation.stats.moments import Moments
from rulerun.simulation.stats.totals import Totals

NAMES = ["brave_rats", "love_letter", "goofspiel", "sushi_go"]


def watch(game, games, seats=None, agents=None, first=0):
    """The choices of some games, and those games."""
    seats = range(len(game.players)) if seats is None else seats
    watching = Watching(game, seats)
    stepping = Stepping(Reference(game, events=False), agents, watching)
    played = stepping.play(KEY, first, games)
    return watching.give(), played


def by_hand(game, games):
    """By game: each decision as (player, legal, taken), and who won."""
    reference = Reference(game, events=False)
    found = []
    for number in range(games):
        decisions: list[tuple[int, tuple[int, ...], int]] = []

        def listen(state, given, decisions=decisions):
            if isinstance(given, Decision):
                legal = reference.legal(state, given.player)
                decisions.append((given.player, legal, given.action))

        played = Stepping(reference).one(reference, KEY, number, listener=listen)
        found.append((decisions, played.winners))
    return found


# ------------------------------------------------------------------------------------- counting


@pytest.mark.parametrize("name", NAMES)
def test_uses_are_counted_as_by_hand(name):
    game, many = game_named(name), 4
    found, _ = watch(game, many)
    of = uses_of(game)
    offered: defaultdict[Use, int] = defaultdict(int)
    taken: defaultdict[Use, int] = defaultdict(int)
    alike: defaultdict[Use, Fraction] = defaultdict(Fraction)
    won: defaultdict[tuple[Use, bool], Fraction] = defaultdict(Fraction)
    players: defaultdict[tuple[Use, bool], int] = defaultdict(int)
    for decisions, winners in by_hand(game, many):
        might, did = set(), set()
        for who, legal, action in decisions:
            for use in {use for each in legal for use in of(each)}:
                times = sum(use in of(each) for each in legal)
                if times == len(legal):
                    continue
                offered[use] += 1
                taken[use] += use in of(action)
                alike[use] += Fraction(times, len(legal))
                might.add((who, use))
                if use in of(action):
                    did.add((who, use))
        shared = winners.bit_count()
        for who, use in might:
            took = (who, use) in did
            share = Fraction(winners >> who & 1, shared) if shared else Fraction(1, found.players)
            players[use, took] += 1
            won[use, took] += share
    assert found.games == many
    assert {use: sums.offered.a for use, sums in found.uses.items()} == offered
    for use, sums in found.uses.items():
        unit = parts_of(found.players)
        assert sums.offered.b == taken[use]
        assert abs(Fraction(sums.alike, MILLION) - alike[use]) < Fraction(sums.offered.a, MILLION)
        assert (sums.took.a, Fraction(sums.took.b, unit)) == (players[use, True], won[use, True])
        assert (sums.never.a, Fraction(sums.never.b, unit)) == (
            players[use, False],
            won[use, False],
        )


def test_decisions_are_counted_by_seat():
    game = game_named("sushi_go")
    found, _ = watch(game, 2, seats=[1])
    games = by_hand(game, 2)
    mine = [[legal for who, legal, _ in decisions if who == 1] for decisions, _ in games]
    assert sum(at * many for at, many in found.decisions[1].items()) == sum(map(len, mine))
    assert found.forced[1] == sum(len(legal) == 1 for each in mine for legal in each)
    assert found.options[1] == sum(len(legal) for each in mine for legal in each)
    # Of the other seats nothing is counted.
    assert found.decisions[0] == {0: 2}
    assert (found.forced[0], found.options[0]) == (0, 0)


def test_what_nobody_wins_is_shared_by_all():
    found, use = Choices.of(3), Use("go", 0, "")
    for winners, parts in ((0b001, 6), (0b011, 3), (0b110, 0), (0, 2)):
        course = Course.of(3)
        course.uses[0][use] = [2, 1, 1_000_000]
        course.uses[1][use] = [1, 0, 500_000]
        before = found.uses[use].took.b if use in found.uses else 0
        found.count(course, winners)
        assert found.uses[use].took.b - before == parts
    sums = found.uses[use]
    # Of the three players one never had it to choose.
    assert (sums.took.a, sums.never.a, sums.never.b) == (4, 4, 0 + 3 + 3 + 2)
    assert (sums.offered.a, sums.offered.b, sums.games) == (12, 4, 4)


def test_copies_are_one_use_and_several_are_each_one():
    """Whose Prince it is, and where it lies, is no other choice; two cards chosen are two."""
    game = game_named("brave_rats", at_random="true")
    of = uses_of(game)
    texts = {actions.text(game, action): of(action) for action in range(game.number_of_actions)}
    assert texts["prince of yarg"] == texts["prince of applewood"]
    assert Use("(card)", 1, "prince") in texts["prince of yarg"]
    game = game_named("antler_island")
    of = uses_of(game)
    (several,) = [each for each in game.actions if each.parameters and each.parameters[0].element]
    members = {
        actions.text(game, action): [use.value for use in of(action) if use.parameter]
        for action in range(several.base, several.base + several.size)
    }
    assert members["food_1 + food_2"] == ["food_1", "food_2"]
    assert members["food_1 + food_1"] == ["food_1"]


def test_what_is_no_choice_is_not_counted():
    """Each may lay one of two alike cards, or is forced: neither is a choice."""
    game = rules_of(
        """
rulerun: 1
game: alike
players: [ann, bob]
components:
  card: {each: player, start: hand, rows: {ace: {}}, copies: 2}
zones:
  hand[player]: {of: card, visible: owner}
  out: {of: card, visible: all}
phases:
  play:
    turns: you in players
    until: all(empty(hand[p]) for p in players)
    do:
      - choose: c in hand
        ask: Which?
      - move c to out
scoring:
  winner: first(players)
"""
    )
    found, _ = watch(game, 3)
    assert found.uses == {}
    assert sum(found.forced) == sum(
        at * many for each in found.decisions for at, many in each.items()
    )


def test_games_without_an_end_are_not_counted():
    game = game_named("pig", winscore="60")
    found, played = watch(replace(game, decisions=12), 10)
    ended = [each for each in played if not each.end]
    assert 0 <= len(ended) < 10
    assert found.games == len(ended)


# --------------------------------------------------------------------------------------- adding up


def test_pieces_add_up_in_any_order():
    game = game_named("goofspiel")
    whole, _ = watch(game, 12)
    parts = [watch(game, 3, first=first)[0] for first in (0, 3, 6, 9)]
    random.Random(1).shuffle(parts)
    sums = Choices.of(len(game.players))
    for part in parts:
        sums.add(part)
    assert sums.data() == whole.data()
    data = json.loads(json.dumps(whole.data()))
    assert Choices.read(len(game.players), data) == whole


@pytest.mark.parametrize(
    "harm",
    [
        {"games": 5},
        {"games": "4"},
        {"counts": []},
        {"sums": [[0], [0], [0, 0, 0], [0, 0, 0]]},
        {"uses": [["x", 0, "", [1, 2]]]},
        {"uses": [["x", 0.5, "", [0] * 23]]},
    ],
)
def test_data_that_is_none_is_refused(harm):
    found, _ = watch(game_named("goofspiel"), 2)
    with pytest.raises((ValueError, LookupError, TypeError)):
        Choices.read(found.players, {**found.data(), **harm})


def test_totals_keep_them():
    game = game_named("goofspiel")
    found, played = watch(game, 4)
    totals = Totals.of(game)
    totals.count(played, totals.tally)
    totals.choices = found
    assert Totals.read(game, json.loads(json.dumps(totals.data()))) == totals
    other = totals.data()
    other["choices"]["games"] = 3
    with pytest.raises(ValueError, match="do not agree"):
        Totals.read(game, other)


# --------------------------------------------------------------------------------- intervals


def sides(games):
    """The sums of games, each (took, parts, never, parts)."""
    took, never, crossed = Moments(), Moments(), [0] * 4
    for a, a_parts, b, b_parts in games:
        took.one(a, a_parts)
        never.one(b, b_parts)
        for at, (one, other) in enumerate(((a, b), (a, b_parts), (a_parts, b), (a_parts, b_parts))):
            crossed[at] += one * other
    counts = [sum(each[at] > 0 for each in games) for at in (0, 2)]
    return (counts[0], took), (counts[1], never), crossed


def test_a_difference_is_as_wide_as_the_jackknife_says():
    """One wins because another loses: the games are what spreads, not the players."""
    luck = random.Random(3)
    games = []
    for _ in range(300):
        # Mostly one of the two takes it.
        takers = [luck.random() < 0.9, luck.random() < 0.1]
        winner = luck.randrange(2)
        a, won = sum(takers), int(takers[winner])
        games.append((a, won, 2 - a, 1 - won))
    one, other, crossed = sides(games)
    found = difference_of(len(games), one, other, crossed)
    assert found is not None

    def difference(some):
        sums = [sum(column) for column in zip(*some, strict=True)]
        return sums[1] / sums[0] - sums[3] / sums[2]

    left_out = [difference(games[:at] + games[at + 1 :]) for at in range(len(games))]
    middle = statistics.mean(left_out)
    spread = sum((each - middle) ** 2 for each in left_out) * (len(games) - 1) / len(games)
    assert found.value == pytest.approx(difference(games), abs=1e-6)
    assert (found.high - found.low) / 2 == pytest.approx(Z * math.sqrt(spread), rel=0.05)
    # Two players of one game taken for two measurements would seem to know more.
    takers, others = one[1].a, other[1].a
    alone = Z * math.sqrt(0.25 / takers + 0.25 / others)
    assert (found.high - found.low) / 2 > 1.15 * alone


def test_shares_are_wilsons_where_games_are_measurements():
    found = share_of(400, Moments(400, 100, 400, 100, 100))
    assert found is not None
    low, high = wilson(100, 400)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.001)
    assert share_of(3, Moments()) is None
    # What varied in no game is known by so many games, however many decisions there were.
    always = share_of(20, Moments(200, 200, 2000, 2000, 2000))
    assert always is not None
    assert (always.value, always.high) == (1.0, 1.0)
    assert always.low == pytest.approx(wilson(20, 20)[0], abs=1e-6)


def told(offered, taken, alike=0.25, games=100, **more):
    sums = Used(games=games, alike=round(alike * MILLION * offered * games))
    for _ in range(games):
        sums.offered.one(offered, taken)
    for name, value in more.items():
        setattr(sums, name, value)
    return chosen.told_use(Use("go", 0, ""), sums, 2)


def test_marks_say_what_intervals_say():
    assert told(4, 4)["marks"] == ["always taken"]
    assert told(4, 0)["marks"] == ["never taken"]
    assert told(4, 1)["marks"] == []
    # A few games say nothing, and what is seldom by chance needs more of them.
    assert told(4, 4, games=10)["marks"] == []
    assert told(4, 0, games=10)["marks"] == []
    assert told(4, 0, alike=0.02)["marks"] == []
    luck = random.Random(6)
    for better, mark in ((0.9, ["wins more with it"]), (0.1, ["wins less with it"]), (0.5, [])):
        games = []
        for _ in range(200):
            won = int(luck.random() < better)
            games.append((1, 2 * won, 1, 2 - 2 * won))
        one, other, crossed = sides(games)
        found = told(
            4,
            1,
            games=200,
            took_games=one[0],
            took=one[1],
            never_games=other[0],
            never=other[1],
            crossed=crossed,
        )
        assert found["marks"] == mark
        assert found["took"]["won"] == pytest.approx(better, abs=0.1)


# --------------------------------------------------------------------------------------- who leads


def course(leaders):
    found = Course.of(2)
    found.leaders = leaders
    return found


def test_who_leads_is_told_at_moments():
    found = Choices.of(2)
    found.count(course([-1, 0, 0, 1, 1, 1, 1, 1]), 0b10)
    assert (found.led, found.held) == ([1, 1, 1], [0, 1, 1])
    assert found.changes == {1: 1}
    assert found.known == {37: 1}
    # The one who led all the time loses at last: known only at the end.
    found.count(course([0, 0, 0, 0]), 0b10)
    assert (found.led, found.held) == ([2, 2, 2], [0, 1, 1])
    assert found.changes == {1: 2}
    assert found.known == {37: 1, 100: 1}
    # Nobody led, and two won: nothing is known of one winner.
    found.count(course([-1, -1]), 0b11)
    assert found.led == [2, 2, 2]
    assert found.known.total() == 2
    led = chosen.leads(found)
    assert led is not None and led["moments"][1]["won"]["share"] == 0.5
    assert chosen.leads(Choices.of(2)) is None


def test_who_leads_is_asked_before_anybody_has_decided(monkeypatch):
    """While a `together` is open nobody's half of it counts: who led before leads on."""
    game = game_named("goofspiel")
    reference = Reference(game, events=False)
    watching = Watching(game, [0])
    noted = []
    monkeypatch.setattr(watching, "ended", lambda played: noted.append(watching._course.leaders))
    Stepping(reference, None, watching).play(KEY, 0, 1)
    states = []
    Stepping(reference).one(
        reference, KEY, 0, listener=lambda state, given: states.append((state, given))
    )
    expected, last = [], None
    for state, given in states:
        if isinstance(given, Decision) and given.player != CHANCE:
            # Both decide in turn for the machine, at one time for the players.
            if len(reference.waiting(state)) == len(game.players) or last is None:
                winners = reference.judged(state).winners
                last = winners[0] if len(winners) == 1 else -1
            expected.append(last)
    assert noted[0] == expected
    assert {0, 1} & set(expected)


def test_a_table_waits_once_for_who_decide_at_one_time():
    """Of goofspiel's bids both players make theirs together."""
    game = game_named("goofspiel")
    found, played = watch(game, 2)
    (length,) = {each.decisions for each in played}
    assert found.pauses == {length // 2: 2}
    assert sum(found.forced) == 0
    game = game_named("pig", winscore="20")
    found, played = watch(game, 5)
    free = sum(each.decisions for each in played) - sum(found.forced)
    assert sum(at * many for at, many in found.pauses.items()) == free


# ------------------------------------------------------------------------------------- the command

COUNTED = ("-n", "12", "--no-coverage", "--seat", "all=first")


def test_the_same_whatever_plays_it(run):  # noqa: F811
    one = run("simulate", "race.yaml", *COUNTED, "--jobs", "1", "--format", "json")
    found = json.loads(one[1])
    assert found["choices"]["games"] == 12
    for more in (
        ("--jobs", "2"),
        ("--executor", "reference", "--jobs", "1"),
    ):
        assert run("simulate", "race.yaml", *COUNTED, "--format", "json", *more) == one
    # Half of it is there already.
    for many in ("5", "12"):
        rest = ("--seat", "all=first", "--no-coverage", "--jobs", "1", "--format", "json")
        code, out, _ = run("simulate", "race.yaml", "-n", many, *rest, "--out", "halves")
        assert code == 0
    assert out == one[1]


def test_choices_are_told(run):  # noqa: F811
    code, out, _ = run(
        "simulate",
        "race.yaml",
        "-n",
        "100",
        "--no-coverage",
        "--seat",
        "all=first",
        "--jobs",
        "1",
        "--html",
        "page.html",
    )
    assert code == 0
    assert "Choices of everybody, where something else might have been chosen" in out
    assert re.search(r"keep +(\d+) +\1 +100\.0 % .* always taken", out)
    assert re.search(r"risk +\d+ +0 +0\.0 % .* never taken", out)
    assert "Taken by all who might, at least once in their game: keep" in out
    assert "Forced, with one legal action: 0.0 %" in out
    assert re.search(r"A table waits for \d+\.\d\d decisions: at 15 seconds each", out)
    assert "Who leads: who would win alone, were the game over there" in out
    assert "come-backs" in out
    text = read("page.html").text
    assert "always taken" in text and "never taken" in text and "Who leads" in text
    code, out, _ = run(
        "simulate",
        "race.yaml",
        "-n",
        "20",
        "--no-coverage",
        "--seat",
        "p1=first",
        "--format",
        "csv",
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {"choice", "leads"} <= {row["about"] for row in rows}
    taken = {
        row["of"]: row["value"]
        for row in rows
        if row["what"] == "taken" and row["about"] == "choice"
    }
    assert taken == {"keep": "1.0", "risk": "0.0"}


def test_whose_choices_are_counted_is_said(run):  # noqa: F811
    assert "choices" not in simulated(run, "-n", "10")
    assert "choices" not in simulated(run, "-n", "10", "--seat", "p1=first", "--no-choices")
    found = simulated(run, "-n", "10", "--seat", "p1=first")["choices"]
    assert found["players"] == ["P1"] and [seat["player"] for seat in found["seats"]] == ["P1"]
    found = simulated(run, "-n", "40", "--choices")
    assert found["choices"]["players"] == ["P1", "P2"]
    # At random each is taken about as often as chance would have it; the games are the same.
    for use in found["choices"]["uses"]:
        assert use["low"] <= use["alike"] <= use["high"]
    other = simulated(run, "-n", "40")
    assert {key: found[key] for key in other} == other


def test_a_folder_without_choices_is_another_run(tmp_path):
    game = game_named("goofspiel")
    seats = {0: "first", 1: "random"}
    counted = watched(game, seats)
    assert counted == (0,)
    Folder(tmp_path, game, identity(game, seats, 7, "no", counted)).close()
    with pytest.raises(Unkept, match="choices counted of P1, not of nobody"):
        Folder(tmp_path, game, identity(game, seats, 7, "no", watched(game, seats, False)))


def test_agents_of_ones_own_are_watched():
    game = game_named("goofspiel")
    found, _ = watch(game, 4, seats=[0], agents={0: FirstAgent})
    assert all(each.took.a + each.never.a <= 4 for each in found.uses.values())

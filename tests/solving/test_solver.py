"""Exact answers: known games, kinds of games, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.playing import game_of
from tests.rulesets import game_named

from rulerun.search.plays import plays_for
from rulerun.solving.backward import solve_backward
from rulerun.solving.estimating import Estimate, estimate
from rulerun.solving.graph import walk
from rulerun.solving.hiding import Hiding
from rulerun.solving.positions import Positions, Reordered
from rulerun.solving.refusals import TooBig, Unsolvable
from rulerun.solving.solver import IMPERFECT, PERFECT, SIMULTANEOUS, Limits, solve
from rulerun_dsl.model import Game

QUIET = Limits()


def shipped(name: str, players: int = 2, **options: object) -> Game:
    return game_named(name, players, **{key: str(value) for key, value in options.items()})


def solved(game, executor="python", limits=QUIET):
    return solve(game, executor, limits, lambda done, total, what: None)


# ------------------------------------------------------------------------------------ known games


def test_tic_tac_toe_is_a_draw():
    found = solved(shipped("tic_tac_toe"))
    assert found.kind == PERFECT and found.exact
    assert found.values == (Fraction(1, 2), Fraction(1, 2))
    # 5,478 positions that can come up (as is well known), without the 958 that are over.
    assert found.positions == 5_478 - 958
    assert [each.worth for each in found.first[0].options] == [Fraction(1, 2)] * 9


def test_kuhn_poker():
    found = solved(shipped("kuhn_poker"))
    assert found.kind == IMPERFECT
    assert found.gap <= 1e-4
    assert abs(found.values[0] + 1 / 18) < 1e-4
    assert dict(found.figures)["information sets of P1"] == 6
    with_queen = next(each for each in found.first if each.seen == "hand[P1] 2")
    assert {each.text: each.share > 0.99 for each in with_queen.options} == {
        "pass": True,
        "bet": False,
    }


@pytest.mark.slow
def test_leduc_poker():
    found = solved(shipped("leduc_poker"), limits=Limits(rounds=1_000, within=5e-4))
    assert found.positions == 9_457
    assert dict(found.figures)["information sets of P2"] == 468
    assert found.gap <= 5e-4
    assert abs(found.values[0] + 0.0856) < 1e-3


def test_liars_dice_with_small_dice():
    found = solved(shipped("liars_dice", dice_sides=2), limits=Limits(rounds=400))
    assert found.kind == IMPERFECT and found.gap < 1e-3


def test_goofspiel_is_even_and_exact():
    found = solved(shipped("goofspiel", num_cards=3))
    assert found.kind == SIMULTANEOUS and found.exact
    assert found.values == (0, 0)


def test_executors_agree():
    game = shipped("goofspiel", num_cards=2, points_order="ascending")
    answers = [solved(game, executor) for executor in ("reference", "python", "native")]
    for each in answers[1:]:
        assert each.values == answers[0].values
        assert each.first == answers[0].first
        assert dict.fromkeys(each.plans()) == dict.fromkeys(answers[0].plans())


# ----------------------------------------------------------------------------------- small games

NIM = """
rulerun: 1
game: nim
players: [a, b]
state: {visible: all, "pile": "0..7 = 7"}
phases:
  play:
    turns: you in players
    do:
      - choose:
          take(1..3 n):
            when: n <= pile
            do: pile -= n
      - end game won by you if pile == 0
"""


def test_nim_by_its_rule():
    found = solved(game_of(NIM))
    assert found.values == (1, 0)
    best = [each.text for each in found.first[0].options if each.share]
    assert best == ["take(3)"]


PENNIES = """
rulerun: 1
game: pennies
players: [a, b]
state: {visible: all, "shown[player]": 0..3}
phases:
  play:
    do:
      - together: you in players
        do:
          - choose: {heads: shown = 1, tails: shown = 2}
          - choose: {high: shown += 1, low: pass}
scoring:
  returns(player p): "(1 if shown[a] == shown[b] else -1) * (1 if p is a else -1)"
"""


def test_a_part_may_have_several_decisions():
    found = solved(game_of(PENNIES))
    # heads low 1, heads high or tails low 2, tails high 3: who matches any of three.
    assert found.kind == SIMULTANEOUS
    assert found.values == (Fraction(-1, 3), Fraction(1, 3))
    assert len(found.first[0].options) == 4
    # At the first question and behind each answer to it, for both.
    assert len(list(found.plans())) == 6


DICE = """
rulerun: 1
game: up
players: [a, b]
state: {visible: all, die: 1..2, "score[player]": 0..2}
phases:
  play:
    turns: you in players
    do:
      - choose: {roll_it: luck()}
      - end game won by you if score == 1
procedures:
  luck():
    - roll die
    - score += 1 if die == 2
"""


def test_positions_that_come_again_by_luck_have_a_value():
    found = solved(game_of(DICE))
    assert abs(found.values[0] - 2 / 3) < 1e-9
    assert found.gap < 1e-7
    assert dict(found.figures)["positions that may come again"] > 1


ROUND = """
rulerun: 1
game: walk
players: [a, b]
limits: {decisions: 50}
state: {visible: all, at: 0..3}
phases:
  play:
    turns: you in players
    do:
      - choose:
          on: at = (at + 1) % 4
          leave: end game won by opponent(you)
"""


def test_play_without_an_end_is_refused():
    with pytest.raises(Unsolvable, match="may go on for ever"):
        solved(game_of(ROUND))


def test_a_way_out_of_a_circle_that_somebody_wants_is_taken():
    # Whoever leaves wins: nobody goes round.
    game = game_of(ROUND.replace("won by opponent(you)", "won by you"))
    assert solved(game).values == (1, 0)


THREE = """
rulerun: 1
game: share
players: [a, b, c]
state: {visible: all, "got[player]": 0..9}
phases:
  play:
    turns: you in players
    until: any(got[p] > 0 for p in players)
    do:
      - choose:
          keep: got = 5
          give: got[next(you)] = 7
          pass_on: pass
scoring:
  returns(player p): got[p]
"""


def test_more_players_take_what_is_best_for_each_and_a_note_says_so():
    game = game_of(THREE.replace("pass_on: pass", "pass_on: got[next(next(you))] = 6"))
    found = solved(game)
    assert found.values == (5, 0, 0)
    assert "first" in found.notes[0]


SIMULTANEOUS_THREE = """
rulerun: 1
game: three
players: [a, b, c]
state: {visible: all, "shown[player]": 0..2}
phases:
  play:
    do:
      - together: you in players
        do: {choose: {one: shown = 1, two: shown = 2}}
scoring:
  winner: those(p in players if shown[p] == 1)
"""


def test_three_who_decide_at_the_same_time_are_refused():
    with pytest.raises(Unsolvable, match="more than two players decide at the same time"):
        solved(game_of(SIMULTANEOUS_THREE))


def test_what_is_no_zero_sum_is_refused():
    text = PENNIES.replace(' * (1 if p is a else -1)"', '"')
    with pytest.raises(Unsolvable, match="what one gains the other does not lose"):
        solved(game_of(text))


def test_luck_inside_a_together_is_refused():
    text = PENNIES.replace("choose: {high: shown += 1, low: pass}", "roll shown")
    with pytest.raises(Unsolvable, match="luck falls inside a `together`"):
        solved(game_of(text))


# ---------------------------------------------------------------------------------- what is hidden

LINE = """
rulerun: 1
game: line
players: [a, b]
components:
  card: {each: player, has: {value: 1..4}, rows: every value, start: hand}
zones:
  hand[player]: {of: card, visible: owner}
  line[player]: {of: card, order: stack, visible: all}
state: {visible: all, "won[player]": 0..9}
phases:
  rounds:
    until: all(empty(hand[p]) for p in players)
    do:
      - together: you in players
        do:
          - choose: c in hand
          - move c to line
      - won[p] += 1 for p in players if first(line[p]).value > first(line[opponent(p)]).value
scoring:
  winner: first(p in players if won[p] > won[opponent(p)])
"""


def test_a_hand_that_all_can_work_out_hides_nothing():
    found = solved(game_of(LINE))
    assert found.kind == SIMULTANEOUS
    assert found.values == (Fraction(1, 2), Fraction(1, 2))


def test_a_card_out_of_sight_hides_something():
    # The first card of each is out of the game, and only its owner has seen which.
    text = (
        LINE.replace("1..4", "1..3")
        .replace("  line[player]:", "  away[player]: {of: card, visible: none}\n  line[player]:")
        .replace(
            "phases:\n  rounds:",
            "setup:\n  - move 1 from hand[p] to away[p] for p in players\nphases:\n  rounds:",
        )
    )
    text = text.replace("hand[player]: {of: card,", "hand[player]: {of: card, order: random,")
    found = solved(game_of(text), limits=Limits(rounds=200))
    assert found.kind == IMPERFECT


def test_the_order_below_the_top_is_left_out_and_changes_nothing():
    game = game_of(LINE)
    sizes, values = [], []
    for forget in (True, False):
        positions = Positions(game, forget)
        graph = walk(game, plays_for(game), positions, Hiding(game), 10_000, lambda *_: None)
        sizes.append(len(graph))
        values.append(solve_backward(game, graph, lambda *_: None).at(0))
    assert sizes[0] < sizes[1]
    assert values[0] == values[1]


# ---------------------------------------------------------------------------------------- bounds


def test_what_is_too_big_is_refused_by_an_estimate():
    with pytest.raises(TooBig, match=r"connect_four is too big to solve: it has at least some "):
        solved(shipped("connect_four"), limits=Limits(positions=1_000))


def test_the_bound_holds_where_the_estimate_was_too_low(monkeypatch):
    low = Estimate(1, 1, False, 1, 1, True)
    monkeypatch.setattr("rulerun.solving.solver.estimate", lambda *given: low)
    with pytest.raises(TooBig, match="more than 100 positions"):
        solved(shipped("tic_tac_toe"), limits=Limits(positions=100))


def test_memory_is_bounded():
    with pytest.raises(TooBig, match="--memory N allows more"):
        solved(shipped("tic_tac_toe"), limits=Limits(memory=1))


TAKEN_BACK = (
    LINE.replace("1..4", "1..3")
    .replace("state: {visible: all,", "state: {visible: all, played: 0..3,")
    .replace("all(empty(hand[p]) for p in players)", "played == 3")
    .replace(
        "          - choose: c in hand\n          - move c to line\n",
        """          - choose:
              lay(c in hand): move c to line
              back:
                when: played == 2
                do: move first(line) to hand
      - played += 1
""",
    )
)


def test_a_pile_that_something_leaves_is_walked_with_every_order():
    game = game_of(TAKEN_BACK)
    with pytest.raises(Reordered):
        walk(game, plays_for(game), Positions(game), Hiding(game), 100_000, lambda *_: None)
    found = solved(game)
    positions = Positions(game, forget=False)
    graph = walk(game, plays_for(game), positions, Hiding(game), 100_000, lambda *_: None)
    assert found.positions == len(graph)
    assert found.values == solve_backward(game, graph, lambda *_: None).at(0)


LOOKED_BELOW = LINE.replace("1..4", "1..3").replace(
    "first(line[p]).value > first(line[opponent(p)]).value",
    "first(reverse(line[p])).value > first(reverse(line[opponent(p)])).value",
)


def test_a_pile_that_is_read_below_the_top_keeps_its_order():
    assert Positions(game_of(LINE)).forgets
    assert not Positions(game_of(LOOKED_BELOW)).forgets


@pytest.mark.parametrize(
    ("name", "options", "positions"),
    [
        ("tic_tac_toe", {}, 4_520),
        ("goofspiel", {"num_cards": 4}, 4_725),
        ("hex", {"board_size": 3}, None),
    ],
)
def test_estimates_are_near(name, options, positions):
    game = shipped(name, **options)
    sized = estimate(game, plays_for(game), Positions(game), Hiding(game), 10**9)
    many = positions or solved(game).positions
    assert many / 3 < sized.positions < 3 * many
    assert not sized.hidden and sized.whole

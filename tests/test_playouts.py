"""A batch of plays is reproducible, whole and piece by piece."""

from fractions import Fraction

import pytest
from tests.executors import executor_of, maker
from tests.hand import CODE, SPAN, hand_game, literal, point

from rulerun.session.agents import FirstAgent
from rulerun.simulation import playouts as batches
from rulerun.simulation.playouts import playout
from rulerun_dsl import model as m

pytestmark = pytest.mark.executors


def playouts(*given, **more):
    """Play on the executor that the test runs on."""
    return batches.playouts(*given, executor=maker(), **more)


def first_agents(player):
    return FirstAgent()


def test_reproducible():
    game = hand_game()
    assert playouts(game, 20, 7) == playouts(game, 20, 7)
    assert playouts(game, 20, 7) != playouts(game, 20, 8)
    assert playouts(game, 20, 7).plays[:5] == playouts(game, 5, 7).plays


def test_any_one_of_them_can_be_played_again():
    game = hand_game()
    summary = playouts(game, 5, "orange")
    assert summary.plays[3] == playout(executor_of(game), "orange:3")


def test_summary():
    summary = playouts(hand_game(), 30, 1)
    assert len(summary.finished) == 30
    assert sum(summary.results.values()) == 30
    assert summary.truncated == 0
    assert summary.faults == ()
    assert summary.lengths == (4,) * 30
    assert summary.mean_returns is not None
    assert sum(summary.mean_returns.values()) == 0
    assert summary.wins["P1"] == sum(n for who, n in summary.results.items() if "P1" in who)


def test_agents():
    summary = playouts(hand_game(), 10, 1, first_agents)
    assert summary.results == {("P1",): 10}
    assert summary.mean_returns == {"P1": Fraction(1), "P2": Fraction(-1)}


def test_truncated_plays_are_no_results():
    summary = playouts(hand_game(decisions=2), 10, 1)
    assert summary.truncated == 10
    assert summary.finished == ()
    assert summary.mean_returns is None
    assert summary.results == {}


def test_faults_are_kept():
    code = list(CODE)
    code[10] = m.Store(SPAN, point().target, "+=", literal(10))
    summary = playouts(hand_game(tuple(code)), 30, 1)
    assert 0 < len(summary.faults) < 30
    assert all("range" in (play.fault or "") for play in summary.faults)
    assert len(summary.finished) + len(summary.faults) == 30


@pytest.mark.slow
@pytest.mark.once
def test_several_processes_give_the_same():
    game = hand_game()
    assert batches.playouts(game, 12, 7, processes=2) == batches.playouts(game, 12, 7)

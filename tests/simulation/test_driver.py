"""Many games by a call: the same as by the command, reproducible whole and game by game."""

from fractions import Fraction

import pytest
from tests.executors import NAMES, executor_of
from tests.hand import TEN_POINTS, hand_game

import rulerun
from rulerun.runtime.executor import RuleError
from rulerun.runtime.rng import key_of
from rulerun.session.agents import AgentFault, FirstAgent, ScriptedAgent
from rulerun.simulation.run.driver import simulate, watch
from rulerun.simulation.run.seats import Seat
from rulerun.simulation.run.stepping import Stepping
from rulerun.simulation.stats.totals import Totals


class Once:
    """Answers in one game, and is at fault if it is asked in a second one."""

    blind = True

    def __init__(self):
        self.luck = None

    def choose(self, observation, legal, luck):
        if self.luck not in (None, luck):
            raise AgentFault("a second game")
        self.luck = luck
        return legal[-1]


def test_it_is_public():
    assert rulerun.simulate is simulate
    assert rulerun.Totals is Totals


def test_reproducible():
    game = hand_game()
    assert simulate(game, 20, 7).data() == simulate(game, 20, 7).data()
    assert simulate(game, 20, 7).data() != simulate(game, 20, 8).data()


@pytest.mark.executors
def test_the_same_games_whatever_plays_them():
    game = hand_game()
    played = Stepping(executor_of(game, events=False)).play(key_of("orange"), 0, 20)
    totals = simulate(game, 20, "orange")
    for player in range(2):
        assert totals.wins(player) == sum(each.winners >> player & 1 for each in played)
    assert totals.decisions.total() == totals.ended == len(played)
    assert totals.options == sum(each.options for each in played)


@pytest.mark.parametrize("executor", NAMES)
def test_any_executor(executor):
    game = hand_game()
    assert simulate(game, 12, 7, executor=executor).data() == simulate(game, 12, 7).data()


def test_any_one_of_them_can_be_watched():
    game = hand_game()
    wins = [0, 0]
    inputs = 0
    for number in range(5):
        session = watch(game, number, "orange")
        assert session.over
        assert session.log(0)
        inputs += len(session.history)
        assert session.verdict is not None
        for winner in session.verdict.winners:
            wins[winner] += 1
    totals = simulate(game, 5, "orange")
    assert [totals.wins(player) for player in range(2)] == wins
    assert sum(length * many for length, many in totals.inputs.items()) == inputs


def test_what_they_came_to():
    totals = simulate(hand_game(), 30, 1)
    assert totals.games == totals.ended == 30
    assert totals.ends == {"": 30}
    assert totals.winners.total() == 30
    assert totals.decisions == {4: 30}
    assert totals.wins(0) == sum(many for mask, many in totals.winners.items() if mask & 1)


def test_agents_by_name_and_of_ones_own():
    for agent in ("first", FirstAgent, lambda: ScriptedAgent([], then=FirstAgent())):
        totals = simulate(hand_game(), 10, 1, {0: agent, 1: agent})
        assert totals.winners == {1: 10}
        session = watch(hand_game(), 3, 1, {0: agent, 1: agent})
        assert session.verdict is not None
        assert session.verdict.returns == (Fraction(1), Fraction(-1))


@pytest.mark.parametrize("executor", NAMES)
def test_an_agent_knows_of_one_game_only(executor):
    seats = {0: Once, 1: Once}
    assert simulate(hand_game(), 10, 1, seats, executor=executor).ended == 10


def test_truncated_games_are_no_results():
    totals = simulate(hand_game(decisions=2), 10, 1)
    assert totals.ends == {"truncated": 10}
    assert totals.ended == 0
    assert totals.winners == {}
    assert watch(hand_game(decisions=2), 3, 1).truncated


def test_rule_errors_are_counted():
    game = hand_game(TEN_POINTS)
    totals = simulate(game, 30, 1)
    assert 0 < totals.ends["range"] < 30
    assert totals.ended + totals.ends["range"] == totals.games == 30
    with pytest.raises(RuleError, match=r"it is 0\.\.9"):
        watch(game, totals.examples["range"][0], 1)


@pytest.mark.slow
def test_several_processes_give_the_same():
    game = hand_game()
    seats: dict[int, Seat] = {0: "first", 1: FirstAgent}
    alone = simulate(game, 12, 7, seats)
    assert simulate(game, 12, 7, seats, jobs=2).data() == alone.data()

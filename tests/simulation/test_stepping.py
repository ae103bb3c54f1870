"""Games of a seed are the games that `batch` promises, and what ran is counted exactly."""

import dataclasses

import pytest
from tests.hand import TEN_POINTS, hand_game
from tests.rulesets import game_named

from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Played, Tally, arms
from rulerun.runtime.executor import CHANCE, Chance, Decision, Input
from rulerun.runtime.rng import Quick, key_of
from rulerun.session.agents import AgentFault, FirstAgent, RandomAgent
from rulerun.simulation.run.counting import Counting
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl import model as m

KEY = key_of(7)


def by_the_letter(game, number):
    """The docstring of `batch`, word by word, with sessions' own executor."""
    executor = Reference(game)
    streams = [Quick(KEY, number, at) for at in range(1 + len(game.players))]
    state = executor.initial().state
    given = []
    while waiting := executor.waiting(state):
        if waiting[0].player == CHANCE:
            outcomes = sorted(executor.outcomes(state), key=lambda each: each.id)
            left = streams[0].below(sum(each.weight for each in outcomes))
            for outcome in outcomes:
                left -= outcome.weight
                if left < 0:
                    break
            put: Input = Chance(outcome.id)
        else:
            player = waiting[0].player
            legal = sorted(executor.legal(state, player))
            put = Decision(player, legal[streams[1 + player].below(len(legal))])
        given.append(put)
        state = executor.apply(state, put).state
    return given, executor.verdict(state)


@pytest.mark.parametrize("name", ["brave_rats", "kuhn_poker", "love_letter", "goofspiel"])
def test_games_are_those_of_the_promise(name):
    game = game_named(name)
    for played in Stepping(Reference(game, events=False)).play(KEY, 3, 4):
        given, verdict = by_the_letter(game, played.number)
        assert played.winners == sum(1 << winner for winner in verdict.winners)
        assert played.places == verdict.places
        assert played.totals == tuple(total or 0 for total in verdict.totals)
        assert played.inputs == len(given)
        assert played.decisions == sum(isinstance(each, Decision) for each in given)
        assert played.end == ""


def test_any_part_of_a_batch_is_the_same():
    stepping = Stepping(Reference(hand_game(), events=False))
    whole = stepping.play(KEY, 0, 20)
    assert [each.number for each in whole] == list(range(20))
    assert stepping.play(KEY, 5, 10) == whole[5:15]
    assert len({each.winners for each in whole}) > 1
    assert stepping.play(key_of(8), 0, 20) != whole


def test_known_games():
    """A seed is a promise: these games are the same for ever."""
    played = Stepping(Reference(hand_game(), events=False)).play(key_of(0), 0, 8)
    assert [(each.winners, each.inputs, each.options) for each in played] == KNOWN


KNOWN = [(3, 6, 9), (1, 6, 9), (1, 6, 9), (3, 7, 9), (3, 6, 9), (3, 6, 9), (3, 6, 9), (3, 7, 9)]


def test_random_agents_play_as_seats_without_one():
    game = game_named("kuhn_poker")
    alone = Stepping(Reference(game, events=False)).play(KEY, 0, 10)
    agents = {0: RandomAgent, 1: RandomAgent}
    assert Stepping(Reference(game, events=False), agents).play(KEY, 0, 10) == alone


class Looking:
    """Takes the last action it sees, and remembers who it was."""

    blind = False

    def __init__(self):
        self.names = set()

    def choose(self, observation, legal, luck):
        self.names.add(observation.name)
        assert [action.id for action in observation.actions] == list(legal)
        return legal[-1]


def test_an_agent_sees_what_is_its_own():
    agent = Looking()
    stepping = Stepping(Reference(hand_game(), events=False), {0: lambda: agent, 1: FirstAgent})
    stepping.play(KEY, 0, 3)
    assert agent.names == {"P1"}


class Wrong:
    blind = True

    def choose(self, observation, legal, luck):
        return -1


def test_an_agent_that_answers_nonsense_is_a_bug():
    with pytest.raises(AgentFault, match="P2"):
        Stepping(Reference(hand_game(), events=False), {1: Wrong}).play(KEY, 0, 1)


def test_truncated_games_have_no_result():
    game = hand_game(decisions=2)
    tally = Tally.of(game)
    for played in Stepping(Reference(game, events=False)).play(KEY, 0, 5, tally):
        assert (played.end, played.decisions, played.winners) == ("truncated", 2, 0)
        assert (played.places, played.lines) == ((), ())
    assert sum(tally.taken) == 10


def test_a_rule_error_ends_its_game_alone():
    game = hand_game(TEN_POINTS)
    tally = Tally.of(game)
    played = Stepping(Reference(game, events=False)).play(KEY, 0, 30, tally)
    ends = [each.end for each in played]
    assert set(ends) == {"", "range"}
    assert all(each.places == () for each in played if each.end)
    # The decision that failed was taken.
    assert sum(tally.taken) == sum(each.decisions for each in played)
    assert sum(tally.offered) == sum(each.options for each in played)


def test_a_rule_error_in_set_up_is_every_game():
    game = hand_game(("setup:\n", "setup:\n  - score[P1] = 4 + count(well)\n"))
    played = Stepping(Reference(game, events=False)).play(KEY, 0, 3)
    assert played == [Played(number, 0, (), (), 0, 0, 0, "range") for number in range(3)]


# ------------------------------------------------------------------------------------- coverage


@pytest.mark.parametrize("name", ["brave_rats", "love_letter", "liars_dice", "sushi_go"])
def test_counting_changes_no_game(name):
    game = game_named(name)
    stepping = Stepping(Reference(game, events=False))
    plain, covered = Tally.of(game), Tally.of(game, coverage=True)
    assert stepping.play(KEY, 0, 6, plain) == stepping.play(KEY, 0, 6, covered)
    assert (plain.offered, plain.taken) == (covered.offered, covered.taken)
    assert covered.reached[game.procedures[0].entry] == 6


def test_what_comes_to_a_fork_leaves_it_by_one_way():
    """Except where luck or a rule error is in between, of which this game has none at a fork."""
    game = game_named("brave_rats")
    tally = Tally.of(game, coverage=True)
    Stepping(Reference(game, events=False)).play(KEY, 0, 20, tally)
    forks: dict[int, list[int]] = {}
    for arm, many in zip(arms(game), tally.arms, strict=True):
        forks.setdefault(arm.instruction, []).append(many)
    assert forks
    for at, ways in forks.items():
        assert sum(ways) == tally.reached[at]


def test_answers_are_ways_of_their_question():
    game = game_named("pig", winscore="20")
    tally = Tally.of(game, coverage=True)
    Stepping(Reference(game, events=False)).play(KEY, 0, 20, tally)
    ((question, asked),) = [
        (at, node) for at, node in enumerate(game.code) if isinstance(node, m.Choose)
    ]
    texts = [type_.name for type_ in game.actions]
    options = asked.options
    taken = {texts[option.action]: tally.taken[option.action] for option in options}
    ways = {
        arm.to: many
        for arm, many in zip(arms(game), tally.arms, strict=True)
        if arm.instruction == question
    }
    assert {texts[option.action]: ways[option.to] for option in options} == taken
    assert tally.reached[question] == sum(taken.values())
    # Luck that has fallen does not come to its instruction a second time.
    (roll,) = [at for at, node in enumerate(game.code) if isinstance(node, m.Roll)]
    assert 0 < tally.reached[roll] <= taken["roll"]


def test_functions_are_counted_where_they_are_evaluated():
    game = game_named("brave_rats")
    tally = Tally.of(game, coverage=True)
    Stepping(Reference(game, events=False)).play(KEY, 0, 20, tally)
    never = {f.name for f, many in zip(game.functions, tally.called, strict=True) if not many}
    assert "best_rat" not in never
    headline = {"this_round", "this_game", "on_hold", "on_hold_for", "lays_open", "lies_open"}
    assert never == {"kin", "may_be"} | headline


def test_what_counts_plays_like_what_does_not():
    game = game_named("checkers")
    counting = Counting(game)
    plain = Reference(game, events=False)
    assert dataclasses.replace(counting.executor.game, functions=()) == dataclasses.replace(
        game, functions=()
    )
    stepping = Stepping(plain)
    ones = [stepping.one(plain, KEY, number) for number in range(2)]
    assert ones == [stepping.one(counting.executor, KEY, number) for number in range(2)]

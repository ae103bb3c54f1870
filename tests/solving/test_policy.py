"""Policies in files, and players that play by them."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.playing import game_of
from tests.solving.test_solver import LINE, PENNIES, shipped

from rulerun.cli import main
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Chance, Decision
from rulerun.runtime.rng import stream
from rulerun.search.agent_names import maker
from rulerun.session.agents import AgentFault, Unfit
from rulerun.simulation.run.driver import simulate
from rulerun.solving.exact_agent import ExactAgent
from rulerun.solving.policy_file import NoPolicy, read_policy, write_policy
from rulerun.solving.solver import Limits, solve
from rulerun.views.vantage import Follower


def solved(game, **limits):
    return solve(game, "python", Limits(**limits), lambda *_: None)


def kept(game, folder, **limits):
    path = folder / "a.policy"
    write_policy(path, solved(game, **limits))
    return str(path)


def test_what_is_written_is_read_again(tmp_path):
    game = shipped("kuhn_poker")
    answer = solved(game)
    path = tmp_path / "kuhn.policy"
    assert write_policy(path, answer) == 12
    policy = read_policy(str(path), game)
    assert policy.remembers
    for key, player, mix in answer.plans():
        found = policy.mix(key, player)
        assert found is not None
        assert [action for action, _ in found] == [action for action, _ in mix]
        assert abs(sum(share for _, share in found) - 1) < 1e-9
        assert policy.mix(key, 1 - player) is None
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_solution_is_the_same_file(tmp_path):
    game = shipped("kuhn_poker")
    for name in ("one", "two"):
        write_policy(tmp_path / name, solved(game))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda raw: raw[: len(raw) // 2], "is not whole"),
        (lambda raw: b"", "is no policy"),
        (lambda raw: b"rulerun: 1\n", "is no policy"),
        (lambda raw: raw[:40] + bytes([raw[40] ^ 255]) + raw[41:], ""),
        (lambda raw: _lines(raw, lambda lines: lines[:-1]), "is not whole"),
        (lambda raw: _lines(raw, lambda lines: [*lines[:2], *lines[3:]]), "is not whole"),
        (lambda raw: _lines(raw, lambda lines: [lines[0], "x", *lines[2:]]), "is not whole"),
        (lambda raw: _head(raw, policy=2), "of another version"),
        (lambda raw: _head(raw, game="chess"), "the game chess, not kuhn_poker"),
        (lambda raw: _head(raw, fingerprint="0"), "other rules"),
        (lambda raw: _head(raw, players=["P1"]), "the players P1, not P1, P2"),
        (lambda raw: _head(raw, options={"more": "1"}), "the options more=1, not"),
    ],
)
def test_a_spoiled_file_is_one_sentence(tmp_path, spoil, said):
    game = shipped("kuhn_poker")
    path = tmp_path / "kuhn.policy"
    write_policy(path, solved(game, rounds=50))
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(NoPolicy) as failure:
        read_policy(str(path), game)
    assert said in str(failure.value)
    assert "\n" not in str(failure.value)


def _lines(raw, change):
    lines = gzip.decompress(raw).decode().splitlines()
    return gzip.compress("".join(f"{line}\n" for line in change(lines)).encode())


def _head(raw, **changes):
    return _lines(raw, lambda lines: [json.dumps({**json.loads(lines[0]), **changes}), *lines[1:]])


# ----------------------------------------------------------------------------------------- playing


def test_nobody_beats_it_at_tic_tac_toe(tmp_path):
    game = shipped("tic_tac_toe")
    name = f"exact:{kept(game, tmp_path)}"
    both = simulate(game, 30, seats={0: name, 1: name})
    assert both.ended == 30 and both.wins(0) == both.wins(1) == 0
    for seat in (0, 1):
        alone = simulate(game, 60, seats={seat: name})
        assert alone.wins(1 - seat) == 0
        assert alone.wins(seat) > 30


@pytest.mark.parametrize("text", [LINE, PENNIES])
def test_it_plays_where_all_decide_at_the_same_time(tmp_path, text):
    game = game_of(text)
    name = f"exact:{kept(game, tmp_path)}"
    found = simulate(game, 20, seats={0: name, 1: name})
    assert found.ended == 20


def test_a_mix_is_drawn_as_it_is_written(tmp_path):
    game = game_of(LINE.replace("1..4", "1..2").replace("won[p] += 1", "won[p] += 2"))
    path = tmp_path / "a.policy"
    write_policy(path, solved(game))
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    first = json.loads(lines[1])
    both = sorted(action for action, _ in json.loads(lines[1])[2])
    executor = Reference(game, events=False)
    state = executor.initial().state
    legal = executor.legal(state, 0)
    first[2] = [[legal[0], 0.25], [legal[1], 0.75]]
    lines[1] = json.dumps(first, separators=(",", ":"))
    path.write_bytes(_lines(path.read_bytes(), lambda _: lines))
    agent = ExactAgent(game, str(path))
    vantage = Follower(executor, state).vantage(state, first[1], legal)
    drawn = [agent.think(vantage, stream("mix", number)) for number in range(400)]
    assert set(both) <= set(legal)
    assert 70 < drawn.count(legal[0]) < 130


def test_indistinguishable_positions_and_the_same_luck_give_the_same_choice(tmp_path):
    """Law 5 for this agent: what the other holds, and has laid in secret, makes no difference."""
    game = shipped("kuhn_poker")
    path = kept(game, tmp_path, rounds=100)
    executor = Reference(game, events=False)
    for mine in range(3):
        choices = set()
        for other in range(3):
            if other == mine:
                continue
            state = executor.initial().state
            follower = Follower(executor, state)
            for card in (mine, other):
                fallen = executor.outcomes(state)
                given = next(each for each in fallen if each.text.endswith(str(card + 1)))
                state = executor.apply(state, Chance(given.id)).state
                follower.took(0, Chance(given.id), state)
            vantage = follower.vantage(state, 0, executor.legal(state, 0))
            agent = ExactAgent(game, path)
            choices.add(agent.think(vantage, stream("law")))
        assert len(choices) == 1


def test_what_the_other_has_laid_in_secret_makes_no_difference(tmp_path):
    game = game_of(LINE)
    path = kept(game, tmp_path)
    executor = Reference(game, events=False)
    state = executor.initial().state
    drawn = []
    for laid in executor.legal(state, 0):
        follower = Follower(executor, state)
        after = executor.apply(state, Decision(0, laid)).state
        follower.took(1, Decision(0, laid), after)
        vantage = follower.vantage(after, 1, executor.legal(after, 1))
        agent = ExactAgent(game, path)
        drawn.append([agent.think(vantage, stream("law", number)) for number in range(20)])
    assert all(each == drawn[0] for each in drawn)


def test_what_is_taken_back_is_forgotten(tmp_path):
    game = shipped("liars_dice", dice_sides=2)
    path = kept(game, tmp_path, rounds=50)
    executor = Reference(game, events=False)
    state = executor.initial().state
    follower = Follower(executor, state)
    while executor.waiting(state)[0].player == CHANCE:
        given = Chance(executor.outcomes(state)[0].id)
        state = executor.apply(state, given).state
        follower.took(0, given, state)
    agent = ExactAgent(game, path)
    vantage = follower.vantage(state, 0, executor.legal(state, 0))
    first = agent.think(vantage, stream("a"))
    # The same question again, as after undo: it is answered as if for the first time.
    assert agent.think(vantage, stream("a")) == first
    later = executor.apply(state, Decision(0, first)).state
    assert executor.waiting(later)[0].player == 1


def test_a_decision_that_the_policy_does_not_know_ends_the_game_with_a_sentence(tmp_path):
    game = shipped("kuhn_poker")
    path = tmp_path / "kuhn.policy"
    write_policy(path, solved(game, rounds=50))
    path.write_bytes(_lines(path.read_bytes(), lambda lines: [lines[0], '{"end":0}']))
    with pytest.raises(AgentFault, match="does not know what has happened in this game so far"):
        simulate(game, 5, seats={0: f"exact:{path}"})


def test_names_of_exact_players(tmp_path):
    game = shipped("kuhn_poker")
    path = kept(game, tmp_path, rounds=50)
    assert isinstance(maker(game, f"exact:{path}")(), ExactAgent)
    with pytest.raises(Unfit, match="write which policy"):
        maker(game, "exact")
    with pytest.raises(Unfit, match="no such file"):
        maker(game, "exact:nowhere")
    with pytest.raises(Unfit, match="a policy for the game kuhn_poker, not tic_tac_toe"):
        maker(shipped("tic_tac_toe"), f"exact:{path}")


def test_a_torn_policy_stops_simulate_with_one_line(tmp_path, capsys):
    path = tmp_path / "kuhn.policy"
    write_policy(path, solved(shipped("kuhn_poker"), rounds=50))
    path.write_bytes(_lines(path.read_bytes(), lambda lines: lines[:-1]))
    code = main(["simulate", "kuhn_poker", "-n", "5", "--seat", f"P1=exact:{path}"])
    said = capsys.readouterr()
    assert code == 2 and said.out == ""
    assert said.err == f"rulerun: the policy `{path}` is not whole: solve the game again\n"

"""Plays by the thousand: arrays say what `observe` says, and all executors fill them alike."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test
from tests.playing import game_of
from tests.rulesets import FEW, FOR_CI, SHIPPED, game_named

from rulerun.executors.make import has_machine_code
from rulerun.executors.stepper import TERMINAL, stepper
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE
from rulerun.runtime.rng import Quick, key_of
from rulerun.runtime.state import State
from rulerun.vector import STAY, Encoding, VectorPlays, rows_of
from rulerun.vector.gymnasium import SeatEnv, SeatsEnv
from rulerun.vector.pettingzoo import AtOnceEnv, TurnEnv
from rulerun.views.observe import observe
from rulerun_dsl.model import Game

NAMES = [pytest.param(each.stem, marks=() if each.stem in FEW else FOR_CI) for each in SHIPPED]


def positions(game: Game, games: int = 5) -> Iterator[tuple[State, int]]:
    """States in which somebody decides, and who, of games at random."""
    for number in range(games):
        luck, play, decisions = Quick(key_of("vector"), number, 0), stepper(game), 0
        for _ in range(300):
            who = play.who()
            if who == TERMINAL:
                break
            decisions += who != CHANCE
            if who != CHANCE and (decisions < 6 or not luck.below(8)):
                yield play.state(), who
            may = play.legal()
            weights = play.weights() if who == CHANCE else (1,) * len(may)
            play.apply(may[luck.weighted(weights)])


def seen(executor: Reference, encoding: Encoding, state: State, viewer: int) -> str:
    """What is observed, as far as it stands in columns."""
    found: Any = observe(executor, state, viewer).data()
    shown = {each.label for each in encoding.entries}
    found["state"] = {name: each for name, each in found["state"].items() if name in shown}
    return json.dumps([found[each] for each in ("state", "zones", "together", "asked")])


@pytest.mark.parametrize("name", NAMES)
def test_rows_say_what_is_observed_and_no_more(name):
    game = game_named(name)
    executor, encoding = Reference(game, events=False), Encoding(game)
    states, who = zip(*positions(game), strict=True)
    slots = np.array([each.slots for each in states], dtype=np.int64)
    highs = np.array([each.high for each in encoding.columns])
    told = np.array([each.name != "question" for each in encoding.columns])
    for viewer in range(len(game.players)):
        rows = rows_of(encoding, slots, viewer, np.array(who))
        assert (rows >= 0).all() and (rows <= highs).all()
        forth: dict[str, bytes] = {}
        back: dict[bytes, str] = {}
        for state, row in zip(states, rows[:, told], strict=True):
            text = seen(executor, encoding, state, viewer)
            assert forth.setdefault(text, row.tobytes()) == row.tobytes(), "a secret is told"
            assert back.setdefault(row.tobytes(), text) == text, "something is left out"


@pytest.mark.skipif(not has_machine_code(), reason="llvmlite is not installed")
@pytest.mark.parametrize("name", [*NAMES, "blackjack", "dots_and_boxes"])
def test_machine_code_goes_as_python_does(name):
    """Fractions are returned at blackjack, a share of the win at dots and boxes."""
    game, luck = game_named(name), np.random.default_rng(1)
    one, other = (
        VectorPlays(game, 4, 3, executor, same_step=len(name) % 2 == 1)
        for executor in ("native", "python")
    )
    room, rooms = np.empty(4, dtype=np.int64), np.empty_like(one.observe())
    for number in range(60):
        assert (one.who == other.who).all() and (one.legal == other.legal).all()
        assert (one.returns == other.returns).all() and (one.over == other.over).all()
        viewer = number % one.players
        assert (one.observe(viewer) == other.observe(viewer)).all()
        rooms[:] = -7  # whatever stands there is written over
        assert one.observe(out=rooms) is rooms and (rooms == other.observe()).all()
        actions = one.sample(out=room)
        assert actions is room and (actions == other.sample()).all()
        assert (one.legal[np.arange(4), actions] | one.over).all()
        actions[luck.random(4) < 0.1] = STAY
        one.step(actions)
        other.step(actions)


EXECUTORS = ("auto", "python", "reference")


@pytest.mark.parametrize("executor", EXECUTORS)
def test_games_follow_one_another(executor):
    plays = VectorPlays(game_named("tic_tac_toe"), 3, 7, executor)
    for action in (0, 3, 1, 4):
        plays.step([action, STAY, action])
    assert list(plays.who) == [0, 0, 0] and plays.legal.sum(axis=1).tolist() == [5, 9, 5]
    plays.step([2, STAY, 8])
    assert plays.over.tolist() == [True, False, False]
    assert plays.returns.tolist() == [[1, -1], [0, 0], [0, 0]]
    assert not plays.legal[0].any()
    plays.step([STAY, STAY, 5])
    assert plays.over.tolist() == [True, False, True]
    assert plays.returns[0].tolist() == [1, -1]
    plays.step([5, 4, 0])
    assert plays.legal.sum(axis=1).tolist() == [9, 8, 9] and not plays.returns.any()
    plays.drop(np.array([False, True, False]))
    assert plays.over.tolist() == [False, True, False] and not plays.legal[1].any()
    plays.step([0, 0, 0])
    assert plays.legal.sum(axis=1).tolist() == [8, 9, 8]


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker", "liars_dice", "blackjack"])
def test_the_step_that_ends_a_game_begins_the_next(name, executor):
    """The same games with the same ends, without the steps between them."""
    game, ends = game_named(name), []
    for same_step in (False, True):
        plays = VectorPlays(game, 3, 7, executor, same_step=same_step)
        told: list[list[Any]] = [[], [], []]
        for _ in range(60):
            waits = plays.who == TERMINAL
            # At blackjack luck may end a game before anybody decides.
            assert name == "blackjack" or not (same_step and waits.any())
            for at, play in enumerate(told):
                if plays.over[at]:
                    play.append(plays.returns[at].tolist())
                else:
                    assert not plays.returns[at].any()
                if not waits[at]:
                    play.append((plays.who[at], plays.legal[at].tolist()))
                    play.append(plays.observe()[at].tolist())
            may = [np.flatnonzero(each) for each in plays.legal]
            # By how much was told: the same in both, whatever stands between.
            taken = [each[len(play) % len(each)] if len(each) else 0
                     for each, play in zip(may, told, strict=True)]  # fmt: skip
            plays.step(taken)
        ends.append(told)
    for apart, together in zip(*ends, strict=True):
        assert apart == together[: len(apart)] and len(apart) <= len(together)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_cannot_be_taken_is_refused_before_anything_is_done(executor):
    plays = VectorPlays(game_named("tic_tac_toe"), 2, 0, executor)
    plays.step([4, 4])
    before = plays.observe()
    for actions, said in (
        ([0, 4], "play 1: action 4 is not legal now; 0, 1, 2, 3, 5, 6, 7, 8 may be taken"),
        ([0, 9], "play 1: action 9"),
        ([-2, 0], "play 0: action -2"),
        ([0], r"there are 2 plays: \(1,\) is not an action for each"),
    ):
        with pytest.raises(ValueError, match=said):
            plays.step(actions)
    assert (plays.observe() == before).all()


@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker", "othello", "breakthrough"])
@pytest.mark.parametrize("executor", ["auto", "python"])
def test_any_legal_action_is_as_likely_as_any_other(name, executor):
    """Of 9, 2, 4 of 65, and some 22 of hundreds: chi square stays below its mean and 5 deviations.

    Where all plays are alike, and where they are not: then by how many an action stands.
    """
    many = 4000 if executor == "auto" else 400
    plays = VectorPlays(game_named(name), many, 11, executor)
    every = np.arange(many)
    for _ in range(4):
        counts, means = np.zeros(plays.actions), np.zeros(plays.actions)
        for _ in range(5):
            drawn = plays.sample()
            assert plays.legal[every, drawn].all()
            counts += np.bincount(drawn, minlength=plays.actions)
            means += (plays.legal / plays.legal.sum(axis=1, keepdims=True)).sum(axis=0)
        far = (counts - means)[means > 0] ** 2 / means[means > 0]
        assert far.sum() < len(far) + 5 * (2 * len(far)) ** 0.5
        if name != "kuhn_poker":  # where the next may be over
            plays.step(drawn)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_is_drawn_goes_by_the_seed(executor):
    plays = VectorPlays(game_named("tic_tac_toe"), 64, 5, executor)
    drawn = [plays.sample().tolist() for _ in range(2)]
    assert drawn[0] != drawn[1]
    plays.drop(np.arange(64) == 3)
    assert plays.sample()[3] == 0
    plays.reset(5)
    assert [plays.sample().tolist() for _ in range(2)] == drawn
    plays.reset(6)
    assert plays.sample().tolist() != drawn[0]


def test_there_must_be_room_for_what_is_written():
    plays = VectorPlays(game_named("tic_tac_toe"), 4)
    seen = plays.observe()
    room: Any
    for room in (np.zeros(4, np.int32), np.zeros(5, np.int64), np.zeros(8, np.int64)[::2]):
        with pytest.raises(ValueError, match="4 numbers of type int64, in a row"):
            plays.sample(out=room)
    shown = seen.view()
    shown.flags.writeable = False
    for room in (seen.astype(np.int64), seen[:3], shown):
        with pytest.raises(ValueError, match=r"\(4, 14\) numbers of type int32"):
            plays.observe(out=room)
    rows = np.zeros(seen.shape, np.int32)
    assert (plays.observe(out=rows) == seen).all()


def test_a_seed_is_the_same_games_whatever_runs_them():
    game = game_named("kuhn_poker")
    dealt = [
        VectorPlays(game, 64, seed, executor).observe(0).tolist()
        for seed, executor in ((1, "auto"), (1, "python"), (1, "reference"), (2, "python"))
    ]
    assert dealt[0] == dealt[1] == dealt[2] != dealt[3]


def test_what_rules_cannot_do_is_said():
    rules = """
        rulerun: 1
        game: wrong
        players: 2
        state: {visible: all, n: 0..2}
        phases: {play: {turns: you in clockwise(P1), until: n > 2, do: [choose: {go: n += 1}]}}
    """
    for executor in EXECUTORS:
        plays = VectorPlays(game_of(rules), 2, 0, executor)
        plays.step([0, 0])
        plays.step([0, 0])
        with pytest.raises(RuntimeError, match="the rules go wrong in play 0"):
            plays.step([0, 0])


def test_what_there_is_none_of():
    game = game_named("pig")
    with pytest.raises(ValueError, match="there must be one"):
        VectorPlays(game, 0)
    with pytest.raises(ValueError, match="there are auto, native, python, reference"):
        VectorPlays(game, 1, executor="quick")


def test_columns_expand_to_one_for_each_number():
    game = game_named("brave_rats")
    encoding, plays = Encoding(game), VectorPlays(game, 5, 1)
    rows = plays.observe()
    whole = encoding.expanded(rows)
    assert whole.shape == (5, sum(each.high for each in encoding.columns))
    assert (whole.sum(axis=1) == (rows > 0).sum(axis=1)).all()
    starts = np.cumsum([0, *(each.high for each in encoding.columns)])
    for at, column in enumerate(encoding.columns):
        part = whole[:, starts[at] : starts[at] + column.high]
        assert (np.where(part.any(axis=1), part.argmax(axis=1) + 1, 0) == rows[:, at]).all()


def test_variables_may_be_left_out():
    game = game_named("connect_four")
    whole = [each.name for each in Encoding(game).columns]
    name = Encoding(game).entries[0].table.variable.name
    without = [each.name for each in Encoding(game, [name]).columns]
    assert len(without) < len(whole) and set(without) < set(whole)


def test_without_llvmlite_python_steps(monkeypatch):
    from rulerun.compiled.native import building, objects

    def missing():
        raise objects.Missing("No module named 'llvmlite'")

    monkeypatch.setattr(building, "library", missing)
    plays = VectorPlays(game_named("tic_tac_toe"), 2)
    plays.step([0, 8])
    assert plays.legal.sum() == 16
    with pytest.raises(RuntimeError, match="rulerun\\[native\\]"):
        VectorPlays(game_named("tic_tac_toe"), 2, executor="native")


def test_a_game_without_machine_code_is_not_mended_by_installing(monkeypatch):
    from rulerun.compiled.ir.program import Unsupported
    from rulerun.compiled.native import building

    def refuse(*_):
        raise Unsupported("more than 10 players")

    monkeypatch.setattr(building, "check", refuse)
    with pytest.raises(RuntimeError, match=r"of tic_tac_toe: more than 10 players$"):
        VectorPlays(game_named("tic_tac_toe"), 2, executor="native")


def test_what_is_handed_out_is_not_written():
    plays = VectorPlays(game_named("tic_tac_toe"), 2)
    for array in (plays.who, plays.legal, plays.returns, plays.slots):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError, match="neither copied nor sent"):
        copy.deepcopy(plays)


def test_what_means_nothing_is_refused():
    game = game_named("tic_tac_toe")
    plays = VectorPlays(game, 2)
    for actions, said in (([0.0, 1.9], "whole numbers, not float64"), (["0", "1"], "not <U1")):
        with pytest.raises(ValueError, match=said):
            plays.step(actions)
    with pytest.raises(ValueError, match="is not legal now"):
        plays.step(np.array([2**64 - 1, 0], dtype=np.uint64))
    for viewer in (-1, 2):
        with pytest.raises(ValueError, match=f"no player {viewer}"):
            plays.observe(viewer)
    for without in ("mark", ["nothing"]):
        with pytest.raises(ValueError, match="no family of variables"):
            VectorPlays(game, 2, without=without)
    with pytest.raises(ValueError, match="say of each"):
        plays.drop(np.array([1, 0]))
    with pytest.raises(ValueError, match="no rows of"):
        plays.encoding.expanded(plays.observe() + 50)


WRONG = """
    rulerun: 1
    game: wrong
    players: 2
    state: {visible: all, n: 0..2}
    phases:
      play:
        turns: you in clockwise(P1)
        do:
          - choose:
              win: end game won by you
              err: {do: [n += 2, n += 2]}
"""


@pytest.mark.parametrize("executor", EXECUTORS)
def test_one_play_that_goes_wrong_loses_no_other(executor):
    plays = VectorPlays(game_of(WRONG), 4, 0, executor)
    win, err = 0, 1
    with pytest.raises(RuntimeError, match="in play 1"):
        plays.step([win, err, win, err])
    assert plays.over.all()
    assert plays.returns.tolist() == [[1, -1], [0, 0], [1, -1], [0, 0]]


# ------------------------------------------------------------------------ environments of others

SMALL = ("brave_rats", "kuhn_poker", "tic_tac_toe", "liars_dice")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SMALL)
def test_pettingzoo_finds_nothing_wrong(name, capsys):
    game = game_named(name)
    api_test(TurnEnv(game), num_cycles=60)
    parallel_api_test(AtOnceEnv(game), num_cycles=60)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SMALL)
def test_gymnasium_finds_nothing_wrong(name):
    check_env(SeatEnv(game_named(name), seat=1), skip_render_check=True)


def test_an_illegal_action_ends_the_game_of_who_took_it():
    many = SeatsEnv(game_named("tic_tac_toe"), 3)
    seen_, _ = many.reset(seed=5)
    assert (seen_["action_mask"].sum(axis=1) == 9).all()
    seen_, _, _, _, _ = many.step(np.array([4, 4, 4]))
    _, rewards, over, _, _ = many.step(np.array([4, seen_["action_mask"][1].argmax(), 4]))
    assert rewards.tolist() == [-1, 0, -1] and over.tolist() == [True, False, True]
    seen_, rewards, over, _, _ = many.step(np.array([0, seen_["action_mask"][1].argmax(), 0]))
    assert not over[[0, 2]].any() and (seen_["action_mask"][[0, 2]].sum(axis=1) == 9).all()
    turns = TurnEnv(game_named("tic_tac_toe"))
    turns.reset(seed=1)
    turns.step(4)
    turns.step(4)
    assert turns.rewards == {"x": 0.0, "o": -1.0} and all(turns.terminations.values())


EARLY = """
    rulerun: 1
    game: early
    players: 2
    state: {visible: all, die: 0..5}
    setup: [roll die, end game won by P1 if die == 0]
    phases:
      play:
        turns: you in clockwise(P1)
        do: [choose: {on: die = 1, win: end game won by you}]
"""


def test_games_that_end_before_one_is_asked_are_told_of():
    """P1 may win at once, and so may luck: what comes of it is handed out."""
    many = SeatsEnv(game_of(EARLY), 32, seat=1)
    seen_, _ = many.reset(seed=1)
    assert (seen_["action_mask"].sum(axis=1) == 2).all()
    lost = 0
    for _ in range(20):
        seen_, rewards, over, _, _ = many.step(np.zeros(32, dtype=np.int64))
        assert (rewards[over] != 0).all()
        lost += int((rewards < 0).sum())
    assert lost > 20
    for seed in range(40):
        turns = TurnEnv(game_of(EARLY))
        turns.reset(seed=seed)
        if all(turns.terminations.values()):
            assert turns.rewards == {"P1": 1.0, "P2": -1.0}
            break
    else:
        raise AssertionError("luck ended no game")


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_next_game_that_luck_ends_is_told_of_by_the_next_step(executor):
    plays = VectorPlays(game_of(EARLY), 32, 1, executor, same_step=True)
    won = lost = 0
    for _ in range(40):
        assert (plays.over | (plays.who != TERMINAL)).all()
        assert (plays.returns[plays.over] != 0).all()
        lost += int((plays.who[plays.over] == TERMINAL).sum())
        won += int(plays.over.sum())
        plays.step(np.where(plays.who == TERMINAL, 0, 1))
    assert won > lost > 100


def test_environments_refuse_what_means_nothing():
    game = game_named("tic_tac_toe")
    for seat in (-1, 2):
        with pytest.raises(ValueError, match=f"no seat {seat}"):
            SeatsEnv(game, 2, seat)
    many = SeatsEnv(game, 2)
    with pytest.raises(ValueError, match="call `reset` first"):
        many.step(np.array([0, 0]))
    many.reset(seed=1)
    _, rewards, over, _, _ = many.step(np.array([-1, 99]))
    assert rewards.tolist() == [-1, -1] and over.all()
    _, rewards, over, _, _ = many.step(np.array([-1, 99]))  # two more games begin
    assert not rewards.any() and not over.any()
    idle = SeatsEnv(game, 2, 1, lambda plays, which: np.full(len(which), STAY))
    with pytest.raises(ValueError, match="takes no action"):
        idle.reset(seed=1)
    turns = TurnEnv(game)
    turns.reset(seed=1)
    with pytest.raises(ValueError, match="None is no action"):
        turns.step(None)
    both = AtOnceEnv(game_named("brave_rats"))
    both.reset(seed=1)
    with pytest.raises(KeyError):
        both.step({"yarg": 0})
    assert both.step({"yarg": 0, "applewood": 1})[1] == {"yarg": 0.0, "applewood": 0.0}


def test_many_games_side_by_side_stay_in_their_spaces():
    many = SeatsEnv(game_named("brave_rats"), 16, seat=1)
    luck = np.random.default_rng(0)
    seen_, _ = many.reset(seed=1)
    ends = 0
    for _ in range(60):
        assert many.observation_space.contains(seen_)
        drawn = luck.random(seen_["action_mask"].shape)
        seen_, rewards, over, cut, _ = many.step(
            np.where(seen_["action_mask"] > 0, drawn, -1).argmax(axis=1)
        )
        assert not rewards[~over].any() and not cut.any()
        ends += int(over.sum())
    assert ends > 60


def test_what_one_chooses_in_secret_is_not_seen():
    """Both decide at once: neither the rows nor the masks of the second tell what the first did."""
    game = game_named("brave_rats")
    found = []
    for action in (0, 5):
        env = TurnEnv(game)
        env.reset(seed=3)
        first = env.agent_selection
        env.step(action)
        assert env.agent_selection != first
        found.append(env.observe(env.agent_selection))
    one, other = found
    assert all((one[part] == other[part]).all() for part in ("observation", "action_mask"))

"""Our games as OpenSpiel's: its own tests pass, its algorithms find what they find elsewhere."""

from __future__ import annotations

import pytest
from tests.rulesets import game_named

pyspiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.open_spiel

NAMES = (
    "catch",
    "kuhn_poker",
    "leduc_poker",
    "brave_rats",
    "pig",
    "connect_four",
    "hearts",
    "liars_dice",
)


@pytest.mark.parametrize("name", NAMES)
def test_random_games_hold_what_openspiel_asks(name):
    from rulerun.vector.openspiel import registered

    game = registered(game_named(name))
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)


def test_its_algorithms_find_the_same_in_our_rules():
    from open_spiel.python.algorithms import cfr, exploitability

    from rulerun.vector.openspiel import registered

    ours = registered(game_named("kuhn_poker"))
    found = []
    for name in (ours.get_type().short_name, "kuhn_poker"):
        game = pyspiel.load_game(name)
        solver = cfr.CFRSolver(game)
        for _ in range(30):
            solver.evaluate_and_update_policy()
        found.append(exploitability.nash_conv(game, solver.average_policy()))
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_its_search_plays_our_rules():
    import numpy as np
    from open_spiel.python.algorithms import mcts

    from rulerun.vector.openspiel import registered

    game = registered(game_named("tic_tac_toe"))
    luck = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 1.4, 60, mcts.RandomRolloutEvaluator(1, luck), random_state=luck)
    won = 0.0
    for _ in range(6):
        state = game.new_initial_state()
        while not state.is_terminal():
            mine = state.current_player() == 0
            state.apply_action(bot.step(state) if mine else int(luck.choice(state.legal_actions())))
        won += state.returns()[0]
    assert won >= 4


def test_settings_are_games_of_their_own():
    from rulerun.vector.openspiel import registered

    two, three = (registered(game_named("kuhn_poker", players)) for players in (2, 3))
    names = [each.get_type().short_name for each in (two, three)]
    assert [pyspiel.load_game(name).num_players() for name in names] == [2, 3]
    assert registered(game_named("kuhn_poker", 2)) is two


def test_a_game_in_which_all_win_together_is_no_zero_sum_game():
    from rulerun.vector.openspiel import registered

    utility = registered(game_named("hanabi")).get_type().utility
    assert utility == pyspiel.GameType.Utility.GENERAL_SUM


def test_what_is_chosen_in_secret_is_in_no_information_state():
    from rulerun.vector.openspiel import registered

    game = registered(game_named("brave_rats"))
    known = []
    for action in (0, 5):
        state = game.new_initial_state()
        state.apply_action(action)
        other = state.current_player()
        known.append((state.information_state_string(other), state.observation_string(other)))
    assert known[0] == known[1]

"""A short-sighted player plays Ruse from set-up to the last point, at every number of people.

It takes whatever its list of wishes names first, and beats random play by far. What the ruleset
says `always` holds is asked again and again on the way.
`python -m tests.games.test_ruse_greedy GAMES` prints mean scores and their spread.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable

import pytest
from tests.rulesets import game_named

from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision
from rulerun.runtime.state import State
from rulerun_dsl.model import Game

WISHES = (
    "declare_common",
    "send_cub",
    "declare",
    "four_points",
    "grow",
    "hunt",
    "climb_any",
    "step",
    "mark",
    "lift",
    "lift_any",
    "gather",
    "dig(two)",
    "buy_bonus_path",
    "dig",
    "lay_tiles",
    "to_territory",
    "to_summit",
    "to_den",
    "to_shared_tile",
)
"""What it takes if it may, the first one first; anything else is chosen by lot."""
LAST = ("put_back", "end_turn", "no_more_actions", "trade_prey", "leave_it_at_that", "nothing")


Choice = Callable[[Game, tuple[int, ...], random.Random], int]


def greedy(game: Game, legal: tuple[int, ...], luck: random.Random) -> int:
    """The first wish that is legal; of several ways to fulfil it, the farthest or any."""
    texts = {action: actions.text(game, action) for action in legal}
    numbers = [action for action, text in texts.items() if text.isdigit()]
    if numbers:
        return max(numbers, key=lambda action: int(texts[action]))
    for wish in WISHES:
        found = [a for a, text in texts.items() if text == wish or text.startswith(f"{wish}(")]
        if found:
            return luck.choice(found)
    wanted = [action for action, text in texts.items() if text not in LAST]
    return luck.choice(wanted or list(legal))


def at_random(game: Game, legal: tuple[int, ...], luck: random.Random) -> int:
    return luck.choice(legal)


def play(game: Game, choice: Choice, seed: int, holds: bool = True) -> tuple[list[int], int]:
    """One game: the points of each player, and how many decisions were taken."""
    executor, luck = Reference(game), random.Random(seed)
    state, decisions = executor.initial().state, 0
    while waiting := executor.waiting(state):
        if waiting[0].player == CHANCE:
            outcomes = executor.outcomes(state)
            (chosen,) = luck.choices(outcomes, [each.weight for each in outcomes])
            state = executor.apply(state, Chance(chosen.id)).state
        else:
            player = waiting[0].player
            legal = executor.legal(state, player)
            state = executor.apply(state, Decision(player, choice(game, legal, luck))).state
            decisions += 1
            if holds and decisions % 25 == 0:
                assert_holds(executor, state)
    if holds:
        assert_holds(executor, state)
    verdict = executor.verdict(state)
    assert verdict is not None
    return [total for total in verdict.totals if total is not None], decisions


def assert_holds(executor: Reference, state: State) -> None:
    game = executor.game
    registers = [None] * game.registers
    for one in game.always:
        run = executor.machine.evaluator.compile(one.condition)
        assert run(state.slots, game.layout.base, registers), one.name


SETTINGS = [
    (1, {"vixen_level": "2"}),
    pytest.param(2, {}, marks=pytest.mark.slow),
    pytest.param(3, {"village": "true"}, marks=pytest.mark.slow),
    pytest.param(4, {"firefox": "true"}, marks=pytest.mark.slow),
]


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(("players", "options"), SETTINGS, ids=str)
def test_a_short_sighted_player_comes_to_the_end(players: int, options: dict[str, str]) -> None:
    totals, decisions = play(game_named("ruse", players, **options), greedy, seed=players)
    assert len(totals) == max(players, 2)
    assert decisions > 50 * players


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_plays_200_games_and_beats_random_play(players: int) -> None:
    game = game_named("ruse", players)
    by_wish = [total for seed in range(200) for total in play(game, greedy, seed)[0]]
    by_lot = [total for seed in range(50) for total in play(game, at_random, seed)[0]]
    assert statistics.mean(by_wish) > statistics.mean(by_lot) + 10


def measure(games: int) -> None:
    for players, options in [(1, {"vixen_level": "1"}), (2, {}), (3, {}), (4, {})]:
        for choice in (greedy, at_random):
            game = game_named("ruse", players, **options)
            played = [play(game, choice, seed) for seed in range(games)]
            totals = [totals for totals, _ in played]
            best = statistics.mean(max(each) for each in totals)
            every = [total for each in totals for total in each[:players]]
            print(
                f"{players} players, {choice.__name__}: mean {statistics.mean(every):.1f}, "
                f"deviation {statistics.pstdev(every):.1f}, range {min(every)} to {max(every)}, "
                f"winners {best:.1f}, "
                f"{statistics.mean(decisions for _, decisions in played):.0f} decisions"
            )


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 20)

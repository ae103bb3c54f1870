"""Our search beside OpenSpiel's `ISMCTSBot` at games that hide something: matches, exploitability.

    python -m benchmarks.ismcts [--games leduc_poker] [--iterations 1000] [--deals 1000]
                                [--agents mcts mcts:proved] [--final normalized most]
                                [--uct 5] [--asked 20]

Assumes: an environment with rulerun and `open_spiel` (with llvmlite it is quicker, and finds the
same), and games whose actions and outcomes both libraries list in the same order.
Does: lets an agent of ours play OpenSpiel's search, which is C++, with equal iterations. Each deal
is played twice, seats exchanged. `--final`: OpenSpiel's search acts by its shares of visits, as it
does when nothing is said, or takes what it visited most; `--uct` is its constant of exploration,
in units of the returns. With `--asked N` each of both is then asked N times, with luck of its own,
what it does in each information set; OpenSpiel says how exploitable a player is who acts by these
shares.
Leaves behind: the mean return of ours for a game, with an interval of 95 % (by pairs of games), and
exploitabilities: half of what the best answers gain against both seats.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from statistics import fmean, stdev
from typing import Any

from benchmarks.classics import game_named, open_spiel
from rulerun.executors.make import executor_for
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor
from rulerun.runtime.rng import Stream, stream
from rulerun.runtime.state import State
from rulerun.search.agent_names import maker
from rulerun.session.agents import Agent
from rulerun.views.vantage import Move, vantage_behind
from rulerun_dsl.model import Game

FINAL = {"normalized": "NORMALIZED_VISIT_COUNT", "most": "MAX_VISIT_COUNT"}
"""How OpenSpiel's search takes an action, by what it is called here."""


def bot(spiel: Any, game: Any, given: Namespace, final: str, seed: int) -> Any:
    """OpenSpiel's search."""
    rollout = spiel.RandomRolloutEvaluator(1, seed)
    policy = getattr(spiel.ISMCTSFinalPolicyType, FINAL[final])
    return spiel.ISMCTSBot(seed, rollout, given.uct, given.iterations, -1, policy, False, False)


class Both:
    """One play in both libraries."""

    def __init__(self, executor: Executor, state: Any, path: tuple[Move, ...] = ()) -> None:
        """Stand at the beginning, or behind a path."""
        self.executor, self.theirs, self.path = executor, state, path
        self.initial: State = executor.initial().state
        self.ours = path[-1][2] if path else self.initial
        self.over = state.is_terminal()
        asked = executor.waiting(self.ours)
        assert self.over == (not asked)
        if self.over:
            return
        self.player = asked[0].player
        assert state.is_chance_node() == (self.player == CHANCE)
        if self.player == CHANCE:
            self.own = tuple(each.id for each in executor.outcomes(self.ours))
            self.weights = [each.weight for each in executor.outcomes(self.ours)]
            self.others = [each for each, _ in state.chance_outcomes()]
        else:
            assert state.current_player() == self.player
            self.own = executor.legal(self.ours, self.player)
            self.others = state.legal_actions()
        assert len(self.own) == len(self.others)

    def on(self, place: int) -> Both:
        """Behind the action or outcome at a place of the list."""
        id_ = self.own[place]
        given = Chance(id_) if self.player == CHANCE else Decision(self.player, id_)
        after = self.executor.apply(self.ours, given).state
        child = self.theirs.child(self.others[place])
        return Both(self.executor, child, (*self.path, (0, given, after)))

    def thought(self, agent: Any, luck: Stream) -> int:
        """The place of what an agent of ours does."""
        vantage = vantage_behind(self.executor, self.initial, self.path, self.player)
        return self.own.index(agent.think(vantage, luck))


def match(spiel: Any, game: Game, other: Any, name: str, final: str, given: Namespace) -> str:
    """Play deals twice each, and say what came of it."""
    executor = executor_for(game, "python", events=False)
    make = maker(game, name, given.executor)
    pairs, spent, rested = [], 0.0, 0.0
    for deal in range(given.deals):
        returns = []
        for seat in (0, 1):
            agent: Agent = make()
            rival = bot(spiel, other, given, final, 2 * deal + seat)
            fallen, luck = stream(deal, "deal"), stream(2 * deal + seat, "ours")
            at = Both(executor, other.new_initial_state())
            while not at.over:
                begun = time.process_time()
                if at.player == CHANCE:
                    at = at.on(fallen.weighted(at.weights))
                elif at.player == seat:
                    at = at.on(at.thought(agent, luck))
                    spent += time.process_time() - begun
                else:
                    at = at.on(at.others.index(rival.step(at.theirs)))
                    rested += time.process_time() - begun
            returns.append(at.theirs.returns()[seat])
        pairs.append(fmean(returns))
    give = 1.96 * stdev(pairs) / len(pairs) ** 0.5
    mean = fmean(pairs)
    return (
        f"{game.name:12} {name:>18} against ISMCTSBot ({final}) {given.iterations} iterations, "
        f"{2 * given.deals} games: mean return {mean:+.3f} [{mean - give:+.3f}, {mean + give:+.3f}]"
        f"  ({spent:.0f} s of CPU, theirs {rested:.0f})"
    )


def sets(executor: Executor, other: Any) -> Iterator[tuple[str, Both]]:
    """Each information set, by what OpenSpiel calls it, and a play that stands in it."""
    known = set()
    waiting = [Both(executor, other.new_initial_state())]
    while waiting:
        at = waiting.pop()
        if at.over:
            continue
        if at.player != CHANCE:
            name = at.theirs.information_state_string()
            if name not in known:
                known.add(name)
                yield name, at
        waiting += [at.on(place) for place in range(len(at.own))]


def exploitability(spiel: Any, other: Any, asked: dict[str, list[tuple[int, float]]]) -> float:
    """How exploitable a player is who acts so, by OpenSpiel."""
    found: float = spiel.exploitability(other, spiel.TabularPolicy(asked))
    return found


def ours(game: Game, other: Any, name: str, given: Namespace) -> dict[str, list[tuple[int, float]]]:
    """What an agent of ours does in each information set, by shares of so many times."""
    executor = executor_for(game, "python", events=False)
    make = maker(game, name, given.executor)
    table = {}
    for number, (known, at) in enumerate(sets(executor, other)):
        times = Counter(
            at.thought(make(), stream(number, f"asked {each}")) for each in range(given.asked)
        )
        table[known] = [(act, times[place] / given.asked) for place, act in enumerate(at.others)]
    return table


def theirs(
    spiel: Any, game: Game, other: Any, final: str, given: Namespace
) -> dict[str, list[tuple[int, float]]]:
    """What OpenSpiel's search does in each information set, on the mean of so many times."""
    executor = executor_for(game, "python", events=False)
    table = {}
    for number, (known, at) in enumerate(sets(executor, other)):
        shares = dict.fromkeys(at.others, 0.0)
        for each in range(given.asked):
            rival = bot(spiel, other, given, final, given.asked * number + each)
            for action, share in rival.step_with_policy(at.theirs)[0]:
                shares[action] += share / given.asked
        table[known] = list(shares.items())
    return table


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(prog="benchmarks.ismcts")
    parser.add_argument("--games", nargs="*", default=("leduc_poker",))
    parser.add_argument("--agents", nargs="*", default=("mcts", "mcts:proved"))
    parser.add_argument("--final", nargs="*", default=tuple(FINAL), choices=tuple(FINAL))
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--uct", type=float, default=5.0)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--asked", type=int, default=20)
    parser.add_argument("--executor", default="native")
    given = parser.parse_args()
    spiel = open_spiel()
    for name in given.games:
        game = game_named(name)
        other = spiel.load_game(name)
        agents = [each.replace("mcts", f"mcts:{given.iterations}", 1) for each in given.agents]
        for agent in agents:
            for final in given.final:
                print(match(spiel, game, other, agent, final, given), flush=True)
        if not given.asked:
            continue
        for agent in agents:
            gap = exploitability(spiel, other, ours(game, other, agent, given))
            print(f"{game.name:12} {agent:>18} exploitability {gap:.3f}", flush=True)
        for final in given.final:
            gap = exploitability(spiel, other, theirs(spiel, game, other, final, given))
            print(f"{game.name:12} ISMCTSBot ({final}) exploitability {gap:.3f}", flush=True)


if __name__ == "__main__":
    main()

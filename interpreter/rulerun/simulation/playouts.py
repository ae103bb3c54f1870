"""Many plays by agents, to the end, reproducible by one seed.

Playout `i` of a batch with seed S is the session with the seed `S:i`, so any one of them can be
played again by itself, and a batch is the same in one process and in eight. Plays are summed up in
order: results, lengths, returns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from multiprocessing import get_context

from rulerun.executors.make import executor_for
from rulerun.runtime.executor import Executor, RuleError
from rulerun.session.agents import Agent, RandomAgent
from rulerun.session.session import AgentFault, Session
from rulerun_dsl.model import Game

Agents = Callable[[int], Agent]
"""Makes the agent of a player; a function of a module, if several processes share the work."""


def random_agents(player: int) -> Agent:
    """A random agent for everybody."""
    return RandomAgent()


def quiet(game: Game) -> Executor:
    """The python executor, telling nothing: nobody listens to a playout."""
    return executor_for(game, events=False)


@dataclass(frozen=True, slots=True)
class Playout:
    """How one play went."""

    seed: str
    decisions: int
    inputs: int
    """Decisions and chance outcomes."""
    truncated: bool
    winners: tuple[int, ...] | None
    """None if it was truncated or failed."""
    returns: tuple[Fraction, ...] | None
    fault: str | None
    """What went wrong, if a rule error or an agent stopped it."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How a batch of plays went."""

    players: tuple[str, ...]
    plays: tuple[Playout, ...]

    @property
    def finished(self) -> tuple[Playout, ...]:
        """Those that came to their end."""
        return tuple(play for play in self.plays if play.winners is not None)

    @property
    def truncated(self) -> int:
        """How many reached the declared number of decisions."""
        return sum(play.truncated for play in self.plays)

    @property
    def faults(self) -> tuple[Playout, ...]:
        """Those that something stopped."""
        return tuple(play for play in self.plays if play.fault is not None)

    @property
    def results(self) -> dict[tuple[str, ...], int]:
        """How often each set of winners won, by seat; nobody is `()`."""
        counted = Counter(play.winners for play in self.finished if play.winners is not None)
        return {
            tuple(self.players[player] for player in winners): counted[winners]
            for winners in sorted(counted)
        }

    @property
    def wins(self) -> dict[str, int]:
        """How often each player won, alone or with others."""
        return {
            name: sum(player in (play.winners or ()) for play in self.finished)
            for player, name in enumerate(self.players)
        }

    @property
    def mean_returns(self) -> dict[str, Fraction] | None:
        """What each player got on the average, exactly; None if no play came to its end."""
        count = len(self.finished)
        if not count:
            return None
        return {
            name: sum((play.returns[player] for play in self.finished if play.returns), Fraction())
            / count
            for player, name in enumerate(self.players)
        }

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many decisions each play took that came to its end, ascending."""
        return tuple(sorted(play.decisions for play in self.finished))


def playouts(
    game: Game,
    n: int,
    seed: int | str,
    agents: Agents = random_agents,
    *,
    executor: Callable[[Game], Executor] = quiet,
    processes: int = 1,
) -> Summary:
    """Play a game `n` times."""
    return Summary(game.players, tuple(each_playout(game, n, seed, agents, executor, processes)))


def each_playout(
    game: Game,
    n: int,
    seed: int | str,
    agents: Agents = random_agents,
    executor: Callable[[Game], Executor] = quiet,
    processes: int = 1,
) -> Iterator[Playout]:
    """Yield the plays of a batch one by one, in order."""
    seeds = [f"{seed}:{number}" for number in range(n)]
    if processes <= 1 or n < 2:
        running = executor(game)
        for each in seeds:
            yield playout(running, each, agents)
        return
    # Spawned, since a fork of a process with threads may hang. Chunks keep the workers busy.
    chunk = max(1, min(50, n // (4 * processes)))
    work = partial(_in_worker, agents)
    with ProcessPoolExecutor(
        processes, get_context("spawn"), initializer=_begin_worker, initargs=(game, executor)
    ) as pool:
        yield from pool.map(work, seeds, chunksize=chunk)


_RUNNING: list[Executor] = []


def _begin_worker(game: Game, executor: Callable[[Game], Executor]) -> None:
    _RUNNING[:] = [executor(game)]


def _in_worker(agents: Agents, seed: str) -> Playout:
    return playout(_RUNNING[0], seed, agents)


def playout(executor: Executor, seed: int | str, agents: Agents = random_agents) -> Playout:
    """Play once to the end."""
    try:
        session = play_out(executor, seed, agents)
    except RuleError as error:
        return Playout(str(seed), 0, 0, False, None, None, f"in set-up: {error.message}")
    verdict = session.verdict
    return Playout(
        seed=str(seed),
        decisions=session.decisions,
        inputs=len(session.history),
        truncated=session.truncated,
        winners=None if verdict is None else verdict.winners,
        returns=None if verdict is None else verdict.returns,
        fault=None if session.fault is None else _said(session.fault),
    )


def play_out(executor: Executor, seed: int | str, agents: Agents = random_agents) -> Session:
    """Play once to the end: the session. Raises the `RuleError` of a set-up."""
    seats: Mapping[int, Agent] = {
        player: agents(player) for player in range(len(executor.game.players))
    }
    return Session(executor, seats, seed)


def _said(fault: RuleError | AgentFault) -> str:
    return f"{fault.code}: {fault.message}" if isinstance(fault, RuleError) else str(fault)

"""Who plays a batch: the executor by its name, and agents by theirs.

Assumes: a checked `Game`, names as a command line gives them.
Does: makes the `Batch` of an executor, which is where executors are plugged in; reads which seat is
whose.
Leaves behind: a batch. A name that is none raises `Unfit`, with what there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rulerun.runtime.batch import Batch, Expected, Played, Tally
from rulerun.runtime.rng import STREAMS
from rulerun.session.agents import RANDOM, AgentMaker, Unfit
from rulerun_dsl.diagnostics.diagnostic import suggest
from rulerun_dsl.model import Game

if TYPE_CHECKING:
    from rulerun.simulation.run.noting import Watching

EXECUTORS = ("reference", "python", "native")

EVERYBODY = "all"

Seat = str | AgentMaker
"""Who plays a seat: the name of an agent, or what makes one."""


def batch_for(
    game: Game,
    executor_name: str,
    agents: Mapping[int, AgentMaker] | None = None,
    watching: Watching | None = None,
    expected: Expected | None = None,
    known: str = "",
) -> Batch:
    """What plays a game by the batch. `agents` by seat; a seat without one is random.

    `watching` is told of each decision, for which games are played input by input. `expected`,
    `known`: see `NativeBatch`.
    """
    if executor_name not in EXECUTORS:
        raise Unfit(f"there is no executor {executor_name}; there are {', '.join(EXECUTORS)}")
    if agents or watching is not None:
        # Agents decide input by input, with any executor.
        from rulerun.executors.make import executor_for
        from rulerun.simulation.run.stepping import Stepping

        return Stepping(executor_for(game, executor_name, events=False), agents, watching)
    stepping = ByReference(game)
    if executor_name == "reference":
        return stepping
    from rulerun.compiled.ir.program import Unsupported

    if executor_name == "native":
        from rulerun.compiled.native.batch import Missing, NativeBatch

        try:
            return NativeBatch(game, stepping, expected=expected, known=known)
        except (Missing, Unsupported):
            pass
    from rulerun.compiled.python.batch import PythonBatch

    try:
        return PythonBatch(game, stepping)
    except Unsupported:
        return stepping


class ByReference:
    """What plays by the reference, which is made when there is something to play."""

    def __init__(self, game: Game) -> None:
        """Make nothing yet."""
        self.game = game
        self._made: Batch | None = None

    def play(
        self, key: int, first: int, count: int, tally: Tally | None = None
    ) -> Sequence[Played]:
        """Play games of a key."""
        if self._made is None:
            from rulerun.reference.executor import Reference
            from rulerun.simulation.run.stepping import Stepping

            self._made = Stepping(Reference(self.game, events=False))
        return self._made.play(key, first, count, tally)


def decide(seats: Mapping[int, Seat]) -> bool:
    """Whether somebody decides who is not random."""
    return any(each != RANDOM for each in seats.values())


def think(seats: Mapping[int, Seat]) -> bool:
    """Whether somebody may think long: everybody else decides at once."""
    return any(each not in (RANDOM, "first") for each in seats.values())


def watched(game: Game, seats: Mapping[int, Seat], choices: bool | None = None) -> tuple[int, ...]:
    """Whose choices are counted: of all who decide, or of nobody.

    Unless it is said, of those who are not random: a choice says something if somebody means it.
    """
    if choices is None:
        return tuple(seat for seat in sorted(seats) if seats[seat] != RANDOM)
    return tuple(range(game.people)) if choices else ()


def largest_piece(executor_name: str, thinking: bool = False) -> int:
    """How many games of one piece an executor plays in a moment; where somebody thinks, one."""
    if thinking:
        return 1
    return {"native": 10_000, "python": 1_000}.get(executor_name, 100)


def agents_of(game: Game, seats: Mapping[int, Seat], executor: str) -> dict[int, AgentMaker]:
    """The agents of the seats that have one; a random one needs none.

    Those that think do so with the best that is ready: it makes no difference to what they find.
    """
    deciding = {seat: each for seat, each in seats.items() if each != RANDOM}
    if not deciding:
        return {}
    from rulerun.executors.make import AUTO
    from rulerun.search.agent_names import maker

    runs = AUTO if executor == "python" else executor
    return {
        seat: maker(game, each, runs) if isinstance(each, str) else each
        for seat, each in deciding.items()
    }


def seated(game: Game, given: Iterable[str], known: str = "") -> dict[int, str]:
    """The name of the agent of each seat that decides, by `NAME=AGENT`. Raises `Unfit`.

    `known`: what names the game in the cache.
    """
    if len(game.players) >= STREAMS:
        most = STREAMS - 1
        raise Unfit(f"a simulation has up to {most} players; {game.name} has {len(game.players)}")
    people = game.players[: game.people]
    names = {player.casefold(): seat for seat, player in enumerate(people)}
    found = dict.fromkeys(range(game.people), RANDOM)
    for each in given:
        name, equals, agent = (part.strip() for part in each.partition("="))
        if not equals:
            raise Unfit(f"`--seat {each}`: write it as NAME=AGENT")
        try:
            agent = _named(game, agent, known)
        except Unfit as reason:
            raise Unfit(f"`--seat {each}`: {reason}") from None
        if name == EVERYBODY:
            found.update(dict.fromkeys(found, agent))
        elif name.casefold() in names:
            found[names[name.casefold()]] = agent
        elif name.casefold() in [player.casefold() for player in game.players]:
            raise Unfit(f"`--seat {each}`: {name} is an automa, which the rules play")
        else:
            close = suggest(name, people)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(people)}"
            raise Unfit(f"`--seat {each}`: there is no player {name}; {hint}")
    return found


def _named(game: Game, agent: str, known: str) -> str:
    if agent == RANDOM:
        return agent
    from rulerun.search.agent_names import named

    return named(game, agent, known)

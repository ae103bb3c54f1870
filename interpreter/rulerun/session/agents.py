"""Agents: who decides for a player that no person plays.

An agent is asked with an observation (what its player sees), the ids of the legal actions and a
stream of its own, and answers with one of the ids. It never meets a state. An agent that does not
look (`blind`) gets an empty observation, which costs nothing to make. One that thinks (`Thinker`)
is asked with a `Vantage` instead, from which it sees the same, and worlds that look like it.

A person is no agent: a session waits for the person at the front end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rulerun.runtime.rng import Stream, stream

if TYPE_CHECKING:
    from rulerun.views.observation import Observation
    from rulerun.views.vantage import Vantage

RANDOM = "random"
"""The name of who takes any legal action."""


class Agent(Protocol):
    """Who decides for a player."""

    blind: bool
    """Does not look: is handed an empty observation."""

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """Return one of the ids in `legal`."""


@runtime_checkable
class Thinker(Protocol):
    """An agent that looks at worlds which may be the true one."""

    def think(self, vantage: Vantage, luck: Stream) -> int:
        """Return one of the ids in `vantage.legal`."""


@runtime_checkable
class Preparing(Protocol):
    """An agent that can be made ready to decide."""

    def prepare(self) -> None:
        """Begin, in the background, to make what a decision needs; once more does nothing."""


AgentMaker = Callable[[], Agent]
"""Makes the agent of a seat, once for each game."""


class Unfit(ValueError):
    """The name of an agent is none; the message says what there is."""


class AgentFault(Exception):
    """An agent did not answer with a legal action."""


class RandomAgent:
    """Takes any legal action, each as likely as any other."""

    blind = True

    def __init__(self, seed: int | str | None = None) -> None:
        """Draw from the session's stream, or, with a `seed`, from a stream of one's own."""
        self._own = None if seed is None else stream(seed, "agent")

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """Draw one of the legal actions."""
        return legal[(self._own or luck).below(len(legal))]


class FirstAgent:
    """Always takes the first legal action: the one with the lowest id."""

    blind = True

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """Take the first."""
        return legal[0]


class ScriptedAgent:
    """Takes the actions of a list of texts, one after another, then leaves it to another agent."""

    blind = False

    def __init__(self, texts: Iterable[str], then: Agent | None = None) -> None:
        """Play `texts`, then as `then` does; without it, being asked more often is a fault."""
        self._texts = list(texts)
        self._next = 0
        self._then = then

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """Take the next action of the list."""
        if self._next == len(self._texts):
            if self._then is None:
                raise AgentFault(f"the script of {observation.name} is at its end")
            return self._then.choose(observation, legal, luck)
        wanted = self._texts[self._next]
        for action in observation.actions:
            if action.text == wanted:
                self._next += 1
                return action.id
        raise AgentFault(f"`{wanted}`, the next in the script of {observation.name}, is not legal")

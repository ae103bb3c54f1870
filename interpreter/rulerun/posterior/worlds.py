"""Worlds that a viewer's history allows.

Assumes: a play (a session, or a player's vantage of one), and a viewer who is one of its players.
Does: writes what the viewer knows of it as evidence, makes plays that hold to the evidence and goes
from one to the next (`chain`), and proves those it picks: run by the reference from the beginning,
with all that is told, they must leave the viewer with the same information state. Where no play is
found within the effort, worlds are dealt over the places as they lie (`views.resample`).
Leaves behind worlds: states, each as likely to come as its luck and the others' decisions are, if
the others decide at random. All that goes into them is what the viewer knows and a seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice

from rulerun.posterior.chain import Chain
from rulerun.posterior.evidence import Looking, evidence_of
from rulerun.posterior.proof import Hearing, Proof
from rulerun.posterior.rerun import Replayer, Trace
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Executor
from rulerun.runtime.recent import Recent
from rulerun.runtime.rng import Quick, Stream, stream
from rulerun.runtime.state import State
from rulerun.session.session import Session
from rulerun.views.recall import InformationState, Recall
from rulerun.views.vantage import Move, Past, Vantage, vantage_behind
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

EFFORT = 20_000
"""Replays that a call may take."""
APART = 10
"""Proposals between a world and the next, and `APART_EACH` more for each hidden step."""
APART_EACH = 2
BURN = 4
"""Of such distances: what is gone before the first world."""


@frozen
class World:
    """A state that a viewer may be in, as far as they know.

    `weight` is the probability of its luck, times 1 over the number of legal actions for each
    decision of the others: among worlds of one history, how likely it is beside another. Worlds
    come as often as their weights say: they need not be weighed again. `proved`: a history that
    leaves the viewer with just what they know leads there; else it was dealt over the places, its
    history was not asked, and its weight is 0.
    """

    state: State
    weight: Fraction
    proved: bool


def worlds(
    session: Session,
    viewer: int,
    n: int,
    *,
    seed: int | str = 0,
    effort: int = EFFORT,
    executor: str = "python",
) -> tuple[World, ...]:
    """Return `n` worlds that `viewer`, a player of a session, may be in for all they know.

    One seed gives the same worlds, on every machine and with every `executor` (`python`, `native`,
    `reference`), and from every truth that the viewer cannot tell from this one: nothing that is
    hidden from them goes into it. `effort` is how many replays may be spent; a replay costs a few
    milliseconds, those of a long game some tens. Worlds of one call are a chain:
    neighbours may share much. Raises ValueError for who is no player, and for n below 0.
    """
    if not 0 <= viewer < len(session.game.players) or n < 0:
        raise ValueError(
            f"worlds are for a player, 0 to {len(session.game.players) - 1}, and 0 or more of them"
        )
    luck = stream(seed, "worlds")
    found: list[World] = []
    if session.initial == Reference(session.game, events=False).initial().state:
        sampler = sampler_of(session, viewer, luck, executor)
        found = list(sampler.proved(known_to(session, viewer), n, effort))
    if len(found) < n:
        vantage = vantage_behind(session.executor, session.initial, path_of(session), viewer)
        dealt = vantage.worlds(luck)
        found += [World(each, Fraction(0), False) for each in islice(dealt, n - len(found))]
    return tuple(found)


def path_of(session: Session) -> list[Move]:
    """The inputs of a session as it stands, with who took them and where they led."""
    return [(point.frame, point.given, point.step.state) for point in session.history]


def sampler_of(session: Session, viewer: int, luck: Stream, runs: str = "python") -> Sampler:
    """What draws worlds of a viewer of a session."""
    path = path_of(session)
    return Sampler(session.executor, session.initial, path, viewer, luck, runs)


def pool(vantage: Vantage, luck: Stream, n: int, effort: int, runs: str) -> list[State]:
    """Worlds that look as they should at every step, for a search: up to `n`, or none.

    Nothing of them is proved by what is told, which would take far longer.
    """

    def read(executor: Executor, past: Past, viewer: int) -> list[State]:
        initial, path = past
        if initial != Reference(executor.game, events=False).initial().state:
            return []
        sampler = Sampler(executor, initial, path, viewer, luck, runs)
        found = islice(sampler.traces(n, effort), n)
        return [trace.state for trace in found if trace.state is not None]

    return vantage.past(read) or []


class Sampler:
    """Worlds of one viewer at one point of a play."""

    def __init__(
        self,
        executor: Executor,
        initial: State,
        path: Sequence[Move],
        viewer: int,
        luck: Stream,
        runs: str = "python",
    ) -> None:
        """Write the evidence. `executor` has run the play; `runs` names what runs the worlds."""
        self.game = executor.game
        self.viewer = viewer
        looking = _looking(self.game, viewer)
        self.replayer = Replayer(looking, evidence_of(looking, executor, initial, path), runs)
        self.chain = Chain(self.replayer, Quick(luck.word() >> 1, 0, 0))
        self._past = [given for _, given, _ in path]

    def traces(self, n: int, effort: int, near: Trace | None = None) -> Iterator[Trace]:
        """Yield plays that the viewer sees as they saw theirs, without end if any is found.

        For `n` of them the effort is enough once it was enough to find the first.
        """
        last = self.replayer.runs + effort
        trace = self.chain.begin(effort, near)
        if trace is None:
            return
        chain = self.chain.go(trace)
        left = max(0, last - self.replayer.runs)
        apart = min(left // (n + 1), APART + APART_EACH * len(trace.free)) if trace.free else 0
        # What the first play has of how it was mended is forgotten first.
        for _ in range(max(0, min(left - apart * n, BURN * apart))):
            trace = next(chain)
        while True:
            for _ in range(apart):
                trace = next(chain)
            yield trace

    def proved(self, known: InformationState, n: int, effort: int) -> Iterator[World]:
        """Yield worlds whose information state is the viewer's: `n`, or fewer by the effort."""
        proof = Proof(self.game, known)
        last = self.replayer.runs + effort
        near: Trace | None = None
        found = 0
        while found < n and self.replayer.runs < last:
            for trace in self.traces(n - found, last - self.replayer.runs, near):
                assert trace.state is not None
                if found == n:
                    return
                if not proof.holds(trace.inputs):
                    near = trace
                    break
                found += 1
                yield World(trace.state, weight(trace), True)
            else:
                return
            if self.chain.hearing is None:
                # It was told otherwise, though all that is seen is the same: listen from now on.
                self.chain.hearing = Hearing(self.game, self.viewer, self._past)


def _looking(game: Game, viewer: int) -> Looking:
    """What a viewer of a game may look at; those of the last few games are kept."""
    kept = _LOOKING.of(game)
    if viewer not in kept:
        kept[viewer] = Looking(game, viewer)
    return kept[viewer]


def _none_yet(game: Game) -> dict[int, Looking]:
    return {}


_LOOKING = Recent(_none_yet, 8)


def weight(trace: Trace) -> Fraction:
    """How likely a play is: luck by its weights, and others as if they decided at random."""
    over = under = 1
    for step in trace.steps:
        over, under = over * step.likely[0], under * step.likely[1]
    return Fraction(over, under)


def known_to(session: Session, viewer: int) -> InformationState:
    """What the viewer knows who was told everything."""
    reference = session.executor
    if isinstance(reference, Reference) and reference.events:
        return session.information(viewer)
    telling = Reference(session.game)
    step = telling.initial()
    recall = Recall.begin(telling, step, viewer)
    for point in session.history:
        step = telling.apply(step.state, point.given)
        recall = recall.extended(telling, point.given, step)
    return recall.known

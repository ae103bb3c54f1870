"""A random play to its end, with everything kept that the laws ask about.

Assumes a game and how its executor is made.
Does: gives a session one random input after another. Inside a `together` the next player is drawn
too. Every chance outcome is equally likely, so that rare ones are played as well.
Leaves behind a `Walk`: the inputs, the steps, the states between them. It depends on the seed
alone, so a walk can be walked again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from rulerun.analysis.settings import Setting
from rulerun.laws.declared_sight import Sight
from rulerun.laws.executors import COMPILED, Rivals
from rulerun.laws.known_steps import Remembering
from rulerun.laws.tracing import Tracer
from rulerun.reference.executor import Reference
from rulerun.reference.metering import Measured, Meter, Metered, Spent
from rulerun.runtime import actions
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Decision,
    Executor,
    Input,
    RuleError,
    Step,
    Waiting,
)
from rulerun.runtime.rng import Stream, stream
from rulerun.runtime.state import State
from rulerun.session.session import Recorder, Session
from rulerun.views.recall import Recall
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game

Build = Callable[[Game], Executor]

MOST_VIEWERS = 4
MOST_INPUTS = 1500
"""A walk that is longer is broken off; law 11 plays such games to their end."""
MOST_WORK = 1_000_000
"""So is one that takes more work."""

Found = tuple[int | None, str]
"""At which state (None: nowhere in particular), and what is wrong."""


@dataclass
class Table:
    """What the walks of one setting share."""

    loaded: Loaded
    setting: Setting
    game: Game
    build: Build
    depth: float = 1.0
    """How much of a walk is looked at: 1 is all that the laws name, 0.25 a quarter of that."""
    against: Collection[str] = COMPILED
    """The compiled executors that are held against the reference."""
    endless: bool = False
    """A play of it had no end: others would take as long."""
    meter: Meter = field(default_factory=Meter)
    """What its executors count: those that it makes of the reference."""

    def few(self, most: int) -> int:
        """So many of `most` as the depth says, 2 at least."""
        return max(min(most, 2), round(most * self.depth))

    def made(self, events: bool = True) -> Executor:
        """An executor that has seen nothing yet."""
        if self.build is Reference:
            return Measured(self.game, self.meter, events)
        return self.build(self.game)

    @cached_property
    def executor(self) -> Executor:
        """The executor that walks."""
        return self.made()

    @cached_property
    def other(self) -> Executor:
        """Another one, which has seen nothing of the walk."""
        return self.made()

    @cached_property
    def rivals(self) -> Rivals:
        """The executors that must agree."""
        return Rivals(self.game, self.against, self.meter)

    @cached_property
    def tracer(self) -> Tracer | None:
        """What is looked at instruction by instruction; None if it can't be."""
        executor = self.made()
        return Tracer(executor, self.sight) if isinstance(executor, Reference) else None

    @cached_property
    def sight(self) -> Sight:
        """What is declared to be seen."""
        return Sight(self.game, Metered(self.game, self.meter))


@dataclass
class Walk:
    """One play. State number i is the one before input number i."""

    table: Table
    seed: str
    initial: Step
    inputs: list[Input] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    """The first and the last included."""
    waiting: list[tuple[Waiting, ...]] = field(default_factory=list)
    """By state: whose input is wanted."""
    kept: list[bytes] = field(default_factory=list)
    """By state: its bytes when it was made."""
    fault: RuleError | None = None
    """What stopped the play: the last of `texts` has no step then."""
    ended: bool = False
    """It was played to its end, or to its declared bound."""
    before: tuple[str, ...] = ()
    """Of a walk that was cut: the inputs before it."""
    broken_off: bool = False
    """It was too much work to play it on."""
    _recalls: dict[int, list[Recall]] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def executor(self) -> Executor:
        """The executor that walked."""
        return self.table.executor

    @cached_property
    def viewers(self) -> tuple[int, ...]:
        """Who looks: the players and a spectator; of many, some, where little is looked at."""
        every = self.table.sight.viewers
        if self.table.depth >= 1 or len(every) <= MOST_VIEWERS:
            return every
        return tuple(sorted(self.luck("viewers").shuffled(every)[:MOST_VIEWERS]))

    def luck(self, *path: int | str) -> Stream:
        """Draw for a law: the same each time this walk is walked."""
        return stream(self.seed, "laws", *path)

    def picked(self, most: int, *path: int | str) -> list[int]:
        """Pick some of the states, the first and last ones included, ascending."""
        return pick(len(self.steps) + 1, self.few(most), self.luck("states", *path))

    def few(self, most: int) -> int:
        """So many of `most` as the depth says."""
        return self.table.few(most)

    def players_asked(self, at: int) -> list[int]:
        """The players who are asked in a state."""
        return [each.player for each in self.waiting[at] if each.player != CHANCE]

    def by_chance(self, at: int) -> bool:
        """Whether luck is asked in a state."""
        return bool(self.waiting[at]) and self.waiting[at][0].player == CHANCE

    def recalls(self, viewer: int) -> list[Recall]:
        """By state: what a viewer knows who forgets nothing."""
        if viewer not in self._recalls:
            found = [Recall.begin(self.executor, self.initial, viewer)]
            for given, step in zip(self.inputs, self.steps, strict=False):
                found.append(found[-1].extended(self.executor, given, step))
            self._recalls[viewer] = found
        return self._recalls[viewer]

    def session(self, seed: str | None = None, record: Recorder | None = None) -> Session:
        """A session that begins where this walk does, and waits for its inputs."""
        seed = self.seed if seed is None else seed
        start = self.initial
        return Session(self.remembered, None, seed, record, automatic=False, start=start)

    @cached_property
    def remembered(self) -> Executor:
        """The executor that walked, which takes the steps of this walk from memory."""
        return Remembering(self.executor, self.states, self.inputs, self.steps)

    def cut(self, most: int) -> Walk:
        """So many states of a long walk, at random, as a walk of its own."""
        if len(self.states) <= most:
            return self
        first = self.luck("cut").below(len(self.states) - most + 1)
        last = first + most - 1
        start = self.initial if first == 0 else Step(self.states[first], ())
        return Walk(
            self.table,
            self.seed,
            start,
            self.inputs[first:last],
            self.texts[first:last],
            self.steps[first:last],
            self.states[first : last + 1],
            self.waiting[first : last + 1],
            self.kept[first : last + 1],
            before=(*self.before, *self.texts[:first]),
        )


def pick(count: int, most: int, luck: Stream) -> list[int]:
    """Pick at most `most` of the first `count` numbers, the ends included, ascending."""
    if count <= most:
        return list(range(count))
    chosen = {0, count - 1}
    while len(chosen) < most:
        chosen.add(luck.below(count))
    return sorted(chosen)


def some(items: list[int], most: int, luck: Stream) -> list[int]:
    """Choose at most `most` of the items, in their order."""
    if len(items) <= most:
        return items
    return [items[at] for at in pick(len(items), most, luck)]


def walk(table: Table, seed: str) -> Walk:
    """Play once. A rule error in set-up is raised; one on the way is kept."""
    session = Session(table.executor, seed=seed, automatic=False)
    start = Step(session.initial, session.initial_events)
    made = Walk(table, seed, start, states=[session.initial], waiting=[session.waiting])
    made.kept.append(session.initial.to_bytes())
    try:
        with table.meter.within(MOST_WORK):
            _go_on(made, session)
    except Spent:
        made.broken_off = True
        many = len(made.steps)
        del made.inputs[many:], made.texts[many:]
    made.ended = session.over or session.truncated
    return made


def _go_on(made: Walk, session: Session) -> None:
    """Give a session one random input after another, as far as it may be."""
    executor, luck = made.executor, made.luck("walk")
    while session.waiting and not session.truncated and len(made.inputs) < MOST_INPUTS:
        given = draw(executor, session.state, session.waiting, luck)
        made.texts.append(text_of(executor, session.state, given))
        made.inputs.append(given)
        try:
            session.give(given)
        except RuleError as fault:
            made.fault = fault
            return
        made.steps.append(session.history[-1].step)
        made.states.append(session.state)
        made.waiting.append(session.waiting)
        made.kept.append(session.state.to_bytes())


def draw(executor: Executor, state: State, waiting: tuple[Waiting, ...], luck: Stream) -> Input:
    """Draw one of the inputs that are wanted."""
    who = waiting[luck.below(len(waiting))].player
    if who == CHANCE:
        outcomes = executor.outcomes(state)
        return Chance(outcomes[luck.below(len(outcomes))].id)
    legal = executor.legal(state, who)
    return Decision(who, legal[luck.below(len(legal))])


def text_of(executor: Executor, state: State, given: Input) -> str:
    """An input as text: `yarg: prince`, `chance: 4`."""
    if isinstance(given, Decision):
        return f"{executor.game.players[given.player]}: {actions.text(executor.game, given.action)}"
    found = (each.text for each in executor.outcomes(state) if each.id == given.outcome)
    return f"chance: {next(found, given.outcome)}"


def inputs_at(executor: Executor, state: State) -> Iterator[Input]:
    """Every input that is possible now."""
    for each in executor.waiting(state):
        if each.player == CHANCE:
            yield from (Chance(outcome.id) for outcome in executor.outcomes(state))
        else:
            yield from (Decision(each.player, one) for one in executor.legal(state, each.player))

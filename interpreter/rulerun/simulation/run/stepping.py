"""A batch, played with any executor, input by input.

Assumes: an executor, and agents for some seats; the others take any legal action at random.
Does: plays each game as `batch` says a game of a seed is played: luck from stream 0, decisions from
stream 1 + seat, until it is over, a decision beyond the declared number is asked for, or a rule
error stops it. A decision counts as taken when its player has decided, whatever comes of it.
Leaves behind: a `Played` for each game, with neither places nor lines if it did not come to its
end, and what happened in a `Tally`; more of what happened is left with who is `Watching`.

An agent is made again for each game, so none knows of another game; it is handed its stream at
the first draw, and goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulerun.runtime.batch import Played, Tally
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor, Input, RuleError
from rulerun.runtime.luck_bound import MOST_FALLS, endless
from rulerun.runtime.rng import Quick
from rulerun.runtime.state import State
from rulerun.session.agents import Agent, AgentFault, AgentMaker, Thinker
from rulerun.simulation.run.counting import Counting
from rulerun.simulation.run.noting import Watching
from rulerun.views.observe import nothing_seen, observe
from rulerun.views.vantage import Follower

Listener = Callable[[State, Input], None]
"""Is told of each input before it is applied."""

TRUNCATED = "truncated"


class Stepping:
    """A `Batch` over an executor."""

    def __init__(
        self,
        executor: Executor,
        agents: Mapping[int, AgentMaker] | None = None,
        watching: Watching | None = None,
    ) -> None:
        """`agents` by seat; seats without one are random. `watching` notes each game."""
        self.executor = executor
        self.game = executor.game
        self.watching = watching
        self._makers = dict(agents or {})
        self._nothing = {seat: nothing_seen(self.game, seat) for seat in self._makers}
        self._counting: Counting | None = None
        self._initial: State | None = None

    def play(self, key: int, first: int, count: int, tally: Tally | None = None) -> list[Played]:
        """Play the games `first` to `first + count - 1` of a key."""
        counting = self._counts() if tally is not None and tally.reached else None
        executor = self.executor if counting is None else counting.executor
        played = [self.one(executor, key, number, tally) for number in range(first, first + count)]
        if counting is not None and tally is not None:
            counting.give(tally)
        return played

    def _counts(self) -> Counting:
        """A reference that counts: no matter who plays, a number of a key is the same game."""
        if self._counting is None:
            self._counting = self._made()
        return self._counting

    def _made(self) -> Counting:
        return Counting(self.game)

    def _begin(self, executor: Executor) -> State:
        """The first state: the same for every game, since luck has not fallen yet."""
        if executor is not self.executor:
            return executor.initial().state
        if self._initial is None:
            self._initial = executor.initial().state
        return self._initial

    def one(
        self,
        executor: Executor,
        key: int,
        number: int,
        tally: Tally | None = None,
        listener: Listener | None = None,
        caught: list[RuleError] | None = None,
    ) -> Played:
        """Play one game. Raises `AgentFault`. The rule error that ends it is added to `caught`."""
        luck = Quick(key, number, 0)
        streams: dict[int, Quick] = {}
        agents = {seat: make() for seat, make in self._makers.items()}
        bound = self.game.decisions
        decisions = inputs = options = falls = 0
        end = ""
        watching = self.watching
        if watching is not None:
            watching.begin()
        try:
            state = self._begin(executor)
            thinking = any(isinstance(agent, Thinker) for agent in agents.values())
            follower = Follower(executor, state) if thinking else None
            while waiting := executor.waiting(state):
                who = waiting[0].player
                given: Input
                if who == CHANCE:
                    falls += 1
                    outcomes = executor.outcomes(state)
                    fallen = luck.weighted([outcome.weight for outcome in outcomes])
                    given = Chance(outcomes[fallen].id)
                else:
                    if 0 < bound <= decisions:
                        end = TRUNCATED
                        break
                    falls = 0
                    legal = executor.legal(state, who)
                    stream = streams.get(who)
                    if stream is None:
                        stream = streams[who] = Quick(key, number, 1 + who)
                    if who in agents:
                        agent = agents[who]
                        if follower is not None and isinstance(agent, Thinker):
                            action = agent.think(follower.vantage(state, who, legal), stream)
                        else:
                            action = self._ask(agent, executor, state, who, legal, stream)
                        self._check(action, legal, who)
                    else:
                        action = legal[stream.below(len(legal))]
                    decisions += 1
                    options += len(legal)
                    if watching is not None:
                        watching.decided(state, who, legal, action)
                    if tally is not None:
                        for each in legal:
                            tally.offered[each] += 1
                        tally.taken[action] += 1
                    given = Decision(who, action)
                inputs += 1
                if listener is not None:
                    listener(state, given)
                if falls > MOST_FALLS:
                    raise endless(self.game, state, waiting[0])
                state = executor.apply(state, given).state
                if follower is not None:
                    frame = next(each.frame for each in waiting if each.player == who)
                    follower.took(frame, given, state)
            if not end:
                verdict = executor.verdict(state)
                assert verdict is not None
                played = Played(
                    number,
                    sum(1 << winner for winner in verdict.winners),
                    verdict.places,
                    tuple(tuple(value for _, value in lines) for lines in verdict.lines),
                    decisions,
                    inputs,
                    options,
                )
                if watching is not None:
                    watching.ended(played)
                return played
        except RuleError as error:
            end = error.code
            if caught is not None:
                caught.append(error)
        return Played(number, 0, (), (), decisions, inputs, options, end)

    def _ask(
        self,
        agent: Agent,
        executor: Executor,
        state: State,
        who: int,
        legal: tuple[int, ...],
        luck: Quick,
    ) -> int:
        seen = self._nothing[who] if agent.blind else observe(executor, state, who)
        return agent.choose(seen, legal, luck)

    def _check(self, answer: int, legal: tuple[int, ...], who: int) -> None:
        if answer not in legal:
            name = self.game.players[who]
            raise AgentFault(f"the agent of {name} answered {answer!r}, which is not legal")

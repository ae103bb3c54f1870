"""A live play: people and agents decide, luck is drawn, and everybody is told what is theirs.

A session drives one executor from the initial state on. Whatever no person has to decide it does
itself: it draws chance outcomes and asks agents, until a person is asked, the game is over, or a
decision beyond the declared number is asked for (`truncated`). One seed gives one play on any
machine: the outcome number k of a play is drawn from `stream(seed, "chance", k)`, decision number k
of player p's agent from `stream(seed, "agent", p, k)`. So nothing needs to remember a generator,
and a play that goes on from its record goes on as it would have.

An input is applied, then written to the record, then kept; should either of the first fail, nothing
has changed. Front ends read observations, logs and refusals, all of which come through `observe`.
A rule error (or an agent that answers with nonsense) on the way is kept as `fault`: the session
rests at the state before the input, which is still good.

**Undo** is computed from the inputs: `taking_back` says which of them may go.

A game that is over, or truncated, stays so: its record is closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from rulerun.runtime import actions
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Decision,
    Event,
    Executor,
    IllegalInput,
    Input,
    Outcome,
    Refusal,
    RuleError,
    Step,
    Verdict,
    Waiting,
)
from rulerun.runtime.luck_bound import MOST_FALLS, endless
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import stream
from rulerun.runtime.state import State
from rulerun.session.agents import Agent, AgentFault, Preparing, Thinker
from rulerun.session.taking_back import CannotUndo, Past, Point
from rulerun.views.observe import Observation, Told, nothing_seen, observe, refuse
from rulerun.views.recall import (
    Happening,
    InformationState,
    Listener,
    Recall,
    TookBack,
)
from rulerun.views.undo import hides
from rulerun.views.vantage import Vantage, vantage_behind


class Recorder(Protocol):
    """What keeps the inputs of a session. See `record`."""

    def decision(self, number: int, player: str, action: str) -> None:
        """A player has taken an action."""

    def chance(self, number: int, outcome: str) -> None:
        """Luck has fallen."""

    def undo(self, number: int, of: int) -> None:
        """Input number `of` is taken back."""

    def end(self, number: int, how: str, verdict: Verdict | None, state: str) -> None:
        """The play is `over` or `truncated`; `state` is the digest of where it stands."""


class Session:
    """One play of a game. See the head of this module."""

    def __init__(
        self,
        executor: Executor,
        seats: Mapping[int, Agent | None] | None = None,
        seed: int | str = 0,
        record: Recorder | None = None,
        *,
        take_single: bool = False,
        automatic: bool = True,
        start: Step | None = None,
        bots: Iterable[int] | None = None,
    ) -> None:
        """Set up, and play until a person is asked.

        `seats` says who plays whom; a player without an agent is a person's. `take_single` takes
        the only legal action of a person without asking. Without `automatic` the session does
        nothing by itself: a replay or a test gives it every input. `start` is where to begin
        instead of at the initial state. `bots` are those whose replies undo takes back: left out,
        all agents that do not look, and the others too where nothing is hidden.
        """
        self.executor = executor
        self.game = executor.game
        self.seats = {player: agent for player, agent in (seats or {}).items() if agent}
        if bots is None:
            open_ = not hides(self.game)
            bots = (player for player, agent in self.seats.items() if agent.blind or open_)
        self.bots = frozenset(bots)
        self.seed = seed
        self.take_single = take_single
        self.fault: RuleError | AgentFault | None = None
        self.thinks: tuple[int, ...] | None = None
        """Whose agent is being asked, which may take long; None: nobody's.

        Empty inside a `together`, where nobody is told who has decided.
        """
        self._record = record
        self._initial = executor.initial() if start is None else start
        self._path: list[Point] = []
        self._happened: list[Happening | TookBack] = [Happening(0, self._initial.events)]
        self._listeners: dict[int, Listener] = {}
        self._counts: dict[int, int] = {}
        self._falls = 0
        self._waiting = executor.waiting(self._initial.state)
        self._number = 0
        self._ended = False
        self._recalls: dict[int, list[Recall]] = {}
        self._close()
        if automatic:
            self.advance()

    # ----------------------------------------------------------------------------- where it stands

    @property
    def state(self) -> State:
        """Where the play stands, with every secret: for executors and tests, not for people."""
        return self._path[-1].step.state if self._path else self._initial.state

    @property
    def initial(self) -> State:
        """Where it began."""
        return self._initial.state

    @property
    def initial_events(self) -> tuple[Event, ...]:
        """What happened before the first input, with every secret."""
        return self._initial.events

    @property
    def history(self) -> tuple[Point, ...]:
        """The inputs of the play as it stands (what was taken back is gone), with every secret."""
        return tuple(self._path)

    @property
    def inputs(self) -> int:
        """How many inputs there were, those taken back and what took them back among them."""
        return self._number

    @property
    def decisions(self) -> int:
        """How many decisions were taken."""
        return sum(many for who, many in self._counts.items() if who != CHANCE)

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """Whose input is wanted, luck's too, with every secret."""
        return self._waiting

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self._waiting

    @property
    def people_decided(self) -> bool:
        """Whether a person has taken a decision. What bots did may be a secret, even that."""
        return any(point.player not in (None, *self.seats) for point in self._path)

    @property
    def truncated(self) -> bool:
        """Whether a decision beyond the declared number is asked for. What luck decides is not."""
        return 0 < self.game.decisions <= self.decisions and not (self.over or self._asks_luck())

    @property
    def verdict(self) -> Verdict | None:
        """How the game ended; None while it runs and when it was truncated."""
        return self.executor.verdict(self.state)

    def outcomes(self) -> tuple[Outcome, ...]:
        """What luck can be now, by ascending id; () if it is not asked."""
        return self.executor.outcomes(self.state)

    @property
    def asked(self) -> tuple[int, ...]:
        """The people whose decision is wanted: for the front end that seats them all."""
        if self.truncated:
            return ()
        asked = (each.player for each in self._waiting)
        return tuple(player for player in asked if player != CHANCE and player not in self.seats)

    # -------------------------------------------------------------------------- what a viewer gets

    def observation(self, viewer: int) -> Observation:
        """What `viewer` (a player, or `SPECTATOR`) sees now."""
        return observe(self.executor, self.state, viewer)

    def log(self, viewer: int) -> tuple[Told, ...]:
        """All that `viewer` was told since the beginning, in order."""
        if viewer not in self._listeners:
            self._listeners[viewer] = Listener(self.game, viewer)
        return self._listeners[viewer].hear(self._happened)

    def past(self, viewer: int, inputs: int) -> tuple[Observation, tuple[Told, ...]]:
        """What `viewer` saw and had been told after so many inputs of the play as it stands."""
        path = self._path[:inputs]
        state = path[-1].step.state if path else self._initial.state
        happened = [Happening(0, self._initial.events)]
        happened += [Happening(each.number, each.step.events) for each in path]
        seen = observe(self.executor, state, viewer)
        return seen, Listener(self.game, viewer).hear([*happened])

    def information(self, viewer: int) -> InformationState:
        """All that `viewer` knows who has forgotten nothing."""
        return self._recalled(viewer)[-1].known

    def vantage(self, player: int) -> Vantage:
        """From where a player thinks who is asked now."""
        path = [(point.frame, point.given, point.step.state) for point in self._path]
        return vantage_behind(self.executor, self._initial.state, path, player)

    def action(self, player: int, text: str) -> int | None:
        """The action that a text names: at the question of `player`, else anywhere in the game."""
        return actions.parse(self.game, text, actions.asked(self.game, self.waiting, player))

    def refusal(self, player: int, action: int | str) -> Refusal | None:
        """Why `player` may not take an action (its id, or text) now; None if they may."""
        if isinstance(action, int):
            return refuse(self.executor, self.state, player, action)
        found = self.action(player, action)
        if found is not None:
            return refuse(self.executor, self.state, player, found)
        refusal = refuse(self.executor, self.state, player, -1)
        if refusal is None or refusal.code != "unknown_action":
            return refusal
        legal = self.executor.legal(self.state, player)
        near = actions.suggestions(self.game, action, legal)
        hint = f": did you mean {near[0]}?" if near else ""
        return Refusal("unknown_action", f"there is no action `{action}`{hint}")

    def _recalled(self, viewer: int) -> list[Recall]:
        recalls = self._recalls.setdefault(viewer, [])
        if not recalls:
            recalls.append(Recall.begin(self.executor, self._initial, viewer))
        for point in self._path[len(recalls) - 1 :]:
            recalls.append(recalls[-1].extended(self.executor, point.given, point.step))
        return recalls

    # --------------------------------------------------------------------------------------- inputs

    def record_with(self, record: Recorder, *, closed: bool = True) -> None:
        """Write to `record` from now on: a session that goes on from what was recorded.

        Unless it is `closed`, the record lacks its end, and gets it if the play has ended.
        """
        self._record = record
        self._ended = self._ended and closed
        self._close()

    def submit(
        self, player: int, action: int | str, *, people_first: bool = False
    ) -> tuple[Told, ...]:
        """Take an action for `player`, by id or text, and `advance`; what they were told since.

        Raises `IllegalInput`, and then nothing has changed; likewise `RuleError`.
        """
        before = len(self.log(player))
        self.give(Decision(player, self._legal(player, action)))
        self.advance(people_first=people_first)
        return self.log(player)[before:]

    def give(self, given: Input) -> None:
        """Apply one input, and nothing more. Raises `IllegalInput` or `RuleError`."""
        if self.truncated:
            raise IllegalInput(Refusal("over", "The play has reached its number of decisions."))
        state = self.state
        if isinstance(given, Chance) and self._falls >= MOST_FALLS and self._asks_luck():
            raise endless(self.game, state, self._waiting[0])
        step = self.executor.apply(state, given)
        frame, text = self._describe(given)
        number = self._number + 1
        if self._record is not None:
            if isinstance(given, Decision):
                self._record.decision(number, self.game.players[given.player], text)
            else:
                self._record.chance(number, text)
        self._number = number
        self._path.append(Point(number, given, text, frame, step))
        self._happened.append(Happening(number, step.events))
        self._settle(given)
        self._close()

    def _asks_luck(self) -> bool:
        return bool(self._waiting) and self._waiting[0].player == CHANCE

    def _describe(self, given: Input) -> tuple[int, str]:
        """Return the control stack that takes an input, and the input's text."""
        who = given.player if isinstance(given, Decision) else CHANCE
        frame = next(each.frame for each in self._waiting if each.player == who)
        if isinstance(given, Decision):
            return frame, actions.text(self.game, given.action)
        return frame, next(each.text for each in self.outcomes() if each.id == given.outcome)

    def _settle(self, *new: Input) -> None:
        """Take in that the path has changed, by new inputs at its end or (without) by an undo."""
        self.fault = None
        self._waiting = self.executor.waiting(self.state)
        if not new:
            self._counts, self._falls = {}, 0
        for given in new or (point.given for point in self._path):
            who = given.player if isinstance(given, Decision) else CHANCE
            self._counts[who] = self._counts.get(who, 0) + 1
            self._falls = self._falls + 1 if who == CHANCE else 0

    def _legal(self, player: int, action: int | str) -> int:
        refusal = self.refusal(player, action)
        if refusal is not None:
            raise IllegalInput(refusal)
        found = self.action(player, action) if isinstance(action, str) else action
        assert found is not None
        return found

    def _close(self) -> None:
        if self._ended or not (self.over or self.truncated):
            return
        self._ended = True
        if self._record is not None:
            how = "truncated" if self.truncated else "over"
            self._record.end(self._number + 1, how, self.verdict, self.state.digest())

    # -------------------------------------------------------------------------------- of its own

    def advance(self, *, people_first: bool = False) -> None:
        """Draw chance outcomes and ask agents until a person is asked or nobody is.

        Agents that decide at the same time as that person are asked as well. `people_first`: they
        wait until the next call without it, which must come before the person's answer is given:
        then the play goes as it would have.
        """
        while not (people_first and self._may_wait()) and self.step():
            pass

    def _may_wait(self) -> bool:
        """Whether a person is asked, and the number of decisions leaves each who is asked one.

        Should an agent take several, the person may be asked for one that does not count.
        """
        left = self.game.decisions - self.decisions if self.game.decisions else len(self._waiting)
        return bool(self.asked) and left >= len(self._waiting) and not self.take_single

    @property
    def agents_wait(self) -> bool:
        """Whether agents are still to decide beside the people who are asked."""
        return bool(self.asked) and any(each.player in self.seats for each in self._waiting)

    def get_ready(self) -> None:
        """Begin to make what agents that think will need, in the background."""
        for agent in self.seats.values():
            if isinstance(agent, Preparing):
                agent.prepare()

    def step(self) -> bool:
        """Draw one chance outcome or ask one agent; whether there was anything to do."""
        try:
            given = self._own_input()
            if given is None:
                return False
            self.give(given)
        except RuleError as fault:
            self.fault = fault
            return False
        return True

    def _own_input(self) -> Input | None:
        if self.truncated:
            return None
        state = self.state
        for each in self._waiting:
            if each.player == CHANCE:
                return self._luck()
            if (agent := self.seats.get(each.player)) is not None:
                return self._ask(agent, state, each.player)
            if self.take_single and len(legal := self.executor.legal(state, each.player)) == 1:
                return Decision(each.player, legal[0])
        return None

    def _luck(self) -> Chance:
        outcomes = self.outcomes()
        luck = stream(self.seed, "chance", self._counts.get(CHANCE, 0))
        return Chance(outcomes[luck.weighted([outcome.weight for outcome in outcomes])].id)

    def _ask(self, agent: Agent, state: State, player: int) -> Decision | None:
        legal = self.executor.legal(state, player)
        if not agent.blind:
            self.thinks = () if state.slots[TOGETHER] else (player,)
        luck = stream(self.seed, "agent", player, self._counts.get(player, 0))
        try:
            if isinstance(agent, Thinker):
                answer = agent.think(self.vantage(player), luck)
            elif agent.blind:
                answer = agent.choose(nothing_seen(self.game, player), legal, luck)
            else:
                answer = agent.choose(observe(self.executor, state, player), legal, luck)
        except AgentFault as fault:
            self.fault = fault
            return None
        finally:
            self.thinks = None
        if answer not in legal:
            self.fault = AgentFault(
                f"the agent of {self.game.players[player]} answered {answer!r}, which is not legal"
            )
            return None
        return Decision(player, answer)

    def answer_of(self, player: int, agent: Agent) -> int | None:
        """What an agent would do now for a player who is asked; None, and `fault` says why not."""
        decision = self._ask(agent, self.state, player)
        return None if decision is None else decision.action

    # ---------------------------------------------------------------------------------------- undo

    def undo(self, player: int) -> None:
        """Take back the last decision of `player`. Raises `CannotUndo`, and nothing has changed."""
        place = self._undoable(player)
        if isinstance(place, CannotUndo):
            raise place
        self.take_back(self._path[place].number)
        self.advance()

    def why_no_undo(self, player: int) -> CannotUndo | None:
        """Why `player` may not take back their last decision; None if they may."""
        place = self._undoable(player)
        return place if isinstance(place, CannotUndo) else None

    def plainly_stays(self, player: int) -> bool:
        """Whether `player` knows that their last decision stays, or that there is none."""
        return self.over or self.truncated or self._past().plainly_stays(player)

    def take_back(self, number: int) -> None:
        """Take back the input of this number, and what bots have replied. Asks nobody.

        In an open `together` what follows is the others', and is applied again.
        """
        place = next(i for i, point in enumerate(self._path) if point.number == number)
        point = self._path[place]
        assert point.player is not None, "luck is not taken back"
        again: list[Point] = []
        past = self._past()
        state, inside = past.before(place), past.together_open
        for later in self._path[place + 1 :] if inside else ():
            step = self.executor.apply(state, later.given)
            again.append(Point(later.number, later.given, later.text, later.frame, step))
            state = step.state
        if self._record is not None:
            self._record.undo(self._number + 1, number)
        self._number += 1
        replies = len(self._path) > place + 1 + len(again)
        self._path[place:] = again
        self._happened.append(TookBack(number, point.player, point.text, inside, replies))
        self._settle()
        for recalls in self._recalls.values():
            del recalls[place + 1 :]

    def _undoable(self, player: int) -> int | CannotUndo:
        """Return the place on the path of the decision that may be taken back."""
        if self.over or self.truncated:
            return CannotUndo("over", "The game is over.")
        return self._past().undoable(player)

    def _past(self) -> Past:
        return Past(self.executor, self._initial.state, self._path, self.bots)

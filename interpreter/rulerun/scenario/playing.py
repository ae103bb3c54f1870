"""One scenario, played: set up, given its inputs, brought to where it ends.

Assumes a scenario whose names were looked up (`resolving`), and executors of its game.
Does: sets values and places over the state (`setup`), enters the phase, gives the inputs. What
set-up asks or draws and `do` does not list takes its first option; later on, only luck does. A
refused input must change nothing. Where play begins in the middle, the reference executor prepares
the state, and the executor that is asked for goes on from there.
Leaves behind a session that stands where the scenario ends, and a verifier of what it expects
(`checks`). Raises `Failure`, at the line that does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Decision,
    Executor,
    IllegalInput,
    RuleError,
    Step,
)
from rulerun.runtime.index import Instance
from rulerun.runtime.play import Play
from rulerun.runtime.state import State
from rulerun.scenario import spelling
from rulerun.scenario.checks import Failure, Verifier, matching, spread, stored
from rulerun.scenario.names import GameNames, Named
from rulerun.scenario.reader import Checked, Falls, Is, Item, Refused, Scenario, Takes
from rulerun.scenario.setup import (
    MOST_RESTS,
    Wanted,
    after_set_up,
    enter_phase,
    with_value,
    with_zones,
)
from rulerun.session.session import Session
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Scalar

Build = Callable[[Game], Executor]
"""What makes the executor of a game."""


def both(executor: Executor) -> tuple[Executor, Reference]:
    """An executor, and the reference of the same game, which can begin in the middle."""
    reference = executor if isinstance(executor, Reference) else Reference(executor.game)
    return executor, reference


class ScenarioPlay:
    """One scenario on its way. What does not go as it says raises `Failure`."""

    def __init__(
        self, scenario: Scenario, executor: Executor, reference: Reference, loaded: Loaded
    ) -> None:
        self.scenario = scenario
        self.executor = executor
        self.reference = reference
        self.loaded = loaded
        self.game = executor.game
        self.names = GameNames(self.game)
        self.laid: State | None = None
        """With all that is given, before the phase begins."""
        self.asked: State | None = None
        """Where somebody is first asked for an input that is written."""
        try:
            self.session = self.begin()
        except RuleError as error:
            raise Failure.by("RR1022", error, scenario.span) from None
        self.verifier = Verifier(self.session, self.names, loaded)

    # ------------------------------------------------------------------------------- beginning

    def begin(self) -> Session:
        scenario, reference = self.scenario, self.reference
        if not scenario.given and scenario.phase is None:
            return Session(self.executor, automatic=False)
        if not self.game.phases:
            message = "the game has no phases, so nothing can begin after set-up"
            raise Failure("RR1022", message, scenario.span)
        state, going_on = after_set_up(reference)
        state = self.laid = self.with_values(reference, self.with_places(reference, state))
        if scenario.phase is None:
            play = Play(self.game, list(state.slots), [])
            step = reference.begin(play, going_on)
        else:
            step = self.enter(reference, state, scenario.phase)
        return Session(self.executor, automatic=False, start=step)

    def enter(self, executor: Reference, state: State, name: Scalar) -> Step:
        with misfits("RR1023", name.span):
            phase = self.names.phase(name.text)
        values: dict[str, int] = {}
        loops = self.game.phases[phase].loops
        types = {loop.variable.name: loop.variable.type for loop in loops}
        for key, value in self.scenario.loops:
            if key.text not in types:
                message = f"the phase `{name.text}` has no loop variable `{key.text}`"
                raise Failure("RR1023", message, key.span)
            with misfits("RR1023", value.span):
                values[key.text] = self.names.number(types[key.text], value.text)
        with misfits("RR1022", name.span):
            return enter_phase(executor, state, phase, values)

    @property
    def given(self) -> list[Is]:
        """What is laid over the state."""
        return [each for each in spread(self.names, self.scenario.given) if isinstance(each, Is)]

    def named(self, given: Is) -> Named:
        with misfits("RR1023", given.name.span):
            return self.names.zone_or_variable(given.name.text)

    def with_places(self, executor: Reference, state: State) -> State:
        """Lay the components: first, so that values may speak of them."""
        zones: dict[int, list[Wanted]] = {}
        for each in self.given:
            named = self.named(each)
            if isinstance(named, Instance):
                owners = named.kind.kind.owners
                with misfits("RR1023", each.value.span):
                    pieces = self.names.pieces(named, each.value)
                zones[named.number] = [(piece.row * owners + piece.owner, {}) for piece in pieces]
        if not zones:
            return state
        with misfits("RR1022", self.scenario.given[0].name.span):
            return with_zones(executor, state, zones)

    def with_values(self, executor: Reference, state: State) -> State:
        for each in self.given:
            named = self.named(each)
            if isinstance(named, Instance):
                continue
            table, indexes = named
            with misfits("RR1023", each.value.span):
                value = stored(self.loaded, self.names, state.slots, table, each.value, "RR1022")
                state = with_value(executor.machine.tables, state, table, indexes, value)
        return state

    # ---------------------------------------------------------------------------------- inputs

    def run(self) -> None:
        items = self.scenario.do
        for place, item in enumerate(items):
            following = (each for each in items[place:] if not isinstance(each, Checked))
            self.ready(next(following, None))
            if self.asked is None and isinstance(item, Takes | Refused):
                self.asked = self.session.state
            match item:
                case Takes():
                    self.takes(item)
                case Falls():
                    self.falls(item)
                case Refused():
                    self.is_refused(item)
                case Checked(checks=checks):
                    failed = self.verifier.checks(checks)
                    if failed:
                        raise Failure.of(failed[0])
        self.ready(None)

    def not_as_given(self) -> str:
        """What is given and was otherwise when somebody was first asked, with how it was."""
        if self.laid is None or self.asked is None:
            return ""
        was, now = self.laid.slots, self.asked.slots
        told = []
        for each in self.given:
            named = self.named(each)
            if isinstance(named, Instance):
                lying = self.names.lying(now, named)
                same = self.names.lying(was, named) == lying
                so = ", ".join(self.names.piece_text(named, one) for one in lying) or "nothing"
                text = f"`{each.name.text}` held {so}"
            else:
                same = self.names.held(*named, was) == self.names.held(*named, now)
                text = f"`{each.name.text}` was {self.names.held_text(*named, now)}"
            if not same:
                told.append(text)
        return "; ".join(told)

    @property
    def setting_up(self) -> bool:
        """Whether no phase has begun."""
        if self.scenario.given or self.scenario.phase is not None:
            return False
        happened = [
            self.session.initial_events,
            *(each.step.events for each in self.session.history),
        ]
        return not any(event.word == "phase" for events in happened for event in events)

    def ready(self, item: Item | None) -> None:
        """Let happen what the scenario leaves out before its next input."""
        for _ in range(MOST_RESTS):
            waiting = self.session.waiting
            if not waiting:
                return
            if waiting[0].player == CHANCE:
                if self.luck_is_told(item):
                    return
                first = self.session.outcomes()[0].id
                self.give(Chance(first), self.scenario.span)
            elif self.setting_up and not self.fits(item):
                player = waiting[0].player
                first = self.executor.legal(self.session.state, player)[0]
                self.give(Decision(player, first), self.scenario.span)
            else:
                return
        raise Failure("RR1024", "the game goes on and on by itself", self.scenario.span)

    def luck_is_told(self, item: Item | None) -> bool:
        if item is None:
            names = self.scenario.waiting
            return names is not None and [each.text for each in names] == ["chance"]
        if not isinstance(item, Falls):
            return False
        return not self.setting_up or self.outcome(item) is not None

    def fits(self, item: Item | None) -> bool:
        """Whether the next input answers what set-up asks."""
        if isinstance(item, Refused):
            return True
        if not isinstance(item, Takes) or item.player.text not in self.game.players:
            return isinstance(item, Takes)
        return self.action(item) in self.executor.legal(
            self.session.state, self.player(item.player)
        )

    def player(self, name: Scalar) -> int:
        with misfits("RR1023", name.span):
            return self.names.player(name.text)

    def action(self, item: Takes | Refused) -> int | None:
        return self.verifier.action(self.player(item.player), item.action.text)

    def outcome(self, item: Falls) -> int | None:
        outcomes = self.session.outcomes()
        return matching(item.outcome.text, {each.text: each.id for each in outcomes})

    def give(self, given: Chance | Decision, span: Span) -> None:
        try:
            self.session.give(given)
        except IllegalInput as illegal:
            raise Failure("RR1024", f"refused: {illegal.refusal.message}", span) from None
        except RuleError as error:
            raise Failure.by("RR1024", error, span) from None

    def takes(self, item: Takes) -> None:
        action = self.action(item)
        if action is None:
            raise self.verifier.not_taken(self.player(item.player), item.action)
        self.give(Decision(self.player(item.player), action), item.action.span)

    def falls(self, item: Falls) -> None:
        outcomes = self.session.outcomes()
        if not outcomes:
            who = self.verifier.waiting_text()
            raise Failure("RR1024", f"luck does not fall here: {who}", item.outcome.span)
        outcome = self.outcome(item)
        if outcome is None:
            texts = ", ".join(each.text for each in outcomes)
            message = f"`{item.outcome.text}` cannot fall here, only {texts}"
            raise Failure("RR1024", message, item.outcome.span)
        self.give(Chance(outcome), item.outcome.span)

    def is_refused(self, item: Refused) -> None:
        player = self.player(item.player)
        text, span = item.action.text, item.action.span
        # What this setting does not have, or chooses too many, is refused by its name alone.
        types = self.verifier.types_asked(player)
        meant = spelling.meant(self.game, text, types) or [self.game.number_of_actions]
        reasons = []
        for action in meant:
            refusal = self.session.refusal(player, action)
            if refusal is None:
                raise Failure("RR1025", f"`{text}` is not refused", span)
            self.is_not_taken(Decision(player, action), item.action)
            reasons.append(refusal.message)
        because = item.because
        if because is not None:
            wanted = because.text.casefold()
            if not any(wanted in reason.casefold() for reason in reasons):
                message = f"it is refused for another reason: {reasons[0]}"
                raise Failure("RR1025", message, because.span)

    def is_not_taken(self, given: Decision, written: Scalar) -> None:
        try:
            self.executor.apply(self.session.state, given)
        except IllegalInput:
            return
        message = f"`{written.text}` is refused by name and taken all the same"
        raise Failure("RR1025", message, written.span)


@contextmanager
def misfits(code: str, span: Span) -> Iterator[None]:
    """Turn what does not fit into a failure at a place."""
    try:
        yield
    except ValueError as misfit:
        raise Failure(code, str(misfit), span) from None

"""Scenarios, run: each sets up a game, gives it inputs, and says what the result must be.

Assumes scenarios that `reader` has read, and the rules file beside them.
Does: loads the game with the options of each, looks up what is named (`resolving`), sets values and
places over the state (`setup`), enters the phase, gives the inputs; `checks` compares. What set-up
asks or draws and `do` does not list takes its first option; later on, only luck does. A refused
input must change nothing. Where play begins in the middle, the reference executor prepares the
state, and the executor that is asked for goes on from there.
Leaves behind a result for each scenario: passed, or diagnostics at the lines that do not hold, with
what is so instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from rulerun.host.collecting import seldom_collected
from rulerun.reference.executor import Reference
from rulerun.runtime import actions
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
from rulerun.scenario.reader import (
    Checked,
    Falls,
    Is,
    Item,
    Refused,
    Scenario,
    ScenarioFile,
    Takes,
    read_scenarios,
    scenarios_in,
)
from rulerun.scenario.resolving import (
    Looked,
    first_error,
    misset,
    not_looked_at,
    resolve,
    settings_of,
)
from rulerun.scenario.setup import (
    MOST_RESTS,
    Wanted,
    after_set_up,
    enter_phase,
    with_value,
    with_zones,
)
from rulerun.session.session import Session
from rulerun.views.observation import Json
from rulerun.views.observe import SPECTATOR, PlayerView
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors, problem
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.resources import ruleset_path
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.nodes import Scalar

Build = Callable[[Game], Executor]


@frozen
class ScenarioResult:
    """How a scenario went. One without an id is about the file as a whole."""

    id: str
    title: str
    span: Span | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def passed(self) -> bool:
        """Whether everything held; a warning about the file is no failure."""
        return not has_errors(self.diagnostics)


@frozen
class Ran:
    """A scenario that ran; `cause`: the error in its rules for which nobody could look at it."""

    scenario: Scenario
    findings: tuple[Diagnostic, ...]
    cause: Diagnostic | None

    @property
    def result(self) -> ScenarioResult:
        """How it went."""
        each = self.scenario
        return ScenarioResult(each.id, each.title, each.span, self.findings)


def run_scenarios(
    path: Path, only: Iterable[str] | None = None, executor: Build = Reference
) -> list[ScenarioResult]:
    """Run the scenarios of a file, or those with the ids `only`."""
    file, diagnostics = read_scenarios(path)
    if file is None:
        return results_of(file, diagnostics, ())
    wanted = None if only is None else set(only)
    with seldom_collected():
        runner = Runner(file, executor)
        ran = [runner.ran(each) for each in file.scenarios if wanted is None or each.id in wanted]
    return results_of(file, diagnostics, ran)


def results_of(
    file: ScenarioFile | None, diagnostics: Iterable[Diagnostic], ran: Iterable[Ran]
) -> list[ScenarioResult]:
    """How a file went: what is wrong with it as a whole, then its scenarios as they ran."""
    found = tuple(diagnostics)
    results = [ScenarioResult("", "", None, found)] if found else []
    every = list(ran)
    causes = [each.cause for each in every if each.cause is not None]
    if causes and file is not None:
        results.append(ScenarioResult("", "", None, tuple(not_looked_at(causes, file.span))))
    return results + [each.result for each in every if each.cause is None]


def asked_after(
    scenario: Scenario, loaded: Loaded, *, luck: bool, build: Build = Reference
) -> dict[str, tuple[str, ...]]:
    """Who is asked when all inputs of a scenario are taken, and by what text each may answer.

    With `luck`, what may fall stands under `chance`; without, it falls as where nobody says it.
    Where the scenario fails on the way nobody is asked.
    """
    waiting = (_scalar("chance"),) if luck else None
    scenario = replace(scenario, waiting=waiting)
    game, _ = loaded.game(*settings_of(scenario))
    if game is None or scenario.error is not None:
        return {}
    try:
        play = _Play(scenario, *both(build(game)), loaded)
        play.run()
    except Failure:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for each in play.session.waiting:
        if each.player == CHANCE:
            found["chance"] = tuple(one.text for one in play.session.outcomes())
        else:
            legal = play.executor.legal(play.session.state, each.player)
            found[game.players[each.player]] = tuple(actions.text(game, one) for one in legal)
    return found


Made = tuple[Game | None, list[Diagnostic]]


class Runner:
    """Runs the scenarios of one file; a game with equal options is loaded once."""

    def __init__(
        self,
        file: ScenarioFile,
        build: Build = Reference,
        rules: tuple[Loaded | None, list[Diagnostic]] | None = None,
    ) -> None:
        """Read the rules, unless they are given; `build` makes the executor of a game."""
        self.file = file
        self.build = build
        self.loaded, self.found = load(file.ruleset) if rules is None else rules
        self.executors: dict[int, tuple[Executor, Reference]] = {}

    def ran(self, scenario: Scenario) -> Ran:
        """Run a scenario of the file."""
        findings, cause = self._run(scenario)
        return Ran(scenario, tuple(findings), cause)

    def _run(self, scenario: Scenario) -> Looked:
        if self.loaded is None:
            return [], first_error(self.found)
        if scenario.error is not None:
            game, findings = self.loaded.game(*settings_of(scenario))
            return self._refused(scenario.error, game, findings), None
        game, findings = self.loaded.playable(*settings_of(scenario))
        if game is None:
            own = misset(scenario, self.loaded)
            return (own, None) if own else ([], first_error(findings))
        return self._played(scenario, self.loaded, game), None

    def _played(self, scenario: Scenario, loaded: Loaded, game: Game) -> list[Diagnostic]:
        """What does not hold when a scenario is played."""
        resolved = resolve(scenario, loaded, game)
        if resolved:
            return resolved
        if id(game) not in self.executors:
            self.executors[id(game)] = both(self.build(game))
        try:
            play = _Play(scenario, *self.executors[id(game)], loaded)
            play.run()
        except Failure as failure:
            return [failure.diagnostic]
        return play.verifier.final(scenario)

    def _refused(
        self, because: Scalar, game: Game | None, findings: list[Diagnostic]
    ) -> list[Diagnostic]:
        """A set-up that must be refused, while loading or while it runs."""
        errors = [each for each in findings if has_errors([each])]
        reasons = [each.message for each in errors] if game is None else []
        if game is not None:
            try:
                self.build(game).initial()
            except RuleError as error:
                reasons = [error.message]
        if not reasons:
            return [problem("RR1025", "the set-up is not refused", because.span)]
        if any(because.text.casefold() in reason.casefold() for reason in reasons):
            return []
        message = f"the set-up is refused for another reason: {reasons[0]}"
        return [problem("RR1025", message, because.span)]


def both(executor: Executor) -> tuple[Executor, Reference]:
    """An executor, and the reference of the same game, which can begin in the middle."""
    reference = executor if isinstance(executor, Reference) else Reference(executor.game)
    return executor, reference


class Position:
    """A scenario for tests in Python: `given` and `enter` as in a file, then inputs by text."""

    def __init__(
        self,
        ruleset: str | Path,
        *,
        players: int | None = None,
        options: Mapping[str, str] | None = None,
        variants: Iterable[str] = (),
        given: Mapping[str, object] | None = None,
        enter: object = None,
        executor: Build = Reference,
    ) -> None:
        """Set up a shipped ruleset by name, or any by its path. Raises ValueError."""
        scenario: dict[str, object] = {"id": "position", "given": dict(given or {})}
        if enter is not None:
            scenario["enter"] = enter
        file, findings = scenarios_in(json.dumps({"scenarios": [scenario]}), "position")
        if findings:
            raise ValueError(findings[0].message)
        path = ruleset_path(ruleset) if isinstance(ruleset, str) else ruleset
        if path is None:
            raise ValueError(f"no ruleset {ruleset} comes with rulerun")
        settings = tuple(sorted((options or {}).items()))
        loaded, pair = _executors(path, players, settings, tuple(variants), executor)
        with sentences():
            self._play = _Play(file[0], *pair, loaded)
        self.session = self._play.session

    def play(self, player: str, action: str) -> None:
        """Take an action; luck that is wanted before falls as it is listed first."""
        with sentences():
            item = Takes(_scalar(player), _scalar(action))
            self._play.ready(item)
            self._play.takes(item)

    def fall(self, outcome: str) -> None:
        """Let luck fall."""
        with sentences():
            item = Falls(_scalar(outcome))
            self._play.ready(item)
            self._play.falls(item)

    def value(self, expression: str) -> Json:
        """What an expression of the language gives here: a number, a truth value, a name."""
        with sentences():
            typed, value = self._play.verifier.evaluate(_scalar(expression))
        return PlayerView(self.session.game, self.session.state, SPECTATOR).plain(typed, value)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won; nobody while the game runs."""
        verdict = self.session.verdict
        players = self.session.game.players
        return () if verdict is None else tuple(players[each] for each in verdict.winners)


@contextmanager
def sentences() -> Iterator[None]:
    """Turn a failure into a ValueError with its sentence."""
    try:
        yield
    except Failure as failure:
        raise ValueError(failure.diagnostic.message) from None


@cache
def _executors(
    path: Path,
    players: int | None,
    options: tuple[tuple[str, str], ...],
    variants: tuple[str, ...],
    build: Build,
) -> tuple[Loaded, tuple[Executor, Reference]]:
    loaded, findings = load(path)
    if loaded is None:
        raise ValueError(findings[0].message)
    game, findings = loaded.game(players, dict(options), variants)
    if game is None:
        raise ValueError(findings[0].message)
    return loaded, both(build(game))


def _scalar(text: str) -> Scalar:
    return Scalar(text, text, Source("position", text).span(0, len(text)))


class _Play:
    """One scenario on its way."""

    def __init__(
        self, scenario: Scenario, executor: Executor, reference: Reference, loaded: Loaded
    ) -> None:
        self.scenario = scenario
        self.executor = executor
        self.reference = reference
        self.loaded = loaded
        self.game = executor.game
        self.names = GameNames(self.game)
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
        state = self.with_values(reference, self.with_places(reference, state))
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

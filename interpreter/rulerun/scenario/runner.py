"""Scenarios, run: each sets up a game, gives it inputs, and says what the result must be.

Assumes scenarios that `reader` has read, and the rules file beside them.
Does: loads the game with the options of each, looks up what is named (`resolving`), plays it
(`playing`), and compares what comes of it (`checks`).
Leaves behind a result for each scenario: passed, or diagnostics at the lines that do not hold, with
what is so instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from rulerun.host.collecting import seldom_collected
from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Executor, RuleError
from rulerun.scenario.checks import Failure
from rulerun.scenario.playing import Build, ScenarioPlay, both
from rulerun.scenario.reader import Scenario, ScenarioFile, read_scenarios, scalar_of
from rulerun.scenario.resolving import (
    Looked,
    first_error,
    misset,
    not_looked_at,
    resolve,
    settings_of,
)
from rulerun.views.view_index import view_index
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors, problem
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Scalar


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
    path: Path,
    only: Iterable[str] | None = None,
    executor: Build = Reference,
    read: Callable[[Path], tuple[Loaded | None, list[Diagnostic]]] = load,
) -> list[ScenarioResult]:
    """Run the scenarios of a file, or those with the ids `only`; `read` reads their rules."""
    file, diagnostics = read_scenarios(path)
    if file is None:
        return results_of(file, diagnostics, ())
    wanted = None if only is None else set(only)
    with seldom_collected():
        runner = Runner(file, executor, read(file.ruleset))
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
    waiting = (scalar_of("chance"),) if luck else None
    scenario = replace(scenario, waiting=waiting)
    game, _ = loaded.game(*settings_of(scenario))
    if game is None or scenario.error is not None:
        return {}
    try:
        play = ScenarioPlay(scenario, *both(build(game)), loaded)
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


def _with_what_was_given(found: list[Diagnostic], play: ScenarioPlay) -> list[Diagnostic]:
    """What does not hold; the first says what of `given` the rules had changed by then."""
    if not found or not (changed := play.not_as_given()):
        return found
    note = f"the phase had changed what is `given` before anybody was asked: {changed}"
    note += "; enter a phase that begins behind that"
    first = found[0]
    help_ = f"{first.help}; {note}" if first.help else note
    return [replace(first, help=help_), *found[1:]]


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

    def prepare(self, scenario: Scenario) -> None:
        """Make the game of a scenario, and what all scenarios of that game look up."""
        if self.loaded is None or scenario.error is not None:
            return
        game, _ = self.loaded.playable(*settings_of(scenario))
        if game is not None:
            self._executors(game)
            view_index(game)

    def _executors(self, game: Game) -> tuple[Executor, Reference]:
        if id(game) not in self.executors:
            self.executors[id(game)] = both(self.build(game))
        return self.executors[id(game)]

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
        try:
            play = ScenarioPlay(scenario, *self._executors(game), loaded)
        except Failure as failure:
            return [failure.diagnostic]
        try:
            play.run()
            found = play.verifier.final(scenario)
        except Failure as failure:
            found = [failure.diagnostic]
        return _with_what_was_given(found, play)

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

"""A position of a game for tests in Python: a scenario that goes on call by call.

Assumes a ruleset by name or path, and what a scenario says under `given` and `enter`.
Does: sets the position up as a scenario does (`playing`), takes actions and outcomes by their text.
Leaves behind values and winners to look at. Raises ValueError with a sentence where a scenario
would fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Executor
from rulerun.scenario.checks import Failure
from rulerun.scenario.playing import Build, ScenarioPlay, both
from rulerun.scenario.reader import Falls, Takes, scalar_of, scenarios_in
from rulerun.views.observation import Json
from rulerun.views.observe import SPECTATOR
from rulerun.views.player_view import PlayerView
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.source.resources import ruleset_path


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
        loaded, pair = _made(path, players, settings, tuple(variants), executor)
        with sentences():
            self._play = ScenarioPlay(file[0], *pair, loaded)
        self.session = self._play.session

    def play(self, player: str, action: str) -> None:
        """Take an action; luck that is wanted before falls as it is listed first."""
        with sentences():
            item = Takes(scalar_of(player), scalar_of(action))
            self._play.ready(item)
            self._play.takes(item)

    def fall(self, outcome: str) -> None:
        """Let luck fall."""
        with sentences():
            item = Falls(scalar_of(outcome))
            self._play.ready(item)
            self._play.falls(item)

    def value(self, expression: str) -> Json:
        """What an expression of the language gives here: a number, a truth value, a name."""
        with sentences():
            typed, value = self._play.verifier.evaluate(scalar_of(expression))
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
def _made(
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

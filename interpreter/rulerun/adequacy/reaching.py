"""Which rules scenarios reach.

Assumes: files of scenarios, as `scenario.sharing` reads them.
Does: runs them with a reference that counts (`simulation.run.counting`), here or by several
processes. Set-up counts for the scenarios that begin behind it.
Leaves behind: for each piece of a file how its scenarios went, the places that each of them
touched, and what they reached together, over all settings.

A scenario touches a statement that ran and a function that was evaluated, by the rules or by what
the scenario expects. Functions that only viewers ask, and those whose value was known when the file
was read, are not counted, so any scenario may depend on them: they are touched by all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from operator import add
from pathlib import Path

from rulerun.host.collecting import seldom_collected
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Tally
from rulerun.runtime.executor import Executor, RuleError
from rulerun.scenario.reader import Scenario, read_scenarios
from rulerun.scenario.resolving import settings_of
from rulerun.scenario.runner import Ran, Runner, ScenarioResult
from rulerun.scenario.setup import first_phase, set_up
from rulerun.scenario.sharing import Piece, Whole, by_file, results_by_place
from rulerun.simulation.run.counting import Counting
from rulerun.simulation.stats.coverage import (
    Key,
    Reach,
    functions_in,
    key_of,
    reach_of,
    ruling,
    statements_of,
)
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.yaml.nodes import Scalar


@frozen
class Counted:
    """What the scenarios of a piece came to."""

    ran: tuple[Ran, ...]
    touched: tuple[frozenset[Key], ...]
    """By scenario."""
    known: frozenset[Key]
    """The statements and functions that the game of these settings has."""
    gone: frozenset[Key]
    """The conditions of modules and chapters that do not hold in it."""
    reach: Reach


@frozen
class Covering:
    """The task of the workers."""

    def begin(self) -> Callable[[Piece], Counted]:
        """Make ready: no file is read yet."""
        counters: dict[Path, _Counter] = {}

        def count(piece: Piece) -> Counted:
            if piece.path not in counters:
                counters[piece.path] = _Counter(piece.path)
            with seldom_collected():
                return counters[piece.path].counted(piece.places)

        return count


def run_covered(
    files: Sequence[Whole], jobs: int | None
) -> Iterator[tuple[Whole, list[ScenarioResult], Reach]]:
    """Run the scenarios of files and count. Raises `host.workers.Lost`."""
    for whole, pieces in by_file(Covering(), files, jobs):
        results = results_by_place(whole, [(piece.places, one.ran) for piece, one in pieces])
        reach = Reach({}, {}, {}, {})
        for _, one in pieces:
            reach.add(one.reach)
        yield whole, results, reach


class _Counter:
    """Runs the scenarios of one file with executors that count."""

    def __init__(self, path: Path) -> None:
        file, _ = read_scenarios(path)
        assert file is not None
        self.runner = Runner(file, self.build)
        self.games: dict[int, _CountedGame] = {}
        """By the identity of a game, which the runner keeps."""

    def build(self, game: Game) -> Executor:
        if id(game) not in self.games:
            self.games[id(game)] = _CountedGame(game)
        return self.games[id(game)].counting.executor

    def counted(self, places: Iterable[int]) -> Counted:
        ran, touched = [], []
        used: dict[int, _CountedGame] = {}
        for place in places:
            scenario = self.runner.file.scenarios[place]
            ran.append(self.runner.ran(scenario))
            loaded = self.runner.loaded
            game = loaded.game(*settings_of(scenario))[0] if loaded is not None else None
            counted = self.games.get(id(game))
            touched.append(frozenset[Key]() if counted is None else counted.after(scenario))
            if counted is not None:
                used[id(game)] = counted
        reach = Reach({}, {}, {}, {})
        for each in used.values():
            reach.add(each.reached())
        known = frozenset(key for each in used.values() for key in each.known)
        loaded = self.runner.loaded
        gone = [loaded.gone(each.game) for each in used.values()] if loaded is not None else []
        whens = frozenset(key_of(each) for spans in gone for each in spans)
        return Counted(tuple(ran), tuple(touched), known, whens, reach)


class _CountedGame:
    """One game, and what was counted in it since somebody asked."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.counting = Counting(game, Reference)
        # What a scenario says is typed in the words of the game that was loaded, and why something
        # is refused is told of its rules: in those that note themselves it would be a note.
        self.counting.executor.game = game
        self.counting.executor.refuser = Reference(game).refuser
        self.sum = Tally.of(game, coverage=True)
        self.uncounted = frozenset(range(len(game.functions))) - ruling(game)
        self.statements = tuple(statements_of(game))
        functions = (key_of(each.span) for each in game.functions)
        self.known = frozenset([*(key for _, key in self.statements), *functions])
        self._set_up: tuple[frozenset[Key], Reach] | None = None
        self._began_behind = False

    def after(self, scenario: Scenario) -> frozenset[Key]:
        """What a scenario touched that has just run."""
        tally = Tally.of(self.game, coverage=True)
        self.counting.give(tally)
        for one, whole in (
            (tally.reached, self.sum.reached),
            (tally.arms, self.sum.arms),
            (tally.called, self.sum.called),
        ):
            whole[:] = map(add, whole, one)
        keys = self._touched(tally) | self._asked(scenario)
        if scenario.given or scenario.phase is not None:
            self._began_behind = True
            keys |= self.set_up[0]
        return keys

    def reached(self) -> Reach:
        """What all of them reached since the last time."""
        found = reach_of(self.game, self.sum)
        if self._began_behind:
            found.add(self.set_up[1])
        self.sum, self._began_behind = Tally.of(self.game, coverage=True), False
        return found

    @property
    def set_up(self) -> tuple[frozenset[Key], Reach]:
        """What set-up touches and reaches, which runs once for all that begin behind it."""
        if self._set_up is None:
            made: list[tuple[Game, Counting]] = []

            def build(game: Game) -> Executor:
                made.append((game, Counting(game, lambda each: Reference(each, False))))
                return made[-1][1].executor

            with suppress(RuleError, IndexError):
                set_up(self.game, build)
            copy, counting = made[0]
            tally = Tally.of(copy, coverage=True)
            counting.give(tally)
            # There the copy ends, and the game goes on.
            tally.reached[first_phase(self.game)] = 0
            self._set_up = self._touched(tally), reach_of(copy, tally)
        return self._set_up

    def _touched(self, tally: Tally) -> frozenset[Key]:
        game = self.game
        functions = [number for number, many in enumerate(tally.called) if many]
        return frozenset(
            [
                *(key for at, key in self.statements if tally.reached[at]),
                *(key_of(game.functions[each].span) for each in (*functions, *self.uncounted)),
            ]
        )

    def _asked(self, scenario: Scenario) -> frozenset[Key]:
        """The functions that what a scenario says may call, whether it does or not."""
        words = {word for text in _texts(scenario) for word in re.findall(r"\w+", text)}
        functions = self.game.functions
        waiting = [number for number, each in enumerate(functions) if each.name in words]
        found: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += functions_in(functions[number].body)
        return frozenset(key_of(functions[number].span) for number in found)


def _texts(value: object) -> Iterator[str]:
    """All texts of a scenario."""
    if isinstance(value, Scalar):
        yield value.text
    elif isinstance(value, tuple):
        for each in value:
            yield from _texts(each)
    elif is_dataclass(value):
        for field in fields(value):
            if field.name != "span":
                yield from _texts(getattr(value, field.name))

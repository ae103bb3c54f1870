"""Which changes of a ruleset its scenarios notice.

Assumes: a file of scenarios that all pass, and what each of them touches (`reaching`).
Does: makes one change at a time, has the rules checked, and runs the scenarios that touch the
change until one fails, here or by several processes. Where a change makes no game, in the default
setting or in that of a scenario which touches it, the next way to write it is tried; where none
makes a game the change does not count. Whether a secret gets out, which takes longer than all other
checks, is looked for where nobody notices the change.
Leaves behind: a verdict for each change, and what came of it before (`verdicts`).

A scenario touches a change if it touched the innermost statement or function around it. What stands
in none (a row, a default, an option of a question) may matter to any scenario; so may a condition
of a statement that the game of a scenario does not have, for the condition may be why. What a
module or chapter declares matters to no scenario in whose game it is not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from rulerun.adequacy.changes import Change
from rulerun.adequacy.reaching import Covering
from rulerun.host.collecting import seldom_collected
from rulerun.scenario.reader import Scenario, read_scenarios
from rulerun.scenario.resolving import settings_of
from rulerun.scenario.runner import Ran, Runner
from rulerun.scenario.sharing import Piece, Whole, jobs_for, pieces_of, worked
from rulerun.simulation.stats.coverage import Key
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.open_source import read_source

_LATELY = 4
"""So many scenarios that have noticed something are run first with the next change."""


@frozen
class Touched:
    """What one scenario touches, and what the game of its settings has."""

    touched: frozenset[Key]
    known: frozenset[Key]
    gone: frozenset[Key]
    """The conditions of modules and chapters that do not hold in it."""


@frozen
class Try:
    """A change, and the scenarios that are to be run with it, by their places in the file."""

    change: Change
    scenarios: tuple[int, ...]


@frozen
class Verdict:
    """What came of a change."""

    new: str | None
    """What was written instead; None: nothing that makes a game."""
    noticed: int | None
    """The first scenario that failed."""
    passed: tuple[int, ...]


# ------------------------------------------------------------------------------- what is touched


def touched_by(
    whole: Whole, jobs: int | None
) -> Iterator[tuple[Piece, Sequence[Ran], list[Touched]]]:
    """Run scenarios and count, piece by piece. Raises `host.workers.Lost`."""
    pieces = pieces_of(whole)
    many = jobs if jobs is not None else jobs_for(len(whole.wanted))
    for piece, counted in worked(Covering(), pieces, min(many, len(pieces))):
        known, gone = counted.known, counted.gone
        yield piece, counted.ran, [Touched(each, known, gone) for each in counted.touched]


class Chooser:
    """Says which scenarios are to be run with a change."""

    def __init__(self, loaded: Loaded, whole: Whole, touched: dict[int, Touched]) -> None:
        """`touched` by scenario."""
        self.sources = (loaded.source, *loaded.modules)
        self.scenarios = () if whole.file is None else whole.file.scenarios
        self.touched = touched
        self.texts = {place: _text(self.scenarios[place]) for place in touched}
        self.settings = {place: repr(settings_of(self.scenarios[place])) for place in touched}

    @cached_property
    def _units(self) -> dict[str, list[Key]]:
        """By file: every statement and function, by where it begins."""
        found: dict[str, set[Key]] = {each.name: set() for each in self.sources}
        for one in self.touched.values():
            for key in one.known | one.touched:
                if key[0] in found:
                    found[key[0]].add(key)
        return {name: sorted(keys, key=lambda each: each[1]) for name, keys in found.items()}

    def unit(self, change: Change) -> Key | None:
        """The innermost statement or function around a change."""
        units = self._units[self.sources[change.file].name]
        before = units[: bisect_right(units, change.start, key=lambda each: each[1])]
        around = (each for each in before if each[2] >= change.end)
        return min(around, key=lambda each: each[2] - each[1], default=None)

    def scenarios_for(self, change: Change) -> tuple[int, ...]:
        """The scenarios that touch a change: those that a game is made for anyway together."""
        unit = self.unit(change)
        chosen = [place for place, one in self.touched.items() if self._touches(one, change, unit)]
        sizes: dict[str, int] = {}
        likely = {place: self._likely(place, change, unit) for place in chosen}
        for place in chosen:
            setting = self.settings[place]
            sizes[setting] = sizes.get(setting, 0) + 1 + 100 * likely[place]
        chosen.sort(
            key=lambda place: (
                -sizes[self.settings[place]],
                self.settings[place],
                not likely[place],
                len(self.touched[place].touched),
                place,
            )
        )
        return tuple(chosen)

    def _touches(self, one: Touched, change: Change, unit: Key | None) -> bool:
        if unit is not None and unit in one.touched:
            return True
        if change.when in one.gone:
            return False
        return unit is None or (change.deciding and unit not in one.known)

    def _likely(self, place: int, change: Change, unit: Key | None) -> bool:
        """Whether a scenario is about it, as far as its words say."""
        if unit is not None and unit in self.touched[place].touched:
            return True
        return change.about in self.texts[place] or change.old in self.texts[place]


# -------------------------------------------------------------------------------- what is noticed


@frozen
class Noticing:
    """The task of the workers."""

    path: Path

    def begin(self) -> Callable[[Try], Verdict]:
        """Make ready: read the rules and their scenarios once."""
        file, _ = read_scenarios(self.path)
        assert file is not None
        loaded, _ = load(file.ruleset)
        assert loaded is not None
        sources = (loaded.source, *loaded.modules)
        lately: list[int] = []

        def ordered(one: Try) -> list[int]:
            """Those that have noticed something first: the next change stands beside it."""
            first = [each for each in lately if each in one.scenarios]
            return [*first, *(each for each in one.scenarios if each not in first)]

        def verdict(one: Try) -> Verdict:
            change = one.change
            source = sources[change.file]
            for new in change.new:
                rules, errors = _changed(file.ruleset, source, change.made(source.text, new))
                if rules is None or has_errors(errors) or rules.game()[0] is None:
                    continue
                runner = Runner(file, rules=(rules, errors))
                found = _ran(runner, ordered(one))
                if found is None or (found[0] is None and not _keeps_secrets(rules)):
                    continue
                if found[0] is not None:
                    lately[:] = [found[0], *(each for each in lately if each != found[0])][:_LATELY]
                return Verdict(new, *found)
            return Verdict(None, None, ())

        def collected(one: Try) -> Verdict:
            with seldom_collected():
                return verdict(one)

        return collected


def _ran(runner: Runner, places: Iterable[int]) -> tuple[int | None, tuple[int, ...]] | None:
    """The first scenario that fails, and those that passed; None where one has no game."""
    passed: list[int] = []
    for place in places:
        ran = runner.ran(runner.file.scenarios[place])
        if ran.cause is not None:
            return None
        if not ran.result.passed:
            return place, tuple(passed)
        passed.append(place)
    return None, tuple(passed)


def _keeps_secrets(rules: Loaded) -> bool:
    guarded = rules.anew()
    guarded.guarded = True
    return guarded.game()[0] is not None


def _changed(path: Path, changed: Source, text: str) -> tuple[Loaded | None, list[Diagnostic]]:
    """The rules, with another text in the place of one of their files."""

    def read(
        found: str | Path | bytes, name: str | None = None
    ) -> tuple[Source | None, list[Diagnostic]]:
        shown = name or str(found)
        if shown == changed.name:
            return Source(shown, text), []
        return read_source(found, name)

    rules, found = load(path, read=read)
    if rules is not None:
        rules.guarded = False
    return rules, found


def run_noticed(
    path: Path, tries: Sequence[Try], jobs: int | None
) -> Iterator[tuple[Try, Verdict]]:
    """Try changes. Raises `host.workers.Lost`."""
    many = jobs if jobs is not None else jobs_for(8 * len(tries))
    yield from worked(Noticing(path), tries, max(1, min(many, len(tries))))


# ------------------------------------------------------------------------------------- scenarios


def digest_of(scenario: Scenario) -> str:
    """What a scenario says, wherever it stands."""
    return sha256(repr(_plain(scenario)).encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    """A scenario without its places."""
    if isinstance(value, Span):
        return None
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if is_dataclass(value):
        kept = (each.name for each in fields(value) if not each.name.startswith("_"))
        return (type(value).__name__, *(_plain(getattr(value, name)) for name in kept))
    return value


def _text(scenario: Scenario) -> frozenset[str]:
    """The words of a scenario."""
    return frozenset(re.findall(r"\w+", repr(_plain(scenario))))

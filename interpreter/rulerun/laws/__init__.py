"""The laws: what must hold of every ruleset and of every executor that plays it.

    for finding in check_laws(loaded):
        print(finding)

Assumes a rules file that was read without errors.
Does: plays it at random, for every number of players, every option value and every variant, and
tests the laws on each play, by their numbers (`report.LAWS`):

* `value_semantics`: 0, what a file says is always so; 2, a state is a value
* `whole`, `watching`: 1, conservation, at rest and between two effects
* `legality`: 3 and 4, what is legal and what is refused
* `altering`, `resampling`, `indistinguishable` (with `tracing`), `watching`: 5, nobody learns what
  is hidden from them, and what is told is compared with what is declared (`declared_sight`)
* `submitting`, `indistinguishable`: 6, simultaneous is simultaneous
* `explicit_chance`: 7, chance is explicit
* `recording`: 8, a record replays
* `undoing`: 9, undo
* `games`, `static`: 10 and 13, options; what nobody reads
* `termination`: 11 and 12, the end, and places
* `agreeing` (with `executors`): 14, executors agree

Leaves behind findings, each with the setting, the seed and the inputs to see it again. None of this
proves a law; every check is one that a fault has been seen to fail (`tests/test_mutants.py`).

`trajectory` makes the plays, `known_steps` plays them again, `missed` says what was left
out, `slots` names the numbers of a state, `placing` makes diagnostics of findings. A number in a
name like `MOST_STATES` says how much of a play is looked at. More games look at more.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Protocol

from rulerun.analysis.settings import Setting
from rulerun.laws import (
    agreeing,
    altering,
    explicit_chance,
    indistinguishable,
    legality,
    recording,
    resampling,
    static,
    submitting,
    termination,
    undoing,
    value_semantics,
    watching,
)
from rulerun.laws.executors import COMPILED
from rulerun.laws.games import MOST_VALUES, make, settings, wrong
from rulerun.laws.missed import Missed
from rulerun.laws.report import LAWS, Finding, span_of
from rulerun.laws.trajectory import Build, Found, Table, Walk, walk
from rulerun.laws.value_semantics import digest, trace
from rulerun.reference.executor import Reference
from rulerun.reference.metering import Meter, Spent
from rulerun.runtime.executor import RuleError
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game

__all__ = ["LAWS", "Finding", "Missed", "Setting", "check_laws", "digest", "trace", "walk_of"]

GAMES = 6
"""Plays of the first setting; others get a quarter of them, and one at least."""
LIGHTLY = 0.25
"""How deeply the plays of other settings are looked at."""
MOST_FINDINGS = 4
"""Findings of one law and one setting that are told."""

WORK = 16_000_000
"""How much work all plays may be (`reference.metering`), for so
many games or fewer; for more it is more."""
OF_A_CHECK = 400_000
"""Of a play, how much work each check may do."""

LONGEST = 80
"""States of a long walk that most laws look at; another seed looks at others."""

OF_A_WALK: Mapping[int, tuple[Callable[[Walk], Iterator[Found]], ...]] = {
    0: (value_semantics.always,),
    1: (value_semantics.whole,),
    2: (value_semantics.again,),
    3: (legality.stopped,),
    11: (termination.ends,),
    12: (termination.places,),
    14: (agreeing.look,),
}
OF_A_STRETCH: Mapping[int, tuple[Callable[[Walk], Iterator[Found]], ...]] = {
    1: (partial(watching.watch, wanted=1),),
    2: (value_semantics.value,),
    3: (legality.legal,),
    4: (legality.refused,),
    5: (altering.look, resampling.look, partial(watching.watch, wanted=5), indistinguishable.look),
    6: (submitting.look, indistinguishable.waits),
    7: (explicit_chance.look,),
    9: (undoing.look,),
}
OF_A_SETTING = frozenset((8, 10))
"""Laws that look at what a setting is called: held against each, though its game is as another."""
OF_A_TABLE: Mapping[int, tuple[Callable[[Table, str], Iterator[Found]], ...]] = {
    8: (recording.look,),
    11: (termination.played_out,),
    14: (agreeing.batches,),
}


class Progress(Protocol):
    """Is told how far the work is."""

    def __call__(self, done: int, total: int, label: str) -> None:
        """`done` of `total` parts are done; `label` is what comes next."""


def check_laws(
    loaded: Loaded,
    players: int | None = None,
    options: Mapping[str, str] | None = None,
    variants: Iterable[str] = (),
    games: int | None = None,
    seed: int | str = 0,
    laws: Collection[int] | None = None,
    progress: Progress | None = None,
    *,
    replay: str | None = None,
    executor: Build = Reference,
    against: Collection[str] = COMPILED,
    most_values: int = MOST_VALUES,
    depth: float = 1.0,
    missed: Missed | None = None,
) -> Iterator[Finding]:
    """Look for laws that do not hold; yields what is found as it is found.

    `players`, `options` and `variants` hold in all plays; what they leave open is tried (law 10),
    unless `laws` does not name 10. `games` is the number of plays as the file is; `most_values` how
    many values of an option are tried at most; `depth` how much of a play is looked at. `replay` is
    the seed of a finding: just that play is played again. `against` are the compiled executors that
    are held against the reference; native only in the first setting, and where little is looked at
    not at all, since machine code takes its time.

    The work is bounded: `missed` is told what was therefore not looked at.
    """
    wanted = set(LAWS) if laws is None else set(laws)
    given = options or {}
    listed = settings(loaded, players, given, variants, most_values)
    if replay is not None or 10 not in wanted:
        listed = listed[:1]
    many = GAMES if games is None else games
    total = len(listed) + 1
    held_against = _Held(Missed() if missed is None else missed)
    work = WORK * max(many, GAMES) // GAMES
    played: list[Game] = []
    if 13 in wanted and replay is None:
        _tell(progress, 0, total, "the file")
        yield from static.look(loaded, seed)
    for number, setting in enumerate(listed, start=1):
        _tell(progress, number, total, str(setting))
        made = make(loaded, setting)
        if made.game is None:
            if 10 in wanted:
                yield from wrong(made)
            continue
        plays = many if number == 1 else max(1, many // 4)
        held = wanted
        without = static.without_options(made.game)
        if without in played:
            # Values that nothing reads here give a game that was played already, with these seeds.
            held = wanted & OF_A_SETTING
        played.append(without)
        deep = depth if number == 1 else depth * LIGHTLY
        rivals = [name for name in against if name != "native" or deep >= 1]
        table = Table(loaded, setting, made.game, executor, deep, rivals, meter=held_against.meter)
        seeds = [f"{seed}:{play}" for play in range(plays)] if replay is None else [replay]
        # The first setting leaves half of it to the others.
        upto = work // 2 if number == 1 and len(listed) > 1 else work
        yield from _few(held_against.played(table, seeds, held, upto))
    _tell(progress, total, total, "done")


def _tell(progress: Progress | None, done: int, total: int, label: str) -> None:
    if progress is not None:
        progress(done, total, label)


def _few(findings: Iterator[Finding]) -> Iterator[Finding]:
    """The first few findings of each law."""
    seen: Counter[int] = Counter()
    for finding in findings:
        seen[finding.law] += 1
        if seen[finding.law] <= MOST_FINDINGS:
            yield finding


class _Held:
    """Plays that are held against the laws, and the work that this was."""

    def __init__(self, missed: Missed) -> None:
        self.missed = missed
        self.meter = Meter()

    def played(
        self, table: Table, seeds: list[str], wanted: Collection[int], upto: int
    ) -> Iterator[Finding]:
        """Play a setting, and hold each play against the laws, while there may be work."""
        for at, seed in enumerate(seeds if wanted else ()):
            self.missed.plays += 1
            if self.meter.used >= upto:
                self.missed.plays += len(seeds) - at - 1
                self.missed.unplayed[str(table.setting)] += len(seeds) - at
                return
            try:
                walked = walk(table, seed)
            except RuleError as error:
                law = next(iter(sorted(set(wanted) & {3, 10})), None)
                if law is not None:
                    what = f"set-up is a rule error: {error.code}: {error.message}"
                    yield Finding(law, what, table.setting, seed, span=error.span)
                for what in agreeing.failing(table) if 14 in wanted else ():
                    yield Finding(14, what, table.setting, seed)
                return
            except Exception as error:
                yield Finding(min(wanted), _broken(error), table.setting, seed)
                return
            self.missed.broken_off += walked.broken_off
            stretch = walked.cut(table.few(LONGEST))
            for law in sorted(wanted):
                yield from self._against(walked, stretch, law)
            if table.endless:
                return

    def _against(self, walked: Walk, stretch: Walk, law: int) -> Iterator[Finding]:
        """Hold a play against a law. Whatever breaks meanwhile is found, too."""
        table = walked.table
        spent = False
        for which, checks in ((walked, OF_A_WALK), (stretch, OF_A_STRETCH)):
            for check in checks.get(law, ()):
                try:
                    with self._some(table):
                        for at, what in check(which):
                            yield _finding(which, law, at, what)
                except Spent:
                    spent = True
                except Exception as error:
                    yield _finding(which, law, 0, _broken(error))
        for test in OF_A_TABLE.get(law, ()):
            if test is termination.played_out and (walked.ended or walked.fault is not None):
                continue
            try:
                with self._some(table):
                    for _, what in test(table, walked.seed):
                        span = span_of(what)
                        yield Finding(law, what, table.setting, walked.seed, span=span)
            except Spent:
                spent = True
            except Exception as error:
                yield Finding(law, _broken(error), table.setting, walked.seed)
        if spent:
            self.missed.partly[law] += 1

    def _some(self, table: Table) -> AbstractContextManager[None]:
        """The work that one check may do."""
        return table.meter.within(round(OF_A_CHECK * table.depth))


def _broken(error: Exception) -> str:
    """What broke, and where: a fault of the engine (or of a law), never of a rules file."""
    places = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{Path(each.filename).name}:{each.lineno}" for each in places[:-5:-1])
    return f"a bug in rulerun: {type(error).__name__}: {error} ({where})"


def _finding(walked: Walk, law: int, at: int | None, what: str) -> Finding:
    last = len(walked.states) - 1
    at = last if at is None else min(at, last)
    inputs = (*walked.before, *walked.texts[:at])
    state = walked.states[at]
    return Finding(law, what, walked.table.setting, walked.seed, inputs, state, span_of(what))


def walk_of(
    loaded: Loaded,
    seed: str,
    players: int | None = None,
    options: Mapping[str, str] | None = None,
    variants: Iterable[str] = (),
    executor: Build = Reference,
) -> Walk:
    """The play that a seed names, with all its states."""
    setting = settings(loaded, players, options or {}, variants)[0]
    made = make(loaded, setting)
    if made.game is None:
        raise ValueError("; ".join(each.message for each in made.diagnostics))
    return walk(Table(loaded, setting, made.game, executor), seed)

"""`rulerun test --mutate`: which changes of the rules their scenarios notice.

Assumes files of scenarios, all of which pass.
Does: changes each number, value and condition of their rules, one at a time, and runs the scenarios
that touch it; keeps verdicts in the cache folder every few seconds, so that a run that was stopped
goes on.
Leaves behind the changes that nobody noticed, with their places, and how many of how many were; of
a run that was stopped, those of the changes that were tried until then.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulerun.adequacy.changes import KINDS, Change, changes_of
from rulerun.adequacy.noticing import Chooser, Try, digest_of, run_noticed, touched_by
from rulerun.adequacy.verdicts import Verdicts, name_of
from rulerun.cli.common import Unable
from rulerun.cli.game_cache import this_copy
from rulerun.cli.progress import Progress
from rulerun.cli.simulate import Rate
from rulerun.host import cache_dir
from rulerun.host.workers import Lost
from rulerun.scenario.sharing import Whole, read
from rulerun.simulation.stats.coverage import below
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import as_json, visible

_EVERY = 5.0
"""Seconds after which what was found is kept."""


@frozen
class Tried:
    """A change that makes a game, and whether anybody noticed it."""

    change: Change
    new: str
    noticed: bool
    scenarios: int
    """So many scenarios touch it."""


@frozen
class Score:
    """What came of the changes of one ruleset."""

    loaded: Loaded
    folder: str
    every: int
    """So many changes there are; of these a sample may have been tried."""
    tried: tuple[Tried, ...]
    no_game: int
    left: int = 0
    """So many were to be tried as well when somebody stopped it."""

    @property
    def noticed(self) -> int:
        return sum(each.noticed for each in self.tried)

    @property
    def unnoticed(self) -> list[Tried]:
        return [each for each in self.tried if not each.noticed]

    def place(self, change: Change) -> dict[str, Any]:
        source = (self.loaded.source, *self.loaded.modules)[change.file]
        line, column = source.position(change.start)
        return {
            "file": below(source.name, self.folder),
            "line": line,
            "column": column,
            "source": source.line_text(line).strip(),
        }


def mutate(path: Path, sample: int | None, seed: int, jobs: int | None) -> Score | None:
    """Try the changes of the rules of a file of scenarios; None: not all of them pass."""
    whole = read(path)
    if whole.file is None or has_errors(whole.diagnostics):
        return None
    loaded, found = load(whole.file.ruleset)
    if loaded is None or has_errors(found):
        return None
    state = _State(loaded, whole)
    try:
        if not state.touch(jobs):
            return None
        return state.tried(sample, seed, jobs)
    except Lost as lost:
        raise Unable(str(lost)) from None


class _State:
    """One ruleset on its way."""

    def __init__(self, loaded: Loaded, whole: Whole) -> None:
        assert whole.file is not None
        self.loaded = loaded
        self.whole = whole
        sources = (loaded.source, *loaded.modules)
        self.verdicts = Verdicts(
            [digest_of(each) for each in whole.file.scenarios], [each.name for each in sources]
        )
        self.name = name_of(sources, this_copy())
        self.verdicts.read(cache_dir.recall("changes", self.name))
        self._kept = time.monotonic()

    def keep(self, now: bool = False) -> None:
        if now or time.monotonic() - self._kept > _EVERY:
            cache_dir.keep("changes", self.name, self.verdicts.text().encode())
            self._kept = time.monotonic()

    def touch(self, jobs: int | None) -> bool:
        """Have counted what scenarios touch; whether all pass."""
        there = self.verdicts.touches()
        missing = tuple(each for each in self.whole.wanted if each not in there)
        if not missing:
            return True
        left = Whole(self.whole.path, self.whole.file, self.whole.diagnostics, missing)
        with Progress(len(missing), "scenarios") as progress:
            for piece, ran, touched in touched_by(left, jobs):
                if any(one.cause is not None or not one.result.passed for one in ran):
                    return False
                for place, one in zip(piece.places, touched, strict=True):
                    self.verdicts.note_touched(place, one)
                    progress.step()
                self.keep()
        self.keep(now=True)
        return True

    def tried(self, sample: int | None, seed: int, jobs: int | None) -> Score:
        every = changes_of(self.loaded)
        chosen: Sequence[Change] = every
        if sample is not None and sample < len(every):
            # Tried as they were drawn: what a run has found that was stopped is a sample as well.
            chosen = random.Random(seed).sample(every, sample)
        wanted = set(self.whole.wanted)
        touched = {at: one for at, one in self.verdicts.touches().items() if at in wanted}
        chooser = Chooser(self.loaded, self.whole, touched)
        scenarios = {each.key: chooser.scenarios_for(each) for each in chosen}
        left = self._try(list(self._left(chosen, scenarios)), len(chosen), jobs)
        tried, no_game = [], 0
        for each in sorted(chosen, key=lambda each: (each.file, each.start, each.end)):
            found = None if each.key in left else self.verdicts.of(each)
            if found is None:
                continue
            if found["new"] is None:
                no_game += 1
            else:
                noticed = found["noticed"] is not None
                tried.append(Tried(each, found["new"], noticed, len(scenarios[each.key])))
        folder = str(Path(self.loaded.source.name).parent)
        return Score(self.loaded, folder, len(every), tuple(tried), no_game, len(left))

    def _left(
        self, chosen: Sequence[Change], scenarios: dict[str, tuple[int, ...]]
    ) -> Iterator[Try]:
        for each in chosen:
            left = self.verdicts.left(each, scenarios[each.key])
            if left is not None:
                found = self.verdicts.of(each)
                yield Try(each if found is None else replace(each, new=(found["new"],)), left)

    def _try(self, tries: Sequence[Try], chosen: int, jobs: int | None) -> set[str]:
        """Try changes; return the keys of those that are left when somebody stops it."""
        left = {each.change.key for each in tries}
        if not tries:
            return left
        with Progress(chosen, "changes") as progress:
            here = chosen - len(tries)
            rate = Rate(here, chosen, progress, "changes", aloud=True, least=8, done="tried")
            try:
                for one, verdict in run_noticed(self.whole.path, tries, jobs):
                    self.verdicts.note(one.change, verdict)
                    self.keep()
                    left.discard(one.change.key)
                    rate.tell(chosen - len(left))
            except KeyboardInterrupt:
                if len(left) == chosen:
                    raise
            finally:
                self.keep(now=True)
        return left


# ---------------------------------------------------------------------------------------- telling


def to_text(path: Path, score: Score, quiet: bool) -> str:
    """What nobody noticed, then how many of how many were noticed, by kind."""
    lines = []
    for each in score.unnoticed:
        at = score.place(each.change)
        met = {0: "no scenario touches it", 1: "1 scenario touches it"}.get(
            each.scenarios, f"{each.scenarios} scenarios touch it"
        )
        lines.append(
            f"{at['file']}:{at['line']}:{at['column']}: {each.change.kind} "
            f"`{each.change.old.strip()}`, written `{_shown(each.new)}`: nobody notices ({met})"
        )
        lines.append(f"    {at['source']}")
    if not quiet:
        lines.append(_sum(path, score))
        for kind in KINDS:
            of = [each for each in score.tried if each.change.kind == kind]
            if of:
                some = sum(each.noticed for each in of)
                lines.append(f"  {kind:<10} {some} of {len(of)}")
    return "".join(visible(line) + "\n" for line in lines)


def _shown(new: str) -> str:
    return new or " "


def _sum(path: Path, score: Score) -> str:
    of = len(score.tried)
    percent = f" ({100 * score.noticed / of:.1f} %)" if of else ""
    if score.left:
        sample = f", {score.left} of {of + score.no_game + score.left} were not tried"
    else:
        sample = "" if of + score.no_game == score.every else f", a sample of {score.every}"
    no_game = f"; {score.no_game} more make no game and do not count" if score.no_game else ""
    return f"{path}: {score.noticed} of {of} changes are noticed{percent}{sample}{no_game}"


def to_json(scores: Sequence[tuple[Path, Score]]) -> str:
    """The same as data."""
    files = [
        {
            "file": str(path),
            "changes": score.every,
            "tried": len(score.tried),
            "noticed": score.noticed,
            "no_game": score.no_game,
            "left": score.left,
            "unnoticed": [
                {
                    "kind": each.change.kind,
                    **score.place(each.change),
                    "old": each.change.old,
                    "new": each.new,
                    "scenarios": each.scenarios,
                }
                for each in score.unnoticed
            ],
        }
        for path, score in scores
    ]
    return as_json({"schema_version": 1, "files": files})

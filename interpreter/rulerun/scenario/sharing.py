"""The scenarios of several files, run by several processes.

Assumes: paths of files of scenarios, and which of each are wanted.
Does: cuts them into pieces, each of one file and mostly of one setting, so that a game is made in
few processes; has them run here or by `jobs` workers (`host.workers`), where each reads a file once
and keeps the games that it has made. Of a few files the rules are read before the workers are
forked, and the game that most scenarios want is made.
Leaves behind the results of each file, in the order of its scenarios whoever ran them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from rulerun.host.collecting import seldom_collected
from rulerun.host.workers import Task, in_processes, processors
from rulerun.scenario.reader import Scenario, ScenarioFile, read_scenarios
from rulerun.scenario.resolving import settings_of
from rulerun.scenario.runner import Ran, Runner, ScenarioResult, results_of
from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.source.frozen import frozen

Given = TypeVar("Given")
Found = TypeVar("Found")

MOST = 16
"""So many scenarios a piece has."""

_FEW = 2
"""Of so many files all workers have the rules at once: nobody waits long for that."""

WORTH_A_WORKER = 20
"""So many scenarios take longer than a process takes to begin."""


@frozen
class Piece:
    """Scenarios of one file."""

    path: Path
    places: tuple[int, ...]
    """Which of the file, counted from 0."""


@frozen
class Running:
    """The task of the workers."""

    first: tuple[Piece, ...] = ()
    """Pieces for which all is made ready that does not depend on their scenarios."""

    def begin(self) -> Callable[[Piece], list[Ran]]:
        """Make ready: other files are read when they are come to."""
        runners: dict[Path, Runner] = {}

        def runner_of(piece: Piece) -> Runner:
            if piece.path not in runners:
                file, _ = read_scenarios(piece.path)
                assert file is not None
                runners[piece.path] = Runner(file)
            return runners[piece.path]

        def run(piece: Piece) -> list[Ran]:
            runner = runner_of(piece)
            with seldom_collected():
                return [runner.ran(runner.file.scenarios[place]) for place in piece.places]

        for piece in self.first:
            runner = runner_of(piece)
            with seldom_collected():
                runner.prepare(runner.file.scenarios[piece.places[0]])
        return run


@frozen
class Whole:
    """A file of scenarios, and those of it that are wanted."""

    path: Path
    file: ScenarioFile | None
    diagnostics: tuple[Diagnostic, ...]
    wanted: tuple[int, ...]
    """Their places among the scenarios of the file."""


def read(path: Path, wanted: Callable[[Scenario], bool] = lambda each: True) -> Whole:
    """Read a file of scenarios, of which some may be wanted."""
    file, diagnostics = read_scenarios(path)
    scenarios = () if file is None else file.scenarios
    places = tuple(place for place, each in enumerate(scenarios) if wanted(each))
    return Whole(path, file, tuple(diagnostics), places)


def run_shared(
    files: Sequence[Whole], jobs: int | None
) -> Iterator[tuple[Whole, list[ScenarioResult]]]:
    """Run the scenarios of files: each file in its turn, as soon as all of it has run.

    `jobs` is how many processes work; None: as many as can, and as are worth their beginning.
    Raises `host.workers.Lost`.
    """
    cut = [pieces_of(each) for each in files]
    first = tuple(pieces[0] for pieces in cut if pieces) if len(files) <= _FEW else ()
    for whole, pieces in by_file(Running(first), files, jobs, fork=True):
        yield whole, results_by_place(whole, [(piece.places, ran) for piece, ran in pieces])


def results_by_place(
    whole: Whole, pieces: Iterable[tuple[Sequence[int], Sequence[Ran]]]
) -> list[ScenarioResult]:
    """How a file went whose scenarios ran in pieces."""
    found = {at: one for places, ran in pieces for at, one in zip(places, ran, strict=True)}
    return results_of(whole.file, whole.diagnostics, [found[place] for place in whole.wanted])


def by_file(
    task: Task[Piece, Found], files: Sequence[Whole], jobs: int | None, fork: bool = False
) -> Iterator[tuple[Whole, list[tuple[Piece, Found]]]]:
    """Have the pieces of files done: each file in its turn, as soon as all of it is done."""
    pieces = [piece for each in files for piece in pieces_of(each)]
    left = {each.path: len(pieces_of(each)) for each in files}
    found: dict[Path, list[tuple[Piece, Found]]] = {each.path: [] for each in files}
    waiting = list(files)

    def done() -> Iterator[tuple[Whole, list[tuple[Piece, Found]]]]:
        while waiting and not left[waiting[0].path]:
            whole = waiting.pop(0)
            yield whole, found.pop(whole.path)

    many = jobs if jobs is not None else jobs_for(sum(len(each.wanted) for each in files))
    yield from done()
    for piece, one in worked(task, pieces, min(many, len(pieces)), fork):
        found[piece.path].append((piece, one))
        left[piece.path] -= 1
        yield from done()


def jobs_for(scenarios: int) -> int:
    """How many processes are worth their beginning."""
    return max(1, min(processors(), scenarios // WORTH_A_WORKER))


def worked(
    task: Task[Given, Found], pieces: Sequence[Given], jobs: int, fork: bool = False
) -> Iterator[tuple[Given, Found]]:
    """Have pieces done, here or by processes: those that are done first come first."""
    if jobs > 1:
        with closing(in_processes(task, pieces, jobs, fork)) as working:
            yield from working
        return
    run = task.begin()
    for piece in pieces:
        yield piece, run(piece)


def pieces_of(whole: Whole) -> list[Piece]:
    """A file in pieces: scenarios with equal settings together, large heaps first."""
    heaps: dict[str, list[int]] = {}
    for place in whole.wanted:
        assert whole.file is not None
        heaps.setdefault(repr(settings_of(whole.file.scenarios[place])), []).append(place)
    return [
        Piece(whole.path, tuple(heap[at : at + MOST]))
        for heap in sorted(heaps.values(), key=len, reverse=True)
        for at in range(0, len(heap), MOST)
    ]

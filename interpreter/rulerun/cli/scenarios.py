"""`rulerun test`: the scenarios beside rules files, run.

Assumes files of scenarios (`NAME.test.yaml`); a rules file stands for the scenarios beside it.
Does: runs each scenario that `-k` and `--last-failed` let through, in several processes where that
is worth it; `--watch` does so again whenever a file was saved. With `--mutate` it is the rules that
are tried (`mutation`).
Leaves behind findings and results on standard output or in a file, as text, JSON, JUnit XML or
annotations, and a summary on standard error. Which scenarios failed is kept in the cache folder.
The exit code is 5 where there was no scenario to run.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli import EXIT_FINE, EXIT_INTERRUPTED, EXIT_NO, EXIT_NO_TESTS
from rulerun.cli.belonging import crowded, is_module, parents, scenarios_about
from rulerun.cli.common import (
    Unable,
    color_option,
    colored,
    deliver,
    format_option,
    jobs_option,
    note,
    output_option,
    quiet_option,
)
from rulerun.cli.files import SCENARIOS, YAML, collect, is_scenarios
from rulerun.cli.progress import Progress
from rulerun.host import cache_dir

if TYPE_CHECKING:
    from rulerun.cli.scenario_reports import Run
    from rulerun.scenario.reader import Scenario
    from rulerun.scenario.runner import ScenarioResult
    from rulerun.scenario.sharing import Whole
    from rulerun.simulation.stats.coverage import Reach


@click.command("test")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "-k",
    "words",
    multiple=True,
    metavar="WORD",
    help="Only scenarios whose id or title has this as whole words (again: or this).",
)
@click.option("--last-failed", is_flag=True, help="Only scenarios that failed in their last run.")
@jobs_option
@format_option("text", "json", "junit", "github")
@output_option
@quiet_option
@click.option("--watch", is_flag=True, help="Run again whenever a file was saved, until Ctrl-C.")
@click.option(
    "--dependents",
    is_flag=True,
    help="Of a rules file or module, run all that depends on it; that there is nothing is fine.",
)
@click.option("--coverage", is_flag=True, help="Also say which rules no scenario reaches.")
@click.option(
    "--mutate",
    is_flag=True,
    help="Change each number, value and condition of the rules: which changes does nobody notice?",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --mutate: only so many of the changes, drawn at random.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="With --sample: the luck of the draw."
)
@color_option
def test(
    paths: tuple[str, ...],
    words: tuple[str, ...],
    last_failed: bool,
    jobs: int | None,
    form: str,
    target: Path | None,
    quiet: bool,
    watch: bool,
    dependents: bool,
    coverage: bool,
    mutate: bool,
    sample: int | None,
    seed: int | None,
) -> int:
    """Run the scenarios beside rules files.

    PATH is a file of scenarios, a rules file, a folder, or the name of a shipped ruleset. Without
    one, all scenarios in the folder `rulesets/` are run.
    """
    if coverage and form not in ("text", "json"):
        raise click.UsageError("--coverage is told with --format text or json")
    if mutate:
        if words or last_failed or watch or coverage or form not in ("text", "json"):
            raise click.UsageError(
                "--mutate runs all scenarios of a file, once, and is told with --format text or "
                "json: it goes with none of -k, --last-failed, --watch and --coverage"
            )
        files = list(dict.fromkeys(_files(paths, dependents)))
        return _mutated(files, sample, seed or 0, jobs, form, quiet, target)
    if sample is not None or seed is not None:
        raise click.UsageError("--sample and --seed go with --mutate")
    while True:
        files = list(dict.fromkeys(_files(paths, dependents)))
        runs = _run(files, words, last_failed, coverage, jobs)
        deliver(_rendered(form, runs, quiet, target), form, target)
        code = _ending(runs, words, dependents, quiet)
        if not watch:
            return code
        from rulerun.cli.watch import wait

        sys.stdout.flush()
        wait(_looked_at(files))


def _rendered(form: str, runs: Sequence[Run], quiet: bool, target: Path | None) -> str:
    from rulerun.cli import scenario_reports as reports

    match form:
        case "json":
            return reports.to_json(runs)
        case "junit":
            return reports.to_junit(runs)
        case "github":
            return reports.to_github(runs)
    return reports.to_text(runs, target is None and colored(sys.stdout), not quiet)


def _ending(runs: Sequence[Run], words: Sequence[str], dependents: bool, quiet: bool) -> int:
    """The exit code; a sentence beside the data says it in words."""
    failed = sum(run.failed for run in runs)
    passed = sum(run.passed for run in runs)
    if not failed + passed:
        if dependents and not words:
            note("there is no scenario that depends on it")
            return EXIT_FINE
        chosen = f" with {' or '.join(words)} in its name" if words else ""
        note(f"there is no scenario{chosen}")
        return EXIT_NO_TESTS
    if not quiet:
        files = "1 file" if len(runs) == 1 else f"{len(runs)} files"
        note(f"{passed} passed, {failed} failed, in {files}")
    return EXIT_NO if failed else EXIT_FINE


def _files(paths: Sequence[str], dependents: bool) -> list[Path]:
    """The files of scenarios that are meant."""
    named = collect(paths, is_scenarios)
    if not dependents:
        return [_beside(path) for path in named]
    found: dict[str, Path] = {}
    for path in named:
        if is_scenarios(path):
            about = [path]
        else:
            for folder, count in crowded(path):
                raise Unable(
                    f"`{folder}` has {count:,} files, too many to look at for what depends on "
                    f"`{path}`: name the scenarios themselves"
                )
            rules = parents(path) if is_module(path) else [path]
            about = [each for one in rules for each in scenarios_about(one)]
        for each in about:
            found.setdefault(os.path.realpath(each), each)
    return list(found.values())


def _beside(path: Path) -> Path:
    """The scenarios of a rules file; a file of scenarios is its own."""
    if is_scenarios(path):
        return path
    for suffix in YAML:
        if path.name.endswith(suffix):
            for ending in SCENARIOS:
                beside = path.with_name(path.name.removesuffix(suffix) + ending)
                if beside.is_file():
                    return beside
    raise Unable(f"there are no scenarios beside `{path}`")


def _run(
    files: Sequence[Path],
    words: Sequence[str],
    last_failed: bool,
    coverage: bool,
    jobs: int | None,
) -> list[Run]:
    """Run scenarios; with `coverage` it is counted which rules they reach."""
    from rulerun.cli.scenario_reports import Run
    from rulerun.host.workers import Lost
    from rulerun.scenario.sharing import read

    # `B-1` is not meant where `B-10` stands.
    wanted = [re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE) for word in words]

    def named(each: Scenario) -> bool:
        title = f"{each.id} {each.title}"
        return not wanted or any(word.search(title) for word in wanted)

    failed = {path: _failed_before(path) for path in files} if last_failed else {}
    if last_failed and not any(failed.values()):
        note("nothing failed in the last run: all is run")
        failed = {}

    def chosen(path: Path) -> Whole:
        return read(path, lambda each: named(each) and (not failed or each.id in failed[path]))

    wholes = [chosen(path) for path in files if not failed or failed[path]]
    runs: list[Run] = []
    begun = time.monotonic()
    with Progress(len(wholes), "") as progress:
        try:
            for whole, results, reach in _ran(wholes, coverage, jobs):
                now = time.monotonic()
                runs.append(Run(whole.path, results, now - begun, reach))
                begun = now
                progress.step(whole.path.name)
                _remember(runs[-1])
        except Lost as lost:
            raise Unable(str(lost)) from None
    return runs


def _mutated(
    files: Sequence[Path],
    sample: int | None,
    seed: int,
    jobs: int | None,
    form: str,
    quiet: bool,
    target: Path | None,
) -> int:
    from rulerun.cli import mutation

    scores = []
    for path in files:
        score = mutation.mutate(path, sample, seed, jobs)
        if score is None:
            note(f"the scenarios of `{path}` must pass first: `rulerun test` says what is wrong")
            return EXIT_NO
        scores.append((path, score))
        if score.left:
            kept = ": the same command goes on with them" if cache_dir.folder() else ""
            note(f"stopped with {score.left} changes left{kept}")
            break
    if form == "json":
        text = mutation.to_json(scores)
    else:
        text = "".join(mutation.to_text(path, score, quiet) for path, score in scores)
    deliver(text, form, target)
    if scores and scores[-1][1].left:
        return EXIT_INTERRUPTED
    if not any(score.tried for _, score in scores):
        note("there is no change to try")
        return EXIT_NO_TESTS
    return EXIT_NO if any(score.unnoticed for _, score in scores) else EXIT_FINE


def _ran(
    wholes: Sequence[Whole], coverage: bool, jobs: int | None
) -> Iterator[tuple[Whole, list[ScenarioResult], Reach | None]]:
    if coverage:
        from rulerun.adequacy.reaching import run_covered

        yield from run_covered(wholes, jobs)
        return
    from rulerun.scenario.sharing import run_shared

    for whole, results in run_shared(wholes, jobs):
        yield whole, results, None


def _looked_at(files: Sequence[Path]) -> tuple[Path, ...]:
    """What a run depends on: scenarios, their rules and the modules of these."""
    from rulerun.scenario.reader import read_scenarios
    from rulerun_dsl.load import load

    found = dict.fromkeys(files)
    for path in files:
        file, _ = read_scenarios(path)
        if file is not None:
            loaded, _ = load(file.ruleset)
            found[file.ruleset] = None
            found.update((Path(each.name), None) for each in (loaded.modules if loaded else ()))
    return tuple(found)


# -------------------------------------------------------------------------- what failed last time


def _failed_before(path: Path) -> frozenset[str]:
    """The scenarios of a file that failed when they last ran, as far as anybody remembers."""
    with suppress(ValueError, TypeError):
        content = cache_dir.recall("failed", _kept_as(path))
        return frozenset(map(str, json.loads(content or b"[]")))
    return frozenset()


def _remember(run: Run) -> None:
    before = _failed_before(run.path)
    now = frozenset(each.id for each in run.scenarios if each.id and not each.passed)
    left = (before - {each.id for each in run.results}) | now
    if left != before:
        cache_dir.keep("failed", _kept_as(run.path), json.dumps(sorted(left)).encode())


def _kept_as(path: Path) -> str:
    return sha256(os.path.realpath(path).encode()).hexdigest() + ".json"

"""`rulerun test`: the scenarios beside rules files, run.

Assumes files of scenarios (`NAME.test.yaml`); a rules file stands for the scenarios beside it.
Does: runs each scenario that `-k` lets through.
Leaves behind findings and results on standard output, as text, JSON, JUnit XML or annotations, and
a summary on standard error. The exit code is 5 where there was no scenario to run.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli import EXIT_FINE, EXIT_NO, EXIT_NO_TESTS
from rulerun.cli.belonging import crowded, from_root, is_module, parents, scenarios_about
from rulerun.cli.common import (
    Unable,
    annotate,
    color_option,
    colored,
    executor_option,
    executors_named,
    format_option,
    note,
    out,
)
from rulerun.cli.files import SCENARIOS, YAML, collect, is_scenarios
from rulerun.cli.progress import Progress
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import as_json, harmless, visible

if TYPE_CHECKING:
    from rulerun.scenario.runner import Build, ScenarioResult


@frozen
class _Run:
    """How the scenarios of one file went."""

    path: Path
    results: Sequence[ScenarioResult]
    seconds: float

    @property
    def failed(self) -> int:
        return sum(not each.passed for each in self.results)

    @property
    def passed(self) -> int:
        return sum(each.passed for each in self.scenarios)

    @property
    def scenarios(self) -> list[ScenarioResult]:
        """All but what is only said of the file as a whole, such as a warning."""
        return [each for each in self.results if each.id or not each.passed]


@click.command("test")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "-k",
    "words",
    multiple=True,
    metavar="WORD",
    help="Only scenarios whose id or title has this in it (again: or this).",
)
@format_option("text", "json", "junit", "github")
@click.option(
    "--dependents",
    is_flag=True,
    help="Of a rules file or module, run all that depends on it; that there is nothing is fine.",
)
@executor_option
@color_option
def test(
    paths: tuple[str, ...], words: tuple[str, ...], form: str, dependents: bool, executor: str
) -> int:
    """Run the scenarios beside rules files.

    PATH is a file of scenarios, a rules file, a folder, or the name of a shipped ruleset. Without
    one, all scenarios in the folder `rulesets/` are run.
    """
    files = _files(paths, dependents)
    build = executors_named(executor)
    runs: list[_Run] = []
    with Progress(len(files), "") as progress:
        for path in dict.fromkeys(files):
            runs.append(_run(path, words, build))
            progress.step(path.name)
    failed = sum(run.failed for run in runs)
    passed = sum(run.passed for run in runs)
    if form == "json":
        out(_as_json(runs))
    elif form == "junit":
        out(_as_junit(runs))
    elif form == "github":
        annotate(_as_github(runs))
    else:
        _as_text(runs)
    if not failed + passed:
        if dependents and not words:
            note("there is no scenario that depends on it")
            return EXIT_FINE
        chosen = f" with {' or '.join(words)} in its name" if words else ""
        note(f"there is no scenario{chosen}")
        return EXIT_NO_TESTS
    note(f"{passed} passed, {failed} failed, in {len(runs)} files")
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


def _run(path: Path, words: Sequence[str], build: Build) -> _Run:
    from rulerun.scenario.reader import read_scenarios
    from rulerun.scenario.runner import run_scenarios

    only = None
    if words:
        file, _ = read_scenarios(path)
        wanted = [word.casefold() for word in words]
        only = [
            each.id
            for each in (file.scenarios if file is not None else ())
            if any(word in f"{each.id} {each.title}".casefold() for word in wanted)
        ]
    begun = time.monotonic()
    results = run_scenarios(path, only, build)
    return _Run(path, results, time.monotonic() - begun)


def _as_text(runs: Sequence[_Run]) -> None:
    from rulerun_dsl.diagnostics.render import render_text

    color = colored(sys.stdout)
    for run in runs:
        for each in run.results:
            if not each.passed:
                head = f"{each.id}: {each.title}" if each.id else "the file as a whole"
                out(f"FAILED {visible(str(run.path))} {visible(head)}\n")
            if each.diagnostics:
                out(render_text(each.diagnostics, color=color) + "\n")
    for run in runs:
        if run.scenarios:
            failed = f", {run.failed} failed" if run.failed else ""
            out(f"{visible(str(run.path))}: {run.passed} passed{failed}\n")


def _as_json(runs: Sequence[_Run]) -> str:
    from rulerun_dsl.diagnostics.render import render_json

    files = [
        {
            "file": str(run.path),
            "passed": run.passed,
            "failed": run.failed,
            "scenarios": [
                {
                    "id": each.id,
                    "title": each.title,
                    "passed": each.passed,
                    "line": None if each.span is None else each.span.line,
                    "diagnostics": json.loads(render_json(each.diagnostics))["diagnostics"],
                }
                for each in run.results
            ],
        }
        for run in runs
    ]
    return as_json({"schema_version": 1, "files": files})


def _place(run: _Run, result: ScenarioResult) -> tuple[str, int]:
    """Where a scenario stands: its file, from the root of the repository, and its line."""
    span = result.span
    if span is None:
        span = next((each.span for each in result.diagnostics if each.span is not None), None)
    return from_root(str(run.path)), 1 if span is None else span.line


def _as_github(runs: Sequence[_Run]) -> str:
    from rulerun_dsl.diagnostics.render import render_github

    return "".join(
        render_github([replace(each, message=_named(result, each.message))], from_root)
        for run in runs
        for result in run.results
        for each in result.diagnostics
    )


def _named(result: ScenarioResult, message: str) -> str:
    return f"{result.id}: {message}" if result.id else message


def _as_junit(runs: Sequence[_Run]) -> str:
    from xml.sax.saxutils import escape, quoteattr

    from rulerun_dsl.diagnostics.render import render_text

    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>"]
    for run in runs:
        name = quoteattr(harmless(str(run.path)))
        lines.append(
            f'  <testsuite name={name} tests="{len(run.scenarios)}" failures="{run.failed}" '
            f'errors="0" time="{run.seconds:.3f}">'
        )
        for each in run.scenarios:
            title = quoteattr(harmless(f"{each.id}: {each.title}" if each.id else "file"))
            file, line = _place(run, each)
            case = f"    <testcase classname={name} name={title} file={quoteattr(harmless(file))}"
            case += f' line="{line}"'
            if each.passed:
                lines.append(f"{case}/>")
                continue
            message = quoteattr(harmless(each.diagnostics[0].message))
            text = escape(harmless(render_text(each.diagnostics)))
            lines += [
                f"{case}>",
                f"      <failure message={message}>{text}</failure>",
                "    </testcase>",
            ]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"

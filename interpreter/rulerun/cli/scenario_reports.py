"""How scenarios went, written down: for people, for programs, for CI.

Assumes the results of files of scenarios.
Does: writes them in one of the formats of `rulerun test`.
Leaves behind a text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rulerun.cli.belonging import from_root
from rulerun.scenario.runner import ScenarioResult
from rulerun.simulation.stats.coverage import Reach
from rulerun_dsl.diagnostics.render import render_github, render_json, render_text
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import as_json, harmless, visible


@frozen
class Run:
    """How the scenarios of one file went."""

    path: Path
    results: Sequence[ScenarioResult]
    seconds: float
    reach: Reach | None = None
    """What they reached, if that was counted."""

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


def to_text(runs: Sequence[Run], color: bool, summaries: bool = True) -> str:
    """What failed, then a line for each file."""
    lines = []
    for run in runs:
        for each in run.results:
            if not each.passed:
                head = f"{each.id}: {each.title}" if each.id else "the file as a whole"
                lines.append(f"FAILED {visible(str(run.path))} {visible(head)}\n")
            if each.diagnostics:
                lines.append(render_text(each.diagnostics, color=color) + "\n")
    for run in runs if summaries else ():
        if run.scenarios:
            failed = f", {run.failed} failed" if run.failed else ""
            lines.append(f"{visible(str(run.path))}: {run.passed} passed{failed}\n")
        lines += _never_reached(run)
    return "".join(lines)


def _never_reached(run: Run) -> list[str]:
    """What the scenarios of a file never reached, by line."""
    if run.reach is None:
        return []
    told = run.reach.told(str(run.path.parent))
    statements, ways, functions = (told[key] for key in ("statements", "ways", "functions"))
    never = [
        *((each, f"never ran: {each['source']}") for each in statements["never"]),
        *((each, each["way"]) for each in ways["never"]),
        *((each, f"`{each['name']}` was never asked") for each in functions["never"]),
    ]
    never.sort(key=lambda each: (each[0]["file"], each[0]["line"], each[0]["column"]))
    # Of several statements on one line, one is enough to find it.
    lines = dict.fromkeys((each["file"], each["line"], what) for each, what in never)
    return [
        f"  {statements['ran']} of {statements['of']} statements ran, "
        f"{ways['taken']} of {ways['of']} ways were taken, "
        f"{functions['evaluated']} of {functions['of']} functions asked\n",
        *(visible(f"  {file}:{line}: {what}") + "\n" for file, line, what in lines),
    ]


def to_json(runs: Sequence[Run]) -> str:
    files = [
        {
            "file": str(run.path),
            "passed": run.passed,
            "failed": run.failed,
            **({} if run.reach is None else {"coverage": run.reach.told(str(run.path.parent))}),
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


def _place(run: Run, result: ScenarioResult) -> tuple[str, int]:
    """Where a scenario stands: its file, from the root of the repository, and its line."""
    span = result.span
    if span is None:
        span = next((each.span for each in result.diagnostics if each.span is not None), None)
    return from_root(str(run.path)), 1 if span is None else span.line


def to_github(runs: Sequence[Run]) -> str:
    return "".join(
        render_github([replace(each, message=_named(result, each.message))], from_root)
        for run in runs
        for result in run.results
        for each in result.diagnostics
    )


def _named(result: ScenarioResult, message: str) -> str:
    return f"{result.id}: {message}" if result.id else message


def to_junit(runs: Sequence[Run]) -> str:
    from xml.sax.saxutils import escape, quoteattr

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

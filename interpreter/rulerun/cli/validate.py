"""`rulerun validate`: a rules file must be right whatever the options and the number of players.

Assumes paths of rules files, module files and scenario files.
Does: examines each (`examining`), writes what was found, and says what was looked at (`examined`).
With `--strict`, it lists what only play can prove, and warnings count; with `--deep`, it checks
every setting and tests the laws on random plays.
Leaves behind findings on standard output, each once, and a summary on standard error.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli import examined
from rulerun.cli.belonging import from_root
from rulerun.cli.belonging import is_rules_or_what_belongs as _is_ours
from rulerun.cli.common import (
    Unable,
    color_option,
    colored,
    deliver,
    note,
    output_option,
    quiet_option,
)
from rulerun.cli.examining import DEFAULT_PLAY, Report, Wanted
from rulerun.cli.explain import page_of
from rulerun.cli.files import STDIN, collect, standard_input
from rulerun.cli.project import Project, known_before, project
from rulerun.host.collecting import ONCE, seldom_collected
from rulerun.host.version import VERSION
from rulerun_dsl.diagnostics.catalogue import CATALOGUE
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic

FORMATS = ("text", "json", "github", "sarif", "gitlab", "junit")


@click.command("validate")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How findings are written.  [default: text; in a workflow of GitHub, github]",
)
@output_option
@quiet_option
@click.option(
    "--statistics",
    is_flag=True,
    help="How many findings there are of each code, and how many can be mended.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Tell only of findings that this file does not have.",
)
@click.option(
    "--write-baseline",
    "new_baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep the findings of now in a file, for --baseline.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="List what only play can prove, and let warnings count as errors.",
)
@click.option(
    "--dependents",
    is_flag=True,
    help="Check what depends on the files that are named as well: the scenarios of their rules.",
)
@click.option(
    "--play",
    "play",
    type=click.IntRange(min=0),
    default=DEFAULT_PLAY,
    show_default=True,
    metavar="N",
    help="Play each rules file at random for so many inputs; 0: not at all.",
)
@click.option(
    "--records",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep a game for each rule error that --play finds in a folder, for `rulerun replay`.",
)
@click.option("--deep", is_flag=True, help="Check every setting, and test the laws.")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --deep: so many plays of each number of players.",
)
@click.option("--seed", metavar="N", help="With --deep: the luck of those plays.  [default: 0]")
@color_option
def validate(
    paths: tuple[str, ...],
    form: str | None,
    target: Path | None,
    quiet: bool,
    statistics: bool,
    baseline: Path | None,
    new_baseline: Path | None,
    strict: bool,
    dependents: bool,
    play: int,
    records: Path | None,
    deep: bool,
    games: int | None,
    seed: str | None,
) -> int:
    """Check rules files and scenario files.

    PATH is a rules file, a module, a file of scenarios, a folder, `-` for standard input (rules),
    or the name of a shipped ruleset. A module is checked through the rules files that list it,
    and scenarios (NAME.test.yaml) by all that they name of their rules; `rulerun test` runs them.
    Without PATH, everything in the folder `rulesets/` is checked.
    """
    from rulerun_dsl.diagnostics.diagnostic import Severity
    from rulerun_dsl.diagnostics.render import summary

    for option, given in (("--games", games), ("--seed", seed)):
        if given is not None and not deep:
            raise click.UsageError(
                f"{option} says how the laws are tested: write --deep with it (random play without "
                "--deep is bounded by --play, and always the same)"
            )
    wanted = Wanted(strict, deep, games, "0" if seed is None else seed, play, records)
    report = Report(wanted)
    settings = project()
    if STDIN in paths:
        report.text(standard_input(), "<stdin>")
    named = [path for path in paths if path != STDIN] or ([] if paths else settings.named())
    files: list[Path] = []
    if named or not paths:
        files = [each for each in collect(named, _is_ours) if not _left_out(each, named, settings)]
    if not files and STDIN not in paths:
        raise Unable("there is nothing to check: no rules file in what was named")
    with seldom_collected(ONCE):
        report.files(files, dependents)
    found = list(settings.weighed(report.found.values()))
    if new_baseline is not None:
        _write_baseline(new_baseline, found)
    old = baseline or (Path(settings.baseline) if settings.baseline else None)
    known = len(found)
    if old is not None and new_baseline is None:
        found = _new_ones(found, old)
    known -= len(found)
    chosen = form or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text")
    deliver(_rendered(chosen, report, found, target is None), chosen, target)
    if statistics:
        for code, count in sorted(Counter(each.code for each in found).items()):
            note(f"{count:>5} {code} {CATALOGUE[code].title}")
        note(_mendable(found))
    if not quiet:
        more = ""
        if found and chosen == "text":
            more = f"; `rulerun explain {found[0].code}` says more"
            if safe := _promised(found):
                more += f", `rulerun fix` mends {safe}"
        if known:
            more += f" ({known} known before)"
        note(f"{examined.counted(report)}: {summary(found)}{_laws(report)}{more}")
        missed = examined.not_checked(report), examined.not_played(report)
        told = (*missed, *examined.not_looked_at(report), *examined.not_translated(report))
        for each in filter(None, (*told, *_foreign(named))):
            note(each)
    if new_baseline is not None:
        # All of it is known from now on.
        return 0
    bad = [Severity.ERROR, Severity.WARNING] if strict else [Severity.ERROR]
    return 1 if any(each.severity in bad for each in found) else 0


def _left_out(path: Path, named: list[str], settings: Project) -> bool:
    """Whether a project leaves a file out; one that is named itself is looked at."""
    return str(path) not in named and settings.leaves_out(path)


def _new_ones(found: list[Diagnostic], old: Path) -> list[Diagnostic]:
    from rulerun_dsl.diagnostics.exchange import fingerprints

    marks = known_before(old)
    pairs = zip(found, fingerprints(found, from_root), strict=True)
    return [each for each, mark in pairs if mark not in marks]


def _write_baseline(path: Path, found: list[Diagnostic]) -> None:
    from rulerun_dsl.diagnostics.exchange import fingerprints

    data = {"schema_version": 1, "fingerprints": sorted(fingerprints(found, from_root))}
    deliver(as_json(data), "json", path)


def _foreign(named: list[str]) -> list[str]:
    """What lies in the folders that are named and is no rules file, in words."""
    folders = [each for each in named if Path(each).is_dir()]
    every = collect(folders, lambda path: not _is_ours(path)) if folders else []
    if not every:
        return []
    some = ", ".join(str(each) for each in every[:3])
    more = f" and {len(every) - 3} more" if len(every) > 3 else ""
    return [f"no rules, so not looked at: {some}{more}"]


# -------------------------------------------------------------------------------------- writing


def _rendered(form: str, report: Report, found: list[Diagnostic], shown: bool) -> str:
    """The findings in a format; `shown`: on standard output."""
    from rulerun_dsl.diagnostics import render

    match form:
        case "text":
            return render.render_text(found, color=shown and colored(sys.stdout))
        case "json":
            return examined.to_json(report, found)
        case "github":
            return render.render_github(found, from_root)
    from rulerun_dsl.diagnostics import exchange

    match form:
        case "sarif":
            pages = {each.code: page_of(each.code) for each in found}
            return exchange.render_sarif(found, VERSION, from_root, pages)
        case "gitlab":
            return exchange.render_gitlab(found, from_root)
    return exchange.render_junit(found, report.names, from_root)


def _safe(found: list[Diagnostic]) -> int:
    """How many findings have a safe fix."""
    return sum(any(fix.safe for fix in each.fixes) for each in found)


def _promised(found: list[Diagnostic]) -> int:
    """How many findings `rulerun fix` would mend: it does not do what makes a file worse."""
    from rulerun.cli.editing import opened
    from rulerun.cli.fix import mended_files

    safe = [each for each in found if any(fix.safe for fix in each.fixes)]
    names = dict.fromkeys(each.span.source.name for each in safe if each.span is not None)
    files = [Path(name) for name in names]
    read = {path: was for path in files if path.is_file() and (was := opened(path)[0]) is not None}
    return sum(len(each.steps) for each in mended_files(read, False).values())


def _mendable(found: list[Diagnostic]) -> str:
    """How many findings know their fix, in words."""
    safe = _safe(found)
    unsafe = sum(bool(each.fixes) for each in found) - safe
    return f"{safe:>5} to mend by `rulerun fix`" + (
        f", {unsafe} more by --unsafe" if unsafe else ""
    )


def _laws(report: Report) -> str:
    if not report.wanted.deep:
        return ""
    count = len({(name, each.law) for name, each in report.broken})
    partly = any(missed.anything for missed in report.missed.values())
    where = " in what was looked at" if partly else ""
    return f"; {count or 'no'} broken law{'' if count == 1 else 's'}{where}"

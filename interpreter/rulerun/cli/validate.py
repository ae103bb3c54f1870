"""`rulerun validate`: a rules file must be right whatever the options and the number of players.

Assumes paths of rules files, module files and scenario files.
Does: examines each (`examining`), writes what was found, and says what was looked at (`examined`).
With `--strict`, it lists what only play can prove, and warnings count; with `--deep`, it checks
every setting and tests the laws on random plays.
Leaves behind findings on standard output, each once, and a summary on standard error.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rulerun.cli import examined
from rulerun.cli.belonging import from_root
from rulerun.cli.common import Unable, annotate, color_option, colored, format_option, note, out
from rulerun.cli.examining import Report, Wanted
from rulerun.cli.files import STDIN, collect, standard_input

DEFAULT_PLAY = 7_000
"""As `rulerun.laws.trials.BUDGET`, which takes its time to import."""


@click.command("validate")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@format_option("text", "json", "github")
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
    form: str,
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
    from rulerun_dsl.diagnostics.render import render_github, render_text, summary

    for option, given in (("--games", games), ("--seed", seed)):
        if given is not None and not deep:
            raise click.UsageError(
                f"{option} says how the laws are tested: write --deep with it (random play without "
                "--deep is bounded by --play, and always the same)"
            )
    wanted = Wanted(strict, deep, games, "0" if seed is None else seed, play, records)
    report = Report(wanted)
    if STDIN in paths:
        report.text(standard_input(), "<stdin>")
    named = [path for path in paths if path != STDIN]
    files = collect(named, lambda path: True) if named or not paths else []
    if not files and STDIN not in paths:
        raise Unable("there is nothing to check: no YAML file in what was named")
    report.files(files, dependents)
    found = list(report.found.values())
    if form == "json":
        out(examined.to_json(report, found))
    elif form == "github":
        annotate(render_github(found, from_root))
    else:
        out(render_text(found, color=colored(sys.stdout)))
    more = f"; `rulerun explain {found[0].code}` says more" if found and form == "text" else ""
    note(f"{examined.counted(report)}: {summary(found)}{_laws(report)}{more}")
    missed = examined.not_checked(report), examined.not_played(report)
    told = (*missed, *examined.not_looked_at(report), *examined.not_translated(report))
    for each in filter(None, told):
        note(each)
    bad = [Severity.ERROR, Severity.WARNING] if strict else [Severity.ERROR]
    return 1 if any(each.severity in bad for each in found) else 0


# -------------------------------------------------------------------------------------- writing


def _laws(report: Report) -> str:
    if not report.wanted.deep:
        return ""
    count = len({(name, each.law) for name, each in report.broken})
    partly = any(missed.anything for missed in report.missed.values())
    where = " in what was looked at" if partly else ""
    return f"; {count or 'no'} broken law{'' if count == 1 else 's'}{where}"

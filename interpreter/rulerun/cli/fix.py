"""`rulerun fix`: what the findings of files say is mended, where it is known what to write.

Assumes paths of files of rules, scenarios and texts, or of folders.
Does: looks at each file in every setting, puts in the safe fixes of what is found, and looks again
(`rulerun_dsl.edit.mending`); with `--unsafe` those too that somebody has to look at. Nothing is
written that is worse than what was there.
Leaves behind files, what was changed on standard output, and what was done and is left on standard
error; with `--check` or `--diff` the files as they were.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import color_option, complain, note, out
from rulerun.cli.editing import Opened, difference, files_to_change, opened, written

if TYPE_CHECKING:
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic
    from rulerun_dsl.edit.mending import Mended

_ROUNDS = 4
"""So often the files are gone through at most."""

_SHOWN = 12
"""So many fixes of a file are told; the difference shows them all."""


@click.command("fix")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--unsafe", is_flag=True, help="Also what may not be what was meant: look at it.")
@click.option("--check", "only_told", is_flag=True, help="Say which files would change.")
@click.option("--diff", "only_shown", is_flag=True, help="Show what would change.")
@color_option
def fix(paths: tuple[str, ...], unsafe: bool, only_told: bool, only_shown: bool) -> int:
    """Mend what findings know the fix of.

    PATH is a file of rules, scenarios or texts, or a folder; without one it is the folder
    `rulesets/`. What is changed is shown. With --check and --diff nothing is written, and the exit
    code is 1 if a file would change. Else it is 1 if errors are left.
    """
    from rulerun_dsl.diagnostics.diagnostic import has_errors

    files = files_to_change(paths)
    read: dict[Path, Opened] = {}
    for path in files:
        was, findings = opened(path)
        if was is None:
            complain(findings)
        else:
            read[path] = was
    every = mended_files(read, unsafe)
    for path, found in every.items():
        was = read[path]
        if found.steps and not only_told and not only_shown:
            written(was, found.text)
        if found.steps and not only_told:
            out(difference(str(path), was.source.text, found.text))
        more = 0 if unsafe else _more(was, found)
        _tell(path, found, only_told or only_shown, more)
    changed = any(found.steps for found in every.values())
    if not changed:
        many = "1 file" if len(files) == 1 else f"{len(files)} files"
        note(f"nothing {'to mend' if unsafe else 'that is safe to mend'} in {many}")
    if len(read) < len(files):
        return 1
    if only_told or only_shown:
        return 1 if changed else 0
    return 1 if any(has_errors(found.left) for found in every.values()) else 0


def mended_files(read: Mapping[Path, Opened], unsafe: bool) -> dict[Path, Mended]:
    """The files with their fixes, each looked at as if those before it were saved.

    What is wrong in one file, such as a module, may hide what is wrong in another: of those that
    have errors left each is looked at again as long as something changes.
    """
    from rulerun_dsl.diagnostics.diagnostic import has_errors
    from rulerun_dsl.edit.mending import Mended
    from rulerun_dsl.source.regular_files import unsaved

    contents: dict[Path, bytes] = {}
    every: dict[Path, Mended] = {}
    left = list(read)
    for _ in range(_ROUNDS):
        changed = False
        for path in left:
            with unsaved(contents):
                known = every.get(path)
                found = _with_fixes(read[path], None if known is None else known.text, unsafe)
            changed |= bool(found.steps)
            contents[path] = read[path].file.with_text(found.text)
            before = known.steps if known else ()
            every[path] = Mended(found.text, before + found.steps, found.left)
        left = [path for path in left if changed and has_errors(every[path].left)]
    return every


def _with_fixes(was: Opened, text: str | None, unsafe: bool) -> Mended:
    """A file, with this text in place of its own, and its fixes."""
    from rulerun.cli.looking import all_findings_of
    from rulerun.cli.project import project
    from rulerun_dsl.edit.mending import mended
    from rulerun_dsl.source.regular_files import unsaved
    from rulerun_dsl.source.spans import Source

    settings = project()
    path = was.file.path

    def look(text: str) -> Sequence[Diagnostic]:
        with unsaved({path: was.file.with_text(text)}):
            return list(settings.weighed(all_findings_of(path)))

    source = was.source if text is None else Source(was.source.name, text)
    return mended(source, look, unsafe=unsafe)


def _more(was: Opened, found: Mended) -> int:
    """How many of what is left `--unsafe` would mend."""
    known = sum(bool(each.fixes) for each in found.left)
    # One may bring others to light.
    return min(known, len(_with_fixes(was, found.text, True).steps)) if known else 0


def _tell(path: Path, found: Mended, would: bool, more: int) -> None:
    """Say what was done, and what is left."""
    for each in found.steps[:_SHOWN]:
        span = each.finding.span
        line = "" if span is None else f":{span.line}"
        note(f"{path}{line}: {each.finding.code}: {each.fix.title}")
    if len(found.steps) > _SHOWN:
        note(f"{path}: and {len(found.steps) - _SHOWN} more")
    left = _left(path, found, more)
    if found.steps or left:
        many = len(found.steps)
        done = f"{many} {'would be ' if would else ''}mended" if many else "nothing mended"
        note(f"{path}: {done}; {left or 'no problems left that reading finds'}")


def _left(path: Path, found: Mended, more: int) -> str:
    """What is left, in words."""
    from rulerun_dsl.diagnostics.diagnostic import Severity
    from rulerun_dsl.diagnostics.render import summary
    from rulerun_dsl.edit.mending import fix_of

    left = [each for each in found.left if each.severity is not Severity.INFO]
    if not left:
        return ""
    said = f"{summary(left)} left"
    mendable = [each for each in left if fix_of(each, unsafe=True)]
    names = [each.span.source.name for each in mendable if each.span]
    others = sorted({each for each in names if os.path.realpath(each) != os.path.realpath(path)})
    if more:
        said += f", {more} of them to mend by --unsafe"
    if others:
        said += f"; `rulerun fix {others[0]}` may mend more"
    return said

"""What commands share that change files: finding and reading them, showing a change, writing it.

Assumes: a path as typed. Leaves behind a file that was read together with its text, or `Unable`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulerun.cli.common import Unable
from rulerun.cli.files import collect
from rulerun.cli.project import project
from rulerun.host.rewriting import Original, original, rewrite
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import why
from rulerun_dsl.source.spans import LINE_BREAK

if TYPE_CHECKING:
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic
    from rulerun_dsl.source.spans import Source


@frozen
class Opened:
    """A file and its text."""

    file: Original
    source: Source


def own_file(name: str) -> Path:
    """The file of that path; a shipped ruleset is nobody's to change by its name."""
    from rulerun_dsl.source.resources import ruleset_path

    path = Path(name)
    try:
        if path.is_file():
            return path
        is_folder, is_there = path.is_dir(), path.exists()
        shipped = ruleset_path(name)
    except (OSError, ValueError):
        raise Unable(f"`{name}` is no name of a file") from None
    if is_folder:
        raise Unable(f"`{name}` is a folder, not a file")
    if is_there:
        raise Unable(f"`{name}` is no regular file")
    if shipped is not None:
        raise Unable(
            f"there is no file `{name}` here, and the ruleset that comes with rulerun is not "
            f"changed by its name: copy {shipped}, or name that path"
        )
    raise Unable(f"there is no file `{name}`")


def files_to_change(names: Sequence[str]) -> list[Path]:
    """The files that are meant: of rules, scenarios and texts; `names` are files and folders.

    Without names these are the files of the project, else of the folder `rulesets`. Raises
    `Unable` if there are none.
    """
    from rulerun.cli.belonging import is_rules_or_what_belongs

    for name in names:
        if not os.path.isdir(name):
            own_file(name)
    settings = project()
    files = [
        each
        for each in collect(list(names) or settings.named(), is_rules_or_what_belongs)
        if str(each) in names or not settings.leaves_out(each)
    ]
    if not files:
        raise Unable("there is nothing to change: no rules file in what was named")
    return files


def opened(path: Path) -> tuple[Opened | None, list[Diagnostic]]:
    """Read a file, with what is wrong with its characters. Raises `Unable`."""
    from rulerun_dsl.yaml.open_source import decode

    try:
        file = original(path)
    except (OSError, ValueError) as failure:
        raise Unable(f"`{path}` cannot be read: {why(failure)}") from None
    source, findings = decode(file.content, str(path))
    return (None if source is None else Opened(file, source)), findings


def written(opened: Opened, text: str) -> None:
    """Write another text. Raises `Unable`."""
    try:
        rewrite(opened.file, text)
    except OSError as failure:
        raise Unable(f"`{opened.file.path}` is left as it was: {why(failure)}") from None


def difference(name: str, before: str, after: str) -> str:
    """What is different, as `diff -u` writes it; line endings are not shown."""
    lines = difflib.unified_diff(_lines(before), _lines(after), name, name, lineterm="")
    return "".join(f"{each}\n" for each in lines)


def changed_lines(before: str, after: str) -> Iterator[str]:
    """The lines that go, each after a `-`, and those that come, each after a `+`."""
    for each in list(difflib.unified_diff(_lines(before), _lines(after), n=0, lineterm=""))[2:]:
        if not each.startswith("@@"):
            yield f"{each[0]} {each[1:].strip()}"


def _lines(text: str) -> list[str]:
    lines = LINE_BREAK.split(text)
    return lines if lines[-1] else lines[:-1]

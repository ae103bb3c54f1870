"""`rulerun fmt`: the one layout of files.

Assumes paths of files of rules, scenarios and texts, of folders, or `-`.
Does: lays each file out (`rulerun_dsl.edit.laying_out`), and writes it if that is another text.
What it says stays the same, comments as well; a file of which that cannot be proved, or that cannot
be read, is left as it is, and said.
Leaves behind files; with `--check` or `--diff` nothing but what would change.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import color_option, complain, note, out
from rulerun.cli.editing import difference, files_to_change, opened, written
from rulerun.cli.files import STDIN, standard_input
from rulerun.host.streams import steer

if TYPE_CHECKING:
    from rulerun_dsl.source.spans import Source


@click.command("fmt")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--check", "only_told", is_flag=True, help="Say which files would change.")
@click.option("--diff", "only_shown", is_flag=True, help="Show what would change.")
@color_option
def fmt(paths: tuple[str, ...], only_told: bool, only_shown: bool) -> int:
    """Lay files out in the one layout.

    PATH is a file of rules, scenarios or texts, a folder, or `-` for standard input, which is then
    written to standard output. Without PATH, everything in the folder `rulesets/` is laid out.
    With --check and --diff nothing is written, and the exit code is 1 if a file would change.
    """
    if STDIN in paths:
        if len(paths) > 1:
            raise click.UsageError("`-` stands alone: what it lays out goes to standard output")
        return _standard(only_told, only_shown)
    files = files_to_change(paths)
    changed = failed = 0
    for path in files:
        found = _one(path, only_told, only_shown)
        changed += found is True
        failed += found is None
    done = "would change" if only_told or only_shown else "laid out"
    left = len(files) - changed - failed
    parts = [f"{changed} {done}" if changed else "", f"{left} as they are" if left else ""]
    if failed:
        parts.append(f"{failed} left alone")
    many = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
    note(f"{many}: {', '.join(filter(None, parts))}")
    return 1 if failed or (changed and (only_told or only_shown)) else 0


def _one(path: Path, only_told: bool, only_shown: bool) -> bool | None:
    """Lay one file out; whether it changes, None if it cannot be."""
    was, findings = opened(path)
    if was is None:
        complain(findings)
        return None
    text = _laid_out(was.source)
    if text is None or text == was.source.text:
        return None if text is None else False
    if only_shown:
        out(difference(str(path), was.source.text, text))
    if only_told:
        note(f"would change: {path}")
    if not only_told and not only_shown:
        written(was, text)
        note(f"laid out: {path}")
    return True


def _laid_out(source: Source) -> str | None:
    """The text of a source in the one layout; None, and said why, if it cannot be had."""
    from rulerun_dsl.diagnostics.diagnostic import has_errors
    from rulerun_dsl.edit.laying_out import Unproved, laid_out
    from rulerun_dsl.yaml.document import load_document

    document, findings = load_document(source)
    if document is None or has_errors(findings):
        complain(findings)
        return None
    try:
        return laid_out(source)
    except Unproved as problem:
        note(f"rulerun: `{source.name}` is left as it is: {problem}")
        return None


def _standard(only_told: bool, only_shown: bool) -> int:
    """Lay out standard input."""
    import sys

    from rulerun_dsl.yaml.open_source import decode

    content = standard_input()
    source, findings = decode(content, "<stdin>")
    if source is None:
        complain(findings)
        return 1
    text = _laid_out(source)
    if text is None:
        return 1
    changed = text != source.text
    if only_shown:
        out(difference("<stdin>", source.text, text))
    elif not only_told:
        mark = "\ufeff" if content.startswith(b"\xef\xbb\xbf") else ""
        # A file or an editor gets every character; somebody who reads it, what is harmless.
        (out if sys.stdout.isatty() else partial(steer, sys.stdout))(mark + text)
    return 1 if changed and (only_told or only_shown) else 0

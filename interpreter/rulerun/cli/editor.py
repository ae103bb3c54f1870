"""`rulerun editor`: what an editor needs to start the language server."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from rulerun.cli import EXIT_FINE
from rulerun.cli.common import Unable, color_option, note
from rulerun_dsl.source.regular_files import why


@click.command("editor")
@click.argument("name", type=click.Choice(["vscode"]))
@click.option(
    "-o",
    "--output",
    "output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to this file.",
)
@color_option
def editor(name: str, output: Path | None) -> int:
    """Write an extension for an editor, which starts the language server.

    NAME is vscode: a `.vsix` for VS Code and editors like it. What other editors need stands in
    their settings: docs/how-to/editors.md has it.
    """
    from rulerun.host.version import VERSION
    from rulerun.language_server.packing import packed

    path = output or Path(f"rulerun-{VERSION}.vsix")
    try:
        path.write_bytes(packed(VERSION, [sys.executable, "-m", "rulerun"]))
    except OSError as failure:
        raise Unable(f"`{path}` cannot be written: {why(failure)}") from None
    note(f"the extension is in {path}: `code --install-extension {path}` installs it")
    if find_spec("pygls") is None:
        note("it needs the language server: `pip install 'rulerun[lsp]'`")
    return EXIT_FINE

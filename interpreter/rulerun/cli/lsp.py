"""`rulerun lsp`: the language server, on standard input and output."""

from __future__ import annotations

import logging
import os

import click

from rulerun.cli.common import Unable
from rulerun_dsl.source.safe_text import harmless


class _Brief(logging.Formatter):
    """What has failed in a line; with RULERUN_TRACEBACK=1 also where."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"rulerun lsp: {record.getMessage()}"
        failure = record.exc_info[1] if record.exc_info else None
        if failure is None:
            return harmless(line)
        line += f": {type(failure).__name__}: {failure}"
        if os.environ.get("RULERUN_TRACEBACK"):
            assert record.exc_info is not None
            line += "\n" + self.formatException(record.exc_info)
        return harmless(line)


@click.command("lsp")
def lsp() -> None:
    """Serve an editor that speaks the Language Server Protocol.

    An editor starts this; the messages go over standard input and output, what is wrong with the
    server itself to standard error.
    """
    try:
        from rulerun.language_server.server import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise Unable("the language server needs `pip install 'rulerun[lsp]'`") from missing
    from rulerun.cli.belonging import parents
    from rulerun.host.streams import for_messages
    from rulerun.host.version import VERSION

    try:
        reads, writes = for_messages()
    except OSError as closed:
        why = "standard input and output are what an editor talks over"
        raise Unable(f"{why}: {closed}; an editor starts `rulerun lsp`") from None
    told = logging.StreamHandler()
    told.setFormatter(_Brief())
    logging.basicConfig(level=logging.WARNING, handlers=[told])
    serve(VERSION, parents, reads, writes)

"""`rulerun lsp`: the language server, on standard input and output."""

from __future__ import annotations

import click

from rulerun.cli.common import Unable


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
    import logging

    from rulerun.cli.belonging import parents
    from rulerun.host.streams import for_messages
    from rulerun.host.version import VERSION

    try:
        reads, writes = for_messages()
    except OSError as closed:
        why = "standard input and output are what an editor talks over"
        raise Unable(f"{why}: {closed}; an editor starts `rulerun lsp`") from None
    logging.basicConfig(level=logging.WARNING, format="rulerun lsp: %(message)s")
    serve(VERSION, parents, reads, writes)

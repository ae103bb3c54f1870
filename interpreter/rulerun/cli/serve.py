"""`rulerun serve`: tables in a browser.

Assumes rules files, or none for those that come with rulerun, and the extra `web`.
Does: opens the folder where tables are kept, and serves until Ctrl-C.
Leaves behind that folder: who serves it again goes on with its tables. With `--edit`, a rules file
may be another afterwards, as its owner has written it.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from rulerun.cli.belonging import is_rules
from rulerun.cli.common import Unable, color_option, find_rules, note, out
from rulerun.cli.files import collect

_NEEDS = ("starlette", "uvicorn", "websockets")


@click.command("serve")
@click.argument("files", nargs=-1, metavar="[FILE OR FOLDER]...")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS")
@click.option("--port", type=click.IntRange(0, 65_535), default=8_000, show_default=True)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="A name under which browsers reach this server, such as that of a proxy.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("rulerun-tables"),
    show_default=True,
    metavar="FOLDER",
    help="Where tables are kept.",
)
@click.option(
    "--thinkers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes in which bots think, of each room.",
)
@click.option(
    "--rooms",
    type=click.IntRange(0, 64),
    metavar="N",
    help="Processes that hold the tables, each its share; 0: the server itself. "
    "Left out: one for each core, four at most.",
)
@click.option(
    "--uploads",
    is_flag=True,
    help="Whoever comes may bring rules: one file, checked apart, on no shelf.",
)
@click.option(
    "--edit",
    metavar="FILE",
    help="Also lay out the designer's desk: this rules file in an editor, its table beside it. "
    "On this machine only.",
)
@color_option
def serve(
    files: tuple[str, ...],
    host: str,
    port: int,
    names: tuple[str, ...],
    data: Path,
    thinkers: int,
    rooms: int | None,
    uploads: bool,
    edit: str | None,
) -> None:
    """Play in a browser: begin a table, send each player a link.

    FILE is a rules file, a folder of them, or the name of a shipped ruleset. Without one, all
    shipped games are offered.
    """
    missing = [each for each in _NEEDS if find_spec(each) is None]
    if missing:
        raise Unable("tables in a browser need more: `pip install 'rulerun[web]'`")
    from rulerun.web.serving import EVERYWHERE, Busy, serve_until_stopped
    from rulerun.web.store import NotKept, Store

    desk = None if edit is None else _desk(edit, host)
    games = _games(files) if desk is None or files else {}
    if desk is not None:
        games.setdefault(desk.stem, desk)
    if not _is_loopback(host):
        note(
            f"rulerun: `--host {host}` lets in whoever reaches this machine over the network: they "
            f"can begin tables{' and bring rules' if uploads else ''}, which takes its memory, "
            "disk and processor, and links to seats go unencrypted, so whoever listens in can "
            "play for others. In a network that you trust that is fine; for anybody else keep to "
            "`--host 127.0.0.1` and put a proxy with TLS before it, as "
            "docs/how-to/serve-behind-a-proxy.md says."
        )
    if host in EVERYWHERE and not names:
        note(
            "rulerun: browsers call this machine by a name or an address of its own: say which "
            "with --name, as in `--name 192.168.1.20`; requests for others are refused"
        )
    try:
        store = Store(data)
    except NotKept as failure:
        raise Unable(str(failure)) from None
    try:
        serve_until_stopped(
            games,
            store,
            host,
            port,
            names,
            thinkers,
            _say,
            desk,
            min(4, os.cpu_count() or 1) if rooms is None else rooms,
            uploads,
        )
    except Busy as failure:
        raise Unable(str(failure)) from None


def _say(text: str) -> None:
    """Say where the tables are, at once: the command goes on until it is ended."""
    out(text + "\n")
    sys.stdout.flush()


def _desk(edit: str, host: str) -> Path:
    """The rules file that is edited, wherever links lead."""
    if not _is_loopback(host):
        raise Unable(
            f"--edit lets a browser write files of this machine, so it does not listen at {host}: "
            "leave --host out; friends reach the table through a proxy or a tunnel (--name)"
        )
    if not Path(edit).is_file():
        raise Unable(f"there is no file `{edit}` to edit: a shipped game is copied first")
    path = Path(edit).resolve()
    if not os.access(path, os.W_OK):
        raise Unable(f"`{path}` may not be written: copy it first, and edit the copy")
    return path


def _games(files: tuple[str, ...]) -> dict[str, Path]:
    from rulerun_dsl.source.resources import ruleset_names, ruleset_path

    if not files:
        shipped = {name: ruleset_path(name) for name in ruleset_names()}
        return {name: path for name, path in shipped.items() if path is not None}
    found: dict[str, Path] = {}
    for each in files:
        if Path(each).is_dir():
            for path in collect([each], is_rules):
                found.setdefault(path.stem, path.resolve())
        else:
            path = find_rules(each)
            found.setdefault(path.stem, path.resolve())
    if not found:
        raise Unable("there is nothing to play: no rules file in what was named")
    return found


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

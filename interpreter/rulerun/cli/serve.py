"""`rulerun serve`: tables in a browser.

Assumes rules files, or none for those that come with rulerun, and the extra `web`.
Does: opens the folder where tables are kept, and serves until Ctrl-C.
Leaves behind that folder: who serves it again goes on with its tables.
"""

from __future__ import annotations

import ipaddress
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
    help="Processes in which bots think.",
)
@color_option
def serve(
    files: tuple[str, ...],
    host: str,
    port: int,
    names: tuple[str, ...],
    data: Path,
    thinkers: int,
) -> None:
    """Play in a browser: begin a table, send each player a link.

    FILE is a rules file, a folder of them, or the name of a shipped ruleset. Without one, all
    shipped games are offered.
    """
    missing = [each for each in _NEEDS if find_spec(each) is None]
    if missing:
        raise Unable("tables in a browser need more: `pip install 'rulerun[web]'`")
    from rulerun.web.serving import Busy, serve_until_stopped
    from rulerun.web.store import NotKept, Store

    games = _games(files)
    if not _is_loopback(host):
        note(
            f"rulerun: anybody who reaches {host} can begin tables here; "
            "for more than your own network put a proxy with TLS before it"
        )
    try:
        store = Store(data)
    except NotKept as failure:
        raise Unable(str(failure)) from None
    try:
        serve_until_stopped(
            games, store, host, port, names, thinkers, lambda text: out(text + "\n")
        )
    except Busy as failure:
        raise Unable(str(failure)) from None


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

"""The server as a process: an address, a log without secrets, an end.

Assumes games by name, and an open store.
Does: listens, says where, and serves until Ctrl-C or SIGTERM.
Leaves behind a closed store. Raises `Busy` where the address cannot be had.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import uvicorn

from rulerun.web.app import application
from rulerun.web.messages import LONGEST
from rulerun.web.shelf import Shelf
from rulerun.web.store import Store

EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that stand for all that a machine has."""
_LOCAL = ("127.0.0.1", "localhost", "::1")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, leave: Callable[[], None]) -> None:
        """`leave`: ends requests that would be waited for."""
        super().__init__(config)
        self._leave = leave

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._leave()
        await super().shutdown(sockets)


class Busy(Exception):
    """The address cannot be had."""


def serve_until_stopped(
    games: Mapping[str, Path],
    store: Store,
    host: str,
    port: int,
    names: Iterable[str],
    thinkers: int,
    say: Callable[[str], None],
    edit: Path | None = None,
    rooms: int = 0,
    uploads: bool = False,
) -> None:
    """Serve. `say` takes the address, once it is listened at; `edit`: the desk is for this file.

    `rooms`, `thinkers`, `uploads`: as of an `application`.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as failure:
        listener.close()
        raise Busy(
            f"{host}:{port} cannot be had: {failure.strerror}; `--port 0` takes a free one"
        ) from None
    at = listener.getsockname()[1]
    names = tuple(names)
    hosts = frozenset((*_LOCAL, host, *names))
    token = secrets.token_urlsafe(18)
    desk = None if edit is None else (edit, token)
    app = application(Shelf(games), store, hosts, thinkers, desk, rooms, uploads)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws_max_size=LONGEST * 2, server_header=False
    )
    base = address(host, at, names)
    if edit is not None:
        say(f"the desk of {edit.name}, for you alone: {base}desk#{token}")
    many = f"{len(games)} game{'' if len(games) == 1 else 's'}"
    say(f"rulerun serves {many} at {base} (Ctrl-C ends it)\n")
    _Server(config, app.state.leave).run([listener])


def address(host: str, port: int, names: Sequence[str]) -> str:
    """What to open in a browser: of a machine that listens everywhere, its first name.

    >>> address("::1", 80, ()), address("0.0.0.0", 8000, ["192.168.1.20"])
    ('http://[::1]:80/', 'http://192.168.1.20:8000/')
    """
    shown = next(iter(names), "localhost") if host in EVERYWHERE else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"

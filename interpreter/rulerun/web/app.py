"""The server: a lobby, tables, and a link for each who looks at one.

Assumes a shelf of games, a store, and the hosts under which it may be called.
Does: begins tables, lets in who has a token, hands answers to tables and scenes to clients. A
request for another host, or a socket from another page, is refused.
Leaves behind an ASGI application. Tokens come in messages and headers, never in addresses, so that
no log holds one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from rulerun.runtime.executor import RuleError
from rulerun.session.record import read_record
from rulerun.web import bots, editions
from rulerun.web.apart import Apart
from rulerun.web.beginning import Prepared, begun, opened, prepared
from rulerun.web.editions import Unplayable
from rulerun.web.links import Link, OverRequests, OverSocket
from rulerun.web.meeting import NO_TABLE, Rooms
from rulerun.web.messages import LONGEST, known, whole
from rulerun.web.replies import HEADERS, data, headers, host_of, limited, refusal
from rulerun.web.shelf import LEVELS, Shelf, form_of, settings_of
from rulerun.web.store import NotKept, Store
from rulerun.web.table import OPEN, PERSON, NotTaken, edition_of_table
from rulerun.web.uploads import LARGEST, Uploads
from rulerun_dsl.icons import files_of_icons
from rulerun_dsl.source.safe_text import clean

STATIC = Path(__file__).parent / "static"

Found = TypeVar("Found")

LARGEST_RECORD = 1_000_000
MOST_LINKS = 1_000
"""That go by requests."""
PICTURE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
NO_GAME = "there is no such game"
NO_LINK = "there is no such link: connect again"


class Guard:
    """Refuses requests for hosts that are not this server's, and pages of other origins."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        """`hosts`: names without ports."""
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is meant for this server."""
        if scope["type"] not in ("http", "websocket") or self._ours(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403, "reason": "another origin"})
        else:
            await refusal(403, "this server does not serve that host")(scope, receive, send)

    def _ours(self, scope: Scope) -> bool:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if host_of(f"//{host}")[0] not in self._hosts:
            return False
        origin = headers.get(b"origin")
        safe = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        return origin is None or safe or host_of(origin)[1] == host


class Meetings(Protocol):
    """Where clients meet tables: here, or in other processes."""

    async def meet(self, link: Link, id_: str) -> None:
        """Serve a client at a table until it goes."""

    def close(self) -> None:
        """End them all."""


def application(
    shelf: Shelf,
    store: Store,
    hosts: frozenset[str],
    thinkers: int = 1,
    edit: tuple[Path, str] | None = None,
    rooms: int = 0,
    uploads: bool = False,
) -> Starlette:
    """The server as an ASGI application.

    `edit`: a rules file for the desk, and its token; `rooms`: processes that hold the tables, 0:
    this one does; `thinkers`: processes of each room in which bots think; `uploads`: whoever comes
    may bring rules.
    """
    here = Rooms(store, bots.Pool(thinkers))
    # A desk lays its hands on the table itself.
    apart = rooms > 0 and edit is None
    meetings = Apart(rooms, store.folder, thinkers) if apart else here
    brought = Uploads(store.folder / "uploads", uploads)
    site = _Site(Shelf(shelf.paths, brought.path), store, meetings, brought)
    closing = [brought.close, meetings.close, store.close]

    @contextlib.asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        for close in closing:
            close()

    routes = [
        Route("/", site.page("index.html")),
        # A table is framed by the desk, and by no other page.
        Route("/t/{table}", site.page("table.html", framed="'none'" if edit is None else "'self'")),
        Route("/api/games", site.games),
        Route("/api/games/{game}", site.game),
        Route("/api/games/{game}/settings", site.settings, methods=["POST"]),
        Route("/api/rules", site.bring, methods=["POST"]),
        Route("/api/tables", site.begin, methods=["POST"]),
        Route("/api/records", site.open_record, methods=["POST"]),
        Route("/api/tables/{table}/rules", site.rules),
        Route("/api/tables/{table}/icons/{name}", site.icon),
        Route("/api/tables/{table}/record", site.record),
        Route("/api/tables/{table}/links", site.connect, methods=["POST"]),
        Route("/api/link", site.hear),
        Route("/api/link", site.say, methods=["POST"]),
        WebSocketRoute("/ws/{table}", site.socket),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    if edit is not None:
        # It needs much that tables do not: that is loaded where it is wanted.
        from rulerun.web.desk.routes import laid

        desk, asked = laid(*edit, store, here)
        routes += [Route("/desk", site.page("desk.html", frames="'self'")), *asked]
        closing.insert(0, desk.close)
    app = Starlette(routes=routes, lifespan=life)
    app.add_middleware(Guard, hosts=hosts)
    app.state.leave = site.leave
    return app


class _Site:
    """The handlers."""

    def __init__(self, shelf: Shelf, store: Store, meetings: Meetings, uploads: Uploads) -> None:
        self.shelf, self.store, self.meetings = shelf, store, meetings
        self.uploads = uploads
        self._links: dict[str, tuple[OverRequests, asyncio.Task[None]]] = {}

    def page(self, name: str, **policy: str) -> Callable[[Request], Awaitable[Response]]:
        async def give(_: Request) -> Response:
            return FileResponse(STATIC / name, headers=headers(**policy))

        return give

    async def games(self, request: Request) -> Response:
        listed = await asyncio.to_thread(self.shelf.listed, _language(request))
        return data({"games": listed, "uploads": self.uploads.welcome})

    async def bring(self, request: Request) -> Response:
        """Rules that somebody brings."""
        if not self.uploads.welcome:
            return refusal(403, "this server takes no rules: it was begun without --uploads")
        try:
            return data({"game": await self.uploads.take(await limited(request, LARGEST))}, 201)
        except (NotTaken, ValueError) as reason:
            return refusal(400, str(reason))
        except NotKept as failure:
            return refusal(507, f"the rules cannot be kept: {failure}")

    async def _done(self, brought: bool, work: Callable[..., Found], *given: object) -> Found:
        """Have something done with rules, elsewhere if somebody `brought` them."""
        if brought:
            return await self.uploads.aside(work, *given)
        return await asyncio.to_thread(work, *given)

    async def game(self, request: Request) -> Response:
        name = request.path_params["game"]
        path = self.shelf.path(name)
        if path is None:
            return refusal(404, NO_GAME)
        try:
            language = _language(request)
            return data(await self._done(self._brought(name), form_of, name, path, language))
        except (Unplayable, NotTaken) as reason:
            return refusal(409, str(reason))

    async def settings(self, request: Request) -> Response:
        """What settings of a form come to, before a table is begun by them."""
        name = request.path_params["game"]
        path = self.shelf.path(name)
        if path is None:
            return refusal(404, NO_GAME)
        try:
            form = _Form.read(await limited(request))
            chosen = form.players, form.options, form.variants, _language(request)
            return data(await self._done(self._brought(name), settings_of, path, *chosen))
        except (Unplayable, NotTaken, ValueError) as reason:
            return refusal(400, clean(str(reason)))

    async def begin(self, request: Request) -> Response:
        try:
            body = await limited(request)
            form = _Form.read(body)
            path = self.shelf.path(form.game)
            if path is None:
                raise NotTaken(NO_GAME)
            folder = self.store.folder / "rules"
            new = await self._done(self._brought(form.game), _prepared, folder, path, form)
            table, tokens = await asyncio.to_thread(begun, self.store, new)
        except (Unplayable, NotTaken, ValueError) as reason:
            return refusal(400, clean(str(reason)))
        except RuleError as error:
            return refusal(400, f"in set-up: {clean(str(error))}")
        except (NotKept, OSError) as failure:
            return refusal(507, f"the table cannot be kept: {failure}")
        return data({"table": table, "tokens": tokens}, 201)

    async def open_record(self, request: Request) -> Response:
        """A table that goes on where a record ends."""
        try:
            content = await limited(request, LARGEST_RECORD)
            paths = list(self.shelf.paths.values())
            table, tokens = await asyncio.to_thread(opened, self.store, content, paths)
        except (NotTaken, ValueError) as reason:
            return refusal(400, clean(str(reason)))
        except (NotKept, OSError) as failure:
            return refusal(507, f"the table cannot be kept: {failure}")
        return data({"table": table, "tokens": tokens}, 201)

    def _brought(self, name: str) -> bool:
        return name not in self.shelf.paths

    async def rules(self, request: Request) -> Response:
        kept = await asyncio.to_thread(self.store.table, request.path_params["table"])
        if kept is None:
            return refusal(404, "there is no such table")
        edition = edition_of_table(self.store, kept)
        try:
            brought = editions.brought(edition.path.stem)
            book = await self._done(brought, editions.book_of, edition, _language(request))
        except NotTaken as reason:
            return refusal(503, str(reason))
        return HTMLResponse(book, headers=headers(style="'unsafe-inline'"))

    async def icon(self, request: Request) -> Response:
        """A picture: whoever looks at it by itself gets a page that may do nothing."""
        kept = await asyncio.to_thread(self.store.table, request.path_params["table"])
        edition = None if kept is None else edition_of_table(self.store, kept)
        icons = {} if edition is None else files_of_icons(edition.path)
        path = icons.get(request.path_params["name"])
        if edition is None or path is None:
            return refusal(404, "there is no such picture")
        # An address that names the edition always has this picture: another edit has another one.
        kept_for = request.query_params.get("rules") == edition.mark
        cached = "max-age=31536000, immutable" if kept_for else "no-cache"
        policy = {**HEADERS, "Content-Security-Policy": PICTURE, "Cache-Control": cached}
        return FileResponse(path, media_type="image/svg+xml", headers=policy)

    async def record(self, request: Request) -> Response:
        """The record of a game that is over: it holds every secret of it."""
        id_ = request.path_params["table"]
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.store.role(id_, token) is None:
            return refusal(404, NO_TABLE)
        content = await asyncio.to_thread(self.store.record, id_)
        record, _ = read_record(content)
        if record is None or record.end is None:
            return refusal(409, "a record holds every secret: wait until the game is over")
        name = f"{record.game}-{id_}.jsonl"
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/jsonl", headers={**HEADERS, **disposition})

    # --------------------------------------------------------------------------------------- links

    async def socket(self, socket: WebSocket) -> None:
        await socket.accept()
        await self.meetings.meet(OverSocket(socket), socket.path_params["table"])

    async def connect(self, request: Request) -> Response:
        """Begin a link by requests, where something on the way lets no sockets through."""
        table = request.path_params["table"]
        if len(self._links) >= MOST_LINKS:
            # Who has a token says so at once: links of strangers make room.
            vacant = next((key for key, (link, _) in self._links.items() if link.vacant), None)
            if vacant is None:
                return refusal(503, "too many look on by requests")
            self._links[vacant][0].end()
            self._forget(vacant)
        key = secrets.token_urlsafe(18)
        link = OverRequests(lambda: self._forget(key))
        meeting = asyncio.ensure_future(self._meet(link, table))
        self._links[key] = link, meeting
        return data({"link": key}, 201)

    async def _meet(self, link: OverRequests, table: str) -> None:
        try:
            await self.meetings.meet(link, table)
        finally:
            await link.close("")

    def _forget(self, key: str) -> None:
        _, meeting = self._links.pop(key, (None, None))
        if meeting is not None:
            meeting.cancel()

    def leave(self) -> None:
        """End all links by requests: a server that stops waits for requests that are open."""
        for link, _ in self._links.values():
            link.end()

    async def hear(self, request: Request) -> Response:
        """What is new for a link, as soon as there is something."""
        link, _ = self._links.get(request.headers.get("link", ""), (None, None))
        if link is None:
            return refusal(404, NO_LINK)
        news, ended = await link.hear()
        return data({"news": news, "ended": ended})

    async def say(self, request: Request) -> Response:
        """A message over a link."""
        link, _ = self._links.get(request.headers.get("link", ""), (None, None))
        if link is None:
            return refusal(404, NO_LINK)
        try:
            text = (await limited(request, LONGEST)).decode()
        except ValueError as reason:
            return refusal(400, str(reason))
        return data({}) if link.say(text) else refusal(429, "too many messages at once")


class _Form:
    """What somebody wants to play."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        def texts(key: str) -> dict[str, str]:
            found = data.get(key, {})
            if not isinstance(found, dict) or not all(
                isinstance(each, str) for each in found.values()
            ):
                raise ValueError(f"`{key}` has a text for each name")
            return found

        self.game = str(data.get("game", ""))
        players = data.get("players")
        if players is not None and (type(players) is not int or not 0 < players < 100):
            raise ValueError("`players` is a number")
        self.players: int | None = players
        self.options = texts("options")
        variants = data.get("variants", [])
        if not isinstance(variants, list) or not all(isinstance(each, str) for each in variants):
            raise ValueError("`variants` is a list of names")
        self.variants = tuple(variants)
        self.seats = texts("seats")
        for who in self.seats.values():
            if who not in (PERSON, OPEN, *LEVELS):
                raise ValueError(f"a seat is for {PERSON}, {', '.join(LEVELS)}")
        self.seed = str(data.get("seed", ""))[:80]

    @classmethod
    def read(cls, body: bytes) -> _Form:
        try:
            data = json.loads(body)
            sound = whole(json.dumps(data, ensure_ascii=False))
        except (ValueError, RecursionError):
            raise ValueError("the form is no JSON") from None
        if not isinstance(data, dict) or not sound:
            raise ValueError("the form is no JSON object of whole characters")
        return cls(data)


def _prepared(folder: Path, path: Path, form: _Form) -> Prepared:
    copy = editions.keep(path, folder)
    edition = editions.edition_of(copy, form.players, form.options, form.variants)
    return prepared(edition, form.seats, form.seed or secrets.token_hex(8))


def _language(request: Request) -> str:
    return known(request.query_params.get("lang", ""))

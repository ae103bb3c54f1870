"""The server: a lobby, tables, and a socket for each who looks at one.

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
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from rulerun.runtime.executor import RuleError
from rulerun.web import bots, editions, messages
from rulerun.web.beginning import begun, followed, opened
from rulerun.web.editions import Unplayable
from rulerun.web.replies import HEADERS, data, headers, host_of, limited, refusal
from rulerun.web.shelf import LEVELS, Shelf
from rulerun.web.store import NotKept, Store
from rulerun.web.table import OPEN, OWNER, PERSON, Client, NotTaken, Table, reopened
from rulerun.words.language import SHIPPED
from rulerun_dsl.source.safe_text import clean

STATIC = Path(__file__).parent / "static"

MOST_CLIENTS = 64
"""Of one table."""
MOST_TABLES = 2_000
"""That are open at a time."""
LARGEST_RECORD = 1_000_000
NO_TABLE = "there is no such table, or the link is not one to it"
BURST, RATE = 40, 20.0
"""Messages of one client at once, and a second."""


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


class Rooms:
    """The tables that are open."""

    def __init__(self, store: Store, pool: bots.Pool) -> None:
        """Open none."""
        self.store, self.pool = store, pool
        self._tables: dict[str, Table] = {}
        self._opening = asyncio.Lock()

    async def table(self, id_: str) -> Table | None:
        """The table of that name, opened if it is not. Raises `NotKept`."""
        async with self._opening:
            if id_ not in self._tables:
                found = await asyncio.to_thread(reopened, self.store, id_, self.pool)
                if found is None:
                    return None
                self._let_go()
                self._tables[id_] = found
            return self._tables[id_]

    def _let_go(self) -> None:
        """Close tables that nobody looks at, when there are many."""
        idle = [id_ for id_, table in self._tables.items() if not table.clients]
        for id_ in idle[: max(0, len(self._tables) - MOST_TABLES + 1)]:
            del self._tables[id_]

    def close(self) -> None:
        """Stop thinking."""
        for table in self._tables.values():
            if table.thinking is not None:
                table.thinking.cancel()
        self.pool.close()


def application(
    shelf: Shelf,
    store: Store,
    hosts: frozenset[str],
    workers: int = 1,
    edit: tuple[Path, str] | None = None,
) -> Starlette:
    """The server as an ASGI application; `edit`: a rules file for the desk, and its token."""
    pool = bots.Pool(workers)
    rooms = Rooms(store, pool)
    site = _Site(shelf, store, rooms)
    closing = [rooms.close, store.close]

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
        Route("/api/tables", site.begin, methods=["POST"]),
        Route("/api/records", site.open_record, methods=["POST"]),
        Route("/api/tables/{table}/rules", site.rules),
        Route("/api/tables/{table}/record", site.record),
        WebSocketRoute("/ws/{table}", site.socket),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    if edit is not None:
        # It needs much that tables do not: that is loaded where it is wanted.
        from rulerun.web.desk.routes import laid

        desk, asked = laid(*edit, store, rooms)
        routes += [Route("/desk", site.page("desk.html", frames="'self'")), *asked]
        closing.insert(0, desk.close)
    app = Starlette(routes=routes, lifespan=life)
    app.add_middleware(Guard, hosts=hosts)
    return app


class _Site:
    """The handlers."""

    def __init__(self, shelf: Shelf, store: Store, rooms: Rooms) -> None:
        self.shelf, self.store, self.rooms = shelf, store, rooms

    def page(self, name: str, **policy: str) -> Callable[[Request], Awaitable[Response]]:
        async def give(_: Request) -> Response:
            return FileResponse(STATIC / name, headers=headers(**policy))

        return give

    async def games(self, request: Request) -> Response:
        return data({"games": await asyncio.to_thread(self.shelf.listed, _language(request))})

    async def game(self, request: Request) -> Response:
        name = request.path_params["game"]
        if name not in self.shelf.paths:
            return refusal(404, "there is no such game")
        try:
            return data(await asyncio.to_thread(self.shelf.form, name, _language(request)))
        except Unplayable as reason:
            return refusal(409, str(reason))

    async def begin(self, request: Request) -> Response:
        try:
            body = await limited(request)
            form = _Form.read(body)
            made = await asyncio.to_thread(self._begun, form)
        except (Unplayable, NotTaken, ValueError) as reason:
            return refusal(400, clean(str(reason)))
        except RuleError as error:
            return refusal(400, f"in set-up: {clean(str(error))}")
        except (NotKept, OSError) as failure:
            return refusal(507, f"the table cannot be kept: {failure}")
        return data(made, 201)

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

    def _begun(self, form: _Form) -> dict[str, object]:
        path = self.shelf.paths.get(form.game)
        if path is None:
            raise NotTaken("there is no such game")
        copy = editions.keep(path, self.store.folder / "rules")
        edition = editions.edition_of(copy, form.players, form.options, form.variants)
        game = editions.game_of(edition)
        seats = {name: form.seats.get(name, PERSON) for name in game.players}
        table, tokens = begun(self.store, edition, seats, form.seed or secrets.token_hex(8))
        return {"table": table, "tokens": tokens}

    async def rules(self, request: Request) -> Response:
        table = await self._table(request)
        if table is None:
            return refusal(404, "there is no such table")
        book = await asyncio.to_thread(editions.book_of, table.edition, _language(request))
        return HTMLResponse(book, headers=headers(style="'unsafe-inline'"))

    async def record(self, request: Request) -> Response:
        """The record of a game that is over: it holds every secret of it."""
        table = await self._table(request)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if table is None or self.store.role(table.kept.id, token) is None:
            return refusal(404, NO_TABLE)
        if not table.over:
            return refusal(409, "a record holds every secret: wait until the game is over")
        name = f"{table.session.game.name}-{table.kept.id}.jsonl"
        content = await asyncio.to_thread(self.store.record, table.kept.id)
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/jsonl", headers={**HEADERS, **disposition})

    async def _table(self, request: Request) -> Table | None:
        return await self.rooms.table(request.path_params["table"])

    # -------------------------------------------------------------------------------------- socket

    async def socket(self, socket: WebSocket) -> None:
        await socket.accept()
        waiting: asyncio.Queue[str] = asyncio.Queue()
        table: Table | None = None
        client: Client | None = None
        sender = asyncio.ensure_future(_send(socket, waiting))
        try:
            hello = messages.read(await asyncio.wait_for(socket.receive_text(), 20))
            if not isinstance(hello, messages.Hello):
                raise messages.Unclear("the first message is `hello`")
            id_ = socket.path_params["table"]
            table = await self.rooms.table(id_)
            role = None if table is None else self.store.role(id_, hello.token)
            if table is None or role is None:
                await _close(socket, waiting, NO_TABLE)
                return
            if len(table.clients) >= MOST_CLIENTS:
                await _close(socket, waiting, "too many look at this table")
                return
            client = Client(role, _known(hello.language), waiting.put_nowait)
            table.clients.append(client)
            waiting.put_nowait(json.dumps(_welcome(table, role)))
            table.tell()
            table.go_on()
            await self._listen(socket, table, client)
        except messages.Unclear as unclear:
            await _close(socket, waiting, str(unclear))
        except NotKept as failure:
            await _close(socket, waiting, f"the table cannot be read: {failure}")
        except (WebSocketDisconnect, TimeoutError, RuntimeError, KeyError):
            pass
        finally:
            sender.cancel()
            if table is not None and client is not None and client in table.clients:
                table.clients.remove(client)
                table.tell()

    async def _listen(self, socket: WebSocket, table: Table, client: Client) -> None:
        left, since = float(BURST), time.monotonic()
        while True:
            text = await socket.receive_text()
            now = time.monotonic()
            left, since = min(BURST, left + (now - since) * RATE), now
            if left < 1:
                await asyncio.sleep(1 / RATE)
            left -= 1
            try:
                await self._take(messages.read(text), table, client)
            except (NotTaken, messages.Unclear) as refused:
                client.send(json.dumps({"refused": str(refused)}))
            except NotKept as failure:
                why = f"that could not be kept, and was not done: {failure}"
                client.send(json.dumps({"refused": why}))

    async def _take(self, message: messages.Message, table: Table, client: Client) -> None:
        # Who does something hears of it, whatever comes of it.
        client.last = ("", "")
        match message:
            case messages.Do(action, mark):
                await table.answer(client.role, action, mark, client.language)
            case messages.Undo():
                await table.undo(client.role)
            case messages.Speak(language):
                client.language, client.log = _known(language), ()
                client.send(json.dumps(_welcome(table, client.role)))
                table.tell()
            case messages.Seat(player, who):
                if client.role != OWNER and client.role != player:
                    raise NotTaken("only who began the table seats others")
                if who not in (PERSON, *LEVELS) or player not in dict(table.kept.seats):
                    raise NotTaken(f"a seat is for {PERSON}, {', '.join(LEVELS)}")
                await table.reseat(player, who)
            case messages.Again():
                await table.again(client.role, followed)
            case messages.Why():
                reasons = table.why_not(client.role, client.language)
                client.send(json.dumps({"why": reasons}))
            case messages.Advise():
                how, best = await table.advise(client.role, client.language)
                client.send(json.dumps({"advice": best, "how": how}))
            case messages.Back(to):
                scene, every = table.past(client.role, client.language, to)
                past = {**scene.data, "at": scene.at, "log": scene.log}
                client.send(json.dumps({"past": past, "to": min(to, every), "of": every}))
            case messages.Hello():
                raise NotTaken("we have met")


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
        except (ValueError, RecursionError):
            raise ValueError("the form is no JSON") from None
        if not isinstance(data, dict):
            raise ValueError("the form is no JSON object")
        return cls(data)


async def _send(socket: WebSocket, waiting: asyncio.Queue[str]) -> None:
    """Send what waits, in order."""
    while True:
        await socket.send_text(await waiting.get())
        waiting.task_done()


async def _close(socket: WebSocket, waiting: asyncio.Queue[str], why: str) -> None:
    waiting.put_nowait(json.dumps({"closed": why}))
    with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
        await asyncio.wait_for(waiting.join(), 5)
        await socket.close(4000, why[:100])


def _welcome(table: Table, role: str) -> dict[str, object]:
    return {
        "welcome": {
            "table": table.kept.id,
            "role": role,
            "languages": editions.languages_of(table.edition),
            "levels": [*LEVELS],
            "title": editions.names_of(table.edition, "").title,
        }
    }


def _language(request: Request) -> str:
    return _known(request.query_params.get("lang", ""))


def _known(language: str) -> str:
    return language if language in SHIPPED else ""

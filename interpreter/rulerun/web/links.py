"""Links: how a page and a table speak with each other, whatever carries it.

Assumes a socket of a browser, or requests one after another where something between the two lets no
sockets through.
Does: carries texts both ways, in order; slows down who sends too many.
Leaves behind one shape for both. Raises `Gone` where nobody is at the other end any more.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

BURST, RATE = 40, 20.0
"""Messages of one client at once, and a second."""
MOST_WAITING = 200
"""Texts on their way to one who does not take them; a link with more is cut."""
_LAID_DOWN = 20
"""Texts for a client's next request; more wait."""
_SILENT = 60.0
"""Seconds without a request for news after which who made them is gone."""
_WAITS = 20.0
"""Seconds that a request waits for news."""


class Gone(Exception):
    """Nobody is at the other end."""


class Link(Protocol):
    """One client."""

    async def receive(self) -> str:
        """The next text from the client. Raises `Gone`."""

    async def send(self, text: str) -> None:
        """Send a text to the client. Raises `Gone`."""

    async def close(self, why: str) -> None:
        """End it."""


class _Pace:
    """Who sends more than is read slowly waits."""

    def __init__(self) -> None:
        self._left, self._since = float(BURST), time.monotonic()

    async def keep(self) -> None:
        now = time.monotonic()
        self._left, self._since = min(BURST, self._left + (now - self._since) * RATE), now
        if self._left < 1:
            await asyncio.sleep(1 / RATE)
        self._left -= 1


class OverSocket:
    """A link over a websocket that is accepted."""

    def __init__(self, socket: WebSocket) -> None:
        """Take the socket."""
        self._socket, self._pace = socket, _Pace()

    async def receive(self) -> str:
        """The next text from the client. Raises `Gone`."""
        try:
            text = await self._socket.receive_text()
        # A frame of bytes is no text: the key is missing.
        except (WebSocketDisconnect, RuntimeError, KeyError):
            raise Gone from None
        await self._pace.keep()
        return text

    async def send(self, text: str) -> None:
        """Send a text to the client. Raises `Gone`."""
        try:
            await self._socket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):
            raise Gone from None

    async def close(self, why: str) -> None:
        """End it; `why` is cut where a socket has no room for more."""
        try:
            await self._socket.close(4000, why[:100])
        except (WebSocketDisconnect, RuntimeError):
            pass


class OverRequests:
    """A link over requests: one waits for news, others bring messages."""

    def __init__(self, left: Callable[[], None]) -> None:
        """`left`: called when it has ended."""
        self._pace, self._left = _Pace(), left
        self._said: asyncio.Queue[str] = asyncio.Queue(BURST)
        self._news: list[str] = []
        self._some, self._room = asyncio.Event(), asyncio.Event()
        self._seen = time.monotonic()
        self._ended = False
        self._spoke = False

    @property
    def vacant(self) -> bool:
        """Whether nobody would miss it: it has ended, or nobody has said a word yet."""
        return self._ended or not self._spoke

    # ------------------------------------------------------------------------ the side of requests

    def say(self, text: str) -> bool:
        """Take a message of the client; false: too many wait already."""
        self._spoke = True
        try:
            self._said.put_nowait(text)
        except asyncio.QueueFull:
            return False
        return True

    async def hear(self) -> tuple[list[str], bool]:
        """What there is for the client, once there is something; whether that is the end."""
        self._seen = time.monotonic()
        try:
            await asyncio.wait_for(self._some.wait(), _WAITS)
        except TimeoutError:
            pass
        self._seen = time.monotonic()
        news, self._news = self._news, []
        self._room.set()
        if not self._ended:
            self._some.clear()
        return news, self._ended

    # --------------------------------------------------------------------------- the side of tables

    async def receive(self) -> str:
        """The next text from the client. Raises `Gone`."""
        while True:
            if self._ended or time.monotonic() - self._seen > _SILENT:
                self.end()
                raise Gone
            try:
                text = await asyncio.wait_for(self._said.get(), _WAITS / 4)
            except TimeoutError:
                continue
            await self._pace.keep()
            return text

    async def send(self, text: str) -> None:
        """Lay a text down for the client's next request. Raises `Gone`."""
        while len(self._news) >= _LAID_DOWN and not self._ended:
            self._room.clear()
            await self._room.wait()
        if self._ended:
            raise Gone
        self._news.append(text)
        self._some.set()

    async def close(self, why: str) -> None:
        """End it; what was laid down is still heard."""
        self.end()

    def end(self) -> None:
        """As `close`, at once: who waits for news waits no more."""
        if not self._ended:
            self._ended = True
            self._some.set()
            self._room.set()
            # Who listens just then still hears the last of it.
            asyncio.get_running_loop().call_later(_WAITS, self._left)

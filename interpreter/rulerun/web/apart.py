"""Rooms in processes of their own, so that tables share no core.

Assumes a folder of tables.
Does: says by its name which room a table is in, begins that process when somebody comes, and
carries texts between its clients and it, each with the number of the client.
Leaves behind rooms that end with this process, however it ends. A room that ends by itself is begun
again by the next who comes; its clients are cut off, come back, and find what was kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import struct
import threading
import zlib
from collections.abc import Callable
from enum import IntEnum
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

from rulerun.host.aside import bound
from rulerun.host.collecting import seldom_collected
from rulerun.host.workers import live_with_parent
from rulerun.web import bots
from rulerun.web.editions import OWN
from rulerun.web.hands import MEMORY
from rulerun.web.links import MOST_WAITING, Gone, Link
from rulerun.web.meeting import Rooms
from rulerun.web.store import Store

_HEAD = struct.Struct(">IB")


class Kind(IntEnum):
    """What a parcel between the processes is."""

    COME = 0
    """A client, with the name of its table."""
    TEXT = 1
    GONE = 2
    """The client, or its connection; no more parcels have this number."""
    CLOSE = 3
    """The table has no more for this client; why."""
    END = 4
    """The room closes."""


Parcel = tuple[Kind, str]


class _Post:
    """One end of a pipe: sends at once, hands over what comes in the loop that began it."""

    def __init__(
        self,
        pipe: Connection,
        take: Callable[[int, Kind, str], None],
        ended: Callable[[], None],
    ) -> None:
        self._pipe = pipe
        loop = asyncio.get_running_loop()

        def listen() -> None:
            with contextlib.suppress(OSError, EOFError, RuntimeError):
                while True:
                    parcel = pipe.recv_bytes()
                    number, kind = _HEAD.unpack_from(parcel)
                    text = parcel[_HEAD.size :].decode()
                    loop.call_soon_threadsafe(take, number, Kind(kind), text)
            # The loop may have ended first.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(ended)

        threading.Thread(target=listen, daemon=True).start()

    def send(self, number: int, kind: Kind, text: str = "") -> None:
        with contextlib.suppress(OSError):
            # What is no text (a lone surrogate) is read as text that no message is.
            self._pipe.send_bytes(_HEAD.pack(number, kind) + text.encode(errors="replace"))

    def close(self) -> None:
        self._pipe.close()


# -------------------------------------------------------------------------------- who carries texts


class Apart:
    """The rooms, from outside."""

    def __init__(self, rooms: int, folder: Path, thinkers: int) -> None:
        """Begin none. `thinkers`: processes in which bots think, of each room."""
        # The last is for tables of rules that somebody brought: they hold up each other alone.
        self._rooms: list[_Room | None] = [None] * (rooms + 1)
        self._folder, self._thinkers = folder, thinkers

    async def meet(self, link: Link, id_: str) -> None:
        """Carry texts between a client and its table until it goes."""
        room = self._room(self._place(id_))
        number, arrived = room.welcome(id_)
        up = asyncio.ensure_future(_carry_up(link, room, number, arrived))
        try:
            while True:
                kind, text = await arrived.get()
                if kind is Kind.TEXT:
                    await link.send(text)
                    continue
                await link.close(text)
                return
        except Gone:
            pass
        finally:
            up.cancel()
            room.forget(number)

    def _place(self, id_: str) -> int:
        last = len(self._rooms) - 1
        return last if id_.startswith(OWN) else zlib.crc32(id_.encode(errors="replace")) % last

    def _room(self, at: int) -> _Room:
        room = self._rooms[at]
        if room is None or room.ended:
            memory = MEMORY if at == len(self._rooms) - 1 else 0
            room = self._rooms[at] = _Room(self._folder, self._thinkers, memory)
        return room

    def close(self) -> None:
        """End the rooms."""
        rooms = [room for room in self._rooms if room is not None]
        for room in rooms:
            room.post.send(0, Kind.END)
        for room in rooms:
            room.close()


async def _carry_up(link: Link, room: _Room, number: int, arrived: asyncio.Queue[Parcel]) -> None:
    with contextlib.suppress(Gone):
        while True:
            room.post.send(number, Kind.TEXT, await link.receive())
    arrived.put_nowait((Kind.GONE, ""))


class _Room:
    """One process, from outside."""

    def __init__(self, folder: Path, thinkers: int, memory: int) -> None:
        self.ended = False
        self._numbers = count()
        self._arrived: dict[int, asyncio.Queue[Parcel]] = {}
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=serve_room, args=(theirs, folder, thinkers, memory))
        self._process.start()
        theirs.close()
        self.post = _Post(ours, self._take, self._end)

    def welcome(self, id_: str) -> tuple[int, asyncio.Queue[Parcel]]:
        number = next(self._numbers)
        arrived = self._arrived[number] = asyncio.Queue()
        self.post.send(number, Kind.COME, id_)
        return number, arrived

    def forget(self, number: int) -> None:
        if self._arrived.pop(number, None) is not None:
            self.post.send(number, Kind.GONE)

    def _take(self, number: int, kind: Kind, text: str) -> None:
        arrived = self._arrived.get(number)
        if arrived is not None and arrived.qsize() < MOST_WAITING:
            arrived.put_nowait((kind, text))
        elif arrived is not None:
            # Who comes back has all of it anew.
            arrived.put_nowait((Kind.CLOSE, ""))
            self.forget(number)

    def _end(self) -> None:
        self.ended = True
        for each in self._arrived.values():
            each.put_nowait((Kind.GONE, ""))

    def close(self) -> None:
        self._process.join(5)
        self._process.kill()
        self.post.close()


# --------------------------------------------------------------------------------- inside a process


def serve_room(pipe: Connection, folder: Path, thinkers: int, memory: int) -> None:
    """Serve the tables of one room until the pipe ends: runs in a process of its own."""
    # Ctrl-C is meant for the server, which then says so.
    live_with_parent()
    bound(memory)
    # Tables stay: to look through all of them holds up every answer of this room.
    with seldom_collected():
        asyncio.run(_serve(pipe, folder, thinkers))


async def _serve(pipe: Connection, folder: Path, thinkers: int) -> None:
    store = Store(folder)
    rooms = Rooms(store, bots.Pool(thinkers))
    links: dict[int, _Carried] = {}
    meetings: set[asyncio.Task[None]] = set()
    end = asyncio.Event()

    async def meet(link: _Carried, id_: str) -> None:
        try:
            await rooms.meet(link, id_)
        finally:
            if links.pop(link.number, None) is not None:
                link.post.send(link.number, Kind.GONE)

    def take(number: int, kind: Kind, text: str) -> None:
        if kind is Kind.END:
            end.set()
        elif kind is Kind.COME:
            links[number] = link = _Carried(post, number)
            meeting = asyncio.ensure_future(meet(link, text))
            meetings.add(meeting)
            meeting.add_done_callback(meetings.discard)
        elif (known := links.get(number)) is not None:
            if known.said.qsize() >= MOST_WAITING:
                kind = Kind.GONE
                post.send(number, Kind.CLOSE)
            known.said.put_nowait(text if kind is Kind.TEXT else None)
            if kind is Kind.GONE:
                del links[number]

    post = _Post(pipe, take, end.set)
    await end.wait()
    for each in meetings:
        each.cancel()
    await asyncio.gather(*meetings, return_exceptions=True)
    rooms.close()
    store.close()


class _Carried:
    """A link whose texts another process carries."""

    def __init__(self, post: _Post, number: int) -> None:
        self.post, self.number = post, number
        self.said: asyncio.Queue[str | None] = asyncio.Queue()

    async def receive(self) -> str:
        text = await self.said.get()
        if text is None:
            raise Gone
        return text

    async def send(self, text: str) -> None:
        self.post.send(self.number, Kind.TEXT, text)

    async def close(self, why: str) -> None:
        self.post.send(self.number, Kind.CLOSE, why)

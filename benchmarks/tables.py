"""Tables in a browser under load, and a server that is killed again and again.

    python -m benchmarks.tables load [--tables 200] [--clients 4] [--decisions 100] [--seconds 60]
    python -m benchmarks.tables kills [--times 1000]

Assumes: rulerun with its extra `web`.
Does: `load` seats clients at tables of Brave Rats, Chasse en folie and Ruse, and answers as many
questions a second; an answer takes as long as it takes until that client has the next scene.
`kills` plays by sockets and kills the server (SIGKILL) at times that luck says; then it compares
what each client was told with what the server knows when it is back.
Leaves behind, printed: the median and the 99th percentile, memory of the server and CPU of both
sides; or how many answers were given, told, lost and doubled.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

MIX = ("brave_rats", "brave_rats", "chasse_en_folie", "ruse")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: str) -> None:
        """Begin to serve."""
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        """Begin, or begin again, at the same port; wait until it answers."""
        command = [sys.executable, "-m", "rulerun", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--data", self.folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None:
                raise RuntimeError("the server has ended")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def begin(self, game: str, seed: int) -> dict[str, Any]:
        """A new table."""
        body = json.dumps({"game": game, "seed": str(seed)}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/tables", body)
        with urllib.request.urlopen(request) as answer:
            made: dict[str, Any] = json.load(answer)
        return made

    @property
    def memory(self) -> int:
        """Bytes that it holds now."""
        text = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="utf-8")
        return int(text.split()[1]) * _PAGE

    @property
    def cpu(self) -> float:
        """Seconds of CPU so far."""
        text = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client:
    """Somebody at a table who plays at random."""

    def __init__(self, port: int, table: str, token: str, luck: random.Random) -> None:
        """Come when asked to."""
        self.url = f"ws://127.0.0.1:{port}/ws/{table}"
        self.token, self.luck = token, luck
        self.scene: dict[str, Any] | None = None
        self.log: list[Any] = []
        self.news = asyncio.Event()

    async def come(self) -> None:
        """Connect, and listen until the end of the connection."""
        async with connect(self.url, max_size=None, compression=None) as self.socket:
            hello = {"is": "hello", "token": self.token, "language": "en"}
            self.log = []
            await self.socket.send(json.dumps(hello))
            async for text in self.socket:
                message = json.loads(text)
                if "scene" in message:
                    news = message["scene"]["log"]
                    self.log = self.log[: news["from"]] + news["lines"]
                    self.scene = message["scene"]
                self.news.set()

    @property
    def asked(self) -> bool:
        """Whether there is something to answer."""
        return self.scene is not None and bool(self.scene["actions"] or self.scene["several"])

    async def answer(self) -> None:
        """Answer, and wait for the next scene."""
        assert self.scene is not None
        mark = self.scene["at"]
        ids = [each["id"] for each in self.scene["actions"]]
        if self.scene["several"]:
            ids += [each[1] for each in self.scene["several"]["choices"]]
        await self.socket.send(
            json.dumps({"is": "do", "action": self.luck.choice(ids), "mark": mark})
        )
        while self.scene["at"] == mark:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 30)


async def load(args: Namespace) -> None:
    """Many tables at once."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        empty = server.memory
        made = [(server.begin(MIX[number % len(MIX)], number)) for number in range(args.tables)]
        luck = random.Random(1)
        clients = []
        for table in made:
            roles = [each for each in table["tokens"] if each not in ("owner", "spectator")]
            for at in range(args.clients):
                role = roles[at] if at < len(roles) else "spectator"
                clients.append(Client(server.port, table["table"], table["tokens"][role], luck))
        tasks = []
        for each in clients:
            tasks.append(asyncio.create_task(each.come()))
            await asyncio.sleep(0.005)
        while any(each.scene is None for each in clients):
            await asyncio.sleep(0.1)
        held, begun, spent = server.memory, time.monotonic(), server.cpu
        own = resource.getrusage(resource.RUSAGE_SELF)
        times: list[float] = []
        late = 0
        running: set[asyncio.Task[None]] = set()
        busy: set[int] = set()

        async def one(client: Client) -> None:
            start = time.perf_counter()
            busy.add(id(client))
            try:
                await client.answer()
                times.append(time.perf_counter() - start)
            finally:
                busy.discard(id(client))

        wanted = 0
        while (passed := time.monotonic() - begun) < args.seconds:
            while wanted < passed * args.decisions:
                wanted += 1
                free = [each for each in clients if each.asked and id(each) not in busy]
                if not free:
                    late += 1
                    continue
                task = asyncio.create_task(one(luck.choice(free)))
                running.add(task)
                task.add_done_callback(running.discard)
            await asyncio.sleep(0.002)
        await asyncio.gather(*running, return_exceptions=True)
        now = resource.getrusage(resource.RUSAGE_SELF)
        used = now.ru_utime + now.ru_stime - own.ru_utime - own.ru_stime
        times.sort()
        print(f"{args.tables} tables, {len(clients)} clients, {args.seconds} s")
        print(f"answers: {len(times)} ({len(times) / args.seconds:.0f} a second, {late} not asked)")
        print(f"median {times[len(times) // 2] * 1000:.1f} ms")
        print(f"99th   {times[len(times) * 99 // 100] * 1000:.1f} ms")
        print(
            f"server CPU {(server.cpu - spent) / args.seconds:.0%}, own {used / args.seconds:.0%}"
        )
        print(
            f"memory {held / 2**20:.0f} MiB, {(held - empty) / args.tables / 2**10:.0f} KiB a table"
        )
        for each in tasks:
            each.cancel()
        server.kill()


async def kills(args: Namespace) -> None:
    """A server that is killed in the middle of play."""
    luck = random.Random(args.seed)
    given = told = lost = doubled = 0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        made, number = server.begin("brave_rats", 0), 0
        seats: list[Client] = []
        for time_ in range(args.times):
            seats = [
                Client(server.port, made["table"], made["tokens"][role], luck)
                for role in ("yarg", "applewood")
            ]
            tasks = [asyncio.create_task(each.come()) for each in seats]
            while any(each.scene is None for each in seats):
                await asyncio.sleep(0.005)
            end = asyncio.get_running_loop().time() + luck.uniform(0.0, 0.25)
            heard = 0
            while asyncio.get_running_loop().time() < end:
                free = [each for each in seats if each.asked]
                if not free:
                    break
                given += 1
                with suppress(TimeoutError, ConnectionClosed):
                    await asyncio.wait_for(
                        luck.choice(free).answer(), end - time.monotonic() + 0.01
                    )
                    told += 1
            known = [each.log for each in seats]
            heard = sum(map(len, known))
            server.kill()
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            server.start()
            back = [
                Client(server.port, made["table"], made["tokens"][role], luck)
                for role in ("yarg", "applewood")
            ]
            tasks = [asyncio.create_task(each.come()) for each in back]
            while any(each.scene is None for each in back):
                await asyncio.sleep(0.005)
            for before, after in zip(known, back, strict=True):
                # All that somebody was told is still so; at most one answer came since.
                lost += after.log[: len(before)] != before and len(after.log) < len(before)
            doubled += sum(len(each.log) for each in back) > heard + 16
            over = back[0].scene is not None and back[0].scene["result"] is not None
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if over:
                number += 1
                made = server.begin("brave_rats", number)
            if time_ % 50 == 49:
                print(f"{time_ + 1} kills, {number} games", flush=True)
        server.kill()
    print(f"answers {given}, of which told {told}; lost {lost}, doubled {doubled}")


def main() -> None:
    """Run what was asked for."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    kinds = parser.add_subparsers(required=True)
    many = kinds.add_parser("load")
    many.add_argument("--tables", type=int, default=200)
    many.add_argument("--clients", type=int, default=4)
    many.add_argument("--decisions", type=float, default=100)
    many.add_argument("--seconds", type=float, default=60)
    many.set_defaults(run=load)
    often = kinds.add_parser("kills")
    often.add_argument("--times", type=int, default=1000)
    often.add_argument("--seed", type=int, default=1)
    often.set_defaults(run=kills)
    args = parser.parse_args()
    asyncio.run(args.run(args))


if __name__ == "__main__":
    main()

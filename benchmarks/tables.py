"""Tables in a browser: under load, killed again and again, and what is sent about other truths.

    python -m benchmarks.tables load [--tables 200] [--clients 4] [--decisions 100] [--seconds 60]
    python -m benchmarks.tables kills [--times 1000]
    python -m benchmarks.tables twins [--games 1000]
    python -m benchmarks.tables hostile [--messages 100000]

Assumes: rulerun with its extra `web`.
Does: `load` seats clients at tables of Brave Rats, Chasse en folie and Ruse, and answers as many
questions a second; an answer takes as long as it takes until that client has the next scene.
`kills` plays by sockets and kills the server (SIGKILL) at times that luck says; then it compares
what each client was told with what the server knows when it is back. `twins` plays games to a
moment that luck says, asks for worlds that somebody there cannot tell from the truth, and compares
what would be sent to them in each, byte for byte. `hostile` sends what no page sends: noise, and
messages that are cut, of other types, or with fields of other players.
Leaves behind, printed: the median and the 99th percentile, memory of the server and CPU of both
sides; how many answers were given, told, lost and doubled; how many messages were compared; how
many of the hostile ones were refused, and whether any of them has changed what a seat sees.
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

    def decisions(self, made: dict[str, Any], role: str) -> int:
        """How many decisions the record of a game holds that is over."""
        headers = {"Authorization": f"Bearer {made['tokens'][role]}"}
        address = f"http://127.0.0.1:{self.port}/api/tables/{made['table']}/record"
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            lines = [json.loads(each) for each in answer.read().splitlines()]
        return sum("by" in each and "action" in each for each in lines)

    @property
    def memory(self) -> int:
        """Bytes that it holds now, with all its processes."""
        texts = (Path(f"/proc/{each}/statm").read_text(encoding="utf-8") for each in self._family)
        return sum(int(text.split()[1]) for text in texts) * _PAGE

    @property
    def cpu(self) -> float:
        """Seconds of CPU so far, of all its processes."""
        return sum(
            int(fields[11]) + int(fields[12]) for fields in map(_stat, self._family)
        ) / os.sysconf("SC_CLK_TCK")

    @property
    def _family(self) -> list[int]:
        """The process, and those that began in it."""
        parents = {}
        for each in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                parents[int(each.name)] = int(_stat(int(each.name))[1])
        family = [self.process.pid]
        for member in family:
            family += [each for each, parent in parents.items() if parent == member]
        return family


def _stat(process: int) -> list[str]:
    """What the system says of a process, behind its name."""
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


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
        made = [(server.begin(MIX[number % len(MIX)], number)) for number in range(args.tables)]
        luck = random.Random(1)
        clients = []
        for table in made:
            roles = [each for each in table["tokens"] if each not in ("owner", "spectator")]
            for at in range(args.clients):
                role = roles[at] if at < len(roles) else "spectator"
                clients.append(Client(server.port, table["table"], table["tokens"][role], luck))
        tasks = []
        first = args.clients * (args.tables // 10)
        begun_with = 0
        # What the processes hold for themselves and for each game is not a table's.
        for some in (clients[:first], clients[first:]):
            begun_with = server.memory
            for each in some:
                tasks.append(asyncio.create_task(each.come()))
                await asyncio.sleep(0.005)
            while any(each.scene is None for each in some):
                await asyncio.sleep(0.1)
        held, begun, spent = server.memory, time.monotonic(), server.cpu
        a_table = (held - begun_with) / (args.tables - args.tables // 10)
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
        print(f"memory {held / 2**20:.0f} MiB, {a_table / 2**10:.0f} KiB a table")
        for task in tasks:
            task.cancel()
        server.kill()


async def kills(args: Namespace) -> None:
    """A server that is killed in the middle of play."""
    luck = random.Random(args.seed)
    totals = {"given": 0, "told": 0, "lost": 0, "doubled": 0, "sentences lost": 0}
    roles = ("yarg", "applewood")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        games = killed = 0
        while killed < args.times:
            made = server.begin("brave_rats", games)
            games += 1
            given = told = 0
            over = False
            while not over:
                seats = [
                    Client(server.port, made["table"], made["tokens"][each], luck) for each in roles
                ]
                tasks = [asyncio.create_task(each.come()) for each in seats]
                while any(each.scene is None for each in seats):
                    await asyncio.sleep(0.005)
                end = time.monotonic() + luck.uniform(0.0, args.life)
                known: list[list[Any]] = [[], []]
                while (left := end - time.monotonic()) > 0:
                    known = [each.log for each in seats]
                    free = [each for each in seats if each.asked]
                    over = any(each.scene is not None and each.scene["result"] for each in seats)
                    if over or not free:
                        break
                    given += 1
                    with suppress(TimeoutError, ConnectionClosed):
                        await asyncio.wait_for(luck.choice(free).answer(), left)
                        told += 1
                if not over:
                    server.kill()
                    killed += 1
                for each in tasks:
                    each.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                if not over:
                    server.start()
                    back = [
                        Client(server.port, made["table"], made["tokens"][each], luck)
                        for each in roles
                    ]
                    tasks = [asyncio.create_task(each.come()) for each in back]
                    while any(each.scene is None for each in back):
                        await asyncio.sleep(0.005)
                    for before, after in zip(known, back, strict=True):
                        # The last sentence may have grown since.
                        totals["sentences lost"] += after.log[: len(before) - 1] != before[:-1]
                    for each in tasks:
                        each.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
            decisions = server.decisions(made, roles[0])
            totals["given"] += given
            totals["told"] += told
            totals["lost"] += max(0, told - decisions)
            totals["doubled"] += max(0, decisions - given)
            if games % 20 == 0:
                print(f"{killed} kills, {games} games: {totals}", flush=True)
        server.kill()
    print(f"{killed} kills in {games} games; answers: {totals}")


HIDING = {"brave_rats": 12, "chasse_en_folie": 4, "love_letter": 4, "hearts": 2, "liars_dice": 3}
"""Games in which somebody holds secrets, with their share of those that are played."""


def twins(args: Namespace) -> None:
    """What would be sent in worlds that a seat cannot tell from the truth."""
    from rulerun.executors.answering import Answering
    from rulerun.posterior.worlds import worlds
    from rulerun.session.session import Session
    from rulerun.views.observe import observe
    from rulerun.web.scene import Eyes, Stage
    from rulerun.words.labels import Labels
    from rulerun_dsl.load import load_game
    from rulerun_dsl.source.resources import ruleset_path

    luck = random.Random(args.seed)
    plays = {}
    for name in HIDING:
        path = ruleset_path(name)
        assert path is not None
        game, _ = load_game(path)
        assert game is not None
        plays[name] = Answering(game), Stage(Labels(game))
    mix = [name for name, share in HIDING.items() for _ in range(share)]
    compared = size = other = differ = 0
    for number in range(args.games):
        executor, stage = plays[luck.choice(mix)]
        players = executor.game.players
        session = Session(executor, {}, str(number), automatic=False)
        session.advance()
        for _ in range(luck.randrange(1, 25)):
            if session.over or session.truncated:
                break
            player = luck.choice(session.asked)
            session.submit(player, luck.choice(executor.legal(session.state, player)))
        viewer = luck.randrange(len(players))
        told = session.log(viewer)
        scene = Eyes(stage, players[viewer]).look(session.observation(viewer), told)
        for world in worlds(session, viewer, 2, seed=number, effort=args.effort):
            if not world.proved:
                continue
            seen = observe(executor, world.state, viewer)
            twin = Eyes(stage, players[viewer]).look(seen, told)
            compared += 1
            size += len(scene.text)
            other += world.state != session.state
            differ += (twin.text, twin.log, twin.at) != (scene.text, scene.log, scene.at)
        if number % 100 == 99:
            print(f"{number + 1} games, {compared} messages, {differ} differ", flush=True)
    print(
        f"{compared} messages ({size / 2**20:.1f} MiB) compared with what another truth would "
        f"have sent; {other} of those truths were others; {differ} messages differ"
    )


def _noise(luck: random.Random, token: str) -> str:
    """A message that no page sends, and that does nothing if the server is right."""
    words = [
        "hello",
        "do",
        "undo",
        "seat",
        "speak",
        "again",
        "back",
        "why",
        "advise",
        "is",
        "",
        "✂",
    ]
    values: list[object] = [
        *(None, True, -1, 0, 7, 2**53, 1e300, "", "x" * 300, "\ud800", [], {}, [[[]]]),
        *(token, "applewood", "hard", "os:system", "../../etc/passwd", "0" * 40),
    ]
    match luck.randrange(4):
        case 0:
            return "".join(
                chr(luck.choice([luck.randrange(32, 127), luck.randrange(1, 0xD800)]))
                for _ in range(luck.randrange(1, 200))
            )
        case 1:
            fields = luck.sample(
                ["action", "mark", "player", "who", "language", "to", "token", "of"],
                luck.randrange(0, 5),
            )
            text = json.dumps(
                {"is": luck.choice(words), **{each: luck.choice(values) for each in fields}}
            )
            # What is well formed and harmless (`why`) is no attack: it is cut.
            return text[: luck.randrange(1, len(text))]
        case 2:
            return json.dumps(
                {"is": "do", "action": luck.choice(values), "mark": luck.choice(values)}
            )
        case _:
            return json.dumps(
                {
                    "is": "seat",
                    "player": "applewood",
                    "who": luck.choice(["hard", "open", "os:system"]),
                }
            )


async def hostile(args: Namespace) -> None:
    """Messages from somebody who means ill, beside a table at which two people sit."""
    luck = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        made = server.begin("brave_rats", 1)
        seats = [
            Client(server.port, made["table"], made["tokens"][each], luck)
            for each in ("yarg", "applewood")
        ]
        tasks = [asyncio.create_task(each.come()) for each in seats]
        while any(each.scene is None for each in seats):
            await asyncio.sleep(0.01)
        before, memory = [each.scene and each.scene["at"] for each in seats], server.memory
        answered = {"refused": 0, "closed": 0}
        left = args.messages

        async def attack() -> None:
            nonlocal left
            while left > 0:
                with suppress(ConnectionClosed, OSError):
                    async with connect(seats[0].url, max_size=None, compression=None) as link:
                        token = luck.choice(
                            [made["tokens"]["yarg"], made["tokens"]["spectator"], "guessed"]
                        )
                        await link.send(
                            json.dumps({"is": "hello", "token": token, "language": "en"})
                        )
                        while left > 0:
                            left -= 1
                            await link.send(_noise(luck, token))
                            while (
                                not (found := json.loads(await link.recv())).keys()
                                & answered.keys()
                            ):
                                pass
                            answered["closed" if "closed" in found else "refused"] += 1

        await asyncio.gather(*(attack() for _ in range(40)))
        after = [each.scene and each.scene["at"] for each in seats]
        print(f"{args.messages} messages: {answered}; what seats see changed: {before != after}")
        print(f"memory {memory / 2**20:.0f} -> {server.memory / 2**20:.0f} MiB")
        await seats[0].answer()
        print("the game goes on")
        for each in tasks:
            each.cancel()
        server.kill()


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
    often.add_argument("--life", type=float, default=0.25, help="seconds between kills, at most")
    often.set_defaults(run=kills)
    alike = kinds.add_parser("twins")
    alike.add_argument("--games", type=int, default=1000)
    alike.add_argument("--effort", type=int, default=600)
    alike.add_argument("--seed", type=int, default=1)
    alike.set_defaults(run=twins)
    ill = kinds.add_parser("hostile")
    ill.add_argument("--messages", type=int, default=100_000)
    ill.add_argument("--seed", type=int, default=1)
    ill.set_defaults(run=hostile)
    args = parser.parse_args()
    if args.run is twins:
        twins(args)
    else:
        asyncio.run(args.run(args))


if __name__ == "__main__":
    main()

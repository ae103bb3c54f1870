"""A client at a table: who comes says who they are, then answers, and hears what there is to see.

Assumes a link, and the rooms in which tables are.
Does: lets in who has a token, hands messages to the table, says why one is refused.
Leaves behind nothing: a client that goes is told of to the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import json

from rulerun.runtime.executor import RuleError
from rulerun.web import bots, editions, messages
from rulerun.web.beginning import followed
from rulerun.web.editions import Unplayable
from rulerun.web.links import MOST_WAITING, Gone, Link
from rulerun.web.messages import known
from rulerun.web.shelf import LEVELS
from rulerun.web.store import NotKept, Store
from rulerun.web.table import (
    NOTHING_SENT,
    OWNER,
    PERSON,
    SPECTATOR,
    Client,
    NotTaken,
    Table,
    reopened,
)
from rulerun_dsl.source.safe_text import clean

MOST_CLIENTS = 64
"""Of one table."""
MOST_TABLES = 2_000
"""That are open at a time."""
NO_TABLE = "there is no such table, or the link is not one to it"
_PATIENCE = 20.0
"""Seconds until who came has said who they are."""


class Rooms:
    """The tables that are open in this process."""

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

    async def meet(self, link: Link, id_: str) -> None:
        """Serve a client at a table until it goes."""
        waiting = _Waiting()
        sender = asyncio.ensure_future(waiting.sent(link))
        table: Table | None = None
        client: Client | None = None
        try:
            hello = messages.read(await asyncio.wait_for(link.receive(), _PATIENCE))
            if not isinstance(hello, messages.Hello):
                raise messages.Unclear("the first message is `hello`")
            table = await self.table(id_)
            role = None if table is None else self.store.role(id_, hello.token)
            if table is None or role is None:
                await _close(link, waiting, NO_TABLE)
                return
            if len(table.clients) >= MOST_CLIENTS:
                await _close(link, waiting, "too many look at this table")
                return
            client = Client(role, known(hello.language), waiting.put)
            table.clients.append(client)
            waiting.put(json.dumps(_welcome(table, role)))
            table.tell()
            table.go_on()
            while True:
                await _take(await link.receive(), table, client)
        except messages.Unclear as unclear:
            await _close(link, waiting, str(unclear))
        except (NotKept, Unplayable, RuleError) as failure:
            await _close(link, waiting, f"the table cannot be read: {clean(str(failure))}")
        except (Gone, TimeoutError):
            pass
        finally:
            sender.cancel()
            if table is not None and client is not None and client in table.clients:
                table.clients.remove(client)
                table.tell()

    def close(self) -> None:
        """Stop thinking."""
        for table in self._tables.values():
            if table.thinking is not None:
                table.thinking.cancel()
        self.pool.close()


async def _take(text: str, table: Table, client: Client) -> None:
    """Do what a message asks for, or say why not."""
    try:
        await _do(messages.read(text), table, client)
    except (NotTaken, messages.Unclear) as refused:
        client.send(json.dumps({"refused": str(refused)}))
    except NotKept as failure:
        why = f"that could not be kept, and was not done: {failure}"
        client.send(json.dumps({"refused": why}))


async def _do(message: messages.Message, table: Table, client: Client) -> None:
    match message:
        case messages.Do(action, mark):
            await table.answer(client, action, mark)
        case messages.Undo():
            await table.undo(client)
        case messages.Speak(language):
            client.language, client.log, client.last = known(language), (), NOTHING_SENT
            client.send(json.dumps(_welcome(table, client.role)))
            table.tell()
        case messages.Seat(player, who):
            if client.role != OWNER and client.role != player:
                raise NotTaken("only who began the table seats others")
            if who not in (PERSON, *LEVELS) or player not in dict(table.kept.seats):
                raise NotTaken(f"a seat is for {PERSON}, {', '.join(LEVELS)}")
            await table.reseat(player, who)
        case messages.Sit(player):
            if client.role not in (OWNER, SPECTATOR):
                raise NotTaken("you have a seat: nobody sees two hands")
            token = await table.sit(player)
            client.send(json.dumps({"sits": player, "token": token}))
        case messages.Again():
            await table.again(client, followed)
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


class _Waiting:
    """What is yet to be sent to a client. Who takes none of it is cut off, and may come back."""

    def __init__(self) -> None:
        self._texts: asyncio.Queue[str | None] = asyncio.Queue()
        self._full = False

    def put(self, text: str) -> None:
        if not self._full:
            self._full = self._texts.qsize() >= MOST_WAITING
            self._texts.put_nowait(None if self._full else text)

    async def sent(self, link: Link) -> None:
        """Send it, in order, until the client goes."""
        with contextlib.suppress(Gone):
            while (text := await self._texts.get()) is not None:
                await link.send(text)
                self._texts.task_done()
            await link.close("")

    async def all_sent(self) -> None:
        await self._texts.join()


async def _close(link: Link, waiting: _Waiting, why: str) -> None:
    waiting.put(json.dumps({"closed": why}))
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(waiting.all_sent(), 5)
        await link.close(why)


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

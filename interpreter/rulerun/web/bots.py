"""Bots in processes of their own, so that nobody waits for another table's bot.

Assumes an edition of rules and the record of a table so far.
Does: plays the record again in a worker, which remembers where it was, and asks the agent there.
Leaves behind an action, or advice to a person. A worker that ends is replaced; the question is then
asked once more.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from typing import TypeVar

from rulerun.executors.make import AUTO, executor_for
from rulerun.host.workers import live_with_parent
from rulerun.search.advising import Advice, advised
from rulerun.search.agent_names import maker
from rulerun.session.record import read_record
from rulerun.session.replay import follow, replay
from rulerun.session.session import Session
from rulerun.web.editions import Edition, game_of

Answer = TypeVar("Answer")
_MOST_KEPT = 32
"""Plays that a worker remembers."""

_SESSIONS: OrderedDict[str, tuple[bytes, Session | None]] = OrderedDict()
"""By table: the record so far, and the play."""


class NoAnswer(Exception):
    """A bot could not be asked; the message says why."""


class Pool:
    """Workers that think."""

    def __init__(self, workers: int) -> None:
        """Start none: each starts when there is something to think about."""
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._begun: set[BaseProcess] = set()
        self._closed = False

    async def ask(self, table: str, edition: Edition, record: bytes, player: str, who: str) -> int:
        """The action that a bot takes. Raises `NoAnswer`."""
        return await self._run(decide, table, edition, record, player, who)

    async def advise(self, table: str, edition: Edition, record: bytes, player: str) -> Advice:
        """What a search finds of what a player may do. Raises `NoAnswer`."""
        return await self._run(advise, table, edition, record, player)

    async def _run(self, work: Callable[..., Answer], *given: object) -> Answer:
        for last in (False, True):
            if self._pool is None:
                # A child of its own: the server's threads and sockets are not copied.
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(
                    self._workers, context, initializer=live_with_parent
                )
            running, before = asyncio.get_running_loop(), multiprocessing.active_children()
            try:
                asked = running.run_in_executor(self._pool, work, *given)
                self._begun |= {*multiprocessing.active_children()}.difference(before)
                return await asked
            except BrokenProcessPool:
                self._pool = None
                if last or self._closed:
                    raise NoAnswer("the process that thinks has ended") from None
        raise AssertionError("asked twice")

    def close(self) -> None:
        """End the workers; what they are thinking about is dropped."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
        for process in self._begun:
            # This process would wait for what it thinks about, when it ends.
            process.kill()


def decide(table: str, edition: Edition, content: bytes, player: str, who: str) -> int:
    """What a bot does where a record ends: runs in a worker. Raises `NoAnswer`."""
    session = _session(table, edition, content)
    game = session.game
    action = session.answer_of(game.players.index(player), maker(game, who, AUTO)())
    if action is None:
        raise NoAnswer(str(session.fault))
    return action


def advise(table: str, edition: Edition, content: bytes, player: str) -> Advice:
    """What a search finds where a record ends: runs in a worker. Raises `NoAnswer`."""
    session = _session(table, edition, content)
    return advised(session, session.game.players.index(player))


def _session(table: str, edition: Edition, content: bytes) -> Session:
    """The play of a record, which goes on from where it was."""
    game = game_of(edition)
    record, _ = read_record(content)
    if record is None:
        raise NoAnswer("the record cannot be read")
    before, session = _SESSIONS.pop(table, (b"", None))
    if session is not None and content.startswith(before):
        for entry in record.entries[session.inputs :]:
            if follow(session, entry) is not None:
                session = None
                break
    else:
        session = None
    if session is None:
        session, _ = replay(record, executor_for(game))
    if session is None:
        raise NoAnswer("the record cannot be played")
    _SESSIONS[table] = content, session
    while len(_SESSIONS) > _MOST_KEPT:
        _SESSIONS.popitem(last=False)
    return session

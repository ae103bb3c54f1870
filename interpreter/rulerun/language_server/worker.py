"""Two processes beside the server, for what takes longer than a key takes.

Assumes: books, and texts that are open.
Does: checks games as a whole, in other settings, and looks scenarios up. The server goes on
answering meanwhile, which a thread of its own process would slow down. Each job belongs to a rules
file; what is newly asked of the same file ends what is under way, between two of its parts.
Leaves behind findings. A process that has died is started again with the next job.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any

from rulerun.language_server import scenario_files
from rulerun.language_server.desk import Desk
from rulerun.scenario.completing import Place
from rulerun_dsl.assist.analysis import Memory, Stopped, analyse
from rulerun_dsl.assist.completion import Completion
from rulerun_dsl.diagnostics.diagnostic import Diagnostic

_PLACES = 256
"""So many files are told apart; of two that are not, one ends the other's work."""
_NICE = 10
"""How much the processor prefers everything else to what nobody waits for."""

Job = Callable[..., Any]


class Worker:
    """The process, and what it was asked last of each file."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._newest: Any = self._context.Array("q", _PLACES, lock=False)
        self._pools: dict[bool, ProcessPoolExecutor] = {}
        """One for what somebody waits for, one for the rest."""
        self._ended = False

    def stop(self, main: Path) -> int:
        """End what is under way for a file; the number of what is asked next."""
        place = hash(main) % _PLACES
        self._newest[place] += 1
        return int(self._newest[place])

    async def ask(self, main: Path, turn: int, job: Job, *arguments: object) -> Any:
        """What a job finds, or None if it was ended."""
        if self._ended:
            return None
        urgent = job in (default_setting, shape, texts_checked, answers_at, texts_at)
        if urgent not in self._pools:
            begins = self._newest, 0 if urgent else _NICE
            self._pools[urgent] = ProcessPoolExecutor(1, self._context, _begin, begins)
        place = hash(main) % _PLACES
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pools[urgent], _do, place, turn, job, arguments)
        except BrokenProcessPool:
            self._pools.pop(urgent, None)
            raise

    def end(self) -> None:
        """Let the processes go: nobody wants their answers, and they keep nothing."""
        self._ended = True
        for place in range(_PLACES):
            self._newest[place] += 1
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.kill()


# ------------------------------------------------------------------------------ in the process

_HERE: dict[str, Any] = {}


def _begin(newest: Any, nice: int) -> None:
    _HERE["newest"] = newest
    _HERE["memories"] = {}
    with suppress(AttributeError, OSError):
        os.nice(nice)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        # A server that was killed cannot say so.
        if parent is not None:
            parent.join()
        os._exit(0)

    threading.Thread(target=follow, daemon=True).start()


def _do(place: int, turn: int, job: Job, arguments: tuple[object, ...]) -> Any:
    def over() -> bool:
        return bool(_HERE["newest"][place] != turn)

    if over():
        return None
    try:
        return job(over, *arguments)
    except Stopped:
        return None


def default_setting(
    over: Callable[[], bool], main: Path, texts: dict[Path, str]
) -> list[Diagnostic]:
    """What is wrong with a game in its default setting."""
    desk = _desk(texts)
    memory = desk.game(main).memory = _HERE["memories"].setdefault(main, Memory())
    return list(analyse(desk.book(main), str(main), memory, over).findings)


def shape(over: Callable[[], bool], path: Path, texts: dict[Path, str]) -> list[Diagnostic]:
    """What is wrong with a file of scenarios by itself."""
    return scenario_files.shape(_desk(texts), path)


def other_settings(
    over: Callable[[], bool], main: Path, texts: dict[Path, str], known: list[Diagnostic]
) -> list[Diagnostic] | None:
    """What is wrong with a game in other settings."""
    return scenario_files.other_settings(_desk(texts), main, known, over)


def texts_checked(over: Callable[[], bool], path: Path, texts: dict[Path, str]) -> list[Diagnostic]:
    """What is wrong with a file of texts in another language."""
    return scenario_files.texts(_desk(texts), path)


def vetted(over: Callable[[], bool], path: Path, texts: dict[Path, str]) -> list[Diagnostic] | None:
    """What is wrong with scenarios."""
    return scenario_files.vetted(_desk(texts), path, over)


def answers_at(
    over: Callable[[], bool], path: Path, texts: dict[Path, str], place: Place
) -> tuple[str, ...]:
    """What may be answered at a place of a file of scenarios."""
    return scenario_files.answers_at(_desk(texts), path, place)


def texts_at(
    over: Callable[[], bool], path: Path, texts: dict[Path, str], offset: int
) -> Completion | None:
    """What may be written at a place of a file of texts in another language."""
    return scenario_files.keys_of_texts(_desk(texts), path, offset)


def _desk(texts: dict[Path, str]) -> Desk:
    desk = Desk(lambda _: [])
    desk.open.update(texts)
    return desk

"""A process that looks at what anybody may have written, and the thread that waits for it.

Assumes jobs that a process of its own can do.
Leaves behind their answers. Raises `NotTaken`, with a word why, where there is none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from rulerun.host.aside import Aside, Job, Lost, Tell
from rulerun.web.table import NotTaken

MEMORY = 3 * 2**30
"""Bytes of a process that looks at texts which anybody may have written."""


class Hands:
    """A process, and the thread that waits for it."""

    def __init__(self, memory: int = MEMORY, nice: int = 0) -> None:
        self.aside = Aside(memory, nice)
        self._waits = ThreadPoolExecutor(1, "rulerun-hands")

    async def ask(
        self,
        job: Job,
        *arguments: object,
        seconds: float,
        told: Tell | None = None,
        wanted: Callable[[], bool] | None = None,
    ) -> Any:
        """Have a job done, if it is still wanted by then. Raises `NotTaken`."""
        ask = partial(self.aside.ask, job, *arguments, seconds=seconds, told=told, wanted=wanted)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._waits, ask)
        except Lost as lost:
            raise NotTaken(str(lost)) from None

    def close(self) -> None:
        """End the process."""
        self.aside.close()
        self._waits.shutdown(wait=False, cancel_futures=True)

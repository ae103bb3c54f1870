"""When what is looked at: findings as somebody types.

Assumes: a desk, and a client that takes findings.
Does: a moment after a change looks at the declaration around it; when nothing more comes for a
while, at what names stand for everywhere, and (in a process beside, `worker`) at the whole game in
its default setting, then in others, at scenarios, and at texts in other languages. A new change
ends what is under way.
Leaves behind: what the client was told, with what would mend it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from rulerun.language_server import scenario_files
from rulerun.language_server.desk import Desk, is_scenarios
from rulerun.language_server.publishing import Shown, by_file
from rulerun.language_server.worker import (
    Worker,
    answers_at,
    default_setting,
    other_settings,
    shape,
    texts_at,
    texts_checked,
    vetted,
)
from rulerun.scenario.completing import Place
from rulerun_dsl.assist.analysis import Stopped
from rulerun_dsl.assist.block import Extent, extent_at
from rulerun_dsl.assist.completion import Completion
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors
from rulerun_dsl.source.spans import Span

_SOON = 0.03
"""Seconds after a change, before the declaration around it is looked at."""
_LATER = 0.3
"""Seconds without a change, before all of the game is."""

_PATIENCE = 3.0
"""Seconds that somebody waits for what may be written next in a scenario."""

log = logging.getLogger(__name__)

Publish = Callable[[Path, list[Shown]], None]


class Checking:
    """What is looked at, and what was found."""

    def __init__(self, desk: Desk, publish: Publish) -> None:
        self.desk = desk
        self._publish = publish
        self._found: dict[Path, dict[Path, list[Shown]]] = {}
        """By rules file (or file of scenarios): what it has said of which file."""
        self._turn: dict[Path, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._names = ThreadPoolExecutor(1, "rulerun-names")
        self._worker = Worker()
        self._last: dict[Path, list[Diagnostic]] = {}
        """By rules file: what was found when it was last looked at as a whole."""

    def told(self, path: Path) -> list[Shown]:
        """What the client was told of a file."""
        found = {}
        for files in self._found.values():
            for each in files.get(path, ()):
                at = each.told.range.start
                found[at.line, at.character, each.told.code, each.told.message] = each
        return list(found.values())

    def end(self) -> None:
        """Look at nothing any more."""
        for main in self._turn:
            self._turn[main] += 1
        self._worker.end()
        self._names.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------------------------ on a change

    def changed(self, path: Path) -> None:
        """Look at what a change of a file may have done."""
        follows = self.desk.follows_rules(path)
        mains = [path] if follows else self.desk.mains_of(path)
        for main in mains:
            self._turn[main] = self._turn.get(main, 0) + 1
            self._start(self._look(main, path, self._turn[main]))
        if not mains:
            self._tell(path, {})
        if not follows:
            # What scenarios and texts name may be gone, or there at last.
            for other in list(self.desk.open):
                if not self.desk.follows_rules(other):
                    continue
                if scenario_files.rules_behind(self.desk, other) in mains:
                    self._turn[other] = self._turn.get(other, 0) + 1
                    self._start(self._look(other, other, self._turn[other], _LATER))

    async def answers_at(self, path: Path, place: Place) -> tuple[str, ...]:
        """What may be answered at a place of scenarios; nothing, where that takes too long."""
        key = path.with_name(f"{path.name}?")
        number = self._worker.stop(key)
        texts = dict(self.desk.open)
        work = self._worker.ask(key, number, answers_at, path, texts, place)
        with suppress(TimeoutError):
            return await asyncio.wait_for(work, _PATIENCE) or ()
        return ()

    async def texts_at(self, path: Path, offset: int) -> Completion | None:
        """What may be written at a place of texts; nothing, where that takes too long."""
        key = path.with_name(f"{path.name}?")
        number = self._worker.stop(key)
        texts = dict(self.desk.open)
        work = self._worker.ask(key, number, texts_at, path, texts, offset)
        with suppress(TimeoutError):
            return await asyncio.wait_for(work, _PATIENCE)
        return None

    def forget(self, path: Path) -> None:
        """Tell nothing more of a file that was closed."""
        self._turn[path] = self._turn.get(path, 0) + 1
        for name in list(self._found.pop(path, {})):
            self._send(name)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            log.error("looking at a file failed", exc_info=failure)

    async def _look(self, main: Path, path: Path, turn: int, wait: float = 0) -> None:
        number = self._worker.stop(main)

        def over() -> bool:
            return self._turn.get(main) != turn

        await asyncio.sleep(wait or _SOON)
        if over():
            return
        if self.desk.is_texts(main):
            found = await self._worker.ask(main, number, texts_checked, main, dict(self.desk.open))
            if found is not None and not over():
                self._show(main, found)
            return
        if is_scenarios(main):
            await self._scenarios(main, number, over)
            return
        if self.desk.game(main).analysis is not None:
            self._quick(main, path)
            await asyncio.sleep(_LATER)
        if over():
            return
        loop = asyncio.get_running_loop()

        def gently() -> bool:
            # Requests are answered by another thread, and come first.
            time.sleep(0.001)
            return over()

        names = loop.run_in_executor(self._names, self.desk.analysed, main, gently)
        whole = asyncio.ensure_future(
            self._worker.ask(main, number, default_setting, main, dict(self.desk.open))
        )
        with suppress(Stopped, RuntimeError):
            parts = await names
            if not over() and not whole.done() and has_errors(parts.findings):
                # What is wrong with names and types is known before the rest.
                self._show(main, parts.findings)
        found = await whole
        if found is not None and not over():
            self._last[main] = found
            self._show(main, found)
        if over() or found is None or has_errors(found):
            return
        texts = dict(self.desk.open)
        more = await self._worker.ask(main, number, other_settings, main, texts, found)
        if more and not over():
            self._last[main] = [*found, *more]
            self._show(main, self._last[main])

    async def _scenarios(self, path: Path, number: int, over: Callable[[], bool]) -> None:
        texts = dict(self.desk.open)
        first = await self._worker.ask(path, number, shape, path, texts)
        if first is None or over():
            return
        self._show(path, first)
        await asyncio.sleep(_LATER)
        if over():
            return
        found = await self._worker.ask(path, number, vetted, path, texts)
        if found is not None and not over():
            self._show(path, [*first, *found])

    # --------------------------------------------------------------------------- what was found

    def _quick(self, main: Path, path: Path) -> None:
        """Look at the declaration that was changed; the rest stays as it was."""
        analysis = self.desk.known(main)
        file, text = self.desk.name_in(main, path), self.desk.text(path)
        before = analysis.sources.get(file)
        if before is None:
            return
        change = self.desk.last_change(path)
        extent = extent_at(text, change.start)
        if change.start + change.length > extent.end:
            return
        _, _, block = self.desk.block(main, path, change.start)
        kept = [
            each
            for each in self._last.get(main, ())
            if each.span is None
            or each.span.source.name != block.source.name
            or not self._within(each.span, path, extent)
        ]
        self._last[main] = [*kept, *block.findings]
        self._show(main, self._last[main])

    def _within(self, span: Span, path: Path, extent: Extent) -> bool:
        """Does a place of a text that was read lie in a declaration of the text as it is now."""
        place = self.desk.changes(path, span.source.text).moved(span.start)
        return extent.start <= place < extent.end

    def _show(self, main: Path, findings: Iterable[Diagnostic]) -> None:
        self._tell(main, by_file(self.desk, findings, main))

    def _tell(self, main: Path, found: dict[Path, list[Shown]]) -> None:
        before = self._found.get(main, {})
        self._found[main] = found
        for path in dict.fromkeys((*before, *found, main)):
            self._send(path)

    def _send(self, path: Path) -> None:
        self._publish(path, self.told(path))

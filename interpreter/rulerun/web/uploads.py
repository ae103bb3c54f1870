"""Rules that somebody brings to the lobby: one file, without modules, looked at before it is kept.

Assumes a text from anybody.
Does: checks it, and every setting somebody begins a table with, in a process with a bound on time
and memory, there playing on until somebody is asked.
Leaves behind files that go by a mark of their content, so that a link to one says nothing else. The
oldest go where there are many; tables have copies. Raises `NotTaken` with what is wrong.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from rulerun.executors.make import executor_for
from rulerun.host.aside import Tell
from rulerun.runtime.executor import RuleError
from rulerun.session.session import Session
from rulerun.web.editions import Unplayable, edition_of, game_of
from rulerun.web.hands import Hands
from rulerun.web.store import NotKept
from rulerun.web.table import NotTaken
from rulerun_dsl.diagnostics.diagnostic import Severity
from rulerun_dsl.load import load
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean

LARGEST = 256 * 1024
"""Bytes of a file."""
MOST = 200
"""Files that are kept."""
_SECONDS = 20.0
_MEMORY = 2 * 2**30
_MOST_TOLD = 5
_MARK = re.compile(r"own-[0-9a-f]{24}")


@frozen
class Chosen:
    """The settings of a table."""

    players: int | None
    options: tuple[tuple[str, str], ...]
    variants: tuple[str, ...]


class Uploads:
    """The files that were brought."""

    def __init__(self, folder: Path) -> None:
        """Keep them in a folder."""
        self._folder = folder
        self._hands = Hands(_MEMORY)

    def path(self, name: str) -> Path | None:
        """The file that goes by a name, if there is one."""
        if not _MARK.fullmatch(name):
            return None
        path = self._folder / f"{name}.yaml"
        return path if path.is_file() else None

    async def take(self, content: bytes) -> str:
        """Keep a rules file; its name. Raises `NotTaken` for rules with errors, and `NotKept`."""
        wrong = await self._hands.ask(examined, content, seconds=_SECONDS)
        if wrong:
            raise NotTaken("\n".join(wrong))
        name = f"own-{sha256(content).hexdigest()[:24]}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            kept = sorted(self._folder.glob("own-*.yaml"), key=lambda path: path.stat().st_mtime)
            for path in kept[: max(0, len(kept) - MOST + 1)]:
                path.unlink()
            (self._folder / f"{name}.yaml").write_bytes(content)
        except OSError as failure:
            raise NotKept(str(failure)) from failure
        return name

    async def tried(self, path: Path, chosen: Chosen) -> None:
        """See whether a table can begin so. Raises `NotTaken`."""
        why = await self._hands.ask(begins, path, chosen, seconds=_SECONDS)
        if why:
            raise NotTaken(why)

    def close(self) -> None:
        """End the process."""
        self._hands.close()


def examined(_: Tell, content: bytes) -> list[str]:
    """What is wrong with a rules file: runs in a process of its own."""
    loaded, found = load(content, "your file")
    if loaded is not None:
        low, high = loaded.outline.player_range
        for count in range(low, high + 1):
            found += loaded.game(count)[1]
    wrong = [each for each in found if each.severity is Severity.ERROR]
    lines = [
        f"{'' if each.span is None else f'line {each.span.line}: '}{each.message}" for each in wrong
    ]
    return [clean(each) for each in dict.fromkeys(lines)][:_MOST_TOLD]


def begins(_: Tell, path: Path, chosen: Chosen) -> str:
    """Why a table cannot begin so, "" if it can: runs in a process of its own."""
    try:
        edition = edition_of(path, chosen.players, dict(chosen.options), chosen.variants)
        Session(executor_for(game_of(edition)), {}, "0", automatic=False).advance()
    except Unplayable as reason:
        return clean(str(reason))
    except RuleError as error:
        return f"in set-up: {clean(str(error))}"
    return ""

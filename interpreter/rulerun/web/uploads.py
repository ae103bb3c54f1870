"""Rules that somebody brings to the lobby: one file, without modules, looked at before it is kept.

Assumes a text from anybody.
Does: whatever is to be done with it before it lies on a table (checks, forms, rulebooks, set-ups by
every setting somebody chooses) in a process with a bound on time and memory.
Leaves behind files that go by a mark of their content, so that a link to one says nothing else. The
oldest go where there are many; tables have copies. Raises `NotTaken` with what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, cast

from rulerun.host.aside import Tell
from rulerun.runtime.executor import RuleError
from rulerun.web.editions import OWN, Unplayable, brought
from rulerun.web.hands import MEMORY, Hands
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
_MOST_TOLD = 5
MOST_WAITING = 20
"""Who want something of them at a time; one after another gets it."""

Answer = TypeVar("Answer")


@frozen
class _Wrong:
    """What is wrong with rules, or with settings."""

    why: str


class Uploads:
    """The files that were brought."""

    def __init__(self, folder: Path, welcome: bool) -> None:
        """Keep them in a folder. `welcome`: more may be brought, and tables begun by them."""
        self._folder, self.welcome = folder, welcome
        self._hands = Hands(MEMORY)
        self._waiting = 0

    def path(self, name: str) -> Path | None:
        """The file that goes by a name, if there is one."""
        if not self.welcome or not brought(name):
            return None
        path = self._folder / f"{name}.yaml"
        return path if path.is_file() else None

    async def take(self, content: bytes) -> str:
        """Keep a rules file; its name. Raises `NotTaken` for rules with errors, and `NotKept`."""
        wrong = await self.aside(examined, content)
        if wrong:
            raise NotTaken("\n".join(wrong))
        name = f"{OWN}{sha256(content).hexdigest()[:24]}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            kept = sorted(self._folder.glob(f"{OWN}*.yaml"), key=lambda path: path.stat().st_mtime)
            for path in kept[: max(0, len(kept) - MOST + 1)]:
                path.unlink()
            # Whoever reads it meanwhile reads all of it.
            whole = self._folder / f"{name}.new"
            whole.write_bytes(content)
            whole.replace(self._folder / f"{name}.yaml")
        except OSError as failure:
            raise NotKept(str(failure)) from failure
        return name

    async def aside(self, work: Callable[..., Answer], *given: object) -> Answer:
        """Have something done with rules that somebody brought. Raises `NotTaken`."""
        if self._waiting >= MOST_WAITING:
            raise NotTaken("too many want something of rules of their own just now: try again soon")
        self._waiting += 1
        try:
            found = await self._hands.ask(done, work, given, seconds=_SECONDS)
        finally:
            self._waiting -= 1
        if isinstance(found, _Wrong):
            raise NotTaken(found.why)
        return cast(Answer, found)

    def close(self) -> None:
        """End the process."""
        self._hands.close()


def done(_: Tell, work: Callable[..., object], given: Sequence[object]) -> object:
    """Do it: runs in a process of its own."""
    try:
        return work(*given)
    except Unplayable as reason:
        return _Wrong(clean(str(reason)))
    except RuleError as error:
        return _Wrong(f"in set-up: {clean(str(error))}")


def examined(content: bytes) -> list[str]:
    """What is wrong with a rules file."""
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

"""Saving a play: in memory always, in a file when somebody wants one.

Assumes a session that reports each input before it counts (`session.session`).
Does: writes the record to the file first and remembers it second, so that a full disk stops the
input and the two never differ; nobody else can go on with that file meanwhile. `save` puts what is
remembered into a file and goes on there.
Leaves behind a record that `rulerun play --resume` takes.
"""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from rulerun.host.locking import hold
from rulerun.runtime.executor import Verdict
from rulerun.session.record import Record, RecordWriter
from rulerun.words.language import Language
from rulerun_dsl.model import Game
from rulerun_dsl.source.regular_files import why
from rulerun_dsl.source.safe_text import clean


class NotKept(Exception):
    """An input could not be written to the file, and so was not made."""

    def __init__(self, path: Path | None, failure: OSError) -> None:
        """Say which file, and why."""
        super().__init__(f"cannot write to {path}: {why(failure)}")


class Keeper:
    """Keeps one play."""

    def __init__(
        self, game: Game, seats: Mapping[int, str], seed: int | str, past: Record | None = None
    ) -> None:
        """Begin a record; `past`: what was recorded before."""
        self.game = game
        self.path: Path | None = None
        self.rules = ""
        """The rules file, for who goes on; a shipped one need not be named."""
        self.lang = ""
        """The language of the table, if it is not the one of the rules."""
        self._file: RecordWriter | None = None
        if past is None:
            self._memory = io.BytesIO()
            self._lines = RecordWriter(self._memory, game)
            self._lines.begin(seats, seed)
            return
        good = past.content[: past.good]
        # The last line may have been torn just before its end.
        self._memory = io.BytesIO(good if good.endswith(b"\n") else good + b"\n")
        self._memory.seek(0, os.SEEK_END)
        self._lines = RecordWriter(self._memory, game, format=past.format, sum=past.sum)

    @property
    def again(self) -> str:
        """The command that goes on with what is kept."""
        words = ["rulerun", "play", *filter(None, (self.rules,)), "--resume", str(self.path)]
        words += ["--lang", self.lang] if self.lang else []
        return shlex.join(words)

    def told(self, speech: Language) -> list[str]:
        """Whether the play is kept, and how to go on with it, in lines."""
        if self.path is None:
            return [speech.kept_not]
        return [speech.kept.format(file=clean(str(self.path))), f"  {clean(self.again)}"]

    # ------------------------------------------------------------------------------- to a file

    def save(self, path: Path) -> None:
        """Write all of it to a new file and go on there. Raises `OSError`.

        The file it is kept in already may be named again: then there is nothing to do.
        """
        if self.path is not None and _same(self.path, path):
            return
        file = path.open("xb", buffering=0)
        try:
            hold(file)
            content = memoryview(self._memory.getvalue())
            while content:
                content = content[file.write(content) or 0 :]
            os.fsync(file.fileno())
        except OSError:
            file.close()
            path.unlink(missing_ok=True)
            raise
        self.close()
        lines = self._lines
        self._file = RecordWriter(file, self.game, format=lines.format, sum=lines.sum)
        self.path = path

    def go_on(self, path: Path, record: Record) -> None:
        """Go on in the file that the record was read from. Raises `InUse`."""
        self._file = RecordWriter.append(path, record, self.game)
        self.path = path

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    # ------------------------------------------------------------------------------- recording

    def decision(self, number: int, player: str, action: str) -> None:
        """A player has taken an action."""
        self._each(lambda writer: writer.decision(number, player, action))

    def chance(self, number: int, outcome: str) -> None:
        """Luck has fallen."""
        self._each(lambda writer: writer.chance(number, outcome))

    def undo(self, number: int, of: int) -> None:
        """Input number `of` is taken back."""
        self._each(lambda writer: writer.undo(number, of))

    def end(self, number: int, how: str, verdict: Verdict | None, state: str) -> None:
        """The play is over or truncated."""
        self._each(lambda writer: writer.end(number, how, verdict, state))

    def _each(self, write: Callable[[RecordWriter], None]) -> None:
        if self._file is not None:
            try:
                write(self._file)
            except OSError as failure:
                raise NotKept(self.path, failure) from failure
        write(self._lines)


def free_path(name: str) -> Path:
    """A file of that name and a number which is not there yet."""
    number = 1
    while (path := Path(f"{name}-{number}.jsonl")).exists():
        number += 1
    return path


def _same(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return False

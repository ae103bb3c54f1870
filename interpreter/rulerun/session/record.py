r"""The saved play: a header and every input, one JSON object a line.

    {"record": 2, "rulerun": 1, "game": "pig", "fingerprint": "…", "players": ["ann", "bob"],
     "options": {}, "seats": {"ann": "person"}, "seed": 7, "sum": "…"}  (all of it on one line)
    {"n": 1, "by": "ann", "action": "roll", "sum": "…"}
    {"n": 2, "chance": "4", "sum": "…"}
    {"n": 3, "undo": 1, "sum": "…"}
    {"n": 4, "end": "over", "result": {"winners": ["ann"], "returns": ["1", "-1"]}, "state": "…"}

`RecordWriter` appends a line for each input and hands it to the system at once, so that a crash
loses at most the line being written. It holds the file: nobody else can go on with the record
meanwhile. A record that is gone on with keeps its format. `read_record` reads what anybody may have
done to a file: what it cannot use it reports with its line, and what stands before that is kept.
`replay` plays it again. A record holds every secret of the play.

`schemas/record.schema.json` says the same of each line to other programs; the tests hold both
against the same lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from rulerun.host.locking import InUse, hold
from rulerun.runtime.executor import Verdict
from rulerun.session.record_lines import (
    FORMAT,
    SUM,
    Entry,
    Unfit,
    changed_parts,
    entry_of,
    header_of,
    header_sum,
    number_of,
    object_of,
    seed_of,
    stated_sum,
    sum_of,
    table_of,
    text_of,
    texts_of,
)
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors, problem
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import opened, read_open, read_regular, why
from rulerun_dsl.source.spans import Source, Span

PEOPLE = ("human", "person")
"""What `seats` says of a player whom a person plays; anything else names a bot."""

LARGEST_RECORD = 2**26


# ------------------------------------------------------------------------------------ what it is


@frozen
class Record:
    """A play as it was saved."""

    game: str
    language: int
    fingerprint: str
    players: tuple[str, ...]
    options: Mapping[str, str]
    seats: Mapping[str, str]
    seed: int | str | None
    entries: tuple[Entry, ...]
    source: Source = field(compare=False)
    good: int = field(default=0, compare=False)
    """How many bytes of the file are whole lines that can be used."""
    format: int = 1
    sum: str = field(default="", compare=False)
    """That of the last line that can be used."""
    content: bytes = field(default=b"", compare=False, repr=False)
    """All bytes of the file as they were read."""

    @property
    def end(self) -> Entry | None:
        """The line that says how the play ended."""
        last = self.entries[-1] if self.entries else None
        return last if last is not None and last.word == "end" else None


def header(
    game: Game, seats: Mapping[int, str] | None = None, seed: int | str | None = None
) -> dict[str, object]:
    """Return the first line of a record."""
    data: dict[str, object] = {
        "record": FORMAT,
        "rulerun": game.language,
        "game": game.name,
        "fingerprint": game.fingerprint,
        "players": list(game.players),
        "options": {option.name: option.text for option in game.options},
        "seats": {game.players[player]: name for player, name in sorted((seats or {}).items())},
    }
    return data if seed is None else {**data, "seed": seed}


def result(game: Game, verdict: Verdict) -> dict[str, object]:
    """Return how a game ended, for the last line."""
    data: dict[str, object] = {
        "winners": [game.players[player] for player in verdict.winners],
        "returns": [str(value) for value in verdict.returns],
        "places": list(verdict.places),
    }
    if any(each is not None for each in verdict.totals):
        data["points"] = ["none" if each is None else str(each) for each in verdict.totals]
    return data


# --------------------------------------------------------------------------------------- writing


class RecordWriter:
    """Appends to a record as a session goes."""

    def __init__(
        self,
        file: BinaryIO,
        game: Game,
        *,
        sync: bool = False,
        format: int = FORMAT,
        sum: str = "",
    ) -> None:
        """Write to a file that is open for it; `sync` waits for the disk after each line.

        `format` and `sum` are those of the record so far.
        """
        self._file = file
        self._game = game
        self._sync = sync
        self.format = format
        self.sum = sum

    @classmethod
    def create(
        cls,
        path: Path,
        game: Game,
        seats: Mapping[int, str] | None = None,
        seed: int | str | None = None,
        *,
        sync: bool = False,
    ) -> RecordWriter:
        """Begin a new record; a file that exists is not overwritten (`FileExistsError`)."""
        file = path.open("xb", buffering=0)
        hold(file)
        writer = cls(file, game, sync=sync)
        writer.begin(seats, seed)
        return writer

    @classmethod
    def append(cls, path: Path, record: Record, game: Game, *, sync: bool = False) -> RecordWriter:
        """Go on with a record that was read from `path`; a torn tail is cut off.

        Raises `InUse` if somebody else does so, or has done since it was read.
        """
        file = opened(path, writing=True)
        try:
            hold(file)
            if read_open(file, LARGEST_RECORD) != record.content:
                raise InUse("somebody has written to it since it was read")
        except OSError:
            file.close()
            raise
        file.truncate(record.good)
        if record.good:
            file.seek(record.good - 1)
            if file.read(1) != b"\n":
                file.write(b"\n")  # torn off just before the end of a line
        file.seek(0, os.SEEK_END)
        return cls(file, game, sync=sync, format=record.format, sum=record.sum)

    def begin(self, seats: Mapping[int, str] | None, seed: int | str | None) -> None:
        """Write the header."""
        self._write(header(self._game, seats, seed))

    def decision(self, number: int, player: str, action: str) -> None:
        """A player has taken an action."""
        self._write({"n": number, "by": player, "action": action})

    def chance(self, number: int, outcome: str) -> None:
        """Luck has fallen."""
        self._write({"n": number, "chance": outcome})

    def undo(self, number: int, of: int) -> None:
        """Input `of` is taken back."""
        self._write({"n": number, "undo": of})

    def end(self, number: int, how: str, verdict: Verdict | None, state: str) -> None:
        """The play is over or truncated; `state` is the digest of where it stands."""
        line: dict[str, object] = {"n": number, "end": how}
        if verdict is not None:
            outcome = result(self._game, verdict)
            if self.format == 1:
                outcome.pop("points", None)
            line["result"] = outcome
        if self.format > 1:
            line["state"] = state
        self._write(line)

    def _write(self, data: Mapping[str, object]) -> None:
        sum_ = ""
        if self.format > 1:
            sum_ = sum_of(self.sum, data) if self.sum else header_sum(data)
            data = {**data, SUM: sum_}
        text = json.dumps(data, ensure_ascii=False, separators=(", ", ": "))
        # What the command line could not decode (in a seed) is written as an escape.
        line = text.encode("utf-8", "backslashreplace") + b"\n"
        before = self._file.seek(0, os.SEEK_END)
        try:
            written = 0
            while written < len(line):
                written += self._file.write(line[written:]) or 0
            self._file.flush()
            if self._sync:
                os.fsync(self._file.fileno())
        except OSError:
            self._cut(before)
            raise
        self.sum = sum_

    def _cut(self, length: int) -> None:
        """Take back half a line, if the disk still lets us; `read_record` copes if not."""
        try:
            self._file.truncate(length)
        except OSError:
            pass

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> RecordWriter:
        """Close it at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


# --------------------------------------------------------------------------------------- reading


def read_record(path_or_bytes: Path | bytes) -> tuple[Record | None, list[Diagnostic]]:
    """Read a record; with errors, what is good before the first of them."""
    if isinstance(path_or_bytes, bytes):
        name, content = "<record>", path_or_bytes
    else:
        name = str(path_or_bytes)
        try:
            content = read_regular(path_or_bytes, LARGEST_RECORD)
        except (OSError, ValueError) as failure:
            nowhere = Source(name, "").span(0)
            return None, [problem("RR1001", f"`{name}` cannot be read: {why(failure)}", nowhere)]
    if len(content) > LARGEST_RECORD:
        nowhere = Source(name, "").span(0)
        limit = LARGEST_RECORD // 2**20
        return None, [problem("RR1001", f"`{name}` is larger than {limit} MiB", nowhere)]
    return _Reader(name, content).read()


class _Reader:
    """Reads one record, line by line."""

    def __init__(self, name: str, content: bytes) -> None:
        self.content = content
        self.source = Source(name, content.decode("utf-8", "replace"))
        self.diagnostics: list[Diagnostic] = []
        self.format = FORMAT
        self.sum = ""

    def lines(self) -> Iterator[tuple[bytes, Span, int]]:
        """Yield each line, its place, and the number of bytes up to its end."""
        start = place = 0
        while start < len(self.content):
            end = self.content.find(b"\n", start)
            end = len(self.content) if end < 0 else end + 1
            line = self.content[start:end]
            length = len(line.decode("utf-8", "replace"))
            shown = place + len(line.rstrip(b"\r\n").decode("utf-8", "replace"))
            yield line, self.source.span(place, shown), end
            start, place = end, place + length

    def read(self) -> tuple[Record | None, list[Diagnostic]]:
        head: dict[str, object] | None = None
        entries: list[Entry] = []
        good = 0
        for line, span, end in self.lines():
            try:
                data = object_of(line)
                if head is None:
                    head = self._head(data, span)
                else:
                    self._add(entries, data, span)
            except Unfit as unfit:
                torn = not line.endswith(b"\n") and head is not None
                if torn:
                    self.report("RR1002", "the last line is cut off", span)
                else:
                    self.report("RR1003", str(unfit), span)
                break
            if has_errors(self.diagnostics):
                if not good:
                    return None, self.diagnostics
                break
            good = end
        if head is None:
            if not self.diagnostics:
                self.report("RR1003", "the record is empty", self.source.span(0))
            return None, self.diagnostics
        return self._record(head, tuple(entries), good), self.diagnostics

    def report(self, code: str, message: str, span: Span) -> None:
        self.diagnostics.append(problem(code, message, span))

    def _head(self, data: dict[str, object], span: Span) -> dict[str, object]:
        stated = stated_sum(data) if data.get("record") == FORMAT else None
        head = header_of(data, span, self.diagnostics)
        if not self.diagnostics:
            self.format = number_of(head, "record")
            if stated is not None and stated != header_sum(data):
                parts = ", ".join(f"`{each}`" for each in changed_parts(stated, data))
                what = f": {parts} is another" if parts else ""
                self._edited(f"the header was changed after it was written{what}", span)
            self.sum = stated or ""
        return head

    def _add(self, entries: list[Entry], data: dict[str, object], span: Span) -> None:
        stated = stated_sum(data) if self.format > 1 else None
        entry = entry_of(data, span, self.format)
        last = entries[-1] if entries else None
        expected = last.number + 1 if last else 1
        if last is not None and last.word == "end":
            raise Unfit("a line follows the end of the play")
        if entry.number != expected:
            message = f"this line has number {entry.number}, but {expected} is next"
            self.report("RR1005", message, span)
            return
        if entry.word == "undo" and not any(
            each.number == entry.of and each.word == "action" for each in entries
        ):
            raise Unfit(f"line {entry.of}, which is taken back, is no decision before this line")
        if stated is not None and stated != sum_of(self.sum, data):
            what = "the end" if entry.word == "end" else f"input {entry.number}"
            self._edited(f"{what} was changed after it was written", span)
            return
        self.sum = stated or ""
        entries.append(entry)

    def _edited(self, message: str, span: Span) -> None:
        help_ = "put back what stood there"
        self.diagnostics.append(problem("RR1010", message, span, help=help_))

    def _record(self, head: dict[str, object], entries: tuple[Entry, ...], good: int) -> Record:
        return Record(
            game=text_of(head, "game"),
            language=number_of(head, "rulerun"),
            fingerprint=text_of(head, "fingerprint"),
            players=tuple(texts_of(head, "players")),
            options=table_of(head, "options"),
            seats=table_of(head, "seats"),
            seed=seed_of(head),
            entries=entries,
            source=self.source,
            good=good,
            format=self.format,
            sum=self.sum,
            content=self.content,
        )

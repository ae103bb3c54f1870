r"""The saved play: a header and every input, one JSON object a line.

    {"record": 1, "rulerun": 1, "game": "pig", "fingerprint": "…", "players": ["ann", "bob"],
     "options": {}, "seats": {"ann": "person"}, "seed": 7}             (all of it on one line)
    {"n": 1, "by": "ann", "action": "roll"}
    {"n": 2, "chance": "4"}
    {"n": 3, "undo": 1}
    {"n": 4, "end": "over", "result": {"winners": ["ann"], "returns": ["1", "-1"]}}

`RecordWriter` appends a line for each input and hands it to the system at once, so that a crash
loses at most the line being written. `read_record` reads what anybody may have done to a file:
what it cannot use it reports with its line, and what stands before that is kept. `replay` plays it
again. A record holds every secret of the play.

`schemas/record.schema.json` says the same of each line to other programs; the tests hold both
against the same lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from rulerun.executor import Verdict
from rulerun_dsl.diagnostics import Diagnostic, has_errors, problem
from rulerun_dsl.model import Game
from rulerun_dsl.source import Source, Span

FORMAT = 1
"""The version of the format of records."""

PEOPLE = ("human", "person")
"""What `seats` says of a player whom a person plays; anything else names a bot."""

LARGEST_RECORD = 2**26
LONGEST_LINE = 2**16


# ------------------------------------------------------------------------------------ what it is


@dataclass(frozen=True, slots=True)
class Entry:
    """A line behind the header. `word`: `action`, `chance`, `undo` or `end`."""

    number: int
    word: str
    text: str
    """The action, the outcome, or how it ended."""
    by: str = ""
    of: int = 0
    """Of an undo: the number of the input taken back."""
    result: Mapping[str, object] | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
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
    return {
        "winners": [game.players[player] for player in verdict.winners],
        "returns": [str(value) for value in verdict.returns],
        "places": list(verdict.places),
    }


# --------------------------------------------------------------------------------------- writing


class RecordWriter:
    """Appends to a record as a session goes."""

    def __init__(self, file: BinaryIO, game: Game, *, sync: bool = False) -> None:
        """Write to a file that is open for it; `sync` waits for the disk after each line."""
        self._file = file
        self._game = game
        self._sync = sync

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
        writer = cls(path.open("xb", buffering=0), game, sync=sync)
        writer._write(header(game, seats, seed))
        return writer

    @classmethod
    def append(cls, path: Path, record: Record, game: Game, *, sync: bool = False) -> RecordWriter:
        """Go on with a record that was read from `path`; a torn tail is cut off."""
        file = path.open("r+b", buffering=0)
        file.truncate(record.good)
        if record.good:
            file.seek(record.good - 1)
            if file.read(1) != b"\n":
                file.write(b"\n")  # torn off just before the end of a line
        file.seek(0, os.SEEK_END)
        return cls(file, game, sync=sync)

    def decision(self, number: int, player: str, action: str) -> None:
        """A player has taken an action."""
        self._write({"n": number, "by": player, "action": action})

    def chance(self, number: int, outcome: str) -> None:
        """Luck has fallen."""
        self._write({"n": number, "chance": outcome})

    def undo(self, number: int, of: int) -> None:
        """Input `of` is taken back."""
        self._write({"n": number, "undo": of})

    def end(self, number: int, how: str, verdict: Verdict | None) -> None:
        """The play is over or truncated."""
        line: dict[str, object] = {"n": number, "end": how}
        if verdict is not None:
            line["result"] = result(self._game, verdict)
        self._write(line)

    def _write(self, data: Mapping[str, object]) -> None:
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


class _Unfit(ValueError):
    """A line is none that a record holds; the message says why."""


def read_record(path_or_bytes: Path | bytes) -> tuple[Record | None, list[Diagnostic]]:
    """Read a record; with errors, what is good before the first of them."""
    if isinstance(path_or_bytes, bytes):
        name, content = "<record>", path_or_bytes
    else:
        name = str(path_or_bytes)
        try:
            with path_or_bytes.open("rb") as file:
                content = file.read(LARGEST_RECORD + 1)
        except (OSError, ValueError) as failure:
            reason = getattr(failure, "strerror", None) or str(failure)
            nowhere = Source(name, "").span(0)
            return None, [problem("RR1001", f"`{name}` cannot be read: {reason.lower()}", nowhere)]
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
                data = _object(line)
                if head is None:
                    head = _header(data, span, self.diagnostics)
                    if has_errors(self.diagnostics):
                        return None, self.diagnostics
                else:
                    self._add(entries, _entry(data, span))
            except _Unfit as unfit:
                torn = not line.endswith(b"\n") and head is not None
                if torn:
                    self.report("RR1002", "the last line is cut off", span)
                else:
                    self.report("RR1003", str(unfit), span)
                break
            if has_errors(self.diagnostics):
                break
            good = end
        if head is None:
            if not self.diagnostics:
                self.report("RR1003", "the record is empty", self.source.span(0))
            return None, self.diagnostics
        return self._record(head, tuple(entries), good), self.diagnostics

    def report(self, code: str, message: str, span: Span) -> None:
        self.diagnostics.append(problem(code, message, span))

    def _add(self, entries: list[Entry], entry: Entry) -> None:
        assert entry.span is not None
        last = entries[-1] if entries else None
        expected = last.number + 1 if last else 1
        if last is not None and last.word == "end":
            raise _Unfit("a line follows the end of the play")
        if entry.number != expected:
            message = f"this line has number {entry.number}, but {expected} is next"
            self.report("RR1005", message, entry.span)
            return
        if entry.word == "undo" and not any(
            each.number == entry.of and each.word == "action" for each in entries
        ):
            raise _Unfit(f"line {entry.of}, which is taken back, is no decision before this line")
        entries.append(entry)

    def _record(self, head: dict[str, object], entries: tuple[Entry, ...], good: int) -> Record:
        return Record(
            game=_text(head, "game"),
            language=_number(head, "rulerun"),
            fingerprint=_text(head, "fingerprint"),
            players=tuple(_texts(head, "players")),
            options=_table(head, "options"),
            seats=_table(head, "seats"),
            seed=_seed(head),
            entries=entries,
            source=self.source,
            good=good,
        )


def _object(line: bytes) -> dict[str, object]:
    """Return the JSON object of a line. Raises `_Unfit`."""
    if len(line) > LONGEST_LINE:
        raise _Unfit(f"the line is longer than {LONGEST_LINE // 1024} KiB")
    try:
        data = json.loads(
            line.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_unique
        )
    except _Unfit:
        raise
    except RecursionError:
        raise _Unfit("the line is nested too deeply") from None
    except UnicodeDecodeError:
        raise _Unfit("the line is not UTF-8") from None
    except ValueError as failure:
        reason = failure.msg.lower() if isinstance(failure, json.JSONDecodeError) else "a number"
        raise _Unfit(f"the line is not JSON: {reason}") from None
    if not isinstance(data, dict):
        raise _Unfit("the line is not a JSON object")
    return data


def _no_constant(word: str) -> object:
    raise _Unfit(f"`{word}` is no number of JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise _Unfit("a key stands twice in one object")
    return data


def _header(
    data: dict[str, object], span: Span, diagnostics: list[Diagnostic]
) -> dict[str, object]:
    if "record" not in data:
        raise _Unfit("the first line of a record has the key `record`")
    if _number(data, "record") != FORMAT:
        message = f"this record has format {data['record']}; this rulerun reads {FORMAT}"
        diagnostics.append(problem("RR1004", message, span))
        return data
    _only(data, ("record", "rulerun", "game", "fingerprint", "players", "options", "seats", "seed"))
    _number(data, "rulerun")
    _text(data, "game")
    _text(data, "fingerprint")
    players = _texts(data, "players")
    if len(set(players)) < len(players) or not players:
        raise _Unfit("`players` are different names, one at least")
    _table(data, "options")
    for name in _table(data, "seats"):
        if name not in players:
            raise _Unfit(f"`seats` names {name}, who is no player")
    _seed(data)
    return data


def _entry(data: dict[str, object], span: Span) -> Entry:
    words = [word for word in ("action", "chance", "undo", "end") if word in data]
    if len(words) != 1:
        raise _Unfit("a line has one of `action`, `chance`, `undo` and `end`")
    (word,) = words
    number = _number(data, "n")
    match word:
        case "action":
            _only(data, ("n", "by", "action"))
            return Entry(number, word, _text(data, "action"), by=_text(data, "by"), span=span)
        case "chance":
            _only(data, ("n", "chance"))
            return Entry(number, word, _text(data, "chance"), span=span)
        case "undo":
            _only(data, ("n", "undo"))
            return Entry(number, word, "", of=_number(data, "undo"), span=span)
    _only(data, ("n", "end", "result"))
    how = _text(data, "end")
    if how not in ("over", "truncated"):
        raise _Unfit("`end` is `over` or `truncated`")
    outcome = data.get("result")
    if outcome is None and "result" not in data:
        return Entry(number, word, how, span=span)
    if not isinstance(outcome, dict):
        raise _Unfit("`result` is an object")
    _only(outcome, ("winners", "returns", "places"))
    _texts(outcome, "winners")
    _texts(outcome, "returns")
    if "places" in outcome:
        places = outcome["places"]
        if not isinstance(places, list) or not all(type(each) is int for each in places):
            raise _Unfit("`places` is a list of whole numbers")
    return Entry(number, word, how, result=outcome, span=span)


def _only(data: Mapping[str, object], keys: tuple[str, ...]) -> None:
    for key in data:
        if key not in keys:
            raise _Unfit(f"`{key}` is no key of this line")


def _number(data: Mapping[str, object], key: str) -> int:
    value = data.get(key)
    if type(value) is not int or value < 0:
        raise _Unfit(f"`{key}` is a whole number")
    return value


def _text(data: Mapping[str, object], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise _Unfit(f"`{key}` is a text")
    return value


def _texts(data: Mapping[str, object], key: str) -> list[str]:
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _Unfit(f"`{key}` is a list of texts")
    return value


def _table(data: Mapping[str, object], key: str) -> dict[str, str]:
    value = data.get(key, {})
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise _Unfit(f"`{key}` is an object of texts")
    return value


def _seed(data: Mapping[str, object]) -> int | str | None:
    seed = data.get("seed")
    if type(seed) is int or isinstance(seed, str) or "seed" not in data:
        return seed  # type: ignore[return-value]  # `type is int` leaves out bool
    raise _Unfit("`seed` is a whole number or a text")

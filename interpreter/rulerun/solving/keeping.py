"""What a solve has found so far, in a file, so that it can end in any way and go on.

    {"solving": 1, …, "game": …, "stage": "values", "parts": [["keys", 320], …]}   one line
    the parts, one behind the other
    the digest of all that

Assumes: a path and a game; of whoever solves, at each point where nothing is half done, a call of
`rest`.
Does: writes now and then what there is, beside the file first: a crash, a full disk or a cut of
power leaves the last that was whole. Within `careful` an interrupt of the keyboard waits for the
next rest, so that all is kept; a second one does not wait. Reads back what a run of the same game,
of this version of rulerun and of Python, has kept. Two runs do not keep in one file.
Leaves behind: the file, or `Unkept`, whose message says what is in the way. What is torn, of
another game or of another version is left as it lies.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from hashlib import blake2b
from os import fstat
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from rulerun.host.locking import InUse, hold
from rulerun.host.rewriting import forget_drafts, replacing
from rulerun.host.version import VERSION
from rulerun.solving.belonging import belonging, difference
from rulerun_dsl.model import Game
from rulerun_dsl.model.canonical_json import digest
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import opened, why

FORMAT = 1
EVERY = 30.0
"""Seconds from one time to the next that something is kept."""
SHARE = 20
"""And at least so many times as long as it takes to write it."""
_SIZE = 32
"""Bytes of the digest."""
_LONGEST = 2**20
"""Bytes of the first line at most."""
_PIECE = 2**22

Parts = Mapping[str, object]
"""By name: bytes, an array, or plain data."""


class Unkept(Exception):
    """The file cannot be used; the message says why, and what can be done."""


@frozen
class Found:
    """What a run before this one has kept."""

    stage: str
    _parts: dict[str, bytes]

    def data(self, name: str) -> Any:
        """Plain data."""
        return json.loads(self._parts[name])

    def bytes(self, name: str) -> bytes:
        """Bytes."""
        return self._parts[name]

    def array(self, name: str, code: str) -> array[Any]:
        """An array of such items."""
        found: array[Any] = array(code)
        found.frombytes(self._parts[name])
        return _ordered(found)


class Keeper:
    """Keeps what a solve finds; without a path it does nothing."""

    def __init__(self, path: Path | None, game: Game) -> None:
        """Read what the file keeps, if it is there. Raises `Unkept`."""
        self.path = None if path is None else path.resolve()
        self.game = game
        self.found: Found | None = None
        self._wanted = False
        """Whether somebody wants an end."""
        self._held: BinaryIO | None = None
        self._next = float("inf")
        if self.path is not None:
            self._next = time.monotonic() + EVERY
            try:
                if self.path.exists():
                    self._hold(self.path)
                    self.found = self._read()
            except (OSError, ValueError) as failure:
                raise Unkept(f"`{self.path}` cannot be read: {why(failure)}") from None

    @property
    def kept(self) -> bool:
        """Whether there is something with which another run can go on."""
        return self._held is not None

    def at(self, *stages: str) -> Found | None:
        """What a run before has kept, if it had come to one of these stages."""
        found = self.found
        return found if found is not None and found.stage in stages else None

    def forget(self) -> None:
        """What a run before has kept was taken over, or leads nowhere."""
        self.found = None

    def rest(self, stage: str, parts: Callable[[], Parts]) -> None:
        """Nothing is half done: keep what there is, if it is time. Raises `Unkept`.

        Raises `KeyboardInterrupt` if somebody wants an end.
        """
        if self._wanted or time.monotonic() >= self._next:
            self.keep(stage, parts)

    def keep(self, stage: str, parts: Callable[[], Parts]) -> None:
        """Keep it now. Raises like `rest`."""
        if self.path is None:
            return
        begun = time.monotonic()
        try:
            self._write(self.path, stage, parts())
        except OSError as failure:
            raise Unkept(
                f"`{self.path}` cannot be written: {why(failure)}; what was kept before is as it "
                "was, and the same command goes on with it"
            ) from None
        now = time.monotonic()
        self._next = now + max(EVERY, SHARE * (now - begun))
        if self._wanted:
            raise KeyboardInterrupt

    @contextmanager
    def careful(self) -> Iterator[None]:
        """Let the first interrupt wait for a rest."""
        aside = threading.current_thread() is not threading.main_thread()
        before = None if self.path is None or aside else signal.getsignal(signal.SIGINT)
        if before is not signal.default_int_handler:
            # Somebody else sees to it, or nobody shall hear of it.
            yield
            return
        signal.signal(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._wanted:
            raise KeyboardInterrupt
        self._wanted = True

    def close(self) -> None:
        """Let others have the file."""
        if self._held is not None:
            self._held.close()
            self._held = None

    # ---------------------------------------------------------------------------------- the file

    def _hold(self, path: Path) -> None:
        self._held = opened(path)
        try:
            hold(self._held)
        except InUse:
            self.close()
            raise Unkept(f"another run keeps in `{path}`: wait for its end") from None
        forget_drafts(path)

    def _write(self, path: Path, stage: str, parts: Parts) -> None:
        if self._held is None and path.exists():
            raise Unkept(f"`{path}` was not there before: another run keeps in it")
        pieces = {name: _packed(part) for name, part in parts.items()}
        head = {
            **_head(self.game),
            "stage": stage,
            "parts": [[name, len(piece)] for name, piece in pieces.items()],
        }
        sums = blake2b(digest_size=_SIZE)
        with replacing(path, last=self.close) as file:
            for piece in (json.dumps(head).encode("ascii") + b"\n", *pieces.values()):
                sums.update(piece)
                file.write(piece)
            file.write(sums.digest())
        self._hold(path)

    def _read(self) -> Found:
        file, path = self._held, self.path
        assert file is not None
        line = file.readline(_LONGEST)
        try:
            head = json.loads(line)
        except (ValueError, RecursionError):
            head = None
        if not isinstance(head, dict) or "solving" not in head:
            raise Unkept(f"`{path}` is none of `rulerun solve --keep`: name another file")
        now = _head(self.game)
        if any(head.get(key) != now[key] for key in ("solving", "rulerun", "python")):
            raise Unkept(
                f"`{path}` was kept by another version of rulerun or Python: name another file, or "
                "go on with that version"
            )
        other = difference(head, self.game)
        if other is None and head.get("model") != now["model"]:
            other = "other rules: rulerun or the file has changed since"
        if other is not None:
            raise Unkept(f"`{path}` was kept for {other}; name another file")
        try:
            sizes = [(str(name), int(size)) for name, size in head["parts"]]
            stage = str(head["stage"])
        except (LookupError, TypeError, ValueError):
            raise _torn(path) from None
        left = fstat(file.fileno()).st_size - len(line) - _SIZE
        if left != sum(size for _, size in sizes) or any(size < 0 for _, size in sizes):
            raise _torn(path)
        sums = blake2b(line, digest_size=_SIZE)
        parts = {}
        for name, size in sizes:
            parts[name] = file.read(size)
            sums.update(parts[name])
        if file.read(_SIZE) != sums.digest():
            raise _torn(path)
        return Found(stage, parts)


def _torn(path: Path | None) -> Unkept:
    return Unkept(f"`{path}` is torn, or was changed: nothing can go on with it; name another file")


def _head(game: Game) -> dict[str, Any]:
    return {
        "solving": FORMAT,
        "rulerun": VERSION,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        **belonging(game),
        "model": digest(game),
    }


def plain(value: int | float | Fraction) -> int | float | str:
    """A number as plain data."""
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else value


def restored(number: int | float | str) -> Any:
    """The number of plain data: the same to the last bit, and as exact."""
    return Fraction(number) if isinstance(number, str) else number


def _packed(part: object) -> bytes:
    if isinstance(part, bytes):
        return part
    if isinstance(part, array):
        return _ordered(part[:] if sys.byteorder == "big" else part).tobytes()
    return json.dumps(part, separators=(",", ":")).encode("ascii")


def _ordered(items: array[Any]) -> array[Any]:
    """Bytes go from the lowest on, on every machine."""
    if sys.byteorder == "big":
        items.byteswap()
    return items

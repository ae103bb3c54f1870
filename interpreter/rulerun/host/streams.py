"""The standard streams, each with one guard through which everything passes.

Assumes: whatever the system has given: a terminal, a pipe, a file, a full disk, or nothing at all
(`>&-`).
Does: `guarded` puts an `Outlet` before standard output and standard error while a command runs.
Everything that is written goes through it: by our own commands, by click, by warnings of Python. It
makes a text harmless (`rulerun_dsl.source.safe_text`); only `steer` writes what moves a cursor, and
only `colors` lets colours through. Standard input that is closed has ended.
Leaves behind bytes in UTF-8 whatever the locale, so that one play gives the same everywhere. What
standard output does not take raises `OutputLost`, since it was asked for; what standard error does
not take is dropped, since nobody reads it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, TextIO

from rulerun_dsl.source.safe_text import harmless


class OutputLost(Exception):
    """Standard output takes no more."""

    def __init__(self, reason: str) -> None:
        """Keep the reason; there is none if the reader has gone away."""
        super().__init__(f"standard output {reason}" if reason else "")
        self.gone = not reason

    def answer(self) -> int:
        """Say so, unless nobody is there to hear it; the exit code."""
        if self.gone:
            return 0
        print(f"rulerun: {self}", file=sys.stderr)
        return 2


class Outlet(io.TextIOBase):
    """A stream on which nothing harmful is written."""

    def __init__(self, stream: TextIO | None, number: int) -> None:
        """Stand before a stream; `number`: 1 is standard output, 2 standard error."""
        self._stream = stream
        self._number = number
        self.colors = False
        """Whether colours of our own are let through."""

    def write(self, text: str) -> int:
        """Write a text, made harmless."""
        self.steer(harmless(text, colors=self.colors))
        return len(text)

    def steer(self, text: str) -> None:
        """Write a text as it is: control codes and commands that are meant."""
        if not text:
            return
        if self._stream is None:
            if self._number == 1:
                raise OutputLost("is closed")
            return
        try:
            self._stream.write(text)
        except (OSError, ValueError) as failure:
            self._lose(failure)

    def flush(self) -> None:
        """Hand it to the system."""
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError) as failure:
                self._lose(failure)

    def _lose(self, failure: OSError | ValueError) -> None:
        """The stream has failed: let the rest go nowhere, so that nobody trips over it later."""
        with suppress(OSError, ValueError):
            assert self._stream is not None
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
        if self._number == 1:
            from rulerun_dsl.source.regular_files import why

            gone = isinstance(failure, BrokenPipeError)
            raise OutputLost("" if gone else f"takes no more: {why(failure)}") from None

    def close(self) -> None:
        """Leave it open: it is not ours."""

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        try:
            return self._stream is not None and self._stream.isatty()
        except ValueError:
            return False

    def fileno(self) -> int:
        """The number of the file, for who asks what it is."""
        if self._stream is None:
            raise io.UnsupportedOperation("there is no file")
        return self._stream.fileno()

    def writable(self) -> bool:
        """Whether one may write."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]  # which typeshed has as a variable
        """How texts become bytes."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]  # which typeshed has as a variable
        """What becomes of what cannot."""
        return getattr(self._stream, "errors", None) or "backslashreplace"


def steer(stream: Any, text: str) -> None:
    """Write control codes or commands that are meant to any stream."""
    getattr(stream, "steer", stream.write)(text)


@contextmanager
def guarded() -> Iterator[None]:
    """Guard the standard streams; what is guarded already stays so."""
    before = sys.stdin, sys.stdout, sys.stderr
    if isinstance(sys.stdout, Outlet):
        yield
        return
    _occupy()
    for stream, odd in zip(before, ("replace", *2 * ("backslashreplace",)), strict=True):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(ValueError):  # it is closed, or was read from
                stream.reconfigure(encoding="utf-8", errors=odd)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    sys.stdout, sys.stderr = Outlet(before[1], 1), Outlet(before[2], 2)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def _occupy() -> None:
    """Open the closed ones of the first three files, else the next file that is opened is one.

    A record would be taken for standard output, and what a library writes there would go into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_RDWR)
                if nowhere == number:
                    os.set_inheritable(nowhere, True)
                else:
                    os.close(nowhere)


def for_messages() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the messages of a protocol, and for nothing else.

    Whatever is printed from now on, by anybody in this process or below it, goes to standard error,
    and whoever reads finds nothing. Raises OSError where the process has no such streams.
    """
    if sys.stdin is None or sys.stdout is None:
        raise OSError("it is closed")
    reads = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    writes = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, sys.stdin.fileno())
    try:
        os.dup2(2, sys.stdout.fileno())
    except OSError:
        # Standard error is closed.
        os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
    return reads, writes

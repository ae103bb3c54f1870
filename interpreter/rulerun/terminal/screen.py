"""The terminal: lines out, answers in.

Assumes two streams, which may be a terminal, a pipe or a file. Only on a terminal are there colours
(if wanted), a cleared screen, and line editing with TAB. From a pipe each answer is repeated in the
output, so that what was written reads like a game that was seen.
Nothing that somebody reads scrolls away unseen: what was written since they last pressed Enter is
counted, and where more comes than the screen holds, it waits for a key.
Leaves behind answers; None at the end of the input.

`clear` leaves nothing of what one person saw to the next: neither on the screen, nor above it, nor
behind the arrow keys. A terminal that keeps what has scrolled away in spite of being told to forget
it (GNU screen does, and a log that somebody writes with `tee`) is beyond our reach.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from types import ModuleType
from typing import TextIO

from rulerun.host.streams import Outlet
from rulerun.terminal.formatting import NARROWEST, USUAL, WIDEST, Paint
from rulerun.terminal.thinking_sign import sign_of_life
from rulerun_dsl.source.safe_text import clean, visible

_TALL = 100
"""Rows of what is no terminal; so many push away what stands on one that cannot be cleared."""

_LONGEST = 2**16
"""So many characters an answer has at most."""

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""To the corner, wipe the screen, and what has scrolled away as well."""


class Screen:
    """Where a game is played."""

    def __init__(
        self,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        *,
        color: bool = False,
        width: int | None = None,
        pace: float = 0,
    ) -> None:
        """Use the standard streams unless others are given.

        `pace`: so many seconds for each line of what happens, where a person reads it.
        """
        self.pace = pace
        self._in = sys.stdin if stdin is None else stdin
        out = sys.stdout if stdout is None else stdout
        self._out = out if isinstance(out, Outlet) else Outlet(out, 1)
        self._out.colors = color
        self.terminal = _is_terminal(self._out)
        self.live = _is_terminal(self._in)
        """A person sits there, also if what they are shown goes through a pipe first."""
        self.paint = Paint(color)
        self.width = width or (_columns() if self.terminal else USUAL)
        self.height = _size().lines if self.terminal else _TALL
        self._unread = 0
        """Lines that were written since somebody last answered."""
        self._completions: list[str] = []
        if isinstance(self._in, io.TextIOWrapper):
            # Who types an odd byte is told that there is no such action.
            self._in.reconfigure(errors="replace")
        edits = self.live and self.terminal and self._in is sys.stdin
        self._readline = self._edit_lines() if edits else None

    # --------------------------------------------------------------------------------- writing

    def say(self, *lines: str) -> None:
        """Write lines."""
        for line in lines:
            self._out.write(line + "\n")
        self._unread += len(lines)
        self._out.flush()

    @property
    def page(self) -> int | None:
        """So many lines stand on one screen; None where nobody sits there to read them."""
        return max(4, self.height - 2) if self.live and self.terminal else None

    @property
    def room(self) -> int:
        """How many lines fit below what was not read yet, above a question."""
        return max(0, self.height - 1 - self._unread)

    @property
    def fresh(self) -> bool:
        """Whether all that stands there was read."""
        return not self._unread

    def fits(self, rows: int) -> bool:
        """Whether so many lines push nothing off the screen that was not read yet.

        What is no terminal, or has nobody before it, holds everything.
        """
        return self.page is None or rows <= self.room

    def read(self, lines: Sequence[str], more: str, *, pace: bool = True) -> str:
        """Write what somebody reads: at reading pace, and no more at once than the screen holds.

        `more`: what to ask before the next of several screens; any answer but an empty one ends it,
        and is returned: it may be a command. So does an interrupt, which ends nothing else.
        `pace`: it is told line by line. Where nobody sits, all is written.
        """
        if self.page is None:
            self.say(*lines)
            return ""
        try:
            for line in lines:
                if not self.room and (typed := self.ask(more, afresh=True)) != "":
                    return (typed or "").strip()
                self.say(line)
                if self.pace and pace and line:
                    time.sleep(self.pace)
        except KeyboardInterrupt:
            self.say("")
        return ""

    def while_thinking(self, who: Callable[[], str]) -> AbstractContextManager[None]:
        """Show what `who` says for as long as this lasts, where somebody may wonder."""
        return sign_of_life(self._out, self.width, who)

    def clear(self) -> None:
        """Leave nothing of what was on the screen, if somebody sits there."""
        if self._readline is not None:
            # What one has typed the next need not find with the arrow keys.
            self._readline.clear_history()
        if self.terminal and os.environ.get("TERM", "") not in ("", "dumb"):
            self._out.steer(_CLEAR)
        elif self.terminal or self.live:
            self._out.write("\n" * _TALL)
        self._unread = 0
        self._out.flush()

    # --------------------------------------------------------------------------------- reading

    def ask(
        self, prompt: str, completions: Sequence[str] = (), *, afresh: bool = False
    ) -> str | None:
        """Read an answer; None when the input has ended.

        `afresh`: what was typed before the question is no answer to it, and a blank is one.
        """
        self._completions = list(map(clean, completions))
        if afresh:
            self.forget_typed()
        try:
            if self.live and self.terminal and self._in is sys.stdin:
                line = input(visible(prompt))
            else:
                line = self._read(prompt)
        except EOFError:
            self._out.write("\n")
            self._out.flush()
            return None
        self._unread = 0
        return line.rstrip("\r\n") if afresh else line.strip().lstrip("\ufeff")

    def forget_typed(self) -> None:
        """Drop what waits to be read, where the system can do that."""
        if self.live:
            with suppress(ImportError, OSError, ValueError):
                import termios

                termios.tcflush(self._in.fileno(), termios.TCIFLUSH)

    def _read(self, prompt: str) -> str:
        self._out.write(prompt)
        self._out.flush()
        line = self._in.readline(_LONGEST + 1)
        # What has no end of a line is no answer either: `/dev/zero`.
        if not line or len(line) > _LONGEST:
            raise EOFError
        if not _is_terminal(self._in):
            self.say(line.strip())
        return line

    def _edit_lines(self) -> ModuleType | None:
        """Let arrow keys and TAB work, where Python can do that."""
        try:
            import readline
        except ImportError:
            return None
        readline.set_completer_delims("\n")
        readline.set_completer(self._complete)
        readline.parse_and_bind("tab: complete")
        return readline

    def _complete(self, text: str, state: int) -> str | None:
        found = [each for each in self._completions if each.casefold().startswith(text.casefold())]
        return found[state] if state < len(found) else None

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines that come in a list."""
        self.say(*lines)


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]  # a stream, or None
    except (AttributeError, ValueError):
        return False


def _columns() -> int:
    return max(NARROWEST, min(WIDEST, _size().columns))


def _size() -> os.terminal_size:
    """What `shutil` says as well, which imports all that packs files first."""
    said = [os.environ.get(name, "").strip() for name in ("COLUMNS", "LINES")]
    given = [int(each) if each.isdecimal() and len(each) < 10 else 0 for each in said]
    found = os.terminal_size((0, 0))
    if not all(given):
        with suppress(OSError, ValueError):
            found = os.get_terminal_size()
    columns, lines = (one or other for one, other in zip(given, found, strict=True))
    return os.terminal_size((columns or USUAL, lines or 24))

"""A file of a user's, changed whole or not at all.

Assumes: a file that was read, and its new text.
Does: writes the new content beside the file, with its mode, and puts it in its place at once: a
crash, a full disk or a second reader sees the old file or the new one. A link stays a link: what it
leads to is changed. A byte order mark stays. Nothing is written if the file says something else by
now, or may not be written.
Leaves behind: the file; an `OSError` that says in words what is in the way.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from tempfile import mkstemp

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import read_regular

_MARK = b"\xef\xbb\xbf"


class Changed(OSError):
    """Somebody has saved the file since it was read."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__(0, "it was changed meanwhile, so nothing was written: try again")


@frozen
class Original:
    """A file as it was read."""

    path: Path
    content: bytes

    def with_text(self, text: str) -> bytes:
        """The content of the file with another text."""
        mark = _MARK if self.content.startswith(_MARK) else b""
        return mark + text.encode("utf-8")


def original(path: Path) -> Original:
    """Read a file. Raises `OSError`, or `ValueError` for what is no path."""
    return Original(path, read_regular(path))


def rewrite(was: Original, text: str) -> None:
    """Give a file another text. Raises `OSError`."""
    path = Path(os.path.realpath(was.path))
    if not os.access(path, os.W_OK):
        raise PermissionError(0, "it may not be written")
    mode = stat.S_IMODE(os.stat(path).st_mode)
    number, fresh = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(was.with_text(text))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(fresh, mode)
        if read_regular(path) != was.content:
            raise Changed
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise

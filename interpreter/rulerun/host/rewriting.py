"""A file of a user's, changed whole or not at all.

Assumes: a file that was read, and its new text.
Does: writes the new content beside the file, with its mode, and puts it in its place at once: a
crash, a full disk or a second reader sees the old file or the new one (`replacing`, which others
use for files of their own). A link stays a link: what it leads to is changed. A byte order mark
stays. Nothing is written if the file says something else by now, or may not be written.
Leaves behind: the file; an `OSError` that says in words what is in the way.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import read_regular

_PART = ".part"
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

    def unchanged() -> None:
        if read_regular(path) != was.content:
            raise Changed

    with replacing(path, mode, unchanged) as file:
        file.write(was.with_text(text))


@contextmanager
def replacing(
    path: Path, mode: int = 0o600, last: Callable[[], None] | None = None
) -> Iterator[BinaryIO]:
    """A file beside another, which takes its place at once when all is written.

    `last` is called before that, and may object. Raises `OSError`.
    """
    number, fresh = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_PART)
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(fresh, mode)
        if last is not None:
            last()
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def forget_drafts(path: Path) -> None:
    """Remove what a process left beside a file that was killed while it wrote it."""
    for left in path.parent.glob(f".{escape(path.name)}.*{_PART}"):
        left.unlink(missing_ok=True)

"""Regular files, read up to a size.

Assumes nothing: a path may lead to a folder, a device, a pipe, or to more than any memory holds.
Does: opens regular files, after following links, and nothing else. It does not wait for a pipe that
nobody writes to, and looks at the size before it reads.
Leaves behind: bytes, or an `OSError` whose `strerror` says in words what is in the way.

Every reader of a user's files uses this module.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

LARGEST_FILE = 2**20
"""So many bytes a file may have that a person writes: rules, scenarios, scripts."""


class Special(OSError):
    """What the path leads to is no regular file. `what` it is: `a folder`, `a pipe`."""

    def __init__(self, what: str) -> None:
        """Say what it is."""
        super().__init__(0, f"it is {what}, not a file")
        self.what = what


class TooLarge(OSError):
    """A file is larger than its reader takes."""

    def __init__(self, most: int) -> None:
        """Say how large it may be."""
        super().__init__(0, f"it is larger than {most // 2**20} MiB")


def why(failure: Exception) -> str:
    """What the system, or one of the above, says is in the way: words in the middle of a sentence.

    >>> why(OSError(28, "No space left on device")), why(ValueError("a NUL"))
    ('no space left on device', 'a nul')
    """
    return (getattr(failure, "strerror", None) or str(failure) or type(failure).__name__).lower()


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link",
}


def opened(path: str | os.PathLike[str], *, writing: bool = False, follow: bool = True) -> BinaryIO:
    """Open a regular file that exists; with `follow=False` the path itself may be no link.

    Without a buffer where it is for `writing`. Raises `OSError`, and `ValueError` for a path that
    no file can have.
    """
    # To open a device can do something; so look before, and again at what was opened.
    _check(os.stat(path, follow_symlinks=follow))
    flags = os.O_RDWR if writing else os.O_RDONLY
    for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
        flags |= getattr(os, name, 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    number = os.open(path, flags)
    try:
        _check(os.fstat(number))
    except OSError:
        os.close(number)
        raise
    return os.fdopen(number, "r+b", buffering=0) if writing else os.fdopen(number, "rb")


def _check(found: os.stat_result) -> None:
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        raise Special(_KINDS.get(kind, "something else"))


def read_open(file: BinaryIO, most: int) -> bytes:
    """Read all of an open file. Raises `TooLarge`."""
    size = os.fstat(file.fileno()).st_size
    if size > most:
        raise TooLarge(most)
    # It may grow, and some files do not say how large they are.
    content = part = file.read(size + 1)
    while part:
        if len(content) > most:
            raise TooLarge(most)
        part = file.read(min(2**20, most + 1 - len(content)))
        content += part
    return content


_UNSAVED: ContextVar[Mapping[str, bytes] | None] = ContextVar("unsaved", default=None)


@contextmanager
def unsaved(contents: Mapping[Path, bytes]) -> Iterator[None]:
    """While inside, let files be read as if they had these contents already.

    What is checked then is what would be checked once they are saved, with all that reads them:
    modules, scenarios, texts.
    """
    known = {os.path.realpath(path): content for path, content in contents.items()}
    token = _UNSAVED.set({**(_UNSAVED.get() or {}), **known})
    try:
        yield
    finally:
        _UNSAVED.reset(token)


def read_regular(path: str | os.PathLike[str], most: int = LARGEST_FILE) -> bytes:
    """Read a regular file of at most `most` bytes. Raises `OSError`, or `ValueError`."""
    contents = _UNSAVED.get()
    if contents and (content := contents.get(os.path.realpath(path))) is not None:
        if len(content) > most:
            raise TooLarge(most)
        return content
    with opened(path) as file:
        return read_open(file, most)


def within(folder: Path, path: Path) -> Path | None:
    """Where a path leads once its links are followed; None if that is outside of the folder.

    A path that leads nowhere, since it is none or goes in a circle, is given back as it is.
    """
    try:
        real, root = path.resolve(), folder.resolve()
    except (OSError, RuntimeError, ValueError):
        return path
    return real if real.is_relative_to(root) else None

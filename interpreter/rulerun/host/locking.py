"""One process at a time: the process that writes a file holds it.

Assumes an open file.
Does: holds it by a lock of the system, which ends with the process, however that ends.
Leaves behind: nothing beside the file, so nothing that could be stale. Anybody may read. Where a
file system has no locks, nothing is held and nothing refused.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import BinaryIO

_BUSY = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK)

_FAR = 2**31 - 2
"""On Windows a lock is on bytes, and keeps readers from them: so it is on one that is not there."""


class InUse(OSError):
    """Somebody else holds the file, or has changed it; `strerror` says so."""

    def __init__(self, reason: str = "another process is writing to it") -> None:
        """Say why."""
        super().__init__(errno.EBUSY, reason)


def hold(file: BinaryIO) -> None:
    """Hold a file until it is closed. Raises `InUse`."""
    try:
        _lock(file)
    except OSError as failure:
        if failure.errno in _BUSY:
            raise InUse from None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        at = file.tell()
        try:
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(at, os.SEEK_SET)

else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

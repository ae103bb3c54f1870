"""The folder of the user in which results are kept between runs.

Assumes: nothing. A file that cannot be read or written is treated as missing.
Does: says where the folder is, and uses it only if nobody else can change what lies in it; writes
files whole or not at all, signed with a key that lies there too; gives back only what is exactly as
it was written; forgets the oldest.
Leaves behind: files in the folder `RULERUN_CACHE`, else `rulerun` in the folder that the system has
for such things. `RULERUN_CACHE=off` keeps nothing.

The content is believed: a note that a file is right, a game that was checked, machine code that is
run. So anybody who could write there could run code as this user, and two things stand against it:

* *The folder*. After links are resolved it must be this user's own, with nobody else allowed to
  write in it, and every folder above it must be this user's or root's. Above it, a folder in
  which everybody may write will do if it is sticky, like the one for temporary files: there nobody
  can replace what is another's. Otherwise nothing is kept, which is said once. Where owners and
  modes say nothing (Windows), it must lie below the user's home, which the system guards.
* *The key*. Each file begins with a keyed digest of its name and its content. The key is random,
  and only its owner may read it. So a file that came there in any other way, was torn, or was moved
  to another name, is treated as missing.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import BinaryIO

from rulerun.host.locking import InUse, hold
from rulerun_dsl.source.regular_files import opened, read_open

MOST = 200
"""So many files of one kind are kept; the oldest are forgotten."""

_A_DAY = 86_400
LARGEST = 2**26
"""No file in the folder has more bytes."""

KEY = "key"
_SIZE = 32
"""Bytes of the key, and of a digest."""


def folder() -> Path | None:
    """The cache folder of this user, which need not be there; None: nothing shall be kept."""
    where = _named()
    if where is None:
        return None
    with suppress(OSError, RuntimeError, ValueError):
        where = where.resolve()
        why = _untrusted(where)
        if why is None:
            return where
        _say(f"nothing is kept in the cache folder `{where}`: {why}")
    return None


def recall(kind: str, name: str) -> bytes | None:
    """What was kept under a name, if it is just what was written."""
    root = folder()
    with suppress(OSError):
        if root is not None and _own(os.lstat(root / kind)):
            key = _read(root / KEY, secret=True)
            content = _read(root / kind / name)
            if compare_digest(content[:_SIZE], _digest(key, kind, name, content[_SIZE:])):
                return content[_SIZE:]
    return None


def is_there(kind: str, name: str) -> bool:
    """Whether something is kept under a name; `recall` says whether it is what was written."""
    root = folder()
    return root is not None and (root / kind / name).is_file()


def keep(kind: str, name: str, content: bytes) -> None:
    """Write a file whole, and forget the oldest of its kind."""
    root = folder()
    if root is None or len(content) > LARGEST - _SIZE:
        return
    with suppress(OSError):
        place = root / kind
        _make(place)
        # Looked at again, now that it is there.
        if _untrusted(root) is not None or not _own(os.lstat(place)):
            return
        _write(place / name, _digest(_key(root), kind, name, content) + content)
        every = sorted(place.glob("*" + Path(name).suffix), key=lambda each: each.lstat().st_mtime)
        # What a process had claimed that was ended before it was done is nobody's.
        before = time.time() - _A_DAY
        left = [each for each in place.glob("*.making") if each.lstat().st_mtime < before]
        for old in [*every[:-MOST], *left]:
            old.unlink(missing_ok=True)


@contextmanager
def claimed(kind: str, name: str) -> Iterator[bool]:
    """Hold a name while what belongs to it is made; False: another process makes it just now.

    Where nothing is kept, each makes its own.
    """
    root = folder()
    if root is None:
        yield True
        return
    place = root / kind / name
    file: BinaryIO | None = None
    with suppress(OSError):
        _make(place.parent)
        file = open(place, "ab")
    if file is None:
        yield True
        return
    with file:
        try:
            hold(file)
        except InUse:
            yield False
            return
        try:
            yield True
        finally:
            with suppress(OSError):
                place.unlink()


def _named() -> Path | None:
    """The folder that the user, or the system, names."""
    given = os.environ.get("RULERUN_CACHE", "")
    if given == "off":
        return None
    if given:
        return Path(given)
    places = {"win32": ("LOCALAPPDATA", "~/AppData/Local"), "darwin": ("", "~/Library/Caches")}
    name, otherwise = places.get(sys.platform, ("XDG_CACHE_HOME", "~/.cache"))
    try:
        return Path(os.environ.get(name) or otherwise).expanduser() / "rulerun"
    except RuntimeError:
        return None


# ----------------------------------------------------------------------------------- whose it is


def _untrusted(folder: Path) -> str | None:
    """Why somebody else might change what lies in a folder, or will once it is made there."""
    if not hasattr(os, "geteuid"):
        home = Path.home().resolve()
        return None if folder.is_relative_to(home) else f"it is not below `{home}`"
    for each in (*reversed(folder.parents), folder):
        try:
            found = os.lstat(each)
        except FileNotFoundError:
            return None
        if not stat.S_ISDIR(found.st_mode):
            return f"`{each}` is no folder"
        if each == folder:
            return None if _own(found) else _whose(found)
        if found.st_uid not in (0, os.geteuid()):
            return f"`{each}` belongs to somebody else"
        sticky = found.st_mode & stat.S_ISVTX
        if _others(found) and not sticky and not _only_me(found):
            return f"others may write in `{each}`"
    return None


def _whose(found: os.stat_result) -> str:
    mine = found.st_uid == os.geteuid()
    return "others may write in it" if mine else "it belongs to somebody else"


def _own(found: os.stat_result) -> bool:
    """Whether a folder or file is this user's, and for nobody else to write."""
    if stat.S_ISLNK(found.st_mode):
        return False
    return not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not _others(found))


def _others(found: os.stat_result) -> bool:
    return bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _only_me(found: os.stat_result) -> bool:
    """Whether only a group may write that has the user's name and no other member."""
    if found.st_mode & stat.S_IWOTH:
        return False
    try:
        import grp
        import pwd

        me, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(found.st_gid)
    except (ImportError, KeyError):
        return False
    return group.gr_name == me.pw_name and not set(group.gr_mem) - {me.pw_name}


_said: list[str] = []
"""What was said in this process."""


def _say(text: str) -> None:
    """Say something once, on standard error; the processes that this one starts say nothing."""
    process = sys.modules.get("multiprocessing.process")
    if _said or sys.stderr is None or (process is not None and process.parent_process()):
        return
    _said.append(text)
    print(f"rulerun: {text} (RULERUN_CACHE names another, or is `off`)", file=sys.stderr)


# ----------------------------------------------------------------------------------------- files


def _make(folder: Path) -> None:
    """Make a folder and what is missing above it, each for this user alone."""
    for each in (*reversed(folder.parents), folder):
        if not each.exists():
            with suppress(FileExistsError):
                each.mkdir(mode=0o700)


def _read(path: Path, *, secret: bool = False) -> bytes:
    """Read a file of the cache. Raises `OSError` if it may be somebody else's."""
    with opened(path, follow=False) as file:
        _check(file, secret)
        content = read_open(file, _SIZE if secret else LARGEST)
    if len(content) < _SIZE:
        raise OSError("it is torn")
    return content


def _check(file: BinaryIO, secret: bool) -> None:
    found = os.fstat(file.fileno())
    shared = stat.S_IMODE(found.st_mode) & 0o077 and hasattr(os, "geteuid")
    if not _own(found) or (secret and shared):
        raise PermissionError("it is not this user's alone")


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, for this user alone."""
    from tempfile import mkstemp

    number, fresh = mkstemp(dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def _key(root: Path) -> bytes:
    """The key of this folder; if two processes make one at once, the last is the one."""
    try:
        return _read(root / KEY, secret=True)
    except OSError:
        key = os.urandom(_SIZE)
        _write(root / KEY, key)
        return key


def _digest(key: bytes, kind: str, name: str, content: bytes) -> bytes:
    signed = blake2b(f"{kind}/{name}\0".encode(), key=key, digest_size=_SIZE)
    signed.update(content)
    return signed.digest()

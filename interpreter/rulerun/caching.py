"""The folder of the user in which what was found or made once is kept.

Assumes: nothing. What cannot be read or written is as good as not there.
Does: says where the folder is; writes files whole or not at all, and forgets the oldest.
Leaves behind: files in the folder `RULERUN_CACHE`, else `rulerun` in the folder that the system has
for such things. `RULERUN_CACHE=off` keeps nothing.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import get_ident

MOST = 200
"""So many files of one kind are kept; the oldest are forgotten."""


def folder() -> Path | None:
    """The cache folder of this user; None if nothing shall be kept."""
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


def keep(file: Path, content: bytes) -> None:
    """Write a file whole, and forget the oldest of its kind."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(f".{os.getpid()}-{get_ident()}")
        fresh.write_bytes(content)
        fresh.replace(file)
        every = sorted(file.parent.glob(f"*{file.suffix}"), key=lambda each: each.stat().st_mtime)
        for old in every[:-MOST]:
            old.unlink(missing_ok=True)

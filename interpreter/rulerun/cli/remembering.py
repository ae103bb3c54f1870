"""What was found to be right once need not be checked again.

Assumes a rules file with its module files, checked and played without a finding, a file of
scenarios checked with its rules, or a game made of rules for some settings.
Does: keeps the digests of these files in a folder of the user's, one small file for each rules
file, for this very copy of rulerun; with a game, the checked game itself. Nothing is kept of a file
with findings. What cannot be read or written, or says something else, is as good as not there.
Leaves behind: `validated/*.json` and `games/*.bin` in the cache folder: `RULERUN_CACHE`, else
`rulerun` in the folder that the system has for such things. `RULERUN_CACHE=off` keeps nothing.

A game is read back with nothing but the classes of the language: whatever else such a file might
name is refused.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rulerun
import rulerun_dsl
from rulerun import caching

if TYPE_CHECKING:
    from rulerun_dsl.model import Game


@dataclass(frozen=True, slots=True)
class Checked:
    """How far a file was examined that was found right."""

    settings: int
    play: int = 0
    """The inputs of random play that were allowed."""
    unplayed: tuple[str, ...] = ()
    """The settings that they did not reach."""


def recall(path: Path) -> Checked | None:
    """How far this file was found right, if it and what it was checked with are unchanged."""
    entry = _entry(path)
    if entry is None:
        return None
    try:
        data = json.loads(entry.read_bytes())
        settings, files = data["settings"], data["files"]
        same = all(_digest(path.parent / name) == digest for name, digest in files.items())
        if same and type(settings) is int and path.name in files:
            return Checked(settings, data["play"], tuple(map(str, data["unplayed"])))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        pass
    return None


def remember(path: Path, others: Iterable[Path], checked: Checked) -> None:
    """Note that a file is right together with others: its modules, the rules of scenarios."""
    entry = _entry(path)
    if entry is None:
        return
    with suppress(OSError, ValueError):
        files = {os.path.relpath(each, path.parent): _digest(each) for each in (path, *others)}
        caching.keep(entry, json.dumps({**asdict(checked), "files": files}).encode())


def recall_game(path: Path, settings: str) -> Game | None:
    """The game made of a rules file for these settings, if it and its modules are unchanged."""
    entry = _entry(path, settings)
    if entry is None:
        return None
    try:
        head, _, body = entry.read_bytes().partition(b"\n")
        files = json.loads(head)
        if all(_digest(path.parent / name) == digest for name, digest in files.items()):
            from rulerun_dsl.model import Game

            found = _Language(io.BytesIO(body)).load()
            return found if isinstance(found, Game) else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError, ImportError):
        pass
    except (pickle.UnpicklingError, IndexError, MemoryError, RecursionError):
        pass
    return None


def remember_game(path: Path, modules: Iterable[Path], settings: str, game: Game) -> None:
    """Keep the game made of a rules file for these settings."""
    entry = _entry(path, settings)
    if entry is None:
        return
    with suppress(OSError, ValueError, pickle.PicklingError, RecursionError):
        files = {os.path.relpath(each, path.parent): _digest(each) for each in (path, *modules)}
        head = json.dumps(files).encode()
        caching.keep(entry, head + b"\n" + pickle.dumps(game, pickle.HIGHEST_PROTOCOL))


class _Language(pickle.Unpickler):
    """Reads back values of the language and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "rulerun_dsl.frozen" or module in _MODULES:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no value of the language")


_MODULES = frozenset(
    (
        "rulerun_dsl.model.expressions",
        "rulerun_dsl.model.instructions",
        "rulerun_dsl.model.game",
        "rulerun_dsl.valuetypes",
        "rulerun_dsl.source",
    )
)


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _entry(path: Path, game: str | None = None) -> Path | None:
    """Where it is noted what was found of a rules file; with settings, where the game is kept."""
    folder = caching.folder()
    if folder is None:
        return None
    with suppress(OSError, ValueError):
        about = f"{_copy()}\0{path.resolve()}"
        if game is None:
            return folder / "validated" / f"{sha256(about.encode()).hexdigest()}.json"
        about += f"\0{game}"
        return folder / "games" / f"{sha256(about.encode()).hexdigest()}.bin"
    return None


def _copy() -> str:
    """Which copy of rulerun this is: another one may find something else."""
    parts = [sys.version, rulerun.__version__]
    for package in (rulerun, rulerun_dsl):
        root = Path(package.__path__[0])
        for folder in sorted({root, *(each for each in root.iterdir() if each.is_dir())}):
            for each in sorted(folder.iterdir()):
                if each.suffix in (".py", ".lark", ".json"):
                    found = each.stat()
                    parts.append(f"{each}:{found.st_size}:{found.st_mtime_ns}")
    return sha256("\n".join(parts).encode()).hexdigest()

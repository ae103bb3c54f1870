"""What was found to be right once need not be checked again.

Assumes a rules file with its module files, checked and played without a finding, a file of
scenarios checked with its rules, or a game made of rules for some settings.
Does: keeps the digests of these files in a folder of the user's, one small file for each rules
file, for this very copy of rulerun; with a game, the checked game itself. Nothing is kept of a file
with findings. What cannot be read or written, or says something else, is treated as missing.
Leaves behind: `validated/*.json` and `games/*.bin` in the cache, which gives back just what was
written (see `host.cache_dir`). A game is read back with nothing but the classes of the language,
each by its exact name: even what was signed by mistake could name nothing else.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rulerun
import rulerun_dsl
from rulerun.host import cache_dir
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import read_regular

if TYPE_CHECKING:
    from rulerun_dsl.load import Loaded
    from rulerun_dsl.model import Game
    from rulerun_dsl.source.spans import Source


@frozen
class Checked:
    """How far a file was examined that was found right."""

    settings: int
    play: int = 0
    """The inputs of random play that were allowed."""
    unplayed: tuple[str, ...] = ()
    """The settings that they did not reach."""


@frozen
class KeptGame:
    """A game, and what names it in the cache: "" where it is not kept.

    The name stands for the rules file and its modules as they are, the settings and this copy of
    rulerun. What is made of the game is found by it.
    """

    game: Game
    name: str


def recall(path: Path) -> Checked | None:
    """How far this file was found right, if it and what it was checked with are unchanged."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content = cache_dir.recall("validated", _name(path, ".json"))
        if content is None:
            return None
        data = json.loads(content)
        settings, files = data["settings"], data["files"]
        if _same(path, files) and type(settings) is int and path.name in files:
            return Checked(settings, data["play"], tuple(map(str, data["unplayed"])))
    return None


def remember(
    path: Path, others: Iterable[Path], checked: Checked, read: Iterable[Source] = ()
) -> None:
    """Note that a file is right together with others: its modules, the rules of scenarios.

    `read` is what was checked: nothing is kept if a file says something else by now.
    """
    with suppress(OSError, ValueError):
        data = {**asdict(checked), "files": _files(path, others)}
        if not all(map(_unchanged, read)):
            return
        cache_dir.keep("validated", _name(path, ".json"), json.dumps(data).encode())


def remember_rules(
    path: Path, others: Iterable[Path], checked: Checked, loaded: Loaded, *read: Source
) -> None:
    """Note that a file is right together with others, and with the modules of the rules."""
    modules = [Path(each.name) for each in loaded.modules]
    remember(path, [*others, *modules], checked, (*read, loaded.source, *loaded.modules))


def recall_game(path: Path, settings: str) -> KeptGame | None:
    """The game made of a rules file for these settings, if it and its modules are unchanged."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, EOFError, ImportError):
        name = _name(path, ".bin", settings)
        content = cache_dir.recall("games", name)
        head, _, body = (content or b"").partition(b"\n")
        if content is None or not _same(path, json.loads(head)):
            return None
        with suppress(pickle.UnpicklingError, IndexError, MemoryError, RecursionError):
            game = read_game(body)
            return None if game is None else KeptGame(game, _known(name, head))
    return None


def remember_game(
    path: Path,
    modules: Iterable[Path],
    settings: str,
    game: Game,
    read: Iterable[Source] = (),
) -> str:
    """Keep the game made of a rules file for these settings, if the files are as they were read.

    What names it in the cache, or "".
    """
    with suppress(OSError, ValueError, pickle.PicklingError, RecursionError):
        head = json.dumps(_files(path, modules)).encode()
        if not all(map(_unchanged, read)):
            return ""
        body = pickle.dumps(game, pickle.HIGHEST_PROTOCOL)
        name = _name(path, ".bin", settings)
        cache_dir.keep("games", name, head + b"\n" + body)
        return _known(name, head)
    return ""


def _known(name: str, head: bytes) -> str:
    return sha256(name.encode() + head).hexdigest()


def read_game(body: bytes) -> Game | None:
    """The game that was written so. Raises `UnpicklingError`, or what else odd bytes lead to."""
    from rulerun_dsl.model import Game

    found = _Language(io.BytesIO(body)).load()
    return found if isinstance(found, Game) else None


class _Language(pickle.Unpickler):
    """Reads back values of the language and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        found = _classes().get((module, name))
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no value of the language")
        return found


_MODULES = (
    "rulerun_dsl.model.expressions",
    "rulerun_dsl.model.instructions",
    "rulerun_dsl.model.game",
    "rulerun_dsl.model.valuetypes",
    "rulerun_dsl.model.words",
    "rulerun_dsl.source.spans",
)


@cache
def _classes() -> dict[tuple[str, str], type]:
    """The values of the language: the frozen classes of these modules, no more and none by a path.

    Pickle would follow dots in a name, and so from any module come to `os.system`.
    """
    return {
        (module, name): each
        for module in _MODULES
        for name, each in vars(import_module(module)).items()
        if isinstance(each, type) and is_dataclass(each) and each.__module__ == module
    }


_NO_CODE = ("__pycache__", "rulesets", "diagnostics_pages", "language_pages", "glossary.md")
"""Folders of the packages that do not say what rulerun does."""


def _digest(path: Path) -> str:
    return sha256(read_regular(path)).hexdigest()


def _files(path: Path, modules: Iterable[Path]) -> dict[str, str]:
    """The digests of a rules file and its modules, by their names as seen from its folder."""
    return {os.path.relpath(each, path.parent): _digest(each) for each in (path, *modules)}


def _unchanged(read: Source) -> bool:
    """Whether a file still says what was read."""
    from rulerun_dsl.yaml.open_source import read_source

    now, _ = read_source(Path(read.name), read.name)
    return now is not None and now.text == read.text


def _same(path: Path, files: dict[str, str]) -> bool:
    return all(_digest(path.parent / name) == digest for name, digest in files.items())


def _name(path: Path, suffix: str, *settings: str) -> str:
    """Under which name it is kept what was found of a rules file, or the game for settings."""
    about = "\0".join((this_copy(), os.path.realpath(path), *settings))
    return sha256(about.encode()).hexdigest() + suffix


@cache
def this_copy() -> str:
    """Which copy of rulerun this is: another one may find something else.

    It is looked at once: what runs is what was there when this process first asked.
    """
    return copy_in(rulerun.__path__[0], rulerun_dsl.__path__[0])


def copy_in(*packages: str) -> str:
    """The same of the packages in these folders: when each of their files was written."""
    parts = [sys.version, rulerun.__version__]
    for package in packages:
        parts += sorted(_stamps(package))
    return sha256("\n".join(parts).encode()).hexdigest()


def _stamps(folder: str) -> Iterator[str]:
    """Size and time of each file in a folder, at any depth, that says what rulerun does."""
    with os.scandir(folder) as entries:
        for each in entries:
            if each.name.endswith((".py", ".lark", ".json")):
                found = each.stat()
                yield f"{each.path}:{found.st_size}:{found.st_mtime_ns}"
            elif each.name not in _NO_CODE and each.is_dir(follow_symlinks=False):
                yield from _stamps(each.path)

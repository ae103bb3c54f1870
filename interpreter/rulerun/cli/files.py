"""Which files a command line means: files, folders, `-`, names of shipped rulesets.

Assumes paths as typed; with none, the folder `rulesets/` here.
Leaves behind files in a stable order, each once; or the text on standard input, up to a size. A
folder means every YAML file below it that is not hidden. No file at all is `Unable`, so that
nothing examined is never taken for nothing wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from rulerun.cli.common import Unable
from rulerun.host.table_folder import TABLES
from rulerun_dsl.source.regular_files import LARGEST_FILE

DEFAULT = "rulesets"
STDIN = "-"
SCENARIOS = (".test.yaml", ".test.yml")
YAML = (".yaml", ".yml")


def is_scenarios(path: Path) -> bool:
    """Whether a file holds scenarios, by its name."""
    return path.name.endswith(SCENARIOS)


def standard_input() -> bytes:
    """All of standard input, which may be as large as a file and one byte larger."""
    if sys.stdin is None:
        raise Unable("there is no standard input to read")
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return sys.stdin.read(LARGEST_FILE + 1).encode("utf-8", "replace")
    content: bytes = buffer.read(LARGEST_FILE + 1)
    return content


def collect(names: Sequence[str], wanted: Callable[[Path], bool]) -> list[Path]:
    """The files that are meant. A file that is named is taken whatever `wanted` says."""
    found: dict[str, Path] = {}
    for name in names or [DEFAULT]:
        for path in _files(name, wanted):
            # Unlike `Path.resolve`, this gives an answer for links in a circle.
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _files(name: str, wanted: Callable[[Path], bool]) -> Iterable[Path]:
    from rulerun_dsl.source.resources import ruleset_path

    path = Path(name)
    try:
        if path.is_dir():
            return [each for each in _below(path) if wanted(each)]
        if path.exists():
            return [path]
        shipped = ruleset_path(name)
    except (OSError, ValueError):
        raise Unable(f"`{name}` is no name of a file") from None
    if shipped is not None:
        return [shipped]
    if name == DEFAULT:
        raise Unable(
            f"there is no folder `{DEFAULT}` here: say which files or folders, `.` for this one"
        )
    raise Unable(f"there is no file or folder `{name}`")


def _below(folder: Path) -> Iterator[Path]:
    if (folder / TABLES).exists():
        # Where `serve` keeps its tables are copies of rules, which are nobody's to check.
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():
                yield from _below(path)
        elif path.name.endswith(YAML):
            yield path

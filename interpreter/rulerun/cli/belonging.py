"""What belongs together: modules and the rules files that list them, rules and their scenarios.

Assumes paths of files that exist.
Does: finds the rules files that list a module under `files:`. A module lies beside or below its
rules file, so they are looked for in its folder and those above, up to the root of the repository
(where `.git` is), else up to the working folder, else one folder up. Finds the files of scenarios
beside a rules file that are about it.
Leaves behind paths, in a stable order. In a folder with very many files it looks at some of them,
and `crowded` names the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rulerun.cli.files import SCENARIOS, YAML, is_scenarios
from rulerun_dsl.source import first_words
from rulerun_dsl.source.regular_files import read_regular

MOST_FILES = 500
"""So many files of a folder are looked at for one that lists a module."""
MOST_FOLDERS = 16

if TYPE_CHECKING:
    from rulerun_dsl.yaml.nodes import Mapping

_FILES = re.compile(rb"^files[ \t]*:", re.MULTILINE)
_RULESET = re.compile(rb"^ruleset[ \t]*:", re.MULTILINE)


def is_rules(path: Path) -> bool:
    """Whether a file is a rules file, by its first words."""
    return not is_scenarios(path) and first_words.is_game(_content(path))


def is_module(path: Path) -> bool:
    """Whether a file is a module of other rules, by its first words."""
    return first_words.is_module(_content(path))


def is_texts(path: Path) -> bool:
    """Whether a file holds what people read of a game, by its first words."""
    return first_words.is_texts(_content(path))


def is_rules_or_what_belongs(path: Path) -> bool:
    """Whether a file of a folder is one of ours: by its name, or by a key that begins a line."""
    try:
        return is_scenarios(path) or first_words.is_ours(read_regular(path))
    except OSError:
        # What cannot be read may be rules, and is told of.
        return True


def repository(path: Path) -> Path | None:
    """The root of the repository in which a file lies."""
    try:
        folder = Path(os.path.realpath(path)).parent
        return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    except OSError:
        return None


def from_root(name: str) -> str:
    """A path as a service that shows findings beside the lines knows it: from the repository."""
    path = Path(name)
    root = repository(path)
    for folder in (root, Path.cwd()):
        if folder is not None and path.exists():
            with suppress(OSError, ValueError):
                return (
                    Path(os.path.realpath(path))
                    .relative_to(Path(os.path.realpath(folder)))
                    .as_posix()
                )
    return name


def parents(module: Path) -> list[Path]:
    """The rules files that list a module."""
    found: list[Path] = []
    for folder in _upwards(module):
        for path in _yaml(folder):
            if not is_scenarios(path) and _lists(path, module):
                found.append(path)
    return found


def scenarios_about(rules: Path) -> list[Path]:
    """The files of scenarios beside a rules file that are about it."""
    stem = next((rules.name.removesuffix(one) for one in YAML if rules.name.endswith(one)), "")
    beside = {stem + ending for ending in SCENARIOS}
    return [
        path
        for path in _yaml(rules.parent)
        if is_scenarios(path) and (_names(path, rules) or path.name in beside)
    ]


def _upwards(module: Path) -> Iterator[Path]:
    """The folders in which a module may be listed, spelt as the module's path is."""
    folder = module.parent
    top = repository(module)
    if top is None:
        here, whole = Path.cwd().resolve(), Path(os.path.realpath(folder))
        top = here if here in (whole, *whole.parents) else whole.parent
    for _ in range(MOST_FOLDERS):
        yield folder
        whole = Path(os.path.realpath(folder))
        if whole in (top, whole.parent):
            return
        folder = Path(os.path.normpath(folder / "..")) if folder.is_absolute() else folder / ".."
        with suppress(ValueError):
            if not folder.is_absolute():
                folder = Path(os.path.relpath(folder))


def crowded(path: Path) -> list[tuple[Path, int]]:
    """The folders of which not all files are looked at for what a file belongs to, and how many."""
    folders = _upwards(path) if is_module(path) else [path.parent]
    counted = [(folder, len(_every(folder))) for folder in folders]
    return [(folder, count) for folder, count in counted if count > MOST_FILES]


def _yaml(folder: Path) -> list[Path]:
    return _every(folder)[:MOST_FILES]


def _every(folder: Path) -> list[Path]:
    try:
        every = sorted(each for each in folder.iterdir() if each.name.endswith(YAML))
    except OSError:
        return []
    return [each for each in every if not each.name.startswith(".")]


def _content(path: Path) -> bytes:
    """The bytes of a file of rules; nothing of what is none, or is too large to be one."""
    try:
        return read_regular(path).removeprefix(b"\xef\xbb\xbf")
    except OSError:
        return b""


def _lists(path: Path, module: Path) -> bool:
    """Whether a rules file lists a module."""
    content = _content(path)
    if not _FILES.search(content) or os.fsencode(module.name) not in content:
        return False
    from rulerun_dsl.yaml.nodes import Scalar, Sequence

    document = _document(path)
    if document is None:
        return True  # What is wrong with it is told then, and not that nothing lists the module.
    files = document.get("files")
    if not isinstance(files, Sequence):
        return False
    names = [each.text for each in files.items if isinstance(each, Scalar)]
    return any(_same(path.parent / name, module) for name in names)


def _names(path: Path, rules: Path) -> bool:
    """Whether a file of scenarios names a rules file."""
    if not _RULESET.search(_content(path)):
        return False
    from rulerun_dsl.yaml.nodes import Scalar

    document = _document(path)
    named = None if document is None else document.get("ruleset")
    return isinstance(named, Scalar) and _same(path.parent / named.text, rules)


def _document(path: Path) -> Mapping | None:
    from rulerun_dsl.yaml.document import load_document
    from rulerun_dsl.yaml.open_source import read_source

    source, _ = read_source(path)
    return None if source is None else load_document(source)[0]


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.realpath(one) == os.path.realpath(other)
    except (OSError, ValueError):
        return False

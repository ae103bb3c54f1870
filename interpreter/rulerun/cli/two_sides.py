"""Two rules files to compare: files, shipped rulesets, or what git has at a revision.

Assumes the arguments of `rulerun diff`: OLD and NEW, each a file, the name of a shipped ruleset or
REV:PATH; REV and FILE; REV, REV and FILE; or one FILE, which is compared with its last commit.
Does: reads each side with its modules, all of them from the same revision.
Leaves behind: two `Side` values, or `Unable`: findings of a broken file are shown at their places.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rulerun.cli.common import Unable, complain, find_rules
from rulerun.host.revisions import NoRevision, Revision, revision, root_of
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import visible

if TYPE_CHECKING:
    from rulerun_dsl.load import Loaded

LAST = "HEAD"


@frozen
class _Committed:
    """A rules file at a revision: its path as git takes it, and as it was typed."""

    at: Revision
    path: str
    typed: str

    @property
    def name(self) -> str:
        """How messages call it; with a folder, so that modules are named beside it."""
        return f"{self.at.name}:{self.typed if '/' in self.typed else f'./{self.typed}'}"


@frozen
class Side:
    """A rules file that was read, and what it is called."""

    name: str
    loaded: Loaded


def sides(arguments: Sequence[str]) -> tuple[Side, Side]:
    """The old and the new rules."""
    try:
        old, new = _meant(arguments)
        return _read(old), _read(new)
    except NoRevision as problem:
        raise Unable(str(problem)) from None


def _meant(arguments: Sequence[str]) -> tuple[Path | _Committed, Path | _Committed]:
    if len(arguments) == 3:
        return _of_file(arguments[0], arguments[2]), _of_file(arguments[1], arguments[2])
    if len(arguments) == 2:
        first, second = arguments
        if ":" not in first and not _is_file(first):
            return _two(first, second)
        return _there(first), _there(second)
    (only,) = arguments
    there = _there(only)
    if isinstance(there, _Committed):
        top = there.at.folder if there.path.startswith("./") else root_of(there.at.folder)
        return there, top / there.path
    return _of_file(LAST, str(there)), there


def _two(first: str, second: str) -> tuple[Path | _Committed, Path | _Committed]:
    """OLD and NEW where OLD is no file that is here: a shipped ruleset, or a revision."""
    try:
        old = find_rules(first)
    except Unable as missing:
        new = _there(second)
        if Path(first).suffix in (".yaml", ".yml"):
            raise missing from None
        try:
            if isinstance(new, _Committed):
                return _Committed(revision(first, new.at.folder), new.path, new.typed), new
            return _of_file(first, str(new)), new
        except NoRevision as problem:
            if Path(first).exists():
                raise missing from None
            raise NoRevision(f"{problem}, and there is no file of that name") from None
    return old, _there(second)


def _there(name: str) -> Path | _Committed:
    """A side by its name; who names a revision alone is asked for the file."""
    try:
        return _one(name)
    except Unable as missing:
        try:
            revision(name, Path.cwd())
        except NoRevision:
            raise missing from None
        message = f"`{name}` is a revision, but of which file? Write `{name} FILE` or `{name}:PATH`"
        raise Unable(message) from None


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _one(name: str) -> Path | _Committed:
    """A file, a shipped ruleset, or REV:PATH from the top of the repository."""
    named, colon, path = name.partition(":")
    if _is_file(name) or not colon:
        return find_rules(name)
    if not named or not path:
        raise Unable(f"`{name}`: write it as REV:PATH, such as {LAST}:rulesets/game.yaml")
    return _Committed(revision(named, Path.cwd()), path, path)


def _of_file(name: str, file: str) -> _Committed:
    """A file as it was at a revision, whether it still is there or not."""
    path = Path(file)
    folder = path.parent
    try:
        while not folder.is_dir():
            folder = folder.parent
        inside = path.relative_to(folder).as_posix()
    except (OSError, ValueError):
        raise Unable(f"`{file}` is no name of a file") from None
    return _Committed(revision(name, folder.absolute()), f"./{inside}", path.as_posix())


def _read(side: Path | _Committed) -> Side:
    from rulerun_dsl.load import load

    if isinstance(side, Path):
        loaded, findings = load(side, str(side))
        name = str(side)
    else:
        name = side.name
        with _checked_out(side) as path:
            loaded, findings = load(path, name)
    if loaded is None:
        complain(findings)
        raise Unable(f"{visible(name)} has errors, so what is different in the game cannot be told")
    return Side(name, loaded)


@contextmanager
def _checked_out(side: _Committed) -> Iterator[Path]:
    """The file and its modules of one revision, in a folder of their own."""
    content = side.at.read(side.path)
    if content is None:
        what = f"`{side.typed}` is no file of `{side.at.name}`"
        other = f"; if it had another name there, write `{side.at.name}:./OTHER.yaml` for OLD"
        raise NoRevision(what + (other if side.path.startswith("./") else ""))
    beside = PurePosixPath(side.path).parent
    with tempfile.TemporaryDirectory(prefix="rulerun-") as folder:
        path = Path(folder, PurePosixPath(side.path).name)
        path.write_bytes(content)
        for module in _modules(content):
            # `.` in front stays in front: it says that the path begins in the folder.
            inside = f"./{beside / module}" if side.path.startswith("./") else str(beside / module)
            found = side.at.read(inside)
            if found is not None:
                there = Path(folder, module)
                try:
                    there.parent.mkdir(parents=True, exist_ok=True)
                    there.write_bytes(found)
                except OSError:
                    # A name that no file can have here is missed by who reads the rules.
                    continue
        yield path


def _modules(content: bytes) -> list[str]:
    """The module files that a rules file lists, those outside its folder left out."""
    from rulerun_dsl.yaml.document import load_document
    from rulerun_dsl.yaml.nodes import Scalar, Sequence
    from rulerun_dsl.yaml.open_source import read_source

    source, _ = read_source(content)
    document = load_document(source)[0] if source is not None else None
    files = document.get("files") if document is not None else None
    names = [
        each.text
        for each in (files.items if isinstance(files, Sequence) else ())
        if isinstance(each, Scalar)
    ]
    return [
        name
        for name in names
        if name and not Path(name).is_absolute() and ".." not in PurePosixPath(name).parts
    ]

"""The files of one ruleset, read and saved: rules, modules, texts in other languages, scenarios.

Assumes a rules file; what else belongs to it is what that file names, and what stands beside it.
Does: reads them as an editor wants them, and saves texts whole or not at all: not where a file was
changed by somebody else meanwhile, not where a link leads out of the folder. Lines that nobody
touched keep their ends, and comments are text like any other.
Leaves behind texts with the marks of what was read, and files.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from rulerun.host.rewriting import Changed, Original, original, rewrite
from rulerun.words.language import SHIPPED
from rulerun_dsl.assist.analysis import modules_of
from rulerun_dsl.assist.open_texts import change_between
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import LARGEST_FILE, why, within
from rulerun_dsl.source.spans import Source
from rulerun_dsl.translations import files_of_texts, texts_of
from rulerun_dsl.yaml.document import load_document

RULES, MODULE, TEXTS, SCENARIOS = "rules", "module", "texts", "scenarios"
MOST_FILES = 100


class NotSaved(Exception):
    """A file was not written; the message says why."""


@frozen
class Held:
    """A file as it is on the disk."""

    name: str
    kind: str
    text: str
    """Whose lines end as an editor has them."""
    mark: str
    """Of its content: what was read is what is overwritten, or nothing is. "": it is not there."""
    trouble: str = ""
    """Why it cannot be read."""


@frozen
class Stale:
    """A file that says something else than what its reader has seen."""

    name: str
    text: str
    mark: str


@frozen
class Saved:
    """What came of a save: all is written, unless there is a `stale` or a `trouble`."""

    marks: Mapping[str, str]
    """The new mark of each file that was written."""
    stale: Stale | None = None
    """The first file that is another by now."""
    trouble: str = ""
    """Why a file could not be written after others were."""


class _Meanwhile(Exception):
    """Somebody else has written a file."""

    def __init__(self, stale: Stale) -> None:
        """`stale`: the file as it is now."""
        self.stale = stale


class Files:
    """The files of a ruleset."""

    def __init__(self, main: Path) -> None:
        """`main`: the rules file; links are followed once, here."""
        self.main = main.resolve()
        self.folder = self.main.parent

    @property
    def scenarios(self) -> str:
        """The name of the file of scenarios, which need not be there yet."""
        stem = self.main.name.removesuffix(self.main.suffix)
        names = [f"{stem}.test.yaml", f"{stem}.test.yml"]
        return next((each for each in names if (self.folder / each).is_file()), names[0])

    def kinds(self) -> dict[str, str]:
        """What each file of the ruleset is, by its name in the folder."""
        found = {self.main.name: RULES}
        for name in self._modules():
            found.setdefault(name, MODULE)
            if len(found) >= MOST_FILES:
                break
        for path in files_of_texts(self.main).values():
            name = path.relative_to(self.folder).as_posix()
            if self._inside(name) is not None and self._may_be_a_module(path):
                found[name] = TEXTS
        found[self.scenarios] = SCENARIOS
        return found

    def languages(self) -> dict[str, str]:
        """The files of texts that may be begun, by language."""
        there = files_of_texts(self.main)
        return {
            each: texts_of(self.main, each).relative_to(self.folder).as_posix()
            for each in SHIPPED
            if each not in there
        }

    def _modules(self) -> Iterator[str]:
        for name in _named(self._text_of_main()):
            path = self._inside(name)
            if path is not None and self._may_be_a_module(path):
                yield Path(name).as_posix()

    def _may_be_a_module(self, path: Path) -> bool:
        """Whether it is YAML that nothing hides, by its name and by where its links lead.

        The rules name what they like: what else lies in the folder is no business of the page.
        """
        return all(
            each.suffix in (".yaml", ".yml")
            and not any(part.startswith(".") for part in each.relative_to(self.folder).parts)
            for each in (path, within(self.folder, path) or path)
        )

    def _text_of_main(self) -> str:
        with suppress(OSError, ValueError):
            return original(self.main).content.decode("utf-8-sig")
        return ""

    def _inside(self, name: str) -> Path | None:
        """The path of a file by its name; None for one outside of the folder."""
        relative = Path(name)
        if not name or relative.is_absolute() or ".." in relative.parts or "\0" in name:
            return None
        path = self.folder / relative
        real = within(self.folder, path)
        return path if real is not None and not real.is_dir() else None

    def path(self, name: str) -> Path:
        """The path of a file of this ruleset. Raises `NotSaved` for any other."""
        known = name in self.kinds() or name in self.languages().values()
        path = self._inside(name) if known else None
        if path is None:
            raise NotSaved("that is no file of this ruleset")
        return path

    # ----------------------------------------------------------------------------------- reading

    def every(self) -> list[Held]:
        """All files, the rules file first: modules that are yet to be written as well."""
        found = []
        for name, kind in self.kinds().items():
            if kind != SCENARIOS or (self.folder / name).exists():
                found.append(self._held(name, kind))
        return found

    def _held(self, name: str, kind: str) -> Held:
        try:
            was = original(self.path(name))
            return Held(name, kind, plain(_text(was)), mark_of(was.content))
        except FileNotFoundError:
            return Held(name, kind, "", "")
        except (NotSaved, OSError, ValueError) as failure:
            trouble = str(failure) if isinstance(failure, NotSaved) else why(failure)
            return Held(name, kind, "", "", trouble)

    def marks(self) -> dict[str, str]:
        """The mark of each file as it is now."""
        return {each.name: each.mark for each in self.every()}

    # ------------------------------------------------------------------------------------ saving

    def save(self, texts: Mapping[str, tuple[str, str]]) -> Saved:
        """Write texts, each with the mark of what it replaces ("": there was no such file).

        All are made ready and looked at before the first is written: a file that is another by
        then, or may not be written so, leaves all as they are. No file is overwritten that is
        another by its turn; those before it are then written, and their marks given. Raises
        `NotSaved` where nothing is written.
        """
        marks: dict[str, str] = {}
        try:
            ready = {}
            for name, (text, mark) in texts.items():
                _bounded(name, text)
                was = self._seen(name, mark)
                ready[name] = was, text if was is None else with_ends(_text(was), text)
            for name, (_, mark) in texts.items():
                self._seen(name, mark)
            for name, (was, text) in ready.items():
                marks[name] = self._written(name, was, text)
        except _Meanwhile as meanwhile:
            return Saved(marks, stale=meanwhile.stale)
        except NotSaved as failure:
            if not marks:
                raise
            return Saved(marks, trouble=str(failure))
        return Saved(marks)

    def _seen(self, name: str, mark: str) -> Original | None:
        """The file that has this mark. Raises `_Meanwhile` for another."""
        found = self._found(name)
        if (mark_of(found.content) if found is not None else "") != mark:
            raise _Meanwhile(_stale(name, found))
        return found

    def _written(self, name: str, was: Original | None, text: str) -> str:
        try:
            if was is None:
                return self._create(name, text)
            rewrite(was, text)
            return mark_of(was.with_text(text))
        except (Changed, FileExistsError):
            raise _Meanwhile(_stale(name, self._found(name))) from None
        except (OSError, ValueError) as failure:
            raise NotSaved(f"`{name}` was not saved: {why(failure)}") from None

    def _found(self, name: str) -> Original | None:
        try:
            return original(self.path(name))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as failure:
            raise NotSaved(f"`{name}` cannot be read: {why(failure)}") from None

    def _create(self, name: str, text: str) -> str:
        content = text.encode("utf-8")
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        number = os.open(path, flags, 0o666)
        with os.fdopen(number, "wb") as file:
            file.write(content)
        return mark_of(content)


@lru_cache(4)
def _named(text: str) -> tuple[str, ...]:
    """The modules that a rules file names."""
    document, _ = load_document(Source("", text))
    return tuple(each.text for each in modules_of(document)) if document is not None else ()


def _bounded(name: str, text: str) -> None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise NotSaved(f"`{name}` holds half a character, which no file can hold") from None
    if size > LARGEST_FILE:
        raise NotSaved(f"`{name}` would be larger than {LARGEST_FILE // 2**20} MiB")


def _stale(name: str, found: Original | None) -> Stale:
    if found is None:
        return Stale(name, "", "")
    return Stale(name, plain(_text(found)), mark_of(found.content))


def _text(was: Original) -> str:
    try:
        return was.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotSaved(
            f"`{was.path.name}` is not UTF-8: save it as UTF-8 elsewhere first"
        ) from None


def mark_of(content: bytes) -> str:
    """What tells one content of a file from another."""
    return sha256(content).hexdigest()[:32]


def plain(text: str) -> str:
    """A text whose lines end as an editor has them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_ends(old: str, text: str) -> str:
    r"""A text with the ends of lines of the file that it replaces: what is the same stays the same.

    >>> with_ends("a\r\nb\r\nc\n", "a\nB\nb\nc\n")
    'a\r\nB\r\nb\r\nc\n'
    """
    before = plain(old)
    if before == old:
        return text
    pairs = [at - number for number, at in enumerate(_found_in(old, "\r\n"))]
    change = change_between(before, text)
    start = change.start + bisect_left(pairs, change.start)
    end = change.end + bisect_left(pairs, change.end)
    end_of_line = "\r\n" if 2 * len(pairs) > before.count("\n") else "\n"
    new = text[change.start : change.start + change.length].replace("\n", end_of_line)
    return old[:start] + new + old[end:]


def _found_in(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + len(piece))

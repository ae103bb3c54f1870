"""The files of one ruleset, read and saved: the rules file, its modules, its scenarios.

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
from rulerun_dsl.assist.analysis import modules_of
from rulerun_dsl.assist.open_texts import change_between
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import LARGEST_FILE, why, within
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.document import load_document

RULES, MODULE, SCENARIOS = "rules", "module", "scenarios"
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
        found[self.scenarios] = SCENARIOS
        return found

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
        path = self._inside(name) if name in self.kinds() else None
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

    def save(self, texts: Mapping[str, tuple[str, str]]) -> dict[str, str] | Stale:
        """Write texts, each with the mark of what it replaces ("": there was no such file).

        Either nobody else has touched any of them, or nothing is written. Gives the new marks, or
        the first file that is another by now. Raises `NotSaved`.
        """
        before: dict[str, Original | None] = {}
        for name, (text, mark) in texts.items():
            _bounded(name, text)
            found = self._found(name)
            if (mark_of(found.content) if found is not None else "") != mark:
                return self._stale(name, found)
            before[name] = found
        marks = {}
        for name, (text, _) in texts.items():
            was = before[name]
            try:
                marks[name] = self._create(name, text) if was is None else _written(was, text)
            except (Changed, FileExistsError):
                return self._stale(name, self._found(name))
            except (OSError, ValueError) as failure:
                raise NotSaved(f"`{name}` was not saved: {why(failure)}") from None
        return marks

    def _found(self, name: str) -> Original | None:
        try:
            return original(self.path(name))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as failure:
            raise NotSaved(f"`{name}` cannot be read: {why(failure)}") from None

    def _stale(self, name: str, found: Original | None) -> Stale:
        if found is None:
            return Stale(name, "", "")
        return Stale(name, plain(_text(found)), mark_of(found.content))

    def _create(self, name: str, text: str) -> str:
        content = text.encode("utf-8")
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
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


def _written(was: Original, text: str) -> str:
    whole = with_ends(_text(was), text)
    rewrite(was, whole)
    return mark_of(was.with_text(whole))


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

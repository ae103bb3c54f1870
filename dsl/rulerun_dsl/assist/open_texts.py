"""The texts of a game as they are right now, and stretches of them.

Assumes: a rules file, and the module files that it names under `files:`.
Does: holds them together under the names that the rules file has for them.
Leaves behind: a `Book`. Whoever reads files or the buffers of an editor makes one.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span

MAIN = ""
"""The name of the rules file itself among the texts of a book."""


@frozen
class Book:
    """The texts of a game: the rules file and its modules."""

    texts: Mapping[str, str]
    """By the name under `files:`; the rules file itself is `MAIN`."""
    missing: tuple[tuple[str, Diagnostic], ...] = ()
    """Modules that cannot be read, and why."""

    def with_text(self, name: str, text: str) -> Book:
        """The book with another text in one place."""
        return Book({**self.texts, name: text}, self.missing)


@frozen
class Place:
    """A stretch of one text of a book."""

    file: str
    start: int
    end: int


@frozen
class Change:
    """What an edit did to a text: the stretch from `start` became `length` characters."""

    start: int
    end: int
    length: int

    def moved(self, offset: int) -> int:
        """Where a place of the old text stands in the new one."""
        if offset < self.end:
            return min(offset, self.start + self.length)
        return offset + self.length - (self.end - self.start)

    def back(self, offset: int) -> int:
        """Where a place of the new text stood in the old one."""
        if offset < self.start:
            return offset
        if offset >= self.start + self.length:
            return offset - self.length + (self.end - self.start)
        return min(offset, self.end)


NOTHING = Change(0, 0, 0)


@frozen
class Changes:
    """Edits one after another, which made a text out of an older one."""

    steps: tuple[Change, ...] = ()

    def moved(self, offset: int) -> int:
        """Where a place of the old text stands in the new one."""
        for step in self.steps:
            offset = step.moved(offset)
        return offset

    def back(self, offset: int) -> int:
        """Where a place of the new text stood in the old one."""
        for step in reversed(self.steps):
            offset = step.back(offset)
        return offset


class History:
    """What a text has been, so that places of an older one are found in it: each edit is known."""

    def __init__(self, text: str) -> None:
        """Begin with a text."""
        self.text = text
        self._older: list[tuple[str, Change]] = []

    def put(self, text: str) -> None:
        """Note what the text is now."""
        if text != self.text:
            self._older.append((self.text, change_between(self.text, text)))
            del self._older[:-_LONGEST_HISTORY]
            self.text = text

    @property
    def last(self) -> Change:
        """The last edit."""
        return self._older[-1][1] if self._older else NOTHING

    def since(self, text: str) -> Changes:
        """What has changed since it was this text; all in one where nobody knows any more."""
        if text == self.text:
            return Changes()
        for place in reversed(range(len(self._older))):
            if self._older[place][0] == text:
                return Changes(tuple(change for _, change in self._older[place:]))
        return Changes((change_between(text, self.text),))


_LONGEST_HISTORY = 200


def change_between(old: str, new: str) -> Change:
    """The one stretch in which two texts differ."""
    if old == new:
        return NOTHING
    most = min(len(old), len(new))
    start = _alike(old, new, most)
    most -= start
    rest = _alike(old[len(old) - most :][::-1], new[len(new) - most :][::-1], most)
    return Change(start, len(old) - rest, len(new) - rest - start)


def _alike(old: str, new: str, most: int) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def place_of(span: Span, names: Mapping[int, str]) -> Place | None:
    """Where a span lies; None for one in a text that no book has."""
    name = names.get(id(span.source))
    return Place(name, span.start, span.end) if name is not None else None


def names_of(sources: Mapping[str, Source]) -> dict[int, str]:
    """The names of texts by the identity of their sources."""
    return {id(source): name for name, source in sources.items()}

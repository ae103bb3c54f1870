"""Where in a file of scenarios somebody writes, by the layout of its lines.

Assumes: the text of such a file, broken or not, and a place in it.
Does: reads dashes, keys and columns of the lines above, without a document, which a text that
somebody types is seldom. Looks below for what would be torn from what it belongs to.
Leaves behind: what the place is in, and the `Slot`s that a line which begins there may fill.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl.source.frozen import frozen

_KEY = re.compile(r"([^\W\d][^:#\"']*?|\"[^\"]*\"|'[^']*')\s*:(?:\s+(.*)|)\Z")
_LISTS = ("variants", "waiting", "expect", "do")
"""The sections of a scenario that are lists, each item on a line of its own."""


@frozen
class Slot:
    """Where a new line may stand, and of what it is then a part."""

    within: tuple[str, ...]
    """The keys around it, the outermost first."""
    column: int
    item: bool
    """Whether it is an item of a list, which begins with a dash."""
    there: frozenset[str] = frozenset()
    """The keys that already stand beside it."""


@frozen
class Part:
    """An item or a key above a place."""

    column: int
    key: str
    """"": an item."""
    bare: bool
    """Whether nothing stands behind it in its line."""


def parts(line: str) -> Iterator[Part]:
    """The items and the key that begin in a line."""
    column = len(line) - len(line.lstrip(" "))
    rest = re.sub(r"(?:^|\s+)#.*", "", line[column:]).rstrip()
    while rest == "-" or rest.startswith("- "):
        inner = rest[1:].lstrip(" ")
        yield Part(column, "", not inner)
        column, rest = column + len(rest) - len(inner), inner
    found = _KEY.match(rest)
    if found is not None:
        yield Part(column, found[1].strip("\"'"), not found[2])


def around(above: str) -> tuple[Part, ...]:
    """The items and keys that are open behind a text, the outermost first."""
    path: list[Part] = []
    for line in above.splitlines():
        found = [*parts(line)]
        column = _column(line)
        if column is None:
            continue
        _leave(path, column, bool(found) and not found[0].key)
        path += found
    return tuple(path)


def _leave(path: list[Part], column: int, item: bool) -> None:
    """Close what a line that begins in a column is no part of."""
    while path and path[-1].column >= column:
        # The items of a list may stand in the column of its key.
        if item and path[-1].key and path[-1].column == column and path[-1].bare:
            break
        path.pop()


def section_of(path: tuple[Part, ...]) -> tuple[str, ...]:
    """The keys of a path."""
    return tuple(each.key for each in path if each.key)


def enclosing(text: str, begin: int, head: str) -> tuple[str, ...]:
    """The keys in which something stands that is written behind `head` in a line."""
    path = [*around(text[:begin])]
    found = [*parts(head)]
    column = _column(head)
    if column is not None:
        _leave(path, column, bool(found) and not found[0].key)
    return section_of((*path, *found))


def is_flowing(text: str, begin: int) -> bool:
    """Whether a bracket is open where a line begins."""
    first = max(text.rfind("\n  - ", 0, begin), text.rfind("\n- ", 0, begin), 0)
    return bool(closing(text[first:begin]))


def closing(text: str) -> str:
    """The brackets that close what is open behind a text."""
    ends = ""
    for line in text.splitlines():
        for sign in re.sub(r"\"[^\"]*\"|'[^']*'|(?:^|\s)#.*", "", line):
            if sign in "[{":
                ends = "]}"["[{".index(sign)] + ends
            elif ends[:1] == sign:
                ends = ends[1:]
    return ends


def slots(text: str, begin: int, head: str) -> tuple[Slot, ...]:
    """What a line may be that begins there, and of which spaces and a dash are written."""
    stop = text.find("\n", begin)
    above, below = text[:begin], text[stop:] if stop >= 0 else ""
    path = around(above)
    after = next((line for line in below.splitlines() if _column(line) is not None), "")
    deepest = _column(after) if after else -1
    assert deepest is not None
    last = path[-1] if path else None
    if last is not None and last.bare:
        written = len(head) - len(head.lstrip(" "))
        if deepest > last.column:
            column = deepest
        elif written > last.column or (written == last.column and "-" in head):
            column = written
        else:
            column = last.column + 2
        within = section_of(path)
        listed = within == ("scenarios",) or (len(within) > 1 and within[-1] in _LISTS)
        if not last.key:
            # Behind a dash alone.
            return (Slot(within, column, False, _beside(above, below, column)),)
        if deepest > last.column:
            listed = after.lstrip().startswith("-")
        elif deepest == last.column and after.lstrip().startswith("-"):
            column, listed = deepest, True
        return (Slot(within, column, listed, _beside(above, below, column)),)
    found = []
    for number, each in enumerate(path):
        if deepest > each.column or (
            each.key and deepest == each.column and after.lstrip().startswith("-")
        ):
            # What stands below belongs to the line above, and would be torn from it.
            continue
        within = section_of(path[:number])
        found.append(Slot(within, each.column, not each.key, _beside(above, below, each.column)))
    return tuple(found) or (Slot((), 0, False, _beside(above, below, 0)),)


def _beside(above: str, below: str, column: int) -> frozenset[str]:
    """The keys of the mapping in a column that a line in between would be a part of."""
    found: set[str] = set()
    for line in reversed(above.splitlines()):
        depth = _column(line)
        if depth is None:
            continue
        here = [*parts(line)]
        found |= {each.key for each in here if each.key and each.column == column}
        if depth < column:
            break
    for line in below.splitlines():
        depth = _column(line)
        if depth is not None and depth < column:
            break
        if depth == column:
            here = [*parts(line)]
            if here and not here[0].key:
                break
            found |= {each.key for each in here}
    return frozenset(found)


def _column(line: str) -> int | None:
    """Where a line begins; None where nothing is said in it."""
    bare = line.lstrip(" ")
    return None if not bare.strip() or bare.startswith("#") else len(line) - len(bare)

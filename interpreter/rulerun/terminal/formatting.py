"""Text on a screen: how wide it is, where it breaks, what may steer the terminal.

Assumes a terminal of fixed-width columns, where a wide character takes two of them and a combining
one none. Whatever a rules file says may end up here, so `clean` comes first.
Leaves behind lines no wider than asked (a single word that is too long is broken). Colour is put
on by `Paint` once a text is as long as it stays; it has no width.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from rulerun_dsl.diagnostics.render import columns_of

NARROWEST = 40
WIDEST = 100
USUAL = 80

_CLOSING = ";:!?»"
"""Marks with which no line begins."""

_WORTH_BEGINNING = 12
"""Columns for the beginning of what goes on in the next line."""


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""What only `Paint` writes: `clean` leaves none in a text of the rules."""

_SHADES = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "white": "37",
    "grey": "90",
}


def width_of(text: str) -> int:
    """How many columns a text takes.

    >>> width_of("prince"), width_of("王子"), width_of("é")
    (6, 4, 1)
    """
    return columns_of(_COLOUR.sub("", text) if "\x1b" in text else text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


MORE = "…"
"""Where something is left out."""


def folded(text: str) -> str:
    """A text as it is compared with what was typed: neither capitals nor accents count.

    >>> folded("Règles")
    'regles'
    """
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(each for each in apart if unicodedata.category(each) != "Mn")


def pad(text: str, width: int, *, right: bool = False) -> str:
    """A text filled up with blanks behind it, or before it (`right`)."""
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def clip(text: str, width: int) -> str:
    """A text cut short to fit.

    >>> clip("ambassador", 6)
    'ambas…'
    """
    if width_of(text) <= width:
        return text
    kept = ""
    for character in text:
        if width_of(kept) + _columns(character) > width - 1:
            break
        kept += character
    return kept + "…"


def wrap(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Break a text into lines, the first behind `first` and the others behind `rest`.

    >>> wrap("a page of rules", 9, rest="  ")
    ['a page of', '  rules']
    >>> wrap("est-ce là ?", 9)
    ['est-ce', 'là ?']
    >>> wrap("un mot « dit »", 9)
    ['un mot', '« dit »']
    """
    found: list[str] = []
    for word in text.split(" "):
        if word and found and (not word.strip(_CLOSING) or found[-1].endswith("«")):
            # French sets a blank beside these marks; none begins a line, and « ends none.
            found[-1] += f" {word}"
        else:
            found.append(word)
    return flow(found, width, first=first, rest=rest, gap=" ")


def flow(
    items: Iterable[str],
    width: int,
    *,
    first: str = "",
    rest: str = "",
    gap: str = "  ",
    whole: int | None = None,
) -> list[str]:
    """Set items one behind the other, a new line where one does not fit.

    None is broken unless it is wider than a line, or than `whole`.

    >>> flow(["one", "two", "three"], 9, gap=", ")
    ['one, two,', 'three']
    >>> flow(["(hunt : cost)"], 8)
    ['(hunt :', 'cost)']
    """
    lines = [first]
    fresh = True
    every = list(items)
    for at, item in enumerate(every):
        # What stands behind an item on its line if another follows.
        mark = width_of(gap.rstrip()) if at + 1 < len(every) else 0
        needed = width_of(item) + (0 if fresh else width_of(gap)) + width_of(gap.rstrip())
        if not fresh and width_of(lines[-1]) + needed > width:
            if whole is not None and width_of(item) > whole:
                # A long one begins on this line, if some words of it fit.
                left = width - width_of(lines[-1]) - width_of(gap)
                head = _head(item, left) if left >= _WORTH_BEGINNING else ""
                if head and item[len(head) :].startswith(" "):
                    lines += [rest]
                    lines[-2] += gap + head
                    item = item[len(head) :].lstrip(" ")
                    fresh = True
            if not fresh:
                lines[-1] += gap.rstrip()
                lines.append(rest)
                fresh = True
        while fresh and width_of(lines[-1]) + width_of(item) + mark > width:
            head = _head(item, width - width_of(lines[-1]) - mark)
            lines[-1] += head
            lines.append(rest)
            item = item[len(head) :].lstrip(" ")
        lines[-1] += item if fresh else gap + item
        fresh = False
    return [line.rstrip() for line in lines]


def _head(text: str, width: int) -> str:
    """What of a text fits, one character at least; it breaks at a blank if there is one."""
    kept = text[0]
    for character in text[1:]:
        if width_of(kept) + _columns(character) > width:
            break
        kept += character
    else:
        return kept
    blanks = [at for at, one in enumerate(text[: len(kept) + 1]) if one == " " and at]
    # No line begins with a mark that stands behind a blank, and « ends none.
    good = [at for at in blanks if text[at + 1 :][:1] not in _CLOSING and text[at - 1] != "«"]
    return text[: (good or blanks or [len(kept)])[-1]]


def in_columns(items: Sequence[str], width: int, *, indent: str = "  ", gap: int = 3) -> list[str]:
    """Set items in columns, read downwards, on as few lines as fit; too wide a one is wrapped."""
    room = width - width_of(indent)
    if any(width_of(item) > room for item in items):
        return [
            line
            for item in items
            for line in wrap(item, width, first=indent, rest=indent + "     ")
        ]
    for rows in range(1, len(items) + 1):
        columns = [items[at : at + rows] for at in range(0, len(items), rows)]
        widths = [max(map(width_of, column)) for column in columns]
        if sum(widths) + gap * (len(widths) - 1) <= room:
            return [
                (
                    indent
                    + (" " * gap).join(
                        pad(column[row], wide)
                        for column, wide in zip(columns, widths, strict=True)
                        if row < len(column)
                    )
                ).rstrip()
                for row in range(rows)
            ]
    return []


def table(rows: Sequence[Sequence[str]], width: int, *, upright: bool = False) -> list[str]:
    """A table: its first column on the left, all others on the right.

    It is set in as many parts as the width needs, and turned round if that takes fewer lines;
    `upright`: only if it does not fit otherwise.

    >>> table([["", "won"], ["Yarg", "3"], ["Applewood", "10"]], 40)
    ['     Yarg  Applewood', 'won     3         10']
    """
    as_given = _parts(rows, width)
    if upright and len(as_given) == len(rows):
        return as_given
    turned = [list(row) for row in zip(*rows, strict=True)]
    return min(as_given, _parts(turned, width), key=len)


def _parts(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    widths = [max(width_of(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines: list[str] = []
    at = 1
    while at < len(widths):
        end = at + 1
        used = widths[0] + 2 + widths[at]
        while end < len(widths) and used + 2 + widths[end] <= width:
            used += 2 + widths[end]
            end += 1
        for row in rows:
            cells = (pad(row[each], widths[each], right=True) for each in range(at, end))
            lines.append("  ".join([pad(row[0], widths[0]), *cells]).rstrip())
        at = end
    return lines


def listed(items: Sequence[str], word: str = "and") -> str:
    """Items in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def sentence(text: str) -> str:
    """A text that begins with a capital letter and ends with a full stop.

    >>> sentence("the prince moves")
    'The prince moves.'
    """
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", ":")) else text + "."


class Paint:
    """Colours for words on the screen, or none."""

    def __init__(self, on: bool = False) -> None:
        """`on`: the terminal takes colours."""
        self.on = on

    def _with(self, style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.on and text else text

    def strong(self, text: str) -> str:
        """What to look at first."""
        return self._with("1", text)

    def sign(self, text: str, colour: str, *, strong: bool = False) -> str:
        """A sign on a board, in its colour if it has one."""
        styles = ["1"] * strong + ([_SHADES[colour]] if colour else [])
        return self._with(";".join(styles), text) if styles else text

    def wanted(self, text: str, colour: str) -> str:
        """What one may choose, on a board."""
        return self._with(";".join(["1", "7", *([_SHADES[colour]] if colour else [])]), text)

    def faint(self, text: str) -> str:
        """Labels and remarks."""
        return self._with("2", text)

    def mine(self, text: str) -> str:
        """What is the viewer's."""
        return self._with("1;36", text)

    def number(self, text: str) -> str:
        """What to type."""
        return self._with("1;33", text)

    def wrong(self, text: str) -> str:
        """A refusal."""
        return self._with("31", text)

    def good(self, text: str) -> str:
        """A win."""
        return self._with("1;32", text)

"""A book as lines of text, for a terminal of some width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulerun.rulebook.book import Book, Item, Listing, Paragraph, Section, Table
from rulerun.terminal.formatting import pad, width_of, wrap

WIDTH = 80
_NARROWEST = 24
"""A column of words needs so many characters."""


def lines(book: Book, width: int = WIDTH) -> list[str]:
    """The book, no line wider than `width` unless a word is."""
    found = [*_wrapped(book.title, width), "=" * min(width, len(book.title))]
    for block in book.opening:
        found += ["", *_block(block, width, book.colon)]
    for section in book.sections:
        found += _section(section, width, 0, book.colon)
    return found


def _section(section: Section, width: int, depth: int, colon: str) -> Iterator[str]:
    yield ""
    title = section.title.upper() if depth == 0 else section.title
    yield from _wrapped(title, width)
    if depth < 2:
        yield ("-" if depth == 0 else "·") * min(width, len(title))
    for block in section.blocks:
        yield from _block(block, width, colon)
    for each in section.sections:
        yield from _section(each, width, depth + 1, colon)


def _block(block: Paragraph | Listing | Table, width: int, colon: str) -> Iterator[str]:
    match block:
        case Paragraph(text, lead):
            yield from _wrapped(_led(lead, text, colon), width)
        case Listing(items, numbered):
            yield from _items(items, width, "", numbered, colon)
        case Table(head, rows):
            yield from _table(head, rows, width)


def _led(lead: str, text: str, colon: str) -> str:
    return f"{lead}{colon} {text}".rstrip(" ") if lead else text


def _items(
    items: Sequence[Item], width: int, indent: str, numbered: bool, colon: str
) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        mark = f"{number}. " if numbered and len(items) > 1 else "- "
        text = _led(item.lead, item.text, colon)
        yield from _wrapped(text, width, indent + mark, indent + " " * len(mark))
        yield from _items(item.items, width, indent + " " * len(mark), False, colon)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Columns beside each other, the last one wrapped; too narrow for that, a list."""
    wide = [max(width_of(row[at]) for row in (head, *rows)) for at in range(len(head))]
    left = sum(wide[:-1]) + 2 * (len(wide) - 1)
    if width - left < min(_NARROWEST, wide[-1]):
        yield from _as_list(head, rows, width)
        return
    for row in (head, *rows):
        first = "".join(
            pad(text, wide[at], right=_is_number(rows, at)) + "  "
            for at, text in enumerate(row[:-1])
        )
        yield from _wrapped(row[-1], width, first, " " * left)


def _is_number(rows: Sequence[Sequence[str]], at: int) -> bool:
    return all(row[at].lstrip("-").isdigit() for row in rows)


def _as_list(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The first cell of a row, then the others with what they are."""
    for first, *others in rows:
        told = [f"{name}: {text}" for name, text in zip(head[1:], others, strict=True) if text]
        yield from _wrapped(f"{first}: {'; '.join(told)}" if told else first, width, "- ", "  ")


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    return wrap(text, width, first=first, rest=rest) if text else [first.rstrip()]

"""A book as Markdown. What would be a sign of Markdown in a text is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rulerun.rulebook.book import Book, Item, Listing, Paragraph, Section, Table

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_BEGINNINGS = re.compile(r"^([-+=]|\d+(?=[.)]))")


def markdown(book: Book) -> str:
    """The whole book."""
    parts = [f"# {_escaped(book.title)}\n"]
    for block in book.opening:
        parts.append("\n".join(_block(block, book.colon)) + "\n")
    for section in book.sections:
        parts += _section(section, 2, book.colon)
    return "\n".join(parts)


def _section(section: Section, depth: int, colon: str) -> Iterator[str]:
    yield f"{'#' * min(depth, 6)} {_escaped(section.title)}\n"
    for block in section.blocks:
        yield "\n".join(_block(block, colon)) + "\n"
    for each in section.sections:
        yield from _section(each, depth + 1, colon)


def _block(block: Paragraph | Listing | Table, colon: str) -> Iterator[str]:
    match block:
        case Paragraph(text, lead):
            yield _led(lead, text, colon)
        case Listing(items, numbered):
            yield from _items(items, "", numbered, colon)
        case Table(head, rows):
            yield _cells(head)
            yield "|" + "---|" * len(head)
            for row in rows:
                yield _cells(row)


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _items(items: Sequence[Item], indent: str, numbered: bool, colon: str) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        mark = f"{number}. " if numbered and len(items) > 1 else "- "
        yield f"{indent}{mark}{_led(item.lead, item.text, colon)}"
        yield from _items(item.items, indent + " " * len(mark), False, colon)


def _led(lead: str, text: str, colon: str) -> str:
    if not lead:
        return _escaped(text)
    return f"**{_escaped(lead + colon)}** {_escaped(text)}".rstrip()


def _escaped(text: str) -> str:
    return _BEGINNINGS.sub(r"\\\1", _SIGNS.sub(r"\\\1", text))

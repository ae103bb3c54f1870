"""What a book says about a word.

Assumes a book.
Does: keeps the sections whose titles have the word, and of others the paragraphs, points and rows
that have it.
Leaves behind a book with the passages in their order, or without sections if there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rulerun.rulebook.book import Block, Book, Item, Listing, Paragraph, Section, Table


def passages(book: Book, wanted: str) -> Book:
    """The passages of a book with words that begin so, whatever their case."""
    word = re.compile(r"\b" + re.escape(wanted.casefold().strip()))
    return replace(book, opening=(), sections=tuple(_sections(book.sections, word)))


def _sections(sections: Iterable[Section], word: re.Pattern[str]) -> Iterator[Section]:
    for each in sections:
        if _has(word, each.title):
            yield each
            continue
        blocks = tuple(_blocks(each.blocks, word))
        below = tuple(_sections(each.sections, word))
        if blocks or below:
            yield Section(each.title, blocks, below)


def _blocks(blocks: Iterable[Block], word: re.Pattern[str]) -> Iterator[Block]:
    for each in blocks:
        match each:
            case Paragraph(text, lead) if _has(word, lead, text):
                yield each
            case Listing(items, _):
                kept = tuple(_items(items, word))
                if kept:
                    yield Listing(kept)
            case Table(head, rows):
                those = tuple(row for row in rows if _has(word, *row))
                if those or _has(word, *head):
                    yield Table(head, those or rows)


def _items(items: Iterable[Item], word: re.Pattern[str]) -> Iterator[Item]:
    for each in items:
        if _has(word, each.lead, each.text):
            yield each
        elif below := tuple(_items(each.items, word)):
            # What they are part of is told, or nobody knows what they are about.
            yield Item(each.text, each.lead, below)


def _has(word: re.Pattern[str], *texts: str) -> bool:
    """Whether some word of the texts begins so."""
    return any(word.search(text.casefold()) for text in texts)

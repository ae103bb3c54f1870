"""What a rulebook is made of: sections with paragraphs, lists and tables.

Plain texts, each clean and on one line; how they look is for `render`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from rulerun_dsl.source.frozen import frozen

Part = TypeVar("Part")


@frozen
class Paragraph:
    """Some sentences; `lead` stands before them, and is what they are about."""

    text: str
    lead: str = ""


@frozen
class Item:
    """A point of a list, with the points below it."""

    text: str
    lead: str = ""
    items: tuple[Item, ...] = ()


@frozen
class Listing:
    """Points, in order; `numbered` where one comes after the other."""

    items: tuple[Item, ...]
    numbered: bool = False


@frozen
class Table:
    """A table; the first cell of a row names it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Paragraph | Listing | Table


@frozen
class Section:
    """A section with the sections inside it."""

    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()


@frozen
class Book:
    """A whole rulebook."""

    title: str
    language: str
    opening: tuple[Block, ...]
    sections: tuple[Section, ...]
    colon: str = ":"
    """Behind what a point is about, in this language."""
    as_written: int = 0
    """How many texts stand in it as the rules file has them, for want of words."""


def retold(part: Part, say: Callable[[str], str]) -> Part:
    """A part of a book in which `say` has gone over every text."""
    told: object = part
    if isinstance(part, str):
        told = say(part)
    elif isinstance(part, tuple):
        told = tuple(retold(each, say) for each in part)
    elif is_dataclass(part) and not isinstance(part, type):
        texts = {each.name: retold(getattr(part, each.name), say) for each in fields(part)}
        told = replace(part, **texts)
    return cast(Part, told)

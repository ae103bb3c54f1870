"""A text of YAML as what stands in it, one thing after the other, each with where it belongs.

Assumes: a source that the reader of documents has accepted.
Does: takes the tokens of YAML, which have no whitespace and no comments between them, and keeps
which block each stands in, where that block begins, and where it is to begin: two columns further
in than the block around it, a list under its key as well.
Leaves behind: `Lexeme` values in order. All that lies between two of them is blanks, line breaks
and comments.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import yaml

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import LINE_BREAK, Source
from rulerun_dsl.yaml.error_context import LOADER

STEP = 2
"""So many columns a block stands further in than the block around it."""

Kind = Literal["key", "value", "sign", "property", "mark"]


@frozen
class Level:
    """A block: the column of its keys or dashes in the text, and the column where they belong."""

    old: int
    new: int
    list: bool = False
    """Its parts begin with dashes."""
    alone: bool = True
    """A level of its own in the text: not a list that stands under its key without indentation."""

    @property
    def shift(self) -> int:
        """By how much it moves."""
        return self.new - self.old


@frozen
class Lexeme:
    """A scalar, a sign (`- : , { } [ ]`), an anchor, alias or tag, or a mark of a document."""

    start: int
    end: int
    kind: Kind
    text: str
    levels: tuple[Level, ...]
    """The blocks that it stands in, the outermost first."""
    depth: int
    """How many brackets are open around it."""
    begins: bool
    """It is a key or a dash of the last of its blocks."""


_SIGNS: dict[Any, str] = {
    yaml.FlowSequenceStartToken: "[",
    yaml.FlowSequenceEndToken: "]",
    yaml.FlowMappingStartToken: "{",
    yaml.FlowMappingEndToken: "}",
    yaml.FlowEntryToken: ",",
    yaml.BlockEntryToken: "-",
    yaml.ValueToken: ":",
}


class Unusual(ValueError):
    """A form of YAML that nobody writes in rules: a message in one line."""


def lexemes(source: Source) -> list[Lexeme]:
    """What stands in a text. Raises `Unusual`."""
    walk = _Walk(source)
    tokens: Any = yaml.scan(source.text, Loader=LOADER)
    for token in tokens:
        walk.take(token)
    return walk.found


class _Walk:
    """The tokens so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.found: list[Lexeme] = []
        self.levels: list[Level] = []
        self.depth = 0
        self.key_next = False

    def take(self, token: Any) -> None:
        """Use one token."""
        kind = type(token)
        start: int = token.start_mark.index
        end: int = token.end_mark.index
        column: int = token.start_mark.column
        if kind is yaml.BlockMappingStartToken or kind is yaml.BlockSequenceStartToken:
            is_list = kind is yaml.BlockSequenceStartToken
            self.levels.append(Level(column, self.inward(start), is_list))
        elif kind is yaml.BlockEndToken:
            self.leave_list()
            self.levels.pop()
        elif kind is yaml.KeyToken:
            if end > start:
                raise Unusual(f"a key begins with `?` in line {token.start_mark.line + 1}")
            if not self.depth:
                self.leave_list()
            self.key_next = True
        elif kind is yaml.BlockEntryToken:
            top = self.levels[-1] if self.levels else None
            if top is None or not top.list:
                self.levels.append(Level(column, self.inward(start), list=True, alone=False))
            self.add(start, end, "sign", begins=True)
        elif kind is yaml.ScalarToken:
            if token.style in ("|", ">"):
                end = self.end_of_block(start, end)
            self.add(start, end, "key" if self.key_next else "value", begins=self.key_next)
        elif kind in (yaml.AnchorToken, yaml.TagToken, yaml.AliasToken):
            # An alias is a value, but what follows an anchor or tag is still to come.
            self.add(start, end, "property", begins=self.key_next, ends=kind is yaml.AliasToken)
        elif kind in (yaml.DocumentStartToken, yaml.DocumentEndToken, yaml.DirectiveToken):
            self.add(start, end, "mark")
        elif kind in _SIGNS:
            opens, closes = _SIGNS[kind] in "[{", _SIGNS[kind] in "]}"
            self.depth -= closes
            self.add(start, end, "sign", begins=opens and self.key_next)
            self.depth += opens

    def end_of_block(self, start: int, end: int) -> int:
        """Where the last line of a text ends, whose blanks belong to it; YAML says: later."""
        words = start + len(self.text[start:end].rstrip(" \t\r\n"))
        if not LINE_BREAK.search(self.text, start, words):
            return words
        following = LINE_BREAK.search(self.text, words, end)
        return following.start() if following else end

    def leave_list(self) -> None:
        """End a list that stands under its key without indentation."""
        if self.levels and not self.levels[-1].alone:
            self.levels.pop()

    def inward(self, start: int) -> int:
        """The column of a block that begins here."""
        last = self.found[-1] if self.found else None
        if last is not None and last.kind == "sign" and last.text == "-":
            if not re.search(r"[\r\n]", self.text[last.end : start]):
                # Behind the dash of an item: `- key: value`, `- - x`.
                return last.levels[-1].new + STEP
        return self.levels[-1].new + STEP if self.levels else 0

    def add(
        self, start: int, end: int, kind: Kind, *, begins: bool = False, ends: bool = True
    ) -> None:
        """Keep what stands there."""
        begins = begins and not self.depth
        text, levels = self.text[start:end], tuple(self.levels)
        self.found.append(Lexeme(start, end, kind, text, levels, self.depth, begins))
        if ends:
            self.key_next = False

"""The nodes of a document: YAML with every place kept.

Assumes: a document that `document` has read; nothing else makes nodes, except tests.
Does: holds scalars, sequences and mappings, looks keys up, gives plain data for the schema.
Leaves behind: immutable nodes. Two nodes are equal only if they are one node, since each is
a place in a file as much as it is a value.

The language reads keys and rules as they are written: `1..2`, `3` and `on` are texts wherever a
text is wanted. So `Scalar.text` is what the author wrote (after YAML has taken away quotes,
escapes and line folds), and `Scalar.value` is what YAML makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.scalars import Offsets, Style, Value, offsets


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A single text, number, truth value or nothing.

    The span takes in quotes and block signs, but no anchor.
    """

    text: str
    value: Value
    span: Span
    style: Style = "plain"
    # Filled by the first question about a place inside; most scalars are never asked.
    _offsets: Offsets | None = field(default=None, init=False, repr=False)

    def span_of(self, start: int, end: int | None = None) -> Span:
        """Return where the characters from `start` up to `end` of the text stand in the file.

        Without `end`, or with an empty stretch, it is the empty span before the character.
        """
        length = len(self.text)
        first = min(max(start, 0), length)
        last = first if end is None else min(max(end, first), length)
        source = self.span.source
        if self.style == "plain" and self.span.end - self.span.start == length:
            return Span(source, self.span.start + first, self.span.start + last)
        starts, stops = self._places()
        if not length:
            inside = self.span.start + (self.style in ("single", "double"))
            return Span(source, inside, inside)
        begin = starts[first] if first < length else stops[-1]
        return Span(source, begin, stops[last - 1] if last > first else begin)

    def _places(self) -> Offsets:
        if self._offsets is None:
            span = self.span
            found = offsets(span.source.text, span.start, span.end, self.style, self.text)
            object.__setattr__(self, "_offsets", found)
            return found
        return self._offsets


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    span: Span

    def __iter__(self) -> Iterator[Node]:
        """Yield the items."""
        return iter(self.items)

    def __len__(self) -> int:
        """Return how many items there are."""
        return len(self.items)


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A key and its value."""

    key: Scalar
    value: Node

    @property
    def span(self) -> Span:
        """The key and the value with what is between."""
        return self.key.span.to(self.value.span) if self._in_order() else self.key.span

    def _in_order(self) -> bool:
        # The value of an alias stands where the anchor is, which is further up.
        return (
            self.key.span.source is self.value.span.source
            and self.key.span.end <= self.value.span.start
        )


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Keys with their values, in the order of the file, which is part of the rules."""

    entries: tuple[Entry, ...]
    span: Span
    _index: dict[str, Entry] | None = field(default=None, init=False, repr=False)

    def entry(self, key: str) -> Entry | None:
        """Return the entry of a key."""
        if self._index is None:
            # The first of two equal keys counts, as `document` has told the author.
            index: dict[str, Entry] = {}
            for entry in self.entries:
                index.setdefault(entry.key.text, entry)
            object.__setattr__(self, "_index", index)
            return index.get(key)
        return self._index.get(key)

    def get(self, key: str) -> Node | None:
        """Return the value of a key."""
        entry = self.entry(key)
        return None if entry is None else entry.value

    def keys(self) -> tuple[str, ...]:
        """Return the texts of the keys."""
        return tuple(entry.key.text for entry in self.entries)

    def __contains__(self, key: object) -> bool:
        """Tell whether there is such a key."""
        return isinstance(key, str) and self.entry(key) is not None

    def __iter__(self) -> Iterator[Entry]:
        """Yield the entries."""
        return iter(self.entries)

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self.entries)


Node = Scalar | Sequence | Mapping

# What `data` gives: the values that JSON has.
Data = None | bool | int | float | str | list["Data"] | dict[str, "Data"]


def data(node: Node) -> Data:
    """Return a node as plain lists, dictionaries and values; all keys are texts."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [data(item) for item in node.items]
        case Mapping():
            return {entry.key.text: data(entry.value) for entry in node.entries}

"""Where values stand in a sentence: `<…>`, and `<<` for a `<` of the sentence itself.

The parser of sentences and all who show them, or hold one against another, split them here: what
one of them takes for a value no other takes for words.
"""

from __future__ import annotations

from collections.abc import Iterator


def closing(text: str, start: int) -> int | None:
    """Where the `>` stands that ends what begins at `start`: the first outside of brackets.

    >>> closing("n < (a > b)>", 0), closing("n", 0)
    (11, None)
    """
    depth = 0
    for place in range(start, len(text)):
        if text[place] in "([":
            depth += 1
        elif text[place] in ")]":
            depth -= 1
        elif text[place] == ">" and depth <= 0:
            return place
    return None


def pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The pieces of a sentence, each from where to where: `<` a value with its signs, else words.

    >>> list(pieces("a <n < 3> << b"))
    [('', 0, 2), ('<', 2, 9), ('', 9, 14)]
    """
    begun = place = 0
    while place < len(text):
        if text[place] != "<" or text.startswith("<<", place):
            place += 2 if text[place] == "<" else 1
            continue
        close = closing(text, place + 1)
        if close is None:
            # Never closed: the parser says so, for others it is a word.
            place += 1
            continue
        if begun < place:
            yield "", begun, place
        yield "<", place, close + 1
        begun = place = close + 1
    if begun < len(text):
        yield "", begun, len(text)


def values(text: str) -> Iterator[tuple[int, int]]:
    """From where to where what stands in each `<…>`, without its signs."""
    return ((start + 1, end - 1) for kind, start, end in pieces(text) if kind)

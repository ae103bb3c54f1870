"""Words of messages: with an article, with how many there are."""

from __future__ import annotations


def several(number: int | str, word: str = "argument") -> str:
    """So many of something."""
    return f"{number} {word}" if number in (1, "1") else f"{number} {word}s"


def named(word: str) -> str:
    """A word with its article."""
    return f"an {word}" if word[:1] in "aeio" else f"a {word}"

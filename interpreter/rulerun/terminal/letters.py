"""Letters to type for answers, and answers as they are compared with what was typed.

Assumes the texts of some answers.
Does: takes capitals, accents, commas and underscores from a text; finds letters that are no word of
any of the texts, so that what is typed is either.
Leaves behind texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, product

from rulerun.terminal.formatting import folded

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ARTICLE = re.compile(r"\b[a-z](?= [a-z]{2})")
"""A letter that is a word before another one: nobody types it for what it stands in."""


def plain(text: str) -> str:
    """A text as it is compared.

    >>> plain("Lay_tile C, 2")
    'lay tile c 2'
    """
    return " ".join(folded(text.replace("_", " ").replace(",", " ")).split())


def letters(texts: Sequence[str]) -> list[str]:
    """As many labels that are letters, none of them a word of a text.

    >>> letters(["tile 2", "tile c", "B♥", "a tile"])
    ['a', 'd', 'e', 'f']
    """
    named = (_ARTICLE.sub("", plain(text)) for text in texts)
    words = {word for text in named for word in re.findall(r"\w+", text)}
    free = (
        label
        for long in range(1, len(texts) + 2)
        for label in map("".join, product(_LETTERS, repeat=long))
        if label not in words
    )
    return list(islice(free, len(texts)))

"""What somebody writes for a deck that has a few special cards, and how one makes it.

The reader of YAML, the check of shapes and the checks of names meet it in different places, and say
the same.
"""

from __future__ import annotations

import re

_EVERY = re.compile(r"every \w+(?:(?:, | and )\w+)*:?")
_KINDS = re.compile(r"\w+(?:(?: or | and |, ?| ?/ ?| ?\| ?)\w+)+")

ALONE = (
    "`every …` stands alone behind `rows:`; for special cards give a column one more value, and "
    "let `copies:` leave out what is not there: `copies: 0 if suit is fox and value > 1 else 1`"
)
"""What to do for rows beside those that `every` makes."""

ONE_KIND = (
    "a zone holds one kind; cards that lie together are rows of one kind: special ones have one "
    "more value in a column (`suit: [cups, coins, fox]`)"
)
"""What to do for a pile of several kinds."""


def is_every(text: str) -> bool:
    """Whether a text makes rows, as in `rows: every rank and suit`.

    >>> is_every("every rank and suit"), is_every("every_day")
    (True, False)
    """
    return _EVERY.fullmatch(text) is not None


def is_several(text: str) -> bool:
    """Whether a text names several kinds.

    >>> is_several("card or fox"), is_several("card")
    (True, False)
    """
    return _KINDS.fullmatch(text) is not None

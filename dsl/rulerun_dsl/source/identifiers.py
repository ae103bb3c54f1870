"""What a name is: one word of letters, digits and `_` of any script that begins with no digit.

A name has one spelling: what Unicode can write as one character or as several (`é`) is written as
one, which is what keyboards do. Otherwise two names could look the same and be different.
"""

from __future__ import annotations

import re
import unicodedata

NAME = r"[^\W\d]\w*"
"""A name inside a larger pattern."""

WORD = re.compile(NAME)


def is_name(text: str) -> bool:
    """Whether a text is a name; the words of the language are names here."""
    return text.isidentifier() and (text.isascii() or is_composed(text))


def is_composed(text: str) -> bool:
    """Whether each accent is one character with its letter."""
    return unicodedata.is_normalized("NFC", text)


def composed(text: str) -> str:
    """The spelling of a text in which this is so."""
    return unicodedata.normalize("NFC", text)

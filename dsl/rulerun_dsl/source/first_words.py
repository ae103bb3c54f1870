"""Which kind of file a text is, by the keys that begin its lines.

Assumes: the bytes of any file, YAML or not, ours or not, whole or broken.
Does: looks for words that only our files begin lines with. It parses nothing: a file that cannot be
parsed is ours all the same.
"""

from __future__ import annotations

import re

_MODULE = re.compile(rb"^module[ \t]*:", re.MULTILINE)
_OURS = re.compile(
    rb"^(rulerun|game|module|texts|players|components|zones|scoring)[ \t]*:", re.MULTILINE
)
_TEXTS = re.compile(rb"^texts[ \t]*:", re.MULTILINE)
_GAME = re.compile(rb"^(game|rulerun)[ \t]*:", re.MULTILINE)


def is_ours(content: bytes) -> bool:
    """Whether a file is a rules file or belongs to one.

    One whose head is misspelt is ours as well, as long as one word of a rules file is in it.
    """
    return bool(_OURS.search(content))


def is_game(content: bytes) -> bool:
    """Whether a file says which game it is."""
    return bool(_GAME.search(content))


def is_module(content: bytes) -> bool:
    """Whether a file is a module of other rules."""
    return bool(_MODULE.search(content)) and not is_game(content)


def is_texts(content: bytes) -> bool:
    """Whether a file holds what people read of a game."""
    return bool(_TEXTS.search(content)) and not is_game(content)

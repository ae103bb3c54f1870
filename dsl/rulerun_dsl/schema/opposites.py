"""The opposite of a condition, as text.

Assumes: the text of one condition, which nobody has parsed and which need not be right.
Does: strips a `not`, turns a comparison round, or puts all of it behind a `not`.
Leaves behind: a text that is true where the other is false, whatever the names in it are; nothing
for a text with signs of another language.
"""

from __future__ import annotations

import re

_OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TRUTHS = {"true": "false", "false": "true"}
_SIGNS = re.compile(r"[=!<>&|?]+")
_JOINING = re.compile(
    r"\b(?:and|or|not|if|then|else|otherwise|for|by|while|where|when|unless|until)\b|;"
)
"""Words around which a text is more than a `not` denies."""
_IN_OR_IS = re.compile(r"\b(?:in|is)\b")
_NESTED = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]")
_ONE_VALUE = re.compile(r"[\w.]*\x00*(?:\.[\w.]+\x00*)*")


def opposite(condition: str) -> str | None:
    """What holds where a condition does not.

    >>> opposite("not empty(deck)"), opposite("pot > 0"), opposite("empty(deck) or pot > 0")
    ('empty(deck)', 'pot <= 0', 'not (empty(deck) or pot > 0)')
    """
    text = condition.strip()
    if any(sign not in _OPPOSITES for sign in _SIGNS.findall(text)):
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    flat = _flat(text)
    if re.match("not[ \x00]", flat):
        denied = text[3:].strip()
        if not _JOINING.search(flat, 3):
            # What stands in parentheses is as long as they are.
            whole = not flat[3:].strip(" \x00")
            return denied[1:-1].strip() if whole else denied
    elif _ONE_VALUE.fullmatch(flat):
        return f"not {text}"
    elif not _JOINING.search(flat) and not _IN_OR_IS.search(flat):
        signs = [*_SIGNS.finditer(flat)]
        if len(signs) == 1:
            start, end = signs[0].span()
            return f"{text[:start]}{_OPPOSITES[signs[0][0]]}{text[end:]}"
    return f"not ({text})"


def _flat(text: str) -> str:
    """A text of the same length in which all brackets are blotted out with what is in them."""
    while (blotted := _NESTED.sub(lambda found: "\x00" * len(found[0]), text)) != text:
        text = blotted
    return text

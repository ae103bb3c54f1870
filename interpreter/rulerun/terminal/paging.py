"""Where to begin in a long text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LEAD = re.compile(r"\s*(?:- |\d+\. )?[“«„]?\s*(?:(?:the|your|le|la|les|der|die|das) |l')?", re.I)
"""What stands before the word that a line is about."""


def beginning_with(lines: Sequence[str], wanted: str) -> Sequence[str]:
    """The lines from where the text is about a word, else from the first line with it.

    It is about the word in the first title that begins with it, else that has it, else in the first
    line that begins with it: a row of a table, or a point of a list.

    >>> list(beginning_with(["The box", "-----", "a card", "The end", "-----", "."], "END"))
    ['The end', '-----', '.']
    >>> list(beginning_with(["Each spy has a hat.", "- Hat: worn.", "Spy  2  looks."], "spy"))
    ['Spy  2  looks.']
    """
    word = wanted.casefold()
    found = [at for at, line in enumerate(lines) if word in line.casefold()]
    below = {at: lines[at + 1] for at in found if at + 1 < len(lines)}
    titles = [at for at, line in below.items() if line and set(line) <= set("-=·")]
    titles += [at for at in found if lines[at].casefold() == word]
    leading = {at for at in found if _about(lines[at]).startswith(word)}
    # A line that goes on from another may begin with any word.
    points = [at for at in found if at in leading and _begins(lines, at)]
    first = next(iter([*(at for at in titles if at in leading), *titles, *points, *found]), None)
    return () if first is None else lines[first:]


def _about(line: str) -> str:
    """A line without what stands before the word that it is about."""
    return _LEAD.sub("", line, count=1).casefold()


def _begins(lines: Sequence[str], at: int) -> bool:
    """Whether a line begins a point, a row or a paragraph."""
    line = lines[at]
    return line.lstrip().startswith(("- ", *"0123456789")) or "  " in line.strip()

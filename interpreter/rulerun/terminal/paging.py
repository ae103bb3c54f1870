"""Where to begin in a long text."""

from __future__ import annotations

from collections.abc import Sequence


def beginning_with(lines: Sequence[str], wanted: str) -> Sequence[str]:
    """The lines from the first title in which a word stands, else from the first line with it.

    >>> list(beginning_with(["The box", "-----", "a card", "The end", "-----", "."], "END"))
    ['The end', '-----', '.']
    """
    word = wanted.casefold()
    found = [at for at, line in enumerate(lines) if word in line.casefold()]
    below = {at: lines[at + 1] for at in found if at + 1 < len(lines)}
    titles = [at for at, line in below.items() if line and set(line) <= set("-=·")]
    first = next(iter([*titles, *found]), None)
    return () if first is None else lines[first:]

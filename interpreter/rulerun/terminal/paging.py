"""A long text on a screen, a page at a time.

Assumes: lines that fit the width of the screen.
Does: shows as many lines as the screen has, and waits for Enter before the next; anything else ends
it. Where no person sits there, all of it comes at once.
Leaves behind nothing: what was typed is no answer to any question of the game.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.terminal.screen import Screen
from rulerun.words.language import Language


def page(screen: Screen, speech: Language, lines: Sequence[str]) -> None:
    """Show lines page by page."""
    if not screen.live:
        screen.lines(lines)
        return
    rows = max(4, screen.height - 2)
    for at in range(0, len(lines), rows):
        screen.lines(lines[at : at + rows])
        if at + rows < len(lines) and screen.ask(speech.next_page, afresh=True) != "":
            return


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

"""Why a game is not solved.

Assumes nothing.
Leaves behind one exception, whose message is a sentence for the person who asked.
"""

from __future__ import annotations


class Unsolvable(Exception):
    """The game is not solved; the message says why, and what to do instead."""


class TooBig(Unsolvable):
    """There are more positions or histories than were allowed."""

"""For how many games which code is worth its making.

Assumes: a checked `Game`, and how many games are to be played.
Does: says by the number of games and the size of the rules alone which code plays them; no clock is
read, and the games are the same whichever it is.
Leaves behind: answers. The numbers come from one measurement (CPU seconds, 29 November 2026,
`python -m benchmarks.tiers` repeats it), with the games from which the next better code has paid:

TABLE

A game for each instruction of the rules is what grows like what is made: longer rules take longer
to compile, and their games take longer to play, so that fewer of them pay.
"""

from __future__ import annotations

from rulerun_dsl.model import Game

QUICK = 10
"""So many games for each instruction of the rules pay for the making of quick machine code."""
BEST = 6
"""So many pay for the best, beside the quick one that plays meanwhile."""


def worth_machine_code(game: Game, games: int) -> bool:
    """Whether quick machine code plays so many games sooner than Python does."""
    return games >= QUICK * len(game.code)


def worth_the_best(game: Game, games: int) -> bool:
    """Whether the best machine code saves more on so many games than its making costs."""
    return games >= BEST * len(game.code)

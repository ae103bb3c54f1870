"""For how many games which code is worth its making.

Assumes: how many games are to be played, how long the rules are, how long the games.
Does: says by these numbers alone which code plays; no clock is read, and the games are the same
whichever it is.
Leaves behind: answers.

The numbers come from one measurement (29 November 2026, one core of a shared AMD EPYC; `python -m
benchmarks.tiers` repeats it). CPU seconds until the code is there, and games a second; then from
how many games on the quick code has paid for itself against Python, and the best against the quick:

TABLE

The quick code costs 0.05 s more, once, for loading LLVM. Longer rules take longer to compile, and
their games take longer still, so the longer the rules, the fewer games pay. Of the best code what
it saves goes by inputs: a longer text takes longer to compile, and each input of it runs longer.
"""

from __future__ import annotations

MACHINE_CODE = 10_000
"""So many games, times the instructions of the rules, pay for machine code instead of Python."""
BEST = 1_000_000
"""So many inputs pay for the best code, while the quick one plays."""


def worth_machine_code(games: int, instructions: int) -> bool:
    """Whether machine code has played so many games sooner than Python."""
    return games * instructions >= MACHINE_CODE


def worth_the_best(inputs: int) -> bool:
    """Whether the best code saves more on so many inputs than its making costs."""
    return inputs >= BEST

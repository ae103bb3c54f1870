"""For how many games which code is worth its making.

Assumes: how many games are to be played, how long the rules are, how long the games.
Does: says by these numbers alone which code plays; no clock is read, and the games are the same
whichever it is.
Leaves behind: answers.

The numbers come from one measurement (29 November 2026, one core of a shared AMD EPYC; `python -m
benchmarks.tiers` repeats it). CPU seconds until the code is there, and games a second; then from
how many games on the quick code has paid for itself against Python, and the best against the quick:

    rules    instructions         Python           quick            best  quick from  best from
    tic_tac_toe        13   0.01  30,132  0.02 1,853,691  0.11 4,456,995         474    352,702
    kuhn_poker         18   0.01  46,518  0.02 2,991,068  0.16 5,889,856         726    957,269
    hex                11   0.01     354  0.02     8,507  0.19    31,771           5      2,153
    pig                29   0.01   2,629  0.02   111,581  0.12   332,721          30     19,780
    hearts             50   0.04     422  0.05    16,617  0.58    95,735           3     11,688
    go_fish            54   0.03     301  0.04     7,545  0.68    26,499           4      7,151
    brave_rats         80   0.03   2,774  0.05   256,250  0.50 1,101,947          41    167,748
    chasse, 3 play    118   0.05     112  0.07     4,665  0.99    19,316           2      6,105
    antler_island     349   0.23      14  0.23       693  4.07     2,734           1      3,779
    ruse            1,098   0.59      37  0.65       312 18.70     4,304           2      6,295

The quick code costs 0.05 s more, once, for loading LLVM. Longer rules take longer to compile, and
their games take longer still, so the longer the rules, the fewer games pay. What the best code
saves goes by inputs: a longer text takes longer to compile, and each input of it runs longer. In
inputs the last column is 0.2 to 12 million, most of it between one and four.
"""

from __future__ import annotations

MACHINE_CODE = 10_000
"""So many games, times the instructions of the rules, pay for machine code instead of Python."""
BEST = 2_000_000
"""So many inputs pay for the best code, while the quick one plays."""


def worth_machine_code(games: int, instructions: int) -> bool:
    """Whether machine code has played so many games sooner than Python."""
    return games * instructions >= MACHINE_CODE


def worth_the_best(inputs: int) -> bool:
    """Whether the best code saves more on so many inputs than its making costs."""
    return inputs >= BEST

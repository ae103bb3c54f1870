"""Nodes of a tree that go by what players see, where worlds share it.

Assumes: worlds in which a player decides.
Does: asks how many ways the worlds look to the others. Where few, a node for each is searched often
enough, and everybody decides by what they know; where many, a node would be come to once, and what
is found of an action in one world had better count in all.
Leaves behind: keys of nodes, for `tree_search` and for machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulerun.reference.sight_sum import SightSum
from rulerun.runtime.rng import GOLDEN

_WORD = (1 << 64) - 1
SHARED = 4
"""So many worlds, on the average at least, look alike to each of the others."""


class SharedSight:
    """What nodes go by, for a player who searches."""

    def __init__(self, sums: SightSum, viewer: int) -> None:
        """Add up what is seen by `sums`."""
        self.sums = sums
        self.viewer = viewer

    def key(self, chain: int, play: Any, who: int) -> int:
        """The key of a node; at the root all worlds look alike."""
        if who == self.viewer and chain == 1 + who:
            return chain
        return (chain + self.sums.of(play.state().slots, who)) * GOLDEN & _WORD


def is_shared(sums: SightSum, worlds: Sequence[Sequence[int]], viewer: int, players: int) -> bool:
    """Whether the worlds, given by their slots, look alike to others often enough."""
    most = len(worlds) // SHARED
    for player in range(players):
        ways: set[int] = set()
        if player == viewer:
            continue
        for world in worlds:
            ways.add(sums.of(world, player))
            if len(ways) > most:
                return False
    return len(worlds) > 1

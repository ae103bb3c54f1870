"""How a tree of a search lies in memory, and what its search is told.

Assumes: nothing.
Does: names the numbers that machine code, which searches, and its callers agree on.
Leaves behind: places at the head of a tree, the place of a key, and `Worth`.
"""

from __future__ import annotations

from rulerun.reference.sight_sum import SightSum
from rulerun.runtime.rng import GOLDEN
from rulerun_dsl.source.frozen import frozen

NODES, PLACES, CELLS, USED, ENDS, LOW, HIGH, LARGEST, VIEWER = range(9)
"""What stands at the head of a tree: how many nodes and places of the hash there is room for, and
numbers of rows; how many nodes are used; how many ends were seen, the worst, the best, and the
largest margin of points; who searches, if nodes go by what players see (else -1)."""
HEAD = 9
SUMS = ("tried", "offered", "total", "won", "drawn", "ahead")
"""What is counted of each node."""
FOUND = ("tried", "total", "won", "drawn", "ahead")
"""What is asked of a node when all is done."""
SPREAD = 20
"""The low bits of a product that are left out, since they depend on few of the key's."""


@frozen
class Worth:
    """What an end is worth, and how a tree is searched: see `rulerun.search`."""

    returns: bool
    """Whether the lines of the score are what is declared as returns."""
    unit: int
    sign: int
    win: int
    margin: int
    scale: int
    exploring: float
    seats: int
    together: int
    cut: int
    """Inputs at random after which a play is judged where it stands; 0: none is."""
    sight: SightSum | None = None
    """What players see, where nodes may go by that."""


def place_of(key: int, places: int) -> int:
    """Where a key is looked for first."""
    spread = key * GOLDEN & (1 << 64) - 1
    return (spread >> SPREAD) % places

"""Plays by the thousand, for learners: as arrays, and as the environments of known packages.

`vector_plays` steps many plays at once (`native_many` in machine code, `stepped_many` in Python),
`encoding` says which numbers tell what a player sees and `seeing` writes them, `returns` what an
end is worth. `one_play` is for environments that step one at a time. `gymnasium`, `pettingzoo` and
`openspiel` need the package of their name.
"""

from __future__ import annotations

try:
    import numpy as _numpy  # noqa: F401
except ImportError as failure:
    raise ImportError("rulerun.vector needs numpy: pip install 'rulerun[vector]'") from failure

from rulerun.compiled.native.plan import STAY
from rulerun.vector.encoding import Column, Encoding
from rulerun.vector.seeing import rows_of
from rulerun.vector.vector_plays import VectorPlays

__all__ = ["STAY", "Column", "Encoding", "VectorPlays", "rows_of"]

"""What stands behind the slots, in the list on which the functions of a module work.

Assumes: nothing.
Does: says at which place what stands.
Leaves behind: places.
"""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen


@frozen
class Behind:
    """The places behind so many slots, of a program with so many control stacks."""

    size: int
    frames: int = 1

    @property
    def counters(self) -> int:
        """The counters of coverage."""
        return self.size

    @property
    def found(self) -> int:
        """What searches have found while a lister runs."""
        return self.size + 1

    @property
    def left(self) -> int:
        """How many evaluations may still be counted."""
        return self.size + 2

    @property
    def blocks(self) -> int:
        """How many blocks may still run in this input, if there are several control stacks."""
        return self.size + 3

    @property
    def choices(self) -> int:
        """What may be chosen, or may fall, where the stack of the game rests (`row_forms`).

        None if not asked yet. Behind it stands the same for each other stack.
        """
        return self.size + 4

    @property
    def who(self) -> int:
        """Who decides where the stack of the game rests; behind it the same for each other."""
        return self.choices + self.frames

    @property
    def masks(self) -> int:
        """Where the masks of regions begin."""
        return self.who + self.frames

"""What a run of instructions gives in place of the number of the next one, on every executor."""

REST = -1
"""Wait here for an input."""
PART_DONE = -2
"""A player's part of a `together` is done."""
OVER = -3
"""The game has ended."""
OPEN = -4
"""A `together` opens: the frame of each player in it is to run."""

SUPPOSED = -5
"""What a question supposes has run."""

BY_WORD = {"over": OVER, "part_done": PART_DONE, "open": OPEN, "supposed": SUPPOSED}
"""The signals by the words of `ir.Signal`."""

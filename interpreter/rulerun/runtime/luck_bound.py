"""Luck without end: how often luck may fall between two decisions, and what is said beyond that.

Assumes: a checked `Game`; the driver of a play counts how often luck fell in a row.
Does: makes the rule error of a play in which luck is asked once too often: where it is asked, which
loop has no end, how the rules got there.
Leaves behind: a `RuleError`. The count belongs to the driver, not to the state: in a loop that only
luck leaves, a state may come back, and is the same state.

    falls = 0
    while waiting := executor.waiting(state):
        if waiting[0].player == CHANCE:
            if falls == MOST_FALLS:
                raise endless(game, state, waiting[0])
            falls += 1
        else:
            falls = 0
        state = executor.apply(state, ...).state
"""

from __future__ import annotations

from rulerun.runtime.control import Control
from rulerun.runtime.executor import RuleError, Waiting
from rulerun.runtime.index import GameIndex
from rulerun.runtime.state import State
from rulerun_dsl import model
from rulerun_dsl.model import Game, Instruction

MOST_FALLS = 10_000
"""Chance outcomes that may fall in a row, set-up included."""

CODE = "luck"
"""The code of the rule error."""


def endless(game: Game, state: State, asked: Waiting) -> RuleError:
    """Return the error of a play in which luck is `asked` when it has fallen so often in a row."""
    control = Control(GameIndex(game))
    base = game.layout.base + asked.frame * game.layout.frame
    running = list(control.running(state.slots, base, asked.instruction))
    message = f"luck falls more than {MOST_FALLS} times without a decision"
    head = next(filter(None, (_around(game, control, *each) for each in running)), None)
    if head is not None:
        message += f"; the loop in line {head.span.line} does not end"
        if isinstance(head, model.Unless):
            from textwrap import shorten

            condition = shorten(head.condition.span.text, 60, placeholder=" …")
            message += f": `{condition}` does not come true"
    span = game.code[asked.instruction].span
    return RuleError(CODE, message, span, control.chain(state.slots, base, asked.instruction))


def _around(game: Game, control: Control, procedure: int, at: int) -> Instruction | None:
    """Where the innermost loop begins around an instruction that need not end by itself."""
    heads = [
        (back - head, head)
        for back, node in enumerate(game.code)
        if isinstance(node, model.Jump) and control.owner[back] == procedure
        for head in (node.to,)
        if head <= at <= back and not _ends(game.code[head])
    ]
    return game.code[min(heads)[1]] if heads else None


def _ends(head: Instruction) -> bool:
    """Whether a loop that begins so comes to its end by itself."""
    if isinstance(head, model.LoopNext):
        return head.loop.mode != "turns"
    return isinstance(head, model.RepeatNext)

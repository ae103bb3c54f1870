"""The shape of a compiled expression, and how one fails.

A closure is called with the state's vector, the start of the running frame and the registers. It
reads them, writes registers only, and gives a value, or raises a rule error that knows its place;
who runs the rules adds how they got there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulerun.runtime.executor import RuleError
from rulerun_dsl.model import OWNER, Game
from rulerun_dsl.source.spans import Span

Run = Callable[[Sequence[int], int, list[Any]], Any]
"""What an expression becomes."""


def fresh_registers(game: Game) -> list[Any]:
    """Registers that hold nothing, with room for who looks and whose a thing is."""
    return [None] * max(game.registers, OWNER + 1)


def rule_error(code: str, message: str, span: Span) -> RuleError:
    """A rule error that does not know yet how the rules got there."""
    return RuleError(code, message, span, ())

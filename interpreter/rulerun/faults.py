"""Rule errors as diagnostics: what went wrong in play, where, and how the rules got there."""

from __future__ import annotations

from rulerun.executor import RuleError
from rulerun_dsl.diagnostics import Diagnostic, Related, problem

_CODES = {
    "none": "RR0901",
    "empty": "RR0902",
    "nothing": "RR0902",
    "full": "RR0903",
    "range": "RR0904",
    "division": "RR0905",
    "index": "RR0906",
    "overflow": "RR0907",
    "power": "RR0907",
    "moved_away": "RR0908",
    "not_alike": "RR0909",
    "no_option": "RR0910",
    "no_outcome": "RR0911",
    "weight": "RR0911",
    "no_turn": "RR0912",
    "steps": "RR0913",
    "queue_full": "RR0914",
    "stopped_queue": "RR0915",
    "not_running": "RR0916",
    "no_action": "RR0917",
}
"""The diagnostic of each code of a `RuleError`."""

_HELP = {
    "RR0901": "test it (`is not none`) or say what holds instead (`… otherwise …`)",
    "RR0902": "say what happens then: `up to`, `otherwise`, or a condition",
    "RR0903": "make room first, or let the zone hold more",
    "RR0904": "widen the range where it is declared, test before, or declare `above: stop`",
    "RR0905": "test the divisor before",
    "RR0909": "say which: `move 1 c in … if … to …`",
    "RR0910": "say with `else:` what happens when nothing is legal",
    "RR0912": "end the loop with `until:` before nobody is left",
    "RR0913": "look for a loop that asks nobody and never ends; `limits: {steps: N}` allows more",
    "RR0914": "let the queue hold more: `queued: N`",
}


def diagnostic(error: RuleError) -> Diagnostic:
    """Return the diagnostic of a rule error, the chain of rules as related places."""
    code = _CODES[error.code]
    related = tuple(
        Related(span, f"in `{name}`" if name else "in the phases of the game")
        for name, span in error.chain
    )
    return problem(code, error.message, error.span, related=related, help=_HELP.get(code))

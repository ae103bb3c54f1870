"""Rule errors as diagnostics: what went wrong in play, where, and how the rules got there."""

from __future__ import annotations

from rulerun.runtime.executor import RuleError
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, problem
from rulerun_dsl.source.spans import Span

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
    "luck": "RR0918",
}
"""The diagnostic of each code of a `RuleError`."""

_HELP = {
    "RR0901": "test it (`is not none`) or say what holds instead (`… otherwise …`)",
    "RR0902": "say what happens then: `up to`, `otherwise`, or a condition",
    "RR0903": "make room first, or let the zone hold more",
    "RR0904": "widen the range where it is declared, test before, or declare `above: stop`",
    "RR0905": "test the divisor before",
    "RR0906": "test the index before, or widen what it is an index of",
    "RR0907": "declare ranges: then it is found when the rules are checked",
    "RR0908": "use the name before its component goes, or move it by that name",
    "RR0909": "say which: `move 1 c in … if … to …`",
    "RR0910": "say with `else:` what happens when nothing is legal",
    "RR0911": "test before that something can fall; a weight is 0 or more",
    "RR0912": "end the loop with `until:` before nobody is left",
    "RR0913": "look for a loop that asks nobody and never ends; `limits: {steps: N}` allows more",
    "RR0914": "let more calls wait: `queued: N`, or `stacked: N`",
    "RR0915": "stop a procedure of the circle, or stop where no call can wait",
    "RR0916": "a call that waits runs when the one that entered the circle has returned",
    "RR0918": "let something else end the loop as well (count its passes), or ask somebody in it",
}
_HELP_OF = {
    "nothing": "say what it is of nothing: `… if … else …`, with the condition that there is some",
}
"""Where an error of one code wants something else than the others."""


def diagnostic(error: RuleError) -> Diagnostic:
    """Return the diagnostic of a rule error, the chain of rules as related places."""
    code = _CODES[error.code]
    related = tuple(
        Related(span, f"in `{name}`" if name else "in the course of the game")
        for name, span in error.chain
        # The statement of set-up or a phase that holds the place itself says nothing new.
        if name or not span.covers(error.span)
    )
    help_ = _HELP_OF.get(error.code) or _HELP.get(code)
    return problem(code, error.message, error.span, related=related, help=help_)


def ended_by(code: str, what: str, span: Span | None, error: RuleError) -> Diagnostic:
    """Return a finding of another code: at a place outside the rules, for a rule error in them."""
    found = diagnostic(error)
    there = Related(error.span, f"it fails here ({found.code})")
    message = f"{what}: {error.message}"
    return problem(code, message, span, related=(there, *found.related), help=found.help)

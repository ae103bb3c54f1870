"""How a game ended: who won, the places, and the lines of the points; or what stopped it.

Assumes an observation of a game that is over, a session that reached its number of decisions, or
the error of a rule.
Leaves behind lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.runtime.executor import RuleError
from rulerun.terminal.formatting import Paint, table, wrap
from rulerun.views.observation import Standing
from rulerun.words.labels import Labels
from rulerun.words.outcomes import headline, reasons, standings


def ending(
    result: Sequence[Standing], names: Labels, width: int, paint: Paint, viewer: str = ""
) -> list[str]:
    """The end of a game. `viewer` is the player to whom it is told, if it is one alone."""
    lines = [paint.good(headline(result, names, viewer))]
    rows = standings(result, names)
    if rows:
        lines += ["", *table(rows, width, upright=True)]
    for each in reasons(result, names):
        lines += wrap(each, width, rest="  ")
    return lines


def truncated(decisions: int, names: Labels, width: int) -> list[str]:
    """The play was stopped before its end."""
    return wrap(names.speech.stopped.format(number=decisions), width)


def told_error(error: RuleError) -> str:
    """A rule error for people: what, where, and what led there."""
    from rulerun.runtime.faults import diagnostic
    from rulerun_dsl.diagnostics.render import render_text

    return "the rules fail\n" + render_text([diagnostic(error)]).rstrip()

"""Broken laws as diagnostics: one for each law, at a line of the rules, with a count behind it.

Assumes findings of one rules file.
Does: takes the first of each law (of the conditions under `always:`, of each condition), and looks
up where its play stood; a finding that belongs to no state stands at the name of the game.
Leaves behind diagnostics that say how to see the first again, and how often the law was broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rulerun.laws.report import Finding
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import RuleError
from rulerun.scenario.names import GameNames
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.load import Loaded
from rulerun_dsl.source.spans import Span


def broken_laws(loaded: Loaded, findings: Iterable[Finding]) -> list[Diagnostic]:
    """One diagnostic for each law that was found broken."""
    grouped: dict[tuple[int, str], list[Finding]] = {}
    for each in findings:
        grouped.setdefault((each.law, "" if each.law else each.what), []).append(each)
    return [_diagnostic(loaded, group) for group in grouped.values()]


def _diagnostic(loaded: Loaded, group: list[Finding]) -> Diagnostic:
    first = group[0]
    law = f"law {first.law} ({first.name})" if first.law else first.name
    times = "once" if len(group) == 1 else f"{len(group)} times"
    return problem(
        "RR0803",
        f"{law}: {first.what}",
        place(loaded, first),
        help=f"found {times}, first {first.where}; again: `{first.again}`",
    )


def place(loaded: Loaded, finding: Finding) -> Span:
    """Where in the rules a law did not hold, or a play stood when it did not."""
    if finding.span is not None:
        return finding.span
    if finding.state is not None and finding.setting is not None:
        setting = finding.setting
        game, _ = loaded.game(setting.players, dict(setting.options), setting.variants)
        if game is not None:
            slots = finding.state.slots
            names = GameNames(game)
            for each in game.always if not finding.law else ():
                try:
                    if not names.evaluate(slots, each.condition):
                        return each.condition.span
                except RuleError:
                    return each.condition.span
            waiting = Reference(game, events=False).waiting(finding.state)
            if waiting:
                return game.code[waiting[0].instruction].span
    name = re.search(r"^game[ \t]*:[ \t]*(\S+)", loaded.source.text, re.MULTILINE)
    return loaded.source.span(0) if name is None else loaded.source.span(*name.span(1))

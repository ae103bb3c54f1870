"""What the language allows and an author hardly means.

Assumes: the checked rules of a game, for one setting.
Does: looks for comparisons that decide nothing and cases that no number gets to (`bounds`,
`covering`), loops over a set that their body changes (`sets`), points that depend on the order of
seats (`ties`), and rows that leave out what every other row says (`rows`). `places` finds the
expressions, `suppressions` reads the comments that answer findings.
Leaves behind: findings for that setting. Ranges and sets may depend on options: only what is found
in every setting, in the same words, is a finding (`in_all`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, by_place
from rulerun_dsl.lint.bounds import decided_comparisons
from rulerun_dsl.lint.covering import covered_cases
from rulerun_dsl.lint.rows import left_out
from rulerun_dsl.lint.sets import moving_sets
from rulerun_dsl.lint.ties import deciding_ties
from rulerun_dsl.source.spans import Span

__all__ = ["in_all", "lints"]

_PASSES = (decided_comparisons, covered_cases, moving_sets, deciding_ties, left_out)


def lints(rules: RuleChecker) -> Iterator[Diagnostic]:
    """The findings of every pass, for one setting."""
    for find in _PASSES:
        yield from find(rules)


def in_all(settings: Iterable[Iterable[Diagnostic]]) -> list[Diagnostic]:
    """The findings that every setting has."""
    common: dict[tuple[str, Span | None, str], Diagnostic] | None = None
    for found in settings:
        here = {(each.code, each.span, each.message): each for each in found}
        common = here if common is None else {key: common[key] for key in common if key in here}
    return by_place((common or {}).values())

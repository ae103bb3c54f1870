"""Who may know what: findings about secrets, over the whole of the rules."""

from __future__ import annotations

from rulerun_dsl.check.statements import Statements


def check_information(rules: Statements) -> None:
    """Run every check of information."""

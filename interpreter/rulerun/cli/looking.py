"""What is found of one file: at a glance in the settings that it has by default, or in all.

Assumes a file of rules, a module, scenarios or texts, which may not be saved yet.
Does: checks it, a module through the rules files that list it. `rulerun validate` plays as well;
this is for commands that change a file, and look at what comes of it.
Leaves behind findings in reading order.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rulerun.cli import belonging
from rulerun.cli.examining import Report, Wanted
from rulerun.cli.files import is_scenarios

if TYPE_CHECKING:
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic


def findings_of(path: Path) -> list[Diagnostic]:
    """What is wrong with a file, whatever its kind."""
    from rulerun_dsl.diagnostics.diagnostic import by_place
    from rulerun_dsl.load import load

    if not is_scenarios(path) and not belonging.is_texts(path):
        listing = belonging.parents(path) if belonging.is_module(path) else []
        if listing or not belonging.is_module(path):
            found: list[Diagnostic] = []
            for rules in listing or [path]:
                loaded, some = load(rules, str(rules))
                found += some
                if loaded is not None:
                    found += loaded.game()[1]
            return by_place(found)
    return all_findings_of(path)


def all_findings_of(path: Path) -> list[Diagnostic]:
    """What is wrong with a file in every setting, without playing."""
    from rulerun_dsl.diagnostics.diagnostic import by_place

    # Strict: nothing is remembered of what may never be saved.
    report = Report(Wanted(strict=True))
    report.files([path], dependents=False)
    return by_place(report.found.values())

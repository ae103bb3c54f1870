"""What a saved ruleset comes to: every setting checked, its scenarios run, a play carried on.

Assumes files on the disk; runs in a process beside the server, which may be stopped.
Leaves behind plain data, and `Fate`: what becomes of the table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rulerun.analysis.settings import findings_elsewhere
from rulerun.host.aside import Tell
from rulerun.runtime.executor import RuleError
from rulerun.scenario.runner import run_scenarios
from rulerun.web import editions
from rulerun.web.desk.carrying import Carried, Given, carried
from rulerun.web.desk.helping import Data, findings
from rulerun.web.editions import Unplayable
from rulerun.web.shelf import form_of
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors
from rulerun_dsl.load import load
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean

MOST_SETTINGS = 200
"""So many settings are checked behind a save; `rulerun validate` checks all."""


@frozen
class Setting:
    """What a table is for: how many people, and the options that somebody has set."""

    players: int | None
    options: tuple[tuple[str, str], ...] = ()
    variants: tuple[str, ...] = ()


def settings(tell: Tell, main: str) -> Data:
    """What is wrong with the rules in any setting."""
    path = Path(main)
    loaded, found = load(path, path.name)
    if loaded is None or has_errors(found):
        return {"findings": findings(found, path.name), "sound": False}
    game, more = loaded.game()
    every = [*found, *more]
    if game is not None:
        others = findings_elsewhere(loaded, every, MOST_SETTINGS, lambda: False)
        every += others or []
    return {"findings": findings(every, path.name), "sound": not has_errors(every)}


def scenarios(tell: Tell, path: str) -> list[Data]:
    """How each scenario of a file went."""
    file = Path(path)
    return [
        {
            "id": each.id,
            "title": each.title or each.id,
            "line": each.span.line if each.span is not None else 1,
            "passed": each.passed,
            "why": _why(each.diagnostics),
        }
        for each in run_scenarios(file)
    ]


def _why(every: Sequence[Diagnostic]) -> list[Data]:
    return [
        {
            "line": each.span.line if each.span is not None else 0,
            "file": Path(each.span.source.name).name if each.span is not None else "",
            "message": each.message,
            "help": each.help or "",
        }
        for each in every
    ]


def form(_: Tell, main: str, language: str) -> Data:
    """What can be chosen for a table of the saved rules; `error`: why nothing can."""
    path = Path(main)
    try:
        return form_of(path.stem, path, language)
    except Unplayable as failure:
        return {"error": _named(str(failure), path.parent)}


def _named(why: str, *homes: Path) -> str:
    """A reason, in which files are called as the page calls them: by their names in a folder."""
    for home in homes:
        why = why.replace(f"{home}{os.sep}", "")
    return clean(why)


# ------------------------------------------------------------------------------------- the table


@frozen
class Fate:
    """What becomes of a table: how its play came along, or why it cannot."""

    carried: Carried | None
    why: str = ""
    dropped: tuple[str, ...] = ()
    """Options that were set, and that the rules no longer have."""


def fate(
    _: Tell,
    main: str,
    kept: str,
    setting: Setting,
    seats: Mapping[str, str],
    seed: str,
    inputs: Sequence[Given],
    how: str,
) -> Fate:
    """Carry a play on under the rules as they are on the disk, which are copied below `kept`."""
    editions.forget()
    homes = [Path(main).parent]
    try:
        copy = editions.keep(Path(main), Path(kept))
        homes.append(copy.parent)
        edition, dropped = edition_for(copy, setting)
        return Fate(carried(edition, seats, seed, inputs, how), "", dropped)
    except (Unplayable, OSError) as failure:
        return Fate(None, _named(str(failure), *homes))
    except RuleError as error:
        return Fate(None, f"a rule error: {clean(str(error))}")


def edition_for(copy: Path, setting: Setting) -> tuple[editions.Edition, tuple[str, ...]]:
    """The edition of a setting, without options that are gone. Raises `Unplayable`."""
    known = {each.at.name for each in editions.loaded_from(copy).outline.options}
    options = {name: text for name, text in setting.options if name in known}
    dropped = tuple(name for name, _ in setting.options if name not in known)
    there = editions.loaded_from(copy).variants
    variants = tuple(each for each in setting.variants if each in there)
    return editions.edition_of(copy, setting.players, options, variants), dropped

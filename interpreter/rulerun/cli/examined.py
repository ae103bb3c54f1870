"""What `rulerun validate` says of what it has examined.

Assumes: a `Report` to which nothing more comes.
Does: puts into words what was looked at and what was not, apart from the findings themselves.
Leaves behind: lines of text, or all of it as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.cli.examining import Report
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic

_SHOWN = 3
"""So many settings that were not played are named in the text."""


def counted(report: Report) -> str:
    """What was examined, in words."""
    parts = [
        f"{report.counts[what]} {singular if report.counts[what] == 1 else many}"
        for what, singular, many in (
            ("ruleset", "ruleset", "rulesets"),
            ("module", "module file", "module files"),
            ("scenarios", "file of scenarios", "files of scenarios"),
            ("texts", "file of texts", "files of texts"),
        )
        if report.counts[what]
    ]
    text = ", ".join(parts)
    played = "" if report.wanted.play else ", none played"
    settings = "1 setting" if report.settings == 1 else f"{report.settings} settings"
    return f"{text} ({settings}{played})" if report.counts["ruleset"] else text


def not_played(report: Report) -> str:
    """The settings that random play did not reach, in words."""
    missed = {name: listed for name, listed in report.unplayed.items() if listed}
    if not missed:
        return ""
    count = sum(map(len, missed.values()))
    if len(missed) > 1:
        what = f"{count} settings of {len(missed)} rulesets"
    else:
        shown = ", ".join(f"`{each}`" for listed in missed.values() for each in listed[:_SHOWN])
        what = f"{shown} and {count - _SHOWN} more" if count > _SHOWN else shown
    return f"not played: {what} (`--play N` plays more, `--format json` lists them)"


def not_looked_at(report: Report) -> Iterator[str]:
    """What the laws did not look at, since it was too much work, in words: by rules file."""
    for name, missed in report.missed.items():
        if missed.anything:
            yield f"{name} is much work, so {'; '.join(missed.told())} (`--games N` plays more)"


def not_translated(report: Report) -> Iterator[str]:
    """What is not translated, in words: by file of texts."""
    for name, missing in report.untranslated.items():
        some = "; ".join(missing[:_SHOWN])
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        yield f"{name} does not say: {some}{more} (`--format json` lists them)"


def not_checked(report: Report) -> str:
    """The scenarios at which nobody looked, in words."""
    count = sum(report.unchecked.values())
    what = "1 scenario" if count == 1 else f"{count} scenarios"
    return f"not checked: {what}, whose rules have errors" if count else ""


def to_json(report: Report, findings: Sequence[Diagnostic]) -> str:
    """The findings and what was examined, as JSON."""
    from rulerun_dsl.diagnostics.render import render_json

    data = json.loads(render_json(findings))
    unplayed = {name: list(listed) for name, listed in report.unplayed.items() if listed}
    data["examined"] = {
        "files": report.names,
        "settings": report.settings,
        "play": report.wanted.play,
        "not_played": unplayed,
        "not_checked": report.unchecked,
        "not_translated": {name: list(missing) for name, missing in report.untranslated.items()},
    }
    if report.wanted.deep:
        data["examined"]["not_looked_at"] = {
            name: missed.as_data() for name, missed in report.missed.items() if missed.anything
        }
        data["laws"] = [
            {
                "file": name,
                "law": each.law,
                "name": each.name,
                "message": each.what,
                "where": each.where,
                "inputs": list(each.inputs),
                "again": each.again,
            }
            for name, each in report.broken
        ]
    return as_json(data)

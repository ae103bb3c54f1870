"""Diagnostics in the formats of other programs: SARIF, GitLab's code quality, JUnit.

Assumes: diagnostics, in the order in which they are to be listed.
Does: gives each a fingerprint that stays when lines move: it is made of the code, the file, the
message and the text of the line, and of how many such there were before.
Leaves behind: text. Paths are as the caller names files, from the root of a repository usually.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

from rulerun_dsl.diagnostics.catalogue import CATALOGUE
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity
from rulerun_dsl.diagnostics.fixes import Fix
from rulerun_dsl.source.safe_text import as_json, visible
from rulerun_dsl.source.spans import Span

Named = Callable[[str], str]
"""What a file is called."""

_SARIF = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_GITLAB = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def fingerprints(diagnostics: Iterable[Diagnostic], path: Named) -> list[str]:
    """A hash of each finding that stays the same as long as the finding does."""
    seen: Counter[str] = Counter()
    found = []
    for each in diagnostics:
        where, line = "", ""
        if each.span is not None:
            where = path(each.span.source.name)
            line = " ".join(each.span.source.line_text(each.span.line).split())
        whole = "\0".join((each.code, where, each.message, line))
        seen[whole] += 1
        digest = hashlib.blake2b(f"{whole}\0{seen[whole]}".encode(), digest_size=16)
        found.append(digest.hexdigest())
    return found


def render_sarif(
    diagnostics: Iterable[Diagnostic],
    version: str,
    path: Named = lambda name: name,
    pages: Mapping[str, str] | None = None,
) -> str:
    """SARIF 2.1.0, for services that keep findings. `pages` has the text of a code's page."""
    every = list(diagnostics)
    codes = sorted({each.code for each in every})
    marks = fingerprints(every, path)
    return as_json(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "rulerun",
                            "version": version,
                            "rules": [_sarif_rule(code, pages or {}) for code in codes],
                        }
                    },
                    "columnKind": "unicodeCodePoints",
                    "results": [
                        _sarif_result(each, mark, codes.index(each.code), path)
                        for each, mark in zip(every, marks, strict=True)
                    ],
                }
            ],
        }
    )


def _sarif_rule(code: str, pages: Mapping[str, str]) -> dict[str, object]:
    entry = CATALOGUE[code]
    rule: dict[str, object] = {
        "id": code,
        "name": entry.slug,
        "shortDescription": {"text": f"{entry.title}."},
        "defaultConfiguration": {"level": _SARIF[entry.severity]},
    }
    if code in pages:
        rule["help"] = {"text": pages[code], "markdown": pages[code]}
    return rule


def _sarif_result(each: Diagnostic, mark: str, rule: int, path: Named) -> dict[str, object]:
    text = each.message if each.help is None else f"{each.message}\n{each.help}"
    result: dict[str, object] = {
        "ruleId": each.code,
        "ruleIndex": rule,
        "level": _SARIF[each.severity],
        "message": {"text": text},
        "partialFingerprints": {"rulerun/v1": mark},
    }
    if each.span is not None:
        span = each.span
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": path(span.source.name)},
                    "region": _sarif_region(span),
                }
            }
        ]
    if each.fixes:
        result["fixes"] = [_sarif_fix(fix, path) for fix in each.fixes]
    return result


def _sarif_region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _sarif_fix(fix: Fix, path: Named) -> dict[str, object]:
    """A fix, its edits by file; whether it is safe is a property of our own."""
    by_file: dict[str, list[dict[str, object]]] = {}
    for each in fix.edits:
        by_file.setdefault(path(each.span.source.name), []).append(
            {"deletedRegion": _sarif_region(each.span), "insertedContent": {"text": each.text}}
        )
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": {"uri": name}, "replacements": replacements}
            for name, replacements in by_file.items()
        ],
        "properties": {"safe": fix.safe},
    }


def render_gitlab(diagnostics: Iterable[Diagnostic], path: Named = lambda name: name) -> str:
    """GitLab's code quality report: a JSON list."""
    every = list(diagnostics)
    found = []
    for each, mark in zip(every, fingerprints(every, path), strict=True):
        where = "" if each.span is None else path(each.span.source.name)
        line = 1 if each.span is None else each.span.line
        found.append(
            {
                "description": each.message,
                "check_name": f"{each.code} {each.slug}",
                "fingerprint": mark,
                "severity": _GITLAB[each.severity],
                "location": {"path": where, "lines": {"begin": line}},
            }
        )
    return as_json(found)


def render_junit(
    diagnostics: Iterable[Diagnostic], files: Iterable[str], path: Named = lambda name: name
) -> str:
    """JUnit's XML: a case for each file, which fails with its errors."""
    by_file: dict[str, list[Diagnostic]] = {path(name): [] for name in files}
    for each in diagnostics:
        name = "" if each.span is None else path(each.span.source.name)
        by_file.setdefault(name, []).append(each)
    failed = {name: [one for one in found if one.severity is Severity.ERROR]
              for name, found in by_file.items()}  # fmt: skip
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    wrong = sum(1 for errors in failed.values() if errors)
    lines.append(f'<testsuite name="rulerun validate" tests="{len(by_file)}" failures="{wrong}">')
    for name, errors in failed.items():
        lines.append(f'  <testcase classname="rulerun" name={_attribute(name or "settings")}>')
        for each in errors:
            line = "" if each.span is None else f"{each.span.line}:{each.span.column}: "
            said = f"{line}{each.message}" + (f"\nhelp: {each.help}" if each.help else "")
            lines.append(
                f"    <failure type={_attribute(each.code)} message={_attribute(each.message)}>"
                f"{escape(visible(said))}</failure>"
            )
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def _attribute(text: str) -> str:
    return quoteattr(visible(text))

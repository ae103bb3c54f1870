"""Findings as the protocol has them: at their places in the texts as they are now.

Assumes: findings of an analysis, or of a declaration that was read by itself.
Does: moves places from the text that was read to the text that is there, and keeps which fix
belongs to which finding.
Leaves behind: diagnostics of the protocol by file, and text edits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris

from rulerun.language_server.desk import Desk
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity
from rulerun_dsl.diagnostics.fixes import Fix
from rulerun_dsl.source.spans import Source, Span

_SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
}


@dataclass(frozen=True)
class Shown:
    """A finding as the client has it, with what would mend it."""

    told: lsp.Diagnostic
    fixes: tuple[Fix, ...]


def uri_of(path: Path) -> str:
    """The address of a file."""
    text = str(path)
    return uris.from_fs_path(text) or text


def now(desk: Desk, source: Source, path: Path, start: int, end: int) -> lsp.Range:
    """A stretch of a text that was read, in the text as it is now."""
    changes = desk.changes(path, source.text)
    start, end = changes.moved(start), changes.moved(end)
    return desk.positions(path).range(start, max(start, end))


def shown(desk: Desk, finding: Diagnostic) -> Shown:
    """A finding for the client."""
    message = finding.message
    if finding.help:
        message += f"\n{finding.help}"
    related = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(
                uri_of(path), now(desk, each.span.source, path, each.span.start, each.span.end)
            ),
            each.message,
        )
        for each in finding.related
        if (path := _path(each.span)) is not None
    ]
    place = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    if finding.span is not None and (path := _path(finding.span)) is not None:
        place = now(desk, finding.span.source, path, finding.span.start, finding.span.end)
    told = lsp.Diagnostic(
        range=place,
        message=message,
        severity=_SEVERITY.get(finding.severity, lsp.DiagnosticSeverity.Hint),
        code=finding.code,
        source="rulerun",
        related_information=related or None,
    )
    return Shown(told, finding.fixes)


def _path(span: Span) -> Path | None:
    """The file of a place: here sources are called by their paths."""
    return Path(span.source.name) if span.source.name else None


def by_file(desk: Desk, findings: Iterable[Diagnostic], main: Path) -> dict[Path, list[Shown]]:
    """Findings by the file they are in; those without a place stand in the rules file."""
    found: dict[Path, list[Shown]] = {}
    for each in findings:
        path = (_path(each.span) if each.span is not None else None) or main
        found.setdefault(path, []).append(shown(desk, each))
    return found


def edits_of(desk: Desk, fix: Fix) -> dict[str, list[lsp.TextEdit]]:
    """What a fix changes, by file."""
    found: dict[str, list[lsp.TextEdit]] = {}
    for edit in fix.edits:
        path = Path(edit.span.source.name)
        place = now(desk, edit.span.source, path, edit.span.start, edit.span.end)
        found.setdefault(uri_of(path), []).append(lsp.TextEdit(place, edit.text))
    return found

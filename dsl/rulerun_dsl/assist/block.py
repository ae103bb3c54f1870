"""One declaration of a file by itself: read and checked in a few milliseconds.

Assumes: an `Analysis` of a book as it was before, and the text of one of its files now.
Does: finds the declaration around a place by its indentation, blanks out everything else in the
file but the heads of what it stands in, reads that, and puts it into the outline of the analysis in
place of what stood there. Only this is checked; of the rest just what it names.
Leaves behind: a `Block` with findings and notes of its own, whose offsets are those of the text.

What a declaration does to others (a name that is gone, a value that is never read) shows only in
the analysis of the whole.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection
from typing import Any

from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.open_texts import MAIN, Changes
from rulerun_dsl.assist.structure import Line, lines_of
from rulerun_dsl.check import checker
from rulerun_dsl.check.env.recorder import Recorder
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import statements
from rulerun_dsl.diagnostics.diagnostic import (
    Diagnostic,
    first_of,
    has_errors,
    without_echoes,
)
from rulerun_dsl.load import without_what_follows
from rulerun_dsl.outline.outline import outline
from rulerun_dsl.schema.shapes import check_shape
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.yaml import recovery
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Entry, Mapping

_KEY = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s#'"\[{-][^#]*?|-(?=\S)[^#]*?)\s*:(?=\s|$)""")
_HEADS = ("rulerun", "game", "module", "players", "visible", "when")
_BLOCKS = ("setup", "always", "scoring", "constraints", "sources", "limits", "players", "files")
"""Sections that are one declaration."""
_NESTED = re.compile(r"(?:chapter|instead for)\s")
_HOOK = re.compile(r"(?:before|after)\s")


@frozen
class Extent:
    """Where a declaration stands in a text, and the heads of what it stands in."""

    start: int
    end: int
    heads: tuple[tuple[int, int], ...]
    section: str
    """The key of the section that it stands in, or its own."""
    cut: bool = False
    """It is the first line of something, and what stands below that is left out."""


@frozen
class Block:
    """A declaration that was read by itself."""

    extent: Extent
    source: Source
    document: Mapping | None
    part: declarations.Outline | None
    """What it declares."""
    world: World | None
    recorder: Recorder
    findings: tuple[Diagnostic, ...]


def extent_at(text: str, offset: int) -> Extent:
    """The declaration around a place."""
    lines = lines_of(text)
    here = next((n for n, line in enumerate(lines) if line.end > offset), len(lines) - 1)
    heads: list[tuple[int, int]] = []
    low, high, section, depth = 0, len(lines), "", 0
    while True:
        # The entries between here and there stand at the least indentation.
        level = min((each.indent for each in lines[low:high] if each.indent >= 0), default=0)
        opens = [
            n
            for n in range(low, high)
            if lines[n].indent == level and _KEY.match(lines[n].text) is not None
        ]
        mine = max((n for n in opens if n <= here), default=None)
        blank = (
            mine is not None and lines[here].indent < 0 and _indent_of(lines[here], text) <= level
        )
        if mine is None or (blank and depth and here != mine):
            return _extent(lines, min(here, high - 1), here + 1, heads, section)
        end = min((n for n in opens if n > mine), default=high)
        key = lines[mine].text.partition(":")[0].strip("\"' ")
        if key == "when":
            # Whether a condition counts depends on what it stands above.
            return _extent(lines, max(low - 1, 0), high, heads, section or key)
        heads += [
            (lines[n].start, lines[n].end)
            for n in opens
            if n != mine and lines[n].text.partition(":")[0] in _HEADS
        ]
        one = key in _BLOCKS or _HOOK.match(key) or (depth and not _NESTED.match(section))
        if one or end == mine + 1 or not (mine < here < end):
            if (depth and here == mine and not _NESTED.match(section)) or one or end == mine + 1:
                return _extent(lines, mine, end, heads, section or key)
            head = _extent(lines, mine, mine + 1, heads, section or key)
            return dataclasses.replace(head, cut=True)
        heads.append((lines[mine].start, lines[mine].end))
        low, high, section, depth = mine + 1, end, key, depth + 1


def _indent_of(line: Line, text: str) -> int:
    whole = text[line.start : line.end].rstrip("\r\n")
    return len(whole) - len(whole.lstrip(" "))


def _extent(
    lines: list[Line], first: int, last: int, heads: list[tuple[int, int]], section: str
) -> Extent:
    end = lines[last - 1].end if last > first else lines[first].end
    return Extent(lines[first].start, end, tuple(heads), section)


def skeleton(text: str, extent: Extent) -> str:
    """The text with everything but a declaration and its heads blanked out."""
    kept = sorted([*extent.heads, (extent.start, extent.end)])
    parts, place = [], 0
    for start, end in kept:
        if start > place:
            parts.append(_blank(text[place:start]))
        if end > place:
            parts.append(text[max(start, place) : end])
            place = end
    parts.append(_blank(text[place:]))
    return "".join(parts)


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]+", lambda line: " " * len(line[0]), text)


def read_extent(
    analysis: Analysis,
    file: str,
    source: Source,
    extent: Extent,
    changes: Changes,
    only_whole: bool = False,
) -> Block:
    """Read and check one declaration; with `only_whole` none that does not parse is checked.

    `changes` made the text of the source out of the one that was analysed.
    """
    blanked = Source(source.name, skeleton(source.text, extent))
    document, findings = load_document(blanked)
    recorder = Recorder()
    part = world = None
    if document is not None:
        findings.extend(check_shape(document))
        whole = _with_head(analysis, file, document)
        part, more = outline(whole)
        findings.extend(more)
        broken = only_whole and any(each.code.startswith("RR03") for each in more)
        if part is not None and analysis.outline is not None and not broken:
            sections = {entry.key.text for entry in document.entries}
            world = _spliced(analysis, file, extent, changes, part, sections)
            world.recorder = recorder
            if has_errors(findings):
                near = recovery.words_of([document]) | recovery.words_near(findings)
                world.doubtful |= near
            checker.check_only(statements.rule_checker(world), part)
            found = world.diagnostics
            if has_errors(findings):
                found = without_what_follows(whole, findings, found)
            findings.extend(found)
    if extent.cut or not source.text[extent.start : extent.end].strip():
        # What is missing is there, elsewhere.
        findings = []
    inside = [
        _onto(source, each)
        for each in first_of(without_echoes(findings))
        if each.span is not None
        and each.span.source is blanked
        and extent.start <= each.span.start <= extent.end
    ]
    return Block(extent, blanked, document, part, world, recorder, tuple(inside))


def _onto(source: Source, finding: Diagnostic) -> Diagnostic:
    """A finding in the text itself, in place of the one that is blanked out."""
    assert finding.span is not None
    blanked = finding.span.source

    def whole(span: Span) -> Span:
        return Span(source, span.start, span.end) if span.source is blanked else span

    return dataclasses.replace(
        finding,
        span=whole(finding.span),
        related=tuple(dataclasses.replace(each, span=whole(each.span)) for each in finding.related),
        fixes=tuple(
            dataclasses.replace(
                fix,
                edits=tuple(dataclasses.replace(each, span=whole(each.span)) for each in fix.edits),
            )
            for fix in finding.fixes
        ),
    )


def _with_head(analysis: Analysis, file: str, document: Mapping) -> list[Mapping]:
    """The documents of an outline: a module needs the rules file that it belongs to."""
    head = analysis.documents.get(MAIN)
    if file == MAIN and ("players" in document or head is None):
        return [document]
    entries: tuple[Entry, ...] = ()
    if head is not None:
        entries = tuple(
            each for each in head.entries if each.key.text in ("rulerun", "game", "players")
        )
    if file == MAIN:
        return [dataclasses.replace(document, entries=(*entries, *document.entries))]
    span = head.span if head is not None else document.span
    return [Mapping(entries, span), document]


_LISTS = (
    *("options", "constants", "types", "tables", "boards", "kinds", "zones", "variables"),
    *("functions", "procedures", "actions", "hooks", "phases", "variants"),
)


_SECTIONS = {
    "scoring": ("scoring",),
    "constraints": ("constraints",),
    "automata": ("automata",),
    "always": ("always",),
    "view": ("view",),
    "words": ("words",),
    "story": ("story",),
}
"""Sections that are taken as a whole, and what they are in an outline."""


def _spliced(
    analysis: Analysis,
    file: str,
    extent: Extent,
    changes: Changes,
    part: declarations.Outline,
    sections: Collection[str],
) -> World:
    """The world of the analysis with this part in place of what stood there."""
    assert analysis.outline is not None
    old = analysis.outline
    before = analysis.sources.get(file)
    start, end = changes.back(extent.start), changes.back(extent.end)

    def gone(span: Span | None) -> bool:
        return span is not None and span.source is before and start <= span.start < end

    spliced: dict[str, Any] = {}
    for name in _LISTS:
        mine = getattr(part, name)
        kept = [each for each in getattr(old, name) if not gone(each.at.span)]
        names = {each.at.name for each in mine}
        if name not in ("hooks", "phases"):
            kept = [each for each in kept if each.at.name not in names]
        spliced[name] = (*kept, *mine)
    spliced["setup"] = (*(each for each in old.setup if not gone(each.span)), *part.setup)
    for section, parts in _SECTIONS.items():
        if section in sections:
            spliced |= {name: getattr(part, name) for name in parts}
    whole = dataclasses.replace(old, **spliced)
    world = checker.world_of(whole, checker.fewest(whole, {}), {})
    if not analysis.is_sound:
        world.doubtful = frozenset(analysis.world.doubtful if analysis.world is not None else ())
    return world

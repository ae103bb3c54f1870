"""A file mended by the fixes of its findings: `rulerun fix`.

Assumes: a source, and a way to look at the file as if it had another text.
Does: puts in the fixes of what is found, as many at once as do not touch, looks again, and goes on
until nothing more can be mended; of what makes the file worse it puts in one half, and at last one
fix alone, so that a wrong one keeps no right one from going in.
Leaves behind: `Mended`: the text, what was done, and what is found of it in the end.

A text is worse if it has more errors of the stage that was mended, or of an earlier one (those of
later stages were only hidden); if the line still cannot be read, or the next one then; if the same
is found where something was written; if a place whose name or type was mended, or that was mended
by a guess, has as many findings as before; or if a comment is gone that no fix is about.

What is unused only since something was guessed is left as it is: a wrong guess would take out what
the right one uses.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rulerun_dsl.diagnostics.diagnostic import COUNTS, Diagnostic, Severity
from rulerun_dsl.diagnostics.fixes import Edit, Fix
from rulerun_dsl.edit.applying import applied, compatible, ordered
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.comments import comments
from rulerun_dsl.yaml.document import load_document

Look = Callable[[str], Sequence[Diagnostic]]
"""What is found of the file, and of what it belongs to, if it has this text."""

MOST_LOOKS = 60
"""So often a file is looked at; what is left by then is left."""

_READING, _SHAPE, _NAMES = "RR01", "RR02", "RR04"
"""The stages of findings, by the beginning of their codes."""


_HIDING = {"RR0401": "RR03"}
"""What is found before any name is looked up, though its code is one of names: without a number of
players there are no rules to look at."""


@frozen
class Step:
    """What was mended: what was found there, where it stood, and what was done about it."""

    finding: Diagnostic
    fix: Fix


@frozen
class Mended:
    """A text with fixes."""

    text: str
    steps: tuple[Step, ...]
    left: tuple[Diagnostic, ...]
    """What is found of the text."""


def mended(source: Source, look: Look, *, unsafe: bool) -> Mended:
    """The text of a source with the safe fixes of what is found of it, or with all of them."""
    found = look(source.text)
    first = {_sign(each) for each in found}
    steps: list[Step] = []
    refused: set[tuple[object, ...]] = set()
    looks = 1
    while looks < MOST_LOOKS:
        # A line that is taken out was no guess, and what it alone used goes as well.
        guessed = any(not (each.fix.safe or _takes_out(each.fix)) for each in steps)
        mendable = [
            each
            for each in found
            if not guessed or _sign(each) in first or not any(map(_takes_out, each.fixes))
        ]
        batch = _batch(source, mendable, unsafe, refused)
        if not batch:
            break
        while batch and looks < MOST_LOOKS:
            new = Source(source.name, applied(source, _edits(batch)))
            after = look(new.text)
            looks += 1
            if not _worse(source, found, new, after, batch):
                source, found = new, after
                steps += batch
                break
            if len(batch) == 1:
                refused.add(_key(batch[0]))
            batch = batch[: len(batch) // 2]
    return Mended(source.text, tuple(steps), tuple(found))


def fix_of(finding: Diagnostic, *, unsafe: bool) -> Fix | None:
    """The fix that is put in for a finding, if there is one that may be."""
    return next((each for each in finding.fixes if each.safe or unsafe), None)


def _batch(
    source: Source,
    found: Iterable[Diagnostic],
    unsafe: bool,
    refused: set[tuple[object, ...]],
) -> list[Step]:
    """What can be put in together, the first fix of each finding that was not refused."""
    steps: dict[Fix, Step] = {}
    for finding in found:
        for fix in finding.fixes:
            if (here := _moved_here(fix, source)) is None or not (fix.safe or unsafe):
                continue
            step = Step(finding, here)
            if _key(step) not in refused:
                steps.setdefault(here, step)
                break
    return [steps[each] for each in compatible(steps, source)]


def _takes_out(fix: Fix) -> bool:
    """Whether a fix deletes what somebody has written, and may not be sure of it."""
    if fix.safe or any(each.text for each in fix.edits):
        return False
    return any(each.span.text.strip() for each in fix.edits)


def _moved_here(fix: Fix, source: Source) -> Fix | None:
    """A fix of the file, which may have been read several times; None if it is of another file."""
    edits = []
    for each in fix.edits:
        if not _same_file(each.span.source, source) or each.span.source.text != source.text:
            return None
        edits.append(Edit(source.span(each.span.start, each.span.end), each.text))
    return Fix(fix.title, tuple(edits), fix.safe)


def _same_file(one: Source, other: Source) -> bool:
    """Whether two sources were read from one file; its path may have been written in two ways."""
    if one is other or one.name == other.name:
        return True
    return os.path.realpath(one.name) == os.path.realpath(other.name)


def _edits(batch: Iterable[Step]) -> list[Edit]:
    return ordered(edit for each in batch for edit in each.fix.edits)


def _key(step: Step) -> tuple[object, ...]:
    """By what a fix is known again when the lines above it have changed."""
    return (*_sign(step.finding), step.fix.title, tuple(each.text for each in step.fix.edits))


def _sign(finding: Diagnostic) -> tuple[str, str, str]:
    span = finding.span
    line = "" if span is None else span.source.line_text(span.line).strip()
    return finding.code, finding.message, line


# ----------------------------------------------------------------------------------------- worse


def _worse(
    old: Source,
    before: Sequence[Diagnostic],
    new: Source,
    after: Sequence[Diagnostic],
    batch: Sequence[Step],
) -> bool:
    """Whether a text with fixes is worse than it was, or no better."""
    stages = {_stage(each.finding) for each in batch}
    last = max(stages)
    if _errors(after, last) > _errors(before, last):
        return True
    edits = _edits(batch)
    written = list(_written(new, edits))
    if last == _READING and not _lines(batch).isdisjoint(_lines_of_errors(new, after)):
        return True
    codes = {each.finding.code for each in batch}
    mended_here = {_sign(each.finding) for each in batch}
    had, has = Counter(map(_sign, before)), Counter(map(_sign, after))
    if any(has[each] >= had[each] for each in mended_here):
        return True
    for each in after:
        if each.span is None or each.severity is not Severity.ERROR:
            continue
        inside = any(_inside(each.span, place) for place in written)
        # A name that was guessed wrongly is unknown, or of another kind than is wanted there.
        if inside and (each.code in codes or last >= _SHAPE):
            return True
    doubtful = last > _SHAPE and not all(each.fix.safe for each in batch)
    if last >= _NAMES or doubtful:
        places = [each.finding.span for each in batch if each.finding.span is not None]
        # Where lines come or go, those of the findings are others than before.
        places = places if old.line_count == new.line_count else []
        there = [*places, *(each.span for each in edits)]
        if _weight(after, [*places, *written]) >= _weight(before, there):
            return True
    return (_is_readable(old) and not _is_readable(new)) or not _same_comments(old, new, edits)


def _lines(batch: Iterable[Step]) -> set[int]:
    """The lines of what was mended, and those that follow."""
    found = [each.finding.span.line for each in batch if each.finding.span is not None]
    return {line + more for line in found for more in (0, 1)}


def _lines_of_errors(source: Source, found: Iterable[Diagnostic]) -> set[int]:
    """The lines at which the text cannot be read."""
    return {
        each.span.line
        for each in found
        if each.span is not None
        and each.severity is Severity.ERROR
        and _same_file(each.span.source, source)
        and _stage(each) == _READING
        and each.code not in COUNTS
    }


def _stage(finding: Diagnostic) -> str:
    return _HIDING.get(finding.code, finding.code[:4])


def _errors(found: Iterable[Diagnostic], last: str) -> int:
    """How many errors there are up to a stage."""
    return sum(
        each.severity is Severity.ERROR and each.code not in COUNTS and _stage(each) <= last
        for each in found
    )


def _written(new: Source, edits: Iterable[Edit]) -> Iterable[Span]:
    """Where the edits stand in the new text."""
    moved = 0
    for each in edits:
        start = each.span.start + moved
        yield new.span(start, start + len(each.text))
        moved += len(each.text) - (each.span.end - each.span.start)


def _inside(span: Span, place: Span) -> bool:
    within = place.start <= span.start < span.end <= place.end
    return within and _same_file(span.source, place.source)


def _weight(found: Iterable[Diagnostic], places: Sequence[Span]) -> int:
    """How many errors and warnings there are on the lines of places."""
    if not places:
        return 0
    source = places[-1].source
    lines = {line for each in places for line in range(each.line, each.end_line + 1)}
    return sum(
        each.severity is not Severity.INFO
        and each.span is not None
        and not lines.isdisjoint(range(each.span.line, each.span.end_line + 1))
        and _same_file(each.span.source, source)
        for each in found
    )


def _same_comments(old: Source, new: Source, edits: Sequence[Edit]) -> bool:
    """Whether the comments are those from before, as the edits that are about them leave them."""
    wanted = []
    for each in comments(old):
        start, end = each.span.start, each.span.end
        text = old.text[start:end]
        for edit in reversed(edits):
            first, last = max(edit.span.start, start), min(edit.span.end, end)
            if first < last:
                text = text[: first - start] + edit.text + text[last - start :]
        if text:
            wanted.append(text.removeprefix("#").strip())
    have = [each.text for each in comments(new)]
    if not _is_readable(old):
        # Behind what YAML could not read no comments were seen.
        have, wanted = have[: len(wanted)], wanted[: len(have)]
    return have == wanted


def _is_readable(source: Source) -> bool:
    return load_document(source)[0] is not None

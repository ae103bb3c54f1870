"""A new text from edits.

Assumes: edits of one source.
Does: puts them in, from the first to the last; refuses two that touch the same stretch.
Leaves behind: a text in which all else is as it was. `compatible` chooses, of many fixes, those
that can be put in together.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from rulerun_dsl.diagnostics.fixes import Edit, Fix
from rulerun_dsl.source.spans import Source


class Overlap(ValueError):
    """Two edits would change the same stretch of a text."""


def applied(source: Source, edits: Iterable[Edit]) -> str:
    """The text of a source with edits. Raises `Overlap`.

    The same edit twice is one edit. Two different ones may not touch the same characters, nor put
    something in at the same place.
    """
    text = source.text
    parts: list[str] = []
    place = 0
    last: Edit | None = None
    for edit in ordered(edits):
        span = edit.span
        assert span.source is source, "an edit of another text"
        if last is not None and _touch(last, edit):
            raise Overlap(f"two edits at {span.line}:{span.column}")
        parts += (text[place : span.start], edit.text)
        place, last = span.end, edit
    return "".join((*parts, text[place:]))


def ordered(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in the order of the text, each once."""
    every = {(each.span.start, each.span.end, each.text): each for each in edits}
    return [every[key] for key in sorted(every)]


def _touch(first: Edit, second: Edit) -> bool:
    """Whether two edits, the first not behind the second, want the same place."""
    one, other = first.span, second.span
    return other.start < one.end or (one.start, one.end) == (other.start, other.end)


def compatible(fixes: Iterable[Fix], source: Source) -> list[Fix]:
    """The fixes of a source that can be put in together; of two that clash, the earlier one."""
    chosen: list[Fix] = []
    taken: list[Edit] = []
    for fix in fixes:
        if not fix.edits or any(each.span.source is not source for each in fix.edits):
            continue
        both = ordered([*taken, *fix.edits])
        if any(_touch(one, other) for one, other in pairwise(both)):
            continue
        chosen.append(fix)
        taken = both
    return chosen

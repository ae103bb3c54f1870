"""What trailing comments cite: words that match the pattern `sources: cite`.

Assumes: the source of a rules file and its document; anybody may have written the pattern.
Does: holds the pattern against a small language whose search is linear, and looks for it in the
comments at the ends of lines.
Leaves behind: the citations of each line, and a finding for a pattern outside that language.

A pattern of Python can take for ever (`(a|a)*$`), and so can a harmless one on a long line. Here it
is alternatives of single characters and classes, each perhaps repeated: nothing inside a
repetition repeats, and a repetition gives nothing back, so no way through a text is tried twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from warnings import catch_warnings, simplefilter

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.comments import comments
from rulerun_dsl.yaml.nodes import Mapping, Scalar

LONGEST_PATTERN = 100
MOST_REPEATED = 99
LONGEST_COMMENT = 400
"""Of a longer comment, the first so many characters are looked at."""

Citations = Callable[[int], tuple[str, ...]]

_CLASS = r"\[\^?\]?(?:\\[^\W_]|\\[^\w\s]|[^\]\\\[])*\]"
_ITEM = re.compile(
    rf"(?P<one>{_CLASS}|\\[dDwWsSbB]|\\[^\w\s]|[^\\()\[\]{{}}*+?|^$])"
    r"(?P<times>[*+?]|\{[0-9]{1,2}(?:,[0-9]{0,2})?\})?"
    r"|(?P<bar>\|)|(?P<end>[\^$])"
)


def citations_of(source: Source, document: Mapping) -> tuple[Citations, list[Diagnostic]]:
    """Return what the trailing comment of a line cites, and what is wrong with the pattern."""
    sources = document.get("sources")
    pattern = sources.get("cite") if isinstance(sources, Mapping) else None
    if not isinstance(pattern, Scalar):
        return lambda line: (), []
    compiled = _compiled(pattern.text)
    if compiled is None:
        found = problem(
            "RR0414",
            "this is no pattern for citations",
            pattern.span,
            help="write characters and classes, each perhaps with `?`, `*`, `+` or `{1,9}` behind "
            f"it, and `|` between alternatives, as in `FG-[0-9]+`; at most {LONGEST_PATTERN} "
            f"characters, nothing repeated more than {MOST_REPEATED} times, and no brackets `(…)`",
        )
        return lambda line: (), [found]
    by_line = {
        comment.line: tuple(filter(None, compiled.findall(comment.text[:LONGEST_COMMENT])))
        for comment in comments(source)
        if comment.trailing
    }
    return lambda line: by_line.get(line, ()), []


def _compiled(text: str) -> re.Pattern[str] | None:
    """Return a pattern whose repetitions give nothing back; None if the text is none."""
    if len(text) > LONGEST_PATTERN:
        return None
    parts: list[str] = []
    place = 0
    while place < len(text):
        item = _ITEM.match(text, place)
        if item is None:
            return None
        times = item["times"]
        parts.append(item["one"] + (f"{times}+" if times else "") if item["one"] else item[0])
        place = item.end()
    try:
        with catch_warnings():
            # A sign written twice in brackets is warned of: it may mean something one day.
            simplefilter("error")
            return re.compile("".join(parts))
    except (re.error, Warning):
        return None

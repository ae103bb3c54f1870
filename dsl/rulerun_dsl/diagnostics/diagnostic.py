"""Findings about a rules file, as values.

Assumes: places (`source.spans`) and the table of codes (`catalogue`).
Does: builds diagnostics, orders them, guesses what a misspelt word was meant to be.
Leaves behind: `Diagnostic`. A pass collects them and goes on; none is ever raised.

A message says what is wrong in one line without a full stop, with the author's own words in
backticks. The help says what to write instead. A place that explains the main one (the first of
two equal keys) is a `Related`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

from rulerun_dsl.diagnostics.catalogue import CATALOGUE, Entry, Severity
from rulerun_dsl.diagnostics.fixes import Fix, Hint, rewrite, word_instead
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span

__all__ = [
    "CATALOGUE",
    "Diagnostic",
    "Entry",
    "Related",
    "Severity",
    "by_place",
    "did_you_mean",
    "evident",
    "first_of",
    "has_errors",
    "more_findings",
    "not_checked",
    "problem",
    "short",
    "suggest",
    "without_echoes",
]


@frozen
class Related:
    """Another place that helps to understand a diagnostic."""

    span: Span
    message: str


@frozen
class Diagnostic:
    """One finding: what, where, how bad, and what to do about it."""

    code: str
    message: str
    span: Span | None
    severity: Severity
    related: tuple[Related, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()
    """What would mend it, the likeliest first."""

    @property
    def slug(self) -> str:
        """The code as a word."""
        return CATALOGUE[self.code].slug


def problem(
    code: str,
    message: str,
    span: Span | None,
    *,
    related: Iterable[Related] = (),
    help: str | None = None,
    severity: Severity | None = None,
    fixes: Iterable[Fix] = (),
) -> Diagnostic:
    """Return a diagnostic of a code in the catalogue, which also gives its severity."""
    assert code in CATALOGUE, f"{code} is not in the catalogue"
    return Diagnostic(
        code=code,
        message=message,
        span=span,
        severity=CATALOGUE[code].severity if severity is None else severity,
        related=tuple(related),
        help=help,
        fixes=tuple(fixes),
    )


def short(text: str, most: int = 40) -> str:
    """Return a text that fits into a message."""
    return text if len(text) <= most else text[: most - 1] + "…"


MANY_NAMES = 400
"""Of more candidates, only those that begin alike and are about as long are compared."""


def listed(words: Iterable[str], last: str = "or") -> str:
    """Return words as they are read out, each once.

    >>> listed(["a", "b", "c", "b"])
    'a, b or c'
    """
    *first, end = dict.fromkeys(words) or [""]
    return f"{', '.join(first)} {last} {end}" if first else end


def suggest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that was probably meant by a misspelt word."""
    known = dict.fromkeys(candidates)
    if word in known:
        return word
    # Case is the commonest slip, and a short word in other case is not "close" to difflib.
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    given = word.casefold()
    if given in folded:
        return folded[given]
    if len(given) > LONGEST_WORD:
        return None
    # Two or three letters are close to everything: ask for more likeness there.
    cutoff = 0.6 if len(word) > 3 else 0.66
    likely = [each for each in folded if len(each) <= LONGEST_WORD]
    if len(likely) > MANY_NAMES:
        start, least, most = given[:1], len(given) - 1, len(given) + 1
        likely = [each for each in likely if each[:1] == start and least <= len(each) <= most]
    from difflib import get_close_matches

    close = get_close_matches(given, likely[:MANY_NAMES], n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def did_you_mean(
    span: Span,
    word: str,
    close: str | None,
    known: Iterable[str],
    otherwise: str | None = None,
    *,
    declared: bool = False,
) -> Hint:
    """What to say and to write of a word that `suggest` found to be close to one that is known.

    It may be written without asking if it is one slip away from that word and from no other. But
    if that word is `declared` in the file, and is there once or less often than the other one, the
    slip may be in the declaration. Without a close word only `otherwise` is said.
    """
    if close is None:
        return {"help": otherwise, "fixes": ()}
    safe = evident(word, close, known)
    if not safe or not declared or len(span.source.text) > _LONGEST_SEARCHED:
        fixes = word_instead(span, word, close, safe=safe)
        return {"help": f"did you mean `{close}`?", "fixes": fixes}
    text = span.source.text
    there, many = [*re.finditer(_whole(close), text)], len(re.findall(_whole(word), text))
    # Of what is declared in another file, or by the language, nothing is there to doubt.
    fixes = word_instead(span, word, close, safe=not there or len(there) >= max(2, many))
    if len(there) == 1:
        title = f"write `{word}` where it is declared"
        other = rewrite(span.source.span(*there[0].span()), word, safe=False, title=title)
        # Somebody who writes it several times means it.
        fixes = (*other, *fixes) if many > 1 else (*fixes, *other)
    return {"help": f"did you mean `{close}`?", "fixes": fixes}


_LONGEST_SEARCHED = 200_000


def _whole(word: str) -> str:
    return rf"(?<!\w){re.escape(word)}(?!\w)"


_LEAST_EVIDENT = 4
"""Of a shorter word nobody can say what it was meant to be."""


def evident(word: str, close: str, known: Iterable[str]) -> bool:
    """Whether a word can have been meant as this one only: one slip from it, and from no other.

    >>> evident("scroe", "score", ["score", "scene"]), evident("card1", "card2", ["card2"])
    (True, False)
    """
    given = word.casefold()
    short = len(given) < _LEAST_EVIDENT
    if short and given != close.casefold():
        return False
    like = [each for each in dict.fromkeys(known) if _one_slip(given, each.casefold())]
    return like == [close]


def _one_slip(word: str, other: str) -> bool:
    """Whether two words differ by one letter too many, too few, wrong, or by two exchanged."""
    if word == other:
        return True
    if abs(len(word) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    one, two = word[start:], other[start:]
    if any(each.isdigit() for each in (*one[:1], *two[:1])):
        # `card1` and `card2` are two names, and no slip.
        return False
    return (
        one[1:] == two[1:]
        or one[1:] == two
        or one == two[1:]
        or (one[:2] == two[1::-1] and one[2:] == two[2:])
    )


LONGEST_WORD = 100
"""A longer word is a text, and is not compared with others."""

MOST_FINDINGS = 200
"""Of one file so many findings are shown; the others are counted."""


def first_of(diagnostics: Iterable[Diagnostic], most: int = MOST_FINDINGS) -> list[Diagnostic]:
    """Return the findings in reading order; of too many the first ones, the others counted.

    Errors are shown before all else, since only they keep the game from loading.
    """
    every = by_place(diagnostics)
    if len(every) <= most:
        return every
    counted = [each for each in every if each.code in COUNTS]
    rest = [each for each in every if each.code not in COUNTS]
    rest.sort(key=lambda each: each.severity is not Severity.ERROR)
    shown, hidden = rest[:most], rest[most:]
    if hidden:
        counted.append(
            more_findings(
                len(hidden), hidden[0].span, (each.code for each in hidden), hidden[0].severity
            )
        )
    return by_place([*shown, *counted])


COUNTS = ("RR0149", "RR0150")
"""What says how much else there is."""


def more_findings(
    many: int,
    span: Span | None,
    codes: Iterable[str] = (),
    severity: Severity | None = None,
) -> Diagnostic:
    """Return what stands for findings that are not shown; the first of them has the place."""
    counts = Counter(codes).most_common(5)
    listed = ", ".join(f"{count:,} of {code}" for code, count in counts)
    return problem(
        "RR0150",
        f"and {many:,} more" + (f": {listed}" if listed else ""),
        span,
        help="mend the first ones, and check again",
        severity=severity,
    )


def not_checked(what: str, why: str, span: Span | None) -> Diagnostic:
    """Return what says that a part was not looked at."""
    return problem("RR0149", f"not checked: {what}, since {why}", span)


def by_place(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics in reading order; those without a place come first."""

    def key(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
        span = diagnostic.span
        if span is None:
            return "", -1, -1, diagnostic.code, diagnostic.message
        return span.source.name, span.start, span.end, diagnostic.code, diagnostic.message

    return sorted(diagnostics, key=key)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Tell whether one of them is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)


def without_echoes(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Drop what a later pass says about a place where an earlier one has found an error.

    A value that YAML has misread looks wrong to every pass that follows; only the first to speak
    has something to say.
    """
    every = list(diagnostics)
    # For each pass and file: where its errors begin, in order, and how far those so far reach.
    reach: dict[tuple[str, int], tuple[list[int], list[int]]] = {}
    for each in sorted(
        (each for each in every if each.severity is Severity.ERROR and each.span is not None),
        key=lambda each: each.span.start if each.span is not None else 0,
    ):
        assert each.span is not None
        starts, ends = reach.setdefault((each.code[:4], id(each.span.source)), ([], []))
        starts.append(each.span.start)
        ends.append(max(each.span.end, ends[-1] if ends else 0))

    def echoes(late: Diagnostic) -> bool:
        if late.span is None:
            return False
        for (early, source), (starts, ends) in reach.items():
            if early < late.code[:4] and source == id(late.span.source):
                place = bisect_right(starts, late.span.start)
                if place and ends[place - 1] >= late.span.end:
                    return True
        return False

    return [each for each in every if not echoes(each)]

"""Findings about a rules file, as values.

Assumes: places (`source`) and the table of codes (`catalogue`).
Does: builds diagnostics, orders them, guesses what a misspelt word was meant to be.
Leaves behind: `Diagnostic`. A pass collects them and goes on; none is ever raised.

A message says what is wrong in one line without a full stop, with the author's own words in
backticks. The help says what to write instead. A place that explains the main one (the first of
two equal keys) is a `Related`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from rulerun_dsl.catalogue import CATALOGUE, Entry, Severity
from rulerun_dsl.source import Span

__all__ = [
    "CATALOGUE",
    "Diagnostic",
    "Entry",
    "Related",
    "Severity",
    "by_place",
    "has_errors",
    "problem",
    "short",
    "suggest",
    "without_echoes",
]


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that helps to understand a diagnostic."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what, where, how bad, and what to do about it."""

    code: str
    message: str
    span: Span | None
    severity: Severity
    related: tuple[Related, ...] = ()
    help: str | None = None

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
    )


def short(text: str, most: int = 40) -> str:
    """Return a text that fits into a message."""
    return text if len(text) <= most else text[: most - 1] + "…"


def suggest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that was probably meant by a misspelt word."""
    known = dict.fromkeys(candidates)
    if word in known:
        return word
    # Case is the commonest slip, and a short word in other case is not "close" to difflib.
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    if word.casefold() in folded:
        return folded[word.casefold()]
    # Two or three letters are close to everything: ask for more likeness there.
    cutoff = 0.6 if len(word) > 3 else 0.66
    close = get_close_matches(word.casefold(), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


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
    errors = [each for each in every if each.severity is Severity.ERROR and each.span is not None]

    def echoes(late: Diagnostic) -> bool:
        return late.span is not None and any(
            early.code[:4] < late.code[:4]
            and early.span is not None
            and early.span.covers(late.span)
            for early in errors
        )

    return [each for each in every if not echoes(each)]

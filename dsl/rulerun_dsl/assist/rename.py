"""A name changed wherever it stands, or the reason why not.

Assumes: an `Analysis` of the book as it is, without errors.
Does: writes the new name at every place where the checker has bound the old one, then checks the
book that comes of it. Whatever is wrong there and was not before is the reason to refuse: a name
that is taken, a word of the language, a place that would mean something else.
Leaves behind: places with their texts, none of which is written to any file.
"""

from __future__ import annotations

from rulerun_dsl.assist.analysis import Analysis, analyse
from rulerun_dsl.assist.open_texts import Book, Place
from rulerun_dsl.assist.symbols import declaration_of, places_of
from rulerun_dsl.check.env.recorder import Symbol
from rulerun_dsl.diagnostics.diagnostic import Severity
from rulerun_dsl.model.library import WORDS
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.identifiers import is_name
from rulerun_dsl.syntax.parser_tables import reserved_words


@frozen
class Renaming:
    """Where the new name goes, or why it does not."""

    places: tuple[Place, ...] = ()
    refused: str = ""


FIXED = ("library", "language")
"""What no rules file names."""


def rename(analysis: Analysis, symbol: Symbol, name: str) -> Renaming:
    """Change a name wherever it stands."""
    if symbol.word in FIXED:
        return Renaming(refused=f"`{symbol.name}` is a word of the language")
    if not is_name(name):
        return Renaming(refused=f"`{name}` is no name: one word of letters, digits and `_`")
    if name in reserved_words() or name in WORDS:
        return Renaming(refused=f"`{name}` is a word of the language")
    if not analysis.is_sound:
        return Renaming(
            refused="mend the errors of the file first: what names mean is not sure yet"
        )
    places = places_of(analysis, symbol)
    if declaration_of(analysis, symbol) not in places:
        return Renaming(refused=f"nothing declares `{symbol.name}` in a way that can be changed")
    changed = applied(analysis.book, [(place, name) for place in places])
    after = analyse(changed, whole=False)
    for finding in after.findings:
        if finding.severity is Severity.ERROR:
            where = f", line {finding.span.line}" if finding.span is not None else ""
            return Renaming(refused=f"{finding.message}{where}")
    return Renaming(tuple(places))


def applied(book: Book, edits: list[tuple[Place, str]]) -> Book:
    """The book with other texts in some places."""
    texts = dict(book.texts)
    for place, text in sorted(edits, key=lambda each: -each[0].start):
        old = texts[place.file]
        texts[place.file] = old[: place.start] + text + old[place.end :]
    return Book(texts, book.missing)

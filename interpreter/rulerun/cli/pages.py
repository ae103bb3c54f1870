"""What the pages of the reference say of a word: the table rows and sentences that begin with it.

Assumes the pages of the language and the glossary, as they come with rulerun.
Does: looks for the word where a page explains it: as the first thing of a row in a table, of a
line of prose, or of what stands behind a semicolon in a table. A form such as `a otherwise b` is
found by a word in it, if no form begins with the word. Names that have an index are those of
examples, no words of the language.
Leaves behind sentences with the name of their page; none where the pages are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CODE = re.compile(r"`([^`]+)`")
_BEGINS = re.compile(r"`([^`]+)`(?::| [a-z]+ \S)")
_TOKEN = re.compile(r"[A-Za-z_]+|[^\sA-Za-z_]+")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CELLS = re.compile(r"(?<!\\)\|")
_EXACT = "semantics"
"""The page that says again, more exactly, what the others explain."""
_RULES = re.compile(r"^## The rules$(.*?)(?=^## |\Z)", re.M | re.S)
"""The part of the glossary about rules files; the others are about what runs them."""
_MOST = 3
"""So many sentences are told of a word."""


def said_of(word: str) -> list[tuple[str, str]]:
    """The pages that explain a word of the language, each with what it says; the best first."""
    from rulerun_dsl.source.resources import language_pages

    wanted = _TOKEN.findall(word)
    if not wanted:
        return []
    spoken = all(_is_of_grammar(each) for each in wanted)
    found: dict[tuple[str, str], int] = {}
    for page in language_pages():
        if page.stem == _EXACT:
            continue
        text = page.read_text(encoding="utf-8")
        title = text.partition("\n")[0].lstrip("# ")
        for forms, about in _explained(text):
            rank = min((_rank(wanted, form) for form in forms), default=3)
            # Inside a form stand names of examples as well.
            if rank < (3 if spoken else 2):
                found.setdefault((title, about), rank)
    best = min(found.values(), default=3)
    return [each for each, rank in found.items() if rank == best][:_MOST]


def in_glossary(word: str) -> str:
    """What the glossary says of a word; nothing if it has no such word."""
    from rulerun_dsl.source.resources import glossary

    page = glossary()
    text = "" if page is None else page.read_text(encoding="utf-8")
    marked = re.compile(rf"\*{{1,2}}{re.escape(word)}\*{{1,2}}(?!\w)")
    part = _RULES.search(text)
    lines = [each for each in (part[1] if part else "").split("\n") if marked.search(each)]
    return _LINK.sub(r"\1", lines[0]) if lines else ""


def _is_of_grammar(token: str) -> bool:
    """Whether the grammar has a sign or word, by itself or in one with others (`up to`)."""
    from rulerun_dsl.syntax.parser_tables import grammar_text

    if not token.isalpha():
        return True
    names = re.findall(r"^([A-Z_]+)[.:]", grammar_text(), re.M)
    return any(token.upper() in name.split("_") for name in names)


def _explained(text: str) -> Iterator[tuple[list[str], str]]:
    """Each explanation of a page with the forms that it explains."""
    fenced = False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            continue
        elif line.startswith("| "):
            cells = [each.strip() for each in _CELLS.split(line.strip().strip("|"))]
            about = _LINK.sub(r"\1", "; ".join(filter(None, cells[1:])))
            forms = _CODE.findall(cells[0])
            if forms and about:
                yield forms, f"{cells[0]}: {about}"
            yield from _clauses(about)
        else:
            plain = _LINK.sub(r"\1", line.removeprefix("- ").replace("**", ""))
            begins = _BEGINS.match(plain)
            if begins is not None:
                yield [begins[1]], plain


def _clauses(text: str) -> Iterator[tuple[list[str], str]]:
    """The clauses that begin with a form."""
    for clause in text.split("; "):
        begins = _BEGINS.match(clause)
        if begins is not None:
            yield [begins[1]], clause


def _rank(wanted: list[str], form: str) -> int:
    """How much a form is one of the word: it is the word, begins with it, has it; 3: it has not."""
    tokens = _TOKEN.findall(re.sub(r"\w+\[", "[", form.partition("(")[0]))
    if tokens == wanted:
        return 0
    if tokens[: len(wanted)] == wanted:
        return 1
    inside = any(tokens[at : at + len(wanted)] == wanted for at in range(len(tokens)))
    return 2 if inside else 3

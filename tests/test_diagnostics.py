"""Diagnostics as values, the catalogue, and its pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulerun_dsl.diagnostics.catalogue import CATALOGUE, YAML
from rulerun_dsl.diagnostics.diagnostic import (
    Severity,
    by_place,
    has_errors,
    problem,
    short,
    suggest,
    without_echoes,
)
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.document import load_document

PAGES = Path(__file__).parent.parent / "docs" / "reference" / "diagnostics"


def test_severity_comes_from_the_catalogue() -> None:
    span = Source("x", "a").span(0)
    assert problem("RR0103", "m", span).severity is Severity.ERROR
    assert problem("RR0117", "m", span).severity is Severity.WARNING
    assert problem("RR0117", "m", span, severity=Severity.ERROR).severity is Severity.ERROR
    assert problem("RR0103", "m", span).slug == "duplicate-key"


def test_a_code_must_be_in_the_catalogue() -> None:
    with pytest.raises(AssertionError, match="RR9999"):
        problem("RR9999", "m", None)


def test_codes_and_slugs_are_well_formed_and_unique() -> None:
    assert all(re.fullmatch(r"RR(0[1-9]|10)\d\d", code) for code in CATALOGUE)
    slugs = [entry.slug for entry in CATALOGUE.values()]
    assert len(set(slugs)) == len(slugs)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", slug) for slug in slugs)
    assert not [entry.title for entry in CATALOGUE.values() if entry.title.endswith(".")]


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("fase", ["phase", "zone"], "phase"),
        ("Hand", ["hand", "land"], "hand"),
        ("hnad", ["hand", "deck"], "hand"),
        ("xyz", ["hand", "deck"], None),
        ("of", ["if", "to"], None),
        ("hand", ["hand"], "hand"),
        ("a", [], None),
    ],
)
def test_suggest(word: str, candidates: list[str], expected: str | None) -> None:
    assert suggest(word, candidates) == expected


def test_order_is_by_file_and_place() -> None:
    first, second = Source("a", "abc"), Source("b", "abc")
    shuffled = [
        problem("RR0103", "4", second.span(0)),
        problem("RR0103", "3", first.span(2)),
        problem("RR0101", "1", None),
        problem("RR0103", "2", first.span(0)),
    ]
    assert [each.message for each in by_place(shuffled)] == ["1", "2", "3", "4"]


def test_has_errors() -> None:
    assert not has_errors([])
    assert not has_errors([problem("RR0117", "m", None)])
    assert has_errors([problem("RR0117", "m", None), problem("RR0103", "m", None)])


def test_echoes_of_an_earlier_pass_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, "RR0999", CATALOGUE["RR0101"])
    source = Source("x", "a: !b c")
    early = problem("RR0104", "tag", source.span(3, 7))
    late = problem("RR0999", "late", source.span(4, 5))
    elsewhere = problem("RR0999", "elsewhere", source.span(0, 1))
    warned = problem("RR0117", "warned", source.span(0, 7))
    kept = without_echoes([early, late, elsewhere, warned])
    assert kept == [early, elsewhere, warned]


def test_short() -> None:
    assert short("abc", 3) == "abc"
    assert short("abcd", 3) == "ab…"


def page(code: str) -> tuple[str, list[tuple[str, str]]]:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    return text, re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("code", YAML)
def test_each_code_has_a_page_that_is_true(code: str) -> None:
    text, blocks = page(code)
    assert text.startswith(f"# {code} {CATALOGUE[code].slug}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Summary", "Avoid", "Prefer", "Why"]
    (language, avoid), (_, prefer) = blocks
    if language == "yaml":
        assert {each.code for each in load_document(Source("x", avoid))[1]} == {code}
        assert load_document(Source("x", prefer))[1] == []


def test_few_pages_do_without_an_example() -> None:
    bare = {code for code in YAML if page(code)[1][0][0] != "yaml"}
    # A file that cannot be read cannot stand in a page, and RR0101 is for what nobody knows yet.
    assert bare == {"RR0101", *(code for code in YAML if code >= "RR0140")}

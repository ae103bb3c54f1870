"""What people, programs and GitHub get to see."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, Severity, problem
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.diagnostics.render import (
    render_github,
    render_json,
    render_text,
    summary,
)
from rulerun_dsl.source.safe_text import visible
from rulerun_dsl.source.spans import Source


def at(text: str, there: str, name: str = "game.yaml") -> Diagnostic:
    """Return a diagnostic at the first place of a word."""
    source = Source(name, text)
    start = text.index(there)
    return problem("RR0119", "a message", source.span(start, start + len(there)))


def test_the_whole_text() -> None:
    source = Source("game.yaml", "a: 1\n" * 9 + "a: 2\n")
    diagnostic = problem(
        "RR0103",
        "`a` is written twice",
        source.span(45, 46),
        related=[Related(source.span(0, 1), "the first one")],
        help="delete one",
    )
    assert render_text([diagnostic]) == (
        "error[RR0103]: `a` is written twice\n"
        "  --> game.yaml:10:1\n"
        "   |\n"
        "10 | a: 2\n"
        "   | ^\n"
        "  ::: game.yaml:1:1\n"
        "   |\n"
        " 1 | a: 1\n"
        "   | - the first one\n"
        "   = help: delete one\n"
    )


def columns(text: str) -> int:
    """Return how wide a terminal draws a text."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    thin = sum(unicodedata.category(character) in ("Mn", "Me") for character in text)
    return len(text) + wide - thin


@pytest.mark.parametrize(
    "line",
    [
        "ab HERE cd",
        "漢字 HERE 漢",
        "e\u0301e\u0301 HERE",
        "\tHERE",
        "a\tb\tHERE\tc",
        "漢\tHERE",
        "\x1b[2J HERE",
    ],
)
def test_the_caret_stands_under_the_place(line: str) -> None:
    lines = render_text([at(f"x: y\n{line}\n", "HERE")]).splitlines()
    excerpt, carets = lines[3], lines[4]
    assert carets.count("^") == 4
    before = excerpt[: excerpt.index("HERE")]
    assert columns(before) == len(carets[: carets.index("^")])


def test_wide_characters_get_wide_carets() -> None:
    assert render_text([at("a 漢字 b", "漢字")]).count("^") == 4
    assert render_text([at("a e\u0301 b", "e\u0301")]).count("^") == 1


def test_an_empty_place_gets_one_caret() -> None:
    source = Source("x", "ab\n")
    shown = render_text([problem("RR0119", "m", source.span(2))])
    assert shown.splitlines()[-1] == "  |   ^"


def test_a_place_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    shown = render_text([at("a: bcd  \n  e\n", "bcd  \n  e")])
    assert shown.splitlines()[-1] == "  |    ^^^"


def test_a_long_line_is_cut_around_the_place() -> None:
    shown = render_text([at("x" * 5000 + " HERE " + "y" * 5000, "HERE")]).splitlines()
    assert "HERE" in shown[3]
    assert len(shown[3]) < 140
    assert shown[3].index("HERE") == shown[4].index("^")


def test_no_excerpt_of_nothing_and_no_place_at_all() -> None:
    source = Source("missing.yaml", "")
    assert render_text([problem("RR0140", "no file", source.span(0), help="look")]) == (
        "error[RR0140]: no file\n --> missing.yaml:1:1\n  = help: look\n"
    )
    assert render_text([problem("RR0140", "no file", None)]) == "error[RR0140]: no file\n"


def test_color_only_when_asked() -> None:
    diagnostic = at("a: HERE", "HERE")
    assert "\x1b" not in render_text([diagnostic])
    colored = render_text([diagnostic], color=True)
    assert "\x1b[1;31m" in colored
    assert colored.count("\x1b[0m") * 2 == colored.count("\x1b[")


@given(st.text(), st.text(), st.integers(0, 20), st.integers(0, 20))
def test_nothing_steers_the_terminal(text: str, message: str, start: int, length: int) -> None:
    source = Source(message, text)
    diagnostic = problem("RR0119", message, source.span(start, start + length), help=text)
    assert all(
        character == "\n" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        for character in render_text([diagnostic])
    )
    assert json.loads(render_json([diagnostic]))
    assert render_github([diagnostic]).count("\n") == 1


def test_stand_ins() -> None:
    assert visible("a\x00\x7f\x9b\u202e\u2028") == "a␀␡\ufffd\ufffd\ufffd"
    assert visible("é漢\U0001f469\u200d\U0001f52c") == "é漢\U0001f469\u200d\U0001f52c"


def test_json() -> None:
    source = Source("game.yaml", "a: 1\na: 2\n")
    found = json.loads(
        render_json(
            [
                problem(
                    "RR0103",
                    "twice",
                    source.span(5, 6),
                    related=[Related(source.span(0, 1), "first")],
                    help="delete",
                    fixes=rewrite(source.span(5, 6), "b", safe=False),
                )
            ]
        )
    )
    assert found == {
        "schema_version": 1,
        "diagnostics": [
            {
                "code": "RR0103",
                "slug": "duplicate-key",
                "severity": "error",
                "message": "twice",
                "filename": "game.yaml",
                "location": {"row": 2, "column": 1},
                "end_location": {"row": 2, "column": 2},
                "help": "delete",
                "page": "reference/diagnostics/RR0103.md",
                "related": [
                    {
                        "message": "first",
                        "filename": "game.yaml",
                        "location": {"row": 1, "column": 1},
                        "end_location": {"row": 1, "column": 2},
                    }
                ],
                "fixes": [
                    {
                        "title": "write `b`",
                        "safe": False,
                        "edits": [
                            {
                                "filename": "game.yaml",
                                "location": {"row": 2, "column": 1},
                                "end_location": {"row": 2, "column": 2},
                                "text": "b",
                            }
                        ],
                    }
                ],
            }
        ],
        "summary": {"error": 1, "warning": 0, "info": 0},
    }


def test_json_without_a_place() -> None:
    (only,) = json.loads(render_json([problem("RR0140", "m", None)]))["diagnostics"]
    assert (only["filename"], only["location"], only["end_location"]) == (None, None, None)


def test_github_escapes() -> None:
    source = Source("a,b:c%.yaml", "x\nyz")
    diagnostic = problem("RR0117", "50 % of\r\nall: a, b", source.span(2, 4), help="h")
    assert render_github([diagnostic]) == (
        "::warning title=RR0117 comment-cuts-value,file=a%2Cb%3Ac%25.yaml,line=2,col=1,"
        "endLine=2,endColumn=3::50 %25 of%0D%0Aall: a, b%0Ahelp: h\n"
    )
    several = problem("RR0117", "m", source.span(0, 4), severity=Severity.INFO)
    assert render_github([several]) == (
        "::notice title=RR0117 comment-cuts-value,file=a%2Cb%3Ac%25.yaml,line=1,col=1,"
        "endLine=2::m\n"
    )


def test_summary() -> None:
    error, warning = problem("RR0103", "m", None), problem("RR0117", "m", None)
    assert summary([]) == "no problems found"
    assert summary([error]) == "1 error"
    assert summary([warning, error, error]) == "2 errors, 1 warning"

"""The pages of the diagnostics: every code has one, and its example provokes what it is about.

The pages of passes 01 to 03 are also run by the tests of those passes, those of 09 and 10 by
`test_run_time_pages`. Here it is seen that none is missing, that the examples of the checker (04 to
08) are whole rules files which yield just their code and nothing, and what the diagnostic of each
example looks like in the end (`tests/golden/diagnostics/CODE.txt`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.test_parse import KEYS, ROLES

from rulerun_dsl.diagnostics.catalogue import CATALOGUE, RECORDS, RUN_TIME, SYNTAX
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, by_place
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.lint.suppressions import idle
from rulerun_dsl.load import load
from rulerun_dsl.source.spans import Source
from rulerun_dsl.syntax import parse
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Scalar, Sequence

PAGES = Path(__file__).parent.parent / "docs" / "reference" / "diagnostics"
NAME = "rules.yaml"

COMMANDS = ("RR0753", "RR0754", "RR0755", "RR0802", "RR0803")
"""What only `rulerun validate` finds: the examples are run by `test_examining`, those of files of
texts by `test_words`."""

PASSES = ("RR04", "RR05", "RR06", "RR07", "RR08")
CHECKED = [code for code in CATALOGUE if code[:4] in PASSES and code not in COMMANDS]

BARE = {
    "RR0101": "it is for what nobody knows yet",
    "RR0302": "the example would not fit a page",
    "RR0303": "the example would not fit a page",
    **dict.fromkeys(
        (code for code in CATALOGUE if "RR0140" <= code < "RR0200"),
        "a file that cannot be read cannot stand in a page",
    ),
}
"""Pages whose examples are not run, and why."""

PLAYERS = {"RR0413": 5}
"""How many are to play where a page is about that."""

pytestmark = pytest.mark.skipif(not PAGES.is_dir(), reason="the pages are not in the wheel")


def text_of(code: str) -> str:
    return (PAGES / f"{code}.md").read_text(encoding="utf-8")


def example(code: str, section: str) -> str:
    """The YAML below a heading of a page."""
    part = text_of(code).split(f"## {section}\n")[1].split("\n## ")[0]
    found = re.search(r"^```yaml\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{code}: no example under {section}"
    return found[1]


def said(code: str, text: str) -> list[Diagnostic]:
    """What is found in a whole rules file."""
    loaded, found = load(text.encode(), NAME)
    if loaded is None:
        return found
    game, more = loaded.game(PLAYERS.get(code))
    more += [] if game is None else loaded.hardly_meant([loaded.lints(game)])
    strict = loaded.unproved() if code.startswith("RR08") else []
    return [*found, *more, *strict, *idle(loaded.answers, loaded.answered, CATALOGUE)]


def slips_in(text: str) -> list[Diagnostic]:
    """What the parser says of the rules in a piece of a file."""
    document, _ = load_document(Source(NAME, text))
    found: list[Diagnostic] = []

    def read(role: str, scalar: Scalar) -> None:
        found.extend(ROLES[role](scalar)[1])

    for entry in document.entries if isinstance(document, Mapping) else ():
        if isinstance(entry.value, Mapping):
            for inner in entry.value.entries:
                found.extend(parse.parse_signature(inner.key)[1])
                if isinstance(inner.value, Scalar):
                    read("block", inner.value)
            continue
        items = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
        for item in items:
            if isinstance(item, Scalar):
                read(KEYS.get(entry.key.text, "block"), item)
    return by_place(found)


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_has_a_page(code: str) -> None:
    text = text_of(code)
    assert text.startswith(f"# {code} {CATALOGUE[code].slug}\n\n{CATALOGUE[code].title}.\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Summary", "Avoid", "Prefer", "Why"]


def test_every_page_has_a_code() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(CATALOGUE)


@pytest.mark.parametrize("code", CHECKED)
def test_the_examples_of_a_page(code: str) -> None:
    avoided = said(code, example(code, "Avoid"))
    assert {each.code for each in avoided} == {code}, "\n" + render_text(avoided)
    preferred = said(code, example(code, "Prefer"))
    assert not preferred, "\n" + render_text(preferred)


@pytest.mark.parametrize(
    "code",
    [code for code in CATALOGUE if code not in {*BARE, *RUN_TIME, *RECORDS, *COMMANDS}],
)
def test_what_is_shown(code: str, golden: Callable[[str, str], None]) -> None:
    text = example(code, "Avoid")
    found = slips_in(text) if code in SYNTAX else said(code, text)
    golden(f"diagnostics/{code}.txt", render_text(each for each in found if each.code == code))

"""What rules mean in play, as text: small rules files with plays of them, on every executor.

A `conformance/run/*.cases.yaml` file is a list of chunks cut by `---`, as for `test_conformance`. A
chunk is a rules file; behind `+++ plays` stands a list of scenarios (docs/reference/scenarios.md):
inputs, and what must come of them. A line at which something is found is marked `### CODE`, or
`### CODE "words"`: for a rule error that is the line of the rules. Exactly these must be found.

Lines `#: each WORD | …` before the rules make several cases of a chunk: a further `#: | …` below is
what the word stands for in the next one, and of several words in the same order.

What a scenario cannot ask for (weights, events, the order of ids) has its tests in Python.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.executors import maker
from tests.test_conformance import ROOT, Case, cases_in

from rulerun.scenario.runner import run_scenarios
from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.diagnostics.render import render_text

pytestmark = pytest.mark.executors

PLAYS = "plays"
EACH = re.compile(r"^#: *(?:each (\w+))? *\| *(.*)$", re.MULTILINE)
FILES = {"": "case.yaml", PLAYS: "case.test.yaml"}


def run_cases() -> list[Any]:
    found = []
    for path in sorted(ROOT.glob("run/*.cases.yaml")):
        for case in cases_in(path):
            name = f"{path.name.removesuffix('.cases.yaml')}:{case.line} {case.title}"
            for number, files in enumerate(written_out(case.files)):
                id_ = f"{name} ({number + 1})" if number else name
                found.append(pytest.param(replace(case, files=files), id=id_))
    return found


def written_out(files: dict[str, str]) -> list[dict[str, str]]:
    """The files of a chunk, once for each meaning of the words that it gives several."""
    words: dict[str, list[str]] = {}
    for word, meaning in EACH.findall(files[""]):
        words.setdefault(word or list(words)[-1], []).append(meaning)
    made = []
    for meanings in zip(*words.values(), strict=True) if words else [()]:
        rules = files[""]
        for word, meaning in zip(words, meanings, strict=True):
            rules = re.sub(rf"\b{word}\b", meaning.replace("\\", r"\\"), rules)
        made.append({**files, "": rules})
    return made


@pytest.mark.parametrize("case", run_cases())
def test_it_is_played_so(case: Case, tmp_path: Path) -> None:
    assert set(case.files) == set(FILES), "rules, and plays of them"
    for name, text in case.files.items():
        # The line that begins the plays is where their file begins.
        text = text.replace("\n\n-", "\nscenarios:\n-", 1) if name == PLAYS else text
        (tmp_path / FILES[name]).write_text(text, encoding="utf-8")
    results = run_scenarios(tmp_path / FILES[PLAYS], executor=maker())
    assert results
    found = [where(each) for result in results for each in result.diagnostics]
    text = "\n" + render_text(each for result in results for each in result.diagnostics)
    wanted = sorted((FILES[name], line, code) for name, line, code, _ in case.expected)
    assert wanted == sorted(place for place, _ in found), text
    for name, line, code, words in case.expected:
        said = [message for place, message in found if place == (FILES[name], line, code)]
        assert any(words in each for each in said), f"{words!r} is not said\n{text}"


def where(found: Diagnostic) -> tuple[tuple[str, int, str], str]:
    """Where something is found and what is said of it; of a rule error, where the rules fail."""
    span, code = found.span, found.code
    for each in found.related:
        if fails := re.fullmatch(r"it fails here \((RR\d{4})\)", each.message):
            span, code = each.span, fails[1]
    assert span is not None
    return (Path(span.source.name).name, span.line, code), f"{found.message}\n{found.help}"

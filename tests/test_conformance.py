"""The language's cases: small whole rules files that must pass, or fail just where they say.

A `*.cases.yaml` file is a list of chunks cut by `---`. The first line of a chunk is a comment
that says what it shows. Behind it may stand lines with settings, `#: players 3`,
`#: options winter=true` or `#: variants night`; without them a chunk is loaded with what it says
itself; `#: strict` asks for what `validate --strict` lists as well. A line `+++ NAME` begins a
module file of the same chunk.

A chunk in `failure/` marks each line at fault with `### CODE`, several codes one behind the other;
`### CODE "words"` also asks for these words in the message or the help. What has no place in the
file is marked in the first line. Exactly these findings must come: a missing one and an unexpected
one both fail. A chunk in `success/` has no marks and yields nothing, whatever its options are set
to and however many play.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from rulerun_dsl.diagnostics.catalogue import CATALOGUE
from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.lint.suppressions import idle
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game

ROOT = Path(__file__).parent / "conformance"
MARK = re.compile(r"\s*### (?=RR)(.*)$")
RANGE = re.compile(r"(\d+)\.\.(\d+)")
CODE = re.compile(r'(RR\d{4})(?: "([^"]*)")?')


@dataclass
class Case:
    """A chunk: what is in its files, how it is set, what must be said of it."""

    title: str
    line: int
    files: dict[str, str] = field(default_factory=dict)
    """The rules file has the name ``."""
    expected: list[tuple[str, int, str, str]] = field(default_factory=list)
    """File, line, code, words."""
    players: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    variants: list[str] = field(default_factory=list)
    strict: bool = False
    """What is found out only in play is asked for as well."""


def cases_in(path: Path) -> Iterator[Case]:
    """Read the chunks of a file; their line numbers are those of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [0, *(at + 1 for at, line in enumerate(lines) if line == "---")]
    for start, end in zip(starts, [*(at - 1 for at in starts[1:]), len(lines)], strict=True):
        yield case_of(lines[start:end], start, path)


def case_of(lines: list[str], start: int, path: Path) -> Case:
    """Read one chunk."""
    assert lines and lines[0].startswith("# "), f"{path}:{start + 1}: say what this shows"
    case = Case(MARK.sub("", lines[0])[2:], start + 1)
    name = ""
    case.files[name] = "\n" * start
    for number, line in enumerate(lines, start + 1):
        if line.startswith("+++ "):
            name = line[4:]
            case.files[name] = "\n" * number
            continue
        if line.startswith("#: ") and "|" not in line:  # those are for `test_run_cases`
            word, *values = line[3:].split()
            if word == "players":
                case.players = int(values[0])
            elif word == "options":
                for name_, _, value in (each.partition("=") for each in values):
                    case.options[name_] = value
            elif word == "strict":
                case.strict = True
            else:
                assert word == "variants", line
                case.variants.extend(values)
        if mark := MARK.search(line):
            case.expected.extend((name, number, *found) for found in CODE.findall(mark[1]))
        case.files[name] += MARK.sub("", line) + "\n"
    return case


def all_cases(result: str) -> list[Any]:
    """Every chunk below a folder `success` or `failure`, with a readable id."""
    found = []
    for path in sorted(ROOT.glob(f"*/{result}/*.cases.yaml")):
        name = f"{path.parts[-3]}/{path.name.removesuffix('.cases.yaml')}"
        for case in cases_in(path):
            found.append(pytest.param(case, id=f"{name}:{case.line} {case.title}"))
    return found


def loaded_from(case: Case, folder: Path) -> tuple[Loaded | None, list[Diagnostic]]:
    """Load a chunk: from memory, or from files if it has modules."""
    if len(case.files) == 1:
        return load(case.files[""].encode(), "case.yaml")
    for name, text in case.files.items():
        path = folder / (name or "case.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load(folder / "case.yaml")


def of_the_whole(loaded: Loaded, games: list[Game]) -> list[Diagnostic]:
    """What is hardly meant in all these settings, and comments that answer nothing."""
    return [
        *loaded.hardly_meant(map(loaded.lints, games)),
        *idle(loaded.answers, loaded.answered, CATALOGUE),
    ]


def place(found: Diagnostic, case: Case, folder: Path) -> tuple[str, int, str]:
    """File, line and code of a finding."""
    if found.span is None:
        return "", case.line, found.code
    name = found.span.source.name
    for each in case.files:
        if each and Path(name) == folder / each:
            return each, found.span.line, found.code
    return "", found.span.line, found.code


@pytest.mark.parametrize("case", all_cases("failure"))
def test_failure(case: Case, tmp_path: Path) -> None:
    assert case.expected, "a chunk that fails says where"
    loaded, found = loaded_from(case, tmp_path)
    game = None
    if loaded is not None:
        game, more = loaded.game(case.players, case.options, case.variants)
        found = [*found, *more, *of_the_whole(loaded, [] if game is None else [game])]
        if case.strict:
            found += loaded.unproved(case.players, case.options, case.variants)
    said = sorted(place(each, case, tmp_path) for each in found)
    assert said == sorted(each[:3] for each in case.expected), "\n" + render_text(found)
    for name, line, code, words in case.expected:
        texts = [
            f"{each.message}\n{each.help}"
            for each in found
            if place(each, case, tmp_path) == (name, line, code)
        ]
        assert any(words in text for text in texts), f"{words!r} is not said\n{render_text(found)}"
    assert (game is None) == any(each.severity == "error" for each in found)


def settings(loaded: Loaded, case: Case) -> Iterator[tuple[int, dict[str, str]]]:
    """Every number of players, every value of a small option; not more than a few dozen in all."""
    low, high = loaded.outline.player_range
    values = []
    for option in loaded.outline.options:
        texts = [each.text for each in option.members] or [option.default_text]
        if option.type is not None and option.type.span.text == "bool":
            texts = ["false", "true"]
        elif option.type is not None and (ends := RANGE.fullmatch(option.type.span.text)):
            texts = [str(value) for value in range(int(ends[1]), min(int(ends[2]), 9) + 1)]
        values.append([(option.at.name, text) for text in texts])
    for count in range(low, high + 1) if case.players is None else (case.players,):
        for chosen in list(product(*values))[:32]:
            yield count, dict(chosen) | case.options


@pytest.mark.parametrize("case", all_cases("success"))
def test_success(case: Case, tmp_path: Path) -> None:
    assert not case.expected
    loaded, found = loaded_from(case, tmp_path)
    assert not found, "\n" + render_text(found)
    assert loaded is not None
    game, found = loaded.game(case.players, case.options, case.variants)
    assert not found, "\n" + render_text(found)
    assert game is not None
    games = [game]
    refused = {"RR0710"} if loaded.outline.constraints else set()
    for count, options in settings(loaded, case):
        game, found = loaded.game(count, options)
        assert not [each for each in found if each.code not in refused], (
            f"with {count} players and {options}\n{render_text(found)}"
        )
        assert (game is None) == bool(found)
        games += [] if game is None else [game]
    found = of_the_whole(loaded, games)
    assert not found, "\n" + render_text(found)


def test_every_code_of_the_checker_has_a_case() -> None:
    expected = {code for each in all_cases("failure") for _, _, code, _ in each.values[0].expected}
    checked = {code for code in CATALOGUE if "RR0400" < code < "RR0800"}
    # What is wrong in files of texts is shown by `test_words`.
    checked -= {"RR0753", "RR0754", "RR0755"}
    assert expected >= checked

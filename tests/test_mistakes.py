"""What a designer types in the first hours, and whether the answer is the line to write.

`cases/mistakes.txt` changes one place of `cases/bazaar.yaml` at a time. One finding must come of
each, with the words of the way out in its help (or, without help, in its message).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.load import load

HERE = Path(__file__).parent / "cases"
RULES = (HERE / "bazaar.yaml").read_text(encoding="utf-8")


def cases() -> Iterator[Any]:
    text = (HERE / "mistakes.txt").read_text(encoding="utf-8")
    for chunk in re.split(r"\n\n+", text.strip())[1:]:
        lines = chunk.splitlines()
        title = lines[0].removeprefix("# ")
        old, new = ("\n".join(line[2:] for line in lines if line[0] == sign) for sign in ("-", "+"))
        code, words = re.fullmatch(r"= (\S+) (.*)", lines[-1]).groups()  # type: ignore[union-attr]
        yield pytest.param(old, new, code, words, id=title)


def found_in(text: str) -> list[Diagnostic]:
    loaded, found = load(text.encode(), "bazaar.yaml")
    if loaded is None:
        return found
    game, more = loaded.game()
    return [*found, *more, *([] if game is None else loaded.hardly_meant([loaded.lints(game)]))]


def test_the_rules_are_right() -> None:
    assert not found_in(RULES)


@pytest.mark.parametrize(("old", "new", "code", "words"), [*cases()])
def test_one_finding_with_the_line_to_write(old: str, new: str, code: str, words: str) -> None:
    assert RULES.count(old) >= 1
    found = found_in(RULES.replace(old, new, 1))
    shown = render_text(found)
    assert [each.code for each in found] == [code], shown
    assert words in (found[0].help or found[0].message), shown

"""What a designer types in the first hours, and whether the answer is the line to write.

`cases/mistakes.txt` changes one place of `cases/bazaar.yaml` at a time. One finding must come of
each, with the words of the way out in its help (or, without help, in its message). What mends it
says the last line of a case, if anything does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.edit.mending import mended
from rulerun_dsl.load import load
from rulerun_dsl.source.spans import Source

HERE = Path(__file__).parent / "cases"
RULES = (HERE / "bazaar.yaml").read_text(encoding="utf-8")
FINGERPRINT = load(RULES.encode())[0].fingerprint  # type: ignore[union-attr]

FIGURES = {
    "safe, same": 35,
    "safe, right": 17,
    "safe, leaves": 2,
    "unsafe, same": 18,
    "unsafe, right": 7,
    "unsafe, leaves": 3,
    "": 29,
}
"""How many are mended by safe fixes, by others, and by none: to the rules that they were made of
(`same`), to what was meant there besides (`right`), or so that another finding is left."""


def cases() -> Iterator[Any]:
    text = (HERE / "mistakes.txt").read_text(encoding="utf-8")
    for chunk in re.split(r"\n\n+", text.strip())[1:]:
        lines = chunk.splitlines()
        title = lines[0].removeprefix("# ")
        mends = lines.pop()[2:] if lines[-1][0] == "~" else ""
        old, new = ("\n".join(line[2:] for line in lines if line[0] == sign) for sign in ("-", "+"))
        code, words = re.fullmatch(r"= (\S+) (.*)", lines[-1]).groups()  # type: ignore[union-attr]
        yield pytest.param(old, new, code, words, mends, id=title)


def found_in(text: str) -> list[Diagnostic]:
    loaded, found = load(text.encode(), "bazaar.yaml")
    if loaded is None:
        return found
    game, more = loaded.game()
    return [*found, *more, *([] if game is None else loaded.hardly_meant([loaded.lints(game)]))]


def test_the_rules_are_right() -> None:
    assert not found_in(RULES)


CASES = [*cases()]


@pytest.mark.parametrize(("old", "new", "code", "words", "mends"), CASES)
def test_one_finding_with_the_line_to_write(
    old: str, new: str, code: str, words: str, mends: str
) -> None:
    assert RULES.count(old) >= 1
    found = found_in(RULES.replace(old, new, 1))
    shown = render_text(found)
    assert [each.code for each in found] == [code], shown
    assert words in (found[0].help or found[0].message), shown


def how_mended(text: str) -> str:
    """How a mistake is mended: by safe fixes or others, and what comes of it, in a line."""
    for safety in ("safe", "unsafe"):
        got = mended(Source("bazaar.yaml", text), found_in, unsafe=safety == "unsafe")
        if not got.steps:
            continue
        if got.left:
            result = f"leaves {got.left[0].code}"
        else:
            loaded, _ = load(got.text.encode(), "bazaar.yaml")
            assert loaded is not None
            result = "same" if loaded.fingerprint == FINGERPRINT else "right"
        written = [each.text.strip() or "-" for step in got.steps for each in step.fix.edits]
        return f"{safety}, {result}" + (f": {'; '.join(written)}" if result != "same" else "")
    return ""


@pytest.mark.parametrize(("old", "new", "code", "words", "mends"), CASES)
def test_what_is_known_is_mended(old: str, new: str, code: str, words: str, mends: str) -> None:
    assert how_mended(RULES.replace(old, new, 1)) == mends


def test_so_many_mistakes_are_mended() -> None:
    kinds = Counter(str(each.values[-1]).split(":")[0].split(" RR")[0] for each in CASES)
    assert kinds == FIGURES and sum(kinds.values()) == 111

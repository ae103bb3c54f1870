"""The table of all classics, on their page.

    python -m benchmarks.shelf            # a ruleset is new, or has changed: write the table
    python -m benchmarks.shelf --check    # is the table what it would be?

Assumes: the heads of the rules files, and the rows of the tests against OpenSpiel, which begin with
the name of a ruleset.
Does: reads, and counts lines by `counting`.
Leaves behind: the table of the page `docs/games/classics.md` between its marks.
"""

from __future__ import annotations

import ast
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator

from benchmarks.counting import STYLES, count
from benchmarks.lengths import CLASSICS, ROOT, page
from rulerun.words.language import language
from rulerun_dsl.heads import Head, head_of

PAGE = ROOT / "docs" / "games" / "classics.md"
AGAINST = ROOT / "tests" / "open_spiel"
AGAIN = "`python -m benchmarks.shelf` writes it anew"
_AFTER = re.compile(r"\bAfter (.+)\.$")


def compared() -> set[str]:
    """The rulesets that the tests play against OpenSpiel."""
    return {
        call.args[0].value
        for path in AGAINST.glob("test_*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Row"
        if call.args and isinstance(call.args[0], ast.Constant)
        if isinstance(call.args[0].value, str)
    }


def tables() -> dict[str, list[str]]:
    """The parts of the page that are made, by the name of their marks."""
    paths = [path for path in CLASSICS.glob("*.yaml") if not path.name.endswith(".test.yaml")]
    english = language("en")

    def place(head: Head) -> tuple[int, str]:
        return english.headings.index(english.heading(head.kind)), head.name

    heads = sorted((head_of(path) for path in paths), key=place)
    against = compared()
    number = len(against.intersection(head.name for head in heads))
    said = f"{len(heads)} games, {number} of them compared with OpenSpiel."
    return {"games": [said, "", *_rows(heads, against)]}


def _rows(heads: list[Head], against: set[str]) -> Iterator[str]:
    yield "| file | title | after | kind | players | minutes | lines | shows | compared with |"
    yield "|---|---|---|---|--:|--:|--:|---|---|"
    for head in heads:
        path = CLASSICS / f"{head.name}.yaml"
        after = _AFTER.search(head.about)
        lines = count(path.read_text(encoding="utf-8"), STYLES["ruleset"]).lines
        cells = [
            f"[`{head.name}`](../../rulesets/classics/{head.name}.yaml)",
            head.title,
            after[1] if after else "",
            language("en").heading(head.kind),
            head.players.replace("..", " to "),
            head.minutes.replace("..", " to "),
            str(lines),
            "; ".join(head.shows),
            "OpenSpiel" if head.name in against else "",
        ]
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> int:
    """Read the command line."""
    parser = ArgumentParser(prog="python -m benchmarks.shelf", description="Write the table.")
    parser.add_argument("--check", action="store_true", help="write nothing: is the table right?")
    given = parser.parse_args()
    before = PAGE.read_text(encoding="utf-8")
    after = page(before, tables(), "benchmarks.shelf")
    if given.check:
        if after != before:
            print(f"{PAGE.relative_to(ROOT)} is out of date: {AGAIN}")
            return 1
        return 0
    PAGE.write_text(after, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

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
from collections.abc import Iterator, Mapping

from benchmarks.counting import STYLES, count
from benchmarks.lengths import CLASSICS, ROOT, page
from rulerun.words.language import language
from rulerun_dsl.heads import Head, head_of

PAGE = ROOT / "docs" / "games" / "classics.md"
AGAINST = ROOT / "tests" / "open_spiel"
AGAIN = "`python -m benchmarks.shelf` writes it anew"
WAYS: Mapping[str, frozenset[str]] = {
    "positions": frozenset({"joined"}),
    "but for deviations": frozenset({"left_out", "worth", "withheld"}),
}
"""What a row of these tests must say for its play not to be compared move for move to the end."""
_AFTER = re.compile(r"\bAfter (.+)\.$")


def compared() -> dict[str, str]:
    """How the tests play a ruleset against OpenSpiel, of each that they do."""
    given: dict[str, set[str | None]] = {}
    for path in AGAINST.glob("test_*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(func=ast.Name(id="Row"), args=[ast.Constant(value=str(name)), *_]):
                    given.setdefault(name, set()).update(each.arg for each in call.keywords)
    return {
        name: next((way for way, marks in WAYS.items() if words & marks), "")
        for name, words in given.items()
    }


def tables() -> dict[str, list[str]]:
    """The parts of the page that are made, by the name of their marks."""
    paths = [path for path in CLASSICS.glob("*.yaml") if not path.name.endswith(".test.yaml")]
    english = language("en")

    def place(head: Head) -> tuple[int, str]:
        return english.headings.index(english.heading(head.kind)), head.name

    heads = sorted((head_of(path) for path in paths), key=place)
    against = compared()
    ways = [against[head.name] for head in heads if head.name in against]
    said = (
        f"{len(heads)} games. {len(ways)} are compared with OpenSpiel: "
        f"{ways.count('')} move for move; "
        f"{ways.count('positions')} by the positions that its larger moves lead to; "
        f"{ways.count('but for deviations')} move for move but where OpenSpiel goes another way, "
        "which is told below, or at the test that leaves it out."
    )
    return {"games": [said, "", *_rows(heads, against)]}


def _rows(heads: list[Head], against: Mapping[str, str]) -> Iterator[str]:
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
            ", ".join(filter(None, ["OpenSpiel", against[head.name]]))
            if head.name in against
            else "",
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

"""What drives the functions of generated Python from one rest to the next.

Assumes: the names of a module as `source` writes them.
Does: writes what runs blocks, and what takes a row where the game rests.
Leaves behind: lines of source, two blank ones before each function.

Most inputs run at most one block that is a function of its own: it is run before any loop begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulerun.compiled.ir.fresh_names import RUN
from rulerun.compiled.ir.program import Program
from rulerun.compiled.python.behind import Behind
from rulerun.compiled.python.entries import blocks_of
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.signals import REST, SUPPOSED


def run_lines(program: Program, behind: Behind) -> Iterator[str]:
    """What runs blocks from one on: `ir.RUN`. What is only supposed to run counts by itself."""
    framed = program.frames > 1
    given, left = "s, b" if framed else "s", f"s[{behind.blocks}]"
    counted = f"left in range({left}, 0, -1)"
    yield from ("", "", f"def {RUN}({given}, at):")
    yield f"    for {counted if framed else f'_ in range({blocks_of(program) - 1})'}:"
    yield "        if at < 0:"
    if framed:
        yield f"            if at != {SUPPOSED}:"
        yield f"                {left} = left"
    yield "            return at"
    yield f"        at = BLOCKS[at]({given})"
    yield "    fail()"


def take_lines(program: Program, behind: Behind) -> Iterator[str]:
    """What takes a row where the stack of the game rests."""
    framed, base = program.frames > 1, program.base
    start = f"s, {base}" if framed else "s"
    yield from (
        "",
        "",
        "# take a row where the game rests, and run on; whether the whole game rests",
        "def take(s, row):",
    )
    if program.evaluations:
        yield f"    s[{behind.left}] = {program.evaluations}"
    if framed:
        yield f"    at = s[{base}] - 1"
        yield f"    s[{base}] = 0"
        yield f"    at = TAKES[at]({start}, row)"
    else:
        yield f"    at = TAKES[s[{base}] - 1]({start}, row)"
    yield from (
        "    if at >= 0:",
        f"        at = BLOCKS[at]({start})",
        f"    if at == {REST} or advance({start}, at) == {REST}:",
        f"        return {f'not s[{TOGETHER}]' if framed else 'True'}",
        "    over(s)",
        "    return False",
    )


def index_lines(program: Program, entries: Iterable[int]) -> Iterator[str]:
    """By which instruction each function is called."""
    yield from _index("BLOCKS", {at: f"at__{at}" for at in sorted(entries)})
    yield from _index("LISTS", {each.at: each.lister for each in program.questions})
    for word in ("TAKES", "WHO"):
        names = {each.at: f"{word.lower()}__{each.at}" for each in program.questions}
        yield from _index(word, names)


def _index(name: str, entries: Mapping[int, str]) -> Iterator[str]:
    yield ""
    yield f"{name} = {{{', '.join(f'{at}: {each}' for at, each in entries.items())}}}"

"""What mends a syntax error of YAML, where that takes more than quotes.

Assumes: a `Slip`, and that `errors` knows which one it is.
Does: looks at the lines around the place for how the author writes: with which indentation, with
which line breaks, in lists or not.
Leaves behind: fixes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rulerun_dsl.diagnostics.fixes import Edit, Fix, insert, rewrite
from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.error_context import Slip

_INDENTATION = re.compile(r"^[ \t]+(?=[^\s])", re.MULTILINE)


def spaces_for_tabs(source: Source) -> tuple[Fix, ...]:
    """The fix that indents with spaces: two for each tab, if the file is indented with tabs.

    In a file of spaces nobody knows how wide a tab looked: as deep as the line above wants it, as
    the line below, or four columns, two or eight.
    """
    every = [*_INDENTATION.finditer(source.text)]
    found = [each for each in every if "\t" in each[0]]
    alone = all(" " not in each[0] for each in every)
    widths: list[Callable[[re.Match[str]], str]] = [
        lambda each, width=width: each[0].replace("\t", " " * width)  # type: ignore[misc]
        for width in ((2,) if alone else (4, 2, 8))
    ]
    if not alone:
        widths[:0] = [lambda each: _as_above(source, each), lambda each: _as_below(source, each)]
    fixes = []
    for texts in dict.fromkeys(tuple(map(width, found)) for width in widths):
        edits = zip((source.span(*each.span()) for each in found), texts, strict=True)
        fixes.append(Fix("indent with spaces", tuple(Edit(*each) for each in edits), alone))
    return tuple(fixes) if found else ()


def _as_above(source: Source, tab: re.Match[str]) -> str:
    """The indentation of what follows the line above: two deeper if that opens a block."""
    line = source.position(tab.start())[0]
    above = next(_lines(source, line - 1, -1), "")
    deeper = 2 if re.search(r":\s*(?:#.*)?\Z", above) else 0
    return " " * (len(above) - len(above.lstrip(" ")) + deeper)


def _as_below(source: Source, tab: re.Match[str]) -> str:
    """The indentation of the line below."""
    line = source.position(tab.start())[0]
    below = next(_lines(source, line + 1, 1), "")
    return " " * (len(below) - len(below.lstrip(" ")))


def _lines(source: Source, line: int, step: int) -> Iterator[str]:
    """The lines from one on that say something, without those that are indented with tabs."""
    while 1 <= line <= source.line_count:
        text = source.line_text(line)
        if text.strip() and not text.lstrip(" ").startswith("\t"):
            yield text
        line += step


_NAMED = re.compile(rf"({NAME}(?:\[[^\]\s]*\])?)(?:$|(\s+)(?=\S))")


def with_colon(slip: Slip, words: Span) -> tuple[Fix, ...]:
    """The fix that makes a key of the first name of a line, sure if a block stands under it."""
    found = _NAMED.match(words.text)
    if found is None or not re.fullmatch(r"\S*|[\[{].*", words.text[found.end() :]):
        return ()
    key = slip.span(words.start, words.start + found.end(1))
    deeper = words.line < slip.source.line_count and slip.depth(words.line + 1) > slip.depth(
        words.line
    )
    return insert(key, ":", safe=not found[2] and deeper, title=f"write `{key.text}:`")


def with_dash(slip: Slip, start: int) -> tuple[Fix, ...]:
    """The fix that makes an item of a line that stands as deep as what is in the item above."""
    line, column = slip.source.position(start)
    around = (each for each in range(line - 1, 0, -1) if slip.source.line_text(each).strip())
    item = next((each for each in around if slip.depth(each) < column - 1), 0)
    if not item or not re.match(rf" {{{column - 3}}}- ", slip.source.line_text(item)):
        return ()
    return rewrite(slip.span(start - 2, start), "- ", safe=False, title="make it an item")


def on_the_next_line(slip: Slip) -> tuple[Fix, ...]:
    """The fix that begins a list below its key: where its other items stand, or two further in."""
    if slip.open_brackets or slip.text[slip.place : slip.place + 2] != "- ":
        return ()
    depth = slip.depth(slip.line) + 2
    if slip.line < slip.source.line_count:
        following = slip.source.line_text(slip.line + 1)
        if following.lstrip(" ").startswith("- ") and slip.depth(slip.line + 1) > depth - 2:
            depth = slip.depth(slip.line + 1)
    start = slip.line_start + len(slip.text[slip.line_start : slip.place].rstrip())
    ending = "\r\n" if "\r\n" in slip.text else "\n"
    place = slip.span(start, slip.place)
    title = "begin the list on the next line"
    return rewrite(place, ending + " " * depth, safe=False, title=title)


def end_of_document(slip: Slip) -> Span:
    """The `...` that ended the document."""
    found = re.search(r"^\.\.\.", slip.text, re.MULTILINE)
    return slip.here() if found is None else slip.span(*found.span())

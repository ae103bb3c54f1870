"""A line that fits no line above it: where it could stand.

Assumes: a `Slip` at the beginning of a line, which YAML could not put anywhere.
Does: goes up from that line to those that are less and less deep, and so finds the lists and
mappings that are open there; looks for a section that is indented, and for a `do:` left out.
Leaves behind: one diagnostic that names the columns, with a fix if there is one place only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, problem, short
from rulerun_dsl.diagnostics.fixes import Edit, Fix, insert, to_the_left_edge
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.section_names import at_the_left_edge, indented_section
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.error_context import Slip

_KEY = re.compile(r"([^\s:\[({#]+)[^:]*:(?= |$)")
_BODIES = {
    **dict.fromkeys(("until", "for", "turns", "repeat", "when", "together"), "do"),
    "if": "then",
}
"""The keys beside which a list of steps stands under another key, and that one."""


@frozen
class _Place:
    """A place where a line could stand: as deep as something above it."""

    depth: int
    line: int
    beside: str


def unfitting(slip: Slip, message: str, help: str, related: Related | None = None) -> Diagnostic:
    """What is wrong with the line at which YAML stopped."""
    words = slip.first_words()
    if section := section_within(slip):
        return section
    item = words.text.startswith("-")
    places = _near([*_places(slip.source, slip.line, item)], slip.column - 1)
    dash = not item and _is_item_above(slip)
    if dash:
        places = [each for each in places if each.depth >= slip.column]
    where = "begin it in " + ", or in ".join(_said(each, item) for each in places)
    if dash and places:
        help = f"start it with `- `, or {where}"
    elif places:
        help = where
    elif item:
        help = "a step stands under `setup:`, or under the `do:` of a phase"
    return problem(
        "RR0128",
        message,
        words,
        related=[related] if related else (),
        help=help,
        fixes=_shifted(slip, places[0]) if len(places) == 1 and not dash else (),
    )


def section_within(slip: Slip) -> Diagnostic | None:
    """A section that does not begin at the left edge."""
    name = indented_section(slip.source, slip.line)
    if name is None:
        return None
    start = slip.line_start + slip.depth(slip.line)
    key = slip.span(start, start + len(name))
    return problem(
        "RR0128",
        f"`{name}` is a section, and does not begin at the left edge",
        key,
        **to_the_left_edge(key),
    )


def body_missing(slip: Slip, above: Span) -> Diagnostic | None:
    """A list under a key that has its value: the `do:` between them was forgotten."""
    words = slip.first_words()
    depth = slip.depth(above.line)
    text = slip.source.line_text(above.line)
    depth += len(re.match(r"(?:- +)*", text[depth:])[0])  # type: ignore[index]
    if not words.text.startswith("- ") or slip.column - 1 < depth:
        return None
    beside = [*_keys_beside(slip.source, above.line, depth)]
    bodies = {_BODIES[each] for each in beside if each in _BODIES}
    if not bodies or {"do", "then", "phases"} & {*beside}:
        return None
    # The `if` of a phase or loop stands beside what says for whom, and has no body of its own.
    body = "do" if "do" in bodies else "then"
    ending = "\r\n" if "\r\n" in slip.text else "\n"
    # YAML takes the first items for more of the value, up to one that has a key.
    lines = range(above.line + 1, slip.line)
    dashed = (each for each in lines if slip.source.line_text(each).lstrip().startswith("- "))
    start = slip.source.line_starts[next(dashed, slip.line) - 1]
    return problem(
        "RR0128",
        f"`{short(words.text)}` stands under `{short(above.text)}`, which is a value",
        words,
        related=[Related(above, "the value above")],
        help=f"write `{body}:` on a line between them, in column {depth + 1}",
        fixes=insert(
            slip.span(start, start),
            f"{' ' * depth}{body}:{ending}",
            safe=True,
            title=f"write `{body}:` above it",
        ),
    )


def _places(source: Source, line: int, item: bool) -> Iterator[_Place]:
    """Where a list item, or a key, could stand below what is above it; the deepest first."""
    word = _KEY.match(source.line_text(line).lstrip())
    least = 1_000_000
    for each in range(line - 1, 0, -1):
        text = source.line_text(each)
        words = text.lstrip(" ")
        depth = len(text) - len(words)
        if not words.strip() or words.startswith("#") or depth >= least:
            continue
        least = depth
        inner = words.lstrip("- ") if words.startswith("- ") else words
        shown = short(words.strip())
        if item and words.startswith("- "):
            yield _Place(depth, each, shown)
        elif not item and (key := _KEY.match(inner)):
            depth += len(words) - len(inner)
            if (depth or at_the_left_edge(source.line_text(line).strip())) and not (
                word and word[1] in _keys_beside(source, each, depth)
            ):
                yield _Place(depth, each, f"{key[1]}:")


def _keys_beside(source: Source, line: int, depth: int) -> Iterator[str]:
    """The keys of a mapping that begin at a column, from one of its lines upwards."""
    for each in range(line, 0, -1):
        text = source.line_text(each)
        words = text.lstrip(" ")
        if not words.strip() or words.startswith("#"):
            continue
        begin = len(text) - len(words)
        inner = words.lstrip("- ") if words.startswith("- ") else words
        if len(text) - len(inner) == depth and (key := _KEY.match(inner)):
            yield key[1]
        if begin < depth:
            return


def _near(places: list[_Place], depth: int) -> list[_Place]:
    """The next place that is deeper, and the next that is not."""
    deeper = [each for each in places if each.depth > depth]
    others = [each for each in places if each.depth < depth]
    return [*deeper[-1:], *others[:1]]


def _said(place: _Place, item: bool) -> str:
    word = "below" if item else "beside"
    return f"column {place.depth + 1}, {word} `{place.beside}` of line {place.line}"


def _is_item_above(slip: Slip) -> bool:
    """Whether an item of a list begins in the column of the line."""
    for each in range(slip.line - 1, 0, -1):
        text = slip.source.line_text(each)
        if text.strip() and slip.depth(each) <= slip.column - 1:
            return slip.depth(each) == slip.column - 1 and text.lstrip().startswith("- ")
    return False


def _shifted(slip: Slip, place: _Place) -> tuple[Fix, ...]:
    """The fix that begins the line, and what is under it, in another column."""
    source, depth = slip.source, slip.column - 1
    edits = []
    for each in range(slip.line, source.line_count + 1):
        text = source.line_text(each)
        if text.strip() and slip.depth(each) < depth:
            break
        if text.strip():
            start = source.line_starts[each - 1]
            new = " " * (slip.depth(each) - depth + place.depth)
            edits.append(Edit(source.span(start, start + slip.depth(each)), new))
    return (Fix(f"begin it in column {place.depth + 1}", tuple(edits), False),)

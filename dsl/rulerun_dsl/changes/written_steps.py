"""Steps as lines, so that two blocks can be compared line by line.

Assumes: a block of an outline, a function, or YAML that is parsed later (the rules of a row).
Does: writes each statement on a line of its own, what stands inside it below, set in; what only
tells people something is left out.
Leaves behind: `Step` values, and of two lists of them the lines that differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rulerun_dsl.changes.plain import key_of, node_shown, shown
from rulerun_dsl.codegen.fingerprint import only_tells
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml import nodes


@frozen
class Step:
    """A line: how far it is set in, how people read it, and what makes it the same line."""

    depth: int
    text: str
    key: str


def _step(depth: int, word: str, *parts: object) -> Step:
    """A line of a word and what stands behind it."""
    behind = ", ".join(filter(None, map(shown, parts)))
    text = f"{word}: {behind}" if word and behind else word + (":" if word else behind)
    return Step(depth, text, f"{word} {','.join(map(key_of, parts))}")


def steps_of(block: d.Block, depth: int = 0) -> Iterator[Step]:
    """The lines of a block."""
    for item in block:
        if not only_tells(item):
            yield from _item(item, depth)


def _item(item: d.BlockItem, depth: int) -> Iterator[Step]:
    inside = depth + 1
    match item:
        case d.Line():
            for each in item.statements:
                yield _step(depth, "", each)
        case d.Group():
            yield from steps_of(item.body, depth)
        case d.If():
            yield _step(depth, "if", item.condition)
            yield from steps_of(item.then, inside)
            if any(not only_tells(each) for each in item.alternative):
                yield _step(depth, "else")
                yield from steps_of(item.alternative, inside)
        case d.Cases() | d.Match():
            yield (
                _step(depth, "match", item.subject)
                if isinstance(item, d.Match)
                else _step(depth, "cases")
            )
            for case, body in item.cases:
                yield _step(inside, "case", case) if case is not None else _step(inside, "else")
                yield from steps_of(body, inside + 1)
        case d.For():
            yield _step(depth, "for", item.loops)
            yield from steps_of(item.body, inside)
        case d.Turns():
            yield _step(depth, "turns", item.binders)
            if item.until is not None:
                yield _step(inside, "until", item.until)
            yield from steps_of(item.body, inside)
        case d.Until():
            yield _step(depth, "until", item.condition)
            yield from steps_of(item.body, inside)
        case d.Times():
            yield _step(depth, "repeat", item.count)
            yield from steps_of(item.body, inside)
        case d.Together():
            yield _step(depth, "together", item.binders)
            yield from steps_of(item.body, inside)
        case d.Choose():
            yield from _choice(item, depth)
        case d.MenuLine():
            yield from menu_line(item, depth)
        case _:
            yield Step(depth, shown(item), key_of(item))


def _choice(item: d.Choose, depth: int) -> Iterator[Step]:
    inside = depth + 1
    yield _step(depth, "choose", *([item.binders] if item.binders is not None else item.actions))
    for word, value in (("by", item.by), ("visible", item.visible)):
        if value is not None:
            yield _step(inside, word, value)
    for each in item.narrowing:
        yield _step(inside, "only", each)
    if item.also:
        yield _step(inside, "also", *item.also)
    for word, said in (("times", item.times), ("done", item.done), ("or", item.decline)):
        if said is not None:
            yield _step(inside, word, said)
    if item.forced:
        yield _step(inside, "forced", "take")
    for line in item.menu:
        yield from menu_line(line, inside)
    if item.nothing is not None:
        yield _step(inside, "else")
        yield from steps_of(item.nothing, inside + 1)


def menu_line(line: d.MenuLine, depth: int) -> Iterator[Step]:
    """The lines of a named option or an action."""
    yield _step(depth, "", line.signature)
    for each in (*line.around, *line.conditions):
        yield _step(depth + 1, "when", each)
    yield from steps_of(line.body, depth + 1)


def function_steps(function: d.FunctionDecl) -> Iterator[Step]:
    """The lines of a function."""
    for let in function.lets:
        yield _step(0, "", let)
    if function.value is not None:
        yield _step(0, "", function.value)
    if function.subject is not None:
        yield _step(0, "match", function.subject)
    for case, value in function.cases:
        head = "else" if case is None else shown(case)
        yield Step(0, f"{head}: {shown(value)}", f"{key_of(case)}: {key_of(value)}")


def node_steps(node: nodes.Node, depth: int = 0, head: str = "") -> Iterator[Step]:
    """The lines of YAML, with what stands in front of the first."""
    many = isinstance(node, nodes.Mapping | nodes.Sequence)
    if not many or not any(isinstance(each, nodes.Mapping | nodes.Sequence) for each in _in(node)):
        text = f"{head} {node_shown(node)}".strip()
        yield Step(depth, text, head + key_of(node))
        return
    if head:
        yield Step(depth, head, head)
        depth += 1
    if isinstance(node, nodes.Mapping):
        for entry in node:
            yield from node_steps(entry.value, depth, f"{entry.key.text}:")
    elif isinstance(node, nodes.Sequence):
        for item in node:
            yield from node_steps(item, depth)


def _in(node: nodes.Node) -> Iterator[nodes.Node]:
    if isinstance(node, nodes.Mapping):
        yield from (each.value for each in node)
    elif isinstance(node, nodes.Sequence):
        yield from node


def written(steps: Sequence[Step], sign: str = " ") -> tuple[str, ...]:
    """All lines behind one sign."""
    return tuple(f"{sign} {'  ' * each.depth}{each.text}" for each in steps)


def different(old: Sequence[Step], new: Sequence[Step], keys: Sequence[str]) -> tuple[str, ...]:
    """The lines that differ, each with one beside it; `keys` are the old ones with new names."""
    match = SequenceMatcher(
        None,
        [(each.depth, key) for each, key in zip(old, keys, strict=True)],
        [(each.depth, each.key) for each in new],
    )
    lines: list[str] = []
    for group in match.get_grouped_opcodes(1):
        if lines:
            lines.append("  …")
        for what, first, last, start, end in group:
            if what == "equal":
                lines += written(new[start:end])
            else:
                lines += written(old[first:last], "-") + written(new[start:end], "+")
    return tuple(lines)


def loops_of(phase: d.PhaseDecl) -> Iterator[tuple[str, s.Node | s.Expression]]:
    """How often a phase runs, by key."""
    for word, value in (
        ("if", phase.condition),
        ("until", phase.until),
        ("for", phase.loops),
        ("turns", phase.turns),
        ("repeat", phase.repeat),
    ):
        if value is not None:
            yield word, value

"""A place in a document by keys and positions: `options.target.default`, `players.2`.

Assumes: a document, and a path as somebody types it.
Does: goes down key by key. A key may have dots itself (`1..3`, `a.b`): of several that fit the
longest is taken. In a list stands a position, counted from 1, or the `id` of an item, as scenarios
have one. Where the path leaves the document, it says what is there and what was probably meant.
Leaves behind: a `Found` place, or `NoPlace`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl.diagnostics.diagnostic import listed, short, suggest
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

_MOST_NAMED = 12
_MOST_LOOKED_AT = 20_000


class NoPlace(Exception):
    """The path leads to nothing: a message in one line."""


@frozen
class Found:
    """A place: its value, and the steps that lead there, keys as texts and positions from 0."""

    node: Node
    steps: tuple[str | int, ...]
    parent: Mapping | Sequence


def find(document: Mapping, path: str) -> Found:
    """The place that a path names. Raises `NoPlace`."""
    node: Node = document
    parent: Mapping | Sequence = document
    steps: list[str | int] = []
    rest = path.strip()
    if not rest:
        raise NoPlace(f"a path names keys, as in `options.gems.default`; {_there(document)}")
    while rest:
        if isinstance(node, Scalar):
            raise NoPlace(
                f"`{_shown(steps)}` is `{short(node.text)}`: there is no `{rest}` in a single value"
            )
        parent = node
        step, taken = _step(node, rest) or (None, 0)
        if step is None:
            raise NoPlace(_unknown(document, node, steps, rest))
        steps.append(step)
        node = _below(node, step)
        rest = rest[taken:]
    return Found(node, tuple(steps), parent)


def _below(node: Mapping | Sequence, step: str | int) -> Node:
    if isinstance(node, Sequence):
        assert isinstance(step, int)
        return node.items[step]
    found = node.get(str(step))
    assert found is not None
    return found


def _step(node: Mapping | Sequence, rest: str) -> tuple[str | int, int] | None:
    """The next step, and how many characters of the path it takes; the longest that fits."""
    fitting = [
        (len(name), step)
        for name, step in _names(node)
        if rest == name or rest.startswith(f"{name}.")
    ]
    if not fitting:
        return None
    length, step = max(fitting, key=lambda each: each[0])
    return step, min(length + 1, len(rest))


def _names(node: Mapping | Sequence) -> Iterator[tuple[str, str | int]]:
    """What can be written for each part of a collection."""
    if isinstance(node, Mapping):
        yield from ((key, key) for key in node.keys())
        return
    for place, item in enumerate(node.items):
        yield str(place + 1), place
        if isinstance(item, Mapping) and isinstance(name := item.get("id"), Scalar):
            yield name.text, place


def _shown(steps: list[str | int]) -> str:
    return ".".join(str(each + 1) if isinstance(each, int) else each for each in steps)


def _unknown(document: Mapping, node: Mapping | Sequence, steps: list[str | int], rest: str) -> str:
    """What is said of a path that goes on to nowhere."""
    names = [name for name, _ in _names(node)]
    here = f"in `{_shown(steps)}` " if steps else ""
    # A key with dots may be misspelt as a whole, or only up to the next dot.
    word = rest.split(".", 1)[0]
    close = suggest(word, names) or suggest(rest, names)
    if close is None and not steps:
        # `target.default`, where the section was left out.
        homes = [f"{_shown(list(home))}.{rest}" for home in _homes(document, rest)]
        if homes:
            return f"there is no `{word}` at the top of the file: did you mean `{homes[0]}`?"
    if close is not None:
        tail = rest[len(word) :] if suggest(word, names) else ""
        meant = ".".join(filter(None, (_shown(steps), close))) + tail
        return f"{here}there is no `{word}`: did you mean `{meant}`? {_there(node)}"
    return f"{here}there is no `{word}`; {_there(node)}"


def _homes(document: Mapping, rest: str) -> Iterator[tuple[str | int, ...]]:
    """The places in which a path could go on, the highest first."""
    level: list[tuple[tuple[str | int, ...], Node]] = [((), document)]
    looked = 0
    while level and looked < _MOST_LOOKED_AT:
        below: list[tuple[tuple[str | int, ...], Node]] = []
        for steps, node in level:
            looked += 1
            if isinstance(node, Scalar):
                continue
            if steps and _step(node, rest) is not None and _leads_on(node, rest):
                yield steps
            if isinstance(node, Mapping):
                below += (((*steps, each.key.text), each.value) for each in node.entries)
            else:
                below += (((*steps, place), each) for place, each in enumerate(node.items))
        level = below


def _leads_on(node: Node, rest: str) -> bool:
    while rest:
        if isinstance(node, Scalar):
            return False
        found = _step(node, rest)
        if found is None:
            return False
        step, taken = found
        node, rest = _below(node, step), rest[taken:]
    return True


def _there(node: Mapping | Sequence) -> str:
    """What a collection holds, in words."""
    if isinstance(node, Sequence):
        many = len(node.items)
        ids = [name for name, _ in _names(node) if not name.isdigit()]
        if ids:
            return f"there are {_some(ids)}"
        return f"there are positions 1 to {many}" if many > 1 else f"there is {many or 'none'}"
    return f"there is {_some(list(node.keys()))}" if node.entries else "it holds nothing"


def _some(names: list[str]) -> str:
    named = [f"`{short(each)}`" for each in names]
    if len(named) > _MOST_NAMED:
        return f"{', '.join(named[:_MOST_NAMED])} and {len(named) - _MOST_NAMED} more"
    return listed(named, "and")

"""What options and the number of players give a meaning, told by the words of the declarations.

Assumes: an outline.
Does: follows the names that stand in declarations, from options on to all that names one of them.
Leaves behind: the names of which the checker must not take the value of one setting for a fact.
Names may be too many, where one word means two things, and are never too few.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from rulerun_dsl.check.env.world import World
from rulerun_dsl.source.identifiers import WORD
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Scalar


def settable(world: World) -> frozenset[str]:
    """The names that options or the number of players give a meaning."""

    def make() -> frozenset[str]:
        outline = world.outline
        found = {each.at.name for each in outline.options}
        low, high = outline.player_range
        if low < high:
            found |= {"players", "player"}
            found |= {each.at.name for each in outline.constants if each.by_count}
        declarations: list[tuple[Any, ...]] = [
            outline.constants,
            outline.types,
            outline.tables,
            outline.boards,
            outline.kinds,
            outline.functions,
            outline.zones,
            outline.variables,
        ]
        waiting = [
            (_names_of(decl), set(WORD.findall(" ".join(texts(decl)))))
            for decls in declarations
            for decl in decls
        ]
        readers: dict[str, list[set[str]]] = {}
        for names, mentioned in waiting:
            for word in mentioned:
                readers.setdefault(word, []).append(names)
        new = list(found)
        while new:
            for names in readers.pop(new.pop(), ()):
                new.extend(names - found)
                found |= names
        return frozenset(found)

    return world.texts.known("settable", make)


def _names_of(decl: Any) -> set[str]:
    """What a declaration gives a name to: itself, its members and columns."""
    found = {decl.at.name}
    for field in ("columns", "rows"):
        found.update(each.name for each in getattr(decl, field, ()) if hasattr(each, "name"))
    return found


def is_settable(world: World, value: object) -> bool:
    """May a setting decide what is written in a part of a declaration."""
    words = set(WORD.findall(" ".join(texts(value))))
    return not settable(world).isdisjoint(words)


def texts(value: object) -> Iterator[str]:
    """The words that a declaration is made of, as they are written."""
    if isinstance(value, s.Node):
        yield value.span.text
    elif isinstance(value, Scalar):
        yield value.text
    elif isinstance(value, declarations.Source):
        yield from texts(value.when)
    elif isinstance(value, tuple):
        for each in value:
            yield from texts(each)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from texts(getattr(value, field.name))

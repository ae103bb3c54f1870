"""What is printed on a component, for people: rules and columns with indexes, as they are written.

Assumes: kinds that can be asked for.
Leaves behind: texts. Plain columns have values, which screens put into words themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.syntax import declarations
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

_NOTHING = ("0", "false", "none", "")


def printed(world: World, decl: declarations.KindDecl) -> Iterator[tuple[str, tuple[str, ...]]]:
    """By column or rule: a text for each row of a kind."""
    rows = {row.name: written(decl, row) for row in decl.rows}
    names = [column.name for column in decl.columns if column.indexes]
    for name in (*names, *(slot.signature.name for slot in decl.slots)):
        texts = tuple(
            text(rows.get(row, {}).get(name)) for row in facts.row_names(world, decl.at.name)
        )
        if any(texts):
            yield name, texts


def written(decl: declarations.KindDecl, row: declarations.RowDecl) -> dict[str, Node]:
    """The values of a row by the names of its columns and rules."""
    if row.listed is None:
        return {key.text: value for key, value in row.values}
    return dict(zip((column.name for column in decl.columns), row.listed, strict=False))


def text(node: Node | None) -> str:
    """What is written, in one line; of many values those that are something."""
    match node:
        case Scalar():
            return " ".join(node.text.split())
        case Sequence(items=items):
            steps = [each for each in map(text, items) if each]
            values = all(isinstance(each, Scalar) and _plain(each.text) for each in items)
            return (", " if values else "; ").join(steps)
        case Mapping(entries=entries) if all(isinstance(each.value, Scalar) for each in entries):
            pairs = [(each.key.text, text(each.value)) for each in entries]
            return ", ".join(f"{key} {value}" for key, value in pairs if value not in _NOTHING)
        case Mapping():
            return "…"
    return ""


def _plain(word: str) -> bool:
    return re.fullmatch(r"[\w.-]+", word) is not None

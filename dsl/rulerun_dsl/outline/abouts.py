"""What declarations say of themselves to people: every `about:` with what it is about.

Assumes: a document that `schema` has checked.
Does: goes through the sections in which something is declared, chapters and rows included.
Leaves behind: texts by key, such as `zone hand` or `row card prince`, in the order of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl.syntax.told import About
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar

_NAME = re.compile(r"[^\s\[(]+")
_OF = re.compile(r"^(actions|procedures|functions|zones|state|tables|types) of .+$")

_WORDS = {
    "zones": "zone",
    "state": "variable",
    "functions": "rule",
    "procedures": "rule",
    "components": "kind",
    "types": "type",
    "boards": "board",
    "options": "option",
    "variants": "variant",
}
"""By section: how its keys begin."""

ROWS = {"kind": "row", "type": "value", "board": "site"}
"""What a row of each is."""


def abouts_in(document: Mapping) -> Iterator[About]:
    """Yield the texts of a file or chapter."""
    for entry in document.entries:
        section, value = _OF.sub(r"\1", entry.key.text), entry.value
        if not isinstance(value, Mapping):
            continue
        if section.startswith("chapter "):
            yield from abouts_in(value)
        elif section == "phases":
            yield from _phases(value)
        elif section == "actions":
            yield from _actions(value)
        elif section == "rows":
            for grown in value.entries:
                yield from _rows("row", grown.key.text, grown.value)
        elif section in _WORDS:
            for declared in value.entries:
                yield from _declared(_WORDS[section], declared.key, declared.value)


def _declared(word: str, key: Scalar, node: Node) -> Iterator[About]:
    name = _NAME.match(key.text)
    if name is None or not isinstance(node, Mapping):
        return
    yield from _about(f"{word} {name[0]}", node)
    if word in ROWS:
        yield from _rows(ROWS[word], name[0], node.get("rows"))
        columns = node.get("has")
        for entry in columns.entries if isinstance(columns, Mapping) else ():
            column = _NAME.match(entry.key.text)
            if column is not None:
                yield from _about(f"column {name[0]} {column[0]}", entry.value)


def _rows(word: str, kind: str, rows: Node | None) -> Iterator[About]:
    for entry in rows.entries if isinstance(rows, Mapping) else ():
        yield from _about(f"{word} {kind} {entry.key.text}", entry.value)


def _phases(section: Mapping) -> Iterator[About]:
    for entry in section.entries:
        yield from _about(f"phase {entry.key.text}", entry.value)
        inside = entry.value.get("phases") if isinstance(entry.value, Mapping) else None
        if isinstance(inside, Mapping):
            yield from _phases(inside)


def _actions(section: Mapping) -> Iterator[About]:
    for entry in section.entries:
        name = _NAME.match(entry.key.text)
        if entry.key.text.startswith("when ") and isinstance(entry.value, Mapping):
            yield from _actions(entry.value)
        elif name is not None:
            yield from _about(f"action {name[0]}", entry.value)


def _about(key: str, node: Node) -> Iterator[About]:
    if isinstance(node, Mapping) and isinstance(text := node.get("about"), Scalar):
        yield About(key, text)

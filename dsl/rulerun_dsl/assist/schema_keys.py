"""The keys that may stand at a place, by the schema.

Assumes: a document in which the placeholder of the editor stands as a key or as a value.
Does: asks the schema what it says of the mapping around it.
Leaves behind: keys with what the schema tells of them, and the words that a value may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulerun_dsl.check.env.recorder import HERE
from rulerun_dsl.schema.ruleset_schema import HEADS, Schema, definition, example_of, said
from rulerun_dsl.schema.validator import forms_of
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


@frozen
class Spot:
    """Where a node of a document stands."""

    node: Node
    key: Scalar | None
    """The key that holds it, however deep in lists."""
    around: Mapping | None
    """The mapping whose key or value it is."""
    is_key: bool


def spots(document: Node) -> Iterator[Spot]:
    """Every key and value of a document, the outer ones first."""
    waiting = [Spot(document, None, None, False)]
    while waiting:
        spot = waiting.pop()
        yield spot
        if isinstance(spot.node, Mapping):
            for entry in reversed(spot.node.entries):
                waiting.append(Spot(entry.value, entry.key, spot.node, False))
                waiting.append(Spot(entry.key, entry.key, spot.node, True))
        elif isinstance(spot.node, Sequence):
            waiting += [
                Spot(item, spot.key, spot.around, False) for item in reversed(spot.node.items)
            ]


def placeholder_in(document: Node) -> Spot | None:
    """Where the placeholder stands."""
    found = None
    for spot in spots(document):
        if isinstance(spot.node, Scalar) and HERE in spot.node.text:
            found = spot
    return found


def keys_at(document: Node, mapping: Mapping) -> dict[str, str]:
    """The keys that a mapping may have and has not, each with what the schema says of it."""
    found: dict[str, str] = {}
    for form in forms_of(document, mapping):
        for key in (*form.get("properties", {}), *_conditional(form)):
            if key not in mapping:
                found.setdefault(key, about_key(form, key))
        for pattern in form.get("patternProperties", {}):
            if (word := _example_of_pattern(pattern)) is not None:
                found.setdefault(
                    word, str(form["patternProperties"][pattern].get("description", ""))
                )
    return found


def about_key(form: Schema, key: str) -> str:
    """What the schema says of a key."""
    here = form.get("properties", {}).get(key)
    if here is None and key in HEADS:
        here = definition(f"statement_{key}")
    if here is None:
        return ""
    about = str(said(here, "description") or "")
    if (example := example_of(here)) is not None:
        about += f"\n\nFor example `{example}`."
    return about


def values_at(document: Node, node: Scalar) -> dict[str, str]:
    """The words that a value may be, each with what the schema says of it."""
    found: dict[str, str] = {}
    for form in forms_of(document, node):
        for each in (*form.get("oneOf", ()), *form.get("anyOf", ()), form):
            words: list[Any] = [each["const"]] if "const" in each else list(each.get("enum", ()))
            for word in words:
                text = str(word).lower() if isinstance(word, bool) else str(word)
                found.setdefault(text, str(each.get("description", "")))
    return found


def _conditional(form: Schema) -> list[str]:
    """The keys on which it depends what a mapping is."""
    test = form.get("if", {})
    if "$ref" in test:
        test = definition(test["$ref"])
    return [key for each in (test, *test.get("anyOf", ())) for key in each.get("required", ())]


def _example_of_pattern(pattern: str) -> str | None:
    word = pattern.removeprefix("^").partition("(")[0]
    if not word.isalpha():
        return None
    return f"{word}(player p)" if "\\(" in pattern else None

"""The quick validator: it finds the places of a document at which something is wrong.

It knows the keywords in `KEYWORDS` and no others, and gives no reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rulerun_dsl.schema.ruleset_schema import (
    Schema,
    definition,
    matches_pattern,
    rules_schema,
)
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


@frozen
class Place:
    """A node with the schema that it should follow, and the key whose value it is."""

    schema: Schema
    node: Node
    key: Scalar | None

    @property
    def name(self) -> str:
        """What a message calls the place."""
        return f"`{self.key.text}`" if self.key else "this item"

    @property
    def start(self) -> Span:
        """The beginning of the node: all of a collection would underline half a file."""
        return _start(self.node)


def _start(node: Node) -> Span:
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0].key.span
    if isinstance(node, Sequence) and node.items and isinstance(node.items[0], Scalar):
        return node.items[0].span
    if isinstance(node, Sequence) and node.items:
        return _start(node.items[0])
    return node.span


def is_valid(node: Node) -> bool:
    """Tell whether the shape of a document is right, without a reason."""
    return _matches(rules_schema(), node)


def faults(schema: Schema, node: Node) -> Iterator[Place]:
    """Yield the places at which something is wrong, each without what is wrong inside of it."""
    waiting = [Place(schema, node, None)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        place = waiting.pop()
        # A node that aliases repeat has one place in the file and needs one look.
        mark = id(place.schema), id(place.node)
        if mark in seen:
            continue
        seen.add(mark)
        forms = forms_there(place.schema, place.node)
        if not all(_holds(form, place.node) for form in forms):
            yield place
        for form in forms:
            waiting.extend(_inside(form, place.node))


def forms_of(root: Node, node: Node) -> list[Schema]:
    """The plain schemas that apply to a node inside a document, which need not be right."""
    waiting = [Place(rules_schema(), root, None)]
    found: list[Schema] = []
    while waiting:
        place = waiting.pop()
        forms = forms_there(place.schema, place.node)
        if place.node is node:
            found.extend(each for each in forms if each not in found)
        for form in forms:
            waiting.extend(
                each for each in _inside(form, place.node) if each.node.span.covers(node.span)
            )
    return found


def forms_there(schema: Schema, node: Node) -> list[Schema]:
    """Return the plain schemas that apply to a node: references followed, conditions decided."""
    waiting, forms = [schema], []
    while waiting:
        form = waiting.pop()
        if "$ref" in form:
            waiting.append(definition(form["$ref"]))
            continue
        forms.append(form)
        waiting.extend(form.get("allOf", ()))
        if "if" in form:
            branch = form.get("then" if _matches(form["if"], node) else "else")
            if branch is not None:
                waiting.append(branch)
    return forms


def _matches(schema: Schema, node: Node) -> bool:
    return next(faults(schema, node), None) is None


def _inside(form: Schema, node: Node) -> Iterator[Place]:
    """Yield the nodes inside of a node, with what the schema says of them."""
    match node:
        case Mapping():
            named, patterns = form.get("properties", {}), form.get("patternProperties", {})
            other = form.get("additionalProperties")
            for entry in node.entries:
                key = entry.key.text
                schemas = [named[key]] if key in named else []
                schemas += [
                    value for pattern, value in patterns.items() if matches_pattern(pattern, key)
                ]
                if not schemas and other:
                    schemas = [other]
                for schema in schemas:
                    yield Place(schema, entry.value, entry.key)
        case Sequence():
            if "items" in form:
                for item in node.items:
                    yield Place(form["items"], item, None)


def _holds(form: Schema, node: Node) -> bool:
    return all(_CHECKS[word](form[word], form, node) for word in form if word in _CHECKS)


def kinds(node: Node) -> tuple[str, ...]:
    """Return what JSON Schema calls a node."""
    match node:
        case Mapping():
            return ("object",)
        case Sequence():
            return ("array",)
        case Scalar(value=None):
            return ("null",)
        case Scalar(value=bool()):
            return ("boolean",)
        case Scalar(value=int()):
            return ("integer", "number")
        case Scalar(value=float(number)):
            return ("integer", "number") if number.is_integer() else ("number",)
        case Scalar():
            return ("string",)


def _is(node: Node, constant: object) -> bool:
    if not isinstance(node, Scalar):
        return False
    # To JSON, 1 and 1.0 are the same and 1 and true are not.
    return node.value == constant and isinstance(node.value, bool) is isinstance(constant, bool)


def extra_keys(form: Schema, node: Mapping) -> list[Scalar]:
    """Return the keys of a mapping that a schema has no word for."""
    unknown = set(unknown_keys(form, [entry.key.text for entry in node.entries]))
    return [entry.key for entry in node.entries if entry.key.text in unknown]


def unknown_keys(form: Schema, keys: Iterable[str]) -> list[str]:
    """Those among some keys that a schema has no word for."""
    named, patterns = form.get("properties", {}), form.get("patternProperties", {})
    return [
        key
        for key in keys
        if key not in named and not any(matches_pattern(pattern, key) for pattern in patterns)
    ]


def _type(wanted: str | list[str], form: Schema, node: Node) -> bool:
    allowed = [wanted] if isinstance(wanted, str) else wanted
    return any(kind in allowed for kind in kinds(node))


def repeated(node: Sequence) -> list[Scalar]:
    """Return the texts of a list that have stood in it before."""
    seen: set[str] = set()
    found = []
    for item in node.items:
        if isinstance(item, Scalar):
            if item.text in seen:
                found.append(item)
            seen.add(item.text)
    return found


def _other_keys(wanted: Schema | bool, form: Schema, node: Node) -> bool:
    return wanted is not False or not isinstance(node, Mapping) or not extra_keys(form, node)


def _key_names(wanted: Schema, form: Schema, node: Node) -> bool:
    return not isinstance(node, Mapping) or all(
        _matches(wanted, entry.key) for entry in node.entries
    )


# Each keyword that says something of a node without a look inside. `forms_there` and `_inside` know
# the others; the keywords of a condition's branches count where they stand.
_CHECKS: dict[str, Callable[[Any, Schema, Node], bool]] = {
    "type": _type,
    "const": lambda wanted, form, node: _is(node, wanted),
    "enum": lambda wanted, form, node: any(_is(node, each) for each in wanted),
    "required": lambda wanted, form, node: (
        not isinstance(node, Mapping) or all(key in node for key in wanted)
    ),
    "additionalProperties": _other_keys,
    "propertyNames": _key_names,
    "minProperties": lambda wanted, form, node: (
        not isinstance(node, Mapping) or len(node) >= wanted
    ),
    "minItems": lambda wanted, form, node: not isinstance(node, Sequence) or len(node) >= wanted,
    "uniqueItems": lambda wanted, form, node: (
        not wanted or not isinstance(node, Sequence) or not repeated(node)
    ),
    "maxLength": lambda wanted, form, node: (
        not isinstance(node, Scalar) or not isinstance(node.value, str) or len(node.value) <= wanted
    ),
    "minimum": lambda wanted, form, node: (
        not isinstance(node, Scalar)
        or isinstance(node.value, bool)
        or not isinstance(node.value, int | float)
        or node.value >= wanted
    ),
    "maximum": lambda wanted, form, node: (
        not isinstance(node, Scalar)
        or isinstance(node.value, bool)
        or not isinstance(node.value, int | float)
        or node.value <= wanted
    ),
    "pattern": lambda wanted, form, node: (
        not isinstance(node, Scalar)
        or not isinstance(node.value, str)
        or matches_pattern(wanted, node.value)
    ),
    "anyOf": lambda wanted, form, node: any(_matches(each, node) for each in wanted),
    "oneOf": lambda wanted, form, node: sum(_matches(each, node) for each in wanted) == 1,
    "not": lambda wanted, form, node: not _matches(wanted, node),
}

KEYWORDS = frozenset(_CHECKS) | {
    *("$ref", "allOf", "if", "then", "else"),
    *("properties", "patternProperties", "items"),
    *("$schema", "$id", "title", "description", "examples", "defaultSnippets", "definitions"),
}
"""The keywords that may stand in our schema."""

"""Which keywords of the schema fail at a place; `jsonschema` is asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rulerun_dsl.schema.ruleset_schema import Schema, matches_pattern, rules_schema
from rulerun_dsl.schema.validator import Place, unknown_keys
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from jsonschema import Draft7Validator


class Failure(NamedTuple):
    """A keyword that failed: what stands beside it, and the part of the schema it stands in."""

    wanted: Any
    form: Schema


def failed_keywords(place: Place) -> dict[str, Failure]:
    """The keywords that fail at a place itself; what is inside has its own place."""
    failed: dict[str, Failure] = {}
    for error in _validator().evolve(schema=place.schema).iter_errors(_flat(place.node)):
        if not error.path:
            form = error.schema if isinstance(error.schema, dict) else {}
            failed.setdefault(str(error.validator), Failure(error.validator_value, form))
    return failed


@cache
def _validator() -> Draft7Validator:
    from jsonschema import Draft7Validator, ValidationError
    from jsonschema.validators import extend

    def pattern(_: Any, wanted: str, value: object, form: Schema) -> Iterator[ValidationError]:
        if isinstance(value, str) and not matches_pattern(wanted, value):
            yield ValidationError(f"{value!r} does not match {wanted!r}")

    def other_keys(_: Any, wanted: Any, value: object, form: Schema) -> Iterator[ValidationError]:
        if wanted is False and isinstance(value, dict) and unknown_keys(form, value):
            yield ValidationError("there are other keys")

    validator: type[Draft7Validator] = extend(  # type: ignore[no-untyped-call]
        Draft7Validator, {"pattern": pattern, "additionalProperties": other_keys}
    )
    return validator(rules_schema())


def _flat(node: Node) -> object:
    """Return a node as data, with empty collections for those inside of it."""

    def empty(inner: Node) -> object:
        if isinstance(inner, Scalar):
            return inner.value
        return {} if isinstance(inner, Mapping) else []

    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [empty(item) for item in node.items]
        case Mapping():
            return {entry.key.text: empty(entry.value) for entry in node.entries}

"""The schema of a rules file: what it says of a place, in the words that diagnostics quote."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from rulerun_dsl.source.identifiers import is_name
from rulerun_dsl.source.resources import shipped

# A schema is a JSON object; what is in it is known to the meta-schema, not to the type checker.
Schema = dict[str, Any]

FILE = "ruleset.schema.json"

HEADS = ("if", "cases", "match", "choose", "say", "for", "turns", "until", "repeat", "together")
"""The keys with which a structured statement may begin."""


@cache
def rules_schema() -> Schema:
    """The schema of a rules file or module file, as it is shipped."""
    text = shipped("schemas").joinpath(FILE).read_text(encoding="utf-8")
    schema: Schema = json.loads(text)
    return schema


def definition(name: str) -> Schema:
    """What a reference (`#/definitions/step`), or the last word of one, stands for."""
    found: Schema = rules_schema()["definitions"][name.rpartition("/")[2]]
    return found


NAME = r"[^\s\d!-/:-@\[-\^`{-~][^\s!-/:-@\[-\^`{-~]*"
"""How a pattern of the schema says that a name stands there."""


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def matches_pattern(pattern: str, text: str) -> bool:
    """Tell whether a pattern of the schema is found in a text.

    Editors know no classes of letters, so in the schema a name is what has no ASCII sign in it.
    """
    if _pattern(pattern).search(text) is None:
        return False
    return NAME not in pattern or text.isascii() or all(map(is_name, text.split(" ")))


def said(form: Schema, key: str) -> Any:
    """What the schema says under a key, there or where the form is defined; None if nothing."""
    while key not in form and "$ref" in form:
        form = definition(form["$ref"])
    return form.get(key)


def example_of(form: Schema) -> str | None:
    """How what belongs here is written."""
    examples = said(form, "examples")
    if not examples:
        return None
    text = _as_yaml(examples[0])
    # What holds declarations holds each on lines of its own.
    return text[1:-1] if "{" in text[1:] else text


def _as_yaml(value: object) -> str:
    """A value of the schema as one writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_as_yaml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_as_yaml, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def homes_of(word: str) -> list[str]:
    """Return the names of the mappings in which a key belongs."""
    return [
        form["title"]
        for name, form in rules_schema()["definitions"].items()
        if "title" in form
        and name != "statement_unknown"
        and (
            word in form.get("properties", {})
            # Any word fits a pattern for names; the others begin with a word of their own.
            or any(
                matches_pattern(pattern, word)
                for pattern in form.get("patternProperties", {})
                if not pattern.startswith(("^[", "^("))
            )
        )
    ]

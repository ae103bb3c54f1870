"""The shape of a document: which keys stand where, and what they may hold.

Assumes: a mapping that `document` has read; anything may be in it, as deep as it likes.
Does: holds it against `schemas/ruleset.schema.json`, the same file that editors use.
Leaves behind: diagnostics, one for each problem, at the key or value that is wrong. Where there are
none, the passes that follow may rely on the shape.

Two validators share the work. The one in this file knows just the keywords that our schema uses,
walks the nodes with a list of what is left to see (so depth cannot hurt it), and finds the places
at fault. Only then is `jsonschema` imported, which costs more than everything else that checks a
file: it is asked about each faulty place alone, what is inside cut away, and says which keywords
failed. Its errors are then put into words. A test holds the two validators against each other.

Our schema describes a choice of forms by `if`, `then`, `else` on the keys that are there, so a
place has one form and its errors are about that form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING, Any

from rulerun_dsl.diagnostics.diagnostic import (
    MOST_FINDINGS,
    Diagnostic,
    Related,
    by_place,
    more_findings,
    problem,
    suggest,
)
from rulerun_dsl.source.resources import shipped
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from jsonschema import Draft7Validator, ValidationError

    # By the keyword that failed.
    Errors = dict[str, ValidationError]

# A schema is a JSON object; what is in it is known to the meta-schema, not to the type checker.
Schema = dict[str, Any]

FILE = "ruleset.schema.json"

HEADS = ("if", "cases", "match", "choose", "say", "for", "turns", "until", "repeat", "together")

# Keys that cannot stand side by side, though each is right without the other.
_RIVALS = (
    {"of", "one"},
    {"do", "phases"},
    {"value", "cases"},
    {"value", "match"},
    {"module", "game"},
    {"module", "rulerun"},
)

# What people write who know other languages, or an older rulerun.
_OTHER_WORDS = {
    "while": "write `until` with the opposite condition",
    "faces": "write a `state` such as `{face: 1..6}`",
    "per": "write it in brackets behind the name, as in `hand[player]`",
    "random": "write `pick x at random from …` as a line",
    "modules": "write each as a `chapter NAME` with `when`",
    "dice": "write each kind of die under `components`",
    "lines": "write the lines directly under `points(player p)`",
    "cycle": "write a board of the shape `ring`",
    "refill_from": "write `refill`",
    "rounds": "write `repeat:` with the number",
    "end": "write `until:` with the condition",
    "ends": "write `until:` with the condition",
    "hidden": "write `visible: none`, or `visible: owner` if its player sees it",
    "secret": "write `visible: none`, or `visible: owner` if its player sees it",
    "private": "write `visible: owner`",
    "public": "write `visible: all`",
    "face_down": "write `visible: none`, with `order: random` if it is shuffled",
    "shuffled": "write `order: random`",
    "bonus": "write it as a line under `points(player p):`",
    "foreach": "write `for: p in players` and `do:`",
    "else": "write it beside `if:` and `then:`",
}
_FOR_EACH = re.compile(
    r"(?:for )?(?:foreach|each|every|all) (?:player ?)?(\w+)?(?: in (\S+))?$|for (\w+) in (\S+)$"
)
"""A key that is meant as a loop."""

# What people write for a value that is one of a few.
_OTHER_VALUES = {
    **dict.fromkeys(("shuffled", "shuffle", "deck", "face_down", "facedown"), "random"),
    **dict.fromkeys(("pile", "lifo", "top"), "stack"),
    **dict.fromkeys(("row", "line", "fifo", "bottom"), "queue"),
}


@cache
def rules_schema() -> Schema:
    """The schema of a rules file or module file, as it is shipped."""
    text = shipped("schemas").joinpath(FILE).read_text(encoding="utf-8")
    schema: Schema = json.loads(text)
    return schema


def check_shape(document: Mapping) -> Iterator[Diagnostic]:
    """Yield what is wrong with the shape of a rules file, in reading order."""
    places = list(_faults(rules_schema(), document))
    if not places:
        return
    places.sort(key=lambda place: place.node.span.start)
    shown, hidden = places[:MOST_FINDINGS], places[MOST_FINDINGS:]
    yield from by_place(found for place in shown for found in _explain(place))
    if hidden:
        yield more_findings(len(hidden), _start(hidden[0].node))


def is_valid(node: Node) -> bool:
    """Tell whether the shape is right, without a reason."""
    return next(_faults(rules_schema(), node), None) is None


# -------------------------------------------------------------------------- the quick validator


@dataclass(frozen=True, slots=True)
class _Place:
    """A node with the schema that it should follow, and the key whose value it is."""

    schema: Schema
    node: Node
    key: Scalar | None


def _faults(schema: Schema, node: Node) -> Iterator[_Place]:
    """Yield the places at which something is wrong, each without what is wrong inside of it."""
    waiting = [_Place(schema, node, None)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        place = waiting.pop()
        # A node that aliases repeat has one place in the file and needs one look.
        mark = id(place.schema), id(place.node)
        if mark in seen:
            continue
        seen.add(mark)
        forms = _forms(place.schema, place.node)
        if not all(_holds(form, place.node) for form in forms):
            yield place
        for form in forms:
            waiting.extend(_inside(form, place.node))


def _forms(schema: Schema, node: Node) -> list[Schema]:
    """Return the plain schemas that apply to a node: references followed, conditions decided."""
    waiting, forms = [schema], []
    while waiting:
        form = waiting.pop()
        if "$ref" in form:
            waiting.append(rules_schema()["definitions"][form["$ref"].rpartition("/")[2]])
            continue
        forms.append(form)
        waiting.extend(form.get("allOf", ()))
        if "if" in form:
            branch = form.get("then" if _matches(form["if"], node) else "else")
            if branch is not None:
                waiting.append(branch)
    return forms


def _matches(schema: Schema, node: Node) -> bool:
    return next(_faults(schema, node), None) is None


def _inside(form: Schema, node: Node) -> Iterator[_Place]:
    """Yield the nodes inside of a node, with what the schema says of them."""
    match node:
        case Mapping():
            named, patterns = form.get("properties", {}), form.get("patternProperties", {})
            other = form.get("additionalProperties")
            for entry in node.entries:
                key = entry.key.text
                schemas = [named[key]] if key in named else []
                schemas += [value for pattern, value in patterns.items() if _found(pattern, key)]
                if not schemas and other:
                    schemas = [other]
                for schema in schemas:
                    yield _Place(schema, entry.value, entry.key)
        case Sequence():
            if "items" in form:
                for item in node.items:
                    yield _Place(form["items"], item, None)


def _holds(form: Schema, node: Node) -> bool:
    return all(_CHECKS[word](form[word], form, node) for word in form if word in _CHECKS)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _found(pattern: str, text: str) -> bool:
    return _pattern(pattern).search(text) is not None


def _kinds(node: Node) -> tuple[str, ...]:
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


def _extra(form: Schema, node: Mapping) -> list[Scalar]:
    """Return the keys of a mapping that a schema has no word for."""
    named, patterns = form.get("properties", {}), form.get("patternProperties", {})
    return [
        entry.key
        for entry in node.entries
        if entry.key.text not in named
        and not any(_found(pattern, entry.key.text) for pattern in patterns)
    ]


def _type(wanted: str | list[str], form: Schema, node: Node) -> bool:
    allowed = [wanted] if isinstance(wanted, str) else wanted
    return any(kind in allowed for kind in _kinds(node))


def _other_keys(wanted: Schema | bool, form: Schema, node: Node) -> bool:
    return wanted is not False or not isinstance(node, Mapping) or not _extra(form, node)


def _key_names(wanted: Schema, form: Schema, node: Node) -> bool:
    return not isinstance(node, Mapping) or all(
        _matches(wanted, entry.key) for entry in node.entries
    )


# Each keyword that says something of a node without a look inside. `_forms` and `_inside` know the
# others; the keywords of a condition's branches count where they stand.
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
        or _found(wanted, node.value)
    ),
    "anyOf": lambda wanted, form, node: any(_matches(each, node) for each in wanted),
    "oneOf": lambda wanted, form, node: sum(_matches(each, node) for each in wanted) == 1,
    "not": lambda wanted, form, node: not _matches(wanted, node),
}

KEYWORDS = frozenset(_CHECKS) | {
    *("$ref", "allOf", "if", "then", "else"),
    *("properties", "patternProperties", "items"),
    *("$schema", "$id", "title", "description", "examples", "definitions"),
}
"""The keywords that may stand in our schema."""


# ------------------------------------------------------------------------------- explanations


@cache
def _validator() -> Draft7Validator:
    from jsonschema import Draft7Validator

    return Draft7Validator(rules_schema())


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


def _explain(place: _Place) -> Iterator[Diagnostic]:
    """Yield what is wrong at a place."""
    validator = _validator().evolve(schema=place.schema)
    errors: Errors = {}
    for error in validator.iter_errors(_flat(place.node)):
        # What is inside has its own place.
        if not error.path:
            errors.setdefault(str(error.validator), error)
    # A node of the wrong kind says nothing of what it should have been.
    if "type" in errors or ("oneOf" in errors and _kinds(place.node)[0] in _NOT_SIMPLE):
        yield _wrong_kind(place, _value_of(errors, "type", "string"))
    elif not isinstance(place.node, Mapping):
        yield from _wrong_value(place, place.node, errors)
    elif "not" in errors:
        yield _no_head(place.node)
    else:
        yield from _wrong_keys(place, place.node, errors)


def _value_of(errors: Errors, word: str, default: Any) -> Any:
    """Return what stands beside the keyword that failed, if it did."""
    return errors[word].validator_value if word in errors else default


def _form_of(error: ValidationError) -> Schema:
    """Return the part of the schema that an error comes from."""
    return error.schema if isinstance(error.schema, dict) else {}


def _name(place: _Place) -> str:
    return f"`{place.key.text}`" if place.key else "this item"


_WORDS = {
    "boolean": "`true` or `false`",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
}


def _listed(words: Iterable[str], last: str = "or") -> str:
    """Return words as they are read out."""
    every = list(dict.fromkeys(words))
    return f" {last} ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


_NOT_SIMPLE = ("array", "object", "null")
_COLLECTIONS = {"array": "a list", "object": "keys with values"}
_LONGEST_QUOTE = 40


def _wrong_kind(place: _Place, wanted: str | list[str]) -> Diagnostic:
    """Return what is wrong with a node that is of another kind than may stand there."""
    node, about = place.node, _description(place)
    if "object" in wanted and (example := _example(place)) is not None:
        about = f"write it like `{example}`"
    allowed = [wanted] if isinstance(wanted, str) else wanted
    kind = _kinds(node)[0]
    if kind == "null":
        return _empty(place, about)
    if {"string", "number", "boolean"} <= {*allowed}:
        expected = ["one value"]
    else:
        expected = [_WORDS[each] for each in allowed if each not in _COLLECTIONS]
    expected += [_COLLECTIONS[each] for each in allowed if each in _COLLECTIONS]
    takes = f"{_name(place)} takes {_listed(expected)}"
    collection = "RR0205" if "object" in allowed else "RR0206" if "array" in allowed else None
    if kind in _COLLECTIONS:
        message = f"{takes}, not {_COLLECTIONS[kind]}"
        return problem(collection or "RR0204", message, _start(node), help=about)
    text = node.text if isinstance(node, Scalar) else ""
    given = f"`{text}`" if len(text) <= _LONGEST_QUOTE and "\n" not in text else _WORDS[kind]
    if kind in ("integer", "number") and "string" in allowed:
        given += ", which is a number"
    code = collection if collection and {*allowed} <= {*_COLLECTIONS} else "RR0207"
    return problem(code, f"{takes}, not {given}", node.span, help=about)


def _empty(place: _Place, about: str | None) -> Diagnostic:
    """Return what is wrong with a node that is nothing."""
    node, name = place.node, _name(place)
    if isinstance(node, Scalar) and node.text:
        return problem(
            "RR0203",
            f"{name} has no value: `{node.text}` is nothing to YAML",
            node.span,
            help="write `none` if you mean the value of that name",
        )
    span = node.span if place.key is None else place.key.span
    return problem("RR0203", f"{name} has no value", span, help=about)


def _start(node: Node) -> Span:
    """Return the beginning of a collection: all of it would underline half a file."""
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0].key.span
    if isinstance(node, Sequence) and node.items and isinstance(node.items[0], Scalar):
        return node.items[0].span
    if isinstance(node, Sequence) and node.items:
        return _start(node.items[0])
    return node.span


def _description(place: _Place) -> str | None:
    text = _said(place, "description")
    return text if isinstance(text, str) else None


def _example(place: _Place) -> str | None:
    """How what belongs here is written."""
    examples = _said(place, "examples")
    if not examples:
        return None
    text = _as_yaml(examples[0])
    # What holds declarations holds each on lines of its own.
    return text[1:-1] if "{" in text[1:] else text


def _said(place: _Place, key: str) -> Any:
    """What the schema says of a place, there or where it is defined."""
    form = place.schema
    while key not in form and "$ref" in form:
        form = rules_schema()["definitions"][form["$ref"].rpartition("/")[2]]
    return form.get(key)


def _as_yaml(value: object) -> str:
    """A value of the schema as one writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_as_yaml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_as_yaml, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _wrong_value(place: _Place, node: Scalar | Sequence, errors: Errors) -> Iterator[Diagnostic]:
    """Yield what is wrong with a value of the right kind."""
    if isinstance(node, Sequence):
        yield _too_little(place)
    elif "oneOf" in errors:
        words = [str(branch["const"]) for branch in _value_of(errors, "oneOf", ())]
        near = _OTHER_VALUES.get(node.text) or suggest(node.text, words)
        near = near if near in words else None
        help = f"did you mean `{near}`?" if near else _choices(words)
        yield problem("RR0208", f"{_name(place)} cannot be `{node.text}`", node.span, help=help)
    elif "pattern" in errors:
        yield problem("RR0212", f"`{node.text}` is not a name", node.span, help=_NAMES)
    elif "minimum" in errors:
        least = _value_of(errors, "minimum", 0)
        yield problem("RR0214", f"{_name(place)} is at least {least}", node.span)
    elif "maximum" in errors:
        most = _value_of(errors, "maximum", 0)
        yield problem("RR0215", f"{_name(place)} is at most {most:,}", node.span)


_NAMES = "a name is one word of letters, digits and `_`, and begins with no digit"


def _choices(words: list[str]) -> str:
    return "it is " + _listed(f"`{word}`" for word in words)


def _too_little(place: _Place) -> Diagnostic:
    return problem(
        "RR0213",
        f"{_name(place)} holds nothing",
        place.node.span,
        help="write what belongs there, or take it out",
    )


def _no_head(node: Mapping) -> Diagnostic:
    """Return what is wrong with a step that begins with none of the words for that."""
    for entry in node.entries:
        key = entry.key
        near = suggest(key.text, HEADS)
        if each := _FOR_EACH.match(key.text):
            name = each[3] or each[1] or "p"
            where = each[4] or each[2] or "players"
            does = entry.value.text if isinstance(entry.value, Scalar) else "…"
            help = f"write the keys `for: {name} in {where}` and `do:`"
            if does != "…":
                help = f"write `{does} for {name} in {where}`, or " + help[6:]
            return problem("RR0210", "a loop is written with keys of its own", key.span, help=help)
        if near or key.text in _OTHER_WORDS:
            help = f"did you mean `{near}`?" if near else _OTHER_WORDS[key.text]
            return problem("RR0210", f"no statement begins with `{key.text}`", key.span, help=help)
    first = node.entries[0].key.span if node.entries else node.span
    words = _listed(f"`{head}`" for head in HEADS)
    what = f"with `{node.entries[0].key.text}`" if node.entries else "like this"
    return problem(
        "RR0210",
        f"no statement begins {what}",
        first,
        help=f"write a line of text, or one of the keys {words}",
    )


def _wrong_keys(place: _Place, node: Mapping, errors: Errors) -> Iterator[Diagnostic]:
    """Yield what is wrong with the keys of a mapping that should be one."""
    missing = [key for key in _value_of(errors, "required", ()) if key not in node]
    if "additionalProperties" in errors:
        # An unknown key may be what a missing one was meant to be: that is one mistake, not two.
        yield from _unknown_keys(node, _form_of(errors["additionalProperties"]), missing)
    if missing:
        yield from _missing_keys(place, node, _form_of(errors["required"]), missing)
    if "minProperties" in errors:
        yield _too_little(place)


def _unknown_keys(node: Mapping, form: Schema, missing: list[str]) -> Iterator[Diagnostic]:
    """Yield the keys that do not belong in a mapping; strike what they stand for from `missing`."""
    extra, known = _extra(form, node), list(form.get("properties", {}))
    if extra[MOST_FINDINGS:]:
        yield more_findings(len(extra) - MOST_FINDINGS, extra[MOST_FINDINGS].span)
        del extra[MOST_FINDINGS:]
    head = next((node.entry(word) for word in HEADS if word in form.get("required", ())), None)
    if head is not None and any(key.text in HEADS for key in extra):
        # What belongs to the second statement is as wrong as its head, and needs no second word.
        yield from (_second_head(head.key, key) for key in extra if key.text in HEADS)
        companions = rules_schema()["definitions"]["statement_unknown"]["properties"]
        extra = [key for key in extra if key.text not in companions]
        missing.clear()
    if "rows" in missing and not any(suggest(key.text, known) or _homes(key.text) for key in extra):
        # The rows stand a level too high.
        yield problem(
            "RR0202",
            f"{form.get('title', 'this')} needs `rows`",
            extra[0].span,
            help=f"put {_listed((f'`{key.text}`' for key in extra[:3]), 'and')} under `rows:`",
        )
        missing.remove("rows")
        return
    for key in extra:
        rival = _rival(key.text, known, node)
        if rival is not None:
            yield problem(
                "RR0211",
                f"`{key.text}` and `{rival.text}` exclude each other",
                key.span,
                related=[Related(rival.span, f"`{rival.text}` stands here")],
                help="keep one of them",
            )
            continue
        near = None
        if key.text not in _OTHER_WORDS:
            near = _meant(key.text, [word for word in known if word not in node])
            if near is None and "do" in known:
                near = _meant(key.text, HEADS)
            if near is None and len(missing) == 1:
                near = missing[0]
        if near in missing:
            missing.remove(near)
        elif near in HEADS or key.text in _OTHER_WORDS:
            missing.clear()
        yield _unknown_key(key, form, near)
    if extra and not any(word in node for word in known):
        # Nothing here is what it should be: what is missing need not be told one by one.
        missing.clear()


def _meant(word: str, known: Iterable[str]) -> str | None:
    """Return the key that was likely meant by one that is not known here."""
    near = suggest(word, known)
    # A word that is right elsewhere is not misspelt, unless it is very like one that is right here.
    if near and _homes(word) and SequenceMatcher(None, word, near).ratio() < _VERY_LIKE:
        return None
    return near


# The pattern of a key such as `points(player p)`.
_CALLED = re.compile(r"\^([a-z]+)\(\\\(")
_FEW_KEYS = 12
_VERY_LIKE = 0.8


def _unknown_key(key: Scalar, form: Schema, near: str | None) -> Diagnostic:
    known, patterns = list(form.get("properties", {})), form.get("patternProperties", {})
    word, _, rest = key.text.partition(" ")
    if rest and any(pattern.startswith(f"^{word} ") for pattern in patterns):
        return problem(
            "RR0212",
            f"`{key.text}` does not end in a name of one word",
            key.span,
            help="write `chapter NAME`",
        )
    if patterns and not known:
        return problem("RR0212", f"`{key.text}` is not a name", key.span, help=_NAMES)
    known += [f"{found[1]}(…)" for each in patterns if (found := _CALLED.match(each))]
    help = None
    if near:
        help = f"did you mean `{near}`?"
    elif key.text in _OTHER_WORDS:
        help = _OTHER_WORDS[key.text]
    elif homes := _homes(key.text):
        help = f"it belongs in {_listed(homes[:3])}{' and elsewhere' if len(homes) > 3 else ''}"
    elif len(known) <= _FEW_KEYS:
        help = "the keys here are " + _listed((f"`{word}`" for word in known), "and")
    title = form.get("title", "this mapping")
    return problem("RR0201", f"`{key.text}` is not a key of {title}", key.span, help=help)


def _second_head(first: Scalar, second: Scalar) -> Diagnostic:
    return problem(
        "RR0209",
        f"`{second.text}` begins a second statement in one",
        second.span,
        related=[Related(first.span, f"the statement is `{first.text}`")],
        help="make them two items of a list, or put one under the `do` of the other",
    )


def _rival(word: str, known: list[str], node: Mapping) -> Scalar | None:
    """Return the key that is there instead of `word`."""
    for pair in _RIVALS:
        if word in pair:
            (other,) = pair - {word}
            if other in known and (entry := node.entry(other)) is not None:
                return entry.key
    return None


@cache
def _homes(word: str) -> list[str]:
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
                _found(pattern, word)
                for pattern in form.get("patternProperties", {})
                if not pattern.startswith(("^[", "^("))
            )
        )
    ]


def _missing_keys(
    place: _Place, node: Mapping, form: Schema, missing: list[str]
) -> Iterator[Diagnostic]:
    head = next((entry.key for entry in node.entries if entry.key.text in HEADS), None)
    owner = head if head is not None and head.text in form["required"] else place.key
    if owner is not None:
        name, span = f"`{owner.text}`", owner.span
    else:
        name, span = form.get("title", "this item"), _start(node)
    for key in missing:
        about = form.get("properties", {}).get(key, {}).get("description")
        if key == "rulerun":
            about = "begin the file with the version of the language: `rulerun: 1`"
        yield problem("RR0202", f"{name} needs `{key}`", span, help=about)

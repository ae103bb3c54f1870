"""The findings of a document's shape: a place that is of the wrong kind or has a wrong value.

Assumes: a document that was read.
Does: has the quick `validator` find the places at which something is wrong, then says what, in the
words of the schema. What is wrong with the keys of a mapping is said by `keys`.
Leaves behind: diagnostics in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl.diagnostics.diagnostic import (
    MOST_FINDINGS,
    Diagnostic,
    by_place,
    did_you_mean,
    listed,
    more_findings,
    problem,
    suggest,
)
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.schema.failed_keywords import Failure, failed_keywords
from rulerun_dsl.schema.keys import no_head, not_a_name, too_little, wrong_keys
from rulerun_dsl.schema.misplaced_sections import indented_sections, section_indented, without
from rulerun_dsl.schema.ruleset_schema import example_of, rules_schema, said
from rulerun_dsl.schema.validator import Place, faults, kinds, repeated
from rulerun_dsl.source.spans import Span
from rulerun_dsl.source.special_cards import ALONE, ONE_KIND, is_every
from rulerun_dsl.yaml.nodes import Mapping, Scalar, Sequence

# What people write for a value that is one of a few.
_OTHER_VALUES = {
    **dict.fromkeys(("shuffled", "shuffle", "deck", "face_down", "facedown"), "random"),
    **dict.fromkeys(("pile", "lifo", "top"), "stack"),
    **dict.fromkeys(("row", "line", "fifo", "bottom"), "queue"),
}
_SAME_VALUES = ("shuffled", "shuffle", "lifo", "fifo")
"""Those of them that can mean nothing else."""


def check_shape(document: Mapping) -> Iterator[Diagnostic]:
    """Yield what is wrong with the shape of a rules file, in reading order."""
    places = list(faults(rules_schema(), document))
    if not places:
        return
    sections = indented_sections(document, places)
    yield from map(section_indented, sections)
    places = [*without(sections, places)]
    places.sort(key=lambda place: place.node.span.start)
    shown, hidden = places[:MOST_FINDINGS], places[MOST_FINDINGS:]
    yield from by_place(found for place in shown for found in _explain(place))
    if hidden:
        yield more_findings(len(hidden), hidden[0].start)


def _explain(place: Place) -> Iterator[Diagnostic]:
    """Yield what is wrong at a place."""
    failed = failed_keywords(place)
    # A node of the wrong kind says nothing of what it should have been.
    if "type" in failed:
        yield _wrong_kind(place, failed["type"].wanted)
    elif "oneOf" in failed and kinds(place.node)[0] in _NOT_SIMPLE:
        yield _wrong_kind(place, "string")
    elif not isinstance(place.node, Mapping):
        yield from _wrong_value(place, place.node, failed)
    elif "not" in failed:
        yield no_head(place.node)
    else:
        yield from wrong_keys(place, place.node, failed)


_WORDS = {
    "boolean": "`true` or `false`",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
}


_NOT_SIMPLE = ("array", "object", "null")
_COLLECTIONS = {"array": "a list", "object": "keys with values"}
_LONGEST_QUOTE = 40


def _wrong_kind(place: Place, wanted: str | list[str]) -> Diagnostic:
    """Return what is wrong with a node that is of another kind than may stand there."""
    node, about = place.node, _description(place)
    if "object" in wanted and (example := example_of(place.schema)) is not None:
        about = f"write it like `{example}`"
    allowed = [wanted] if isinstance(wanted, str) else wanted
    kind = kinds(node)[0]
    if kind == "null":
        return _empty(place, about)
    if {"string", "number", "boolean"} <= {*allowed}:
        expected = ["one value"]
    else:
        expected = [_WORDS[each] for each in allowed if each not in _COLLECTIONS]
    expected += [_COLLECTIONS[each] for each in allowed if each in _COLLECTIONS]
    takes = f"{place.name} takes {listed(expected)}"
    collection = "RR0205" if "object" in allowed else "RR0206" if "array" in allowed else None
    if kind in _COLLECTIONS:
        if place.key is not None and place.key.text == "of" and kind == "array":
            about = ONE_KIND
        message = f"{takes}, not {_COLLECTIONS[kind]}"
        return problem(collection or "RR0204", message, place.start, help=about)
    text = node.text if isinstance(node, Scalar) else ""
    given = _quoted(text) or _WORDS[kind]
    if kind in ("integer", "number") and "string" in allowed:
        given += ", which is a number"
    code = collection if collection and {*allowed} <= {*_COLLECTIONS} else "RR0207"
    return problem(code, f"{takes}, not {given}", node.span, help=about)


def _quoted(text: str) -> str:
    """A text as a message names it; nothing if it is too long for that."""
    return f"`{text}`" if len(text) <= _LONGEST_QUOTE and "\n" not in text else ""


def _empty(place: Place, about: str | None) -> Diagnostic:
    """Return what is wrong with a node that is nothing."""
    node, name = place.node, place.name
    if isinstance(node, Scalar) and node.text:
        return problem(
            "RR0203",
            f"{name} has no value: `{node.text}` is nothing to YAML",
            node.span,
            help="write `none` if you mean the value of that name",
            fixes=rewrite(node.span, "none", safe=False),
        )
    span = node.span if place.key is None else _up_to(place.key.span, node.span)
    if place.key is not None and is_every(place.key.text):
        message = f"{name} is no row, and has no value"
        return problem("RR0203", message, span, help=ALONE)
    return problem("RR0203", f"{name} has no value", span, help=about)


def _up_to(key: Span, nothing: Span) -> Span:
    """A key and the place of its value, of which no later pass has to say that nothing is there."""
    behind = key.source is nothing.source and key.end <= nothing.start
    return key.to(nothing) if behind else key


def _description(place: Place) -> str | None:
    text = said(place.schema, "description")
    return text if isinstance(text, str) else None


def _wrong_value(
    place: Place, node: Scalar | Sequence, failed: dict[str, Failure]
) -> Iterator[Diagnostic]:
    """Yield what is wrong with a value of the right kind."""
    if isinstance(node, Sequence):
        if "minItems" in failed:
            yield too_little(place)
        for item in repeated(node) if "uniqueItems" in failed else ():
            message = f"{_quoted(item.text) or 'the same text'} stands twice under {place.name}"
            yield problem("RR0217", message, item.span, help="take one of them out")
    elif "oneOf" in failed:
        words = [str(branch["const"]) for branch in failed["oneOf"].wanted]
        near = _OTHER_VALUES.get(node.text) or suggest(node.text, words)
        near = near if near in words else None
        hint = did_you_mean(node.span, node.text, near, words, _choices(words))
        if near is not None and node.text in _OTHER_VALUES:
            hint["fixes"] = rewrite(node.span, near, safe=node.text in _SAME_VALUES)
        elif len(words) == 1:
            hint["fixes"] = rewrite(node.span, words[0], safe=False)
        yield problem("RR0208", f"{place.name} cannot be `{node.text}`", node.span, **hint)
    elif "pattern" in failed:
        yield not_a_name(node)
    elif "maxLength" in failed:
        most = failed["maxLength"].wanted
        message = f"{place.name} is longer than {most} characters"
        yield problem("RR0216", message, node.span, help="say it in a few words")
    elif "minimum" in failed:
        least = failed["minimum"].wanted
        yield problem("RR0214", f"{place.name} is at least {least}", node.span)
    elif "maximum" in failed:
        most = failed["maximum"].wanted
        yield problem("RR0215", f"{place.name} is at most {most:,}", node.span)


def _choices(words: list[str]) -> str:
    return "it is " + listed(f"`{word}`" for word in words)

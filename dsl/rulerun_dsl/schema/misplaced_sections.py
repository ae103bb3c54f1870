"""Sections that stand inside another one, a level or more too deep.

Assumes: a document, and the places of it at which something is wrong.
Does: looks there for keys that are called like a section which the file has not, whose value is
wrong where it stands and right as that section. What is called like a section and is right may be
meant: a phase can be the `setup`. So may one whose value stands beside it, or whose keys are only
misspelt: a variable can be called `actions`.
Leaves behind: those keys with what they stand in, for one finding each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, problem
from rulerun_dsl.diagnostics.fixes import to_the_left_edge
from rulerun_dsl.schema.keys import meant
from rulerun_dsl.schema.ruleset_schema import definition
from rulerun_dsl.schema.validator import Place, extra_keys, faults, forms_there
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.section_names import SECTIONS
from rulerun_dsl.yaml.nodes import Entry, Mapping, Node, Scalar


@frozen
class Indented:
    """A section that is indented, and the key at the left edge that it stands under."""

    entry: Entry
    under: Scalar


def indented_sections(document: Mapping, places: Iterable[Place]) -> list[Indented]:
    """The sections that stand inside others, in the order of the file."""
    wrong = {id(place.node): place for place in places}
    file = definition("module_file" if "module" in document else "rules_file")
    forms = {key: file["properties"][key] for key in SECTIONS if key in file["properties"]}
    found = []
    for top in document.entries:
        for node in _mappings(top.value):
            extra = _extra(wrong[id(node)]) if id(node) in wrong else frozenset()
            # Behind it only others may follow: the rest of what it stands in comes before it.
            for entry in reversed(node.entries):
                word = entry.key.text
                if word not in forms or word in document or not _stands_below(entry):
                    break
                place = wrong.get(id(entry.value))
                if word not in extra and (place is None or _is_misspelt(place)):
                    break
                own = _without_more(entry.value, {*forms} - {*document.keys()})
                if own is None or any(faults(forms[word], own)):
                    break
                found.append(Indented(entry, top.key))
    return sorted(found, key=lambda each: each.entry.key.span.start)


def _stands_below(entry: Entry) -> bool:
    """Whether what a key holds begins on a line below it, as all that a section holds does."""
    return entry.value.span.line > entry.key.span.line and entry.value.span.text[:1] not in "{["


def _is_misspelt(place: Place) -> bool:
    """Whether every key of a mapping that means nothing there is close to one that does."""
    if not isinstance(place.node, Mapping):
        return False
    extra, forms = _extra(place), forms_there(place.schema, place.node)
    known = {key for form in forms for key in form.get("properties", {})} - {*place.node.keys()}
    return bool(extra) and all(meant(key, known) for key in extra)


def _without_more(node: Node, sections: set[str]) -> Node | None:
    """What a section holds before others that stand in it too; None if that is nothing."""
    if not isinstance(node, Mapping):
        return node
    last = len(node.entries)
    while last and node.entries[last - 1].key.text in sections:
        last -= 1
    return Mapping(node.entries[:last], node.span) if last else None


def _extra(place: Place) -> frozenset[str]:
    """The keys of a mapping that mean nothing there."""
    if not isinstance(place.node, Mapping):
        return frozenset()
    strict = (
        form
        for form in forms_there(place.schema, place.node)
        if form.get("additionalProperties") is False
    )
    return frozenset(key.text for form in strict for key in extra_keys(form, place.node))


def without(sections: Sequence[Indented], places: Iterable[Place]) -> Iterator[Place]:
    """The places at which something is wrong besides sections that are indented."""
    entries = {id(each.entry) for each in sections}
    for place in places:
        if any(each.entry.value.span.covers(place.node.span) for each in sections):
            continue
        if isinstance(place.node, Mapping):
            rest = tuple(each for each in place.node.entries if id(each) not in entries)
            if len(rest) < len(place.node.entries):
                left = Place(place.schema, Mapping(rest, place.node.span), place.key)
                if any(each.node is left.node for each in faults(left.schema, left.node)):
                    yield left
                continue
        yield place


def section_indented(section: Indented) -> Diagnostic:
    """What is wrong with a section that is indented."""
    key, under = section.entry.key, section.under
    return problem(
        "RR0201",
        f"`{key.text}` is a section, and stands inside `{under.text}`",
        key.span,
        related=[Related(under.span, f"`{under.text}` begins here")],
        **to_the_left_edge(key.span),
    )


def _mappings(node: Node) -> Iterator[Mapping]:
    waiting: list[Node] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            yield each
            waiting.extend(entry.value for entry in each.entries)
        else:
            waiting.extend(getattr(each, "items", ()))

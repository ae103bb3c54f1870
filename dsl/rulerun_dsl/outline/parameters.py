"""Parameters that are written name first: `gain(c card)`.

Assumes: documents of a sound shape, and signatures that were parsed. Which names are types is read
off the keys of the sections, wherever in the files they stand.
Does: finds a parameter whose first word is no type and whose second word is one.
Leaves behind: the signature as it was meant, so that the uses of the parameter are right, and a
finding for each one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem, suggest
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.source.frozen import replaced
from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.explain.wording import TYPE_FIRST
from rulerun_dsl.yaml.nodes import Mapping

_BUILT_IN = ("bool", "player", "int", "direction")
_SECTION = re.compile(r"(types|options|components|boards)(?: of .+)?")
_TWO_WORDS = re.compile(rf"{NAME}\s+{NAME}")


def type_names(documents: Iterable[Mapping]) -> frozenset[str]:
    """The names of everything that a parameter can be of."""
    found = {*_BUILT_IN}
    left = [*documents]
    while left:
        for entry in left.pop().entries:
            if not isinstance(entry.value, Mapping):
                continue
            if entry.key.text.startswith("chapter "):
                left.append(entry.value)
            elif _SECTION.fullmatch(entry.key.text):
                found.update(entry.value.keys())
    return frozenset(found)


def types_first(
    signature: s.Signature, types: frozenset[str]
) -> tuple[s.Signature, list[Diagnostic]]:
    """A signature with the type of each parameter before its name, and what was not so."""
    found: list[Diagnostic] = []
    parameters = []
    for each in signature.parameters:
        if isinstance(each.type, s.NamedType) and _is_name_first(each.type.name, each.name, types):
            meant = f"{each.name} {each.type.name}"
            words = _TWO_WORDS.match(each.span.text)
            start = each.span.start
            span = each.span.source.span(start, start + words.end()) if words else each.span
            fixes = rewrite(span, meant, safe=True) if words else ()
            help = f"write `{meant}`"
            found.append(problem("RR0306", TYPE_FIRST, span, help=help, fixes=fixes))
            each = replaced(each, name=each.type.name, type=s.NamedType(each.type.span, each.name))
        parameters.append(each)
    return (replaced(signature, parameters=tuple(parameters)) if found else signature), found


def _is_name_first(first: str, second: str, types: frozenset[str]) -> bool:
    """Whether the words are a name and its type, and the first is no misspelt type."""
    return first not in types and second in types and suggest(first, (second,)) is None

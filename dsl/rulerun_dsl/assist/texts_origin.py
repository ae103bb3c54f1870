"""What a place in a file of texts translates: the name or the sentence of the rules.

Assumes: the text of such a file, and an analysis of the rules that it belongs to.
Does: finds the keys around the place; looks the last of them up among what is declared, and a
sentence among the words of the rules, whose lines may be broken elsewhere.
Leaves behind: a place in the rules; none for what they do not say.
"""

from __future__ import annotations

import re

from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.open_texts import Place, names_of, place_of
from rulerun_dsl.assist.symbols import declared_in
from rulerun_dsl.assist.texts_keys import SENTENCES
from rulerun_dsl.check.display.words import SECTIONS
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping

_INSIDE = ("rows", "has")
_OWN_WORD = ("zone", "variable", "option", "variant", "kind", "board", "phase", "player")
"""The sections of these declare what has their word; others name several sorts of things."""


def origin(analysis: Analysis, text: str, offset: int) -> Place | None:
    """Where the rules say what a place of texts translates."""
    document, _ = load_document(Source("", text))
    keys = _keys(document, offset) if isinstance(document, Mapping) else []
    if len(keys) < 2:
        return None
    if keys[0] == SENTENCES:
        return _sentence(analysis, keys[1])
    word = SECTIONS.get(keys[0])
    return None if word is None else _name(analysis, word, keys[1:])


def _keys(mapping: Mapping, offset: int) -> list[str]:
    """The keys around a place, the outermost first."""
    for entry in mapping.entries:
        if entry.span.start <= offset <= entry.span.end:
            inside = entry.value
            more = _keys(inside, offset) if isinstance(inside, Mapping) else []
            return [entry.key.text, *more]
    return []


def _name(analysis: Analysis, word: str, keys: list[str]) -> Place | None:
    """Where a name is declared; a row or a column, by what it belongs to."""
    if analysis.world is None:
        return None
    inside = len(keys) > 2 and keys[1] in _INSIDE
    name, of = (keys[2], keys[0]) if inside else (keys[0], "")
    names = names_of(analysis.sources)
    for use in declared_in(analysis.world):
        symbol = use.symbol
        if symbol.name != name:
            continue
        if inside:
            fits = symbol.of == of or symbol.word in ("column", "attribute")
        else:
            fits = symbol.word == word or word not in _OWN_WORD
        if fits:
            return place_of(use.span, names)
    return None


def _sentence(analysis: Analysis, sentence: str) -> Place | None:
    """Where the rules have a sentence first, however its lines are broken."""
    words = r"\s+".join(re.escape(each) for each in sentence.split())
    for file, source in analysis.sources.items():
        found = re.search(words, source.text)
        if found is not None:
            return Place(file, found.start(), found.end())
    return None

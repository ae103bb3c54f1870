"""What people read, apart from the rules: how many texts are others.

Assumes: two outlines.
Does: counts the texts of each (sentences, `about:`, `words:`, `story:`, titles), and the lines of
hints for screens (`view:`).
Leaves behind: how many differ; a text that was put in place of another counts once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rulerun_dsl.changes.plain import node_shown
from rulerun_dsl.changes.written_steps import node_steps
from rulerun_dsl.syntax.declarations import Outline


def other_texts(old: Outline, new: Outline) -> int:
    """How many texts that people read are others."""
    return _others(Counter(_texts(old)), Counter(_texts(new)))


def other_hints(old: Outline, new: Outline) -> int:
    """How many lines of hints for screens are others."""
    return _others(Counter(_hints(old)), Counter(_hints(new)))


def _others(old: Counter[str], new: Counter[str]) -> int:
    return max((old - new).total(), (new - old).total())


def _texts(outline: Outline) -> Iterator[str]:
    yield f"title {outline.title}"
    yield f"about {outline.about}"
    yield f"language {outline.written_in}"
    yield from outline.sentences
    yield from (f"{each.key} {each.text.text}" for each in outline.abouts)
    yield from (f"say {each.say}" for each in outline.constraints)
    yield from (f"source {key} {text}" for key, text in outline.sources)
    for words in (*outline.words, *outline.story):
        yield from (f"{each.depth} {each.text}" for each in node_steps(words.node))


def _hints(outline: Outline) -> Iterator[str]:
    for each in outline.view:
        yield from (f"{entry.key.text} {node_shown(entry.value)}" for entry in each.node)

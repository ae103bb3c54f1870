"""What a file may declare in the part of it that could not be read.

Assumes: documents, and findings in them.
Does: gathers the words that such a part may declare, and the keys around what is wrong.
Leaves behind: words and keys about which later checks are silent, since their absence means
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.source.identifiers import WORD
from rulerun_dsl.yaml.nodes import Mapping as Node
from rulerun_dsl.yaml.nodes import Scalar, Sequence


def words_of(documents: Iterable[Node]) -> frozenset[str]:
    """Every word that stands in a key or a list: what a file may declare."""
    found: set[str] = set()
    stack: list[object] = [*documents]
    while stack:
        node = stack.pop()
        if isinstance(node, Node):
            for entry in node.entries:
                found.update(WORD.findall(entry.key.text))
                stack.append(entry.value)
        elif isinstance(node, Sequence):
            for item in node.items:
                if isinstance(item, Scalar) and " " not in item.text:
                    found.add(item.text)
                stack.append(item)
    return frozenset(found)


def keys_round(documents: Iterable[Node], diagnostics: Iterable[Diagnostic]) -> Iterator[Scalar]:
    """Every key in whose value something is wrong."""
    wrong = [each.span for each in diagnostics if each.span is not None]
    stack: list[object] = [*documents]
    while stack:
        node = stack.pop()
        if isinstance(node, Node):
            for entry in node.entries:
                if any(entry.value.span.covers(span) for span in wrong):
                    yield entry.key
                    stack.append(entry.value)
        elif isinstance(node, Sequence):
            stack.extend(node.items)


def words_near(diagnostics: Iterable[Diagnostic]) -> frozenset[str]:
    """Every word on a line with an error: a `let` that could not be read declares nothing."""
    found: set[str] = set()
    for each in diagnostics:
        if each.span is not None:
            for line in range(each.span.line, each.span.end_line + 1):
                found.update(WORD.findall(each.span.source.line_text(line)))
    return frozenset(found)

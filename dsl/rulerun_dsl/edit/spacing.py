"""Blanks inside of rules: one on each side of an operator, one behind a comma.

Assumes: a source.
Does: goes through the texts of a rules file or module that the outline parses, as far as each is on
one line, and sets the words and signs of each apart. A text changes only if the parser makes the
same tree of it as before; sentences and keys do not change.
Leaves behind: the text of the file.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.diagnostics.fixes import Edit
from rulerun_dsl.edit.applying import applied
from rulerun_dsl.edit.shape import Shape
from rulerun_dsl.outline.blocks import Parser
from rulerun_dsl.outline.outline import texts_of_rules
from rulerun_dsl.schema.shapes import check_shape
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.syntax.parse import parse_template
from rulerun_dsl.syntax.parser_tables import reserved_words
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

_OURS = ("rulerun", "game", "module")
_WORDS = re.compile(r"\w+|\.\.|[=!<>+-]=|//|[-+*/%<>=]|[,;.()\[\]]")
_SIGN = re.compile(r"[-+*/%<>=!]")
_OPENING = ("(", "[", ",", ";", "..")


def spaced(source: Source, document: Mapping | None) -> str:
    """The text of a file with the blanks in its rules set right."""
    if document is None or not any(each in document for each in _OURS):
        return source.text
    if has_errors(check_shape(document)):
        return source.text
    keys = {each.span.start for each in _keys(document)}
    wanted = {
        node.span.start: (node, text)
        for node, how in texts_of_rules(document)
        if how is not parse_template
        and node.span.start not in keys
        and (text := _respaced(node, how)) is not None
    }
    if not wanted:
        return source.text
    edits = [Edit(_inside(node), text) for node, text in wanted.values()]
    text = applied(source, edits)
    again, _ = load_document(Source(source.name, text))
    new = {place: text for place, (_, text) in wanted.items()}
    return text if again is not None and _shape(document, new) == _shape(again, {}) else source.text


def _inside(node: Scalar) -> Span:
    quotes = node.style in ("single", "double")
    return Span(node.span.source, node.span.start + quotes, node.span.end - quotes)


def _respaced(node: Scalar, how: Parser) -> str | None:
    """The text of a rule with its blanks set right, if that is another text and the same rule."""
    if node.style in ("literal", "folded") or _inside(node).text != node.text:
        return None
    text = _set_apart(node.text)
    if text is None or text == node.text:
        return None
    before, wrong = how(node)
    if before is None or wrong:
        return None
    after, wrong = how(Scalar(text, text, Source("", text).span(0, len(text))))
    return text if not wrong and _same(before, after) else None


def _set_apart(text: str) -> str | None:
    """A rule as words and signs with the blanks that belong between; None for other characters."""
    words = list(_WORDS.finditer(text))
    if not words or _WORDS.sub("", text).strip(" "):
        return None
    parts = [words[0][0]]
    unary = _is_unary(None, words[0][0])
    for last, word, following in zip(words, words[1:], [*words[2:], None], strict=False):
        blank = last.end() < word.start()
        close = following is not None and word.end() == following.start()
        parts += (_blank(last[0], word[0], blank, unary), word[0])
        unary = _is_unary(last[0], word[0]) or (word[0] == "-" and blank and close)
    return "".join(parts)


def _is_unary(last: str | None, word: str) -> bool:
    """Whether a sign stands before a value and behind none.

    `let -1..4 x`: what stands close to a value and apart from what is before belongs to the value.
    """
    if word != "-":
        return False
    return last is None or last in _OPENING or _is_sign(last) or last in reserved_words()


def _is_sign(word: str) -> bool:
    return _SIGN.match(word) is not None


def _blank(last: str, word: str, was: bool, unary: bool) -> str:
    """What belongs between two words; `was`: something stood there; `unary`: `last` is a sign."""
    if word in (",", ";", ")", "]") or last in ("(", "["):
        return ""
    if ".." in (last, word) or "." in (last, word):
        return " " if was and "." not in (last, word) and ".." not in (last, word) else ""
    if last in (",", ";"):
        return " "
    if unary:
        return ""
    if _is_sign(last) or _is_sign(word) or (word == "(" and last in reserved_words()):
        return " "
    return " " if was or (last in (")", "]") and word not in ("(", "[")) else ""


def _same(one: object, other: object) -> bool:
    """Whether two trees differ in nothing but where they stand."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Span):
        return True
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return one.text == other.text
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    if dataclasses.is_dataclass(one):
        fields = dataclasses.fields(one)
        return all(_same(getattr(one, each.name), getattr(other, each.name)) for each in fields)
    return one == other


def _keys(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Mapping):
        for each in node.entries:
            yield each.key
            yield from _keys(each.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _keys(item)


def _shape(node: Node, instead: dict[int, str]) -> Shape:
    """What a document says, with other texts where scalars begin."""
    if isinstance(node, Scalar):
        return "text", instead.get(node.span.start, node.text)
    if isinstance(node, Sequence):
        return "list", tuple(_shape(each, instead) for each in node.items)
    return "keys", tuple((each.key.text, _shape(each.value, instead)) for each in node.entries)

"""What is known of the thing at a place, for people: names, keys, expressions.

Assumes: an `Analysis`, and a block that was read at that place if the text has changed since.
Leaves behind: a text in Markdown, and the stretch that it is about.
"""

from __future__ import annotations

from rulerun_dsl.assist import schema_keys
from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.block import Block
from rulerun_dsl.assist.describing import described, written_at
from rulerun_dsl.assist.open_texts import Place, names_of
from rulerun_dsl.assist.symbols import declared_in, found_in_block
from rulerun_dsl.check.env.recorder import Use
from rulerun_dsl.check.env.typing import describe
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.schema.ruleset_schema import HEADS
from rulerun_dsl.schema.validator import forms_of
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Scalar


@frozen
class Hover:
    """What is told of a stretch of text."""

    place: Place
    text: str


def hover(analysis: Analysis, block: Block, file: str, offset: int) -> Hover | None:
    """What is known of the thing at a place."""
    found = found_in_block(block, file, offset)
    if found is not None:
        return Hover(found.place, _of_name(analysis, found.use))
    if (told := _of_key(block, file, offset)) is not None:
        return told
    return _of_expression(analysis, block, file, offset)


def _of_name(analysis: Analysis, use: Use) -> str:
    text = described(analysis, use.symbol, use.type)
    if analysis.world is not None and use.symbol.at is None:
        names = names_of(analysis.sources)
        for each in declared_in(analysis.world):
            if each.symbol == use.symbol and id(each.span.source) in names:
                return f"{text}\n\n*{written_at(each.span)}*"
    return text


def _of_key(block: Block, file: str, offset: int) -> Hover | None:
    if block.document is None:
        return None
    for spot in schema_keys.spots(block.document):
        node = spot.node
        if not spot.is_key or not isinstance(node, Scalar) or spot.around is None:
            continue
        if node.span.start <= offset <= node.span.end:
            about = ""
            for form in forms_of(block.document, spot.around):
                if node.text in form.get("properties", {}):
                    about = schema_keys.about_key(form, node.text)
                    break
            if not about and node.text in HEADS:
                about = schema_keys.about_key({}, node.text)
            if about:
                return Hover(_place(file, node.span), f"**{node.text}:** {about}")
    return None


def _of_expression(analysis: Analysis, block: Block, file: str, offset: int) -> Hover | None:
    """The type of the smallest expression at a place."""
    best: tuple[Span, t.Type] | None = None
    for span, type_ in block.recorder.types:
        if span.source is block.source and span.start <= offset <= span.end:
            if best is None or span.end - span.start < best[0].end - best[0].start:
                best = span, type_
    world = block.world or analysis.world
    if best is None or isinstance(best[1], t.Unknown) or world is None:
        return None
    text = " ".join(best[0].text.split())
    return Hover(_place(file, best[0]), f"`{text}`: {describe(world, best[1])}")


def _place(file: str, span: Span) -> Place:
    return Place(file, span.start, span.end)

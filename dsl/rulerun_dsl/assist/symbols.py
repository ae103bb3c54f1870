"""Names in the texts of a book: what stands at a place, where it is declared, where it is used.

Assumes: an `Analysis`, whose recorder has noted what each name stands for.
Does: adds to the uses of names the places at which they are declared, and looks both up.
Leaves behind: places in the texts that were analysed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.block import Block
from rulerun_dsl.assist.open_texts import Place, names_of, place_of
from rulerun_dsl.check.env.recorder import Symbol, Use, word_in
from rulerun_dsl.check.env.world import World
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations


@frozen
class Found:
    """A name that stands at a place."""

    use: Use
    place: Place


def declared_in(world: World) -> Iterator[Use]:
    """The declarations of a world, each as a use of its name."""
    for name, (word, at) in world.declared.items():
        yield Use(_head(at.span, name), Symbol(word, name), None)
    for hook in world.outline.hooks:
        # A hook or replacement names what it is about.
        if hook.at.name in world.declared:
            word = world.declared[hook.at.name][0]
            yield Use(word_in(hook.at.span, hook.at.name), Symbol(word, hook.at.name), None)
    for phase in world.outline.phases:
        yield Use(phase.at.span, Symbol("phase", phase.at.name), None)
    yield from _members(world)
    for scalar in world.outline.players:
        yield Use(scalar.span, Symbol("player", scalar.text), None)
    for automa in world.outline.automata:
        yield Use(automa.name.span, Symbol("player", automa.name.text), None)


def _head(span: Span, name: str) -> Span:
    """Where the name of a declaration stands in its key."""
    text = span.text
    if text.startswith(name) and not text[len(name) : len(name) + 1].isalnum():
        return Span(span.source, span.start, span.start + len(name))
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    if found is None:
        return span
    return Span(span.source, span.start + found.start(), span.start + found.end())


def _members(world: World) -> Iterator[Use]:
    outline = world.outline
    for option in outline.options:
        for scalar in option.members:
            yield Use(scalar.span, Symbol("member", scalar.text, option.at.name), None)
    for type_ in outline.types:
        for scalar in type_.members:
            yield Use(scalar.span, Symbol("member", scalar.text, type_.at.name), None)
    holders: tuple[declarations.TypeDecl | declarations.BoardDecl | declarations.KindDecl, ...] = (
        *outline.types,
        *outline.boards,
        *outline.kinds,
    )
    for holder in holders:
        for row in holder.rows:
            yield Use(row.span, Symbol("member", row.name, holder.at.name), None)
        for column in holder.columns:
            at = _head(column.span, column.name)
            yield Use(at, Symbol("column", column.name, "", at), None)
    for kind in outline.kinds:
        for key, _ in kind.attributes:
            yield Use(key.name_span, Symbol("attribute", key.name, "", key.name_span), None)
        for slot in kind.slots:
            at = slot.signature.name_span
            yield Use(at, Symbol("slot", slot.signature.name, "", at), None)


def all_uses(analysis: Analysis) -> list[Use]:
    """Every name that stands for something, declarations included, each place once."""
    found: dict[tuple[int, int], Use] = {}
    declared = declared_in(analysis.world) if analysis.world is not None else ()
    for use in (*declared, *analysis.recorder.uses):
        if use.symbol.at is not None:
            at = use.symbol.at
            found.setdefault((id(at.source), at.start), Use(at, use.symbol, use.type))
        found[id(use.span.source), use.span.start] = use
    return list(found.values())


def found_at(analysis: Analysis, file: str, offset: int) -> Found | None:
    """The name that stands at a place of a text that was analysed."""
    names = names_of(analysis.sources)
    best: Found | None = None
    for use in all_uses(analysis):
        if use.span.start <= offset <= use.span.end and names.get(id(use.span.source)) == file:
            place = Place(file, use.span.start, use.span.end)
            if best is None or place.end - place.start < best.place.end - best.place.start:
                best = Found(use, place)
    return best


def found_in_block(block: Block, file: str, offset: int) -> Found | None:
    """The name that stands at a place of a declaration that was read by itself."""
    declared = declared_in(block.world) if block.world is not None else ()
    for use in (*block.recorder.uses, *declared):
        for at in (use.span, use.symbol.at):
            if at is not None and at.source is block.source and at.start <= offset <= at.end:
                return Found(use, Place(file, at.start, at.end))
    return None


def declaration_of(analysis: Analysis, symbol: Symbol) -> Place | None:
    """Where something is declared; None for words of the language, and what the rules make."""
    names = names_of(analysis.sources)
    if symbol.at is not None:
        return place_of(symbol.at, names)
    if analysis.world is None:
        return None
    for use in declared_in(analysis.world):
        if use.symbol == symbol:
            return place_of(use.span, names)
    if symbol.word == "member" and symbol.of in analysis.world.declared:
        # The cells of a grid and its directions are written nowhere.
        return place_of(analysis.world.declared[symbol.of][1].span, names)
    return None


def places_of(analysis: Analysis, symbol: Symbol) -> list[Place]:
    """Every place at which a name of something stands, in the order of the texts."""
    names = names_of(analysis.sources)
    places = [place_of(each.span, names) for each in all_uses(analysis) if each.symbol == symbol]
    return sorted(
        {each for each in places if each is not None}, key=lambda each: (each.file, each.start)
    )

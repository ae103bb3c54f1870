"""Answers of `rulerun_dsl.assist` as the protocol has them.

Assumes: a desk, a file that belongs to a game, a place in it.
Leaves behind: values of the protocol.
"""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from rulerun.language_server.desk import Desk
from rulerun.language_server.publishing import now, uri_of
from rulerun_dsl.assist import structure
from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.block import Block
from rulerun_dsl.assist.completion import Item, complete
from rulerun_dsl.assist.hover import hover
from rulerun_dsl.assist.open_texts import Place
from rulerun_dsl.assist.rename import FIXED, rename
from rulerun_dsl.assist.signatures import signature_at
from rulerun_dsl.assist.symbols import (
    Found,
    declaration_of,
    found_at,
    found_in_block,
    places_of,
)
from rulerun_dsl.assist.tokens import KINDS, tokens
from rulerun_dsl.check.env.recorder import Symbol

_KINDS = {
    "key": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.Value,
    "word": lsp.CompletionItemKind.Keyword,
    "language": lsp.CompletionItemKind.Keyword,
    "local": lsp.CompletionItemKind.Variable,
    "variable": lsp.CompletionItemKind.Variable,
    "zone": lsp.CompletionItemKind.Folder,
    "member": lsp.CompletionItemKind.EnumMember,
    "player": lsp.CompletionItemKind.Constant,
    "column": lsp.CompletionItemKind.Field,
    "attribute": lsp.CompletionItemKind.Field,
    "function": lsp.CompletionItemKind.Function,
    "library": lsp.CompletionItemKind.Function,
    "procedure": lsp.CompletionItemKind.Method,
    "action": lsp.CompletionItemKind.Method,
    "kind": lsp.CompletionItemKind.Class,
    "type": lsp.CompletionItemKind.Enum,
    "board": lsp.CompletionItemKind.Enum,
    "constant": lsp.CompletionItemKind.Constant,
    "option": lsp.CompletionItemKind.Constant,
    "variant": lsp.CompletionItemKind.Constant,
    "phase": lsp.CompletionItemKind.Module,
}

TOKENS = (
    *("variable", "variable", "parameter", "enumMember", "property", "function", "method"),
    *("class", "type", "variable", "variable", "function", "keyword", "keyword", "number"),
)
"""For each kind of token what the protocol calls it."""
LEGEND = list(dict.fromkeys(TOKENS))

_SYMBOLS = {
    "section": lsp.SymbolKind.Namespace,
    "zones": lsp.SymbolKind.Array,
    "state": lsp.SymbolKind.Variable,
    "functions": lsp.SymbolKind.Function,
    "procedures": lsp.SymbolKind.Method,
    "actions": lsp.SymbolKind.Event,
    "types": lsp.SymbolKind.Enum,
    "boards": lsp.SymbolKind.Enum,
    "components": lsp.SymbolKind.Class,
    "options": lsp.SymbolKind.Constant,
    "constants": lsp.SymbolKind.Constant,
    "phases": lsp.SymbolKind.Module,
}


def markdown(text: str) -> lsp.MarkupContent:
    """A text with some formatting."""
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)


def completion(
    desk: Desk, main: Path, path: Path, offset: int, snippets: bool
) -> lsp.CompletionList:
    """What may be written at a place."""
    analysis, file = desk.known(main), desk.name_in(main, path)
    before = analysis.sources.get(file)
    changes = desk.changes(path, before.text if before is not None else "")
    found = complete(analysis, file, desk.text(path), offset, changes)
    place = desk.positions(path).range(found.start, found.end)
    return lsp.CompletionList(
        False, [completion_item(each, place, snippets) for each in found.items]
    )


def completion_item(item: Item, place: lsp.Range, snippets: bool) -> lsp.CompletionItem:
    """Something that may be written in a stretch."""
    text = item.insert or item.label
    if snippets and "$0" in text:
        form = lsp.InsertTextFormat.Snippet
    else:
        form, text = lsp.InsertTextFormat.PlainText, text.replace("$0", "")
    return lsp.CompletionItem(
        label=item.label,
        kind=_KINDS.get(item.kind, lsp.CompletionItemKind.Text),
        detail=item.detail or None,
        documentation=markdown(item.about) if item.about else None,
        sort_text=f"{item.rank:02}{item.label}",
        insert_text_format=form,
        # What stands below the first line has its own indent.
        insert_text_mode=lsp.InsertTextMode.AsIs if "\n" in text else None,
        text_edit=lsp.TextEdit(place, text),
        additional_text_edits=_taken(place.start, item.back),
    )


def _taken(place: lsp.Position, back: int) -> list[lsp.TextEdit] | None:
    """The edit that takes spaces away before a place."""
    if not back:
        return None
    start = lsp.Position(place.line, place.character - back)
    return [lsp.TextEdit(lsp.Range(start, place), "")]


def hovering(desk: Desk, main: Path, path: Path, offset: int) -> lsp.Hover | None:
    """What is known of the thing at a place."""
    analysis, file, block = desk.block(main, path, offset)
    found = hover(analysis, block, file, offset)
    if found is None:
        return None
    place = desk.positions(path).range(found.place.start, found.place.end)
    return lsp.Hover(markdown(found.text), place)


def location(desk: Desk, main: Path, analysis: Analysis, place: Place) -> lsp.Location:
    """A place of a text that was analysed, in the text as it is now."""
    path = desk.path_of(main, place.file)
    source = analysis.sources[place.file]
    return lsp.Location(uri_of(path), now(desk, source, path, place.start, place.end))


def _local(desk: Desk, path: Path, block: Block, symbol: Symbol) -> lsp.Location | None:
    """Where something is declared in the declaration itself."""
    if symbol.at is None or symbol.at.source is not block.source:
        return None
    place = desk.positions(path).range(symbol.at.start, symbol.at.end)
    return lsp.Location(uri_of(path), place)


def definition(desk: Desk, main: Path, path: Path, offset: int) -> lsp.Location | None:
    """Where the thing at a place is declared."""
    analysis, file, block = desk.block(main, path, offset)
    found = found_in_block(block, file, offset)
    if found is None:
        return None
    if (local := _local(desk, path, block, found.use.symbol)) is not None:
        return local
    place = declaration_of(analysis, found.use.symbol)
    return location(desk, main, analysis, place) if place is not None else None


def settled(desk: Desk, main: Path, path: Path, offset: int) -> tuple[Analysis, Found | None]:
    """The name at a place, after the texts were analysed as they are now."""
    analysis = desk.analysed(main)
    return analysis, found_at(analysis, desk.name_in(main, path), offset)


def references(desk: Desk, main: Path, path: Path, offset: int) -> list[lsp.Location] | None:
    """Where the thing at a place is named."""
    analysis, found = settled(desk, main, path, offset)
    if found is None:
        return None
    places = places_of(analysis, found.use.symbol)
    return [location(desk, main, analysis, each) for each in places]


def renamable(desk: Desk, main: Path, path: Path, offset: int) -> lsp.Range | None:
    """The name at a place, if a rules file names it."""
    _, found = settled(desk, main, path, offset)
    if found is None or found.use.symbol.word in FIXED:
        return None
    return desk.positions(path).range(found.place.start, found.place.end)


def renaming(
    desk: Desk, main: Path, path: Path, offset: int, name: str
) -> tuple[dict[str, list[lsp.TextEdit]], str, Symbol | None]:
    """Another name for the thing at a place: edits by file, or why not."""
    analysis, found = settled(desk, main, path, offset)
    if found is None:
        return {}, "there is no name here", None
    made = rename(analysis, found.use.symbol, name)
    edits: dict[str, list[lsp.TextEdit]] = {}
    for place in made.places:
        where = location(desk, main, analysis, place)
        edits.setdefault(where.uri, []).append(lsp.TextEdit(where.range, name))
    return edits, made.refused, found.use.symbol


def signature(desk: Desk, main: Path, path: Path, offset: int) -> lsp.SignatureHelp | None:
    """The parameters of what is being called at a place."""
    found = signature_at(desk.known(main), desk.text(path), offset)
    if found is None:
        return None
    forms = []
    for form in found.forms:
        inside = form[form.find("(") + 1 : form.rfind(")")] if "(" in form else ""
        parts = [each.strip() for each in inside.split(",") if each.strip()]
        forms.append(
            lsp.SignatureInformation(
                form,
                markdown(found.about) if found.about else None,
                [lsp.ParameterInformation(each) for each in parts],
            )
        )
    return lsp.SignatureHelp(forms, 0, found.parameter)


def semantic_tokens(desk: Desk, main: Path, path: Path) -> list[int]:
    """The words of the rules, as the protocol packs them; what has just changed is left out."""
    analysis, file = desk.known(main), desk.name_in(main, path)
    source = analysis.sources.get(file)
    if source is None:
        return []
    positions = desk.positions(path)
    changes = desk.changes(path, source.text)
    data: list[int] = []
    line = column = 0
    for token in tokens(analysis, file):
        start, end = changes.moved(token.start), changes.moved(token.end)
        if positions.text[start:end] != source.text[token.start : token.end]:
            continue
        at, stop = positions.position(start), positions.position(end)
        if (at.line, at.character) < (line, column) or stop.line != at.line:
            continue
        kind = LEGEND.index(TOKENS[KINDS.index(token.kind)])
        behind = at.character - column if at.line == line else at.character
        data += [at.line - line, behind, stop.character - at.character, kind, 0]
        line, column = at.line, at.character
    return data


def symbols(desk: Desk, path: Path) -> list[lsp.DocumentSymbol]:
    """The sections of a file and what they declare."""
    positions = desk.positions(path)

    def symbol(entry: structure.Entry) -> lsp.DocumentSymbol:
        kind = lsp.SymbolKind.Key if entry.word not in _SYMBOLS else _SYMBOLS[entry.word]
        whole = positions.range(entry.start, entry.end)
        return lsp.DocumentSymbol(
            name=entry.name or "?",
            kind=kind,
            range=whole,
            selection_range=positions.range(entry.start, min(entry.key_end, entry.end)),
            children=[symbol(each) for each in entry.inside],
        )

    return [symbol(each) for each in structure.entries(desk.text(path))]


def folds(desk: Desk, path: Path) -> list[lsp.FoldingRange]:
    """What can be folded in a file."""
    return [lsp.FoldingRange(first, last) for first, last in structure.folds(desk.text(path))]

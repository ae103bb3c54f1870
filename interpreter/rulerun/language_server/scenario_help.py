"""Help in files of scenarios: what may be written, and names that are changed in the rules.

Assumes: a desk, and the rules that the scenarios are about.
Leaves behind: values of the protocol.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lsprotocol import types as lsp

from rulerun.language_server import scenario_files
from rulerun.language_server.desk import Desk, is_scenarios
from rulerun.language_server.publishing import uri_of
from rulerun_dsl.assist.describing import values_of
from rulerun_dsl.check.env.recorder import Symbol
from rulerun_dsl.source.resources import shipped

_WORD = re.compile(r"[\w-]*\Z")


@cache
def _keys() -> dict[str, str]:
    """The keys of a scenario, each with what the schema says of it."""
    text = (shipped("schemas") / "scenario.schema.json").read_text(encoding="utf-8")
    known = json.loads(text)["definitions"]
    return {
        key: str(form.get("description") or known["checks"]["description"])
        for key, form in known["scenario"]["properties"].items()
    }


def completion(desk: Desk, path: Path, position: lsp.Position) -> lsp.CompletionList | None:
    """What may be written in a file of scenarios."""
    text, positions = desk.text(path), desk.positions(path)
    offset = positions.offset(position)
    word = _WORD.search(text, 0, offset)
    start = word.start() if word is not None else offset
    place = positions.range(start, offset)
    items = [
        lsp.CompletionItem(
            label=label,
            kind=kind,
            detail=detail or None,
            sort_text=f"{rank}{label}",
            text_edit=lsp.TextEdit(place, insert),
        )
        for label, kind, detail, insert, rank in _items(desk, path, text, start)
    ]
    return lsp.CompletionList(False, items)


_Row = tuple[str, lsp.CompletionItemKind, str, str, int]


def _items(desk: Desk, path: Path, text: str, start: int) -> Iterator[_Row]:
    section, line = _around(text, start)
    head = line[: start - (text.rfind("\n", 0, start) + 1)]
    main = scenario_files.rules_of(desk, path)
    loaded = scenario_files.loaded_of(desk, main) if main is not None else None
    game = loaded.game()[0] if loaded is not None else None
    names = lsp.CompletionItemKind.Value
    if not section and ":" not in head:
        for key, about in _keys().items():
            yield key, lsp.CompletionItemKind.Property, about, f"{key}: ", 1
        return
    if loaded is None or game is None:
        return
    outline = loaded.outline
    if section == "variants":
        for variant in outline.variants:
            yield variant.at.name, names, variant.about, variant.at.name, 1
    elif section == "options" and ":" not in head:
        for option in outline.options:
            yield option.at.name, names, option.about, f"{option.at.name}: ", 1
    elif section == "options":
        named = re.search(r"(\w+)\s*:\s*\w*\Z", head)
        if named is not None and main is not None:
            for value in values_of(desk.known(main), named[1]):
                yield value, names, named[1], value, 1
    elif section in ("do", "legal") and ":" in head:
        for name in dict.fromkeys(action.name for action in game.actions):
            yield name, lsp.CompletionItemKind.Event, "action", name, 1
        for kind in game.kinds:
            for row in kind.rows:
                yield row, lsp.CompletionItemKind.EnumMember, kind.name, row, 2
    elif section in ("do", "legal", "sees", "waiting"):
        for player in game.players:
            yield player, names, "player", f"{player}: ", 1
        if section == "do":
            for word in ("chance", "refuse", "expect"):
                yield word, lsp.CompletionItemKind.Keyword, "", f"{word}: ", 2
    elif section == "enter":
        for phase in outline.phases:
            yield phase.at.name, names, "phase", phase.at.name, 1
    else:
        for zone in outline.zones:
            yield zone.at.name, lsp.CompletionItemKind.Folder, zone.at.span.text, zone.at.name, 1
        for variable in outline.variables:
            at = variable.at
            yield at.name, lsp.CompletionItemKind.Variable, at.span.text, at.name, 1
        for player in game.players:
            yield player, names, "player", player, 2
        for function in outline.functions:
            at = function.at
            detail = function.signature.span.text
            yield at.name, lsp.CompletionItemKind.Function, detail, at.name, 2


def _around(text: str, start: int) -> tuple[str, str]:
    """The key of a scenario in which a place is, and its line."""
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    line = text[begin : stop if stop >= 0 else len(text)]
    indent = len(line) - len(line.lstrip(" "))
    own = re.match(r"\s*(?:- )?(\w+)\s*:", text[begin:start])
    if own is not None and own[1] in _keys():
        return own[1], line
    place = begin
    while place > 0:
        above = text.rfind("\n", 0, place - 1) + 1
        before = text[above : place - 1]
        place = above
        bare = before.strip()
        if not bare or bare.startswith("#"):
            continue
        depth = len(before) - len(before.lstrip(" "))
        key = re.match(r"\s*(- )?(\w+)\s*:", before)
        if key is None or depth >= indent + (0 if line.strip() else 1):
            continue
        if key[2] in _keys() and not (key[1] and indent == depth + 2):
            return key[2], line
        if key[1]:
            return "", line
    return "", line


def renamed(
    desk: Desk, main: Path, symbol: Symbol, name: str, edits: dict[str, list[lsp.TextEdit]]
) -> None:
    """Add what a new name in the rules changes in the scenarios about them."""
    if symbol.word in ("local", "column", "attribute", "slot"):
        return
    word = re.compile(rf"(?<![\w.-]){re.escape(symbol.name)}(?![\w-])")
    for path in _about(desk, main):
        text, positions = desk.text(path), desk.positions(path)
        for number, line in enumerate(text.splitlines(keepends=True)):
            code = line.partition(" #")[0]
            if re.match(r"\s*(?:- )?(?:title|cite|id|because|error)\s*:", code):
                continue
            begin = positions.offset(lsp.Position(number, 0))
            for each in word.finditer(code):
                place = positions.range(begin + each.start(), begin + each.end())
                edits.setdefault(uri_of(path), []).append(lsp.TextEdit(place, name))


def _about(desk: Desk, main: Path) -> list[Path]:
    """The files of scenarios beside the rules that are about them."""
    try:
        beside = [each for each in sorted(main.parent.iterdir()) if is_scenarios(each)]
    except OSError:
        beside = []
    beside += [each for each in desk.open if is_scenarios(each) and each not in beside]
    return [each for each in beside if scenario_files.rules_of(desk, each) == main]

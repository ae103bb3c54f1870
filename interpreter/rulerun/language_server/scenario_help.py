"""Help in files of scenarios: what may be written, and names that are changed in the rules.

Assumes: a desk, and the rules that the scenarios are about.
Leaves behind: values of the protocol.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from lsprotocol import types as lsp

from rulerun.language_server import scenario_files
from rulerun.language_server.desk import Desk, is_scenarios
from rulerun.language_server.publishing import uri_of
from rulerun_dsl.assist.analysis import Analysis
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


Asked = Callable[[int, bool], Awaitable[dict[str, tuple[str, ...]]]]
"""Tells who is asked before the input in a line (or what may fall), and what each may answer."""


async def completion(
    desk: Desk, path: Path, position: lsp.Position, asked: Asked
) -> lsp.CompletionList | None:
    """What may be written in a file of scenarios."""
    text, positions = desk.text(path), desk.positions(path)
    offset = positions.offset(position)
    word = _WORD.search(text, 0, offset)
    start = word.start() if word is not None else offset
    section, line = _around(text, start)
    head = line[: start - (text.rfind("\n", 0, start) + 1)]
    rows: Iterable[_Row] = ()
    if section in ("do", "legal") and ":" in head:
        # An answer has many words.
        start = offset - len(line[: positions.position(offset).character].partition(": ")[2])
        who = re.search(r"(\w+)\s*:\s*[^:]*\Z", head)
        name = who[1] if who is not None else ""
        rows = _answers((await asked(position.line + 1, name == "chance")).get(name, ()))
    elif not section and ":" not in head:
        rows = [_row(key, _PROPERTY, about, f"{key}: ", 1) for key, about in _keys().items()]
    elif (main := scenario_files.rules_of(desk, path)) is not None:
        rows = _names(desk.known(main), section, head)
    place = positions.range(start, offset)
    return lsp.CompletionList(
        False,
        [
            lsp.CompletionItem(
                label=label,
                kind=kind,
                detail=detail or None,
                sort_text=f"{rank}{label}",
                text_edit=lsp.TextEdit(place, insert),
            )
            for label, kind, detail, insert, rank in rows
        ],
    )


_Row = tuple[str, lsp.CompletionItemKind, str, str, int]
_NAME = lsp.CompletionItemKind.Value
_PROPERTY = lsp.CompletionItemKind.Property
_PLAIN = re.compile(r"[^\W\d][^:#]*")


def _row(
    label: str, kind: lsp.CompletionItemKind, detail: str = "", insert: str = "", rank: int = 1
) -> _Row:
    return label, kind, detail, insert or label, rank


def _answers(answers: Iterable[str]) -> Iterator[_Row]:
    """What a player may do, or what may fall."""
    for answer in answers:
        written = answer if _PLAIN.fullmatch(answer) else json.dumps(answer, ensure_ascii=False)
        yield _row(answer, lsp.CompletionItemKind.Event, insert=written)


def _names(analysis: Analysis, section: str, head: str) -> Iterator[_Row]:
    """The names of the rules that may stand in a section of a scenario."""
    outline, world = analysis.outline, analysis.world
    if outline is None or world is None:
        return
    if section == "variants":
        for variant in outline.variants:
            yield _row(variant.at.name, _NAME, variant.about)
    elif section == "options" and ":" not in head:
        for option in outline.options:
            yield _row(option.at.name, _NAME, option.about, f"{option.at.name}: ")
    elif section == "options":
        named = re.search(r"(\w+)\s*:\s*\w*\Z", head)
        for value in values_of(analysis, named[1]) if named is not None else ():
            yield _row(value, _NAME)
    elif section in ("do", "legal", "sees", "waiting"):
        for player in world.players:
            yield _row(player, _NAME, "player", player if section == "waiting" else f"{player}: ")
        for word in ("chance", "refuse", "expect") if section == "do" else ():
            yield _row(word, lsp.CompletionItemKind.Keyword, "", f"{word}: ", 2)
    elif section == "enter":
        for phase in outline.phases:
            yield _row(phase.at.name, _NAME, "phase")
    else:
        for zone in outline.zones:
            yield _row(zone.at.name, lsp.CompletionItemKind.Folder, zone.at.span.text)
        for variable in outline.variables:
            yield _row(variable.at.name, lsp.CompletionItemKind.Variable, variable.at.span.text)
        for player in world.players:
            yield _row(player, _NAME, "player", rank=2)
        for function in outline.functions:
            detail = function.signature.span.text
            yield _row(function.at.name, lsp.CompletionItemKind.Function, detail, rank=2)


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

"""Help in files of scenarios: what may be written, and names that are changed in the rules.

Assumes: a desk, and the rules that the scenarios are about.
Leaves behind: values of the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol import types as lsp

from rulerun.language_server import scenario_files
from rulerun.language_server.answers import completion_item
from rulerun.language_server.desk import Desk, is_scenarios
from rulerun.language_server.publishing import uri_of
from rulerun.scenario.completing import Place, items, place_at
from rulerun_dsl.check.env.recorder import Symbol

Asked = Callable[[Path, Place], Awaitable[tuple[str, ...]]]
"""Tells what may be answered at a place of a file of scenarios."""


async def completion(
    desk: Desk, path: Path, position: lsp.Position, asked: Asked
) -> lsp.CompletionList:
    """What may be written in a file of scenarios."""
    text, positions = desk.text(path), desk.positions(path)
    offset = positions.offset(position)
    here = place_at(text, offset)
    answers = await asked(path, here) if here.who is not None else ()
    main = scenario_files.rules_of(desk, path)
    analysis = desk.known(main) if main is not None else None
    stretch = positions.range(here.start, offset)
    return lsp.CompletionList(
        False, [completion_item(each, stretch, False) for each in items(here, analysis, answers)]
    )


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

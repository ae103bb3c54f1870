"""Help in files of texts in other languages: which keys are not there yet, what one translates.

Assumes: a desk, rules beside whose folder of texts a file lies, and somebody who makes a game of
them, which takes a while.
Leaves behind: values of the protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol import types as lsp

from rulerun.language_server.answers import completion_item, location
from rulerun.language_server.desk import Desk
from rulerun_dsl.assist.completion import Completion
from rulerun_dsl.assist.texts_origin import origin
from rulerun_dsl.translations import rules_of

Asked = Callable[[Path, int], Awaitable[Completion | None]]
"""Tells what may be written at a place of a file of texts."""


def is_texts(path: Path) -> bool:
    """Whether a file has texts of rules, by its name and place."""
    return rules_of(path) is not None


async def completion(
    desk: Desk, path: Path, position: lsp.Position, asked: Asked, snippets: bool
) -> lsp.CompletionList | None:
    """What may be written in a file of texts."""
    positions = desk.positions(path)
    found = await asked(path, positions.offset(position))
    if found is None:
        return None
    stretch = positions.range(found.start, found.end)
    return lsp.CompletionList(
        False, [completion_item(each, stretch, snippets) for each in found.items]
    )


def definition(desk: Desk, path: Path, position: lsp.Position) -> lsp.Location | None:
    """Where the rules say what a place of a file of texts translates."""
    main = rules_of(path)
    if main is None:
        return None
    analysis = desk.known(main)
    place = origin(analysis, desk.text(path), desk.positions(path).offset(position))
    return location(desk, main, analysis, place) if place is not None else None

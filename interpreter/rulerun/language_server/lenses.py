"""What can be run from the lines of a file: play, simulate, test.

Leaves behind code lenses whose commands a client runs in a terminal of its own (`rulerun.terminal`
gets the words of a command line), and the command lines of those that answer with a text.
"""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol import types as lsp

from rulerun.language_server.desk import Desk, is_scenarios

TERMINAL = "rulerun.terminal"
"""What a client runs by itself: `rulerun` with the words of its first argument."""

RUN = ("test", "simulate", "validate")
"""What answers with a text when the client asks for it."""

_GAME = re.compile(r"^game[ \t]*:", re.MULTILINE)
_SCENARIO = re.compile(r"^\s*-\s+id\s*:\s*(\S.*?)\s*(?:#.*)?$", re.MULTILINE)


def lenses(desk: Desk, path: Path) -> list[lsp.CodeLens]:
    """What can be run from the lines of a file."""
    text, positions = desk.text(path), desk.positions(path)

    def lens(offset: int, title: str, line: list[str]) -> lsp.CodeLens:
        place = positions.range(offset, offset)
        return lsp.CodeLens(place, lsp.Command(title, command=TERMINAL, arguments=[line]))

    name = str(path)
    if is_scenarios(path):
        found = [lens(0, "run all scenarios", ["test", name])]
        for each in _SCENARIO.finditer(text):
            number = each[1].strip("\"'")
            found.append(lens(each.start(1), "run", ["test", name, "-k", number]))
        return found
    game = _GAME.search(text)
    if game is None:
        return []
    at = game.start()
    return [
        lens(at, "play", ["play", name]),
        lens(at, "simulate", ["simulate", name]),
        lens(at, "test", ["test", name]),
    ]


def command_line(name: str, arguments: list[object]) -> list[str]:
    """The words of a command line that a client asks for."""
    words = [str(each) for each in arguments if isinstance(each, str | int)]
    if not words:
        raise ValueError(f"rulerun.{name} wants the path of a file")
    return [name, "--", *words] if words[0].startswith("-") else [name, *words]

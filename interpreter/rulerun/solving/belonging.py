"""Which game a file belongs to.

Assumes: a game; of a file the data in which `belonging` was written.
Does: compares.
Leaves behind: nothing, or in words what is different.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulerun_dsl.model import Game

_WORDS = {
    "game": "the game {was}, not {now}",
    "fingerprint": "other rules: the file has changed since",
    "players": "the players {was}, not {now}",
    "options": "the options {was}, not {now}",
}


def belonging(game: Game) -> dict[str, Any]:
    """What says which game a file belongs to, as plain data."""
    return {
        "game": game.name,
        "fingerprint": game.fingerprint,
        "players": list(game.players),
        "options": {option.name: option.text for option in game.options},
    }


def difference(was: Mapping[str, Any], game: Game) -> str | None:
    """Of what other game a file is that begins with such data."""
    now = belonging(game)
    for key, words in _WORDS.items():
        if was.get(key) != now[key]:
            return words.format(was=_written(was.get(key)), now=_written(now[key]))
    return None


def _written(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items()) or "of none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

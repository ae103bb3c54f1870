"""Shipped games for benchmarks, and OpenSpiel beside them.

Assumes: the rulesets of this checkout; OpenSpiel in the same environment where it is asked for.
Does: loads a game with its default settings.
Leaves behind: games that load, or an end of the program that says what to install.
"""

from __future__ import annotations

from typing import Any

from rulerun_dsl.load import load
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import ruleset_path


def game_named(name: str) -> Game:
    """A shipped game."""
    path = ruleset_path(name)
    assert path is not None, name
    loaded, found = load(path)
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    return game


def open_spiel() -> Any:
    """The module of OpenSpiel. Raises `SystemExit`."""
    try:
        import pyspiel
    except ImportError:
        raise SystemExit("OpenSpiel is not here: `pip install open_spiel`") from None
    return pyspiel

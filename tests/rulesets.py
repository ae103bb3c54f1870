"""Shipped rulesets, each read once in a process; `Loaded.game` makes each setting once."""

import re
from functools import cache
from pathlib import Path

import pytest

from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import ruleset_path, shipped


def rules_in(folder: Path) -> list[Path]:
    """The rules files below a folder that are no modules of others."""
    return sorted(
        path
        for path in folder.rglob("*.yaml")
        if not path.name.endswith(".test.yaml")
        if not re.search(r"^(module|texts):", path.read_text(encoding="utf-8"), re.MULTILINE)
    )


SHIPPED = rules_in(shipped("rulesets"))
LONG_PLAYS = (
    *("amazons", "backgammon", "chess", "dominion", "gin_rummy"),
    *("go", "lines_of_action", "nine_mens_morris", "othello"),
)
"""Of these it takes seconds to look at a play closely."""
BUSY = (
    "crazy_eights",
    "oh_hell",
    "blackjack",
    "six_nimmt",
    "lost_cities",
    "resistance",
    "quoridor",
    "battleship",
    "havannah",
    "gem_merchants",
    "island_settlers",
    "last_card",
    "sinking_island",
)
"""Of these a play takes a second or two to be held to all laws and to another executor."""
LONGEST_PLAYS = ("chess", "go", "lines_of_action")
"""Of these it takes minutes to look at all of it."""


FEW = ("brave_rats", "coup", "hanabi", "kuhn_poker", "liars_dice", "mancala", "pig", "tic_tac_toe")
"""Small games of every sort: what goes over all rulesets is shown of these in the quick run."""
FOR_CI = (pytest.mark.slow, pytest.mark.ci)
"""The marks of what only `.ci/run` does, all of it."""


@cache
def read(path: Path) -> Loaded:
    """A rules file that loads. Nobody changes it."""
    loaded, found = load(path)
    assert loaded is not None and not has_errors(found), [each.message for each in found]
    return loaded


def game_named(name: str, players: int | None = None, **options: str) -> Game:
    """A shipped game with these settings, made once. Nobody changes it."""
    path = ruleset_path(name)
    assert path is not None, name
    game, found = read(path).game(players, options)
    assert game is not None, [each.message for each in found]
    return game

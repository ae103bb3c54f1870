"""The game that a record is of: what `replay` and `play --resume` share.

Assumes a record that was read, and the file of the rules it is said to be played by.
Does: says first whether it is a record of another game, then which of its options are gone; makes
the game for its players and options, or takes it from the cache of checked games. With `--force`,
options that are gone, or no longer have that value, are left at their defaults, and a note says so.
Leaves behind a game, or the reason on standard error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rulerun.cli.common import Refused, cached, complain, load_rules, make_game, note

if TYPE_CHECKING:
    from rulerun.session.record import Record
    from rulerun_dsl.load import Loaded
    from rulerun_dsl.model import Game


def game_for(path: Path, record: Record, forced: bool = False) -> Game:
    """The game of a record. Raises `Refused`, or `Unable` where its players cannot be."""
    asked = repr((record.game, record.players, sorted(record.options.items())))
    return cached(path, asked, lambda: _made(load_rules(path), record, forced))


def _made(loaded: Loaded, record: Record, forced: bool) -> tuple[Game, Loaded | None]:
    """The game, and where nothing was left out for it, the rules it is made of."""
    from rulerun.session.replay import other_game, other_option

    differences = list(other_game(record, loaded.outline.name))
    people = loaded.people_among(record.players)
    gone: list[str] = []
    if forced or not differences:
        gone = _gone(loaded, record, people)
        differences += [other_option(record, name) for name in gone]
    if differences and not forced:
        complain(differences[:1])
        raise Refused("")
    options = {name: value for name, value in record.options.items() if name not in gone}
    game = make_game(loaded, people, options, ())
    for name in gone:
        note(f"rulerun: {name} is left out, since the game no longer has {record.options[name]}")
    return game, None if differences else loaded


def _gone(loaded: Loaded, record: Record, people: int) -> list[str]:
    """The options of a record that the game does not have any more, or not with that value."""
    known = {each.at.name for each in loaded.outline.options}
    gone = [name for name in record.options if name not in known]
    rest = {name: value for name, value in record.options.items() if name in known}
    if loaded.game(people, rest)[0] is None and loaded.game(people)[0] is not None:
        # Each by itself says whether it is the one.
        gone += [name for name in rest if loaded.game(people, {name: rest[name]})[0] is None]
    return gone

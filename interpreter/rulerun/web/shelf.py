"""The games that a server offers: what a form needs to begin a table of each.

Assumes rules files, shipped or named on the command line.
Leaves behind plain data: titles and texts, players, options with their values, variants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rulerun.search.agent_names import opponent
from rulerun.web.editions import Unplayable, edition_of, loaded_from, names_of
from rulerun.words.labels import Labels
from rulerun.words.language import SHIPPED, Language
from rulerun.words.language import language as spoken
from rulerun_dsl.heads import head_of
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import Bool, Int, bare

Data = dict[str, object]

_MOST_VALUES = 60
LEVELS = ("easy", "normal", "hard", "random")
"""Bots that may be seated from a browser. One's own agent never is."""


class Shelf:
    """The games by name."""

    def __init__(
        self, paths: Mapping[str, Path], brought: Callable[[str], Path | None] | None = None
    ) -> None:
        """Take the rules file of each; `brought`: of one that is on no shelf, by its name."""
        self.paths = paths
        self._brought = brought

    def path(self, name: str) -> Path | None:
        """The rules file of a game."""
        found = self.paths.get(name)
        return self._brought(name) if found is None and self._brought is not None else found

    def listed(self, language: str) -> list[Data]:
        """A line about each game that loads, kind by kind, and of each other why it does not."""
        said = spoken(language if language in SHIPPED else "en")
        lines = [self._line(name, path, language, said) for name, path in self.paths.items()]

        def place(line: Data) -> tuple[int, str]:
            return said.headings.index(str(line["kind"])), str(line["title"]).casefold()

        return sorted(lines, key=place)

    def _line(self, name: str, path: Path, language: str, said: Language) -> Data:
        head = head_of(path)
        kind = said.heading(head.kind)
        try:
            loaded = loaded_from(path)
            names = names_of(edition_of(path, None, {}, ()), language)
        except Unplayable as reason:
            return {"name": name, "title": name, "kind": kind, "error": str(reason)}
        low, high = loaded.outline.player_range
        return {
            "name": name,
            "title": names.title,
            "about": names.about_game,
            "players": [low, high],
            "minutes": head.minutes,
            "kind": kind,
        }


def form_of(name: str, path: Path, language: str) -> Data:
    """What can be chosen for a game. Raises `Unplayable`."""
    loaded = loaded_from(path)
    edition = edition_of(path, None, {}, ())
    names = names_of(edition, language)
    game = names.game
    low, high = loaded.outline.player_range
    return {
        "name": name,
        "title": names.title,
        "about": names.about_game,
        "people": [
            {"count": count, "players": _players(path, count, language)}
            for count in range(low, high + 1)
        ],
        "options": _options(game, names),
        "variants": [
            {
                "name": each.at.name,
                "label": names.named("variant", each.at.name),
                "about": names.about(f"variant {each.at.name}") or each.about,
            }
            for each in loaded.outline.variants
        ],
        "levels": [*LEVELS],
        "level": opponent(),
    }


def settings_of(
    path: Path,
    players: int | None,
    options: Mapping[str, str],
    variants: tuple[str, ...],
    language: str,
) -> Data:
    """What these settings come to. Raises `Unplayable`.

    `refused`: why they are none of the game's, in the `language` if its texts say so, "" if they
    are; `values`: what variants and
    options together set; `idle`: the options that mean nothing beside the others.
    """
    loaded = loaded_from(path)
    found = loaded.refused(players, options, variants)
    values, _ = loaded.settings(options, variants)
    names = names_of(edition_of(path, None, {}, ()), language)
    return {
        # The sentence of a constraint is one of the rules, with its translation.
        "refused": names.said_alone(found[0].message) if found else "",
        "values": values,
        "idle": [] if found else sorted(loaded.idle(players, values)),
    }


def _players(path: Path, count: int, language: str) -> list[Data]:
    try:
        names = names_of(edition_of(path, count, {}, ()), language)
    except Unplayable:
        return []
    automata = names.game.players[names.game.people :]
    return [
        {"id": each, "name": names.player(each), "automa": each in automata}
        for each in names.game.players
    ]


def _options(game: Game, names: Labels) -> list[Data]:
    found: list[Data] = []
    for option in game.options:
        type_ = bare(option.type)
        if isinstance(type_, Bool):
            values = ["false", "true"]
        elif isinstance(type_, Int):
            values = [*map(str, range(type_.low, type_.high + 1)[:_MOST_VALUES])]
        else:
            values = list(names.texts(type_))
        found.append(
            {
                "name": option.name,
                "label": names.named("option", option.name),
                "about": names.about(f"option {option.name}") or option.about,
                "default": option.default_text,
                "values": [[each, names.of_type(type_, each)] for each in values],
            }
        )
    return found

"""In which language people read: `--lang`, `RULERUN_LANG`, and the texts of a game in it.

Assumes a rules file and a game that was made of it.
Does: takes the language that was asked for; where the game has no texts in it, says so, and tells
all of it in the language of the rules (`labels_for`).
Leaves behind `Labels`, which front ends ask what things are called.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from rulerun.cli.common import Unable, cached, complain, load_rules, make_game, note
from rulerun_dsl.source.safe_text import clean

if TYPE_CHECKING:
    from rulerun.words.labels import Labels
    from rulerun_dsl.load import Loaded
    from rulerun_dsl.model import Game

VARIABLE = "RULERUN_LANG"

_Command = TypeVar("_Command", bound=Callable[..., object])


def language_option(command: _Command) -> _Command:
    """`--lang`."""
    return click.option(
        "--lang",
        metavar="CODE",
        help="The language of the table and of the game's texts: en, fr or de. Left out: that of "
        f"the environment ({VARIABLE}), else that of the rules file.",
    )(command)


def language_asked(lang: str | None) -> str:
    """The language asked for on the command line or by the environment; nothing: any."""
    return lang or os.environ.get(VARIABLE, "")


def preparing(lang: str | None) -> str:
    """What to say before a game is made, in the language asked for."""
    from rulerun.words.language import SHIPPED, language

    asked = language_asked(lang)
    return language(asked if asked in SHIPPED else "en").preparing


def labels(game: Game, path: Path, lang: str | None, *, tell: bool = True) -> Labels:
    """What things are called in the language asked for.

    `tell`: say so on standard error if the game has no texts in it.
    """
    from rulerun.words.labels import Labels, labels_for
    from rulerun.words.language import SHIPPED, language

    asked = language_asked(lang)
    if not asked or (asked == game.words.language and not _texts(path, asked)):
        return Labels(game)
    texts = _texts(path, asked)
    if texts is None and asked not in SHIPPED:
        if lang is None:
            return Labels(game)
        raise Unable(f"there is no language `{asked}`: there are {', '.join(SHIPPED)}")
    if texts is None:
        found = labels_for(game, asked)
        if tell and found.unspoken:
            from rulerun.words.rule_phrases import rule_phrases

            said = rule_phrases(asked).no_texts
            note(f"{clean(game.title)}{language(asked).colon} {said}")
        return found
    options = {option.name: option.text for option in game.options}

    def make() -> tuple[Game, Loaded | None]:
        from rulerun_dsl.translations import translation

        loaded = load_rules(path)
        made = make_game(loaded, game.people, options, ())
        words, findings, _ = translation(loaded, made, texts)
        if words is None:
            complain(findings)
            raise Unable(f"the texts `{texts}` cannot be used")
        return replace(made, words=words), loaded

    key = repr(("words", asked, game.people, sorted(options.items())))
    return Labels(game, cached(path, key, make, (texts,)).words)


def _texts(path: Path, asked: str) -> Path | None:
    from rulerun_dsl.translations import files_of_texts

    return files_of_texts(path).get(asked)

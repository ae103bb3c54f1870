"""The rules a table began with: copies of rules files, so that a table outlives an edit.

Assumes a rules file, its modules, texts and pictures on disk.
Does: copies them into a folder named after what is in them, and makes games of that copy.
Leaves behind an `Edition`, and games, names and rulebooks of it, each made once.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from rulerun.executors.answering import Answering
from rulerun.rulebook.contents import book_for
from rulerun.rulebook.render.as_html import page
from rulerun.web.scene import Stage
from rulerun.words.labels import Labels, labels_for
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors
from rulerun_dsl.icons import files_of_icons
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.translations import files_of_texts, translation

OWN = "own-"
_BROUGHT = re.compile(rf"{OWN}[0-9a-f]{{24}}")


def brought(name: str) -> bool:
    """Whether rules that go by this name are some that somebody brought, whom nobody knows."""
    return _BROUGHT.fullmatch(name) is not None


class Unplayable(Exception):
    """Rules with errors, or settings that they do not have; the message says which."""


@frozen
class Edition:
    """Some rules with settings: what a table is a play of."""

    path: Path
    """Of the rules file, in the folder that holds this edition alone."""
    players: int
    options: tuple[tuple[str, str], ...]

    @property
    def mark(self) -> str:
        """What tells its files from those of others: texts and pictures too."""
        return self.path.parent.name[:12]


def loaded_from(path: Path) -> Loaded:
    """A rules file, read. Raises `Unplayable`."""
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        stamp = 0
    return _loaded(path, stamp)


@lru_cache(64)
def _loaded(path: Path, _stamp: int) -> Loaded:
    loaded, findings = load(path)
    if loaded is None or has_errors(findings):
        raise Unplayable(_first(findings))
    return loaded


def _first(findings: list[Diagnostic]) -> str:
    each = next((each for each in findings if each.span is not None), findings[0])
    where = "" if each.span is None else f"{each.span.source.name}:{each.span.line}: "
    return f"{where}{each.message}"


def keep(path: Path, folder: Path) -> Path:
    """Copy a rules file, its modules, texts and pictures below `folder`; return the copy.

    Raises `Unplayable` for rules with errors, `OSError` where nothing can be written.
    """
    loaded = loaded_from(path)
    home = path.parent
    beside = [*files_of_texts(path).values(), *files_of_icons(path).values()]
    files = [path, *(Path(each.name) for each in loaded.modules), *beside]
    contents = {each.relative_to(home): each.read_bytes() for each in files}
    digest = sha256()
    for name, content in sorted(contents.items()):
        digest.update(f"{name.as_posix()}\n{len(content)}\n".encode() + content)
    target = folder / digest.hexdigest()[:32]
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder))
        for name, content in contents.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_bytes(content)
        try:
            os.replace(made, target)
        except OSError:
            # Somebody else was first.
            shutil.rmtree(made, ignore_errors=True)
            if not target.exists():
                raise
    return target / path.name


def edition_of(
    path: Path, players: int | None, options: Mapping[str, str], variants: tuple[str, ...]
) -> Edition:
    """The edition of these settings. Raises `Unplayable`."""
    game, findings = loaded_from(path).game(players, options, variants)
    if game is None:
        raise Unplayable(_first(findings))
    return Edition(path, game.people, tuple((each.name, each.text) for each in game.options))


@lru_cache(64)
def game_of(edition: Edition) -> Game:
    """The game of an edition. Raises `Unplayable`."""
    game, findings = loaded_from(edition.path).game(edition.players, dict(edition.options))
    if game is None:
        raise Unplayable(_first(findings))
    return game


@lru_cache(64)
def executor_of(edition: Edition) -> Answering:
    """What runs the plays of an edition. Raises `Unplayable`."""
    made = Answering(game_of(edition))
    # Who begins a table waits for it, and nobody who plays at another.
    made.prepare()
    return made


@lru_cache(128)
def names_of(edition: Edition, language: str) -> Labels:
    """What things are called in a language; all of it in that of the rules if the game has none."""
    game = game_of(edition)
    texts = files_of_texts(edition.path).get(language)
    if texts is not None:
        words, _, _ = translation(loaded_from(edition.path), game, texts)
        if words is not None:
            return labels_for(replace(game, words=words), language, words)
    return labels_for(game, language)


@lru_cache(128)
def stage_of(edition: Edition, language: str) -> Stage:
    """What makes the scenes of an edition in a language."""
    return Stage(names_of(edition, language), files_of_icons(edition.path))


def languages_of(edition: Edition) -> list[str]:
    """The languages in which an edition has texts, its own first."""
    own = game_of(edition).words.language
    return list(dict.fromkeys([own, *sorted(files_of_texts(edition.path))]))


def forget() -> None:
    """Keep nothing that was made of editions: who edits rules makes a new one with each save."""
    for kept in (_loaded, game_of, executor_of, names_of, stage_of, book_of):
        kept.cache_clear()


@lru_cache(32)
def book_of(edition: Edition, language: str) -> str:
    """The rulebook of an edition, as a page."""
    loaded = loaded_from(edition.path)
    game, _ = loaded.game(edition.players, dict(edition.options))
    assert game is not None
    return page(book_for(loaded, game, names_of(edition, language)))

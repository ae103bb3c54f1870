"""Files of scenarios, of texts, and the other settings of a game: what takes a game to look at.

Assumes: a desk, on which rules and scenarios may lie that are not saved.
Does: makes games of the rules as they are now, and has `rulerun.scenario` look up what scenarios
name, `rulerun_dsl.assist` what texts do not say yet, and `rulerun_dsl.translations` what is wrong
in them. All of it takes a while; what takes longest asks between its parts whether anybody still
wants to know.
Leaves behind: findings, and what may be written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from rulerun.analysis.settings import findings_elsewhere
from rulerun.language_server.desk import SCENARIOS, Desk
from rulerun.scenario.completing import Place, answers
from rulerun.scenario.reader import Scenario, scenarios_in
from rulerun.scenario.resolving import vet
from rulerun_dsl import translations
from rulerun_dsl.assist.completion import Completion
from rulerun_dsl.assist.texts_keys import complete_texts
from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.source.resources import ruleset_path

_RULESET = re.compile(r"^ruleset[ \t]*:[ \t]*(\S+)", re.MULTILINE)

MOST_SETTINGS = 60
"""So many settings are looked at while somebody edits; `rulerun validate` looks at all."""

_LOADED: dict[Path, tuple[dict[str, str], Loaded]] = {}


def rules_of(desk: Desk, path: Path) -> Path | None:
    """The rules file that scenarios are about."""
    named = _RULESET.search(desk.text(path))
    if named is not None:
        name = named[1].strip("\"'")
        beside = path.parent / name
        if beside.exists() or beside in desk.open:
            return beside
        return ruleset_path(name)
    stem = next(
        (path.name.removesuffix(each) for each in SCENARIOS if path.name.endswith(each)), ""
    )
    for ending in (".yaml", ".yml"):
        beside = path.with_name(stem + ending)
        if beside.exists() or beside in desk.open:
            return beside
    return None


def rules_behind(desk: Desk, path: Path) -> Path | None:
    """The rules file by which scenarios, or texts in another language, are looked at."""
    return translations.rules_of(path) if desk.is_texts(path) else rules_of(desk, path)


def loaded_of(desk: Desk, main: Path) -> Loaded | None:
    """A game of the rules as they are now; None if they are wrong."""
    texts = dict(desk.book(main).texts)
    known = _LOADED.get(main)
    if known is not None and known[0] == texts:
        return known[1]
    loaded, _ = load(main, None, desk.read)
    if loaded is not None:
        _LOADED[main] = texts, loaded
    return loaded


def shape(desk: Desk, path: Path) -> list[Diagnostic]:
    """What is wrong with a file of scenarios by itself."""
    _, found = scenarios_in(desk.text(path), str(path))
    return list(found)


def scenarios_of(desk: Desk, path: Path) -> tuple[Scenario, ...]:
    """The scenarios of a file, as far as they can be read."""
    return scenarios_in(desk.text(path), str(path))[0]


def vetted(desk: Desk, path: Path, over: Callable[[], bool]) -> list[Diagnostic] | None:
    """What scenarios name that their game does not have; None if nobody wants to know any more."""
    main = rules_of(desk, path)
    if main is None:
        return []
    loaded = loaded_of(desk, main)
    found: list[Diagnostic] = []
    for each in scenarios_of(desk, path) if loaded is not None else ():
        if over():
            return None
        assert loaded is not None
        wrong, cause = vet(each, loaded)
        found += wrong
        if cause is not None:
            break
    return found


def answers_at(desk: Desk, path: Path, place: Place) -> tuple[str, ...]:
    """What may be answered at a place of a file of scenarios."""
    main = rules_of(desk, path)
    loaded = loaded_of(desk, main) if main is not None else None
    return answers(place, loaded) if loaded is not None else ()


def keys_of_texts(desk: Desk, path: Path, offset: int) -> Completion | None:
    """What may be written at a place of texts in another language; None where rules are wrong."""
    main = translations.rules_of(path)
    loaded = None if main is None else loaded_of(desk, main)
    game = None if loaded is None else loaded.game()[0]
    if loaded is None or game is None:
        return None
    return complete_texts(loaded, game, desk.text(path), offset)


def texts(desk: Desk, path: Path) -> list[Diagnostic]:
    """What is wrong with texts in another language; by themselves, where the rules are wrong."""
    main = translations.rules_of(path)
    if main is None:
        return translations.without_rules(path, desk.read)
    loaded = loaded_of(desk, main)
    game = None if loaded is None else loaded.game()[0]
    if loaded is None or game is None:
        return translations.document_of(path, desk.read)[1]
    return translations.translation(loaded, game, path, desk.read)[1]


def other_settings(
    desk: Desk, main: Path, known: Iterable[Diagnostic], over: Callable[[], bool]
) -> list[Diagnostic] | None:
    """What is wrong in other settings, and what is hardly meant in all of them."""
    loaded = loaded_of(desk, main)
    if loaded is None:
        return []
    return findings_elsewhere(loaded, known, MOST_SETTINGS, over)

"""What may be written in a file of texts in another language."""

from __future__ import annotations

from functools import partial

import pytest
from tests.rulesets import read

from rulerun_dsl.assist.completion import Completion
from rulerun_dsl.assist.texts_keys import complete_texts
from rulerun_dsl.source.resources import ruleset_path
from rulerun_dsl.translations import files_of_texts, translation
from rulerun_dsl.yaml.open_source import read_open

HEAD = "texts: brave_rats\nlanguage: fr\n"


def completed(written: str) -> tuple[str, Completion]:
    """The text before a place that is marked, and what may be written there."""
    path = ruleset_path("brave_rats")
    assert path is not None
    loaded = read(path)
    game, _ = loaded.game()
    assert game is not None
    text = HEAD + written
    place = text.index("|")
    text = text.replace("|", "", 1)
    return text[:place], complete_texts(loaded, game, text, place)


@pytest.mark.parametrize(
    ("written", "first", "absent", "typed"),
    [
        ("|", {"title", "zones", "sentences"}, {"texts", "boards"}, ""),
        ("zo|\n", {"zones"}, set(), "zo"),
        ("zones:\n  |", {"hand", "line"}, set(), ""),
        ("zones:\n  hand: main\n  |\nphases: {battle: x}\n", {"line"}, {"hand"}, ""),
        ("zones: {hand: main, li|}\n", {"line"}, {"hand"}, "li"),
        ("zones: {hand: main, |", {"line"}, {"hand"}, ""),
        ("components:\n  card:\n    |\n", {"name", "about"}, set(), ""),
        ("components:\n  card:\n    rows:\n      prince: {name: x, |\n", {"about"}, {"name"}, ""),
        ("components:\n  card:\n    rows:\n      pr|\n      spy: y\n", {"prince"}, {"spy"}, "pr"),
        ("sentences:\n  Which ca|\n", {"Which card do you play?"}, {"hand"}, "Which ca"),
    ],
)
def test_keys_that_are_missing_are_offered(written, first, absent, typed):
    before, found = completed(written)
    best = {each.label for each in found.items if each.rank == 0}
    assert first <= best
    assert not absent & {each.label for each in found.items}
    assert before[found.start :] == typed


def test_what_is_no_key_gets_none():
    for written in ("zones:\n  hand: ma|\n", "zones: {hand: ma|}\n", "sentences:\n  A: B|\n"):
        assert not completed(written)[1].items, written
    assert not completed("zones: [|\n")[1].items


def test_what_readers_need_no_name_for_comes_last():
    _, found = completed("components:\n  card:\n    has: {|\n")
    assert {each.rank for each in found.items} == {1}


def test_a_sentence_is_written_so_that_it_is_a_key():
    path = ruleset_path("brave_rats")
    assert path is not None
    _, found = completed("sentences:\n  |\n")
    text = HEAD + "sentences:\n" + "".join(f"  {each.insert}x\n" for each in found.items)
    loaded = read(path)
    game, _ = loaded.game()
    assert game is not None
    file = files_of_texts(path)["fr"]
    _, wrong, missing = translation(loaded, game, file, partial(read_open, {file: text}))
    assert not wrong and not any(each.startswith("“") for each in missing)

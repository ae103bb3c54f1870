"""An edit of a number in the rules changes the sentences that tell it, in every language.

Each case changes numbers of a shipped ruleset, reads all its texts before and after, and finds each
new number in a text that has changed.
"""

import re
import shutil

import pytest

from rulerun_dsl.load import load
from rulerun_dsl.source.resources import ruleset_path
from rulerun_dsl.translations import files_of_texts, translation

RUSE = {
    "start_gp: 2": 31,
    "empty_gp: 2": 32,
    "passage_gp: 1": 33,
    "mark_gp: 2": 5,
    "beaver_gp: 2": 6,
    "camp_gp: 2": 36,
    "behind_gp: 2": 4,
    "late_die_vp: 2": 38,
    "cheese_vp: 4": 39,
    "cheese_gp: 4": 41,
    "star_vp: 4": 42,
    "prey_gp: 4": 43,
    "bonus_price: 6": 9,
}

CASES = {
    "ruse": (RUSE, 2),
    "antler_island": ({"larder_room: 5": 4, "most_staked: 3": 2, "most_wily: 3": 6}, 3),
    "brave_rats": ({"worth: 2": 1, "raises: 2": 3}, 2),
    "chasse_en_folie": ({"lodge_points: 4": 17, "days: 4": 5}, 3),
}


def texts(path, language, players):
    """All texts of a game in a language: names, plurals, abouts."""
    loaded, found = load(path)
    assert loaded is not None, found
    game, found = loaded.game(players)
    assert game is not None, found
    words = game.words
    if language != words.language:
        translated, found, _ = translation(loaded, game, files_of_texts(path)[language])
        assert translated is not None, found
        words = translated
    return {key: " ".join((each.name, each.plural, each.about)) for key, each in words.texts}


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", CASES)
def test_sentences_follow_the_numbers(name, language, tmp_path):
    changes, players = CASES[name]
    source = ruleset_path(name)
    assert source is not None
    folder = tmp_path / "rulesets"
    shutil.copytree(source.parent, folder, ignore=shutil.ignore_patterns("classics"))
    path = folder / source.name
    before = texts(path, language, players)
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        key = old.partition(":")[0]
        text, many = re.subn(rf"\b{re.escape(old)}\b", f"{key}: {new}", text)
        assert many == 1, old
    path.write_text(text, encoding="utf-8")
    after = texts(path, language, players)
    changed = {key: after[key] for key in before if before[key] != after[key]}
    for old, new in changes.items():
        told = [each for each in changed.values() if re.search(rf"\b{new}\b", each)]
        assert told, f"no text tells `{old}`"

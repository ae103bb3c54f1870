"""The laws hold of every shipped ruleset and of small ones that each press on one of them.

What is quick looks at a play of each; `-m slow` plays every option value, variant and number of
players as `rulerun validate --deep` does. That every law can fail is shown by rulesets that break
one (`laws/broken`) and by planted faults (`test_mutants`).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.rulesets import BUSY, FEW, FOR_CI, LONG_PLAYS, LONGEST_PLAYS, read
from tests.rulesets import SHIPPED as RULESETS

from rulerun.executors.make import executor_for
from rulerun.laws import LAWS, Setting, check_laws, digest, trace, trajectory, walk_of
from rulerun.laws.games import REFUSED, make, settings
from rulerun.laws.trajectory import Walk
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.source.resources import shipped

HERE = Path(__file__).parent / "laws"
SMALL = sorted(HERE.glob("*.yaml"))
BROKEN = sorted((HERE / "broken").glob("*.yaml"))
MOST = tuple(law for law in LAWS if law != 14)
"""All but law 14, which has its own tests (`test_agreeing`)."""
OF_PLAY = tuple(law for law in MOST if law not in (10, 13))
MOST_SETTINGS = 3
"""Settings of a ruleset that a quick run plays; of a long one the first. `rulerun validate`, which
`.ci/run` calls, plays each of them."""
LONG = {path for path in RULESETS if path.stat().st_size > 12_000 or path.stem in LONGEST_PLAYS}
"""Of these it takes seconds to make a game or to play one."""
HEAVY = ("ruse", "antler_island", "lost_cities", "quoridor", "six_nimmt")
"""Of these a play takes seconds whoever plays it."""
MANY_LOOKS = (
    *("breakthrough", "checkers", "hex", "chasse_en_folie"),
    *("cribbage", "go_fish", "hearts", "love_letter", "sushi_go", "texas_holdem", "yacht"),
    *BUSY,
)
"""Of these there is much to look at: the laws of play take seconds."""
LARGEST = ("endless", "kept", "opened")
"""Of the small ones those that take longest; `.ci/run` asks for them."""
SHORT_PLAYS = ("coup", "goofspiel", "hanabi", "hearts", "kuhn_poker", "no_thanks", "tic_tac_toe")
"""Of these a play is over soon."""


def slowly(*, besides=(), among=None):
    """All shipped rulesets; the long ones (or those `among`), and some besides, are slow."""
    slow = {path.stem for path in LONG} if among is None else set(among)
    slow.update(besides)
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in slow else [])
        for path in RULESETS
    ]


def few(*, long=frozenset()):
    """All shipped rulesets; but for a few of every sort, they are for `.ci/run`, or are slow."""
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=pytest.mark.slow if path in long else [] if path.stem in FEW else FOR_CI,
        )
        for path in RULESETS
    ]


def name(path: Path) -> str:
    return path.stem


def broken(path: Path, **given) -> list[str]:
    return [str(each) for each in check_laws(read(path), **given)]


# ---------------------------------------------------------------------------- shipped rulesets


@pytest.mark.slow_in_ci
@pytest.mark.parametrize("path", slowly(besides=(*LONG_PLAYS, *MANY_LOOKS)))
def test_a_shipped_ruleset_keeps_the_laws(path):
    assert broken(path, games=1, laws=OF_PLAY, depth=0.3 if path in LONG else 0.1) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", RULESETS, ids=name)
def test_most_players_keep_the_laws(path):
    low, high = read(path).outline.player_range
    if high == low:
        pytest.skip("there is one number of players")
    assert broken(path, players=high, games=2, laws=OF_PLAY) == []


@pytest.mark.parametrize("path", few(long=LONG))
def test_what_nobody_reads_is_found(path):
    assert broken(path, laws=[13], games=0) == []


@pytest.mark.parametrize("path", few())
def test_settings_are_played_to_their_end(path):
    listed = settings(read(path), None, {}, (), most=4)
    most = 1 if path in LONG else MOST_SETTINGS
    ends(path, listed[:: len(listed) // most + 1])


@pytest.mark.slow
@pytest.mark.parametrize("path", RULESETS, ids=name)
def test_every_setting_is_played_to_its_end(path):
    ends(path, settings(read(path), None, {}, ()))


def ends(path: Path, listed: list[Setting]) -> None:
    """Each option value, variant, two variants, number of players: it ends, or says why not."""
    loaded = read(path)
    for setting in listed:
        made = make(loaded, setting)
        if made.game is None:
            assert [each.code for each in made.diagnostics] == [REFUSED], str(setting)
            assert all(each.message for each in made.diagnostics)
            continue
        seats = dict.fromkeys(range(len(made.game.players)), RandomAgent())
        play = Session(executor_for(made.game, events=False), seats, 7)
        assert play.fault is None, f"{setting}: {play.fault}"
        assert play.truncated or play.verdict is not None
        assert play.decisions <= made.game.decisions


@pytest.mark.slow
@pytest.mark.parametrize("path", RULESETS, ids=name)
def test_a_shipped_ruleset_keeps_the_laws_in_depth(path):
    assert broken(path, seed="in depth", laws=MOST) == []


# ------------------------------------------------------------------------------ small rulesets


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "path",
    [pytest.param(each, marks=pytest.mark.slow if each.stem in LARGEST else ()) for each in SMALL],
    ids=name,
)
def test_a_small_ruleset_keeps_the_laws(path):
    assert broken(path, games=1, laws=OF_PLAY, depth=0.3) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", SMALL, ids=name)
def test_a_small_ruleset_keeps_the_laws_in_depth(path):
    assert broken(path, games=20, seed="in depth", laws=MOST) == []


@pytest.mark.parametrize("path", BROKEN, ids=name)
def test_a_ruleset_that_breaks_a_law_is_found_out(path):
    found = re.search(r"^#: breaks (\d+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert {each.law for each in check_laws(read(path), games=6, laws=MOST)} == {int(found[1])}


def test_a_finding_can_be_seen_again():
    loaded = read(HERE / "broken" / "not_always.yaml")
    first = next(iter(check_laws(loaded, laws=[0])))
    assert "no coin is lost" in first.what
    assert first.again.startswith("check_laws(loaded, players=2, replay='0:")
    assert first in list(check_laws(loaded, players=2, replay=first.seed, laws=[0]))
    assert first.state is not None and first.step == len(first.inputs)
    walked = walk_of(loaded, first.seed)
    assert walked.states[first.step] == first.state
    assert tuple(walked.texts[: first.step]) == first.inputs


def test_progress_is_told():
    loaded = read(HERE / "settings.yaml")
    told = []
    found = check_laws(loaded, games=1, laws=[0, 10, 13], progress=lambda *each: told.append(each))
    assert list(found) == []
    total = told[0][1]
    assert [done for done, _, _ in told] == list(range(total + 1))
    assert told[0][2] == "the file"
    assert "3 players" in [label for _, _, label in told]
    assert "2 players, variant stormy, variant quick" in [label for _, _, label in told]


def test_settings_are_every_value_once():
    loaded = read(HERE / "settings.yaml")
    listed = settings(loaded, None, {}, ())
    assert len(listed) == len(set(listed)) == 2 + 2 + 1 + 1 + 1 + 1 + 3 + 3
    refused = [each for each in listed if make(loaded, each).game is None]
    calm = Setting(2, (), (("calm", "2"),))
    assert refused == [calm, Setting(2, ("stormy", "reversed"))]
    assert settings(loaded, 3, {"length": "1"}, ("stormy",))[0] == Setting(
        3, ("stormy",), (("length", "1"),)
    )


def test_of_many_values_the_ends_are_tried():
    loaded = read(shipped("rulesets") / "classics" / "pig.yaml")
    tried = [
        dict(each.options)["horizon"]
        for each in settings(loaded, 2, {}, ())
        if "horizon" in dict(each.options)
    ]
    assert {"1", "2", "999", "1001", "9999", "10000"} <= set(tried)
    assert len(tried) <= 12


# ---------------------------------------------------------------------------------- one trace


def traced(path: Path, loaded: Loaded) -> Walk:
    """The play of which the trace is kept, however much of it the laws look at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trajectory, "MOST_WORK", 10**6 if path.stem in LONGEST_PLAYS else 10**7)
        return walk_of(loaded, "1")


@pytest.mark.parametrize("path", few())
def test_a_walk_is_the_golden_one(path, golden):
    """The states of one play, and what was told, on every version and in every process."""
    walked = traced(path, read(path))
    golden(f"traces/{path.stem}.txt", f"states {trace(walked)}\ntold {digest(walked)}\n")


@pytest.mark.parametrize("path", [path for path in RULESETS if path.stem in SHORT_PLAYS], ids=name)
def test_a_walk_can_be_walked_again(path):
    """Also in a process that has walked it before; with the goldens, the same holds of all."""
    again = load(path)[0]
    assert again is not None
    assert digest(traced(path, read(path))) == digest(traced(path, again))


def test_an_option_that_is_only_refused_is_read(tmp_path):
    path = tmp_path / "refused.yaml"
    text = SMALL[0].read_text(encoding="utf-8")
    option = "options:\n  fifth: {type: bool, default: false, about: A fifth player.}\n"
    constraint = "constraints:\n  - {never: fifth, say: That is not in the book.}\n"
    assert "\noptions:" not in text and "\nconstraints:" not in text
    path.write_text(f"{text}\n{option}{constraint}", encoding="utf-8")
    assert broken(path, laws=[13], games=0) == []
